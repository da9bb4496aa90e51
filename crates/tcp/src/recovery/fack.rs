//! SACK with forward acknowledgement (Mathis & Mahdavi 1996) and rate halving, as ns-2's TCP/Linux has it.
//!
//! The window is compared with the data in the network: outstanding less SACKed less lost. In recovery
//! the window is cut at once but approached from above by one segment for every other ACK (rate halving).
//!
//! Losses are found by the rules of `ScoreBoard1` there: a segment is lost when the forward-most SACKed one is more than the duplicate
//! threshold ahead of it, and a retransmission is lost again when data sent after it was SACKed, or a retransmission that went out
//! sufficiently later.

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD};
use crate::scoreboard::{Scoreboard, State as Known};
use airfair_core::Time;

/// TCP/Linux lets no more than this many segments out at once when recovery ends (its `tcp_max_burst`).
const BURST: u64 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    Recovery,
    /// After a timeout, until the data outstanding then are acknowledged.
    Loss,
}

/// TCP/Linux's recovery.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fack {
    state: State,
    board: Scoreboard,
    /// Segments that may be in the network while the rate is being halved; zero otherwise.
    halving: u64,
    /// The ACK's blocks in ascending order.
    blocks: Vec<(u64, u64)>,
}

/// What an ACK newly shows.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// Some segment was newly SACKed.
    sacked: bool,
    /// Some segment was newly found lost.
    lost: bool,
}

/// Marks what is lost. Returns whether anything newly is.
fn find_losses(board: &mut Scoreboard, segment: u64) -> bool {
    // With ns-2's inclusive segment numbers: a segment is lost that starts at or before fack - (threshold + 1).
    let ahead = u64::from(DUPLICATE_THRESHOLD) + 2;
    let (forward, arrived) = (board.forward(), board.arrived_id());
    let mut found = false;
    let mut at = 0;
    while let Some(run) = board.runs().get(at) {
        let lost_to = match run.state {
            Known::Resent { id, sent_to, .. } => {
                let overtaken = id + DUPLICATE_THRESHOLD + 1;
                let lost = sent_to < forward || arrived.is_some_and(|arrived| overtaken < arrived);
                lost.then_some(run.end)
            }
            Known::InFlight if run.start + ahead * segment <= forward => {
                Some(run.end.min(forward - (ahead - 1) * segment))
            }
            Known::InFlight | Known::Sacked | Known::Lost => None,
        };
        if let Some(end) = lost_to {
            board.lose(at, end);
            found = true;
        }
        at += 1;
    }
    board.merge();
    found
}

/// Whether the next new segment respects the receive window's right edge, if that counts.
fn within_edge(core: &Core) -> bool {
    !core.settings.window_edge || core.fits(core.nxt, core.receive_window())
}

impl Fack {
    #[inline(never)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        core.budget = u32::MAX;
        if ack.ack < core.una || ack.ack > core.nxt {
            return;
        }
        let limited = self.in_network(core) >= core.window.cwnd as u64;
        let new = ack.ack > core.una;
        let may_raise = self.state != State::Recovery && (limited || !core.settings.grow_only_when_limited);
        let accepted = new.then(|| {
            core.before_first_ack();
            core.accept_untold(ack, may_raise)
        });
        if !new {
            core.measure(ack);
        }
        // TCP/Linux restarts the timer on every ACK, duplicates included.
        core.rearm(ack.now);
        let news = self.update_board(core, ack);
        match accepted {
            Some(accepted) => {
                core.tell(ack.now, accepted);
                core.after_first_ack(ack);
            }
            None => core.tell_duplicate(ack.now, None),
        }
        if let Some(accepted) = accepted.filter(|accepted| !accepted.may_grow) {
            // TCP/Linux goes on counting bytes while the window may not grow, recovery included.
            core.window.count(accepted.acked);
        }
        if !new || news.sacked || self.state != State::Open {
            self.react(core, ack.now, news.lost);
        }
    }

    fn update_board(&mut self, core: &Core, ack: &Arrival<'_>) -> News {
        let mut news = News::default();
        if ack.raw.sack.is_empty() && self.board.is_empty() {
            return news;
        }
        let later = self.board.acknowledge(core.una);
        self.blocks.clear();
        self.blocks.extend(ack.blocks(core.origin()).filter(|block| block.0 >= core.una));
        self.blocks.sort_unstable();
        for &(start, end) in &self.blocks {
            news.sacked |= self.board.sack(core.una, start, end);
        }
        if later || !self.blocks.is_empty() {
            news.lost = find_losses(&mut self.board, core.segment());
        }
        news
    }

    /// Segments in the network.
    #[inline]
    fn in_network(&self, core: &Core) -> u64 {
        core.segments((core.nxt - core.una).saturating_sub(self.board.left_network()))
    }

    fn react(&mut self, core: &mut Core, now: Time, lost: bool) {
        if self.state != State::Open && core.una >= core.recover {
            self.board.clear();
            if core.window.cwnd < core.window.ssthresh {
                let burst = self.in_network(core) + BURST;
                core.window.cwnd = core.window.ssthresh.min(burst as f64);
            }
            self.state = State::Open;
            self.halving = 0;
        } else if self.state != State::Recovery && lost {
            core.begin_recovery_untimed();
            self.halving = core.window.cwnd as u64;
            let reduction = core.cut(now, false);
            core.window.cwnd = (reduction.cwnd as u64) as f64;
            self.state = State::Recovery;
        }
    }

    /// The network has room for another segment. While the rate is being halved, segments that have left it make room for one.
    #[inline]
    pub fn has_room(&mut self, core: &Core) -> bool {
        let in_network = self.in_network(core);
        self.halving = self.halving.min(in_network + 1);
        // Initial and loss windows may be set beyond the receive window.
        let window = (core.window.cwnd as u64).min(u64::from(core.settings.receive_window));
        in_network < window.max(self.halving)
    }

    /// See [`Recovery::is_full`](super::Recovery::is_full).
    pub fn is_full(&self, core: &Core) -> bool {
        self.in_network(core) >= core.window.cwnd as u64
    }

    #[inline]
    pub fn next(&mut self, core: &mut Core, now: Time) -> Option<u64> {
        if !self.has_room(core) {
            return None;
        }
        let seq = match self.board.lost_run() {
            Some(at) => {
                let lost = self.board.runs()[at].start;
                self.board.resend(now, at, lost + core.len_at(lost), core.nxt);
                lost
            }
            None if core.nxt < core.end && within_edge(core) => core.advance(),
            None => return None,
        };
        self.halving = self.halving.min(self.in_network(core).saturating_sub(1).max(1));
        Some(seq)
    }

    pub fn on_timeout(&mut self, core: &mut Core, lost: bool) {
        self.halving = 0;
        if lost {
            self.board.lose_all(core.una, core.nxt);
            self.state = State::Loss;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks};
    use crate::settings::{Handshake, Settings};
    use std::sync::Arc;

    /// A sender of ten segments of 1000 bytes, after an ACK of everything before `ack` with these SACK blocks, which count from it.
    fn after(ack: u64, sacked: &[(u64, u64)]) -> (Fack, Core) {
        let linux = settings(Profile::Linux, TcpName::named("reno"));
        let settings = Settings { segment_bytes: 1000, handshake: Handshake::None, ..linux };
        let mut core = Core::new(Arc::new(settings));
        (core.nxt, core.max_sent, core.end, core.window.cwnd) = (10_000, 10_000, 20_000, 10.0);
        let mut sack = SackBlocks::NONE;
        sacked.iter().for_each(|&(start, end)| sack.push(0, start, end));
        let raw = Ack { ack, window: 2172, sack, echo: Time(0), syn: true, ece: false, ace: 0 };
        let mut fack = Fack::default();
        fack.on_ack(&mut core, &Arrival { now: Time(1), ack, echo: Time(0), raw: &raw });
        (fack, core)
    }

    #[test]
    fn four_segments_sacked_beyond_a_hole_start_a_recovery() {
        let (fack, core) = after(0, &[(1000, 4000)]);
        assert_eq!((fack.state, fack.in_network(&core)), (State::Open, 7));
        let (mut fack, mut core) = after(0, &[(3000, 5000), (1000, 2000)]);
        assert_eq!((fack.state, core.stats.fast_retransmits), (State::Recovery, 1));
        // Three are SACKed and one is lost; the hole at 2000 is not far enough back.
        assert_eq!((fack.in_network(&core), fack.next(&mut core, Time(1))), (6, Some(0)));
    }

    /// A board on which these segments of 1000 bytes (by number) are SACKed one by one, and whether the last one shows a loss.
    fn board(sacks: &[u64]) -> (Scoreboard, bool) {
        let mut board = Scoreboard::default();
        let mut lost = false;
        for &number in sacks {
            board.sack(0, number * 1000, (number + 1) * 1000);
            lost = find_losses(&mut board, 1000);
        }
        (board, lost)
    }

    #[test]
    fn the_fourth_segment_beyond_makes_a_loss() {
        assert!(!board(&[1, 2, 3]).1);
        let (board, lost) = board(&[1, 2, 3, 4]);
        assert!(lost);
        assert_eq!((board.first_lost(), board.left_network()), (Some(0), 5000));
    }

    #[test]
    fn a_stretch_is_lost_up_to_four_segments_before_the_last_one_sacked() {
        let (mut board, lost) = board(&[9]);
        assert!(lost);
        // Segments 0 to 5 are lost, 9 is SACKed.
        assert_eq!((board.left_network(), board.runs().len()), (6000 + 1000, 3));
        board.acknowledge(1500);
        assert_eq!((board.first_lost(), board.left_network()), (Some(1500), 4500 + 1000));
    }

    #[test]
    fn a_retransmission_is_lost_again_when_later_data_arrives() {
        let (mut board, _) = board(&[1, 2, 3, 4]);
        board.resend(Time::ZERO, 0, 1000, 5000);
        assert_eq!(board.first_lost(), None);
        assert!(!board.sack(0, 1000, 5000) && !find_losses(&mut board, 1000));
        assert!(board.sack(0, 1000, 6000) && find_losses(&mut board, 1000));
        assert_eq!(board.first_lost(), Some(0));
    }
}
