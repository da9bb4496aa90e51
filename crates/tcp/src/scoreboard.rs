//! The sender's view of the data outstanding while something is SACKed or lost: each stretch is in flight, SACKed, lost or
//! retransmitted. The recoveries that use SACK are rules over it. While nothing is SACKed or lost it is empty, and costs nothing.

use crate::core::{Arrival, Core};
use crate::search::count_from_back;
use airfair_core::Time;

/// The state of a stretch of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    InFlight,
    Sacked,
    Lost,
    /// Retransmitted `at` this time, as retransmission number `id`, when everything before `sent_to` had been sent.
    Resent {
        id: u32,
        at: Time,
        sent_to: u64,
    },
}

/// A stretch `start..end` in one state; a single segment if it was retransmitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub start: u64,
    pub end: u64,
    pub state: State,
}

/// The outstanding data from the cumulative ACK to the forward-most SACK, in ascending runs without gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    runs: Vec<Run>,
    /// The end of the forward-most SACKed data.
    forward: u64,
    /// Bytes SACKed, and bytes lost and not retransmitted.
    sacked: u64,
    lost: u64,
    /// The number of the next retransmission, and of the latest retransmission known to have arrived.
    next_id: u32,
    arrived_id: Option<u32>,
}

impl Scoreboard {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Forgets everything, but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.runs.clear();
        *self = Scoreboard { runs: std::mem::take(&mut self.runs), ..Scoreboard::default() };
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The end of the forward-most SACKed data; zero without any.
    pub fn forward(&self) -> u64 {
        self.forward
    }

    /// The number of the latest retransmission known to have arrived.
    pub fn arrived_id(&self) -> Option<u32> {
        self.arrived_id
    }

    /// Bytes SACKed.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Bytes SACKed before `seq`.
    pub fn sacked_before(&self, seq: u64) -> u64 {
        if seq >= self.forward {
            return self.sacked;
        }
        let before = self.runs.iter().take_while(|run| run.start < seq);
        before.filter(|run| run.state == State::Sacked).map(|run| run.end.min(seq) - run.start).sum()
    }

    /// Extends the runs by the data in flight behind them, up to `end`.
    pub fn extend(&mut self, una: u64, end: u64) {
        let start = self.runs.last().map_or(una, |run| run.end);
        if start < end {
            self.runs.push(Run { start, end, state: State::InFlight });
        }
    }

    /// Bytes that an ACK shows for the first time to have arrived; to be called before the ACK is processed.
    pub fn news(&self, core: &Core, ack: &Arrival<'_>) -> u64 {
        let known = |start, end| self.sacked_before(end) - self.sacked_before(start);
        let from = ack.ack.max(core.una);
        // A block that reports a duplicate lies in another block, which counts.
        let duplicate = ack.duplicate(core.origin());
        let blocks = ack.blocks(core.origin()).filter(|block| Some(*block) != duplicate);
        let blocks = blocks.map(|(start, end)| (start.max(from), end.min(core.max_sent)));
        let all = std::iter::once((core.una, from)).chain(blocks);
        all.filter(|(start, end)| start < end).map(|(start, end)| end - start - known(start, end)).sum()
    }

    /// The index of the first run that reaches beyond `seq`.
    pub fn place_of(&self, seq: u64) -> usize {
        count_from_back(&self.runs, |run| run.end <= seq)
    }

    /// Whether all of `start..end` lies within the run at `place`, which is SACKed.
    #[inline]
    pub fn has_sacked(&self, place: usize, start: u64, end: u64) -> bool {
        let run = self.runs.get(place);
        run.is_some_and(|run| run.state == State::Sacked && run.start <= start && end <= run.end)
    }

    /// Whether anything is lost and was not retransmitted.
    #[inline]
    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Whether anything outstanding was found lost and has not arrived since, retransmitted or not.
    pub fn has_been_lost(&self) -> bool {
        self.runs.iter().any(|run| matches!(run.state, State::Lost | State::Resent { .. }))
    }

    /// Bytes that are outstanding, but not in the network: SACKed, or lost and not retransmitted.
    #[inline]
    pub fn left_network(&self) -> u64 {
        self.sacked + self.lost
    }

    /// The stretches in flight below the forward-most SACK, in ascending order.
    pub fn holes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.runs.iter().filter(|run| run.state == State::InFlight).map(|run| (run.start, run.end))
    }

    /// The first hole that reaches beyond `from`, without its part before `from`.
    pub fn next_hole(&self, from: u64) -> Option<(u64, u64)> {
        self.holes().find(|hole| hole.1 > from).map(|(start, end)| (start.max(from), end))
    }

    /// The place of the first run that is lost.
    pub fn lost_run(&self) -> Option<usize> {
        if self.lost == 0 {
            return None;
        }
        self.runs.iter().position(|run| run.state == State::Lost)
    }

    /// The first lost segment.
    pub fn first_lost(&self) -> Option<u64> {
        self.lost_run().map(|at| self.runs[at].start)
    }

    /// Moves the cumulative ACK to `una`. Returns whether a later retransmission than known before has arrived.
    #[inline]
    pub fn acknowledge(&mut self, una: u64) -> bool {
        self.runs.first().is_some_and(|first| first.start < una) && self.acknowledge_some(una)
    }

    /// [`Scoreboard::acknowledge`] where that takes something off the board.
    #[inline(never)]
    fn acknowledge_some(&mut self, una: u64) -> bool {
        let mut later = false;
        let mut gone = 0;
        for run in &mut self.runs {
            if run.start >= una {
                break;
            }
            let covered = run.end.min(una) - run.start;
            match run.state {
                State::Sacked => self.sacked -= covered,
                State::Lost => self.lost -= covered,
                State::Resent { id, .. } if run.end <= una && Some(id) > self.arrived_id => {
                    self.arrived_id = Some(id);
                    later = true;
                }
                State::Resent { .. } | State::InFlight => {}
            }
            if run.end > una {
                run.start = una;
                break;
            }
            gone += 1;
        }
        self.runs.drain(..gone);
        if self.runs.is_empty() {
            self.clear();
            return false;
        }
        later
    }

    /// Marks the part of `start..end` from `una` on as SACKed. Returns whether any of it was not SACKed before.
    #[inline]
    pub fn sack(&mut self, una: u64, start: u64, end: u64) -> bool {
        let start = start.max(una);
        if start >= end {
            return false;
        }
        // Mostly the forward-most stretch grows.
        if let Some(last) = self.runs.last_mut()
            && last.state == State::Sacked
            && (last.start..=last.end).contains(&start)
        {
            let more = end.saturating_sub(last.end);
            last.end += more;
            self.sacked += more;
            self.forward = self.forward.max(end);
            return more > 0;
        }
        // From the back, because changes behind a run leave its index as it is.
        let at = count_from_back(&self.runs, |run| run.start < end);
        let is_known = at.checked_sub(1).is_some_and(|before| self.has_sacked(before, start, end));
        !is_known && self.sack_from(at, una, start, end)
    }

    /// [`Scoreboard::sack`] where the first run at or behind `end` is at `at`.
    #[inline(never)]
    fn sack_from(&mut self, mut at: usize, una: u64, start: u64, end: u64) -> bool {
        let known = self.runs.last().map_or(una, |run| run.end);
        let mut news = known < end;
        if news {
            self.sack_behind(una, known.max(start), end);
        }
        while let Some(run) = at.checked_sub(1).map(|before| self.runs[before])
            && run.end > start
        {
            at -= 1;
            if run.state != State::Sacked {
                self.sack_in(at, run.start.max(start), run.end.min(end));
                news = true;
            }
        }
        self.forward = self.forward.max(end);
        news
    }

    /// Marks the part `start..end` of the run at `at` as SACKed, which it was not.
    fn sack_in(&mut self, at: usize, start: u64, end: u64) {
        self.sacked += end - start;
        let run = self.runs[at];
        match run.state {
            State::Lost => self.lost -= end - start,
            State::Resent { id, .. } => self.arrived_id = self.arrived_id.max(Some(id)),
            State::InFlight | State::Sacked => {}
        }
        let (before, after) = (run.start < start, end < run.end);
        let joins = |other: Option<&Run>| other.is_some_and(|run| run.state == State::Sacked);
        let last = !before && joins(at.checked_sub(1).map(|at| &self.runs[at]));
        let next = !after && joins(self.runs.get(at + 1));
        // The rest of the run remains before and after; between them is the SACKed run, or a neighbour becomes longer.
        match (last, next) {
            (true, true) => {
                self.runs[at - 1].end = self.runs[at + 1].end;
                self.runs.drain(at..at + 2);
            }
            (true, false) => {
                self.runs[at - 1].end = end;
                self.shorten(at, Run { start: end, ..run });
            }
            (false, true) => {
                self.runs[at + 1].start = start;
                self.shorten(at, Run { end: start, ..run });
            }
            (false, false) => {
                self.runs[at] = Run { start, end, state: State::Sacked };
                if after {
                    self.runs.insert(at + 1, Run { start: end, ..run });
                }
                if before {
                    self.runs.insert(at, Run { end: start, ..run });
                }
            }
        }
    }

    /// Marks `start..end`, which lies behind all runs, as SACKed.
    fn sack_behind(&mut self, una: u64, start: u64, end: u64) {
        self.sacked += end - start;
        let known = self.runs.last().map_or(una, |run| run.end);
        match self.runs.last_mut() {
            Some(last) if last.state == State::Sacked && known == start => return last.end = end,
            Some(last) if last.state == State::InFlight => last.end = start,
            _ if known < start => self.runs.push(Run { start: known, end: start, state: State::InFlight }),
            _ => {}
        }
        self.runs.push(Run { start, end, state: State::Sacked });
    }

    /// Shortens the run at `at` to this part of it, or removes the run if the part is empty.
    fn shorten(&mut self, at: usize, part: Run) {
        if part.start < part.end {
            self.runs[at] = part;
        } else {
            self.runs.remove(at);
        }
    }

    /// Splits the run at `at` at `end`, if that lies within it.
    fn split(&mut self, at: usize, end: u64) {
        let run = self.runs[at];
        if run.end > end {
            self.runs[at].end = end;
            self.runs.insert(at + 1, Run { start: end, ..run });
        }
    }

    /// Joins neighbours in the same state. Retransmitted segments stay runs of their own.
    pub fn merge(&mut self) {
        self.runs.dedup_by(|next, run| {
            let joins = run.state == next.state && !matches!(run.state, State::Resent { .. });
            if joins {
                run.end = next.end;
            }
            joins
        });
    }

    /// Marks the part before `end` of the run at `at`, which is not SACKed, as lost.
    pub fn lose(&mut self, at: usize, end: u64) {
        self.split(at, end);
        let run = &mut self.runs[at];
        run.state = State::Lost;
        self.lost += run.end - run.start;
    }

    /// Marks everything outstanding that is not SACKed as lost, as after a timeout.
    pub fn lose_all(&mut self, una: u64, nxt: u64) {
        self.extend(una, nxt);
        for run in &mut self.runs {
            if !matches!(run.state, State::Sacked | State::Lost) {
                self.lost += run.end - run.start;
                run.state = State::Lost;
            }
        }
        self.merge();
        self.next_id = 0;
        self.arrived_id = None;
    }

    /// Marks what was lost and not retransmitted as in flight again.
    pub fn find_again(&mut self) {
        for run in self.runs.iter_mut().filter(|run| run.state == State::Lost) {
            run.state = State::InFlight;
        }
        self.lost = 0;
        self.merge();
    }

    /// Marks the part before `end` of the lost run at `place` as retransmitted now, when everything before `sent_to` has been sent.
    pub fn resend(&mut self, now: Time, place: usize, end: u64, sent_to: u64) {
        self.split(place, end);
        let run = &mut self.runs[place];
        self.lost -= run.end - run.start;
        run.state = State::Resent { id: self.next_id, at: now, sent_to };
        self.next_id += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A board on which these segments of 1000 bytes (by number) are SACKed one by one.
    fn board(sacks: &[u64]) -> Scoreboard {
        let mut board = Scoreboard::default();
        sacks.iter().for_each(|number| assert!(board.sack(0, number * 1000, (number + 1) * 1000)));
        board
    }

    #[test]
    fn neighbours_in_the_same_state_are_one_run() {
        let board = board(&[1, 3, 2]);
        assert_eq!((board.runs.len(), board.forward(), board.left_network()), (2, 4000, 3000));
    }

    #[test]
    fn a_hole_is_found_from_where_it_was_not_sent_again() {
        let board = board(&[2, 5]);
        assert_eq!(board.holes().collect::<Vec<_>>(), [(0, 2000), (3000, 5000)]);
        for (from, hole) in
            [(0, Some((0, 2000))), (1000, Some((1000, 2000))), (2000, Some((3000, 5000))), (5000, None)]
        {
            assert_eq!(board.next_hole(from), hole, "{from}");
        }
    }

    #[test]
    fn a_cumulative_ack_takes_what_it_covers_off_the_board() {
        let mut board = board(&[2, 5]);
        board.lose(0, 1000);
        assert_eq!((board.left_network(), board.first_lost()), (3000, Some(0)));
        board.acknowledge(2500);
        assert_eq!((board.left_network(), board.first_lost()), (1500, None));
        board.acknowledge(6000);
        assert!(board.is_empty());
        assert_eq!((board.left_network(), board.forward()), (0, 0));
    }

    #[test]
    fn a_timeout_loses_all_that_is_not_sacked() {
        let mut board = board(&[2]);
        board.lose_all(0, 6000);
        assert_eq!((board.left_network(), board.first_lost()), (6000, Some(0)));
        board.resend(Time::ZERO, 0, 1000, 6000);
        assert_eq!((board.left_network(), board.first_lost()), (5000, Some(1000)));
    }

    proptest! {
        /// SACKed bytes are those of a set.
        #[test]
        fn it_agrees_with_a_set_of_bytes(
            sacks in prop::collection::vec((0u64..60, 0u64..12), 0..30),
            (before, una) in (0usize..30, 0u64..40),
        ) {
            let mut board = Scoreboard::default();
            let mut bytes = std::collections::BTreeSet::new();
            for (number, (start, len)) in sacks.into_iter().enumerate() {
                let una = if number < before { 0 } else { una };
                board.acknowledge(una);
                bytes.retain(|&byte| byte >= una);
                let known = bytes.len();
                bytes.extend((start..start + len).filter(|&byte| byte >= una));
                prop_assert_eq!(board.sack(una, start, start + len), bytes.len() > known);
                let sacked = board.runs.iter().filter(|run| run.state == State::Sacked);
                let listed: Vec<u64> = sacked.flat_map(|run| run.start..run.end).collect();
                prop_assert_eq!(&listed, &bytes.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(board.left_network(), listed.len() as u64);
                prop_assert!(board.runs.windows(2).all(|two| two[0].end == two[1].start && two[0].state != two[1].state));
                prop_assert!(board.runs.first().is_none_or(|first| first.start == una));
            }
        }
    }
}
