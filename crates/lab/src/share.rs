//! The fair share of users, measured: the rate that each user gets alone in the network, over the number of users.

use crate::experiment::{Experiment, NoOutcome};
use crate::outcome::Outcome;
use airfair_core::{Rate, Span};
use airfair_scenario::resolved::Direction;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Time for which a user has the network alone before the measurement starts.
pub const ALONE_WARMUP: Span = Span::from_secs(5);
/// Time for which the rate of a user alone is measured.
pub const ALONE_DURATION: Span = Span::from_secs(20);
/// Seeds of the runs of users alone. The mean over these counts.
pub const ALONE_SEEDS: RangeInclusive<u64> = 1..=3;

/// The metric that runs of users alone report. It is not used: only the record of the flow is.
const METRIC: &str = "throughput_total";

/// Mean rates of users alone, in bit/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// Mean rate of users that download; `None` if there are none.
    pub down: Option<f64>,
    /// Mean rate of users that upload; `None` if there are none.
    pub up: Option<f64>,
}

impl Alone {
    /// Returns the mean rates over the runs of users alone.
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Alone {
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for flow in outcomes.into_iter().flat_map(|outcome| &outcome.flows) {
            match Direction::from_word(&flow.direction) {
                Some(Direction::Down) => down.push(flow.throughput),
                Some(Direction::Up) => up.push(flow.throughput),
                Some(Direction::Other) | None => {}
            }
        }
        let mean = |rates: &[f64]| airfair_metrics::mean(rates).ok();
        Alone { down: mean(&down), up: mean(&up) }
    }

    /// Returns the rates of which users share, for downloads and for uploads; a direction without users has the rate of the other one.
    /// `None` if there are no users, or some get nothing alone.
    pub fn shared(self) -> Option<(Rate, Rate)> {
        let rate = |one: Option<f64>, other: Option<f64>| Rate::new(one.or(other)?.round() as u64);
        Some((rate(self.down, self.up)?, rate(self.up, self.down)?))
    }
}

impl Experiment {
    /// Whether the users' fair share must be measured before the experiment runs.
    pub fn measures_share(&self) -> bool {
        self.loaded.measures_share()
    }

    /// Returns an experiment for each user, alone in the network and with data to send all the time.
    ///
    /// # Panics
    /// Never: the metric is one of the lab's own.
    pub fn users_alone(&self) -> Vec<Experiment> {
        let users = self.loaded.users_alone((ALONE_WARMUP, ALONE_DURATION), METRIC);
        let experiment = |user| {
            let mut alone = Experiment::new(user).expect("the metric is known");
            alone.engine = self.engine;
            alone
        };
        users.into_iter().map(experiment).collect()
    }

    /// Returns the experiment with the rates of its users alone ([`Alone::shared`]) where they were to be measured. The key stays as it
    /// was.
    pub fn sharing(mut self, alone: Alone) -> Experiment {
        if let Some((down, up)) = alone.shared() {
            self.shares_measured = self.measures_share();
            self.loaded = self.loaded.sharing(down, up);
        }
        self
    }

    /// Returns the experiment with its users' fair share, which is measured now if that is needed.
    ///
    /// # Errors
    /// When `stop`, which is called several times a second, gave a reason to stop.
    pub fn shared_unless<E>(
        &self,
        mut stop: impl FnMut() -> Result<(), E>,
    ) -> Result<Cow<'_, Experiment>, NoOutcome<E>> {
        if !self.measures_share() {
            return Ok(Cow::Borrowed(self));
        }
        let mut outcomes = Vec::new();
        for user in self.users_alone() {
            for seed in ALONE_SEEDS {
                outcomes.push(user.run_as_it_is(seed, &[], &mut stop)?);
            }
        }
        Ok(Cow::Owned(self.clone().sharing(Alone::of(&outcomes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_scenario::resolved::FairShare;

    #[test]
    fn a_direction_without_users_has_the_rate_of_the_other() {
        let rates = |down, up| {
            let rates = Alone { down, up }.shared();
            rates.map(|(down, up)| (down.bits_per_second(), up.bits_per_second()))
        };
        assert_eq!(rates(Some(5e6), Some(1e6)), Some((5_000_000, 1_000_000)));
        assert_eq!(rates(Some(5e6), None), Some((5_000_000, 5_000_000)));
        assert_eq!(rates(None, Some(1.5)), Some((2, 2)));
        assert_eq!(rates(None, None), None);
        // Users that get nothing alone have no fair share: what others get is not theirs.
        assert_eq!(rates(Some(0.0), Some(1e6)), None);
        assert_eq!(rates(Some(5e6), Some(0.4)), None);
    }

    #[test]
    fn an_experiment_shares_these_rates() {
        let measured = [("fair_share".to_owned(), "measured".to_owned())];
        let measured = measured.map(|(name, value)| airfair_scenario::Override { name, value });
        let experiment = Experiment::load("jung/mixed", &measured).unwrap_or_else(|error| panic!("{error}"));
        for alone in [Alone { down: Some(5e6), up: None }, Alone { down: Some(5e6), up: Some(0.0) }] {
            let shared = experiment.clone().sharing(alone);
            assert_eq!(shared.measures_share(), alone.shared().is_none());
            if let Some((rate, _)) = alone.shared() {
                let FairShare::Split { down, up, .. } = shared.loaded.scenario.fair_share else {
                    panic!("it is split")
                };
                assert_eq!((down, up), (Some(rate), Some(rate)));
            }
        }
    }
}
