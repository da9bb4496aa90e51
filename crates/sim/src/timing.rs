//! A flow's round-trip times and timeouts, for models of its throughput.

use airfair_core::{Span, SpanSum, counters};

counters! {
    /// Round-trip times, and timeouts before any backoff.
    pub struct TimingCounts {
        /// Times from the sending of a segment to the ACK of new data that it triggered, added up.
        rtt_total: SpanSum,
        /// Number of these ACKs.
        round_trips: u64,
        /// Timeouts that started a series, added up.
        timeout_total: SpanSum,
        /// Number of these series.
        timeout_series: u64,
    }
}

/// Measures round trips and timeouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// The measurements so far.
    pub counts: TimingCounts,
    in_series: bool,
}

impl Timing {
    /// New data is acknowledged in answer to a segment sent `rtt` ago, which ends a series of timeouts.
    #[inline]
    pub fn on_ack(&mut self, rtt: Span) {
        self.counts.rtt_total += rtt;
        self.counts.round_trips += 1;
        self.in_series = false;
    }

    /// A retransmission timeout of this length has expired.
    pub fn on_timeout(&mut self, timeout: Span) {
        if !std::mem::replace(&mut self.in_series, true) {
            self.counts.timeout_total += timeout;
            self.counts.timeout_series += 1;
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
        assert_eq!((timing.counts.timeout_total, timing.counts.timeout_series), (SpanSum(400), 2));
        assert_eq!((timing.counts.rtt_total, timing.counts.round_trips), (SpanSum(30), 1));
    }
}
