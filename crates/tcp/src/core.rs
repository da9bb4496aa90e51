//! The state of every sender, whatever its recovery: sequence numbers, window, timer, counts.
//!
//! Sequence offsets in here count from the connection's start. A SYN takes up a whole segment of them, as in
//! ns-2, where it is segment zero, so that it is sent, timed, acknowledged and retransmitted like any other
//! segment. The stream starts at [`Core::origin`].
//!
//! Each ACK of new data is taken in once, by the function for its kind, which tells the control of it:
//!
//! | `Core::accept_…` | The ACK | Called by |
//! |---|---|---|
//! | `without_segments` | was expected; single segments are not followed | `Sender`; `and_tell` |
//! | `with_segments` | was expected; single segments are followed | `Sender`, RACK; `and_tell` |
//! | `like_last` | comes at the instant of an expected one, and is like it | `Sender` |
//! | `and_tell` | is not the connection's first | SACK by `pipe`; `maybe_first` |
//! | `maybe_first` | any that is not partial | Tahoe, Reno, SACK, SACK by `pipe` |
//! | `fresh` | the same, where the control hears of fewer bytes than it covers | NewReno, RACK |
//! | `untold` | any; the caller tells the control | FACK, Vegas; `fresh` |
//! | `partial` | acknowledges a part of what a recovery sends again | NewReno, SACK, SACK by `pipe`, RACK |

mod bundles;
mod early;
mod ecn;
mod flow_control;
mod losses;
mod marked;
mod sending;
mod usage;

use crate::congestion::float::float;
use crate::congestion::{Engine, Heard};
use crate::outstanding::{Outstanding, Sent};
use crate::paced::Paced;
use crate::restart::IdleWatch;
use crate::rtt::RttEstimator;
use crate::segment::{Ack, TIMESTAMP_TICK, ticks};
use crate::sender::SenderStats;
use crate::settings::{Estimator, Growth, Handshake, Restart, Settings};
use crate::timers::{Timer, Timers};
use crate::window::{Window, maximum};
use airfair_core::{Span, Time};
use bundles::Bundle;
use early::EarlyTimer;
use ecn::Marks;
pub(crate) use marked::Marked;
use std::mem::offset_of;
use std::sync::Arc;
use usage::Usage;

/// The number of duplicate ACKs that indicate a loss (RFC 5681, section 3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// No segment is being timed.
const UNTIMED: u64 = u64::MAX;

/// The end of a stream without end: beyond everything that is ever sent, with room for sums.
pub(crate) const UNBOUNDED: u64 = u64::MAX / 2;

/// Round-trip time by the echo of a timestamp, at least one tick of the timestamp clock (Linux's `tcp_rtt_tsopt_us`).
fn by_ticks(now: Time, echo: Time) -> Span {
    TIMESTAMP_TICK * (ticks(now) - ticks(echo.min(now))).max(1)
}

/// Why the window was last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastCut {
    None,
    FastRetransmit,
    /// By a fast retransmit whose recovery is over.
    Recovered,
    Timeout,
}

/// A segment that goes out whatever the window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    Nothing,
    /// The first unacknowledged segment, again.
    First,
    /// One new segment beyond the window (limited transmit).
    New,
}

/// An ACK with its offsets counted from the connection's start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub now: Time,
    pub ack: u64,
    pub echo: Time,
    /// The ACK as it came, with offsets of the stream.
    pub raw: &'a Ack,
}

impl Arrival<'_> {
    /// The SACK blocks beyond the acknowledgement, counted from the connection's start.
    pub fn blocks(&self, origin: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.raw.sack.beyond(self.raw.ack + origin)
    }

    /// The data that the ACK reports to have arrived twice (RFC 2883), counted from the connection's start.
    pub fn duplicate(&self, origin: u64) -> Option<(u64, u64)> {
        self.raw.sack.duplicate(self.raw.ack).map(|(start, end)| (start + origin, end + origin))
    }
}

/// An ACK of new data, once the sender has taken it in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    /// Bytes that the ACK acknowledged.
    pub acked: u64,
    /// The exact round trip of the last segment that the ACK completes, where a control or a recovery measures round trips.
    pub rtt: Option<Span>,
    /// Whether the ACK may open the window.
    pub may_grow: bool,
}

/// What an ACK of new data shows of single segments, where a control or a recovery follows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    /// Bytes that the ACK acknowledged.
    pub acked: u64,
    /// The last segment of which the ACK acknowledges the first byte.
    pub last: Option<Sent>,
}

impl Observed {
    /// The exact round trip of the last segment, if it was sent once.
    #[inline]
    pub fn rtt(self, now: Time) -> Option<Span> {
        let once = self.last.filter(|last| last.transmissions == 1)?;
        Some(now.since(once.at.unwrap_or(now)))
    }
}

/// The fields up to [`Core::control`] are those that an ordinary segment and an ordinary ACK touch. They lie together because with many
/// flows the number of cache lines decides about speed.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Core {
    /// Everything before it is acknowledged.
    pub una: u64,
    /// The next segment in order; falls back to `una` when everything is to be sent again.
    pub nxt: u64,
    /// Everything before it was handed out at least once.
    pub max_sent: u64,
    /// Whole new segments that end at or before this offset may go out without further checks.
    pub whole_to: u64,
    pub timers: Timers,
    /// The segment that is being timed, or [`UNTIMED`]: one at a time (RFC 6298, section 3).
    timed: u64,
    /// The retransmission timeout, a copy of the estimate in `rtt`.
    rto: Span,
    pub window: Window,
    pub marked: Marked,
    pub last_cut: LastCut,
    pub pending: Pending,
    pub dupacks: u32,
    /// The receiver's window in segments, counted from `una`.
    advertised: u32,
    /// Segments that duplicate ACKs have added to the window during fast recovery.
    pub inflation: u32,
    /// The number of segments that `poll_transmit` may still hand out within the window.
    pub budget: u32,
    /// Where the stream starts: behind a SYN, if there is one.
    origin: u32,
    /// The application's data end here.
    pub end: u64,
    /// Segments handed out.
    segments: u64,
    pub idle: IdleWatch,
    /// When the timed segment was handed out.
    timed_at: Time,
    /// End of the data sent when the last recovery or timeout began.
    pub recover: u64,
    pub control: Engine,
    /// Probes sent since the receiver closed its window.
    pub probes: u32,
    /// Segments that limited transmit has sent beyond the window since the first of these duplicate ACKs.
    beyond: u8,
    /// Payload bytes sent again.
    resent_bytes: u64,
    /// Counts, except for those that [`Core::stats`] derives from other fields.
    pub stats: SenderStats,
    pub outstanding: Outstanding,
    marks: Marks,
    /// The initial window in segments, if the SYN is not lost.
    pub initial_window: f64,
    pub early: EarlyTimer,
    /// The tick on which the timer rings, once it was due.
    tick: Time,
    /// Window and threshold before the last cut, if that may be taken back.
    before_cut: Option<(f64, f64)>,
    /// The first byte outstanding at the last timeout.
    timed_out: u64,
    usage: Usage,
    pub bundle: Bundle,
    pub paced: Option<Box<Paced>>,
    // An ACK that gives a round trip or is a duplicate touches what follows, and the beginning of the recovery behind the core.
    rtt: RttEstimator,
    pub settings: Arc<Settings>,
}

impl Core {
    /// Offsets of fields that an ACK needs, about one in each cache line.
    pub const OF_ACKS: [usize; 4] = [
        offset_of!(Core, una),
        offset_of!(Core, dupacks),
        offset_of!(Core, segments),
        offset_of!(Core, settings),
    ];

    pub fn new(settings: Arc<Settings>) -> Core {
        let mut control = Engine::new(&settings);
        let mut window = Window::new(&settings);
        control.on_open(&mut window);
        let initial_window = window.cwnd;
        if !matches!(settings.handshake, Handshake::None | Handshake::Overlapped) {
            window.cwnd = 1.0;
        }
        let has_syn = !matches!(settings.handshake, Handshake::None | Handshake::FirstSegment);
        let origin = if has_syn { window.segment_bytes } else { 0 };
        let rtt = RttEstimator::new(&settings);
        let outstanding = Outstanding::new(&settings);
        Core {
            una: 0,
            nxt: 0,
            max_sent: 0,
            whole_to: 0,
            timers: Timers::OFF,
            timed: UNTIMED,
            rto: rtt.timeout(&settings),
            window,
            marked: Marked::new(&settings, outstanding.are_wanted()),
            last_cut: LastCut::None,
            pending: Pending::Nothing,
            dupacks: 0,
            advertised: settings.opening_window(),
            inflation: 0,
            budget: 0,
            origin,
            end: u64::from(origin),
            segments: 0,
            idle: IdleWatch::new(&settings),
            timed_at: Time::ZERO,
            recover: 0,
            control,
            probes: 0,
            resent_bytes: 0,
            stats: SenderStats::default(),
            outstanding,
            marks: Marks::default(),
            initial_window,
            early: EarlyTimer::OFF,
            tick: Time::NEVER,
            before_cut: None,
            timed_out: 0,
            usage: Usage::default(),
            bundle: Bundle::default(),
            paced: Paced::new(&settings),
            beyond: 0,
            rtt,
            settings,
        }
    }

    /// Takes over the settings that [can change](Settings::changeable), from the next input on. A timer that runs keeps its deadline.
    pub fn adopt(&mut self, settings: Arc<Settings>) {
        let before = std::mem::replace(&mut self.window.maximum, maximum(&settings));
        self.control.adopt(&settings.control, &mut self.window);
        // An initial window may be above the maximum until the first ACK; a change of something else leaves it.
        if !self.window.is_held() && self.window.maximum < before {
            self.window.bound();
        }
        self.settings = settings;
        self.update_rtt(|_, _| {});
    }

    /// Payload bytes of a full segment.
    #[inline]
    pub fn segment(&self) -> u64 {
        self.window.segment()
    }

    /// Where the stream starts.
    #[inline]
    pub fn origin(&self) -> u64 {
        u64::from(self.origin)
    }

    /// The receiver's window in bytes, counted from `una`.
    #[inline]
    pub fn receive_window(&self) -> u64 {
        u64::from(self.advertised) * self.segment()
    }

    /// The counts so far.
    pub fn stats(&self) -> SenderStats {
        let sent_bytes = self.max_sent.saturating_sub(self.origin()) + self.resent_bytes;
        SenderStats { segments: self.segments, sent_bytes, bytes_acked: self.una, ..self.stats }
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt(&self.settings)
    }

    /// The retransmission timeout, backoff included.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.rto
    }

    /// Whether the congestion window is at least this number of bytes. To compare takes fewer instructions than to convert to an integer.
    #[inline(always)]
    pub fn window_holds(&self, bytes: u64) -> bool {
        float(bytes) <= self.window.cwnd * float(self.segment())
    }

    /// Bytes that the congestion window holds.
    pub fn window_bytes(&self) -> u64 {
        (self.window.cwnd * self.segment() as f64) as u64
    }

    /// Bytes that may be outstanding.
    #[inline(always)]
    pub fn usable(&self) -> u64 {
        if self.marked.is(Marked::IN_SEGMENTS) {
            self.usable_segments() * self.segment()
        } else {
            self.usable_bytes()
        }
    }

    /// Segments that may be outstanding, where the window counts them ([`Marked::IN_SEGMENTS`]).
    #[inline(always)]
    fn usable_segments(&self) -> u64 {
        // Through 32 bits, because processors have no instruction from a float to unsigned 64.
        let window = u64::from(self.window.cwnd as u32) + u64::from(self.inflation);
        window.min(u64::from(self.advertised))
    }

    /// [`Core::usable`] where the window counts bytes.
    #[inline(always)]
    fn usable_bytes(&self) -> u64 {
        // Through a signed number for the same reason.
        let window = ((self.window.cwnd * self.segment() as f64) as i64).cast_unsigned();
        (window + u64::from(self.inflation) * self.segment()).min(self.receive_window())
    }

    /// Whether the congestion window has no room for another segment in order, whatever the receiver's.
    pub fn is_full(&self) -> bool {
        let window = self.window.cwnd + f64::from(self.inflation);
        self.nxt - self.una + self.segment() > (window * self.segment() as f64) as u64
    }

    /// Whether the segment at `seq` fits a window of `bytes` from `una`.
    #[inline]
    pub fn fits(&self, seq: u64, bytes: u64) -> bool {
        if self.marked.is(Marked::IN_SEGMENTS) {
            // The window's last segment may be one that the data in front of it pushed off the grid.
            seq < self.una + bytes
        } else {
            seq + self.len_at(seq) <= self.una + bytes
        }
    }

    /// Bytes of the segment at `seq`. A retransmission never takes in data that was not sent before.
    #[inline]
    pub fn len_at(&self, seq: u64) -> u64 {
        if seq < self.origin() {
            return self.segment();
        }
        let end = if seq < self.max_sent { self.max_sent } else { self.end };
        self.segment().min(end.saturating_sub(seq))
    }

    /// Whether a segment in order is there that the window has room for.
    #[inline]
    pub fn has_next_in_window(&self) -> bool {
        self.nxt < self.end && self.fits(self.nxt, self.usable())
    }

    /// Whether data that were never sent are there, and the receiver's window has room for them.
    #[inline]
    pub fn has_new(&self) -> bool {
        self.nxt < self.end && self.fits(self.nxt, self.receive_window())
    }

    /// The next segment in order, if there is one and the window has room: go-back-N and new data alike.
    #[inline]
    pub fn next_in_window(&mut self) -> Option<u64> {
        self.has_next_in_window().then(|| self.advance())
    }

    /// Moves on by the next segment in order. Returns where that segment starts.
    #[inline]
    pub fn advance(&mut self) -> u64 {
        let seq = self.nxt;
        self.nxt += self.len_at(seq);
        seq
    }

    /// Bytes outstanding, by the cumulative ACK alone.
    #[inline]
    pub fn flight(&self) -> u64 {
        self.max_sent - self.una
    }

    /// The number of segments that `bytes` take, the last of which may be short.
    #[inline]
    pub fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.segment())
    }

    /// Whether an ACK acknowledges new data and reports nothing else, while nothing out of the ordinary goes on (header prediction).
    #[inline(always)]
    pub fn expects(&self, offset: u64, ack: &Ack) -> bool {
        offset > self.una
            && self.marked.is_only(Marked::RESTS, Marked::RESTS | Marked::IRREGULAR)
            && self.is_plain(ack)
    }

    /// Prepares a sample of the delivery rate for an ACK that [was expected](Core::expects), before the ACK is processed.
    #[inline]
    pub fn before_expected_sample(&mut self, arrival: &Arrival<'_>) {
        if let Some(deliveries) = &mut self.outstanding.deliveries {
            deliveries.before_ack(arrival.ack);
            let stamped = self.marked.is(Marked::TIMESTAMPS);
            deliveries.note_stamp(stamped.then(|| by_ticks(arrival.now, arrival.echo)));
        }
    }

    /// Prepares a sample of the delivery rate for any ACK, before the ACK is processed.
    #[inline]
    pub fn before_sample(&mut self, arrival: &Arrival<'_>) {
        if !self.marked.is(Marked::PACED) || self.outstanding.deliveries.is_none() {
            return;
        }
        let repeats = || arrival.ack == self.una && self.una < self.max_sent && self.is_plain(arrival.raw);
        let stands = !self.settings.recovery.uses_sack() && repeats();
        let max_sent = self.max_sent;
        let blocks = arrival.blocks(self.origin()).map(|(start, end)| (start, end.min(max_sent)));
        self.outstanding.before_ack(arrival.now, arrival.ack, blocks, stands);
        let stamped = self.settings.timestamps && arrival.ack > self.una;
        if let Some(deliveries) = &mut self.outstanding.deliveries {
            deliveries.note_stamp(stamped.then(|| by_ticks(arrival.now, arrival.echo)));
        }
        let completes = self.una < self.origin() && arrival.ack >= self.origin() && self.timed == 0;
        if let Some(deliveries) = self.outstanding.deliveries.as_mut().filter(|_| completes) {
            deliveries.complete_handshake(arrival.now.since(self.timed_at));
        }
    }

    /// Whether an ACK reports nothing but its offset.
    #[inline(always)]
    pub fn is_plain(&self, ack: &Ack) -> bool {
        ack.window == self.advertised && ack.sack.is_empty() && !ack.ece
    }

    /// Processes what every cumulative ACK of new data changes: sequence numbers, RTT, timer. [`Core::observe`] does the rest, where the
    /// connection [needs it](Core::is_observed). The next segment must not be one that the ACK acknowledges: see [`Core::skip_acknowledged`].
    #[inline(always)]
    fn take(&mut self, arrival: &Arrival<'_>, may_grow: bool) -> Accepted {
        let acked = arrival.ack - self.una;
        let limited = !self.marked.is(Marked::GROWS_WHEN_LIMITED) || self.was_limited(self.flight());
        self.dupacks = 0;
        self.window.after_timeout = false;
        if self.last_cut == LastCut::Timeout {
            self.window.after_timeout = self.una < self.recover && !self.settings.counts_data_once();
        }
        self.una = arrival.ack;
        debug_assert!(self.nxt >= self.una);
        self.measure(arrival);
        self.rearm(arrival.now);
        Accepted { acked, rtt: None, may_grow: may_grow && limited }
    }

    /// Goes on behind what an ACK acknowledges, if everything was to be sent again. Not needed for an ACK that [was expected](Core::expects): there
    /// all that is to be sent is new.
    #[inline(always)]
    fn skip_acknowledged(&mut self, arrival: &Arrival<'_>) {
        self.nxt = self.nxt.max(arrival.ack);
    }

    /// Whether single segments are followed, or the use of the window validated.
    #[inline]
    fn is_observed(&self) -> bool {
        self.marked.is(Marked::OBSERVED | Marked::VALIDATES)
    }

    #[inline(always)]
    fn observe(&mut self, arrival: &Arrival<'_>, acked: u64, may_grow: bool) -> (Accepted, Observed) {
        let now = arrival.now;
        let validated = !self.marked.is(Marked::VALIDATES) || self.validates(now, acked);
        let last = self.outstanding.acknowledge(now, self.una - acked, self.una);
        let observed = Observed { acked, last };
        let rtt = observed.rtt(now).or_else(|| self.stamped(arrival));
        let marked = self.marked.is(Marked::ECN) && self.hear_of_marks(arrival.raw.ece, acked);
        (Accepted { acked, rtt, may_grow: may_grow && validated && !marked }, observed)
    }

    /// The round trip by the timestamp of an ACK, which in Linux counts for a control where data were sent again (`tcp_ack_update_rtt`).
    #[cold]
    pub fn stamped(&self, arrival: &Arrival<'_>) -> Option<Span> {
        let counts = self.settings.rto_estimator == Estimator::Linux && self.marked.is(Marked::TIMESTAMPS);
        counts.then(|| by_ticks(arrival.now, arrival.echo))
    }

    /// RFC 7661: whether the window is used so far that an ACK of `acked` bytes may open it.
    #[inline(never)]
    fn validates(&mut self, now: Time, acked: u64) -> bool {
        self.idle.on_ack(now, acked, self.rtt.srtt(&self.settings));
        self.idle.validated(&self.window) || self.was_limited(self.flight() + acked)
    }

    /// Processes a cumulative ACK of new data, without telling the control.
    #[inline(always)]
    pub fn accept_untold(&mut self, arrival: &Arrival<'_>, may_grow: bool) -> Accepted {
        self.skip_acknowledged(arrival);
        let accepted = self.take(arrival, may_grow);
        if self.is_observed() {
            return self.observe(arrival, accepted.acked, accepted.may_grow).0;
        }
        accepted
    }

    /// [`Core::accept_untold`], and then tells the control.
    #[inline(always)]
    pub fn accept_and_tell(&mut self, arrival: &Arrival<'_>, may_grow: bool) {
        self.skip_acknowledged(arrival);
        if self.follows_segments() {
            self.accept_with_segments(arrival, may_grow);
        } else {
            self.accept_without_segments(arrival, may_grow);
        }
    }

    /// Whether single segments, or their marks, are followed ([`Marked::OBSERVED`]).
    #[inline(always)]
    pub fn follows_segments(&self) -> bool {
        self.marked.is(Marked::OBSERVED)
    }

    /// [`Core::accept_and_tell`] for a connection that [follows segments](Core::follows_segments).
    #[inline(never)]
    pub fn accept_with_segments(&mut self, arrival: &Arrival<'_>, may_grow: bool) -> Observed {
        self.accept_with_segments_here(arrival, may_grow)
    }

    /// [`Core::accept_with_segments`], compiled into its caller.
    #[inline(always)]
    pub fn accept_with_segments_here(&mut self, arrival: &Arrival<'_>, may_grow: bool) -> Observed {
        let Accepted { acked, may_grow, .. } = self.take(arrival, may_grow);
        let (accepted, observed) = self.observe(arrival, acked, may_grow);
        self.tell(arrival.now, accepted);
        observed
    }

    /// [`Core::accept_and_tell`] for a connection that does not [follow segments](Core::follows_segments).
    #[inline(always)]
    pub fn accept_without_segments(&mut self, arrival: &Arrival<'_>, may_grow: bool) {
        let mut accepted = self.take(arrival, may_grow);
        if self.marked.is(Marked::VALIDATES) {
            accepted.may_grow &= self.validates(arrival.now, accepted.acked);
        }
        self.tell(arrival.now, accepted);
    }

    /// After an ACK that [was expected](Core::expects): whether ACKs that follow at the same instant may take the shorter way of
    /// [`Core::accept_like_last`].
    pub fn may_take_others(&self, now: Time) -> bool {
        const MORE: u16 = Marked::IRREGULAR
            | Marked::TIMESTAMPS
            | Marked::GROWS_WHEN_LIMITED
            | Marked::OBSERVED
            | Marked::REMEMBERS_USE
            | Marked::BUNDLES
            | Marked::PUSHES;
        self.marked.is_only(Marked::RESTS, Marked::RESTS | MORE)
            && self.dupacks == 0
            && !self.window.after_timeout
            && (self.last_cut != LastCut::Timeout || self.una >= self.recover)
            && self.advertised > 0
            && self.budget == u32::MAX
            && self.whole_to == self.window_end()
            && self.timers.due(Timer::Retransmission) == now + self.rto
    }

    /// Whether this ACK may take that way: data remain outstanding after it, and it does not acknowledge the segment that is being timed.
    #[inline(always)]
    pub fn is_like_last(&self, offset: u64, ack: &Ack) -> bool {
        self.expects(offset, ack) && offset < self.max_sent && offset <= self.timed
    }

    /// Processes an ACK that [is like the last](Core::is_like_last): it acknowledges data, and opens the window.
    #[inline(always)]
    pub fn accept_like_last(&mut self, now: Time, offset: u64) {
        let (acked, cwnd) = (offset - self.una, self.window.cwnd);
        self.una = offset;
        let may_grow = !self.marked.is(Marked::VALIDATES) || self.validates_next(acked);
        self.tell(now, Accepted { acked, rtt: None, may_grow });
        self.settle_next(acked, cwnd);
    }

    /// [`Core::validates`] for an ACK at the instant of the one before, with the same round trip.
    #[inline]
    fn validates_next(&mut self, acked: u64) -> bool {
        self.idle.validated_by_next(acked, &self.window) || self.was_limited(self.flight() + acked)
    }

    /// [`Core::accept_and_tell`] for an ACK that may be a connection's first.
    #[inline(always)]
    pub fn accept_maybe_first(&mut self, arrival: &Arrival<'_>, may_grow: bool) {
        self.before_first_ack();
        self.accept_and_tell(arrival, may_grow);
        self.after_first_ack(arrival);
    }

    /// [`Core::accept_maybe_first`] where the control hears what `tells` makes of the ACK, such as that fewer bytes arrived than it covers.
    #[inline(always)]
    pub fn accept_fresh(
        &mut self,
        arrival: &Arrival<'_>,
        may_grow: bool,
        tells: impl FnOnce(Accepted) -> Accepted,
    ) {
        self.before_first_ack();
        let accepted = self.accept_untold(arrival, may_grow);
        self.tell(arrival.now, tells(accepted));
        self.after_first_ack(arrival);
    }

    /// Whether an ACK of new data may open the window. The ACK that ends fast recovery covers all data that arrived meanwhile: counted
    /// in bytes, it would undo the cut (RFC 5681, section 3.2, step 6, only deflates).
    #[inline]
    pub fn may_grow(&self, ends_recovery: bool) -> bool {
        !ends_recovery || self.settings.growth == Growth::PerAck
    }

    /// Processes a partial ACK within a recovery. It gives no RTT sample, as the segment may have been sent twice; but in Linux its timestamp
    /// does, in ticks of the timestamp clock (`tcp_ack_update_rtt`). `rtt`: the round trip that the control hears of.
    pub fn accept_partial(&mut self, arrival: &Arrival<'_>, rtt: Option<Span>) {
        let acked = arrival.ack - self.una;
        self.una = arrival.ack;
        self.nxt = self.nxt.max(self.una);
        if arrival.ack > self.timed {
            self.timed = UNTIMED;
            self.update_rtt(|rtt, _| rtt.end_backoff());
        }
        if self.settings.rto_estimator == Estimator::Linux && self.marked.is(Marked::TIMESTAMPS) {
            let sent = Time(arrival.now.0 - by_ticks(arrival.now, arrival.echo).0.min(arrival.now.0));
            self.take_sample(arrival.now, sent, true);
        }
        if self.marked.is(Marked::MEASURES) {
            self.outstanding.acknowledge(arrival.now, self.una - acked, self.una);
        }
        if self.marked.is(Marked::ECN) {
            self.tell_partly_marked(acked);
        }
        self.tell(arrival.now, Accepted { acked, rtt, may_grow: false });
    }

    /// Tells the control of an ACK of new data.
    #[inline(always)]
    pub fn tell(&mut self, now: Time, accepted: Accepted) {
        let Core { control, window, marked, rtt, settings, una, nxt, .. } = self;
        let (segment_bytes, marked, una, nxt) = (window.segment_bytes, *marked, *una, *nxt);
        control.on_ack(window, Heard { now, una, nxt, accepted, segment_bytes, marked, rtt, settings });
    }

    /// Tells the control of a duplicate ACK. `sacked` is the round trip of data that it SACKs, if that counts.
    #[inline(always)]
    pub fn tell_duplicate(&mut self, now: Time, sacked: Option<Span>) {
        let Core { control, window, marked, rtt, settings, una, nxt, .. } = self;
        let (segment_bytes, marked, una, nxt) = (window.segment_bytes, *marked, *una, *nxt);
        let accepted = Accepted { acked: 0, rtt: sacked, may_grow: false };
        let heard = Heard { now, una, nxt, accepted, segment_bytes, marked, rtt, settings };
        control.on_duplicate_ack(window, heard);
    }

    /// Whether the window, and not the application, held the sender back: with `flight` bytes outstanding when the ACK came, or in the latest
    /// flight ([`Settings::grow_to_twice_used`]).
    #[inline(never)]
    pub fn was_limited(&self, flight: u64) -> bool {
        if self.settings.grow_to_twice_used {
            return self.has_used_window();
        }
        flight + self.segment() > self.usable()
    }

    #[inline(always)]
    pub fn measure(&mut self, arrival: &Arrival<'_>) {
        if arrival.ack > self.timed {
            self.timed = UNTIMED;
            self.take_sample(arrival.now, self.timed_at, false);
        }
        if self.marked.is(Marked::TIMESTAMPS) {
            self.take_sample(arrival.now, arrival.echo, true);
        }
    }

    /// Takes a round-trip sample of a segment that was sent once, at `sent`, and is known to have arrived.
    pub fn take_round_trip(&mut self, now: Time, sent: Time) {
        self.take_sample(now, sent, self.settings.timestamps);
    }

    /// Takes the answer to a segment sent at `sent`, which ends the backoff and gives a round-trip sample. With timestamps, only they give
    /// samples.
    #[inline(never)]
    fn take_sample(&mut self, now: Time, sent: Time, by_timestamp: bool) {
        if self.marked.is(Marked::BUNDLES) {
            self.bundle.on_round_trip(now.since(sent));
        }
        let flight = (self.una, self.max_sent);
        self.update_rtt(|rtt, settings| {
            rtt.end_backoff();
            if by_timestamp == settings.timestamps {
                rtt.sample(settings, now, sent, by_timestamp, flight);
            }
        });
    }

    /// Changes the round-trip estimator, and with it the timeout.
    pub fn update_rtt(&mut self, change: impl FnOnce(&mut RttEstimator, &Settings)) {
        change(&mut self.rtt, &self.settings);
        self.rto = self.rtt.timeout(&self.settings);
    }

    /// Karn's rule (RFC 6298, section 3): a segment that may be sent twice gives no sample.
    pub fn stop_timing(&mut self) {
        self.timed = UNTIMED;
    }

    /// Restarts the retransmission timer after an ACK of new data, or turns it off when everything is acknowledged (RFC 6298, (5.2) and
    /// (5.3)), unless it has to run while idle or while the window lets nothing out.
    #[inline(always)]
    pub fn rearm(&mut self, now: Time) {
        if self.una < self.max_sent || self.runs_with_nothing_outstanding() {
            self.arm(now);
        } else {
            self.timers.set(Timer::Retransmission, Time::NEVER);
        }
    }

    #[cold]
    fn runs_with_nothing_outstanding(&self) -> bool {
        self.runs_idle() || self.window.cwnd < 1.0 || self.is_shut_out()
    }

    /// Whether the retransmission timer runs while nothing is outstanding.
    fn runs_idle(&self) -> bool {
        matches!(self.settings.restart, Restart::IdleTimeout | Restart::IdleTimeoutIsLoss)
    }

    #[inline]
    pub fn arm(&mut self, now: Time) {
        self.timers.set(Timer::Retransmission, now + self.interval());
    }

    #[inline(always)]
    fn interval(&self) -> Span {
        if self.advertised > 0 { self.timeout() } else { self.probe_interval() }
    }

    /// Sets the initial window before the window opens on the second ACK, where the first segment stands for the SYN
    /// ([`Handshake::FirstSegment`]).
    #[inline]
    pub fn before_first_ack(&mut self) {
        if self.una == self.segment() && self.settings.handshake == Handshake::FirstSegment {
            self.window.cwnd = self.initial_window;
        }
    }

    /// Sets the initial window after the SYN's ACK, which does not count as growth.
    #[inline]
    pub fn after_first_ack(&mut self, arrival: &Arrival<'_>) {
        let waits = || matches!(self.settings.handshake, Handshake::OneWay | Handshake::ThreeWay);
        if self.una == self.segment() && waits() {
            // The first SYN may have been answered after the timer rang.
            let spurious = self.settings.timestamps && Some(arrival.echo) == self.outstanding.started();
            let lost = self.stats.timeouts > self.settings.lost_syn.spared() && !spurious;
            let shrinks = lost && !self.window.is_held();
            self.window.cwnd = if shrinks { self.initial_window.min(1.0) } else { self.initial_window };
            if self.stats.timeouts > 0 {
                // A SYN was lost, and its answer may have given no round trip.
                self.update_rtt(RttEstimator::fall_back);
            }
        }
    }

    /// The application has written. If it was idle before, the window may shrink.
    pub fn on_write(&mut self, now: Time) {
        if self.una == self.max_sent && self.max_sent > 0 && !self.window.is_held() {
            let (ticks, timeout) = (self.rtt.ticks(&self.settings), self.timeout());
            self.idle.on_resume(&self.settings, now, ticks, timeout, &mut self.window);
            if self.window.in_slow_start() {
                self.measure_slow_start(true);
            }
        }
        if self.is_shut_out() && !self.timers.is_running(Timer::Retransmission) {
            self.arm(now);
        }
        self.budget = u32::MAX;
    }
}

#[cfg(test)]
mod tests;
