//! RACK-TLP (RFC 8985): a segment is lost when one that was sent sufficiently later has arrived, by time and not by counting; and the
//! end of a flight that nobody answers is probed before the retransmission timer.
//!
//! Names are the RFC's (sections 6 and 7). Probes and the wait for segments that may only be late share the retransmission timer, which rings earlier for them.

use super::frto::{Frto, Shown};
use super::reordering::Reordering;
use super::undo::{Evidence, Undo};
use crate::core::{Accepted, Arrival, Core, DUPLICATE_THRESHOLD, Observed, Pending};
use crate::info::View;
use crate::prr::{Delivery, Prr};
use crate::scoreboard::{Scoreboard, State};
use crate::settings::{Estimator, Settings};
use crate::timers::Timer;
use airfair_core::{Span, Time};

/// When data that end at `end` were handed out. The order is that of sending (`RACK_sent_after`, section 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    at: Time,
    end: u64,
}

/// Data that an ACK shows to have arrived, and their state before it.
#[derive(Clone, Copy, Debug)]
struct Fresh {
    start: u64,
    end: u64,
    state: State,
    /// The place of its first segment.
    place: usize,
}

/// A tail loss probe on its way (`TLP.end_seq`, `TLP.is_retrans`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    end: u64,
    resent: bool,
}

/// RACK-TLP's state of a sender.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    board: Scoreboard,
    prr: Option<Prr>,
    in_recovery: bool,
    /// The retransmission that begins a recovery has yet to go out, whatever the window says.
    must_send: bool,
    /// The ACK at hand has shown the last cut to be needless.
    undone: bool,
    /// The segment sent last of those that arrived (`RACK.xmit_ts`, `RACK.end_seq`), and its round trip (`RACK.rtt`).
    latest: Option<Sent>,
    rtt: Span,
    /// Like `latest` and `rtt`, of the segments that were sent once.
    latest_once: (Option<Sent>, Span),
    /// `RACK.min_RTT`.
    least_rtt: Option<Span>,
    /// `RACK.fack`.
    forward: u64,
    reordering: Reordering,
    /// Something was found to be lost since the last call of [`Rack::newly_lost`].
    has_found: bool,
    /// When segments that may only be late count as lost.
    reorder_due: Time,
    probe: Option<Probe>,
    /// The segment that the probe retransmits, until it goes out.
    probe_seq: Option<u64>,
    /// The evidence by which cuts are taken back, and the cut that may be.
    evidence: Evidence,
    undo: Option<Undo>,
    frto: Frto,
    /// Segments that reports have said to have arrived twice.
    reported: u64,
    /// The data that the ACK at hand shows to have arrived.
    fresh: Vec<Fresh>,
    /// Makes [`Rack::rests`] false, so that tests can compare both ways.
    #[cfg(test)]
    pub restless: bool,
}

impl Rack {
    pub fn new(settings: &Settings) -> Rack {
        Rack {
            board: Scoreboard::default(),
            // A control with a rate of its own sets what is in the network itself, as in Linux.
            prr: (settings.prr && !settings.control.paces()).then(Prr::default),
            in_recovery: false,
            must_send: false,
            undone: false,
            latest: None,
            rtt: Span::ZERO,
            latest_once: (None, Span::ZERO),
            least_rtt: None,
            forward: 0,
            reordering: Reordering::new(),
            has_found: false,
            reorder_due: Time::NEVER,
            probe: None,
            probe_seq: None,
            evidence: Evidence::new(settings),
            undo: None,
            frto: Frto::new(settings.frto),
            reported: 0,
            fresh: Vec::new(),
            #[cfg(test)]
            restless: false,
        }
    }

    #[inline(never)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        core.budget = u32::MAX;
        if ack.ack > core.una && ack.raw.sack.is_empty() && core.una > core.segment() && self.rests(core) {
            let observed = core.accept_with_segments(ack, true);
            self.on_expected(core, ack, observed);
            return;
        }
        self.undone = false;
        let (una, before) = (core.una, self.delivered(core));
        self.probe_seq = self.probe_seq.filter(|seq| *seq >= ack.ack);
        self.note_arrivals(core, ack);
        let original = self.shows_original(core);
        let advances = ack.ack > una;
        let mends = self.is_mending(core);
        if advances {
            self.judge_cut(core, ack);
            self.on_new(core, ack);
        } else if core.una >= core.recover {
            // The loss was found behind the data for which a mark was answered.
            self.in_recovery = false;
        }
        let mut news = false;
        for fresh in self.fresh.iter().filter(|fresh| fresh.start >= core.una) {
            news |= self.board.sack(core.una, fresh.start, fresh.end);
        }
        if news && !advances {
            core.tell_duplicate(ack.now, self.round_trip(core, ack));
        }
        self.take_report(core, ack, mends);
        if self.frto.on_ack(core, Shown { advances, original, sacks: news }) {
            self.take_back(core);
        }
        self.judge_probe(core, ack, advances);
        let lost = self.find_losses(core, ack.now);
        // Data that were sent during a recovery that is over, and are lost, are not among its losses (RFC 6675, section 5), retransmitted or not.
        let remains = mends && !self.undone && !self.is_mending(core) && self.board.has_been_lost();
        if lost || remains {
            self.react(core, ack.now, before);
        }
        self.pace(core, self.delivered(core) - before, advances && !lost);
        self.set_timers(core, ack.now, advances);
    }

    /// Takes an ACK of new data that the core has processed while the recovery [rested](Rack::rests), and does what [`Rack::on_ack`] would do
    /// beyond that. Returns whether the recovery still rests.
    #[inline(never)]
    pub fn on_expected(&mut self, core: &mut Core, ack: &Arrival<'_>, observed: Observed) -> bool {
        debug_assert!(self.rests(core));
        core.forget_early();
        let start = core.una - observed.acked;
        if let Some((at, transmissions)) = observed.last.and_then(|last| Some((last.at?, last.transmissions)))
        {
            self.note_times(core, ack, (start, core.una), at, transmissions > 1);
        }
        self.reorder_due = Time::NEVER;
        // The first segment outstanding was mostly sent after all that has arrived: then nothing is lost.
        let first = core.outstanding.of(core.una).map(|first| Sent { at: first.at, end: first.end });
        if first.is_some() && first <= self.latest && self.find_losses(core, ack.now) {
            self.react(core, ack.now, start);
            self.pace(core, self.delivered(core) - start, false);
        }
        self.set_timers(core, ack.now, true);
        self.rests(core)
    }

    /// Whether an ACK of new data without SACK blocks matters to the recovery by the times of its segments alone.
    #[inline]
    pub fn rests(&self, core: &Core) -> bool {
        #[cfg(test)]
        if self.restless {
            return false;
        }
        let judges = self.frto.is_on() || self.undo.is_some_and(|undo| undo.awaits_timestamp());
        self.sends_in_order() && !self.is_mending(core) && self.probe.is_none() && !judges
    }

    /// Schedules the probe after an ACK that `advances`, and sets the timer.
    fn set_timers(&mut self, core: &mut Core, now: Time, advances: bool) {
        if advances {
            core.early.probe = now + core.probe_timeout(core.flight());
        }
        self.set_timer(core, now);
    }

    /// Whether segments go out in order as far as the window allows.
    pub fn sends_in_order(&self) -> bool {
        !self.in_recovery && self.board.is_empty() && self.probe_seq.is_none()
    }

    /// Bytes that have left the network; `None` if anything but new segments may go out, so that none may wait for others (Linux:
    /// `tcp_tso_should_defer`).
    pub fn out_of_order(&self, core: &Core) -> Option<u64> {
        let ordinary = !self.is_mending(core) && !self.board.has_lost() && self.probe_seq.is_none();
        ordinary.then(|| self.board.left_network())
    }

    /// See [`Recovery::delivers`](super::Recovery::delivers).
    pub fn delivers(&self, core: &Core, ack: &Arrival<'_>) -> u64 {
        self.board.news(core, ack)
    }

    /// Bytes known to have arrived.
    fn delivered(&self, core: &Core) -> u64 {
        core.una + self.board.sacked()
    }

    fn on_new(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let rtt = self.round_trip(core, ack);
        if self.in_recovery && ack.ack < core.recover {
            core.accept_partial(ack, rtt);
            core.arm(ack.now);
        } else {
            let grows = !self.in_recovery || core.settings.counts_deliveries;
            self.in_recovery = false;
            let fresh = if core.settings.counts_deliveries {
                self.fresh.iter().map(|fresh| fresh.end - fresh.start).sum()
            } else {
                ack.ack - core.una
            };
            let is_linux = core.settings.rto_estimator == Estimator::Linux;
            core.accept_fresh(ack, grows, |accepted| Accepted {
                acked: fresh,
                rtt: if is_linux { rtt } else { accepted.rtt },
                ..accepted
            });
        }
        self.board.acknowledge(core.una);
        if self.board.is_empty() {
            self.must_send = false;
        }
    }

    /// Judges by the timestamp of an ACK of new data whether the last cut was needless.
    fn judge_cut(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let Some(undo) = &mut self.undo else { return };
        if undo.by_timestamp(ack.echo) == Some(true) {
            if self.in_recovery && ack.ack < core.recover && core.una < self.forward {
                // A late segment has filled a hole (`tcp_try_undo_partial`).
                self.reordering.see((self.forward - core.una).div_ceil(core.segment()));
            }
            self.take_back(core);
        } else if undo.is_judged() {
            self.undo = None;
        }
    }

    /// Takes back a needless cut: what counts as lost may still arrive. What looked like the arrival of a retransmission was the arrival of its
    /// original; otherwise all that was sent before the retransmission would be late.
    fn take_back(&mut self, core: &mut Core) {
        let Some(undo) = self.undo.take() else { return };
        core.undo(undo.before);
        self.undone = true;
        self.in_recovery = false;
        self.must_send = false;
        self.frto.forgive();
        (self.latest, self.rtt) = self.latest_once;
        self.board.find_again();
    }

    /// Whether the ACK shows the arrival of data that were sent before the last timeout, and not after it.
    fn shows_original(&self, core: &Core) -> bool {
        let original = |fresh: &Fresh| self.frto.is_original(core, fresh.start, fresh.end);
        self.frto.is_on() && self.fresh.iter().any(original)
    }

    /// Takes what an ACK reports to have arrived twice. `mended`: a recovery was under way before the ACK.
    fn take_report(&mut self, core: &mut Core, ack: &Arrival<'_>, mended: bool) {
        let duplicate = self.credible_report(core, ack);
        // That a probe was needless shows no reordering. Linux takes any report for one of reordering only once it has seen some (`tcp_dsack_seen`).
        let shows = self.reordering.seen || core.settings.rto_estimator != Estimator::Linux;
        let reports =
            shows && duplicate.is_some_and(|(_, end)| self.probe.is_none_or(|probe| probe.end != end));
        let ends = mended && !self.is_mending(core);
        self.reordering.on_ack(core.una, core.max_sent, reports, ends);
        let Some(((start, end), undo)) = duplicate.zip(self.undo.as_mut()) else { return };
        // A segment that the network duplicated was not retransmitted. Of acknowledged data nothing is known any more.
        let resent =
            core.outstanding.of(start).is_none_or(|found| start < core.una || found.transmissions > 1);
        if resent && undo.by_report(core.segments(end - start), end) {
            self.take_back(core);
        }
    }

    /// What an ACK reports to have arrived twice. Once more has been reported than was sent again, the network doubles segments, and reports say
    /// nothing of retransmissions (Linux's `tcp_dsack_seen`).
    fn credible_report(&mut self, core: &Core, ack: &Arrival<'_>) -> Option<(u64, u64)> {
        let (start, end) = ack.duplicate(core.origin())?;
        self.reported += core.segments(end - start);
        (self.reported <= core.stats.retransmissions).then_some((start, end))
    }

    /// Section 6.2, steps 1 to 3, for all that the ACK shows to have arrived.
    fn note_arrivals(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        self.fresh.clear();
        if ack.ack > core.una {
            self.add_fresh(core, 0, core.una, ack.ack, false);
        }
        let from = core.una.max(ack.ack);
        for (start, end) in ack.blocks(core.origin()) {
            let (start, end) = (start.max(from), end.min(core.max_sent));
            let place = self.board.place_of(start);
            // Most repeat those of the ACKs before.
            if !self.board.has_sacked(place, start, end) {
                self.add_fresh(core, place, start, end, true);
            }
        }
        if self.fresh.len() > 1 {
            // From the front: the data that one ACK reports were not reordered.
            self.fresh.sort_unstable_by_key(|fresh| fresh.start);
        }
        if ack.ack <= core.una && core.settings.rto_estimator == Estimator::Linux {
            self.measure_sacked(core, ack.now);
        }
        for at in 0..self.fresh.len() {
            self.note_arrival(core, ack, self.fresh[at]);
        }
    }

    /// Takes the round trip of an ACK that acknowledges nothing new, as Linux does: that of the first data that it SACKs, if they were sent
    /// once (`tcp_ack_update_rtt`).
    fn measure_sacked(&self, core: &mut Core, now: Time) {
        let once = self.fresh.iter().find(|fresh| !matches!(fresh.state, State::Resent { .. }));
        let sent = once.and_then(|fresh| core.outstanding.starting_at(fresh.place, fresh.start));
        if let Some(sent) = sent.filter(|sent| sent.transmissions == 1) {
            core.take_round_trip(now, sent.at);
        }
    }

    /// The round trip that a control of Linux's takes of an ACK, before the core takes in what it acknowledges: that of the last data that it SACKs
    /// and that were sent once, or else acknowledges and that had not been SACKed; and by its timestamp where it acknowledges anything that was sent
    /// again (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`).
    fn round_trip(&self, core: &Core, ack: &Arrival<'_>) -> Option<Span> {
        if core.settings.rto_estimator != Estimator::Linux {
            return None;
        }
        let exact = |counts: fn(&Fresh, u64) -> bool| {
            let fresh = self.fresh.iter().rev().filter(|fresh| counts(fresh, ack.ack));
            let mut sent = fresh.filter_map(|fresh| core.outstanding.of(fresh.end - 1));
            sent.find(|last| last.transmissions == 1).map(|last| ack.now.since(last.at))
        };
        exact(|fresh, ack| fresh.start >= ack).or_else(|| {
            let again = core.outstanding.was_resent(core.una, ack.ack);
            let rtt = if again { None } else { exact(|fresh, ack| fresh.start < ack) };
            rtt.or_else(|| (ack.ack > core.una).then(|| core.stamped(ack)).flatten())
        })
    }

    /// Adds the parts of `start..end` that were not known to have arrived to the news of the ACK at hand. The first run that reaches beyond
    /// `start` is at `place`. A segment that a SACK block covers in part does not count (as in Linux).
    fn add_fresh(&mut self, core: &Core, place: usize, start: u64, end: u64, sacks: bool) {
        if start >= end {
            return;
        }
        let Rack { board, fresh, .. } = self;
        let mut add = |first: u64, last: u64, state| {
            let (place, whole_from) = core.outstanding.whole_from(first);
            let from = if sacks && first == start { whole_from } else { first };
            let to = if sacks && last == end { core.outstanding.whole_to(place, last) } else { last };
            if from < to {
                fresh.push(Fresh { start: from, end: to, state, place });
            }
        };
        let runs = board.runs();
        for run in runs[place..].iter().take_while(|run| run.start < end) {
            if run.state != State::Sacked {
                add(run.start.max(start), run.end.min(end), run.state);
            }
        }
        let known = runs.last().map_or(core.una, |run| run.end).max(start);
        if known < end {
            add(known, end, State::InFlight);
        }
    }

    // Not inlined: in its caller's loop it would make every ACK save registers that few need. Most ACKs bring one arrival.
    #[inline(never)]
    fn note_arrival(&mut self, core: &mut Core, ack: &Arrival<'_>, fresh: Fresh) {
        let last = core.outstanding.arrive(ack.now, fresh.place, fresh.start, fresh.end);
        let (at, again) = match fresh.state {
            State::Resent { at, .. } => (at, true),
            _ => match last {
                Some(found) => (found.at, found.transmissions > 1),
                None => return,
            },
        };
        self.note_times(core, ack, (fresh.start, fresh.end), at, again);
    }

    /// Takes the arrival of data that were last sent at `at`, and also before that if `again`.
    #[inline]
    fn note_times(&mut self, core: &Core, ack: &Arrival<'_>, data: (u64, u64), at: Time, again: bool) {
        let (start, end) = data;
        let rtt = ack.now.since(at);
        if again {
            // An earlier transmission may have arrived, as the timestamp shows. An ACK echoes the timestamp of the data before a gap, so it shows
            // nothing of data SACKed behind the gap.
            let before = core.settings.timestamps && end <= ack.ack && ack.echo < at;
            // Which transmission arrived is not known, so that it shows no reordering (step 3).
            if before || self.least_rtt.is_some_and(|least| rtt < least) {
                return;
            }
        } else {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
            if end < self.forward {
                self.reordering.see((self.forward - start).div_ceil(core.segment()));
            }
        }
        self.forward = self.forward.max(end);
        let sent = Sent { at, end };
        if Some(sent) > self.latest {
            (self.latest, self.rtt) = (Some(sent), rtt);
        }
        if !again && Some(sent) > self.latest_once.0 {
            self.latest_once = (Some(sent), rtt);
        }
    }

    /// Step 4: by how much a segment may be late.
    fn reordering_window(&self, core: &Core) -> Span {
        let enough = u64::from(DUPLICATE_THRESHOLD) * core.segment();
        let certain = self.is_mending(core) || self.board.sacked() >= enough;
        self.reordering.window(certain, self.least_rtt, core.srtt())
    }

    /// Whether fast recovery is under way, or retransmission after a timeout.
    fn is_mending(&self, core: &Core) -> bool {
        self.in_recovery || core.una < core.recover
    }

    /// Step 5: marks what is lost, and determines when segments that may only be late count as lost. Returns whether anything is newly lost.
    fn find_losses(&mut self, core: &Core, now: Time) -> bool {
        self.reorder_due = Time::NEVER;
        let Some(latest) = self.latest else { return false };
        let allowed = self.rtt + self.reordering_window(core);
        let mut due = Time::ZERO;
        // Whether the segment is overdue; `None` if it was sent after the latest segment that arrived.
        let mut judge = |sent: Sent| {
            if sent > latest {
                return None;
            }
            let over = sent.at + allowed <= now;
            if !over {
                due = due.max(sent.at + allowed);
            }
            Some(over)
        };
        let (mut found, mut in_order) =
            lose_those(&mut self.board, core, |_, sent| judge(sent) == Some(true));
        // Beyond the forward-most SACK.
        while in_order {
            let start = self.board.runs().last().map_or(core.una, |run| run.end);
            debug_assert!(latest.end <= start);
            if self.latest_once.0 == Some(latest) {
                // What lies behind data that were sent once was sent after them.
                break;
            }
            let outstanding = if start < core.max_sent { core.outstanding.of(start) } else { None };
            let Some(sent) = outstanding else { break };
            in_order = judge(Sent { at: sent.at, end: sent.end }) == Some(true);
            if in_order {
                self.board.extend(core.una, sent.end);
                self.board.lose(self.board.runs().len() - 1, sent.end);
                found = true;
            }
        }
        if found {
            self.board.merge();
            self.has_found = true;
        }
        if due > Time::ZERO {
            self.reorder_due = now + core.loss_timeout(due.since(now));
        }
        found
    }

    /// Begins a recovery after a loss, unless the loss belongs to a recovery that is under way or to a timeout. `delivered`: bytes that had arrived
    /// before. Returns whether the recovery goes on with the reduction for a mark.
    fn react(&mut self, core: &mut Core, now: Time, delivered: u64) -> bool {
        if self.is_mending(core) {
            return false;
        }
        self.in_recovery = true;
        self.end_probe();
        let is_linux = core.settings.rto_estimator == Estimator::Linux;
        let running = core.reduction();
        // Where the window is not used up, Linux comes down from the window all the same (`prior_cwnd`).
        let from = if is_linux { core.window_bytes() } else { core.max_sent - delivered };
        let reduction = core.cut(now, false);
        core.window.cwnd = reduction.cwnd;
        core.begin_recovery(now);
        self.undo = self.watched(core);
        // Only the first segment of a reduction goes out whatever the window says.
        self.must_send = running.as_ref().is_none_or(|running| running.out() == 0);
        let goes_on = running.is_some();
        if goes_on && is_linux {
            // `high_seq` stays where it was.
            core.recover = core.answered_to();
        }
        if let Some(prr) = &mut self.prr {
            *prr = running.unwrap_or_else(|| Prr::beginning(from));
        }
        goes_on
    }

    /// Sets what goes out in a recovery now that `bytes` have arrived (RFC 9937).
    fn pace(&mut self, core: &Core, bytes: u64, safe: bool) {
        if self.prr.is_none() || !self.in_recovery {
            return;
        }
        let inflight = self.pipe(core);
        if let Some(prr) = self.prr.as_mut().filter(|_| bytes > 0) {
            let target = (core.window.cwnd * core.segment() as f64) as u64;
            prr.on_delivery(Delivery { bytes, inflight, safe }, target, core.segment());
        }
    }

    /// Bytes in the network.
    pub fn pipe(&self, core: &Core) -> u64 {
        (core.max_sent - core.una).saturating_sub(self.board.left_network())
    }

    /// The data that are lost and were not retransmitted, if there are any.
    fn lost(&self) -> Option<impl Iterator<Item = (u64, u64)>> {
        let lost = self.board.runs().iter().filter(|run| run.state == State::Lost);
        self.board.has_lost().then(|| lost.map(|run| (run.start, run.end)))
    }

    /// What counts as lost after a timeout.
    pub fn lost_by_timeout(&self) -> impl Iterator<Item = (u64, u64)> {
        self.lost().into_iter().flatten()
    }

    /// [`Rack::lost`], if anything was added since the last call.
    pub fn newly_lost(&mut self) -> Option<impl Iterator<Item = (u64, u64)>> {
        if std::mem::take(&mut self.has_found) { self.lost() } else { None }
    }

    /// The offset of the first segment that is lost and was not retransmitted.
    pub fn first_lost(&self) -> Option<u64> {
        self.board.first_lost()
    }

    fn has_room(&self, core: &Core) -> bool {
        match &self.prr {
            Some(prr) if self.in_recovery => prr.has_room(core.segment()),
            _ => core.window_holds(self.pipe(core) + core.segment()),
        }
    }

    /// See [`Recovery::is_full`](super::Recovery::is_full).
    pub fn is_full(&self, core: &Core) -> bool {
        !self.has_room(core)
    }

    /// See [`Recovery::wants_to_send`](super::Recovery::wants_to_send).
    pub fn wants_to_send(&self, core: &Core) -> bool {
        if self.sends_in_order() {
            core.has_next_in_window()
        } else {
            self.probe_seq.is_some() || self.has_room(core)
        }
    }

    pub fn next(&mut self, core: &mut Core, now: Time) -> Option<u64> {
        if self.sends_in_order() {
            return core.next_in_window();
        }
        if let Some(seq) = self.probe_seq.take() {
            self.note_resend(now);
            return Some(seq);
        }
        if !std::mem::take(&mut self.must_send) && !self.has_room(core) {
            return None;
        }
        let waits = self.frto.is_probing() && (core.has_new() || !self.frto.finds_nothing_new(core));
        let seq = match self.board.lost_run().filter(|_| !waits) {
            Some(at) => {
                let lost = self.board.runs()[at].start;
                let end = core.outstanding.of(lost).map_or(core.max_sent, |found| found.end);
                self.board.resend(now, at, end.min(lost + core.len_at(lost)), core.max_sent);
                self.note_resend(now);
                self.frto.on_resend(lost + core.len_at(lost));
                if lost == core.una && core.settings.rto_estimator == Estimator::Linux {
                    self.restart_timer(core, now);
                }
                lost
            }
            None if core.has_new() => core.advance(),
            None => return None,
        };
        if let Some(prr) = self.prr.as_mut().filter(|_| self.in_recovery) {
            prr.on_send(core.len_at(seq));
        }
        Some(seq)
    }

    /// Restarts the timer when the first segment outstanding is retransmitted, as Linux does (`tcp_xmit_retransmit_queue`, `tcp_rto_delta_us`).
    fn restart_timer(&self, core: &mut Core, now: Time) {
        core.forget_early();
        core.arm(now);
        core.ring_early(now, self.reorder_due);
    }

    /// See [`Recovery::view`](super::Recovery::view).
    pub fn view(&self, core: &Core) -> View {
        let segment = core.segment();
        let prr = self.prr.as_ref().filter(|_| self.in_recovery);
        View {
            recovering: self.in_recovery,
            cwnd: prr.map(|prr| (self.pipe(core) + prr.allowance()) as f64 / segment as f64),
            min_rtt: self.least_rtt,
            reordering: self.reordering.degree(),
            ..View::of(self.board.runs(), segment)
        }
    }

    /// Reacts to a timeout. `lost`: data were outstanding.
    pub fn on_timeout(&mut self, core: &mut Core, now: Time, lost: bool) {
        if lost {
            self.frto.on_timeout(core, self.in_recovery);
        }
        self.in_recovery = false;
        self.must_send = lost;
        self.end_probe();
        self.reorder_due = Time::NEVER;
        if lost {
            if !self.undo.is_some_and(|undo| undo.includes(core.una)) {
                self.undo = self.watched(core);
            }
            self.lose_overdue(core, now);
            if core.settings.rto_estimator == Estimator::Linux {
                // `tcp_enter_loss`.
                core.window.cwnd += (self.pipe(core) / core.segment()) as f64;
            }
        }
    }

    /// Marks what is lost after a timeout: the first segment, and what was sent so long ago that its ACK would have come (section 6.3). Linux
    /// leaves no time for reordering.
    fn lose_overdue(&mut self, core: &Core, now: Time) {
        let late = match core.settings.rto_estimator {
            Estimator::Linux => Span::ZERO,
            _ => self.reordering_window(core),
        };
        let allowed = self.rtt + late;
        self.board.extend(core.una, core.max_sent);
        lose_those(&mut self.board, core, |start, sent| start <= core.una || sent.at + allowed <= now);
        self.board.merge();
    }

    /// The cut that was just made, if evidence may show it to be needless.
    fn watched(&self, core: &Core) -> Option<Undo> {
        let resent = self.board.runs().iter().filter_map(|run| match run.state {
            State::Resent { at, .. } => Some(at),
            _ => None,
        });
        self.evidence.watch(core.before_cut(), core.una, core.max_sent, resent)
    }

    fn note_resend(&mut self, now: Time) {
        if let Some(undo) = &mut self.undo {
            undo.on_resend(now);
        }
    }

    /// Handles a timer that rings before the retransmission timeout: finds losses, or probes the end of the flight (section 7.3).
    pub fn on_early_timer(&mut self, core: &mut Core, now: Time) {
        core.budget = u32::MAX;
        if self.reorder_due <= now {
            let before = self.delivered(core);
            if self.find_losses(core, now) && self.react(core, now, before) {
                // As if a segment had arrived (`tcp_rack_reo_timeout`).
                self.pace(core, core.segment(), false);
            }
        } else if self.may_probe(core) {
            // New data sent meanwhile put the probe off (section 7.2), but not beyond the timeout.
            let due = core.idle.last_sent() + core.probe_timeout(core.flight());
            if due > now && now < core.timers.due(Timer::Retransmission) {
                core.early.probe = due;
            } else {
                self.send_probe(core);
                core.arm(now);
            }
        }
        self.set_timer(core, now);
    }

    fn send_probe(&mut self, core: &mut Core) {
        if core.has_new() {
            core.pending = Pending::New;
            self.probe = Some(Probe { end: core.nxt + core.len_at(core.nxt), resent: false });
        } else if let Some(last) = core.outstanding.of(core.max_sent - 1) {
            self.probe_seq = Some(last.start.max(core.una));
            self.probe = Some(Probe { end: core.max_sent, resent: true });
            core.stop_timing();
        }
    }

    /// See [`Recovery::on_answer`](super::Recovery::on_answer).
    pub fn on_answer(&mut self) {
        self.undo = None;
        self.end_probe();
    }

    fn end_probe(&mut self) {
        (self.probe, self.probe_seq) = (None, None);
    }

    /// Whether a probe may be sent: nothing is known to be missing, and no probe is on its way (section 7.2).
    fn may_probe(&self, core: &Core) -> bool {
        let outstanding = core.una >= core.origin() && core.una > 0 && core.una < core.max_sent;
        outstanding
            && core.settings.tail_loss_probe
            && !self.is_mending(core)
            && self.board.is_empty()
            && self.probe.is_none()
    }

    /// Judges by an ACK of the probe whether the probe repaired a loss, and cuts the window if so (section 7.4).
    fn judge_probe(&mut self, core: &mut Core, ack: &Arrival<'_>, advances: bool) {
        let Some(probe) = self.probe.filter(|probe| ack.ack >= probe.end) else { return };
        let end = ack.duplicate(core.origin()).map(|duplicate| duplicate.1);
        let again = end == Some(probe.end) || !advances && ack.raw.sack.is_empty();
        let repaired = probe.resent && !again && ack.ack > probe.end;
        if !probe.resent || repaired || again {
            self.end_probe();
        }
        if repaired {
            // Nothing need be outstanding that would keep a timer running.
            let reduction = core.cut(ack.now, false);
            core.window.set(reduction.cwnd.max(1.0));
        }
    }

    /// Sets the retransmission timer for the first of what is due.
    fn set_timer(&mut self, core: &mut Core, now: Time) {
        if core.is_shut_out() {
            return;
        }
        let mut due = self.reorder_due;
        if self.may_probe(core) {
            if core.early.probe <= now {
                core.early.probe = now + core.probe_timeout(core.flight());
            }
            due = due.min(core.probe_due());
        }
        core.ring_early(now, due);
    }
}

/// Marks the segments on the board as lost that `is_lost` accepts, by their start and by when they were sent. Segments that were sent once were sent
/// in order, so of these the search ends at the first that is not lost. Returns whether any is lost, and whether there was no such end.
#[inline(always)]
fn lose_those(
    board: &mut Scoreboard,
    core: &Core,
    mut is_lost: impl FnMut(u64, Sent) -> bool,
) -> (bool, bool) {
    let (mut found, mut in_order) = (false, true);
    let mut place = 0;
    while let Some(run) = board.runs().get(place).copied() {
        let lost_to = match run.state {
            State::Resent { at, .. } => is_lost(run.start, Sent { at, end: run.end }).then_some(run.end),
            State::InFlight if in_order => core.outstanding.of(run.start).and_then(|first| {
                let end = first.end.min(run.end);
                in_order = is_lost(run.start, Sent { at: first.at, end });
                in_order.then_some(end)
            }),
            _ => None,
        };
        if let Some(end) = lost_to {
            board.lose(place, end);
            found = true;
        }
        place += 1;
    }
    (found, in_order)
}

#[cfg(test)]
mod tests {
    use crate::congestion::{AckEvent, CongestionControl, Control, CustomControl, Loss, Reduction};
    use crate::info::Phase;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks, Segment};
    use crate::settings::{Estimator, Handshake, LossBase, Pacing, Recovery};
    use crate::window::Window;
    use crate::{Receiver, Sender, Settings};
    use airfair_core::{Span, Time};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, VecDeque};
    use std::sync::{Arc, Mutex};

    /// Segments of 1000 bytes, and ten of them at once.
    fn settings_of(prr: bool) -> Settings {
        Settings {
            segment_bytes: 1000,
            recovery: Recovery::Rack,
            prr,
            handshake: Handshake::None,
            initial_window: 10.0,
            receive_window: 100,
            ..settings(Profile::Rfc, TcpName::named("sack"))
        }
    }

    struct Test {
        sender: Sender,
        now: Time,
    }

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    impl Test {
        /// A sender on a path of 100 ms, of which it knows, and with `segments` in the network since the last of them came back at 100 ms.
        fn with(settings: &Settings, segments: u64) -> Test {
            let mut test = Test { sender: Sender::new(settings), now: Time::ZERO };
            test.sender.write(Time::ZERO, 1000);
            assert_eq!(test.sent(), [0]);
            test.ack(100, 1, &[]);
            test.sender.write(test.now, 1000 * segments);
            assert_eq!(test.sent(), (1..=segments).collect::<Vec<_>>());
            test
        }

        fn new(segments: u64) -> Test {
            Test::with(&settings_of(false), segments)
        }

        /// The segments that go out, by number.
        fn sent(&mut self) -> Vec<u64> {
            let sender = &mut self.sender;
            let segments: Vec<Segment> = std::iter::from_fn(|| sender.poll_transmit(self.now)).collect();
            segments.iter().map(|segment| segment.seq / 1000).collect()
        }

        /// An ACK of everything before a segment, with blocks of segments, at a time in ms; what goes out.
        fn ack(&mut self, millis: u64, next: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
            self.answer(millis, next, blocks, 0)
        }

        /// [`Test::ack`], with the echo of a segment that was sent at `echo`.
        fn answer(&mut self, millis: u64, next: u64, blocks: &[(u64, u64)], echo: u64) -> Vec<u64> {
            self.hear(millis, next, blocks, echo, false)
        }

        /// [`Test::answer`], with the echo of a mark if it has one.
        fn hear(&mut self, millis: u64, next: u64, blocks: &[(u64, u64)], echo: u64, ece: bool) -> Vec<u64> {
            let mut sack = SackBlocks::NONE;
            for (start, end) in blocks {
                sack.push(next * 1000, start * 1000, end * 1000);
            }
            self.now = ms(millis);
            let ack = Ack { ack: next * 1000, window: 100, sack, echo: ms(echo), syn: true, ece, ace: 0 };
            self.sender.on_ack(self.now, &ack);
            self.sent()
        }

        /// The timer rings: when, in ms, and what goes out.
        fn timer(&mut self) -> (u64, Vec<u64>) {
            self.now = self.sender.next_deadline();
            self.sender.on_timer(self.now);
            (self.now.0 / 1_000_000, self.sent())
        }
    }

    /// `tcp_ack_update_rtt`: of the first of them, if it was sent once.
    #[test]
    fn in_linux_sacked_data_give_a_round_trip() {
        let smoothed = |rto_estimator| {
            let mut test = Test::with(&Settings { rto_estimator, ..settings_of(false) }, 5);
            test.ack(180, 1, &[(3, 4)]);
            test.sender.srtt().map(|srtt| srtt / Span::from_micros(1))
        };
        assert_eq!(smoothed(Estimator::Rfc6298), Some(100_000));
        assert_eq!(smoothed(Estimator::Linux), Some(97_500), "an eighth of the way to 80 ms");
    }

    /// `tcp_packets_in_flight`: what is SACKed is outstanding, and makes room in the window.
    #[test]
    fn in_linux_a_window_is_full_by_what_is_in_the_network() {
        let window = |sacked: u64| {
            let settings = Settings {
                segment_bytes: 1000,
                recovery: Recovery::Rack,
                handshake: Handshake::None,
                initial_ssthresh: Some(10.0),
                receive_window: 100,
                first_window: None,
                tso: false,
                ..settings(Profile::Linux, TcpName::named("sack"))
            };
            let mut test = Test::with(&settings, 8);
            let mut first = 1;
            for round in 1..=5 {
                let blocks: &[(u64, u64)] = if sacked > 0 { &[(first + 1, first + 1 + sacked)] } else { &[] };
                if sacked > 0 {
                    assert_eq!(test.ack(100 + 100 * round, first, blocks), []);
                }
                test.sender.write(test.now, 2000);
                assert_eq!(test.sent(), [first + 8, first + 9]);
                first += 10;
                test.ack(101 + 100 * round, first, &[]);
                test.sender.write(test.now, 8000);
                assert_eq!(test.sent().len(), 8);
            }
            test.sender.cwnd()
        };
        // Ten outstanding of ten each time.
        assert_eq!(window(1), 10.0);
        assert_eq!(window(0), 11.0);
    }

    /// Section 6.2, step 5: with less than three segments SACKed, a quarter of the round trip is allowed for reordering.
    #[test]
    fn a_segment_is_lost_a_quarter_of_a_round_trip_after_a_later_one_came() {
        let mut test = Test::new(5);
        assert_eq!(test.ack(200, 2, &[]), []);
        assert_eq!(test.ack(201, 2, &[(3, 4)]), []);
        assert_eq!(test.timer(), (226, vec![2]));
        assert_eq!((test.sender.stats().fast_retransmits, test.sender.stats().timeouts), (1, 0));
        // That counts from the round trip of the one that came: what is SACKed meanwhile is not lost.
        let mut test = Test::new(5);
        test.ack(200, 2, &[]);
        test.ack(201, 2, &[(3, 4)]);
        assert_eq!(test.ack(220, 4, &[]), []);
        assert_eq!(test.sender.stats().window_cuts, 0);
    }

    /// `TCP_TIMEOUT_MIN`: what RFC 8985 has at 300 ms and 226 ms.
    #[test]
    fn in_linux_probes_and_late_segments_have_two_milliseconds_more() {
        let settings = Settings { rto_estimator: Estimator::Linux, ..settings_of(false) };
        let mut test = Test::with(&settings, 5);
        assert_eq!(test.timer(), (302, vec![5]));
        let mut test = Test::with(&settings, 5);
        test.ack(200, 2, &[]);
        test.ack(201, 2, &[(3, 4)]);
        assert_eq!(test.timer(), (228, vec![2]));
    }

    /// A control that notes the round trips of which it hears.
    #[derive(Debug)]
    struct Ear(Arc<Mutex<Vec<Option<Span>>>>);

    impl CongestionControl for Ear {
        fn on_ack(&mut self, _window: &mut Window, ack: &AckEvent) {
            self.0.lock().expect("one thread").push(ack.rtt);
        }

        fn on_duplicate_ack(&mut self, _window: &mut Window, ack: &AckEvent) {
            self.0.lock().expect("one thread").push(ack.rtt);
        }

        fn on_loss(&mut self, window: &Window, _loss: &Loss) -> Reduction {
            Reduction::to(window.cwnd)
        }
    }

    /// The round trips of which a control hears with `segments` in the network while `go` runs.
    fn heard(rto_estimator: Estimator, segments: u64, go: fn(&mut Test)) -> Vec<Option<Span>> {
        let told = Arc::new(Mutex::new(Vec::new()));
        let theirs = Arc::clone(&told);
        let ear = CustomControl::new("ear", move |_| Box::new(Ear(Arc::clone(&theirs))));
        let control = Control::Custom(ear);
        let settings = Settings { control, rto_estimator, timestamps: true, ..settings_of(false) };
        go(&mut Test::with(&settings, segments));
        told.lock().expect("one thread").clone()
    }

    /// `tcp_ack_update_rtt`: of SACKed data, and by the timestamp where data were sent again.
    #[test]
    fn in_linux_a_control_hears_of_more_round_trips() {
        for (rto_estimator, more) in
            [(Estimator::Rfc6298, None), (Estimator::Linux, Some(Span::from_millis(100)))]
        {
            let sacked = heard(rto_estimator, 9, |test| {
                test.ack(200, 1, &[(2, 6)]);
            });
            let again = heard(rto_estimator, 1, |test| {
                let (at, sent) = test.timer();
                assert_eq!(sent, [1]);
                test.answer(at + 100, 2, &[], at);
            });
            let partial = heard(rto_estimator, 9, |test| {
                assert_eq!(test.ack(200, 1, &[(2, 6)]), [1]);
                test.answer(300, 6, &[], 200);
            });
            let last = [sacked, again, partial].map(|heard| heard.last().copied());
            assert_eq!(last, [Some(more); 3], "{rto_estimator:?}");
        }
    }

    /// `tcp_clean_rtx_queue`: data that were SACKed before give none, and where data were sent again the timestamp does.
    #[test]
    fn in_linux_an_ack_that_fills_a_gap_gives_no_round_trip_of_data_behind_it() {
        for (rto_estimator, millis) in [(Estimator::Rfc6298, 200), (Estimator::Linux, 100)] {
            let all_sacked = heard(rto_estimator, 9, |test| {
                assert_eq!(test.ack(200, 1, &[(2, 10)]), [1]);
                test.answer(300, 10, &[], 200);
            });
            let some_sacked = heard(rto_estimator, 9, |test| {
                assert_eq!(test.ack(200, 1, &[(2, 6)]), [1]);
                test.answer(300, 10, &[], 200);
            });
            let last = [all_sacked, some_sacked].map(|heard| heard.last().copied());
            assert_eq!(last, [Some(Some(Span::from_millis(millis))); 2], "{rto_estimator:?}");
            let late = heard(rto_estimator, 9, |test| {
                test.ack(200, 1, &[(2, 3)]);
                test.answer(201, 3, &[], 0);
            });
            assert_eq!(late.last(), Some(&Some(Span::from_millis(101))), "sent once");
        }
    }

    /// Section 6.3: what was sent less than a round trip ago may still arrive. The window is one segment beyond it in Linux (`tcp_enter_loss`), and one
    /// segment otherwise (RFC 5681, section 3.1).
    #[test]
    fn a_timeout_loses_only_what_was_sent_a_round_trip_ago() {
        for (rto_estimator, cwnd, room) in
            [(Estimator::Rfc6298, 1.0, vec![]), (Estimator::Linux, 3.0, vec![2, 3])]
        {
            let settings = Settings { rto_estimator, initial_window: 20.0, ..settings_of(false) };
            let mut test = Test::with(&settings, 4);
            assert_eq!(test.timer().1, [4], "a probe");
            test.now = Time(test.sender.next_deadline().0 - 20_000_000);
            test.sender.write(test.now, 2000);
            assert_eq!(test.sent(), [5, 6]);
            let (at, sent) = test.timer();
            assert_eq!((test.sender.info().lost, test.sender.cwnd()), (4, cwnd), "{rto_estimator:?}");
            assert_eq!(sent, [1]);
            // They arrive, and leave their room.
            assert_eq!(test.ack(at + 80, 1, &[(5, 7)]), room);
            assert_eq!(test.ack(at + 100, 2, &[(5, 7)])[0], 2 + room.len() as u64);
        }
    }

    #[test]
    fn three_segments_that_came_later_mean_a_loss_at_once() {
        let mut test = Test::new(6);
        test.ack(200, 2, &[]);
        assert_eq!(test.ack(201, 2, &[(3, 4)]), []);
        assert_eq!(test.ack(202, 2, &[(3, 5)]), []);
        assert_eq!(test.ack(203, 2, &[(3, 6)]), [2]);
        assert_eq!(test.sender.stats().fast_retransmits, 1);
    }

    /// RFC 6675, section 5: a recovery's losses are those of data sent before it.
    #[test]
    fn what_is_lost_during_a_recovery_cuts_the_window_when_that_is_over() {
        let mut test = Test::new(8);
        test.ack(200, 2, &[]);
        test.sender.write(test.now, 20_000);
        assert_eq!(test.sent().last(), Some(&12));
        assert_eq!(test.ack(203, 2, &[(3, 6)]), [2]);
        assert_eq!(test.ack(300, 2, &[(3, 12)]), [13, 14, 15]);
        assert_eq!(test.ack(400, 2, &[(14, 16), (3, 13)])[..2], [2, 13]);
        assert_eq!(test.sender.stats().window_cuts, 1);
        test.ack(450, 13, &[(14, 16)]);
        assert_eq!(test.sender.stats().window_cuts, 2);
    }

    /// A sender without end with 20 segments in the network, from 1 on. The ACK of the first one has told of a mark, and let segment 21 out.
    fn marked(rto_estimator: Estimator) -> Test {
        marked_with(Settings { rto_estimator, ..settings_of(true) })
    }

    fn marked_with(settings: Settings) -> Test {
        let settings = Settings {
            ecn: true,
            initial_window: 19.0,
            initial_ssthresh: Some(20.0),
            loss_base: LossBase::CongestionWindow,
            ..settings
        };
        let mut test = Test::with(&settings, 20);
        test.sender.write(test.now, 1_000_000);
        assert_eq!(test.sent(), []);
        assert_eq!(test.hear(200, 2, &[], 0, true), [21]);
        test
    }

    /// Segments sent and cuts made so far.
    fn counts(test: &Test) -> (u64, u64) {
        (test.sender.stats().segments, test.sender.stats().window_cuts)
    }

    /// RFC 9937, section 6.1, and Linux's `tcp_enter_recovery`: the window comes from 20 segments to ten, a segment for each two that arrive,
    /// from the mark on.
    #[test]
    fn a_loss_during_a_reduction_for_a_mark_goes_on_with_it() {
        for rto_estimator in [Estimator::Rfc6298, Estimator::Linux] {
            let mut test = marked(rto_estimator);
            let mut out = Vec::new();
            for last in 3..=16 {
                out.push(test.ack(198 + last, 2, &[(3, last + 1)]).len());
            }
            assert_eq!(out, [0, 1].repeat(7), "{rto_estimator:?}");
            assert_eq!((counts(&test).1, test.sender.stats().fast_retransmits), (1, 1));
            assert_eq!((test.sender.info().resent, test.sender.ssthresh()), (1, 10.0));
        }
    }

    /// RFC 9937's `RecoverFS`, and Linux's `prior_cwnd`: of a window of 20 segments 15 are used, and ten are to be left.
    #[test]
    fn in_linux_the_reduction_begins_with_the_whole_window() {
        for (rto_estimator, fourth) in [(Estimator::Rfc6298, vec![17]), (Estimator::Linux, vec![])] {
            let settings = Settings {
                initial_window: 19.0,
                initial_ssthresh: Some(20.0),
                rto_estimator,
                loss_base: LossBase::CongestionWindow,
                ..settings_of(true)
            };
            let mut test = Test::with(&settings, 15);
            assert_eq!(test.ack(201, 1, &[(2, 5)]), [1]);
            // Two of the ten, for three that arrived.
            test.sender.write(test.now, 1_000_000);
            assert_eq!(test.sent(), [16]);
            assert_eq!(test.ack(202, 1, &[(2, 6)]), fourth, "{rto_estimator:?}");
        }
    }

    /// `tcp_rack_reo_timeout`: the timer counts as the arrival of a segment.
    #[test]
    fn a_timer_that_finds_a_loss_during_a_reduction_goes_on_with_it() {
        let mut test = marked(Estimator::Linux);
        assert_eq!(test.ack(201, 2, &[(3, 4)]), []);
        assert_eq!(test.timer().1, [2]);
        assert_eq!(test.ack(230, 2, &[(3, 5)]), []);
        assert_eq!(test.ack(231, 2, &[(3, 6)]), [22]);
    }

    /// In Linux the recovery ends with the data for which the mark was answered (`high_seq`), and what was sent after the mark and is lost
    /// cuts the window once more.
    #[test]
    fn a_recovery_that_goes_on_with_a_reduction_ends_with_it_in_linux() {
        for (rto_estimator, cuts) in [(Estimator::Rfc6298, 1), (Estimator::Linux, 2)] {
            let mut test = marked(rto_estimator);
            test.ack(210, 2, &[(3, 21)]);
            assert_eq!(counts(&test).1, 1);
            test.ack(301, 2, &[(22, 26), (3, 21)]);
            assert_eq!(counts(&test).1, 1);
            test.ack(310, 21, &[(22, 26)]);
            assert_eq!(counts(&test).1, cuts, "{rto_estimator:?}");
        }
    }

    /// Linux is in CWR until something above `high_seq` is acknowledged. A recovery that begins at `high_seq` ends with the next ACK.
    #[test]
    fn a_loss_just_behind_a_reduction_cuts_the_window_with_the_next_ack_in_linux() {
        for (rto_estimator, cuts) in [(Estimator::Rfc6298, 1), (Estimator::Linux, 2)] {
            let mut test = marked(rto_estimator);
            test.ack(210, 21, &[]);
            test.ack(301, 21, &[(22, 25)]);
            assert_eq!((counts(&test).1, test.sender.stats().fast_retransmits), (1, 1));
            test.ack(302, 21, &[(22, 26)]);
            assert_eq!(counts(&test).1, cuts, "{rto_estimator:?}");
        }
    }

    /// Linux's `tcp_enter_cwr` and `tcp_enter_recovery`: `prior_ssthresh` is zero.
    #[test]
    fn a_needless_recovery_leaves_the_answer_to_a_mark() {
        let mut test = marked_with(Settings { timestamps: true, undo: true, ..settings_of(true) });
        assert_eq!(test.ack(201, 2, &[(3, 6)]), [2]);
        assert!(test.sender.info().phase == Phase::Recovery);
        test.answer(202, 6, &[], 100);
        assert!(test.sender.info().phase != Phase::Recovery);
        assert_eq!((test.sender.cwnd(), test.sender.ssthresh()), (11.0, 10.0), "congestion avoidance");
    }

    /// Step 3: an original that comes behind a later one shows that the path reorders, and then three segments are not enough.
    #[test]
    fn on_a_path_that_reorders_three_segments_are_not_enough() {
        let mut test = Test::new(9);
        test.ack(200, 1, &[(2, 3)]);
        test.ack(201, 3, &[]);
        assert_eq!(test.ack(202, 3, &[(4, 8)]), []);
        assert_eq!(test.sender.stats().window_cuts, 0);
        assert_eq!(test.timer(), (227, vec![3]));
    }

    /// Section 3.3: a retransmission is lost when something that was sent after it has come.
    #[test]
    fn a_lost_retransmission_is_sent_again_before_the_timer() {
        let mut test = Test::new(9);
        test.sender.write(test.now, 10_000);
        test.ack(200, 1, &[(2, 5)]);
        let sent = test.ack(201, 1, &[(2, 10)]);
        assert!(!sent.contains(&1), "it went out on the ACK before: {sent:?}");
        let newest = *sent.last().expect("the network has room");
        // The new ones come a round trip later, and the retransmission does not.
        assert_eq!(test.ack(301, 1, &[(2, newest + 1)])[0], 1);
        assert_eq!((test.sender.stats().timeouts, test.sender.stats().window_cuts), (0, 1));
    }

    /// Section 7.3: two round trips after the last ACK, and before the retransmission timer.
    #[test]
    fn the_lost_end_of_a_flight_is_probed_and_repaired() {
        let mut test = Test::new(5);
        assert_eq!(test.ack(200, 4, &[]), []);
        assert_eq!(test.timer(), (400, vec![5]));
        assert_eq!(test.sender.stats().timeouts, 0);
        // The probe shows that segment 4, which went out long before, is lost.
        assert_eq!(test.ack(500, 4, &[(5, 6)]), [4]);
        test.ack(600, 6, &[]);
        assert!(test.sender.is_idle());
        assert_eq!((test.sender.stats().window_cuts, test.sender.stats().timeouts), (1, 0));
    }

    /// Section 7.2: the timer of the probe starts anew with new data, too.
    #[test]
    fn new_data_put_the_probe_off() {
        let mut test = Test::new(5);
        test.now = ms(180);
        test.sender.write(test.now, 2000);
        assert_eq!(test.sent(), [6, 7]);
        assert_eq!(test.timer(), (300, vec![]));
        assert_eq!(test.timer(), (380, vec![7]));
    }

    #[test]
    fn a_flight_that_nothing_answers_is_probed_before_it_times_out() {
        let mut test = Test::new(5);
        assert_eq!(test.timer(), (300, vec![5]));
        // There is one probe for a flight.
        let (at, sent) = test.timer();
        assert_eq!((sent, test.sender.stats().timeouts), (vec![1], 1), "{at}");
    }

    /// Section 7.3: new data are a better probe.
    #[test]
    fn a_probe_is_a_new_segment_where_there_is_one() {
        let mut test = Test::with(&Settings { initial_window: 5.0, ..settings_of(false) }, 4);
        test.sender.write(test.now, 20_000);
        let newest = *test.sent().last().expect("the window has room");
        let (at, sent) = test.timer();
        assert_eq!((at, sent), (300, vec![newest + 1]));
    }

    /// Section 7.4.2, case 2: an ACK beyond the probe without a sign that its original arrived.
    #[test]
    fn a_loss_that_a_probe_repaired_cuts_the_window() {
        for (twice, cuts) in [(false, 1), (true, 0)] {
            let mut test = Test::new(5);
            test.ack(200, 5, &[]);
            assert_eq!(test.timer().1, [5]);
            test.ack(500, 6, &[]);
            if twice {
                // Case 3: both arrived.
                test.ack(501, 6, &[]);
            }
            test.sender.write(test.now, 1000);
            assert_eq!(test.sent(), [6]);
            test.ack(600, 7, &[]);
            assert_eq!(test.sender.stats().window_cuts, cuts, "{twice}");
        }
    }

    #[test]
    fn after_a_timeout_what_was_sacked_is_not_sent_again() {
        let mut test = Test::new(5);
        test.ack(200, 1, &[(2, 3), (4, 5)]);
        assert_eq!(test.timer().1, [1]);
        // Nothing answers.
        let mut sent = Vec::new();
        while test.sender.stats().timeouts == 0 {
            sent = test.timer().1;
        }
        assert_eq!(sent, [1]);
        assert_eq!(test.ack(5000, 3, &[(4, 5)]), [3, 5]);
    }

    /// As in RFC 9937, section 7.
    #[test]
    fn proportional_rate_reduction_paces_it_as_well() {
        let settings = Settings { initial_window: 19.0, loss_base: LossBase::Window, ..settings_of(true) };
        let mut test = Test::with(&settings, 20);
        test.sender.write(test.now, 100_000);
        let counts: Vec<usize> = (2..=20).map(|number| test.ack(200, 1, &[(2, number + 1)]).len()).collect();
        assert_eq!(counts, [1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
    }

    /// Linux (`tcp_cong_control`): what the ACK that ends a recovery delivers counts for the window, and what was SACKed before does not.
    #[test]
    fn the_ack_that_ends_a_recovery_counts_as_any_other() {
        for (counts_deliveries, grows) in [(false, false), (true, true)] {
            let settings = Settings { counts_deliveries, initial_window: 3.0, ..settings_of(true) };
            let mut test = Test::with(&settings, 4);
            test.ack(200, 1, &[(2, 5)]);
            let cut = test.sender.cwnd();
            test.ack(300, 5, &[]);
            assert_eq!(test.sender.cwnd() > cut, grows, "{counts_deliveries}");
        }
    }

    /// RFC 3522: the answer to the original comes after it was sent again.
    #[test]
    fn a_recovery_that_reordering_caused_is_taken_back() {
        for (echo, undone) in [(100, true), (200, false)] {
            let mut test = Test::with(&Settings { timestamps: true, undo: true, ..settings_of(false) }, 9);
            let before = (test.sender.cwnd(), test.sender.ssthresh());
            assert_eq!(test.answer(200, 1, &[(2, 5)], 0), [1]);
            assert!(test.sender.cwnd() < before.0);
            test.answer(210, 5, &[], echo);
            assert_eq!(test.sender.cwnd() >= before.0, undone);
            assert_eq!(test.sender.ssthresh() == before.1, undone);
            if undone {
                // The path reorders: three segments are no loss any more.
                assert_eq!(test.answer(220, 5, &[(6, 10)], 100), []);
            }
        }
    }

    /// Linux's `retrans_stamp` is as old as the first retransmission that may still arrive, whatever recovery it was for.
    #[test]
    fn the_ack_of_a_retransmission_for_an_earlier_cut_takes_nothing_back() {
        let mut test = Test::with(&Settings { timestamps: true, undo: true, ..settings_of(false) }, 8);
        test.answer(200, 2, &[], 100);
        test.sender.write(test.now, 20_000);
        assert_eq!(test.sent().last(), Some(&12));
        assert_eq!(test.answer(203, 2, &[(3, 6)], 100), [2]);
        test.answer(300, 2, &[(3, 12)], 100);
        // The retransmission of 2 is lost, and so are 13 and 15, which were sent during the recovery.
        assert_eq!(test.answer(400, 2, &[(14, 15), (3, 13)], 100)[..2], [2, 13]);
        // 15 is sent again for the second cut. Then comes the ACK of 13, which was sent again before that.
        assert_eq!(test.answer(500, 13, &[(14, 15)], 400)[0], 15);
        let cut = test.sender.ssthresh();
        test.answer(510, 15, &[], 400);
        assert_eq!((test.sender.ssthresh(), test.sender.stats().window_cuts), (cut, 2));
    }

    /// RFC 7323, section 4.3: the ACKs behind a gap echo the data before it, and what is SACKed was sent later.
    #[test]
    fn a_retransmission_that_is_sacked_behind_a_gap_shows_no_reordering() {
        let mut test = Test::with(&Settings { timestamps: true, undo: true, ..settings_of(false) }, 9);
        assert_eq!(test.answer(200, 1, &[(2, 3), (4, 6)], 0), [1]);
        assert_eq!(test.answer(201, 1, &[(4, 10), (2, 3)], 0)[0], 3);
        // That of 1 is lost.
        test.answer(301, 1, &[(2, 10)], 0);
        assert_eq!(test.sender.info().reordering, 3);
    }

    /// RFC 8985, section 6.2, step 3: what was sent again shows no reordering. Here the ACK of the first retransmission comes after a timeout has
    /// sent it another time.
    #[test]
    fn an_earlier_retransmission_that_arrives_shows_no_reordering() {
        let mut test = Test::with(&Settings { timestamps: true, undo: true, ..settings_of(false) }, 9);
        assert_eq!(test.answer(200, 1, &[(2, 5)], 0), [1]);
        while test.sender.stats().timeouts == 0 {
            test.timer();
        }
        let (late, cut) = (test.now.0 / 1_000_000 + 10, test.sender.ssthresh());
        test.answer(late, 5, &[], 200);
        assert_eq!((test.sender.info().reordering, test.sender.ssthresh()), (3, cut));
    }

    /// RFC 2883 and RFC 3708: without timestamps the receiver's reports tell that all that went out again arrived twice.
    #[test]
    fn a_recovery_whose_retransmissions_were_all_duplicates_is_taken_back() {
        for dsack in [true, false] {
            let mut test = Test::with(&Settings { dsack, undo: true, ..settings_of(false) }, 9);
            let before = (test.sender.cwnd(), test.sender.ssthresh());
            // Two segments come late, and are both sent again.
            assert_eq!(test.ack(200, 1, &[(2, 3), (4, 10)]), [1, 3]);
            test.ack(210, 10, &[]);
            assert!(test.sender.cwnd() < before.0);
            test.ack(300, 10, &[(1, 2)]);
            assert!(test.sender.cwnd() < before.0, "one of them may have been lost");
            test.ack(301, 10, &[(3, 4)]);
            assert_eq!(test.sender.cwnd() >= before.0, dsack);
            assert_eq!(test.sender.ssthresh() == before.1, dsack);
        }
    }

    /// What the network doubles is no retransmission.
    #[test]
    fn a_duplicate_of_what_was_sent_once_takes_nothing_back() {
        let mut test = Test::with(&Settings { dsack: true, undo: true, ..settings_of(false) }, 9);
        assert_eq!(test.ack(200, 1, &[(2, 5)]), [1]);
        let cut = test.sender.ssthresh();
        test.ack(201, 1, &[(3, 4), (2, 5)]);
        assert_eq!(test.sender.ssthresh(), cut);
    }

    /// `tcp_dsack_seen`: more arrived twice than was sent again, so the network doubles segments.
    #[test]
    fn more_reports_than_retransmissions_take_nothing_back() {
        for doubled in [0, 1] {
            let mut test = Test::with(&Settings { dsack: true, undo: true, ..settings_of(false) }, 9);
            let threshold = test.sender.ssthresh();
            for _ in 0..doubled {
                test.ack(110, 1, &[(0, 1)]);
            }
            assert_eq!(test.ack(200, 1, &[(2, 3), (4, 10)]), [1, 3]);
            test.ack(210, 10, &[]);
            test.ack(300, 10, &[(1, 2)]);
            test.ack(301, 10, &[(3, 4)]);
            assert_eq!(test.sender.ssthresh() == threshold, doubled == 0);
        }
    }

    /// `tcp_dsack_seen`: unlike RFC 8985, Linux waits no longer because of a report before it has seen reordering.
    #[test]
    fn in_linux_a_report_lengthens_the_wait_only_where_reordering_was_seen() {
        for (rto_estimator, rings) in [(Estimator::Rfc6298, 451), (Estimator::Linux, 428)] {
            let mut test = Test::with(&Settings { dsack: true, rto_estimator, ..settings_of(false) }, 9);
            assert_eq!(test.ack(200, 1, &[(2, 10)]), [1]);
            test.ack(210, 10, &[]);
            test.ack(300, 10, &[(1, 2)]);
            test.sender.write(test.now, 4000);
            assert_eq!(test.sent(), [10, 11, 12, 13]);
            test.ack(400, 11, &[]);
            test.ack(401, 11, &[(12, 13)]);
            assert_eq!(test.timer(), (rings, vec![11]));
        }
    }

    /// The timer's moment, and the tick on which it rings: for a probe, and for a timeout that is long enough for steps of eight ticks.
    #[test]
    fn in_linux_the_timer_rings_on_ticks() {
        let settings = Settings {
            rto_estimator: Estimator::Linux,
            rto_granularity: Span::from_millis(4),
            rto_min: Span::from_millis(200),
            ..settings_of(false)
        };
        let mut test = Test::with(&settings, 4);
        // Two round trips and 2 ms are 51 ticks.
        assert_eq!([test.timer(), test.timer()], [(304, vec![]), (308, vec![4])]);
        assert_eq!([test.timer(), test.timer()], [(608, vec![]), (640, vec![1])]);
        // An ACK in between moves the timer on.
        let mut test = Test::with(&settings, 4);
        assert_eq!(test.timer(), (304, vec![]));
        test.ack(306, 4, &[]);
        assert!(test.sender.next_deadline() > ms(306 + 2 * 100));
    }

    /// Linux's `tcp_xmit_retransmit_queue`; RFC 6298 has the timer run on.
    #[test]
    fn in_linux_the_timer_starts_anew_when_what_comes_first_is_sent_again() {
        for (rto_estimator, anew) in [(Estimator::Rfc6298, false), (Estimator::Linux, true)] {
            let mut test = Test::with(&Settings { rto_estimator, ..settings_of(false) }, 9);
            test.sender.write(test.now, 5000);
            assert_eq!(test.ack(200, 1, &[(2, 6)]), [1]);
            assert_eq!(test.ack(250, 1, &[(2, 10)])[0], 10);
            let due = test.sender.next_deadline();
            // The retransmission is lost: what went out after it has arrived.
            assert_eq!(test.ack(350, 1, &[(2, 11)])[0], 1);
            let later = test.sender.next_deadline();
            assert_eq!(later > due, anew, "{rto_estimator:?}");
            assert_eq!(later >= ms(350 + 1000), anew, "no shorter than a timeout");
        }
    }

    /// RFC 8985, section 7.4.2: a report of the probe says that its original arrived as well.
    #[test]
    fn a_probe_that_is_reported_as_a_duplicate_cuts_nothing() {
        let mut test = Test::with(&Settings { dsack: true, ..settings_of(false) }, 5);
        test.ack(200, 5, &[]);
        assert_eq!(test.timer().1, [5]);
        test.sender.write(test.now, 1000);
        assert_eq!(test.sent(), [6]);
        // The ACK of the original is lost, and so the report comes with what covers more than the probe.
        test.ack(501, 7, &[(5, 6)]);
        assert_eq!(test.sender.stats().window_cuts, 0);
        assert!(test.sender.is_idle());
    }

    /// A sender with nine segments in the network that has timed out; it knows of no timestamps.
    fn timed_out(frto: bool, more: u64) -> Test {
        let mut test = Test::with(&Settings { frto, ..settings_of(false) }, 9);
        assert_eq!(test.timer().1, [9], "a probe");
        assert_eq!((test.timer().1, test.sender.cwnd()), (vec![1], 1.0));
        test.sender.write(test.now, 1000 * more);
        assert_eq!(test.sent(), []);
        test
    }

    /// RFC 5682, section 3.1.
    #[test]
    fn new_data_after_a_timeout_tell_whether_it_was_needless() {
        let before = Test::with(&settings_of(false), 9).sender.cwnd();
        // Step 3b: the ACK of the second original comes.
        let mut test = timed_out(true, 5);
        assert_eq!(test.ack(1500, 2, &[]), [10, 11]);
        assert_eq!(test.ack(1501, 3, &[]), [12, 13]);
        assert!(test.sender.cwnd() >= before);
        // Step 3a: the new ones arrive above a gap.
        let mut test = timed_out(true, 5);
        assert_eq!(test.ack(1500, 2, &[]), [10, 11]);
        assert_eq!(test.ack(1600, 2, &[(10, 11)]), [2]);
        assert!(test.sender.cwnd() < before);
        // Step 2b: nothing new is there.
        assert_eq!(timed_out(true, 0).ack(1500, 2, &[]), [2, 3]);
        // Step 3b at once: the originals were acknowledged together.
        let mut test = timed_out(true, 0);
        assert_eq!(test.ack(1500, 4, &[]), []);
        assert!(test.sender.cwnd() >= before);
        // Without it what counts as lost comes first.
        assert_eq!(timed_out(false, 5).ack(1500, 2, &[]), [2, 3]);
    }

    /// A duplicate ACK may be the probe's, and then it tells nothing; or an original's.
    #[test]
    fn a_duplicate_ack_tells_if_it_sacks_what_went_out_once() {
        let before = Test::with(&settings_of(false), 9).sender.cwnd();
        let mut test = timed_out(true, 5);
        assert_eq!(test.ack(1500, 1, &[(9, 10)]), []);
        assert_eq!(test.ack(1600, 2, &[(9, 10)]), [10, 11]);
        assert!(test.sender.cwnd() < before);
        let mut test = timed_out(true, 5);
        test.ack(1500, 1, &[(8, 10)]);
        assert!(test.sender.cwnd() >= before);
    }

    #[test]
    fn a_timeout_that_a_delay_caused_is_taken_back() {
        for (echo, undone) in [(100, true), (1200, false)] {
            let mut test = Test::with(&Settings { timestamps: true, undo: true, ..settings_of(false) }, 9);
            let before = (test.sender.cwnd(), test.sender.ssthresh());
            assert_eq!(test.timer().1, [9], "a probe");
            let (at, sent) = test.timer();
            assert_eq!((sent, test.sender.cwnd()), (vec![1], 1.0), "{at}");
            let sent = test.answer(1500, 2, &[], if undone { echo } else { at });
            assert_eq!(sent.is_empty(), undone, "what is outstanding may still come: {sent:?}");
            assert_eq!(test.sender.cwnd() >= before.0, undone);
            assert_eq!(test.sender.ssthresh() == before.1, undone);
        }
    }

    /// What went out before a retransmission that has arrived is lost a quarter of the round trip later than that says: 200 ms + 100 ms + 25 ms.
    #[test]
    fn an_ack_at_rest_tells_of_losses_where_the_data_behind_it_went_out_before_a_retransmission() {
        for restless in [false, true] {
            let after_recovery = || {
                let settings =
                    Settings { initial_window: 40.0, loss_base: LossBase::Window, ..settings_of(true) };
                let mut test = Test::with(&settings, 10);
                if restless {
                    test.sender.keep_restless();
                }
                assert_eq!(test.ack(200, 1, &[(2, 5)]), [1]);
                test.sender.write(test.now, 2000);
                assert_eq!(test.sent(), [11, 12]);
                assert_eq!(test.ack(202, 1, &[(2, 6), (7, 10)]), [6]);
                assert_eq!(test.ack(302, 11, &[]), []);
                test
            };
            let mut test = after_recovery();
            assert_eq!(test.ack(310, 12, &[]), []);
            assert_eq!(test.timer(), (325, vec![12]));
            let mut test = after_recovery();
            assert_eq!(test.ack(326, 12, &[]), [12]);
            assert_eq!(test.sender.stats().window_cuts, 2);
        }
    }

    /// What a sender does, and when: it sends this, and has this window and deadline.
    type Step = (Time, Vec<(u64, u32)>, f64, Time);

    /// A transfer over a path that loses, delays, doubles and marks packets: packet `n` by `fates[n]`, which has a delay in microseconds.
    fn transfer(settings: &Settings, fates: &[(u8, u64)], restless: bool) -> Vec<Step> {
        let (mut sender, mut receiver) = (Sender::new(settings), Receiver::new(settings));
        sender.keep_small_queue();
        if restless {
            sender.keep_restless();
        }
        sender.write(Time::ZERO, 200_000);
        let (mut segments, mut acks, mut departures) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        let (mut now, mut packets, mut steps) = (Time::ZERO, 0, Vec::new());
        // Whether the sender has had an input: it is asked after each, and not else.
        let mut told = true;
        while !sender.is_idle() {
            let mut fly = |now: Time| {
                packets += 1;
                let usual = 20_000;
                let fate = fates.get(packets - 1);
                let arrivals = match fate {
                    Some((0..3, _)) => vec![],
                    Some((3, more)) => vec![usual, usual + more],
                    Some((4..6, more)) => vec![usual + more],
                    Some((_, more)) => vec![usual + more % 1000],
                    None => vec![usual],
                };
                let marked = matches!(fate, Some((6..9, _)));
                let arrivals: Vec<_> =
                    arrivals.iter().map(|at| (now + Span::from_micros(*at), packets)).collect();
                (arrivals, marked)
            };
            let sent: Vec<Segment> =
                std::iter::from_fn(|| if told { sender.poll_transmit(now) } else { None }).collect();
            let carried = sent.iter().map(|segment| (segment.seq, segment.len)).collect();
            steps.push((now, carried, sender.cwnd(), sender.next_deadline()));
            for mut segment in sent {
                let free = departures.back().map_or(now, |(at, _)| now.max(*at));
                departures.push_back((free + Span::from_micros(300), segment));
                let (arrivals, marked) = fly(now);
                if marked {
                    segment.mark();
                }
                segments.extend(arrivals.into_iter().map(|arrival| (arrival, segment)));
            }
            while let Some(ack) = receiver.poll_transmit() {
                acks.extend(fly(now).0.into_iter().map(|arrival| (arrival, ack)));
            }
            let first = [segments.keys().next(), acks.keys().next()].into_iter().flatten().map(|key| key.0);
            let timers = [sender.next_deadline(), receiver.next_deadline()];
            let leaves = departures.front().map(|(at, _)| *at);
            now = first.chain(leaves).chain(timers).min().expect("there are timers").max(now);
            told = sender.next_deadline() <= now;
            sender.on_timer(now);
            receiver.on_timer(now);
            while departures.front().is_some_and(|(at, _)| *at <= now) {
                sender.on_departure(now, &departures.pop_front().expect("it is there").1);
                told = true;
            }
            if let Some(entry) = segments.first_entry().filter(|entry| entry.key().0 <= now) {
                receiver.on_segment(now, &entry.remove());
            }
            if let Some(entry) = acks.first_entry().filter(|entry| entry.key().0 <= now) {
                sender.on_ack(now, &entry.remove());
                told = true;
            }
        }
        steps
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn an_ack_that_finds_it_at_rest_does_what_any_ack_does(
            fates in prop::collection::vec((0u8..60, 0u64..300_000), 0..300),
            (tcp, pacing) in prop::sample::select(vec![
                ("sack", Pacing::Off), ("cubic", Pacing::Off), ("cubic", Pacing::Linux), ("bbr", Pacing::Off), ("bbr3", Pacing::Off),
            ]),
            recovery in prop::sample::select(vec![Recovery::Rack, Recovery::Rack, Recovery::Sack, Recovery::NewReno]),
            profile in prop::sample::select(vec![Profile::Rfc, Profile::Linux]),
            [prr, undo, dsack, frto, timestamps, delayed_ack, tail_loss_probe] in any::<[bool; 7]>(),
            [tso, small_queue, ecn] in any::<[bool; 3]>(),
        ) {
            let settings = Settings {
                prr, undo, dsack, frto, timestamps, delayed_ack, tail_loss_probe, tso, small_queue, ecn, pacing, recovery,
                segment_bytes: 1000,
                handshake: Handshake::None,
                initial_window: 10.0,
                receive_window: 100,
                ..settings(profile, TcpName::named(tcp))
            };
            let [short, long] = [false, true].map(|restless| transfer(&settings, &fates, restless));
            prop_assert_eq!(short, long);
        }
    }
}
