//! Many runs in one call, so that a short run costs little more than the engine's own time.
#![expect(clippy::disallowed_types, reason = "outcomes do not depend on how long their runs take")]

use crate::errors::input_error;
use crate::kept::Kept;
use crate::keys::split;
use crate::outcome::Outcome;
use crate::panics::caught;
use crate::scenario::Scenario;
use crate::seed::Seed;
use crate::stop_flag::StopFlag;
use crate::tables::Ran;
use crate::template::Template;
use airfair_lab::Origin;
use chrono::{SecondsFormat, Utc};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rates in bit/s that users get alone, for downloads and uploads: see `Scenario.sharing`.
type Shared = (Option<f64>, Option<f64>);

/// How to load a scenario: a tuple in Python.
#[derive(FromPyObject)]
pub struct Source {
    #[pyo3(item(0))]
    template: Py<Template>,
    #[pyo3(item(1))]
    overrides: Vec<(String, String)>,
    /// The metrics to report; `None`: those that the file asks for.
    #[pyo3(item(2))]
    metrics: Option<Vec<String>>,
    /// Name of the engine; `None`: the default one.
    #[pyo3(item(3))]
    engine: Option<String>,
    /// Where the scenario may be kept after it was loaded, and its number there.
    #[pyo3(item(4))]
    kept: Option<(Py<Kept>, usize)>,
    /// The rates of the scenario's users alone, if they were measured.
    #[pyo3(item(5))]
    shared: Option<Shared>,
}

impl Source {
    /// Takes the kept scenario, or else loads it. Its users' fair share is measured if that is needed and has not been done.
    fn taken(&self, stop: &StopFlag) -> PyResult<Scenario> {
        let kept = self.kept.as_ref().and_then(|(kept, number)| kept.get().take(*number));
        let scenario = kept.map_or_else(|| self.load(), Ok)?;
        match self.shared {
            Some((down, up)) => Ok(scenario.sharing(down, up)),
            None => scenario.shared(|| stop.check()),
        }
    }

    /// Keeps a scenario that was loaded from this source, if there is room.
    pub fn keep(&self, scenario: Scenario) {
        let Source { template, overrides, kept, .. } = self;
        if let Some((kept, number)) = kept {
            let given = overrides.iter().map(|(name, value)| name.len() + value.len());
            kept.get().put(*number, scenario, template.get().bytes() + given.sum::<usize>());
        }
    }

    /// Loads the scenario.
    pub fn load(&self) -> PyResult<Scenario> {
        let Source { template, overrides, metrics, engine, .. } = self;
        let scenario = template.get().read(overrides.clone(), metrics.as_deref())?;
        match engine {
            Some(engine) => scenario.by_engine(engine),
            None => Ok(scenario),
        }
    }
}

/// A run to do: the number of its scenario, its seed and the key of its result.
struct Job {
    place: u32,
    seed: u64,
    key: [u8; 32],
}

/// The result of a run: an outcome, or the error that prevented it.
#[pyclass(module = "airfair._engine", frozen, get_all)]
pub struct Computed {
    outcome: Option<Py<Outcome>>,
    error: Option<Py<PyAny>>,
    /// Wall time of the run in seconds.
    seconds: f64,
    /// Time at which the run ended, in ISO 8601 (UTC).
    finished: String,
    /// The packed outcome, and its size before compression: see `Outcome.packed`.
    packed: Option<(Py<PyBytes>, usize)>,
}

/// A run that has ended.
struct Ended {
    job: Job,
    outcome: PyResult<Arc<airfair_lab::Outcome>>,
    seconds: f64,
    finished: String,
    packed: Option<(Vec<u8>, usize)>,
}

/// Results of runs, in the order of the jobs. Each method works on all of them in one call.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Results {
    ended: Vec<Ended>,
    host: String,
}

/// Do runs one after the other, and return the results of those that were done, which is at least one.
///
/// A job is the number of its scenario, its seed and the key of its result; `keys` has all keys one after the other. Jobs of one
/// scenario follow each other, and `sources` has their scenarios in the same order. After `patience` seconds, and once `stop` is set,
/// no further job is started. With `pack`, outcomes are packed for a store; `host` is the name of this computer. Signals are not
/// handled: call it in a thread.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
#[pyo3(signature = (sources, places, seeds, keys, stop, patience, host, *, pack))]
pub fn compute(
    py: Python<'_>,
    sources: Vec<Source>,
    places: Vec<u32>,
    seeds: Vec<Seed>,
    keys: &[u8],
    stop: Py<StopFlag>,
    patience: f64,
    host: String,
    pack: bool,
) -> PyResult<Results> {
    let patience = Duration::try_from_secs_f64(patience).map_err(input_error)?;
    let keys = split(keys)?;
    if places.len() != seeds.len() || seeds.len() != keys.len() {
        return Err(input_error("there must be as many numbers of scenarios as seeds and keys"));
    }
    let jobs = places.into_iter().zip(seeds).zip(keys);
    let jobs = jobs.map(|((place, seed), &key)| Job { place, seed: seed.0, key });
    let ended = py.detach(|| all(&sources, jobs, stop.get(), patience, pack.then_some(&host)));
    Ok(Results { ended, host })
}

fn all(
    sources: &[Source],
    jobs: impl Iterator<Item = Job>,
    stop: &StopFlag,
    patience: Duration,
    host: Option<&String>,
) -> Vec<Ended> {
    let started = Instant::now();
    let mut ended = Vec::new();
    let mut sources = sources.iter();
    // Seeds of one scenario follow each other, so one loaded scenario is enough.
    let mut loaded: Option<(u32, PyResult<Scenario>)> = None;
    for job in jobs {
        if !ended.is_empty() && (stop.is_set() || started.elapsed() >= patience) {
            break;
        }
        let begun = Instant::now();
        if loaded.as_ref().is_none_or(|(place, _)| *place != job.place) {
            let next = sources.next().ok_or_else(|| input_error("a job without a source"));
            loaded = Some((job.place, next.and_then(|source| source.taken(stop))));
        }
        let outcome = match &loaded {
            Some((_, Ok(scenario))) => scenario.outcome(job.seed, &[], || stop.check()),
            Some((_, Err(error))) => Err(Python::attach(|py| error.clone_ref(py))),
            None => Err(input_error("a job without a scenario")),
        };
        ended.push(Ended::new(job, outcome, begun.elapsed().as_secs_f64(), host));
    }
    ended
}

impl Ended {
    fn new(job: Job, outcome: PyResult<airfair_lab::Outcome>, seconds: f64, host: Option<&String>) -> Ended {
        let finished = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, false);
        let pack = |outcome: airfair_lab::Outcome, host| {
            let (key, origin) = (hexadecimal(&job.key), Origin { seconds, host, finished: &finished });
            let packed = caught(|| airfair_lab::packed(&outcome, &key, origin))?.map_err(input_error)?;
            Ok((outcome, Some(packed)))
        };
        let packed = outcome.and_then(|outcome| match host {
            Some(host) => pack(outcome, host),
            None => Ok((outcome, None)),
        });
        let (outcome, packed) = match packed {
            Ok((outcome, packed)) => (Ok(Arc::new(outcome)), packed),
            Err(error) => (Err(error), None),
        };
        Ended { job, outcome, seconds, finished, packed }
    }

    fn told(&self, py: Python<'_>) -> PyResult<Computed> {
        let packed = self.packed.as_ref();
        let (outcome, error) = match &self.outcome {
            Ok(outcome) => (Some(Py::new(py, Outcome::from(Arc::clone(outcome)))?), None),
            Err(error) => (None, Some(error.clone_ref(py).into_value(py).into_any())),
        };
        Ok(Computed {
            outcome,
            error,
            seconds: self.seconds,
            finished: self.finished.clone(),
            packed: packed.map(|(bytes, size)| (PyBytes::new(py, bytes).unbind(), *size)),
        })
    }
}

fn hexadecimal(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[pymethods]
impl Results {
    /// Number of results.
    fn __len__(&self) -> usize {
        self.ended.len()
    }

    /// Return the result with this index.
    fn __getitem__(&self, py: Python<'_>, number: usize) -> PyResult<Computed> {
        let ended = self.ended.get(number).ok_or_else(|| PyIndexError::new_err("there is no such result"))?;
        ended.told(py)
    }

    /// Errors of runs without an outcome, by their indices here.
    #[getter]
    fn errors(&self, py: Python<'_>) -> BTreeMap<usize, Py<PyAny>> {
        let errors = self.ended.iter().enumerate().filter_map(|(number, ended)| {
            let error = ended.outcome.as_ref().err()?;
            Some((number, error.clone_ref(py).into_value(py).into_any()))
        });
        errors.collect()
    }

    /// Return the sizes before compression of packed outcomes that are larger than `most`, by their indices here.
    fn larger(&self, most: usize) -> BTreeMap<usize, usize> {
        let sizes = self.ended.iter().enumerate().filter_map(|(number, ended)| {
            let (_, size) = ended.packed.as_ref()?;
            (*size > most).then_some((number, *size))
        });
        sizes.collect()
    }

    /// Return the packed outcomes, except those with these indices, as a segment holds them: their keys one after the other, the length
    /// of each with its header, and the bytes.
    fn segment<'py>(
        &self,
        py: Python<'py>,
        but: BTreeSet<usize>,
    ) -> (Bound<'py, PyBytes>, Vec<usize>, Bound<'py, PyBytes>) {
        let (mut keys, mut lengths, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        py.detach(|| {
            for (number, Ended { job, packed, .. }) in self.ended.iter().enumerate() {
                if let Some((packed, _)) = packed.as_ref().filter(|_| !but.contains(&number)) {
                    let start = bytes.len();
                    airfair_lab::append(&mut bytes, &job.key, packed);
                    keys.extend_from_slice(&job.key);
                    lengths.push(bytes.len() - start);
                }
            }
        });
        (PyBytes::new(py, &keys), lengths, PyBytes::new(py, &bytes))
    }
}

impl Results {
    /// Returns the runs with an outcome, except those with these indices.
    pub fn ran(&self, but: &BTreeSet<usize>) -> Vec<Ran<'_>> {
        let each = self.ended.iter().enumerate().filter(|(number, _)| !but.contains(number));
        let ran = each.filter_map(|(_, ended)| {
            let Ended { job, outcome, seconds, finished, .. } = ended;
            let outcome = outcome.as_ref().ok()?;
            Some(Ran {
                place: job.place,
                seed: job.seed,
                outcome,
                seconds: *seconds,
                host: &self.host,
                finished,
            })
        });
        ran.collect()
    }
}
