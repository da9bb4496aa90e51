//! Packets that know since when they have waited.

use crate::queued::Queued;
use airfair_core::{Span, Time};

/// A packet with the time of its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stamped<P> {
    pub packet: P,
    pub arrived: Time,
}

impl<P> Stamped<P> {
    /// How long it has waited.
    pub fn sojourn(&self, now: Time) -> Span {
        now.since(self.arrived)
    }
}

impl<P: Queued> Queued for Stamped<P> {
    fn bytes(&self) -> u32 {
        self.packet.bytes()
    }

    fn flow(&self) -> u64 {
        self.packet.flow()
    }

    fn station(&self) -> u32 {
        self.packet.station()
    }

    fn mark(&mut self) -> bool {
        self.packet.mark()
    }
}
