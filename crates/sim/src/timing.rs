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

/// Measures round trips. Every ACK touches it, so it is small.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// Sum of the round-trip times, modulo 2^64 ns.
    rtt_total: Span,
    round_trips: u64,
    rare: Option<Box<Rare>>,
}

/// What few flows need.
#[derive(Clone, Debug)]
struct Rare {
    kept: Kept,
    /// How often [`Timing::rtt_total`] has reached 2^64 ns.
    overflows: u64,
}

/// Counts series of timeouts.
#[derive(Clone, Debug, Default)]
pub struct Timeouts {
    series: u64,
    /// Sum of the timeouts that started a series, in two words: as one number it would have to lie at a multiple of 16 bytes.
    total: [u64; 2],
    /// Number of round trips before the latest timeout.
    round_trips: Option<u64>,
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
        let (total, overflows) = self.rtt_total.0.overflowing_add(rtt.0);
        self.rtt_total = Span(total);
        self.round_trips += 1;
        if overflows || self.rare.is_some() {
            self.note_rare(now, rtt, overflows);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_rare(&mut self, now: Time, rtt: Span, overflows: bool) {
        let rare = self.rare.get_or_insert_with(|| Box::new(Rare::new(Time::NEVER)));
        rare.overflows += u64::from(overflows);
        rare.kept.note(now, rtt);
    }

    /// Keeps each round-trip time from `from` on. To be called before the first one.
    pub fn keep(&mut self, from: Time) {
        self.rare = Some(Box::new(Rare::new(from)));
    }

    /// Returns the round-trip times that were kept.
    pub fn kept(&self) -> &[Span] {
        self.rare.as_ref().map_or(&[], |rare| rare.kept.times())
    }

    /// Returns the counts so far.
    pub fn counts(&self, timeouts: &Timeouts) -> TimingCounts {
        let overflows = self.rare.as_ref().map_or(0, |rare| rare.overflows);
        let Timeouts { total: [timeout_total, high], series: timeout_series, .. } = *timeouts;
        TimingCounts {
            rtt_total: sum(self.rtt_total.0, overflows),
            round_trips: self.round_trips,
            timeout_total: sum(timeout_total, high),
            timeout_series,
        }
    }
}

impl Rare {
    fn new(from: Time) -> Rare {
        Rare { kept: Kept::new(from), overflows: 0 }
    }
}

impl Timeouts {
    /// Notes that a retransmission timeout of this length has expired.
    pub fn on_timeout(&mut self, timeout: Span, timing: &Timing) {
        if self.round_trips.replace(timing.round_trips) != Some(timing.round_trips) {
            let [low, high] = &mut self.total;
            let (total, overflows) = low.overflowing_add(timeout.0);
            (*low, *high) = (total, *high + u64::from(overflows));
            self.series += 1;
        }
    }
}

/// Returns the sum whose lower and higher 64 bits these are.
fn sum(low: u64, high: u64) -> SpanSum {
    SpanSum(u128::from(high) << u64::BITS | u128::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_timeout_of_a_series_counts() {
        let (mut timing, mut timeouts) = (Timing::default(), Timeouts::default());
        timeouts.on_timeout(Span(100), &timing);
        timeouts.on_timeout(Span(200), &timing);
        timing.on_ack(Time(5), Span(30));
        timeouts.on_timeout(Span(300), &timing);
        let counts = timing.counts(&timeouts);
        assert_eq!((counts.timeout_total, counts.timeout_series), (SpanSum(400), 2));
        assert_eq!((counts.rtt_total, counts.round_trips), (SpanSum(30), 1));
        assert!(timing.kept().is_empty(), "not asked for");
    }

    #[test]
    fn sums_do_not_end_at_64_bits() {
        let (mut timing, mut timeouts) = (Timing::default(), Timeouts::default());
        for _ in 0..3 {
            timeouts.on_timeout(Span(u64::MAX), &timing);
            timing.on_ack(Time(5), Span(u64::MAX));
        }
        let (counts, three) = (timing.counts(&timeouts), SpanSum(3 * u128::from(u64::MAX)));
        assert_eq!((counts.rtt_total, counts.timeout_total), (three, three));
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
