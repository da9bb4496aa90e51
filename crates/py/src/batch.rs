//! Many runs in one call, so that a short run costs little more than the engine's own time.
#![expect(clippy::disallowed_types, reason = "outcomes do not depend on how long their runs take")]

use crate::errors::input_error;
use crate::kept::Kept;
use crate::outcome::Outcome;
use crate::panics::caught;
use crate::scenario::{Scenario, Template};
use crate::seed::Seed;
use crate::stop_flag::StopFlag;
use airfair_lab::Origin;
use chrono::{SecondsFormat, Utc};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::time::{Duration, Instant};

/// What users get alone in bit/s, downloads and uploads: see `Scenario.sharing`.
type Shared = (Option<f64>, Option<f64>);

/// How to load a scenario: a template, overrides, metrics to report and an engine; where it may lie loaded, by a number; and a fair
/// share that was measured.
#[derive(FromPyObject)]
pub struct Source(
    Py<Template>,
    Vec<(String, String)>,
    Option<Vec<String>>,
    Option<String>,
    Option<(Py<Kept>, usize)>,
    Option<Shared>,
);

impl Source {
    /// The scenario that is kept, or else loaded now, with its users' fair share, which is measured if it has not been.
    fn taken(&self, stop: &StopFlag) -> PyResult<Scenario> {
        let kept = self.4.as_ref().and_then(|(kept, number)| kept.get().take(*number));
        let scenario = kept.map_or_else(|| self.load(), Ok)?;
        match self.5 {
            Some((down, up)) => Ok(scenario.sharing(down, up)),
            None => scenario.shared(|| stop.check()),
        }
    }

    /// Keeps its scenario, if there is room.
    pub fn keep(&self, scenario: Scenario) {
        let Source(template, overrides, _, _, kept, _) = self;
        if let Some((kept, number)) = kept {
            let given = overrides.iter().map(|(name, value)| name.len() + value.len());
            kept.get().put(*number, scenario, template.get().bytes() + given.sum::<usize>());
        }
    }

    /// Loads the scenario.
    pub fn load(&self) -> PyResult<Scenario> {
        let Source(template, overrides, metrics, engine, _, _) = self;
        let scenario = template.get().read(overrides.clone(), metrics.as_deref())?;
        match engine {
            Some(engine) => scenario.by_engine(engine),
            None => Ok(scenario),
        }
    }
}

/// A run: the place of its source, its seed and the key of its result.
#[derive(FromPyObject)]
pub struct Job(usize, Seed, String);

/// The result of a run: an outcome, or the error that prevented it.
#[pyclass(module = "airfair._engine", frozen, get_all)]
pub struct Computed {
    outcome: Option<Py<Outcome>>,
    error: Option<Py<PyAny>>,
    /// Wall time of the run.
    seconds: f64,
    /// The time at which it ended, in ISO 8601 (UTC).
    finished: String,
    /// See `Outcome.packed`.
    packed: Option<(Py<PyBytes>, usize)>,
}

/// A run that has ended.
struct Ended {
    outcome: PyResult<airfair_lab::Outcome>,
    seconds: f64,
    finished: String,
    packed: Option<(Vec<u8>, usize)>,
}

/// Run jobs one after the other; returns the results of the first ones, of at least one.
///
/// After `patience` seconds, and once `stop` is set, no further job is begun. With a `host`, the name of this computer,
/// outcomes are packed for a store. Signals are not heard: call it in a thread.
#[pyfunction]
#[pyo3(signature = (sources, jobs, stop, patience, host=None))]
pub fn compute(
    py: Python<'_>,
    sources: Vec<Source>,
    jobs: Vec<Job>,
    stop: Py<StopFlag>,
    patience: f64,
    host: Option<&str>,
) -> PyResult<Vec<Computed>> {
    let patience = Duration::try_from_secs_f64(patience).map_err(input_error)?;
    let ended = py.detach(|| all(&sources, &jobs, stop.get(), patience, host));
    ended.into_iter().map(|ended| ended.told(py)).collect()
}

fn all(
    sources: &[Source],
    jobs: &[Job],
    stop: &StopFlag,
    patience: Duration,
    host: Option<&str>,
) -> Vec<Ended> {
    let started = Instant::now();
    let mut ended = Vec::new();
    // Seeds of one scenario follow each other.
    let mut loaded: Option<(usize, Scenario)> = None;
    for Job(place, seed, key) in jobs {
        if !ended.is_empty() && (stop.is_set() || started.elapsed() >= patience) {
            break;
        }
        let begun = Instant::now();
        let scenario = match loaded.take() {
            Some((held, scenario)) if held == *place => Ok(scenario),
            _ => sources
                .get(*place)
                .ok_or_else(|| input_error("a job without a source"))
                .and_then(|source| source.taken(stop)),
        };
        let outcome = scenario.and_then(|scenario| {
            let (_, scenario) = loaded.insert((*place, scenario));
            scenario.outcome(seed.0, &[], || stop.check())
        });
        ended.push(Ended::new(outcome, begun.elapsed().as_secs_f64(), key, host));
    }
    ended
}

impl Ended {
    fn new(outcome: PyResult<airfair_lab::Outcome>, seconds: f64, key: &str, host: Option<&str>) -> Ended {
        let finished = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, false);
        let pack = |outcome: airfair_lab::Outcome, host| {
            let origin = Origin { seconds, host, finished: &finished };
            let packed = caught(|| airfair_lab::packed(&outcome, key, origin))?.map_err(input_error)?;
            Ok((outcome, Some(packed)))
        };
        let packed = outcome.and_then(|outcome| match host {
            Some(host) => pack(outcome, host),
            None => Ok((outcome, None)),
        });
        let (outcome, packed) = match packed {
            Ok((outcome, packed)) => (Ok(outcome), packed),
            Err(error) => (Err(error), None),
        };
        Ended { outcome, seconds, finished, packed }
    }

    fn told(self, py: Python<'_>) -> PyResult<Computed> {
        let Ended { outcome, seconds, finished, packed } = self;
        let packed = packed.map(|(bytes, size)| (PyBytes::new(py, &bytes).unbind(), size));
        let (outcome, error) = match outcome {
            Ok(outcome) => (Some(Py::new(py, Outcome::from(outcome))?), None),
            Err(error) => (None, Some(error.into_value(py).into_any())),
        };
        Ok(Computed { outcome, error, seconds, finished, packed })
    }
}
