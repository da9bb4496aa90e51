//! Several runs of one scenario that Python drives side by side: one call takes a step in all of them.
#![expect(clippy::disallowed_types, reason = "what a step gives does not depend on how long it takes")]

use crate::errors::{EngineError, error_of, input_error};
use crate::panics::caught;
use crate::parameters::named;
use crate::scenario::Scenario;
use crate::seed::Seed;
use airfair_core::Time;
use airfair_lab::{Experiment, Watched, World};
use airfair_scenario::Override;
use pyo3::prelude::*;
use std::convert::Infallible;
use std::num::NonZero;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that steps must take to make another thread worthwhile.
const MUCH: Duration = Duration::from_micros(500);

/// Time between two checks for Ctrl-C by a thread that waits for the others.
const LOOK: Duration = Duration::from_millis(100);

/// A step: the index of its run, the time at which it ends (s), and what to set before it.
type Step = (usize, f64, Vec<(String, String)>);

/// The result of a step: the watched counters since time zero, and the watched metrics up to now, `None` for those without a value.
type Seen = (Vec<f64>, Vec<Option<f64>>);

/// A step to take, and its result.
struct Stepping<'a> {
    run: &'a mut World,
    until: Time,
    settings: Vec<Override>,
    seen: PyResult<Seen>,
}

/// Ctrl-C, which only the main thread notices; this passes it on to the others.
#[derive(Default)]
struct Stop(OnceLock<PyErr>);

impl Stop {
    fn check(&self) -> PyResult<()> {
        Python::attach(|py| match self.0.get() {
            Some(reason) => Err(reason.clone_ref(py)),
            None => py.check_signals().inspect_err(|reason| drop(self.0.set(reason.clone_ref(py)))),
        })
    }
}

/// Runs of one scenario, each with a seed of its own. One thread at a time drives them; steps that take long use all cores.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Worlds {
    experiment: Experiment,
    watched: Watched,
    runs: Mutex<Vec<Option<World>>>,
}

impl Worlds {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<Option<World>>) -> PyResult<T>) -> PyResult<T> {
        let mut runs = self.runs.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => input_error("another thread drives these runs now"),
            TryLockError::Poisoned(_) => EngineError::new_err("the engine has failed in one of these runs"),
        })?;
        act(&mut runs)
    }

    fn go_on(&self, run: &mut World, until: Time, stop: &Stop) -> PyResult<Seen> {
        run.go_on(until, || stop.check()).map_err(error_of)?;
        Ok(run.look(&self.watched))
    }

    /// Takes all steps: first the settings of all runs, and then, if no run has refused one, the time.
    fn take_all(&self, steps: &mut [Stepping<'_>], stop: &Stop) {
        each(steps, stop, |Stepping { run, settings, .. }| {
            if !settings.is_empty() {
                run.set(settings).map_err(input_error)?;
            }
            Ok(Seen::default())
        });
        if steps.iter().all(|step| step.seen.is_ok()) {
            each(steps, stop, |Stepping { run, until, .. }| self.go_on(run, *until, stop));
        }
    }
}

/// Does `part` of all steps: on this thread and, if they take long, on the other cores as well.
fn each(steps: &mut [Stepping<'_>], stop: &Stop, part: impl Fn(&mut Stepping<'_>) -> PyResult<Seen> + Sync) {
    let take = |step: &mut Stepping<'_>| step.seen = caught(|| part(step)).unwrap_or_else(Err);
    let started = Instant::now();
    let Some((first, rest)) = steps.split_first_mut() else { return };
    take(first);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let is_little = started.elapsed() * (rest.len() as u32) < MUCH;
    let others = if is_little { 0 } else { (cores - 1).min(rest.len().saturating_sub(1)) };
    // Threads take steps from a common list, so that a core with other work takes fewer.
    let rest = Mutex::new(rest.iter_mut());
    let work = || {
        loop {
            let next = rest.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(step) = next else { return };
            take(step);
        }
    };
    thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<Infallible>();
        for _ in 0..others {
            let working = working.clone();
            scope.spawn(move || {
                work();
                drop(working);
            });
        }
        drop(working);
        work();
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let _ = stop.check(); // the others hear of it
        }
    });
}

#[pymethods]
impl Worlds {
    /// Create `count` runs of a scenario, none of which has started. `counters` are the ones to watch: (`flows`, `links` or `stations`;
    /// the component's name; the counter's). `metrics` are watched as well. Raises `InputError` for an unknown counter, and for a metric
    /// that the scenario does not report.
    #[new]
    fn new(
        scenario: &Scenario,
        count: usize,
        counters: Vec<(String, String, String)>,
        metrics: Vec<String>,
    ) -> PyResult<Worlds> {
        let experiment = scenario.experiment()?.clone();
        Ok(Worlds {
            watched: Watched::new(&experiment, &counters, &metrics).map_err(input_error)?,
            experiment,
            runs: Mutex::new((0..count).map(|_| None).collect()),
        })
    }

    /// The end of the warm-up in seconds: metrics are measured from then on.
    #[getter]
    fn warmup(&self) -> f64 {
        self.experiment.loaded.scenario.warmup.as_secs()
    }

    /// Start a run again, at time zero.
    fn reset(&self, number: usize, seed: Seed) -> PyResult<()> {
        self.with(|runs| {
            let place =
                runs.get_mut(number).ok_or_else(|| input_error(format_args!("there is no run {number}")))?;
            let started = caught(|| World::start(self.experiment.clone(), seed.0, &[], &[]))?;
            *place = Some(started.map_err(input_error)?);
            Ok(())
        })
    }

    /// Take a step in each of these runs, side by side: set what the step names, and go on to its time. Returns the result of each.
    ///
    /// Raises `InputError` for a run that has not started or is named twice, a time that is over, or a setting that cannot change; no run
    /// goes on then. Raises `LimitError` if what a run records would fill the memory. Ctrl-C ends the call within a second; the runs must
    /// be reset then.
    fn advance(&self, py: Python<'_>, steps: Vec<Step>) -> PyResult<Vec<Seen>> {
        const NANOS: f64 = 1e9;
        self.with(|runs| {
            let mut free: Vec<Option<&mut World>> = runs.iter_mut().map(Option::as_mut).collect();
            let (mut jobs, mut numbers) = (Vec::with_capacity(steps.len()), Vec::with_capacity(steps.len()));
            for (number, seconds, settings) in steps {
                let run = free.get_mut(number).and_then(Option::take);
                let run = run.ok_or_else(|| {
                    input_error(format_args!(
                        "run {number} has not begun: reset it first (or it is named twice)"
                    ))
                })?;
                let until = Time((seconds * NANOS).round() as u64);
                if !(seconds >= 0.0 && until >= run.now()) {
                    return Err(input_error(format_args!(
                        "run {number} is at {} s already",
                        run.now().as_secs()
                    )));
                }
                numbers.push(number);
                jobs.push(Stepping { run, until, settings: named(settings), seen: Ok(Seen::default()) });
            }
            let stop = Stop::default();
            py.detach(|| self.take_all(&mut jobs, &stop));
            let seen = jobs.into_iter().map(|step| step.seen).collect();
            let Some(reason) = stop.0.into_inner() else { return seen };
            // Some runs are between two pauses, and nobody has the results of the others.
            numbers.into_iter().for_each(|number| runs[number] = None);
            Err(reason)
        })
    }
}
