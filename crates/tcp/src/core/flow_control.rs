//! The receiver's window while it changes: which ACK states it, which segments a smaller one holds back, and how a closed one is probed (RFC
//! 9293, sections 3.8.6 and 3.10.7.4; RFC 1122, section 4.2.2.17).
//!
//! Data that were sent are never taken back. Beyond a right edge that has moved to the left nothing new goes out, and going back after a
//! timeout stays within it; the first unacknowledged segment, and holes that SACK shows, are sent again wherever it lies.

use super::{Core, Pending};
use crate::timers::Timer;
use airfair_core::{Span, Time};

impl Core {
    /// Takes the window that an ACK of everything before `ack` advertises, counted from there. An ACK that a later one has overtaken
    /// describes an earlier state (section 3.10.7.4). Returns whether the window changed.
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
            // A timeout from now on: for the data outstanding, or for the next probe.
            self.rearm(now);
        }
    }

    /// The receiver's window is closed, and there is something to send or to send again. A SYN does not ask.
    #[inline]
    pub fn is_shut_out(&self) -> bool {
        self.advertised == 0 && self.una < self.end && self.una >= self.origin()
    }

    /// The timer fired with the window closed: no sign of a loss, but a time to ask. A probe is a whole segment, the first
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

    /// There is nothing to ask for any more.
    pub fn stop_probing(&mut self) {
        if self.advertised == 0 && self.una >= self.end && !self.runs_idle() {
            self.timers.set(Timer::Retransmission, Time::NEVER);
        }
    }

    /// How long until the next probe: the retransmission timeout, doubled with each. As long as the window is closed they go on.
    #[cold]
    pub fn probe_interval(&self) -> Span {
        if self.probes == 0 {
            return self.timeout();
        }
        let doubled = self.timeout().0.saturating_mul(1 << self.probes.min(32));
        Span(doubled).min(self.settings.rto_max)
    }
}
