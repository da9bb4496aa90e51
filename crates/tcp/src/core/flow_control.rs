//! A receive window that changes: which ACK states it, which segments a smaller window holds back, and how a closed window is probed (RFC
//! 9293, sections 3.8.6 and 3.10.7.4; RFC 1122, section 4.2.2.17).
//!
//! Data that were sent are never taken back. Beyond a right edge that has moved to the left nothing new goes out, and going back after a
//! timeout stays within it. The first unacknowledged segment, and holes that SACK shows, are retransmitted wherever the edge lies.

use super::{Core, Pending};
use crate::timers::Timer;
use airfair_core::{Span, Time};

impl Core {
    /// Takes the window that an ACK of everything before `ack` advertises, counted from there. Ignores an ACK that a later one has overtaken,
    /// which describes an earlier state (section 3.10.7.4). Returns whether the window changed.
    #[inline]
    pub fn take_window(&mut self, now: Time, ack: u64, segments: u32) -> bool {
        if segments == self.advertised || ack < self.una {
            return false;
        }
        self.change_window(now, segments);
        true
    }

    fn change_window(&mut self, now: Time, window: u32) {
        let before = std::mem::replace(&mut self.advertised, window);
        if before == 0 {
            self.probes = 0;
        }
        if before == 0 || window == 0 {
            // The timer starts anew, for the data outstanding or for the next probe.
            self.rearm(now);
        }
    }

    /// Whether the receiver's window is closed while there is something to send or to retransmit. A SYN goes out whatever the window.
    #[inline]
    pub fn is_shut_out(&self) -> bool {
        self.advertised == 0 && self.una < self.end && self.una >= self.origin()
    }

    /// Probes a closed window when the timer fires, which is no sign of a loss. A probe is a whole segment, the first
    /// unacknowledged one or, if there is none, a new one: it serves as the retransmission of data that a shrinking window has left
    /// outside, and keeps the stream's segments whole.
    pub fn on_persist(&mut self, now: Time) {
        self.probes += 1;
        self.stats.probes += 1;
        if self.una < self.max_sent {
            self.pending = Pending::First;
            self.stop_timing();
        } else {
            self.pending = Pending::New;
        }
        self.arm(now);
    }

    /// Stops the probes, when there is nothing left to send.
    pub fn stop_probing(&mut self) {
        if self.advertised == 0 && self.una >= self.end && !self.runs_idle() {
            self.timers.set(Timer::Retransmission, Time::NEVER);
        }
    }

    /// The wait until the next probe: the retransmission timeout, doubled with each probe. Probes go on as long as the window is closed.
    #[cold]
    pub fn probe_interval(&self) -> Span {
        if self.probes == 0 {
            return self.timeout();
        }
        let doubled = self.timeout().0.saturating_mul(1 << self.probes.min(32));
        Span(doubled).min(self.settings.rto_max)
    }
}
