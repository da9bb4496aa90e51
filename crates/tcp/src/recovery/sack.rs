//! SACK-based loss recovery (RFC 6675).

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD, LastCut, Pending};
use crate::info::View;
use crate::prr::{Delivery, Prr};
use crate::scoreboard::{Scoreboard, State};
use crate::settings::Settings;

/// The sender's scoreboard and where recovery stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sack {
    board: Scoreboard,
    in_recovery: bool,
    /// `HighRxt`: holes before this offset were retransmitted.
    resent_to: u64,
    /// `RescueRxt`: whether this recovery has used its rescue retransmission (section 4, rule 4 of NextSeg).
    rescued: bool,
    /// Decides what goes out in recovery; `None` if the window does.
    prr: Option<Box<Prr>>,
}

/// The state before an ACK: bytes that had arrived, and the offset below which holes were lost.
#[derive(Clone, Copy, Debug)]
struct Before {
    delivered: u64,
    lost_to: u64,
}

/// Whether the data outstanding at the last timeout are being retransmitted.
#[inline]
fn refills(core: &Core) -> bool {
    core.last_cut == LastCut::Timeout && core.una < core.recover
}

impl Sack {
    pub fn new(settings: &Settings) -> Sack {
        // A control with a rate of its own sets what is in the network itself, as in Linux.
        let paced = settings.prr && !settings.control.paces();
        Sack { prr: paced.then(Box::default), ..Sack::default() }
    }

    #[inline(never)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if self.prr.is_none() {
            return self.take(core, ack);
        }
        let before = Before { delivered: self.delivered(core), lost_to: self.lost_to(core) };
        let (una, recovered, running) = (core.una, self.in_recovery, core.reduction());
        self.take(core, ack);
        let begins = self.in_recovery && !recovered;
        if let Some(prr) = self.prr.as_mut().filter(|_| begins) {
            **prr = running.unwrap_or_else(|| Prr::beginning(core.max_sent - before.delivered));
        }
        if self.in_recovery {
            self.pace(core, before, core.una > una, begins);
        }
    }

    fn take(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let news = self.learn(core, ack);
        if ack.ack > core.una {
            self.on_new(core, ack);
        } else if ack.ack == core.una && news {
            // A duplicate ACK is one that SACKs something new (section 2).
            core.tell_duplicate(ack.now, None);
            core.dupacks += 1;
        }
        if !self.in_recovery && core.dupacks > 0 {
            self.consider(core, ack);
        }
        core.budget = u32::MAX;
    }

    /// See [`Recovery::delivers`](super::Recovery::delivers).
    pub fn delivers(&self, core: &Core, ack: &Arrival<'_>) -> u64 {
        self.board.news(core, ack)
    }

    /// Bytes known to have arrived.
    fn delivered(&self, core: &Core) -> u64 {
        core.una + self.board.left_network()
    }

    /// Sets what an ACK of a recovery lets out (RFC 9937). `begins`: the recovery began with this ACK, and with a fast retransmission.
    fn pace(&mut self, core: &Core, before: Before, advances: bool, begins: bool) {
        let bytes = self.delivered(core) - before.delivered;
        let lost_to = self.lost_to(core);
        let lost_more = self.board.holes().any(|hole| hole.1 > before.lost_to && hole.1 <= lost_to);
        let resent = if begins { core.len_at(core.una) } else { 0 };
        let inflight = self.pipe(core).saturating_sub(resent);
        let target = (core.window.cwnd * core.segment() as f64) as u64;
        let Some(prr) = &mut self.prr else { return };
        if bytes > 0 {
            let delivery = Delivery { bytes, inflight, safe: advances && !lost_more };
            prr.on_delivery(delivery, target, core.segment());
        }
        prr.on_send(resent);
    }

    /// See [`Recovery::rests`](super::Recovery::rests).
    pub fn rests(&self) -> bool {
        !self.in_recovery && self.board.is_empty()
    }

    fn on_new(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let over = ack.ack >= core.recover;
        if self.in_recovery && !over {
            core.accept_partial(ack, None);
            core.arm(ack.now);
        } else {
            let grows = !self.in_recovery;
            self.in_recovery = false;
            core.accept_maybe_first(ack, grows);
        }
        self.board.acknowledge(core.una);
    }

    /// Section 5, steps 1 to 4.
    fn consider(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let late = core.dupacks >= DUPLICATE_THRESHOLD || self.first_is_lost(core);
        if late && core.may_retransmit() {
            self.in_recovery = true;
            self.rescued = false;
            let reduction = core.cut(ack.now, false);
            core.window.cwnd = reduction.cwnd;
            core.begin_recovery(ack.now);
            self.resent_to = core.una + core.len_at(core.una);
            core.pending = Pending::First;
        } else if core.dupacks < DUPLICATE_THRESHOLD && !refills(core) {
            core.limited_transmit();
        }
    }

    fn learn(&mut self, core: &Core, ack: &Arrival<'_>) -> bool {
        let mut news = false;
        for (start, end) in ack.blocks(core.origin()) {
            // A block beyond the data sent, or below the ACK, shows nothing.
            news |= self.board.sack(core.una, start, end.min(core.max_sent));
        }
        news
    }

    fn first_is_lost(&self, core: &Core) -> bool {
        self.lost_to(core) > core.una
    }

    /// The offset at or before which the lost holes end: those that have enough SACKed above them (`IsLost`, section 4).
    fn lost_to(&self, core: &Core) -> u64 {
        let enough = u64::from(DUPLICATE_THRESHOLD - 1) * core.segment();
        let (mut runs, mut bytes) = (0, 0);
        for run in self.board.runs().iter().rev().filter(|run| run.state == State::Sacked) {
            runs += 1;
            bytes += run.end - run.start;
            if runs >= DUPLICATE_THRESHOLD || bytes > enough {
                return run.start;
            }
        }
        core.una
    }

    /// `SetPipe` (section 4).
    fn pipe(&self, core: &Core) -> u64 {
        let lost_to = self.lost_to(core);
        let mut pipe = core.max_sent - self.board.forward().max(core.una);
        for (start, end) in self.board.holes() {
            if end > lost_to {
                pipe += end - start;
            }
            pipe += self.resent_to.clamp(start, end) - start;
        }
        pipe
    }

    /// The offset of the first hole that was not retransmitted and ends at or before `limit`.
    fn next_hole(&self, limit: u64) -> Option<u64> {
        self.board.next_hole(self.resent_to).filter(|&(_, end)| end <= limit).map(|(start, _)| start)
    }

    pub fn next(&mut self, core: &mut Core) -> Option<u64> {
        if !self.in_recovery {
            if self.fills_gaps(core) {
                return self.next_gap(core);
            }
            return core.next_in_window();
        }
        if !self.has_room(core) {
            return None;
        }
        let next = self.next_segment(core)?;
        if let Some(prr) = &mut self.prr {
            prr.on_send(core.len_at(next));
        }
        Some(next)
    }

    /// See [`Recovery::view`](super::Recovery::view).
    pub fn view(&self, core: &Core) -> View {
        let (segment, lost_to) = (core.segment(), self.lost_to(core));
        let prr = self.prr.as_ref().filter(|_| self.in_recovery);
        let count = |bytes: u64| bytes.div_ceil(segment);
        let lost =
            self.board.holes().filter(|hole| hole.1 <= lost_to).map(|hole| count(hole.1 - hole.0)).sum();
        let resent =
            self.board.holes().map(|(start, end)| count(self.resent_to.clamp(start, end) - start)).sum();
        View {
            recovering: self.in_recovery,
            cwnd: prr.map(|prr| (self.pipe(core) + prr.allowance()) as f64 / segment as f64),
            lost,
            resent: if self.in_recovery { resent } else { 0 },
            ..View::of(self.board.runs(), segment)
        }
    }

    /// Whether retransmission after a timeout skips data that the receiver has SACKed since (RFC 6675, section 5.1).
    #[inline]
    fn fills_gaps(&self, core: &Core) -> bool {
        !self.board.is_empty() && refills(core)
    }

    /// Moves on to the next segment in order that was not SACKed, if the window has room, and returns its offset.
    fn next_gap(&self, core: &mut Core) -> Option<u64> {
        let seq = self.gap(core)?;
        core.nxt = seq;
        Some(core.advance())
    }

    /// The offset of that segment. Retransmissions that were SACKed leave their room to others, within the receiver's window.
    fn gap(&self, core: &Core) -> Option<u64> {
        let seq = match self.board.runs().get(self.board.place_of(core.nxt)) {
            Some(run) if run.state == State::Sacked && run.start <= core.nxt => run.end,
            _ => core.nxt,
        };
        let window = (core.usable() + self.board.sacked_before(seq)).min(core.receive_window());
        (seq < core.end && core.fits(seq, window)).then_some(seq)
    }

    /// Whether a segment may go out in recovery: the window has room beyond the pipe, or ([`Prr`]) the allowance is not used up.
    fn has_room(&self, core: &Core) -> bool {
        if let Some(prr) = &self.prr {
            return prr.has_room(core.segment());
        }
        core.window_holds(self.pipe(core) + core.segment())
    }

    /// See [`Recovery::is_full`](super::Recovery::is_full).
    pub fn is_full(&self, core: &Core) -> bool {
        if self.in_recovery {
            !self.has_room(core)
        } else if self.fills_gaps(core) {
            let sent_again = core.nxt - core.una - self.board.sacked_before(core.nxt);
            !core.window_holds(sent_again + core.segment())
        } else {
            core.is_full()
        }
    }

    /// See [`Recovery::wants_to_send`](super::Recovery::wants_to_send).
    pub fn wants_to_send(&self, core: &Core) -> bool {
        if self.in_recovery {
            self.has_room(core)
        } else if self.fills_gaps(core) {
            self.gap(core).is_some()
        } else {
            core.has_next_in_window()
        }
    }

    /// `NextSeg` (section 4): lost holes, new data, other holes, and once a rescue of the last segment.
    fn next_segment(&mut self, core: &mut Core) -> Option<u64> {
        if let Some(hole) = self.next_hole(self.lost_to(core)) {
            return Some(self.resend(core, hole));
        }
        core.nxt = core.nxt.max(core.max_sent);
        if core.nxt < core.end && core.fits(core.nxt, core.receive_window()) {
            return Some(core.advance());
        }
        if let Some(hole) = self.next_hole(u64::MAX) {
            return Some(self.resend(core, hole));
        }
        let highest = self.board.forward().max(core.una);
        if self.rescued || highest >= core.max_sent || self.resent_to >= core.max_sent {
            return None;
        }
        self.rescued = true;
        Some(core.max_sent.saturating_sub(core.segment()).max(highest))
    }

    fn resend(&mut self, core: &Core, hole: u64) -> u64 {
        self.resent_to = hole + core.len_at(hole);
        hole
    }

    /// After a timeout, forgets SACK information, which the receiver may have discarded (RFC 2018, section 8).
    pub fn on_timeout(&mut self) {
        self.in_recovery = false;
        self.board.clear();
        self.resent_to = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks};
    use crate::settings::Settings;
    use airfair_core::Time;
    use std::sync::Arc;

    /// A sender that has sent ten segments of 1000 bytes, of which these are SACKed.
    fn scoreboard(sacked: &[u64]) -> (Sack, Core) {
        let settings = Settings { segment_bytes: 1000, ..settings(Profile::Rfc, TcpName::named("sack")) };
        let mut core = Core::new(Arc::new(settings));
        core.una = 1000;
        core.max_sent = 11_000;
        let mut sack = Sack::default();
        for number in sacked {
            sack.board.sack(core.una, 1000 * (number + 1), 1000 * (number + 2));
        }
        (sack, core)
    }

    #[test]
    fn a_hole_is_lost_with_three_runs_or_more_than_two_segments_above() {
        let (sack, core) = scoreboard(&[1, 3]);
        assert!(!sack.first_is_lost(&core));
        for sacked in [&[1, 3, 5][..], &[1, 2, 3], &[7, 8, 9]] {
            let (sack, core) = scoreboard(sacked);
            assert!(sack.first_is_lost(&core), "{sacked:?}");
        }
    }

    #[test]
    fn the_pipe_leaves_out_what_is_sacked_or_lost_and_counts_what_was_resent() {
        // Segment 0 is lost, 4 is not yet (two SACKed above it), 7 to 9 are on their way.
        let (mut sack, core) = scoreboard(&[1, 2, 3, 5, 6]);
        assert_eq!(sack.pipe(&core), 1000 + 3000);
        sack.resent_to = 2000;
        assert_eq!(sack.pipe(&core), 1000 + 3000 + 1000);
        assert_eq!(sack.next_hole(sack.lost_to(&core)), None);
        assert_eq!(sack.next_hole(u64::MAX), Some(5000));
    }

    #[test]
    fn the_pipe_and_another_segment_have_to_fit_the_window() {
        let (mut sack, mut core) = scoreboard(&[1, 2, 3, 5, 6]);
        sack.in_recovery = true;
        for (cwnd, wants) in [(3.0, false), (4.9, false), (5.0, true), (9.0, true)] {
            core.window.cwnd = cwnd;
            assert_eq!(sack.wants_to_send(&core), wants, "{cwnd}");
        }
    }

    /// RFC 6675, section 2: a duplicate ACK SACKs something new.
    #[test]
    fn three_acks_that_sack_new_data_start_a_recovery() {
        let (mut sack, mut core) = scoreboard(&[]);
        core.window.cwnd = 10.0;
        for (number, dupacks, recovers) in [(9, 1, false), (9, 1, false), (7, 2, false), (5, 3, true)] {
            let mut blocks = SackBlocks::NONE;
            blocks.push(0, 1000 * number, 1000 * (number + 1));
            let raw = Ack { ack: 0, window: 44, sack: blocks, echo: Time(0), syn: true, ece: false, ace: 0 };
            sack.on_ack(&mut core, &Arrival { now: Time(1), ack: 1000, echo: Time(0), raw: &raw });
            assert_eq!((core.dupacks, sack.in_recovery), (dupacks, recovers), "{number}");
        }
        assert_eq!(core.stats.fast_retransmits, 1);
    }

    /// RFC 6675, section 5.1: once all that was sent before the last recovery or a timeout is acknowledged. RFC 6582, section 3.2, asks for more.
    #[test]
    fn a_loss_of_the_first_segment_sent_in_a_recovery_starts_the_next() {
        let ack =
            Ack { ack: 0, window: 44, sack: SackBlocks::NONE, echo: Time(0), syn: true, ece: false, ace: 0 };
        for (recover, recovers) in [(0, true), (900, true), (1000, true), (1001, false)] {
            let (mut sack, mut core) = scoreboard(&[1, 2, 3]);
            (core.recover, core.dupacks) = (recover, DUPLICATE_THRESHOLD);
            sack.consider(&mut core, &Arrival { now: Time(1), ack: 1000, echo: Time(0), raw: &ack });
            assert_eq!(sack.in_recovery, recovers, "{recover}");
        }
        let mut core = Core::new(Arc::new(settings(Profile::Rfc, TcpName::named("newreno"))));
        (core.una, core.recover) = (1000, 1000);
        assert!(!core.may_retransmit());
    }

    /// Section 4, rule 4 of NextSeg: the rescue includes the highest segment outstanding that is not SACKed, also one that was sent in the recovery.
    #[test]
    fn the_last_segment_outstanding_is_rescued_once() {
        // The first segment has been sent again, and two new ones after it, up to 13000.
        for (last, rescue) in [(8, Some(12_000)), (10, Some(12_000)), (11, None)] {
            let (mut sack, mut core) = scoreboard(&(1..=last).collect::<Vec<_>>());
            (core.nxt, core.max_sent, core.end, core.recover) = (13_000, 13_000, 13_000, 11_000);
            (sack.in_recovery, sack.resent_to) = (true, 2000);
            assert_eq!(sack.next_segment(&mut core), rescue, "{last}");
            assert_eq!(sack.next_segment(&mut core), None);
        }
    }

    /// RFC 2018, section 8.
    #[test]
    fn a_timeout_clears_the_scoreboard() {
        let (mut sack, core) = scoreboard(&[1, 3]);
        (sack.in_recovery, sack.resent_to) = (true, 2000);
        sack.on_timeout();
        assert_eq!((sack.in_recovery, sack.resent_to, sack.board.is_empty()), (false, 0, true));
        assert_eq!(sack.pipe(&core), 10_000);
    }

    /// RFC 6675, section 5.1, and RFC 2018, section 5: what the receiver tells of after a timeout is not sent again, and leaves its room in the
    /// window to what is missing.
    #[test]
    fn after_a_timeout_only_what_is_not_sacked_goes_out_again() {
        let settings = Settings {
            segment_bytes: 1000,
            handshake: crate::settings::Handshake::None,
            initial_window: 20.0,
            ..settings(Profile::Rfc, TcpName::named("sack"))
        };
        let mut sender = crate::Sender::new(&settings);
        sender.write(Time(0), 30_000);
        let sent = |sender: &mut crate::Sender, now: Time| {
            let segments = std::iter::from_fn(|| sender.poll_transmit(now));
            segments.map(|segment| segment.seq / 1000).collect::<Vec<_>>()
        };
        assert_eq!(sent(&mut sender, Time(0)).len(), 20);
        let now = sender.next_deadline();
        sender.on_timer(now);
        assert_eq!(sent(&mut sender, now), [0]);
        let answer = |sender: &mut crate::Sender, next: u64, blocks: &[(u64, u64)]| {
            let mut sack = SackBlocks::NONE;
            for (start, end) in blocks {
                sack.push(next * 1000, start * 1000, end * 1000);
            }
            let ack = Ack { ack: next * 1000, window: 44, sack, echo: now, syn: true, ece: false, ace: 0 };
            sender.on_ack(now, &ack);
            (sent(sender, now), sender.cwnd())
        };
        // Segments 3, 9 and 18 are missing, and so may be 19.
        let blocks = [(4, 9), (10, 18)];
        assert_eq!(answer(&mut sender, 3, &blocks), (vec![3, 9], 2.0));
        assert_eq!(answer(&mut sender, 9, &blocks[1..]), (vec![18, 19], 3.0));
        // A duplicate ACK leaves its room, too, and does not open the window.
        assert_eq!(answer(&mut sender, 9, &[(19, 20), (10, 18)]), (vec![20], 3.0));
        assert_eq!(answer(&mut sender, 18, &[(19, 20)]), (vec![21, 22], 4.0));
        assert_eq!(answer(&mut sender, 20, &[]), (vec![23, 24], 5.0));
        let stats = sender.stats();
        assert_eq!((stats.retransmissions, stats.timeouts, stats.fast_retransmits), (5, 1, 0));
    }

    /// RFC 9937, section 7: the segments that go out on each ACK of a window of 20 whose first segment was lost, and the window after it.
    #[test]
    fn with_proportional_rate_reduction_every_other_ack_lets_a_segment_out() {
        let paced = |prr| {
            let settings = Settings {
                segment_bytes: 1000,
                prr,
                handshake: crate::settings::Handshake::None,
                initial_window: 20.0,
                limited_transmit: true,
                loss_base: crate::settings::LossBase::Window,
                ..settings(Profile::Rfc, TcpName::named("sack"))
            };
            let mut sender = crate::Sender::new(&settings);
            sender.write_unbounded(Time(0));
            let sent =
                |sender: &mut crate::Sender| std::iter::from_fn(|| sender.poll_transmit(Time(1))).count();
            assert_eq!(sent(&mut sender), 20);
            let counts: Vec<usize> = (1..20)
                .map(|number| {
                    let mut sack = SackBlocks::NONE;
                    sack.push(0, 1000, 1000 * (number + 1));
                    let ack = Ack { ack: 0, window: 44, sack, echo: Time(0), syn: true, ece: false, ace: 0 };
                    sender.on_ack(Time(1), &ack);
                    sent(&mut sender)
                })
                .collect();
            (counts, sender.cwnd())
        };
        let (counts, cwnd) = paced(true);
        assert_eq!((counts, cwnd), (vec![1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0], 10.0));
        // RFC 6675 waits until the pipe has come down, and then sends on each.
        let (counts, cwnd) = paced(false);
        assert_eq!((counts, cwnd), (vec![1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1], 10.0));
    }
}
