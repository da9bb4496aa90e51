//! How much of its window a sender has used of late, as Linux remembers it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).

use super::Core;
use crate::window::Window;

/// What was outstanding at most, and whether the window was full, in the flight that ends at `until`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Once this is acknowledged, the next segment that goes out begins anew.
    until: u64,
    /// Segments.
    most: u64,
    filled: bool,
    /// What had been sent when this was last noted, and whether a segment has since waited for others to go out with it.
    noted: u64,
    deferred: bool,
}

impl Core {
    /// Before an input: what the one before it has let out. `full`: the window has no room for more.
    ///
    /// Linux counts all that is outstanding, but the window is full by what is in the network (`tcp_packets_in_flight`).
    pub fn note_usage(&mut self, full: bool) {
        let most = self.segments(self.flight());
        let usage = &mut self.usage;
        let filled = std::mem::take(&mut usage.deferred) || full;
        let sent = std::mem::replace(&mut usage.noted, self.max_sent) < self.max_sent;
        if filled || sent && (self.una >= usage.until || !usage.filled && most > usage.most) {
            *usage = Usage { until: self.max_sent, most, filled, ..*usage };
        }
    }

    /// A segment that the window has room for waits for more room.
    pub(super) fn note_deferral(&mut self) {
        self.usage.deferred = true;
    }

    /// Whether the window was full, or, in slow start, is less than twice what was outstanding.
    pub(super) fn has_used_window(&self) -> bool {
        let Window { cwnd, ssthresh, .. } = self.window;
        self.usage.filled || (cwnd < ssthresh && cwnd < 2.0 * self.usage.most as f64)
    }
}
