//! One scenario, ready to run with any seed.

use crate::MODEL_VERSION;
use crate::measure::measure;
use crate::outcome::Outcome;
use crate::over_time;
use airfair_scenario::{Error, Loaded, Override};
use airfair_sim::{Quantity, World};

/// Samples that a run records over time at most, all series and turns on the air together: they are held in memory.
pub const MOST_SAMPLES: usize = 20_000_000;

/// A loaded scenario.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The scenario, its parameters and its file.
    pub loaded: Loaded,
}

impl Experiment {
    /// A packaged scenario by name, or a scenario file by path, with parameters set.
    ///
    /// # Errors
    /// One message that says what is wrong with the input, and where.
    pub fn load(source: &str, overrides: &[Override]) -> Result<Experiment, Error> {
        Ok(Experiment { loaded: airfair_scenario::load(source, overrides)? })
    }

    /// A scenario from its text; `file` names it in messages.
    ///
    /// # Errors
    /// One message that says what is wrong with the input, and where.
    pub fn parse(text: &str, file: &str, overrides: &[Override]) -> Result<Experiment, Error> {
        Ok(Experiment { loaded: airfair_scenario::parse(text, file, overrides)? })
    }

    /// The same, of which these metrics are reported instead of those that the file names; `None`: those of the file.
    ///
    /// # Errors
    /// When there is no such metric, or one is named twice.
    pub fn measuring(self, metrics: Option<&[String]>) -> Result<Experiment, Error> {
        let Some(metrics) = metrics else { return Ok(self) };
        Ok(Experiment { loaded: self.loaded.measuring(metrics)? })
    }

    /// Names the result of this scenario, seed and model version; whatever cannot change a result is not in it.
    pub fn key(&self, seed: u64) -> String {
        self.loaded.key(seed, MODEL_VERSION)
    }

    /// Builds the world of one run. What metrics need to be recorded is recorded as well.
    pub fn start(&self, seed: u64, traces: &[Quantity]) -> Running<'_> {
        let scenario = &self.loaded.scenario;
        let mut recorded = traces.to_vec();
        recorded.extend(over_time::needed(scenario).iter().filter(|needed| !traces.contains(needed)));
        let mut world = World::new(scenario, seed, &recorded);
        if over_time::needs_windows(scenario) {
            world = world.with_average_cwnds();
        }
        Running { experiment: self, seed, traces: traces.to_vec(), world }
    }

    /// Runs to the end.
    pub fn run(&self, seed: u64, traces: &[Quantity]) -> Outcome {
        let mut running = self.start(seed, traces);
        while !running.step(u64::MAX) {}
        running.finish()
    }
}

/// A run under way.
#[derive(Debug)]
pub struct Running<'a> {
    experiment: &'a Experiment,
    seed: u64,
    /// The series asked for.
    traces: Vec<Quantity>,
    world: World,
}

impl Running<'_> {
    /// Lets at most `max_events` events happen; `true` once the run is over.
    pub fn step(&mut self, max_events: u64) -> bool {
        self.world.step(max_events)
    }

    /// How much of the run is over, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.world.progress()
    }

    /// Samples recorded over time so far.
    pub fn samples(&self) -> usize {
        self.world.samples()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.world.events()
    }

    /// The outcome, once [`Running::step`] has returned `true`.
    pub fn finish(self) -> Outcome {
        measure(&self.experiment.loaded.scenario, self.seed, &self.world.record(), &self.traces)
    }
}

/// The quantities of these names.
///
/// # Errors
/// The message for the first name that is none.
pub fn parse_traces(names: &[String]) -> Result<Vec<Quantity>, String> {
    let mut quantities = Vec::new();
    for name in names {
        let known = Quantity::ALL.into_iter().find(|quantity| quantity.name() == name.as_str());
        let Some(quantity) = known else {
            let all: Vec<_> = Quantity::ALL.iter().map(|quantity| quantity.name()).collect();
            return Err(format!("`{name}` cannot be traced; what can: {}", all.join(", ")));
        };
        if !quantities.contains(&quantity) {
            quantities.push(quantity);
        }
    }
    Ok(quantities)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_named_once_and_known() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            parse_traces(&names(&["queue", "cwnd", "queue"])),
            Ok(vec![Quantity::Queue, Quantity::Cwnd])
        );
        let message = parse_traces(&names(&["cwmd"])).unwrap_err();
        assert!(
            message.contains("cwmd") && message.contains("cwnd, ssthresh, rtt, queue, acked"),
            "{message}"
        );
    }
}
