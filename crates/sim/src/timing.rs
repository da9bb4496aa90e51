//! A flow's round-trip times and timeouts, for models of its throughput.

use airfair_core::{Span, SpanSum, Time, counters};

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
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// The measurements so far.
    pub counts: TimingCounts,
    in_series: bool,
    kept: Option<Box<Kept>>,
}

/// Times that packets take, from an instant on.
#[derive(Clone, Debug)]
pub struct Kept {
    from: Time,
    times: Vec<Span>,
}

impl Kept {
    /// Returns a list without times that will keep those that end at `from` or later.
    pub fn new(from: Time) -> Kept {
        Kept { from, times: Vec::new() }
    }

    /// Notes that a packet has taken `time`, up to `now`.
    pub fn note(&mut self, now: Time, time: Span) {
        if now >= self.from {
            self.times.push(time);
        }
    }

    /// Returns the times kept, in the order in which they ended.
    pub fn times(&self) -> &[Span] {
        &self.times
    }
}

impl Timing {
    /// Notes that new data is acknowledged in answer to a segment sent `rtt` ago, which ends a series of timeouts.
    #[inline]
    pub fn on_ack(&mut self, now: Time, rtt: Span) {
        self.counts.rtt_total += rtt;
        self.counts.round_trips += 1;
        self.in_series = false;
        if let Some(kept) = &mut self.kept {
            kept.note(now, rtt);
        }
    }

    /// Keeps each round-trip time from `from` on.
    pub fn keep(&mut self, from: Time) {
        self.kept = Some(Box::new(Kept::new(from)));
    }

    /// Returns the round-trip times that were kept.
    pub fn kept(&self) -> &[Span] {
        self.kept.as_ref().map_or(&[], |kept| kept.times())
    }

    /// Notes that a retransmission timeout of this length has expired.
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
        timing.on_ack(Time(5), Span(30));
        timing.on_timeout(Span(300));
        assert_eq!((timing.counts.timeout_total, timing.counts.timeout_series), (SpanSum(400), 2));
        assert_eq!((timing.counts.rtt_total, timing.counts.round_trips), (SpanSum(30), 1));
        assert!(timing.kept().is_empty(), "not asked for");
    }

    #[test]
    fn round_trips_of_the_measured_window_are_kept() {
        let mut timing = Timing::default();
        timing.keep(Time(10));
        for (now, rtt) in [(9, 1), (10, 2), (11, 3)] {
            timing.on_ack(Time(now), Span(rtt));
        }
        assert_eq!(timing.kept(), [Span(2), Span(3)]);
    }
}
