//! The shaper: it sends more slowly than the line, so that packets wait in this queue and not in one behind it.

use airfair_core::{Span, Time};

/// The time until which the packets charged for so far keep the shaper busy.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaper {
    /// When all packets charged for so far have been transmitted at the shaper's rate.
    next: Time,
    /// When those that were not dropped have been transmitted at two thirds of that rate.
    latest: Time,
}

impl Shaper {
    /// Begins a backlog: time in which nothing waited is not made up for.
    pub fn begin(&mut self, now: Time) {
        if self.next < now {
            *self = Shaper { next: now, latest: now };
        }
    }

    /// Returns when the next packet may leave. Dropped packets may delay it, but two thirds of the rate are for packets that leave.
    pub fn ready_at(&self) -> Time {
        self.next.min(self.latest)
    }

    /// Charges for a packet that leaves and takes `span` at the shaper's rate. One that leaves late gains nothing: those behind it catch up.
    pub fn send(&mut self, span: Span) {
        self.next += span;
        self.latest += span + Span(span.0 / 2);
    }

    /// Charges for dropped packets that would have taken `span`.
    pub fn discard(&mut self, span: Span) {
        self.next += span;
    }
}
