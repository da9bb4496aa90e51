//! An experiment: a scenario that is ready to run with any seed, and the metrics to report.

use crate::MODEL_VERSION;
use crate::capture::Capture;
use crate::flent::{self, Test};
use crate::measure::measure;
use crate::metric::{Metric, Recording, listed_or_not, metric, metrics};
use crate::outcome::Outcome;
use airfair_core::Time;
use airfair_scenario::{Error, Loaded, Override};
use airfair_sim::{Engine, Quantity, Recordings, Run};

/// Most samples that a run records: points of series, turns on the air, delays of packets. They are held in memory.
pub const MOST_SAMPLES: usize = 20_000_000;

/// Number of events between two checks of the reasons to stop a run: they take some tens of milliseconds.
pub(crate) const EVENTS_PER_CHUNK: u64 = 100_000;

/// Number of events between two such checks while frames on the air are captured, which are held in memory from one check to the
/// next.
const EVENTS_PER_PART: u64 = 1_000;

/// Bytes of a capture that are written at a time.
const PART: usize = 1 << 20;

/// The reason why a run has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOutcome<E> {
    /// The caller stopped the run, for this reason.
    Stopped(E),
    /// The run recorded more than [`MOST_SAMPLES`].
    TooManySamples,
}

/// Checks that a run may keep this many samples.
pub(crate) fn check_samples<E>(samples: usize) -> Result<(), NoOutcome<E>> {
    if samples > MOST_SAMPLES { Err(NoOutcome::TooManySamples) } else { Ok(()) }
}

/// A loaded scenario and the metrics that it reports.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The scenario, its parameters and its file.
    pub loaded: Loaded,
    /// The engine that computes the runs. Keys do not include it, because all engines give the same results.
    pub engine: Engine,
    /// Whether the users' fair share was measured.
    pub(crate) shares_measured: bool,
    metrics: Vec<&'static Metric>,
}

impl Experiment {
    /// Returns the warnings on the scenario: of hopeless settings, then of settings without effect.
    pub fn warnings(&self) -> Vec<String> {
        [self.loaded.warnings.as_slice(), &self.loaded.useless].concat()
    }

    /// Loads a packaged scenario by name, or a scenario file by path, with parameters set.
    ///
    /// # Errors
    /// One message that names the fault in the input and its place.
    pub fn load(source: &str, overrides: &[Override]) -> Result<Experiment, Error> {
        Experiment::new(airfair_scenario::load(source, overrides)?)
    }

    /// Reads a scenario from its text; `file` names it in messages.
    ///
    /// # Errors
    /// One message that names the fault in the input and its place.
    pub fn parse(text: &str, file: &str, overrides: &[Override]) -> Result<Experiment, Error> {
        Experiment::new(airfair_scenario::parse(text, file, overrides)?)
    }

    /// Makes an experiment with a scenario that has been loaded.
    ///
    /// # Errors
    /// When the scenario's file asks for an unknown metric, or for one twice.
    pub fn new(mut loaded: Loaded) -> Result<Experiment, Error> {
        loaded.check_metrics(names())?;
        let metrics = loaded.scenario.metrics.iter().filter_map(|name| metric(name)).collect();
        Ok(Experiment { loaded, metrics, shares_measured: false, engine: Engine::Fast })
    }

    /// Reports these metrics, or `all`, instead of those that the file asks for; `None` keeps the file's metrics.
    ///
    /// # Errors
    /// When there are no metrics, or one is unknown or named twice.
    pub fn measuring(self, asked: Option<&[String]>) -> Result<Experiment, Error> {
        let loaded = match asked {
            None => return Ok(self),
            Some([all]) if all == "all" => {
                let all: Vec<_> = metrics().map(|metric| metric.name.to_owned()).collect();
                self.loaded.measuring(&all, names())?
            }
            Some(asked) => self.loaded.measuring(asked, names())?,
        };
        Ok(Experiment { engine: self.engine, ..Experiment::new(loaded)? })
    }

    /// Returns the key of the result of this scenario, seed and model version. Settings that cannot change a result do not enter
    /// it.
    pub fn key(&self, seed: u64) -> String {
        self.loaded.key(seed, MODEL_VERSION)
    }

    /// Starts a run that records all that the metrics and `traces` need.
    pub fn start(&self, seed: u64, traces: &[Quantity]) -> Running<'_> {
        self.start_with(seed, traces, false)
    }

    fn start_with(&self, seed: u64, traces: &[Quantity], frames: bool) -> Running<'_> {
        let scenario = &self.loaded.scenario;
        let run = self.recorded(traces, frames, |recordings| self.engine.start(scenario, seed, recordings));
        Running { experiment: self, seed, traces: traces.to_vec(), run }
    }

    /// Calls `start` with all recordings that the metrics and `traces` need, and with every frame on the air if `frames`.
    pub(crate) fn recorded<R>(
        &self,
        traces: &[Quantity],
        frames: bool,
        start: impl FnOnce(Recordings) -> R,
    ) -> R {
        let mut recorded = traces.to_vec();
        for (recording, quantity) in [(Recording::Acked, Quantity::Acked), (Recording::Turns, Quantity::Air)]
        {
            if self.needs(recording) && !traces.contains(&quantity) {
                recorded.push(quantity);
            }
        }
        start(Recordings {
            traces: &recorded,
            average_cwnds: self.needs(Recording::Cwnds),
            ap_queue_delays: self.needs(Recording::QueueDelays),
            delays: self.needs(Recording::Delays),
            frames,
        })
    }

    /// Returns the metrics to report, in their order.
    pub(crate) fn metrics(&self) -> &[&'static Metric] {
        &self.metrics
    }

    fn needs(&self, recording: Recording) -> bool {
        self.metrics.iter().any(|metric| metric.recording() == Some(recording))
    }

    /// Runs to the end, unless `stop`, which is called several times a second, gives a reason not to. If the scenario's fair
    /// share is to be measured, every call measures it first: see [`Experiment::shared_unless`].
    ///
    /// # Errors
    /// When the run did not reach its end.
    pub fn run_unless<E>(
        &self,
        seed: u64,
        traces: &[Quantity],
        mut stop: impl FnMut() -> Result<(), E>,
    ) -> Result<Outcome, NoOutcome<E>> {
        self.shared_unless(&mut stop)?.run_as_it_is(seed, traces, stop)
    }

    /// Like [`Experiment::run_unless`], but does not measure the fair share.
    pub(crate) fn run_as_it_is<E>(
        &self,
        seed: u64,
        traces: &[Quantity],
        mut stop: impl FnMut() -> Result<(), E>,
    ) -> Result<Outcome, NoOutcome<E>> {
        self.start(seed, traces)
            .finish_unless(EVENTS_PER_CHUNK, |_, is_over| if is_over { Ok(()) } else { stop() })
    }

    /// Like [`Experiment::run_unless`], and captures every frame on the air: `write` gets the parts of a [capture](Capture) one
    /// after the other. The memory for this does not grow with the run.
    ///
    /// # Errors
    /// When the run did not reach its end, or `write` gave a reason to stop.
    pub fn capture_unless<E>(
        &self,
        seed: u64,
        traces: &[Quantity],
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
        mut stop: impl FnMut() -> Result<(), E>,
    ) -> Result<Outcome, NoOutcome<E>> {
        let shared = self.shared_unless(&mut stop)?;
        let mut capture = Capture::new(&shared.loaded.scenario, seed);
        shared.start_with(seed, traces, true).finish_unless(EVENTS_PER_PART, |run, is_over| {
            capture.follow(run, is_over);
            if is_over || capture.waiting() >= PART {
                write(&capture.take())?;
            }
            stop()
        })
    }

    /// Like [`Experiment::run_unless`], and also returns the run as a data file of Flent in JSON, which labels it with `title`.
    /// The test comes from [`Experiment::flent_test`].
    ///
    /// # Errors
    /// When the run did not reach its end.
    pub fn flent_unless<E>(
        &self,
        seed: u64,
        traces: &[Quantity],
        (test, title): (Test, &str),
        mut stop: impl FnMut() -> Result<(), E>,
    ) -> Result<(Outcome, String), NoOutcome<E>> {
        let shared = self.shared_unless(&mut stop)?;
        let scenario = &shared.loaded.scenario;
        let mut recorded = traces.to_vec();
        if !recorded.contains(&Quantity::Acked) {
            recorded.push(Quantity::Acked);
        }
        let mut running = shared.start(seed, &recorded);
        running.run_to_end_unless(EVENTS_PER_CHUNK, |_, is_over| if is_over { Ok(()) } else { stop() })?;
        let record = running.run.into_record();
        let document = flent::document(scenario, test, seed, title, &record).to_string();
        Ok((measure(scenario, seed, &record, &self.metrics, traces), document))
    }

    /// Returns the test of Flent whose flows the scenario has.
    ///
    /// # Errors
    /// A message if there is no such test.
    pub fn flent_test(&self) -> Result<Test, String> {
        Test::of(&self.loaded.scenario)
    }

    /// Runs to the end, without measuring the fair share before: see [`Experiment::run_unless`].
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
    /// The series to report.
    traces: Vec<Quantity>,
    run: Run,
}

impl Running<'_> {
    /// Processes at most `max_events` events. Returns `true` once the run is over.
    pub fn step(&mut self, max_events: u64) -> bool {
        self.run.run_until(Time::NEVER, max_events)
    }

    /// Returns how much of the run is over, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.run.progress()
    }

    /// Returns the number of samples over time recorded so far.
    pub fn samples(&self) -> usize {
        self.run.samples()
    }

    /// Returns the number of events so far.
    pub fn events(&self) -> u64 {
        self.run.events()
    }

    /// Runs to the end. After each batch of `events` events, `look` gets the run and whether it is over, and may give a reason
    /// to stop.
    fn finish_unless<E>(
        mut self,
        events: u64,
        look: impl FnMut(&mut Run, bool) -> Result<(), E>,
    ) -> Result<Outcome, NoOutcome<E>> {
        self.run_to_end_unless(events, look)?;
        Ok(self.finish())
    }

    fn run_to_end_unless<E>(
        &mut self,
        events: u64,
        mut look: impl FnMut(&mut Run, bool) -> Result<(), E>,
    ) -> Result<(), NoOutcome<E>> {
        loop {
            let is_over = self.step(events);
            look(&mut self.run, is_over).map_err(NoOutcome::Stopped)?;
            if is_over {
                return Ok(());
            }
            check_samples(self.samples())?;
        }
    }

    /// Returns the outcome, once [`Running::step`] has returned `true`.
    pub fn finish(self) -> Outcome {
        let Experiment { loaded, metrics, .. } = self.experiment;
        measure(&loaded.scenario, self.seed, &self.run.into_record(), metrics, &self.traces)
    }
}

/// Returns the names of all metrics.
fn names() -> impl Iterator<Item = &'static str> + Clone {
    listed_or_not().map(|metric| metric.name)
}

/// Returns the quantities with these names.
///
/// # Errors
/// A message about the first name that is no quantity.
pub fn parse_traces(names: &[String]) -> Result<Vec<Quantity>, String> {
    let mut quantities = Vec::new();
    for name in names {
        let quantity = Quantity::from_word(name)
            .ok_or_else(|| format!("`{name}` cannot be traced; what can: {}", Quantity::WORDS.join(", ")))?;
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
