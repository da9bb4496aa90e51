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

/// Time that steps must take for another thread to be worth while.
const MUCH: Duration = Duration::from_micros(500);

/// Time between two looks for Ctrl-C of a thread that waits for the others.
const LOOK: Duration = Duration::from_millis(100);

/// One step: which run, the instant at which it ends (s), what to set before.
type Step = (usize, f64, Vec<(String, String)>);

/// What a step has come to: the watched counters since time zero, and the watched metrics up to now, as far as they have a value.
type Seen = (Vec<f64>, Vec<Option<f64>>);

/// A step to take, and what it has come to.
struct Stepping<'a> {
    run: &'a mut World,
    until: Time,
    settings: Vec<Override>,
    seen: PyResult<Seen>,
}

/// Ctrl-C, which the main thread alone hears, and tells the others.
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

    /// Takes all steps, those of the runs that have taken their settings: if a run refuses one, none goes on.
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

/// Takes a part of all steps: on this thread and, where they take long, on the other cores as well.
fn each(steps: &mut [Stepping<'_>], stop: &Stop, part: impl Fn(&mut Stepping<'_>) -> PyResult<Seen> + Sync) {
    let take = |step: &mut Stepping<'_>| step.seen = caught(|| part(step)).unwrap_or_else(Err);
    let started = Instant::now();
    let Some((first, rest)) = steps.split_first_mut() else { return };
    take(first);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let is_little = started.elapsed() * (rest.len() as u32) < MUCH;
    let others = if is_little { 0 } else { (cores - 1).min(rest.len().saturating_sub(1)) };
    // A core that has other work takes fewer.
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
    /// `count` runs of a scenario, none of which has begun. `counters` are the watched ones: (`flows`, `links` or `stations`; the
    /// component's name; the counter's). `metrics` are watched, too. Raises `InputError` for an unknown counter, and for a metric that
    /// the scenario does not report.
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

    /// The end of the warm-up in seconds: metrics are measured from here on.
    #[getter]
    fn warmup(&self) -> f64 {
        self.experiment.loaded.scenario.warmup.as_secs()
    }

    /// Begin a run anew, at time zero.
    fn reset(&self, number: usize, seed: Seed) -> PyResult<()> {
        self.with(|runs| {
            let place =
                runs.get_mut(number).ok_or_else(|| input_error(format_args!("there is no run {number}")))?;
            let started = caught(|| World::start(self.experiment.clone(), seed.0, &[], &[]))?;
            *place = Some(started.map_err(input_error)?);
            Ok(())
        })
    }

    /// Take a step in each of these runs, side by side: set what it names, then go on to its instant. Returns what each has come to.
    ///
    /// Raises `InputError` for a run that has not begun or is named twice, an instant that is over, or a setting that cannot change; no
    /// run goes on then. Raises `LimitError` when what a run records would fill the memory. Ctrl-C ends the call within a second; the runs
    /// have to begin anew then.
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
            // Some are on their way to an instant, and nobody learns what the others have come to.
            numbers.into_iter().for_each(|number| runs[number] = None);
            Err(reason)
        })
    }
}
