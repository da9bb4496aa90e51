//! What a flow's round trips and timeouts took, for models of its throughput.

use airfair_core::{Span, SpanSum};

/// Round-trip times, and timeouts before any backoff.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Of ACKs of new data: since the segment was sent that brought each, all added up.
    pub rtt_total: SpanSum,
    /// Their number.
    pub round_trips: u64,
    /// Timeouts that started a series, all added up.
    pub timeout_total: SpanSum,
    /// Their number.
    pub timeout_series: u64,
    in_series: bool,
}

impl Timing {
    /// New data is acknowledged in answer to a segment sent `rtt` ago; that ends a series of timeouts.
    #[inline]
    pub fn on_ack(&mut self, rtt: Span) {
        self.rtt_total += rtt;
        self.round_trips += 1;
        self.in_series = false;
    }

    /// A retransmission timeout of this length has passed.
    pub fn on_timeout(&mut self, timeout: Span) {
        if !std::mem::replace(&mut self.in_series, true) {
            self.timeout_total += timeout;
            self.timeout_series += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_timeout_of_a_series_counts() {
        let mut timing = Timing::default();
        timing.on_timeout(Span(100));
        timing.on_timeout(Span(200));
        timing.on_ack(Span(30));
        timing.on_timeout(Span(300));
        assert_eq!((timing.timeout_total, timing.timeout_series), (SpanSum(400), 2));
        assert_eq!((timing.rtt_total, timing.round_trips), (SpanSum(30), 1));
    }
}
