//! Several runs of one scenario that Python drives side by side: one call takes a step in all of them.

use crate::errors::{EngineError, input_error};
use crate::panics::caught;
use crate::scenario::{Scenario, named};
use crate::seed::Seed;
use airfair_core::Time;
use airfair_lab::{EVENTS_PER_CHUNK, Experiment, World};
use airfair_scenario::Override;
use pyo3::prelude::*;
use std::num::NonZero;
use std::sync::{Mutex, TryLockError};
use std::thread;

/// One step: which run, the instant at which it ends (s), what to set before.
type Step = (usize, f64, Vec<(String, String)>);

/// What a step has come to: the watched counters since time zero, and the watched metrics up to now, as far as they have a value.
type Seen = (Vec<f64>, Vec<Option<f64>>);

/// Runs of one scenario, each with a seed of its own. One thread at a time drives them; a step uses all cores.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Worlds {
    experiment: Experiment,
    /// JSON pointers into the counters.
    counters: Vec<String>,
    metrics: Vec<String>,
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

    fn step(&self, run: &mut World, until: Time, settings: &[Override]) -> Result<Seen, String> {
        if !settings.is_empty() {
            run.set(settings)?;
        }
        while !run.run_until(until, EVENTS_PER_CHUNK) {}
        let counts = run.counts();
        let counter = |place: &String| {
            let found = counts.pointer(place).and_then(serde_json::Value::as_f64);
            found.ok_or_else(|| format!("there is no counter `{}`", place.escape_debug()))
        };
        let counters = self.counters.iter().map(counter).collect::<Result<_, _>>()?;
        let outcome = if self.metrics.is_empty() { None } else { run.outcome().ok() };
        let metric = |name: &String| outcome.as_ref()?.metric(name)?.value;
        Ok((counters, self.metrics.iter().map(metric).collect()))
    }
}

#[pymethods]
impl Worlds {
    /// `count` runs of a scenario, none of which has begun. `counters` are the watched ones: (`flows`, `links` or `stations`; the
    /// component's name; the counter's). `metrics` are watched, too.
    #[new]
    fn new(
        scenario: &Scenario,
        count: usize,
        counters: Vec<(String, String, String)>,
        metrics: Vec<String>,
    ) -> PyResult<Worlds> {
        let escaped = |part: &str| part.replace('~', "~0").replace('/', "~1");
        let pointer = |(kind, component, counter): &(String, String, String)| {
            format!("/{}/{}/{}", escaped(kind), escaped(component), escaped(counter))
        };
        Ok(Worlds {
            experiment: scenario.experiment()?.clone(),
            counters: counters.iter().map(pointer).collect(),
            metrics,
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
    /// Raises `InputError` for a run that has not begun or is named twice, an instant that is over, a setting that cannot change, or an
    /// unknown counter.
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
                jobs.push((run, until, named(settings)));
            }
            let seen = py.detach(|| {
                let threads = thread::available_parallelism().map_or(1, NonZero::get);
                let share = jobs.len().div_ceil(threads).max(1);
                thread::scope(|scope| {
                    let work = |jobs: &mut [(&mut World, Time, Vec<Override>)]| {
                        let steps =
                            jobs.iter_mut().map(|(run, until, settings)| self.step(run, *until, settings));
                        steps.collect::<Result<Vec<_>, _>>()
                    };
                    // One share is this thread's own: a single run needs no other thread.
                    let mut shares = jobs.chunks_mut(share);
                    let first = shares.next();
                    let others: Vec<_> =
                        shares.map(|share| scope.spawn(move || caught(|| work(share)))).collect();
                    let mut done = vec![first.map_or_else(|| Ok(Ok(vec![])), |share| caught(|| work(share)))];
                    done.extend(others.into_iter().map(|other| {
                        other.join().unwrap_or_else(|_| Err(EngineError::new_err("the engine failed")))
                    }));
                    done
                })
            });
            let mut all = Vec::new();
            for share in seen {
                all.extend(share?.map_err(input_error)?);
            }
            Ok(all)
        })
    }
}
