//! The state of every sender, whatever its recovery: sequence numbers, window, timer, counts.
//!
//! Sequence offsets in here count from the connection's start, and a SYN takes a whole segment of them (as in
//! ns-2, where it is segment zero), so that it is sent, timed, acknowledged and retransmitted like any other
//! segment. [`Core::origin`] is where the stream starts.

mod ecn;
mod flow_control;
mod losses;

use crate::congestion::{AckEvent, CongestionControl, Engine};
use crate::restart::IdleWatch;
use crate::rtt::RttEstimator;
use crate::segment::{Ack, Segment};
use crate::send_times::SendTimes;
use crate::sender::SenderStats;
use crate::settings::{Growth, Handshake, Restart, Settings, WindowUnit};
use crate::window::Window;
use airfair_core::{Span, Time};
use ecn::Marks;
use std::sync::Arc;

/// Duplicate ACKs that mean a loss (RFC 5681, section 3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// Beyond everything that an unbounded source will ever send, with room for sums.
pub(crate) const UNBOUNDED: u64 = u64::MAX / 2;

/// Why the window was last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastCut {
    None,
    FastRetransmit,
    /// The fast recovery that it started is over.
    Recovered,
    Timeout,
}

/// Segments that go out before those that the window allows.
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
    /// The ACK itself, for its SACK blocks.
    pub raw: &'a Ack,
}

impl Arrival<'_> {
    /// The SACK blocks, counted from the connection's start.
    pub fn blocks(&self, origin: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.raw.sack.iter(self.raw.ack).map(move |(start, end)| (start + origin, end + origin))
    }
}

/// The fields that every segment and every ACK touches come first and stays together: with many flows it is the number of cache lines
/// that counts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Core {
    /// Everything before it is acknowledged.
    pub una: u64,
    /// The next segment in order; falls back to `una` when everything is to be sent again.
    pub nxt: u64,
    /// Everything before it was handed out at least once.
    pub max_sent: u64,
    /// The application's data end here.
    pub end: u64,
    /// End of the data sent when the last recovery or timeout began.
    pub recover: u64,
    /// The receiver's window in bytes, counted from `una`.
    pub receive_window: u64,
    /// Segments that duplicate ACKs have added to the window during fast recovery.
    pub inflation: u64,
    deadline: Time,
    /// The segment that is being timed, and since when: one at a time (RFC 6298, section 3).
    timed: Option<(u64, Time)>,
    pub dupacks: u32,
    /// How many segments `poll_transmit` may still hand out within the window.
    pub budget: u32,
    /// Probes sent since the receiver closed it.
    pub probes: u32,
    pub pending: Pending,
    pub last_cut: LastCut,
    timer_runs_idle: bool,
    in_segments: bool,
    /// Payload bytes of a full segment.
    pub segment: u64,
    pub origin: u64,
    pub settings: Arc<Settings>,
    pub window: Window,
    pub idle: IdleWatch,
    pub rtt: RttEstimator,
    pub stats: SenderStats,
    pub control: Engine,
    pub send_times: SendTimes,
    marks: Marks,
    /// Of a new connection; a lost SYN makes it less.
    pub initial_window: f64,
}

impl Core {
    pub fn new(settings: Arc<Settings>) -> Core {
        let segment = u64::from(settings.segment_bytes.max(1));
        let has_syn = !matches!(settings.handshake, Handshake::None | Handshake::FirstSegment);
        let origin = if has_syn { segment } else { 0 };
        let control = Engine::new(&settings);
        let mut window = Window::new(&settings);
        let mut initial_window = settings.initial_window;
        if let Some(cwnd) = control.fixed_window() {
            window.fix(cwnd);
            initial_window = window.cwnd;
        }
        if !matches!(settings.handshake, Handshake::None | Handshake::Overlapped) {
            window.cwnd = 1.0;
        }
        Core {
            una: 0,
            nxt: 0,
            max_sent: 0,
            end: origin,
            segment,
            receive_window: u64::from(settings.receive_window) * segment,
            probes: 0,
            window,
            inflation: 0,
            dupacks: 0,
            budget: 0,
            pending: Pending::Nothing,
            last_cut: LastCut::None,
            recover: 0,
            timed: None,
            marks: Marks::default(),
            deadline: Time::NEVER,
            timer_runs_idle: matches!(settings.restart, Restart::IdleTimeout | Restart::IdleTimeoutIsLoss),
            in_segments: settings.window_unit == WindowUnit::Segment,
            origin,
            rtt: RttEstimator::new(&settings),
            send_times: SendTimes::new(&settings),
            idle: IdleWatch::new(&settings),
            control,
            stats: SenderStats::default(),
            initial_window,
            settings,
        }
    }

    /// Reads from each cache line that an ACK will need: about one field in 64 bytes.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        let window = self.window.cwnd.to_bits() ^ u64::from(self.dupacks);
        self.una ^ window ^ u64::from(self.rtt.backoff()) ^ self.stats.bytes_acked
    }

    /// The smoothed round-trip time, once there is one.
    #[inline]
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt(&self.settings)
    }

    /// The retransmission timeout, backoff included.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.rtt.timeout(&self.settings)
    }

    /// Bytes that may be outstanding.
    #[inline]
    pub fn usable(&self) -> u64 {
        let window = if self.in_segments {
            // Through 32 bits, because processors have no instruction from a float to unsigned 64.
            (u64::from(self.window.cwnd as u32) + self.inflation) * self.segment
        } else {
            (self.window.cwnd * self.segment as f64) as u64 + self.inflation * self.segment
        };
        window.min(self.receive_window)
    }

    /// Whether the segment at `seq` fits a window of `bytes` from `una`.
    #[inline]
    pub fn fits(&self, seq: u64, bytes: u64) -> bool {
        if self.in_segments {
            // The window's last segment may be one that the data in front of it pushed off the grid.
            seq < self.una + bytes
        } else {
            seq + self.len_at(seq) <= self.una + bytes
        }
    }

    /// Bytes of the segment at `seq`. A retransmission never takes in data that was not sent before.
    #[inline]
    pub fn len_at(&self, seq: u64) -> u64 {
        if seq < self.origin {
            return self.segment;
        }
        let end = if seq < self.max_sent { self.max_sent } else { self.end };
        self.segment.min(end.saturating_sub(seq))
    }

    /// Whether a segment in order is there that the window has room for.
    #[inline]
    pub fn has_next_in_window(&self) -> bool {
        self.nxt < self.end && self.fits(self.nxt, self.usable())
    }

    /// The next segment in order, if there is one and the window has room: go-back-N and new data alike.
    #[inline]
    pub fn next_in_window(&mut self) -> Option<u64> {
        self.has_next_in_window().then(|| self.advance())
    }

    /// Steps over the next segment in order and returns it.
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

    /// Whole or part segments between two offsets.
    #[inline]
    pub fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.segment)
    }

    /// Takes a cumulative ACK of new data: sequence numbers, RTT, timer. Returns the congestion
    /// control's event.
    #[inline]
    pub fn accept(&mut self, arrival: &Arrival<'_>, may_grow: bool) -> AckEvent {
        let acked = arrival.ack - self.una;
        let limited = !self.settings.grow_only_when_limited || self.was_limited();
        self.dupacks = 0;
        self.window.after_timeout = self.last_cut == LastCut::Timeout && self.una < self.recover;
        self.una = arrival.ack;
        self.nxt = self.nxt.max(self.una);
        self.stats.bytes_acked += acked;
        self.measure(arrival);
        self.rearm(arrival.now);
        let srtt = self.srtt();
        self.idle.on_ack(arrival.now, acked, srtt);
        let rtt = self.sample_segment(arrival.now, acked);
        let marked = self.settings.ecn && arrival.raw.ece;
        let may_grow = may_grow && limited && !marked && self.idle.validated(&self.window, self.segment);
        self.event(arrival.now, acked, rtt, may_grow)
    }

    /// The exact round trip of the segment that an ACK of `acked` bytes completes, if it was sent once.
    #[inline]
    fn sample_segment(&mut self, now: Time, acked: u64) -> Option<Span> {
        let last = self.send_times.acknowledge(self.una - acked, self.una)?;
        (last.transmissions == 1).then(|| now.since(last.at.unwrap_or(now)))
    }

    /// `accept`, and the control told.
    #[inline]
    pub fn accept_and_tell(&mut self, arrival: &Arrival<'_>, may_grow: bool) {
        let event = self.accept(arrival, may_grow);
        self.control.on_ack(&mut self.window, &event);
    }

    /// Whether a new ACK opens the window. The one that ends fast recovery covers all data that arrived meanwhile: counted
    /// in bytes, that would undo the cut (RFC 5681, section 3.2, step 6, only deflates).
    #[inline]
    pub fn may_grow(&self, ends_recovery: bool) -> bool {
        !ends_recovery || self.settings.growth == Growth::PerAck
    }

    /// A partial ACK within NewReno's recovery: no RTT sample, as the segment may have been sent twice.
    pub fn accept_partial(&mut self, arrival: &Arrival<'_>) {
        let acked = arrival.ack - self.una;
        self.una = arrival.ack;
        self.nxt = self.nxt.max(self.una);
        self.stats.bytes_acked += acked;
        if self.timed.take_if(|timed| arrival.ack > timed.0).is_some() {
            self.rtt.end_backoff();
        }
        self.send_times.acknowledge(self.una - acked, self.una);
        let event = self.event(arrival.now, acked, None, false);
        self.control.on_ack(&mut self.window, &event);
    }

    pub fn tell_duplicate(&mut self, now: Time) {
        let event = self.event(now, 0, None, false);
        self.control.on_duplicate_ack(&event);
    }

    #[inline]
    fn event(&self, now: Time, acked: u64, rtt: Option<Span>, may_grow: bool) -> AckEvent {
        AckEvent {
            now,
            una: self.una,
            nxt: self.nxt,
            acked,
            segment_bytes: self.segment as u32,
            rtt,
            srtt: self.srtt(),
            may_grow,
        }
    }

    /// Whether the window, not the application, held the sender back when this ACK came.
    fn was_limited(&self) -> bool {
        self.flight() + self.segment > self.usable()
    }

    #[inline]
    pub fn measure(&mut self, arrival: &Arrival<'_>) {
        if self.settings.timestamps {
            self.rtt.end_backoff();
            self.rtt.sample(&self.settings, arrival.now, arrival.echo, true);
        }
        if let Some((_, since)) = self.timed.take_if(|timed| arrival.ack > timed.0) {
            self.rtt.end_backoff();
            if !self.settings.timestamps {
                self.rtt.sample(&self.settings, arrival.now, since, false);
            }
        }
    }

    /// RFC 6298 (5.2) and (5.3): off when everything is acknowledged, unless it has to run while idle or a
    /// window lets nothing out.
    #[inline]
    pub fn rearm(&mut self, now: Time) {
        let outstanding = self.una < self.max_sent;
        if outstanding || self.timer_runs_idle || self.window.cwnd < 1.0 || self.is_shut_out() {
            self.arm(now);
        } else {
            self.deadline = Time::NEVER;
        }
    }

    #[inline]
    pub fn arm(&mut self, now: Time) {
        self.deadline = now + if self.probes == 0 { self.timeout() } else { self.probe_interval() };
    }

    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Before the window opens on an ACK: the first segment's own quirk.
    #[inline]
    pub fn before_first_ack(&mut self) {
        if self.settings.handshake == Handshake::FirstSegment && self.una == self.segment {
            self.window.cwnd = self.initial_window;
        }
    }

    /// After the window opened on an ACK: the SYN's ACK sets the initial window, and does not count as
    /// growth.
    #[inline]
    pub fn after_first_ack(&mut self) {
        let handshake = self.settings.handshake;
        if self.una == self.segment && matches!(handshake, Handshake::OneWay | Handshake::ThreeWay) {
            self.window.cwnd = self.initial_window;
        }
    }

    /// The application has written: an idle period may have cost the window.
    pub fn on_write(&mut self, now: Time) {
        if self.una == self.max_sent && self.max_sent > 0 && !self.window.is_fixed() {
            let timeout = self.timeout();
            self.idle.on_resume(now, timeout, &mut self.window);
        }
        if self.is_shut_out() && self.deadline == Time::NEVER {
            self.arm(now);
        }
        self.budget = u32::MAX;
    }

    /// Hands out the segment at `seq`.
    #[inline(always)]
    pub fn emit(&mut self, now: Time, seq: u64) -> Segment {
        let len = self.len_at(seq);
        let syn = seq < self.origin;
        let retransmission = seq < self.max_sent;
        let nothing_outstanding = self.una == self.max_sent;
        self.stats.segments += 1;
        self.idle.on_send(now);
        if retransmission {
            self.stats.retransmissions += 1;
        } else {
            self.max_sent = seq + len;
            if self.timed.is_none() {
                self.timed = Some((seq, now));
            }
        }
        // A timer that runs while idle as a matter of course is left alone.
        let restart = nothing_outstanding && self.settings.restart != Restart::IdleTimeoutIsLoss;
        if self.deadline == Time::NEVER || restart {
            self.arm(now);
        }
        self.send_times.record(seq, now);
        let payload = if syn { 0 } else { len as u32 };
        self.stats.sent_bytes += u64::from(payload);
        self.control.on_send(now, payload);
        let (ecn, cwr) = self.stamp(!syn && (!retransmission || self.settings.ecn_retransmissions));
        let seq = seq.saturating_sub(self.origin);
        Segment { seq, len: payload, syn, retransmission, ecn, cwr, sent_at: now }
    }
}

#[cfg(test)]
mod tests;
