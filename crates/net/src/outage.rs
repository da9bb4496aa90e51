//! Outages of a link: disjoint intervals, drawn one after the other as time goes on.

use crate::config::{Outage, Repeat};
use airfair_core::{Span, Stream, Time};

/// A schedule of outages. Calls come in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct Outages {
    duration: Span,
    repeat: Repeat,
    stream: Stream,
    /// Start of the first outage that is not known to be over; [`Time::NEVER`] if there is none.
    start: Time,
    /// No outage starts at this instant or later.
    horizon: Time,
}

impl Outages {
    /// Returns outages that start before `horizon`, the end of the run. Later ones would have no visible effect. So a
    /// packet for which no gap between outages is long enough leaves after the last outage instead of never.
    pub fn new(outage: &Outage, mut stream: Stream, horizon: Time) -> Outages {
        let first = Time::ZERO + outage.start + Span(stream.below(outage.spread.0 + 1));
        let mut outages =
            Outages { duration: outage.duration, repeat: outage.repeat, stream, start: Time::NEVER, horizon };
        outages.set_start(first);
        outages
    }

    /// Whether the link is down at `now`.
    pub fn is_down(&mut self, now: Time) -> bool {
        self.pass(now);
        self.start <= now
    }

    /// Whether the link is down at any moment from `from` up to, but not at, `to`.
    pub fn interrupts(&mut self, from: Time, to: Time) -> bool {
        self.pass(from);
        self.start < to
    }

    /// Returns the earliest time from `from` on at which the link stays up for `span`.
    pub fn first_gap(&mut self, from: Time, span: Span) -> Time {
        let mut from = from;
        while self.interrupts(from, from + span) {
            from = self.end();
        }
        from
    }

    /// Advances to the first outage that ends after `now`.
    fn pass(&mut self, now: Time) {
        while self.start < now && self.end() <= now {
            match self.repeat {
                Repeat::Once => self.start = Time::NEVER,
                Repeat::Periodic(period) => self.set_start(self.start + period),
                Repeat::Random(period) => {
                    let gap = self.stream.exponential((period - self.duration).0 as f64).round() as u64;
                    self.set_start(Time(self.end().0.saturating_add(gap)));
                }
            }
        }
    }

    fn end(&self) -> Time {
        self.start + self.duration
    }

    fn set_start(&mut self, start: Time) {
        self.start = if start < self.horizon { start } else { Time::NEVER };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OutagePackets;
    use proptest::prelude::*;

    fn outages(start: u64, spread: u64, duration: u64, repeat: Repeat, seed: u64) -> Outages {
        let (start, spread, duration) = (Span(start), Span(spread), Span(duration));
        let outage = Outage { start, spread, duration, repeat, packets: OutagePackets::Held };
        Outages::new(&outage, Stream::new(seed, "outages"), Time(1_000_000_000))
    }

    /// Returns whether the link is down at each of these times.
    fn at(mut outages: Outages, times: &[u64]) -> Vec<bool> {
        times.iter().map(|&time| outages.is_down(Time(time))).collect()
    }

    #[test]
    fn an_outage_lasts_from_its_start_up_to_its_end() {
        let once = outages(100, 0, 50, Repeat::Once, 1);
        assert_eq!(at(once, &[0, 99, 100, 149, 150, 1000]), [false, false, true, true, false, false]);
        let periodic = outages(100, 0, 50, Repeat::Periodic(Span(200)), 1);
        assert_eq!(
            at(periodic, &[149, 150, 299, 300, 349, 350, 700]),
            [true, false, false, true, true, false, true]
        );
    }

    #[test]
    fn an_interval_is_interrupted_by_an_outage_in_it() {
        let mut once = outages(100, 0, 50, Repeat::Once, 1);
        assert!(!once.interrupts(Time(0), Time(100)), "it ends as the outage starts");
        assert!(once.interrupts(Time(0), Time(101)));
        assert!(once.interrupts(Time(149), Time(300)));
        assert!(!once.interrupts(Time(150), Time(300)));
    }

    #[test]
    fn what_takes_longer_than_a_gap_waits_for_the_next() {
        let mut periodic = outages(100, 0, 50, Repeat::Periodic(Span(200)), 1);
        assert_eq!(periodic.first_gap(Time(20), Span(80)), Time(20));
        assert_eq!(periodic.first_gap(Time(20), Span(81)), Time(150));
        assert_eq!(periodic.first_gap(Time(160), Span(150)), Time(350));
        let mut hopeless = outages(0, 0, 199, Repeat::Periodic(Span(200)), 1);
        assert_eq!(hopeless.first_gap(Time(0), Span(2)), Time(999_999_999), "after the last one in the run");
    }

    #[test]
    fn outages_after_the_run_are_left_out() {
        assert_eq!(at(outages(1_000_000_000, 0, 50, Repeat::Once, 1), &[1_000_000_010]), [false]);
    }

    #[test]
    fn the_first_start_is_spread_evenly() {
        let starts =
            (0..10_000).map(|seed| outages(100, 50, 7, Repeat::Once, seed).start.0).collect::<Vec<_>>();
        assert!(starts.iter().all(|start| (100..=150).contains(start)));
        let mean = starts.iter().sum::<u64>() as f64 / 10_000.0;
        assert!((mean - 125.0).abs() < 4.0 * 14.7 / 100.0, "{mean}");
    }

    /// Down for 100 of 1000 ns on average. Over 100,000 periods the share's standard deviation is
    /// 0.1 * 0.9 / sqrt(100,000) = 0.0003.
    #[test]
    fn random_outages_are_a_period_apart_on_average() {
        let mut random = outages(0, 1000, 100, Repeat::Random(Span(1000)), 5);
        let down = (0..2_000_000).filter(|&step| random.is_down(Time(step * 50))).count();
        assert!((down as f64 / 2e6 - 0.1).abs() < 0.0012, "{down}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// All three methods, each called in steps of its own, see the same intervals.
        #[test]
        fn questions_agree(
            seed in 0u64..1000, random in any::<bool>(), duration in 1u64..50, rest in 1u64..100,
            steps in prop::collection::vec((0u64..120, 1u64..120), 1..50),
        ) {
            let period = Span(duration + rest);
            let repeat = if random { Repeat::Random(period) } else { Repeat::Periodic(period) };
            let fresh = || outages(10, 100, duration, repeat, seed);
            let mut moments = fresh();
            let down: Vec<bool> = (0..100_000).map(|time| moments.is_down(Time(time))).collect();
            let within = |from: u64, span: u64| down[from as usize..(from + span) as usize].contains(&true);
            let (mut intervals, mut gaps) = (fresh(), fresh());
            let mut now = 0;
            for (step, span) in steps {
                now += step;
                prop_assert_eq!(intervals.interrupts(Time(now), Time(now + span)), within(now, span));
                let span = span.min(rest);
                let gap = gaps.first_gap(Time(now), Span(span)).0;
                prop_assert!(!within(gap, span));
                prop_assert!((now..gap).all(|earlier| within(earlier, span)));
                now = gap;
            }
        }
    }
}
