//! Round-trip time and retransmission timeout: RFC 6298 and its relatives.

use crate::settings::{Estimator, Settings};
use crate::ticks::Ticks;
use airfair_core::{Span, Time};

/// Fraction bits of SRTT and of the variance in the estimators that count ticks.
const SRTT_BITS: u32 = 3;
const VARIANCE_BITS: u32 = 2;

/// The initial timeout of data that follow a lost SYN.
const FALLBACK: Span = Span::from_secs(3);

/// SRTT, its variance and the timeout that follows from them. Callers pass the settings each time, because connections share them;
/// they must always be those that the estimator was made with.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RttEstimator {
    /// Present with [`Estimator::Linux`] alone. All other fields lie together: they fit a cache line, with room for others.
    margin: Margin,
    /// Ticks with [`SRTT_BITS`] fraction bits, or nanoseconds; zero before the first sample.
    srtt: i64,
    /// Ticks with [`VARIANCE_BITS`] fraction bits, or nanoseconds.
    variance: i64,
    /// The timeout before minimum and backoff apply.
    base: Span,
    /// The time that the host's clock showed at the start.
    phase: Span,
    /// The factor by which unanswered timeouts have lengthened the timeout.
    backoff: u32,
}

/// By how much Linux's timeout exceeds SRTT, in nanoseconds: four times the largest variance of a round trip. From one round trip to the
/// next it falls by no more than a quarter (`rttvar_us`, `mdev_max_us` and `rtt_seq` of `tcp_rtt_estimator`).
#[derive(Clone, Copy, Debug, Default)]
struct Margin {
    now: i64,
    most: i64,
    /// The round trip under way ends when more than this is acknowledged.
    until: u64,
}

impl Margin {
    /// Takes a sample after which `spread` is four variances; `flight` has the offsets at which the data outstanding begin and end.
    fn take(&mut self, settings: &Settings, spread: i64, flight: (u64, u64)) {
        let (una, nxt) = flight;
        let least = settings.rto_min.0 as i64;
        if self.now == 0 {
            let most = spread.max(least);
            *self = Margin { now: most, most, until: nxt };
            return;
        }
        self.most = self.most.max(spread);
        self.now = self.now.max(self.most);
        if una > self.until {
            self.now -= (self.now - self.most) / 4;
            (self.most, self.until) = (least, nxt);
        }
    }
}

impl RttEstimator {
    /// An estimator before its first sample.
    pub fn new(settings: &Settings) -> RttEstimator {
        RttEstimator {
            srtt: 0,
            variance: 0,
            margin: Margin::default(),
            base: settings.rto_initial,
            backoff: 1,
            phase: Span::ZERO,
        }
    }

    /// The time that the host's clock showed at the start; zero unless set. ns-2 draws it for every agent
    /// (`boot_time_`, uniform over a tick).
    pub fn set_phase(&mut self, phase: Span) {
        self.phase = phase;
    }

    /// The ticks on which the host's timers ring.
    pub fn ticks(&self, settings: &Settings) -> Ticks {
        Ticks::new(settings, self.phase)
    }

    /// The smoothed round-trip time, once there is one.
    pub fn srtt(&self, settings: &Settings) -> Option<Span> {
        match settings.rto_estimator {
            _ if self.srtt == 0 => None,
            Estimator::Rfc6298 | Estimator::Linux => Some(Span(self.srtt as u64)),
            Estimator::Ticks | Estimator::DampedTicks => {
                Some(Span((self.srtt as u64 * settings.rto_granularity.0) >> SRTT_BITS))
            }
        }
    }

    /// A segment handed out at `sent` is acknowledged at `now`; `by_timestamp` tells a sample by timestamp, which is
    /// rounded to ticks, from one by the host's clock, which counts the ticks in between. `flight`: where what is outstanding begins and ends.
    pub fn sample(
        &mut self,
        settings: &Settings,
        now: Time,
        sent: Time,
        by_timestamp: bool,
        flight: (u64, u64),
    ) {
        let rtt = now.since(sent);
        match settings.rto_estimator {
            Estimator::Rfc6298 => self.sample_exact(settings, rtt),
            Estimator::Linux => self.sample_linux(settings, rtt, flight),
            Estimator::Ticks | Estimator::DampedTicks => {
                let tick = settings.rto_granularity.0;
                let ticks = if by_timestamp {
                    (rtt.0 + tick / 2) / tick
                } else {
                    (now.0 + self.phase.0) / tick - (sent.0 + self.phase.0) / tick
                };
                self.sample_ticks(settings, ticks.max(1) as i64);
            }
        }
    }

    /// RFC 6298, section 2.
    fn sample_exact(&mut self, settings: &Settings, rtt: Span) {
        let rtt = rtt.0.max(1) as i64;
        if self.srtt == 0 {
            (self.srtt, self.variance) = (rtt, rtt / 2);
        } else {
            let deviation = (self.srtt - rtt).abs();
            self.variance += (deviation - self.variance) / 4;
            self.srtt += (rtt - self.srtt) / 8;
        }
        let margin = (4 * self.variance as u64).max(settings.rto_granularity.0);
        self.base = Span(self.srtt as u64 + margin);
    }

    /// Linux's `tcp_rtt_estimator`.
    fn sample_linux(&mut self, settings: &Settings, rtt: Span, flight: (u64, u64)) {
        let rtt = rtt.0.max(1) as i64;
        if self.srtt == 0 {
            (self.srtt, self.variance) = (rtt, rtt / 2);
        } else {
            let error = rtt - self.srtt;
            self.srtt += error / 8;
            let mut excess = error.abs() - self.variance;
            if error < 0 && excess > 0 {
                excess /= 8;
            }
            self.variance += excess / 4;
        }
        self.margin.take(settings, 4 * self.variance, flight);
        self.base = self.ticks(settings).whole(Span((self.srtt + self.margin.now) as u64));
    }

    fn sample_ticks(&mut self, settings: &Settings, rtt: i64) {
        let damped = settings.rto_estimator == Estimator::DampedTicks;
        if self.srtt == 0 {
            self.srtt = rtt << SRTT_BITS;
            self.variance = rtt << (VARIANCE_BITS - 1);
        } else {
            let error = rtt - (self.srtt >> SRTT_BITS);
            self.srtt = (self.srtt + error).max(1);
            let mut excess = error.abs() - (self.variance >> VARIANCE_BITS);
            if damped && error < 0 && excess > 0 {
                excess >>= SRTT_BITS;
            }
            self.variance += excess;
            if !damped {
                self.variance = self.variance.max(1);
            }
        }
        // SRTT + 4 x variance, in SRTT's unit.
        let ticks = ((self.variance << (2 + SRTT_BITS - VARIANCE_BITS)) + self.srtt) >> SRTT_BITS;
        self.base = Span(ticks.max(0) as u64 * settings.rto_granularity.0);
    }

    /// The retransmission timeout, backoff included.
    pub fn timeout(&self, settings: &Settings) -> Span {
        // RFC 6298 has the minimum apply before the backoff, (2.4) before (5.5).
        let timeout = self.base.max(settings.rto_min) * u64::from(self.backoff);
        let shortest = Span(settings.rto_granularity.0 * 2);
        timeout.max(shortest).min(settings.rto_max)
    }

    /// Lengthens the timeout after the timer fired with data outstanding: RFC 6298 (5.5).
    pub fn back_off(&mut self, settings: &Settings) {
        if self.backoff < 64 || self.timeout(settings) < settings.rto_max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        let ticks = settings.rto_estimator.counts_ticks();
        if ticks && self.backoff > 8 {
            // 4.3BSD: a path that changed that much gets a new SRTT; the variance keeps the timeout long
            // meanwhile.
            self.variance += self.srtt >> SRTT_BITS;
            self.srtt = 0;
        }
    }

    /// Data follow a SYN that was retransmitted. Unless the SYN gave a round trip, the timeout starts again at three seconds, if it started
    /// with less (RFC 6298, (5.7); Linux's `TCP_TIMEOUT_FALLBACK`).
    pub fn fall_back(&mut self, settings: &Settings) {
        if self.srtt == 0 && !settings.rto_estimator.counts_ticks() {
            (self.base, self.backoff) = (self.base.max(FALLBACK), 1);
        }
    }

    /// A segment that was sent once is acknowledged, which ends the backoff: RFC 6298, section 5, last paragraph.
    pub fn end_backoff(&mut self) {
        self.backoff = 1;
    }

    /// The factor by which the timeout is backed off; one if it is not.
    #[cfg(test)]
    pub fn backoff(&self) -> u32 {
        self.backoff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use proptest::prelude::*;

    const TICK: Span = Span::from_millis(10);

    fn rto(rto_estimator: Estimator) -> Settings {
        Settings {
            rto_estimator,
            rto_min: Span::from_millis(200),
            rto_max: Span::from_secs(60),
            rto_initial: Span::from_secs(3),
            rto_granularity: if rto_estimator.counts_ticks() { TICK } else { Span::ZERO },
            ..settings(Profile::Rfc, TcpName::named("reno"))
        }
    }

    /// An estimator and its settings.
    struct Estimated(RttEstimator, Settings, u64);

    impl Estimated {
        fn by(kind: Estimator) -> Estimated {
            let rto = rto(kind);
            Estimated(RttEstimator::new(&rto), rto, 0)
        }

        /// One of each round trip.
        fn sample(&mut self, now: Time, sent: Time, by_timestamp: bool) {
            self.2 += 1;
            self.0.sample(&self.1, now, sent, by_timestamp, (self.2, self.2));
        }

        fn timeout(&self) -> Span {
            self.0.timeout(&self.1)
        }

        fn srtt(&self) -> Option<Span> {
            self.0.srtt(&self.1)
        }

        fn back_off(&mut self) {
            self.0.back_off(&self.1);
        }
    }

    fn after(estimator: &mut Estimated, millis: u64) -> Span {
        estimator.sample(Time(0) + Span::from_millis(millis), Time(0), false);
        estimator.timeout()
    }

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        // RFC 6298 (2.2): SRTT = R, RTTVAR = R/2, RTO = R + 4 R/2.
        for kind in [Estimator::Rfc6298, Estimator::Ticks, Estimator::DampedTicks, Estimator::Linux] {
            let mut estimator = Estimated::by(kind);
            assert_eq!(estimator.timeout(), Span::from_secs(3));
            assert_eq!(after(&mut estimator, 500), Span::from_millis(1500), "{kind:?}");
            assert_eq!(estimator.srtt(), Some(Span::from_millis(500)));
        }
    }

    #[test]
    fn later_samples_weigh_one_eighth_in_srtt_and_one_quarter_in_the_variance() {
        // RFC 6298 (2.3), by hand: 800, 1600, 900 ms give SRTT 800, 900, 900 ms and RTTVAR 400, 500, 375 ms.
        for kind in [Estimator::Rfc6298, Estimator::Ticks, Estimator::DampedTicks, Estimator::Linux] {
            let mut estimator = Estimated::by(kind);
            let timeouts = [800, 1600, 900].map(|millis| after(&mut estimator, millis));
            // Linux's margin falls by a quarter of the way from 2000 ms to 1500.
            let last = if kind == Estimator::Linux { 2775 } else { 2400 };
            assert_eq!(timeouts, [2400, 2900, last].map(Span::from_millis), "{kind:?}");
            assert_eq!(estimator.srtt(), Some(Span::from_millis(900)), "{kind:?}");
        }
    }

    #[test]
    fn ticks_are_counted_between_the_clocks_readings() {
        // From 9 ms to 11 ms is one tick, from 1 ms to 9 ms none (one is the least); by timestamp 8 ms rounds
        // to one.
        let ticks = |sent: u64, now: u64, by_timestamp| {
            let mut estimator = Estimated::by(Estimator::Ticks);
            estimator.sample(Time(now * 1_000_000), Time(sent * 1_000_000), by_timestamp);
            estimator.srtt().unwrap() / TICK
        };
        assert_eq!(
            [ticks(9, 11, false), ticks(1, 9, false), ticks(9, 31, false), ticks(9, 31, true)],
            [1, 1, 3, 2]
        );
    }

    #[test]
    fn the_variance_shrinks_on_a_steady_path() {
        let mut estimator = Estimated::by(Estimator::Rfc6298);
        for _ in 0..100 {
            after(&mut estimator, 300);
        }
        let timeout = estimator.timeout();
        assert!(timeout >= Span::from_millis(300) && timeout < Span::from_millis(301), "{timeout}");
        let mut linux = Estimated::by(Estimator::Linux);
        for _ in 0..100 {
            after(&mut linux, 300);
        }
        assert_eq!(linux.timeout() / Span::from_micros(1), 500_000);
    }

    #[test]
    fn backoff_doubles_to_the_maximum_and_forgets_srtt() {
        let mut estimator = Estimated::by(Estimator::Ticks);
        after(&mut estimator, 100);
        let first = estimator.timeout();
        estimator.back_off();
        assert_eq!(estimator.timeout(), first * 2);
        for _ in 0..2 {
            estimator.back_off();
        }
        assert!(estimator.srtt().is_some());
        estimator.back_off();
        assert_eq!((estimator.srtt(), estimator.0.backoff()), (None, 16));
        for _ in 0..40 {
            estimator.back_off();
        }
        assert_eq!(estimator.timeout(), Span::from_secs(60));
        estimator.0.end_backoff();
        assert_eq!(estimator.timeout(), first);
    }

    #[test]
    fn damping_ignores_most_of_a_sudden_drop() {
        let drop = |kind| {
            let mut estimator = Estimated::by(kind);
            for _ in 0..50 {
                after(&mut estimator, 1000);
            }
            after(&mut estimator, 200)
        };
        assert!(drop(Estimator::DampedTicks) < drop(Estimator::Ticks));
    }

    #[test]
    fn linux_ignores_most_of_a_sudden_drop_only() {
        // SRTT 900 ms and RTTVAR 500 ms before. 100 ms: the deviation exceeds RTTVAR by 300 ms, of which an eighth counts.
        // 860 ms: it falls below by 460 ms, and all of that counts, but the timeout's margin takes a quarter of it.
        for (millis, micros) in [(100, 800_000 + 4 * 509_375), (860, 895_000 + 4 * 471_250)] {
            let mut estimator = Estimated::by(Estimator::Linux);
            for before in [800, 1600] {
                after(&mut estimator, before);
            }
            assert_eq!(after(&mut estimator, millis), Span::from_micros(micros));
        }
    }

    /// `tcp_rtt_estimator`: within a round trip the timeout does not fall as the variance does, and after it by a quarter of the way.
    #[test]
    fn linux_keeps_the_largest_variance_of_a_round_trip() {
        let mut estimator = Estimated::by(Estimator::Linux);
        let mut hear = |millis, una| {
            let now = Time::ZERO + Span::from_millis(millis);
            estimator.0.sample(&estimator.1, now, Time::ZERO, false, (una, una + 10));
            (estimator.timeout() - estimator.srtt().unwrap()) / Span::from_millis(1)
        };
        assert_eq!([100, 100, 100].map(|millis| hear(millis, 5)), [200; 3]);
        assert_eq!(hear(500, 5), 484, "four variances of 121 ms");
        assert_eq!([150; 8].map(|millis| hear(millis, 5)), [484; 8], "the same round trip");
        assert_eq!(hear(150, 16), 484, "it is over");
        assert_eq!(hear(150, 27), 413, "a quarter of the way to 200 ms");
    }

    proptest! {
        #[test]
        fn the_timeout_stays_within_its_bounds(
            samples in prop::collection::vec((0u64..20_000, any::<bool>()), 1..60),
            kind in prop::sample::select(vec![
                Estimator::Rfc6298, Estimator::Linux, Estimator::Ticks, Estimator::DampedTicks,
            ]),
        ) {
            let mut estimator = Estimated::by(kind);
            for (millis, lost) in samples {
                if lost {
                    estimator.back_off();
                } else {
                    estimator.0.end_backoff();
                    after(&mut estimator, millis);
                }
                let timeout = estimator.timeout();
                prop_assert!(timeout >= Span::from_millis(200) && timeout <= Span::from_secs(60), "{}", timeout);
            }
        }
    }
}
