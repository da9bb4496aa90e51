//! SACK with forward acknowledgement (Mathis & Mahdavi 1996) and rate halving, as ns-2's TCP/Linux has it.
//!
//! The window is compared with the data in the network: outstanding less SACKed less lost. In recovery
//! the window is cut at once but approached from above by one segment for every other ACK (rate halving).

use super::fack_board::Board;
use crate::core::{Arrival, Core};
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
    board: Board,
    /// Segments that may be in the network while the rate is being halved; zero otherwise.
    halving: u64,
    /// The ACK's blocks in ascending order.
    blocks: Vec<(u64, u64)>,
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
        let accepted = new.then(|| core.accept(ack, may_raise));
        if !new {
            core.measure(ack);
        }
        // TCP/Linux restarts the timer on every ACK, duplicates included.
        core.rearm(ack.now);
        let news = self.update_board(core, ack);
        match accepted {
            Some(accepted) => {
                core.tell(ack.now, accepted);
                if !accepted.may_grow {
                    // TCP/Linux goes on counting bytes while the window may not grow, recovery included.
                    core.window.count(accepted.acked);
                }
            }
            None => core.tell_duplicate(ack.now),
        }
        if !new || news.sacked || self.state != State::Open {
            self.react(core, ack.now, news.lost);
        }
    }

    fn update_board(&mut self, core: &Core, ack: &Arrival<'_>) -> super::fack_board::News {
        if ack.raw.sack.is_empty() && self.board.is_empty() {
            return super::fack_board::News::default();
        }
        self.blocks.clear();
        self.blocks.extend(ack.blocks(core.origin()).filter(|block| block.0 >= core.una));
        self.blocks.sort_unstable();
        self.board.update(core.una, &self.blocks, core.segment())
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

    #[inline]
    pub fn next(&mut self, core: &mut Core) -> Option<u64> {
        if !self.has_room(core) {
            return None;
        }
        let seq = match self.board.first_lost() {
            Some(lost) => {
                self.board.resend(lost, lost + core.len_at(lost), core.nxt);
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
        let raw = Ack { ack, window: 2172, sack, echo: Time(0), syn: true, ece: false };
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
        assert_eq!((fack.in_network(&core), fack.next(&mut core)), (6, Some(0)));
    }
}
