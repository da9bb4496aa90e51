//! How much of its window a sender has used of late, as Linux remembers it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).

use super::Core;
use crate::window::Window;

/// What was outstanding at most, and whether that filled the window, in the flight that ends at `until`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Once this is acknowledged, the next segment that goes out begins anew.
    until: u64,
    /// Segments.
    most: u64,
    filled: bool,
}

impl Core {
    /// A new segment has gone out.
    pub(super) fn note_usage(&mut self) {
        let most = self.segments(self.flight());
        // Linux counts for this what is in flight, without segments SACKed and lost (`tcp_packets_in_flight`).
        let filled = most >= self.window.cwnd as u64;
        let usage = &mut self.usage;
        if self.una >= usage.until || filled || (!usage.filled && most > usage.most) {
            *usage = Usage { until: self.max_sent, most, filled };
        }
    }

    /// A segment that the window has room for waits for more room.
    pub(super) fn note_deferral(&mut self) {
        let most = self.segments(self.flight());
        self.usage = Usage { until: self.max_sent, most, filled: true };
    }

    /// Whether the window was filled, or, in slow start, is less than twice what was outstanding.
    pub(super) fn has_used_window(&self) -> bool {
        let Window { cwnd, ssthresh, .. } = self.window;
        self.usage.filled || (cwnd < ssthresh && cwnd < 2.0 * self.usage.most as f64)
    }
}
