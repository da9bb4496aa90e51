//! How much of its window a sender has used recently, as Linux remembers it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).

use super::Core;
use crate::window::Window;

/// The most that was outstanding in the flight that ends at `until`, and whether the window was full in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Once this offset is acknowledged, the next segment begins another flight.
    until: u64,
    /// Most segments outstanding.
    most: u64,
    filled: bool,
    /// The end of the data sent when usage was last noted, and whether a segment has since waited for others to go out with it.
    noted: u64,
    deferred: bool,
}

impl Core {
    /// Takes in, before an input, what the input before has sent. `full`: the window has no room for more.
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

    /// Notes that a segment waits for others although the window has room for it.
    pub(super) fn note_deferral(&mut self) {
        self.usage.deferred = true;
    }

    /// Whether the window was full or, in slow start, is smaller than twice what was outstanding.
    pub(super) fn has_used_window(&self) -> bool {
        let Window { cwnd, ssthresh, .. } = self.window;
        self.usage.filled || (cwnd < ssthresh && cwnd < 2.0 * self.usage.most as f64)
    }
}
