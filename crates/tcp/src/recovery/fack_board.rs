//! The scoreboard of [`Fack`](super::fack::Fack): each stretch of outstanding data is in flight, SACKed, lost
//! or sent again.
//!
//! The rules are those of ns-2's TCP/Linux (`ScoreBoard1`): a segment is lost when the forward-most SACKed
//! one is more than the duplicate threshold ahead of it, and a retransmission is lost again when data sent
//! after it was SACKed, or a retransmission that went out sufficiently later.

use crate::core::DUPLICATE_THRESHOLD;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Sacked,
    Lost,
    /// Sent again as number `id`, when everything before `sent_to` had been sent.
    Resent {
        id: u64,
        sent_to: u64,
    },
}

/// A stretch `start..end` in one state; one segment if it was sent again.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: u64,
    end: u64,
    state: State,
}

/// The news in an ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// Some segment was newly SACKed.
    pub sacked: bool,
    /// Some segment was newly found lost.
    pub lost: bool,
}

/// The outstanding data from the cumulative ACK to the forward-most SACK, in ascending runs without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    runs: Vec<Run>,
    /// The end of the forward-most SACKed data.
    forward: u64,
    /// Bytes SACKed, and bytes lost and not sent again.
    sacked: u64,
    lost: u64,
    /// The number of the next retransmission, and of the latest one known to have arrived.
    next_id: u64,
    arrived_id: Option<u64>,
}

impl Board {
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn clear(&mut self) {
        self.runs.clear();
        self.forward = 0;
        self.sacked = 0;
        self.lost = 0;
        self.next_id = 0;
        self.arrived_id = None;
    }

    /// Bytes that are not in the network although they are outstanding.
    #[inline]
    pub fn left_network(&self) -> u64 {
        self.sacked + self.lost
    }

    /// The cumulative ACK reached `una`; says whether a later retransmission than known before arrived.
    fn acknowledge(&mut self, una: u64) -> bool {
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
        later
    }

    /// Takes in a cumulative ACK and SACK blocks, which must be in ascending order.
    pub fn update(&mut self, una: u64, blocks: &[(u64, u64)], segment: u64) -> News {
        let mut thorough = self.acknowledge(una);
        if self.runs.is_empty() {
            self.clear();
            thorough = false;
        }
        let mut news = News::default();
        let Some(&(_, furthest)) = blocks.last() else {
            if thorough {
                self.find_losses(segment, &mut news);
            }
            return news;
        };
        if furthest > self.forward {
            self.forward = furthest;
        }
        self.extend(una);
        for &(start, end) in blocks {
            news.sacked |= self.sack(start.max(una), end);
        }
        self.find_losses(segment, &mut news);
        self.merge();
        news
    }

    /// The runs reach to the forward-most SACK.
    fn extend(&mut self, una: u64) {
        let end = self.runs.last().map_or(una, |run| run.end);
        if end < self.forward {
            self.runs.push(Run { start: end, end: self.forward, state: State::InFlight });
        }
    }

    fn sack(&mut self, start: u64, end: u64) -> bool {
        let mut news = false;
        let mut at = self.runs.partition_point(|run| run.end <= start);
        while let Some(&run) = self.runs.get(at).filter(|run| run.start < end) {
            if run.state != State::Sacked {
                at = self.isolate(at, start, end);
                let run = &mut self.runs[at];
                match run.state {
                    State::Lost => self.lost -= run.end - run.start,
                    State::Resent { id, .. } => self.arrived_id = self.arrived_id.max(Some(id)),
                    State::InFlight | State::Sacked => {}
                }
                self.sacked += run.end - run.start;
                run.state = State::Sacked;
                news = true;
            }
            at += 1;
            debug_assert!(run.start < run.end, "runs are never empty");
        }
        news
    }

    /// Splits the run at `at` so that one run is exactly its part in `start..end`; returns that run's
    /// index.
    fn isolate(&mut self, at: usize, start: u64, end: u64) -> usize {
        let run = self.runs[at];
        let mut at = at;
        if run.start < start {
            self.runs[at].end = start;
            self.runs.insert(at + 1, Run { start, ..run });
            at += 1;
        }
        if run.end > end {
            self.runs[at].end = end;
            self.runs.insert(at + 1, Run { start: end, ..run });
        }
        at
    }

    fn find_losses(&mut self, segment: u64, news: &mut News) {
        // With ns-2's inclusive segment numbers: a segment is lost that starts at or before fack - (threshold + 1).
        let ahead = u64::from(DUPLICATE_THRESHOLD) + 2;
        let mut at = 0;
        while at < self.runs.len() {
            let run = self.runs[at];
            match run.state {
                State::Resent { id, sent_to } => {
                    let overtaken = id + u64::from(DUPLICATE_THRESHOLD) + 1;
                    if sent_to < self.forward || self.arrived_id.is_some_and(|arrived| overtaken < arrived) {
                        self.mark_lost(at, news);
                    }
                }
                State::InFlight if run.start + ahead * segment <= self.forward => {
                    let lost_to = self.forward - (ahead - 1) * segment;
                    let at = self.isolate(at, run.start, lost_to.min(run.end));
                    self.mark_lost(at, news);
                }
                State::InFlight | State::Sacked | State::Lost => {}
            }
            at += 1;
        }
    }

    fn mark_lost(&mut self, at: usize, news: &mut News) {
        let run = &mut self.runs[at];
        run.state = State::Lost;
        self.lost += run.end - run.start;
        news.lost = true;
    }

    /// Joins neighbours in the same state, so that there are no more runs than holes.
    fn merge(&mut self) {
        self.runs.dedup_by(|next, run| {
            let joins = run.state == next.state && !matches!(run.state, State::Resent { .. });
            if joins {
                run.end = next.end;
            }
            joins
        });
    }

    /// After a timeout everything outstanding that is not SACKed is lost.
    pub fn lose_all(&mut self, una: u64, nxt: u64) {
        let end = self.runs.last().map_or(una, |run| run.end);
        if end < nxt {
            self.runs.push(Run { start: end, end: nxt, state: State::InFlight });
        }
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

    /// The first lost segment.
    pub fn first_lost(&self) -> Option<u64> {
        if self.lost == 0 {
            return None;
        }
        self.runs.iter().find(|run| run.state == State::Lost).map(|run| run.start)
    }

    /// The lost segment `start..end` goes out again, when everything before `nxt` has been sent.
    pub fn resend(&mut self, start: u64, end: u64, nxt: u64) {
        let at = self.runs.partition_point(|run| run.end <= start);
        let at = self.isolate(at, start, end);
        let run = &mut self.runs[at];
        self.lost -= run.end - run.start;
        run.state = State::Resent { id: self.next_id, sent_to: nxt };
        self.next_id += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    /// A board on which these segments (by number) are SACKed one by one.
    fn board(sacks: &[u64]) -> (Board, News) {
        let mut board = Board::default();
        let mut news = News::default();
        for &number in sacks {
            news = board.update(0, &[(number * SEGMENT, (number + 1) * SEGMENT)], SEGMENT);
        }
        (board, news)
    }

    #[test]
    fn the_fourth_segment_beyond_makes_a_loss() {
        let (_, news) = board(&[1, 2, 3]);
        assert!(!news.lost);
        let (board, news) = board(&[1, 2, 3, 4]);
        assert!(news.lost);
        assert_eq!((board.first_lost(), board.left_network()), (Some(0), 5000));
    }

    #[test]
    fn a_stretch_is_lost_up_to_four_segments_before_the_last_one_sacked() {
        let (mut board, news) = board(&[9]);
        assert!(news.lost);
        // Segments 0 to 5 are lost, 9 is SACKed.
        assert_eq!((board.left_network(), board.runs.len()), (6000 + 1000, 3));
        board.update(1500, &[], SEGMENT);
        assert_eq!((board.first_lost(), board.left_network()), (Some(1500), 4500 + 1000));
    }

    #[test]
    fn neighbours_in_the_same_state_are_one_run() {
        let (board, _) = board(&[1, 2, 3]);
        assert_eq!(board.runs.len(), 2);
    }

    #[test]
    fn a_retransmission_is_lost_again_when_later_data_arrives() {
        let (mut board, _) = board(&[1, 2, 3, 4]);
        board.resend(0, 1000, 5000);
        assert_eq!(board.first_lost(), None);
        assert!(!board.update(0, &[(1000, 5000)], SEGMENT).lost);
        assert!(board.update(0, &[(1000, 6000)], SEGMENT).lost);
        assert_eq!(board.first_lost(), Some(0));
    }

    #[test]
    fn a_timeout_loses_all_that_is_not_sacked() {
        let (mut board, _) = board(&[2]);
        board.lose_all(0, 6000);
        assert_eq!(board.left_network(), 6000);
        assert_eq!(board.first_lost(), Some(0));
        assert!(!board.update(6000, &[], SEGMENT).lost);
        assert!(board.is_empty());
        assert_eq!(board.left_network(), 0);
    }
}
