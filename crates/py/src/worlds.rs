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
use std::num::NonZero;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that steps must take for another thread to be worth while.
const MUCH: Duration = Duration::from_micros(500);

/// One step: which run, the instant at which it ends (s), what to set before.
type Step = (usize, f64, Vec<(String, String)>);

/// What a step has come to: the watched counters since time zero, and the watched metrics up to now, as far as they have a value.
type Seen = (Vec<f64>, Vec<Option<f64>>);

/// A step to take, and what it has come to.
struct Stepping<'a> {
    run: &'a mut World,
    until: Time,
    settings: Vec<Override>,
    seen: Option<PyResult<Seen>>,
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

    fn step(&self, run: &mut World, until: Time, settings: &[Override]) -> PyResult<Seen> {
        if !settings.is_empty() {
            run.set(settings).map_err(input_error)?;
        }
        run.go_on(until, || Ok(())).map_err(error_of)?;
        Ok(run.look(&self.watched))
    }

    fn take(&self, step: &mut Stepping<'_>) {
        let Stepping { run, until, settings, seen } = step;
        let stepped = caught(|| self.step(run, *until, settings));
        *seen = Some(stepped.unwrap_or_else(Err));
    }

    /// Takes all steps: on this thread and, where they take long, on the other cores as well.
    fn take_all(&self, steps: &mut [Stepping<'_>]) {
        let started = Instant::now();
        let Some((first, rest)) = steps.split_first_mut() else { return };
        self.take(first);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let is_little = started.elapsed() * (rest.len() as u32) < MUCH;
        let others = if is_little { 0 } else { (cores - 1).min(rest.len().saturating_sub(1)) };
        // A core that has other work takes fewer.
        let rest = Mutex::new(rest.iter_mut());
        let work = || {
            loop {
                let next = rest.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(step) = next else { return };
                self.take(step);
            }
        };
        thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(work);
            }
            work();
        });
    }
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
    /// Raises `InputError` for a run that has not begun or is named twice, an instant that is over, or a setting that cannot change; `LimitError` when what
    /// a run records would fill the memory.
    fn advance(&self, py: Python<'_>, steps: Vec<Step>) -> PyResult<Vec<Seen>> {
        const NANOS: f64 = 1e9;
        self.with(|runs| {
            let mut free: Vec<Option<&mut World>> = runs.iter_mut().map(Option::as_mut).collect();
            let mut jobs = Vec::with_capacity(steps.len());
            for (number, seconds, settings) in steps {
                let run = free.get_mut(number).and_then(Option::take);
                let run = run.ok_or_else(|| {
                    input_error(format_args!("run {number} has not begun, or is named twice"))
                })?;
                let until = Time((seconds * NANOS).round() as u64);
                if !(seconds >= 0.0 && until >= run.now()) {
                    return Err(input_error(format_args!(
                        "run {number} is at {} s already",
                        run.now().as_secs()
                    )));
                }
                jobs.push(Stepping { run, until, settings: named(settings), seen: None });
            }
            py.detach(|| self.take_all(&mut jobs));
            let seen = jobs.into_iter().map(|step| step.seen);
            seen.map(|seen| seen.unwrap_or_else(|| Err(EngineError::new_err("the engine failed")))).collect()
        })
    }
}
