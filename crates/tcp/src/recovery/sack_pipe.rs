//! SACK with a counted pipe (Fall & Floyd 1996, section 2.4), as ns-2's `Sack1` has it: an estimate of the data
//! in the network goes up by one with each segment sent and down by one with each ACK (by two with a
//! partial one).
//!
//! Each hole is retransmitted once; a retransmission that is lost waits for the timer.

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD, Pending};
use crate::ranges::Ranges;

/// The receiver's holes as far as known, and the pipe.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackPipe {
    in_recovery: bool,
    /// After a timeout, until the next new ACK: duplicate ACKs mean nothing.
    after_timeout: bool,
    /// Segments estimated to be in the network; recovery only.
    pipe: i64,
    /// The data that SACK blocks have reported since the last forgetting.
    sacked: Ranges,
    /// Holes before this offset were retransmitted.
    resent_to: u64,
    had_partial: bool,
}

impl SackPipe {
    #[inline(never)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if self.in_recovery {
            self.on_ack_in_recovery(core, ack);
            core.budget = u32::MAX;
        } else {
            self.on_ack_outside(core, ack);
            core.budget = if core.dupacks == 0 { u32::MAX } else { 0 };
        }
    }

    /// See [`Recovery::rests`](super::Recovery::rests).
    pub fn rests(&self) -> bool {
        !self.in_recovery && !self.after_timeout && self.sacked.is_empty() && self.resent_to == 0
    }

    fn on_ack_outside(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if ack.ack > core.una {
            core.accept_maybe_first(ack, true);
            self.after_timeout = false;
            self.forget();
        } else if ack.ack == core.una && !self.after_timeout && self.learn(core, ack) {
            core.tell_duplicate(ack.now, None);
            core.dupacks += 1;
            if core.dupacks == DUPLICATE_THRESHOLD {
                self.enter(core, ack);
            } else if core.dupacks < DUPLICATE_THRESHOLD {
                core.limited_transmit();
            }
        }
    }

    fn enter(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if !core.may_retransmit() {
            return;
        }
        self.pipe = core.segments(core.flight()) as i64 - i64::from(DUPLICATE_THRESHOLD);
        self.in_recovery = true;
        self.had_partial = false;
        self.resent_to = self.resent_to.max(core.una + core.len_at(core.una));
        let reduction = core.cut(ack.now, false);
        core.window.cwnd = reduction.cwnd;
        core.begin_recovery(ack.now);
        core.pending = Pending::First;
    }

    fn on_ack_in_recovery(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        self.pipe -= 1;
        if ack.ack >= core.recover {
            // Over. The window does not grow on this ACK, and its start does not guard against the next
            // recovery.
            self.in_recovery = false;
            core.recover = 0;
            core.accept_and_tell(ack, false);
            self.after_timeout = false;
            self.forget();
        } else if ack.ack > core.una {
            core.accept_partial(ack, None);
            self.learn(core, ack);
            // The retransmission arrived, and so did the original.
            self.pipe -= 1;
            core.update_rtt(|rtt, _| rtt.end_backoff());
            core.arm(ack.now);
        } else if !self.after_timeout && self.learn(core, ack) {
            core.tell_duplicate(ack.now, None);
            core.dupacks += u32::from(core.dupacks > 0);
        }
    }

    /// Takes in the SACK blocks. Returns whether anything was new.
    fn learn(&mut self, core: &Core, ack: &Arrival<'_>) -> bool {
        let before = self.sacked.is_empty();
        let mut news = false;
        if self.resent_to < core.una {
            self.resent_to = core.una;
            news = !before;
        }
        self.sacked.remove_before(core.una);
        for (start, end) in ack.blocks(core.origin()) {
            news |= self.sacked.learn(start.max(core.una), end).is_some();
        }
        news
    }

    fn forget(&mut self) {
        self.sacked.clear();
        self.resent_to = 0;
    }

    /// The first hole below a SACKed segment that was not retransmitted.
    fn next_hole(&self, core: &Core) -> Option<u64> {
        self.sacked.gap_from(self.resent_to.max(core.una))
    }

    /// Whether the pipe, or outside recovery the window, has room for another segment.
    pub fn has_room(&self, core: &Core) -> bool {
        if self.in_recovery {
            // A pipe of whole segments, and a window that need not be whole.
            (self.pipe + 1) as f64 <= core.window.cwnd
        } else {
            core.nxt < core.una + core.usable()
        }
    }

    /// See [`Recovery::is_full`](super::Recovery::is_full).
    pub fn is_full(&self, core: &Core) -> bool {
        if self.in_recovery { !self.has_room(core) } else { core.is_full() }
    }

    pub fn next(&mut self, core: &mut Core) -> Option<u64> {
        if !self.has_room(core) {
            return None;
        }
        let seq = match self.next_hole(core) {
            Some(hole) if core.recover > 0 && core.fits(hole, core.receive_window()) => {
                self.resent_to = hole + core.len_at(hole);
                core.nxt = core.nxt.max(self.resent_to);
                hole
            }
            Some(_) => return None,
            None if core.nxt < core.end => {
                let room = if self.in_recovery { core.receive_window() } else { core.usable() };
                if !core.fits(core.nxt, room) {
                    return None;
                }
                core.advance()
            }
            None => return None,
        };
        self.pipe += 1;
        Some(seq)
    }

    pub fn on_timeout(&mut self, core: &mut Core) {
        core.dupacks = 0;
        self.in_recovery = false;
        self.after_timeout = true;
        self.forget();
    }
}
