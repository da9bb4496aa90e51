//! The sending end: a congestion window, a loss recovery and a retransmission timer around a byte stream.

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD, LastCut, Marked, Pending, UNBOUNDED};
use crate::info::{Info, Phase};
use crate::paced::Paced;
use crate::recovery::Recovery;
use crate::segment::{Ack, Flags, Segment};
use crate::settings::Settings;
use crate::small_queue::SmallQueue;
use crate::timers::Timer;
use crate::window::initial_ssthresh;
use airfair_core::{Span, Stream, Time, counters};
use std::sync::Arc;

counters! {
    /// A sender's counts.
    pub struct SenderStats {
        /// Segments or datagrams sent, the SYN and retransmissions included.
        segments: u64 = "segment",
        /// Segments sent again.
        retransmissions: u64 = "segment",
        /// Retransmission timeouts with data outstanding, and without where the profile counts those.
        timeouts: u64 = "timeout",
        /// Fast retransmits: recoveries that duplicate ACKs or SACK blocks started.
        fast_retransmits: u64 = "retransmit",
        /// Reductions of the congestion window by a loss or a mark.
        window_cuts: u64 = "cut",
        /// Payload bytes sent, retransmissions included.
        sent_bytes: u64 = "byte",
        /// Bytes acknowledged; a SYN counts as a segment.
        bytes_acked: u64,
        /// Segments that probed whether a closed receive window has opened.
        probes: u64,
    }
}

/// The sending end of a connection, as a state machine.
#[derive(Debug)]
#[repr(C)]
pub struct Sender {
    core: Core,
    recovery: Recovery,
    jitter: Option<Box<Jitter>>,
    small_queue: Option<Box<SmallQueue>>,
}

/// Random delays before the window's segments go out.
#[derive(Debug)]
struct Jitter {
    draws: Stream,
    /// An ACK, data or a timeout has come and may begin a delay; polling alone does not.
    news: bool,
    /// The delay is over: the segments that the window now allows go out.
    released: bool,
}

impl Sender {
    /// Where fields begin that an ACK needs, about one in each cache line.
    pub const OF_ACKS: [usize; 4] = Core::OF_ACKS;

    /// A connection that has not sent anything. It draws no random numbers.
    pub fn new(settings: &Settings) -> Sender {
        Sender::sharing(Arc::new(settings.clone()))
    }

    /// Like [`Sender::new`], with settings that are shared with other connections.
    pub fn sharing(settings: Arc<Settings>) -> Sender {
        let recovery = Recovery::new(&settings);
        Sender { core: Core::new(settings), recovery, jitter: None, small_queue: None }
    }

    /// Returns the sender with a host's clock that showed `phase` at the start; zero unless set. With a tick-counting
    /// estimator ([`Estimator::Ticks`](crate::settings::Estimator::Ticks)) this decides whether a round trip
    /// counts one tick more or less. ns-2 draws it uniformly from `0..granularity`. With Linux's it decides when timers ring.
    pub fn with_clock_phase(mut self, phase: Span) -> Sender {
        self.core.update_rtt(|rtt, _| rtt.set_phase(phase));
        self
    }

    /// Returns the sender with the delays of [`Settings::send_jitter`] drawn from `draws`. Without that setting nothing waits.
    pub fn with_jitter(mut self, draws: Stream) -> Sender {
        let jitters = self.core.settings.send_jitter > Span::ZERO;
        self.jitter = jitters.then(|| Box::new(Jitter { draws, news: false, released: false }));
        self.note_waits();
        self
    }

    /// Returns the sender with its control's random choices drawn from `draws`. A control without random choices ignores them.
    pub fn with_choices(mut self, draws: impl FnOnce() -> Stream) -> Sender {
        if let Some(paced) = &mut self.core.paced {
            paced.draw_from(draws);
        }
        self
    }

    /// Enables [`Settings::small_queue`]: the sender may hold segments back until others have left its host, of which the caller tells it by
    /// [`Sender::on_departure`]. Bursts hold the data of [`Settings::small_queue_time`] then. To be called before anything is sent.
    pub fn keep_small_queue(&mut self) {
        self.small_queue = SmallQueue::new(&self.core.settings);
        if self.small_queue.is_some() {
            self.core.bundle.offloaded = self.core.settings.small_queue_time.as_secs();
        }
        self.note_waits();
    }

    /// Notes whether segments may have to wait.
    fn note_waits(&mut self) {
        self.core.marked.set(Marked::WAITS, self.jitter.is_some() || self.small_queue.is_some());
    }

    /// Hands the random numbers on to `next`, the sender of the connection that follows this one.
    pub fn followed_by(&mut self, mut next: Sender) -> Sender {
        next.jitter =
            self.jitter.take().map(|jitter| Box::new(Jitter { news: false, released: false, ..*jitter }));
        if let (Some(paced), Some(before)) = (&mut next.core.paced, self.core.paced.take()) {
            paced.follow(*before);
        }
        if self.small_queue.is_some() {
            next.keep_small_queue();
        }
        next.note_waits();
        next
    }

    /// Takes over the settings that [can change](Settings::changeable), from the next ACK, timer or write on.
    pub fn adopt(&mut self, settings: Arc<Settings>) {
        self.core.adopt(settings);
    }

    /// The application appends `bytes` to the stream.
    pub fn write(&mut self, now: Time, bytes: u64) {
        self.write_to(now, self.core.end.saturating_add(bytes).min(UNBOUNDED));
    }

    /// The application has data without end.
    pub fn write_unbounded(&mut self, now: Time) {
        self.write_to(now, UNBOUNDED);
    }

    fn write_to(&mut self, now: Time, end: u64) {
        if self.core.marked.is(Marked::PACED) {
            self.core.before_write(now);
        }
        self.core.end = end;
        self.core.on_write(now);
        self.note_news();
        self.settle(now);
    }

    /// The application writes no more: the rest of an unbounded stream, not handed out yet, is not sent. A
    /// bounded stream is still sent to its end.
    pub fn stop(&mut self, now: Time) {
        if self.core.end == UNBOUNDED {
            self.core.end = self.core.max_sent.max(self.core.origin());
            self.core.stop_probing();
            self.settle(now);
        }
    }

    /// An acknowledgement arrives. Returns whether it acknowledges payload that was not acknowledged before.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) -> bool {
        let core = &mut self.core;
        let offset = if ack.syn { ack.ack + core.origin() } else { 0 };
        if offset > core.max_sent {
            // It acknowledges data that were never sent (RFC 9293, section 3.10.7.4).
            return false;
        }
        self.note_usage();
        let core = &mut self.core;
        if !core.expects(offset, ack) {
            return self.on_other_ack(now, offset, ack);
        }
        if core.follows_segments() {
            self.take_with_segments(now, offset, ack);
        } else {
            core.accept_without_segments(&Arrival { now, ack: offset, echo: ack.echo, raw: ack }, true);
            core.settle_in_order();
            core.bundle(now);
        }
        // No ACK is expected before a SYN is acknowledged.
        true
    }

    /// Notes how much of the window is in use, before an input that says something about the network.
    #[inline(always)]
    fn note_usage(&mut self) {
        if self.core.marked.is(Marked::REMEMBERS_USE) {
            self.core.note_usage(self.recovery.is_full(&self.core));
        }
    }

    /// After [`Sender::on_ack`]: whether ACKs that follow at the same instant may be passed to [`Sender::on_next_ack`].
    pub fn may_take_others(&self, now: Time) -> bool {
        self.core.may_take_others(now)
    }

    /// Takes an ACK of new data at the instant of the one before, which allowed it ([`Sender::may_take_others`]). Returns `false`, with nothing
    /// done, if the ACK has to go to [`Sender::on_ack`].
    #[inline(always)]
    pub fn on_next_ack(&mut self, now: Time, ack: &Ack) -> bool {
        let core = &mut self.core;
        let offset = ack.ack + core.origin();
        let is_like_last = ack.syn && core.is_like_last(offset, ack);
        if is_like_last {
            core.accept_like_last(now, offset);
        }
        is_like_last
    }

    /// Takes an ACK that was expected, on a connection that follows its segments.
    #[inline(never)]
    fn take_with_segments(&mut self, now: Time, offset: u64, ack: &Ack) {
        let arrival = &Arrival { now, ack: offset, echo: ack.echo, raw: ack };
        let core = &mut self.core;
        core.before_expected_sample(arrival);
        let observed = core.accept_with_segments_here(arrival, true);
        let rests = self.recovery.on_expected(core, arrival, observed);
        if core.marked.is(Marked::PACED) {
            self.tell_delivery(arrival.now, arrival.ack, false);
        }
        if rests {
            self.core.settle_in_order();
            self.core.bundle(arrival.now);
            self.core.pace(arrival.now);
        } else {
            self.settle(arrival.now);
        }
    }

    /// See [`Core::tell_delivery`].
    #[inline]
    fn tell_delivery(&mut self, now: Time, ack: u64, echoes: bool) {
        self.core.tell_delivery(now, ack, echoes, self.recovery.newly_lost());
    }

    /// Takes an ACK that was not expected; most of these are duplicates. Returns what [`Sender::on_ack`] does.
    #[inline(never)]
    fn on_other_ack(&mut self, now: Time, offset: u64, ack: &Ack) -> bool {
        if self.holds_back() {
            return self.on_unusual_ack(now, offset, ack);
        }
        let core = &mut self.core;
        let is_duplicate = offset == core.una && core.is_plain(ack);
        let counts = core.settings.counts_deliveries;
        if !is_duplicate || counts || !self.recovery.on_duplicate(core, now) {
            return self.on_unusual_ack(now, offset, ack);
        }
        if core.dupacks == DUPLICATE_THRESHOLD {
            self.settle(now);
        } else {
            // The recovery is in the state that it was in.
            core.settle();
            core.bundle(now);
        }
        false
    }

    #[inline(never)]
    fn on_unusual_ack(&mut self, now: Time, offset: u64, ack: &Ack) -> bool {
        let core = &mut self.core;
        let acked = core.una.max(core.origin());
        let arrival = Arrival { now, ack: offset, echo: ack.echo, raw: ack };
        core.before_sample(&arrival);
        let delivered = if core.settings.ecn { self.recovery.delivers(core, &arrival) } else { 0 };
        let echoes = core.read_echo(offset, ack, delivered);
        self.recovery.before_ack(core);
        core.end_reduction_by(offset);
        let una = core.una;
        // A SYN that has not arrived goes out whatever the window.
        let updates = ack.syn && core.take_window(now, offset, ack.window);
        if updates && offset == core.una && !core.settings.recovery.uses_sack() {
            // RFC 5681, section 2: no duplicate ACK, as it advertises another window than the one before.
            core.budget = u32::MAX;
        } else {
            self.recovery.on_ack(core, &arrival);
        }
        if echoes && core.on_echo(now, offset) {
            self.recovery.on_answer();
        }
        if core.is_reducing() {
            core.reduce(delivered, self.recovery.in_network(core), core.una > una);
        }
        if core.marked.is(Marked::PACED) {
            self.tell_delivery(now, offset, echoes);
        }
        self.note_news();
        self.settle(now);
        self.core.una > acked
    }

    /// After an input: determines which segments may go out without asking the recovery, and whether the next ACK may bypass it.
    fn settle(&mut self, now: Time) {
        let asks = self.asks();
        let core = &mut self.core;
        let (rests, in_order) = self.recovery.rests(core);
        // The first ACKs may set the window.
        let opened = core.una > core.segment();
        let plain = rests && opened && !asks && !core.counts_marks() && !core.is_reducing();
        core.marked.set(Marked::RESTS, plain);
        // Limited transmit's segment goes out alone, without asking either.
        let alone = core.pending == Pending::New && core.budget == 0;
        if asks || !(in_order || alone) {
            core.settle_irregular();
            core.end_bundle();
            let held = core.marked.is(Marked::PACED) && self.waits_for_rate(now);
            return self.core.marked.set(Marked::HELD, held);
        }
        core.settle();
        core.bundle(now);
        if core.marked.is(Marked::PACED) {
            core.pace(now);
            let held = core.marked.is(Marked::IRREGULAR) && self.waits_for_rate(now);
            self.core.marked.set(Marked::HELD, held);
        }
    }

    /// To be called when the [deadline](Sender::next_deadline) is due; does nothing before.
    #[inline]
    pub fn on_timer(&mut self, now: Time) {
        if self.core.timers.expire(Timer::Release, now) {
            self.release(now);
        }
        if now >= self.core.timers.due(Timer::Retransmission) {
            self.on_retransmission_timer(now);
        }
    }

    /// Lets segments go out that had to wait.
    #[inline]
    fn release(&mut self, now: Time) {
        self.core.budget = u32::MAX;
        self.core.marked.set(Marked::HELD, false);
        if let Some(jitter) = &mut self.jitter {
            jitter.released = true;
        }
        if !self.core.marked.is(Marked::IRREGULAR) {
            self.core.pace_in_order(now);
        }
    }

    #[inline(never)]
    fn on_retransmission_timer(&mut self, now: Time) {
        if self.core.awaits_tick(now) {
            return;
        }
        self.note_usage();
        if self.core.is_shut_out() {
            self.core.on_persist(now);
        } else if self.recovery.on_early_timer(&mut self.core, now) {
            self.note_news();
        } else {
            let lost = self.core.on_timeout(now);
            self.recovery.on_timeout(&mut self.core, now, lost);
            if lost && self.core.marked.is(Marked::PACED) {
                self.core.outstanding.lose(self.recovery.lost_by_timeout());
                self.core.set_rate();
            }
            self.note_news();
        }
        self.settle(now);
    }

    /// To be called when a segment of this connection has left its host, sent or dropped.
    pub fn on_departure(&mut self, now: Time, segment: &Segment) {
        let Some(queue) = &mut self.small_queue else { return };
        if queue.on_departure(now, self.core.settings.segment_wire_bytes(segment)) {
            self.release_after(now);
        }
    }

    /// Releases waiting segments when this instant is over, so that the order of events within it changes nothing.
    fn release_after(&mut self, now: Time) {
        if !self.core.timers.is_running(Timer::Release) {
            self.core.timers.set(Timer::Release, now + Span(1));
        }
    }

    /// Returns the next segment to hand to the network; to be called after every input until it returns `None`.
    // Compiled in place, all of it: a segment is made where it waits, and does not lie in memory before.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.has_whole() {
            return Some(self.whole(now));
        }
        if self.may_have_more() { self.poll_irregular(now) } else { None }
    }

    /// Whether the next segment is a whole new one that nothing holds back.
    #[inline(always)]
    pub fn has_whole(&self) -> bool {
        self.core.has_whole()
    }

    /// Hands out the segment of which [`Sender::has_whole`] tells.
    #[inline(always)]
    pub fn whole(&mut self, now: Time) -> Segment {
        self.core.emit_whole(now)
    }

    /// Whether there may be other segments to hand out, once [`Sender::has_whole`] is false.
    #[inline(always)]
    pub fn may_have_more(&self) -> bool {
        let core = &self.core;
        core.marked.is_only(Marked::IRREGULAR, Marked::IRREGULAR | Marked::HELD)
            && (core.budget > 0 || core.pending != Pending::Nothing)
    }

    /// Hands out a segment that is not whole, new and in order, or that had to wait, if there is any.
    #[inline(always)]
    fn poll_irregular(&mut self, now: Time) -> Option<Segment> {
        let seq = self.poll_seq(now)?;
        let mut segment = self.core.emit(now, seq);
        if segment.retransmission
            && self.core.marked.is(Marked::PACED)
            && let Some(paced) = &mut self.core.paced
            && self.recovery.first_lost() != Some(seq + u64::from(segment.len))
        {
            // What is sent again makes one burst with what is lost behind it, and not with new data.
            paced.pacer.end_offloaded();
        }
        if self.core.marked.is(Marked::WAITS)
            && let Some(queue) = &mut self.small_queue
        {
            queue.on_send(now, self.core.settings.segment_wire_bytes(&segment));
        }
        let goes_on = self.core.pending == Pending::Nothing && self.core.budget > 0;
        if goes_on && self.core.marked.is(Marked::PACED) && self.jitter.is_none() {
            // The next segment is mostly too early: finding out now saves a call.
            self.is_early(now);
        }
        let core = &self.core;
        if core.marked.is_only(Marked::BUNDLES | Marked::PUSHES, Marked::BUNDLES | Marked::PUSHES)
            && !segment.retransmission
        {
            let ends = core.marked.is(Marked::HELD) || !goes_on || !self.recovery.wants_to_send(core);
            let push = self.core.pushes(now, ends) || segment.flags.push();
            segment.flags = Flags::new(segment.flags.cwr(), push);
        }
        Some(segment)
    }

    /// The offset of the next segment to hand out.
    fn poll_seq(&mut self, now: Time) -> Option<u64> {
        let core = &mut self.core;
        match std::mem::replace(&mut core.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::First => {
                let seq = core.una;
                // Vegas' checks may ask for one that was never sent.
                let allowed = seq < core.max_sent || core.fits(seq, core.receive_window());
                if allowed && core.len_at(seq) > 0 {
                    return Some(seq);
                }
            }
            Pending::New => return Some(core.advance()),
        }
        if core.budget == 0 {
            return None;
        }
        let may_wait = self.core.marked.is(Marked::WAITS);
        if may_wait && self.jitter.is_some() && self.waits(now) {
            return None;
        }
        if self.core.marked.is(Marked::PACED) && self.is_early(now) {
            return None;
        }
        if may_wait && self.small_queue.is_some() && self.lacks_room(now) {
            return None;
        }
        if self.core.marked.is(Marked::BUNDLES) && self.waits_for_burst(now) {
            return None;
        }
        let Some(seq) = self.recovery.next(&mut self.core, now) else {
            if may_wait && let Some(jitter) = &mut self.jitter {
                (jitter.news, jitter.released) = (false, false);
            }
            return None;
        };
        self.core.budget -= 1;
        Some(seq)
    }

    /// Whether it is too early for another segment by the pacing rate. If one is waiting, sets the timer that releases it.
    fn is_early(&mut self, now: Time) -> bool {
        let Some(paced) = &mut self.core.paced else { return false };
        let (early, next) = (!paced.pacer.allows(now), paced.pacer.next());
        self.core.marked.set(Marked::HELD, early);
        if early && !self.core.timers.is_running(Timer::Release) && self.recovery.wants_to_send(&self.core) {
            self.core.timers.set(Timer::Release, next);
        }
        early
    }

    /// Whether the next segment waits for the pacing rate, and the timer that will release it runs.
    fn waits_for_rate(&self, now: Time) -> bool {
        let Core { pending, timers, paced, .. } = &self.core;
        *pending == Pending::Nothing
            && timers.is_running(Timer::Release)
            && self.jitter.is_none()
            && paced.as_ref().is_some_and(|paced| paced.pacer.forbids(now))
    }

    /// Whether a segment has to wait until others have left the host; with one outstanding at most, none does.
    fn lacks_room(&mut self, now: Time) -> bool {
        let Some(queue) = &mut self.small_queue else { return false };
        if self.core.flight() <= self.core.segment() || !self.recovery.wants_to_send(&self.core) {
            return false;
        }
        let rate = self.core.rate();
        let burst = self.core.longest_burst(rate) * u64::from(self.core.settings.whole_segment_wire_bytes());
        let room = queue.room(now, rate, burst);
        if room == Err(true) {
            self.release_after(now);
        }
        room.is_err()
    }

    /// Whether the next segment waits for others to go out with it.
    fn waits_for_burst(&mut self, now: Time) -> bool {
        let last = self.core.idle.last_sent();
        let last = self.core.paced.as_ref().map_or(last, |paced| last.max(paced.pacer.next()));
        let out_of_order = self.recovery.out_of_order(&self.core);
        out_of_order.is_some_and(|bytes| self.core.waits_for_burst(now, last, bytes))
    }

    /// Whether anything but the window may hold segments back.
    fn holds_back(&self) -> bool {
        self.core.marked.is(Marked::PACED | Marked::WAITS)
    }

    /// Whether something beside the recovery has to be asked for each segment. A pacing rate may say beforehand how far segments go out.
    fn asks(&self) -> bool {
        let ordinary = |paced: &Paced| paced.pacer.forgets() && self.core.budget == u32::MAX;
        self.core.marked.is(Marked::WAITS)
            || self.core.marked.is(Marked::PACED) && !self.core.paced.as_deref().is_none_or(ordinary)
    }

    /// Whether segments that the window allows have to wait for a random delay. Begins that delay if none is under way.
    fn waits(&mut self, now: Time) -> bool {
        let Some(jitter) = &mut self.jitter else { return false };
        if jitter.released {
            return false;
        }
        let news = std::mem::take(&mut jitter.news);
        if news && !self.core.timers.is_running(Timer::Release) && self.recovery.wants_to_send(&self.core) {
            let longest = self.core.settings.send_jitter;
            // ns-2 draws a real number; a whole nanosecond above zero is as good, and later than now.
            self.core.timers.set(Timer::Release, now + Span(1 + jitter.draws.below(longest.0)));
        }
        true
    }

    fn note_news(&mut self) {
        if self.core.marked.is(Marked::WAITS)
            && let Some(jitter) = &mut self.jitter
        {
            jitter.news = true;
        }
    }

    /// When `on_timer` is due; [`Time::NEVER`] if nothing is outstanding and nothing waits. An ACK may move it.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.core.timers.next()
    }

    /// Disables the short paths of RACK and of the pacing rate, so that tests can compare both ways.
    #[cfg(test)]
    pub fn keep_restless(&mut self) {
        if let Some(paced) = &mut self.core.paced {
            paced.pacer.restless = true;
        }
        if let Recovery::Rack(rack) = &mut self.recovery {
            rack.restless = true;
        }
    }

    /// Resets window and threshold to those of a new connection, and keeps everything else: RTT, timeout and the control's measurements.
    pub fn renew(&mut self, now: Time) {
        let core = &mut self.core;
        core.window.cwnd = core.initial_window;
        core.window.ssthresh = initial_ssthresh(&core.settings);
        core.idle.on_send(now);
        self.settle(now);
    }

    /// Payload bytes of the stream handed out at least once.
    #[inline]
    pub fn sent_to(&self) -> u64 {
        self.core.max_sent.saturating_sub(self.core.origin())
    }

    /// Payload bytes of the stream acknowledged.
    #[inline]
    pub fn acked_to(&self) -> u64 {
        self.core.una.saturating_sub(self.core.origin())
    }

    /// Everything written is acknowledged.
    pub fn is_idle(&self) -> bool {
        self.core.una >= self.core.end || self.core.end == self.core.origin()
    }

    /// The congestion window in segments, without fast recovery's inflation.
    pub fn cwnd(&self) -> f64 {
        self.core.window.cwnd
    }

    /// The slow-start threshold in segments.
    pub fn ssthresh(&self) -> f64 {
        self.core.window.ssthresh
    }

    /// The smoothed round-trip time, once there is one.
    pub fn srtt(&self) -> Option<Span> {
        self.core.srtt()
    }

    /// The retransmission timeout, backoff included.
    pub fn rto(&self) -> Span {
        self.core.timeout()
    }

    /// The counts so far.
    #[inline]
    pub fn stats(&self) -> SenderStats {
        self.core.stats()
    }

    /// The sender's view of the data outstanding.
    pub fn info(&self) -> Info {
        let core = &self.core;
        let view = self.recovery.view(core);
        let phase = if view.recovering {
            Phase::Recovery
        } else if core.last_cut == LastCut::Timeout && core.una < core.recover {
            Phase::Loss
        } else if core.has_answered() {
            Phase::Reduced
        } else if view.sacked > 0 || core.dupacks > 0 {
            Phase::Disorder
        } else {
            Phase::Open
        };
        Info {
            phase,
            cwnd: view.cwnd.unwrap_or(core.window.cwnd),
            unacked: core.segments(core.flight()),
            sacked: view.sacked,
            lost: view.lost,
            resent: view.resent,
            min_rtt: view.min_rtt,
            reordering: view.reordering,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::SackBlocks;
    use crate::settings::Handshake;

    fn sender() -> Sender {
        Sender::new(&Settings {
            segment_bytes: 1000,
            handshake: Handshake::None,
            ..settings(Profile::Rfc, TcpName::named("reno"))
        })
    }

    fn ack(ack: u64) -> Ack {
        Ack { ack, window: 44, sack: SackBlocks::NONE, echo: Time::ZERO, syn: true, ece: false, ace: 0 }
    }

    #[test]
    fn a_sender_is_idle_until_the_application_writes_and_after_the_last_ack() {
        let mut sender = sender();
        assert!(sender.is_idle());
        sender.write(Time::ZERO, 1500);
        while sender.poll_transmit(Time::ZERO).is_some() {}
        assert!(!sender.is_idle());
        sender.on_ack(Time(1), &ack(1000));
        assert!(!sender.is_idle());
        sender.on_ack(Time(2), &ack(1500));
        assert!(sender.is_idle());
        assert_eq!((sender.sent_to(), sender.acked_to()), (1500, 1500));
    }

    /// ACKs that come at one instant: a sender that takes them as ones like the first is the same as one that takes each alone.
    #[test]
    fn acks_like_the_last_do_as_any() {
        let thresholds = [None, Some(4.0)];
        for (name, initial_ssthresh) in
            ["newreno", "sack", "cubic", "vegas"].into_iter().flat_map(|name| thresholds.map(|it| (name, it)))
        {
            let settings = Settings {
                segment_bytes: 1000,
                handshake: Handshake::None,
                initial_ssthresh,
                ..settings(Profile::Rfc, TcpName::named(name))
            };
            let [mut one, mut row] = [Sender::new(&settings), Sender::new(&settings)];
            let drain = |sender: &mut Sender, now| {
                std::iter::from_fn(|| sender.poll_transmit(now)).collect::<Vec<_>>()
            };
            for sender in [&mut one, &mut row] {
                sender.write(Time::ZERO, if initial_ssthresh.is_some() { 600_000 } else { 60_000 });
                drain(sender, Time::ZERO);
            }
            // One is a duplicate, one acknowledges two segments, two acknowledge a part.
            let mut steps = [1000, 0, 2000, 500, 500, 1000, 1000].into_iter().cycle();
            let (mut acked, mut alike) = (0, 0);
            for round in 1..=8 {
                let now = Time(1_000_000 * round);
                let mut others = false;
                let until = if round == 4 { one.sent_to() - 1000 } else { one.sent_to() };
                while acked < until {
                    acked = (acked + steps.next().expect("endless")).min(until);
                    let ack = ack(acked);
                    one.on_ack(now, &ack);
                    let is_alike = others && row.on_next_ack(now, &ack);
                    if !is_alike {
                        row.on_ack(now, &ack);
                        others = row.may_take_others(now);
                    }
                    alike += u32::from(is_alike);
                    assert_eq!(drain(&mut one, now), drain(&mut row, now), "{name}: {acked}");
                    assert_eq!(format!("{one:?}"), format!("{row:?}"), "{name}: {acked}");
                }
            }
            // The others follow every segment.
            assert_eq!(alike > 0, ["newreno", "sack"].contains(&name), "{name}: {alike}");
        }
    }

    #[test]
    fn a_timeout_halves_the_threshold_and_closes_the_window() {
        let mut sender = sender();
        assert_eq!((sender.cwnd(), sender.ssthresh()), (3.0, 44.0));
        sender.write_unbounded(Time::ZERO);
        while sender.poll_transmit(Time::ZERO).is_some() {}
        let due = sender.next_deadline();
        sender.on_timer(Time(due.0 - 1));
        assert_eq!((sender.cwnd(), sender.stats().timeouts), (3.0, 0));
        sender.on_timer(due);
        // Equation 4 of RFC 5681: at least two segments.
        assert_eq!((sender.cwnd(), sender.ssthresh(), sender.stats().timeouts), (1.0, 2.0, 1));
    }
}
