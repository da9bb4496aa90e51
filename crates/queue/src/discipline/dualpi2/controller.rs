//! The PI controller of DualPI2's base probability p' (RFC 9332, appendix A.1).

use crate::pi::Pi;
use airfair_core::{Span, Time};

/// The controller and its memory.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    settings: Pi,
    /// When p' was due to be updated last.
    updated: Time,
    probability: f64,
    /// Delay at the last update.
    old_delay: Span,
}

impl Controller {
    pub fn new(settings: Pi, at: Time) -> Controller {
        Controller { settings, updated: at, probability: 0.0, old_delay: Span::ZERO }
    }

    /// Continues with other settings.
    pub fn adopt(&mut self, settings: Pi) {
        self.settings = settings;
    }

    /// Returns p'.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Makes the updates due by `now`, while the packet that has waited longest is the one that arrived at `oldest`.
    pub fn catch_up(&mut self, now: Time, oldest: Option<Time>) {
        let Pi { target, interval, .. } = self.settings;
        let mut due = now.since(self.updated).0 / interval.0;
        while due > 0 {
            self.update(interval, oldest);
            due -= 1;
            // From now on only the delay changes.
            let stays = match oldest {
                None => self.probability == 0.0,
                Some(_) => self.probability == 1.0 && self.old_delay >= target,
            };
            if stays && due > 0 {
                self.update(interval * due, oldest);
                due = 0;
            }
        }
    }

    /// Updates p' as of `later` after the last update.
    fn update(&mut self, later: Span, oldest: Option<Time>) {
        self.updated += later;
        let delay = oldest.map_or(Span::ZERO, |arrived| self.updated.since(arrived));
        self.probability = (self.probability + self.settings.step(delay, self.old_delay)).clamp(0.0, 1.0);
        self.old_delay = delay;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: Pi =
        Pi { target: Span::from_millis(15), interval: Span::from_millis(16), alpha: 0.16, beta: 3.2 };

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// A packet that comes at 6 ms has waited for 10, 26 and 42 ms at the first three updates: 0.16 Hz times what the delay is above
    /// 15 ms, and 3.2 Hz times its growth.
    #[test]
    fn the_probability_follows_delay_and_growth() {
        let mut controller = Controller::new(LINUX, Time::ZERO);
        let mut wanted = 0.0;
        for (now, step) in
            [(15, 0.0), (16, -0.000_8 + 0.032), (31, 0.0), (32, 0.001_76 + 0.051_2), (48, 0.004_32 + 0.051_2)]
        {
            controller.catch_up(at(now), Some(at(6)));
            wanted += step;
            assert!((controller.probability() - wanted).abs() < 1e-12, "at {now} ms: {controller:?}");
        }
        assert!((wanted - 0.139_68).abs() < 1e-12);
        // The queue is empty: -0.16 / s x 15 ms - 3.2 / s x 42 ms, and then the first term alone.
        controller.catch_up(at(64), None);
        assert!((controller.probability() - 0.002_88).abs() < 1e-12, "{controller:?}");
        controller.catch_up(at(80), None);
        assert!((controller.probability() - 0.000_48).abs() < 1e-12, "{controller:?}");
        controller.catch_up(at(96), None);
        assert_eq!(controller.probability(), 0.0);
    }

    #[test]
    fn updates_made_up_for_at_once_are_the_same() {
        let mut often = Controller::new(LINUX, Time::ZERO);
        let mut at_once = often.clone();
        for (until, oldest) in [(1000, None), (5000, Some(1000)), (90_000, None), (90_100, Some(90_000))] {
            for now in often.updated.0 / 1_000_000..=until {
                often.catch_up(at(now), oldest.map(at));
            }
            at_once.catch_up(at(until), oldest.map(at));
            assert_eq!(format!("{often:?}"), format!("{at_once:?}"), "at {until} ms");
        }
        assert_eq!(at_once.updated, at(90_096));
    }
}
