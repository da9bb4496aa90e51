//! The rules that all stations of a network share.

use airfair_core::Span;

use crate::config::MacSettings;
use crate::phy::Phy;

/// Timings, settings of medium access, and the durations of control frames that follow from them.
#[derive(Debug)]
pub(crate) struct Rules {
    pub phy: Phy,
    pub mac: MacSettings,
    pub rts: Span,
    pub cts: Span,
}

impl Rules {
    pub fn new(phy: Phy, mac: MacSettings) -> Rules {
        Rules { rts: phy.rts(), cts: phy.cts(), phy, mac }
    }

    /// Whether an MSDU of `bytes` bytes follows an RTS/CTS exchange.
    pub fn uses_rts(&self, bytes: u32) -> bool {
        self.mac.rts_threshold.is_some_and(|threshold| bytes >= threshold)
    }
}
