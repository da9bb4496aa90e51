//! The ticks of a host's clock, on which Linux's timers ring.

use crate::settings::{Estimator, Settings};
use airfair_core::{Span, Time};

/// Linux counts the time of its timers in jiffies, and keeps them in a wheel of levels (`kernel/time/timer.c`). The first level has a bucket for
/// each tick; each further one is coarser and begins with longer waits by this factor.
const COARSER: u64 = 8;
/// A wait of so many ticks is too long for the first level.
const FIRST_LEVEL: u64 = 63;

/// The ticks of a host's clock. Without a length, timers ring when they are due.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticks {
    length: Span,
    /// The time that the clock showed at the start.
    phase: Span,
}

impl Ticks {
    pub fn new(settings: &Settings, phase: Span) -> Ticks {
        match settings.rto_estimator {
            Estimator::Linux => Ticks { length: settings.rto_granularity, phase },
            _ => Ticks::default(),
        }
    }

    pub fn set_phase(&mut self, phase: Span) {
        self.phase = phase;
    }

    /// The wait that Linux sets a timer to in place of this one: the next whole number of ticks (`usecs_to_jiffies`).
    pub fn whole(self, wait: Span) -> Span {
        if self.length == Span::ZERO { wait } else { self.length * wait.0.div_ceil(self.length.0) }
    }

    /// The time from `from` to `to` by the clock, which shows whole ticks.
    pub fn between(self, from: Time, to: Time) -> Span {
        if self.length == Span::ZERO {
            return to.since(from);
        }
        let shown = |at: Time| (at.0 + self.phase.0) / self.length.0;
        self.length * (shown(to) - shown(from))
    }

    /// When a timer rings that is due at `due`, after a [whole](Ticks::whole) `wait`: at the end of the tick, or of the coarser step of the
    /// wait's level, so that no timer rings too early (`calc_index`).
    pub fn ring(self, due: Time, wait: Span) -> Time {
        if self.length == Span::ZERO {
            return due;
        }
        let (mut step, mut longest) = (self.length.0, self.length.0 * FIRST_LEVEL);
        while wait.0 >= longest {
            (step, longest) = (step * COARSER, longest * COARSER);
        }
        let shown = due.0 + self.phase.0;
        Time((shown / step + 1) * step - self.phase.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};

    fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    fn linux() -> Settings {
        settings(Profile::Linux, TcpName::named("cubic"))
    }

    #[test]
    fn a_wait_is_a_whole_number_of_ticks() {
        let ticks = Ticks::new(&linux(), Span::ZERO);
        assert_eq!([ms(200), ms(201), Span(1)].map(|wait| ticks.whole(wait)), [200, 204, 4].map(ms));
        let exact = Ticks::new(&settings(Profile::Rfc, TcpName::named("reno")), ms(1));
        assert_eq!(exact.whole(ms(201)), ms(201));
        assert_eq!(exact.ring(Time::ZERO + ms(201), ms(201)), Time::ZERO + ms(201));
    }

    /// The end of each level's waits and its step at 250 Hz, by the table in `kernel/time/timer.c`.
    #[test]
    fn long_waits_end_on_coarser_steps() {
        for phase in [0, 1, 1_000_003] {
            let ticks = Ticks::new(&linux(), Span(phase));
            for (wait, step) in [(4, 4), (248, 4), (252, 32), (2012, 32), (2016, 256), (16_128, 2048)] {
                for due in [0, 1, 999_999_999, 5_000_000_000].map(|set| Time(set) + ms(wait)) {
                    let ring = ticks.ring(due, ms(wait));
                    assert!(ring > due && ring.since(due) <= ms(step), "{wait} ms from {phase} ns");
                    assert_eq!((ring.0 + phase) % ms(step).0, 0, "{wait} ms from {phase} ns");
                }
            }
        }
    }
}
