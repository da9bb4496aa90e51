//! A run that Python drives.

use crate::control::Watch;
use crate::errors::{EngineError, error_of, input_error};
use crate::outcome::Outcome;
use crate::panics::caught;
use crate::parameters::named;
use crate::scenario::Scenario;
use crate::seed::Seed;
use airfair_core::Time;
use airfair_lab::{Side, World as Driven};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, TryLockError};

/// A packet that has arrived outside the engine: time (s), flow, whether to the flow's source, bytes, id.
type Egress = (f64, String, bool, u32, u64);

/// A run that is paused at some time, and goes on when it is told to. One thread at a time drives it.
#[pyclass(module = "airfair._engine", frozen)]
pub struct World {
    run: Mutex<Option<Driven>>,
    /// The watch on which controls of the user's own note what they raise.
    watch: Arc<Watch>,
}

impl World {
    /// Calls `act` with the run. After a failure of the engine there is no run any more.
    fn act<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut Driven) -> T + Send) -> PyResult<T> {
        // Another thread that drives the run may need the interpreter, so this one does not wait for it while holding the interpreter.
        let mut guard = self.run.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => input_error("another thread drives this run now"),
            TryLockError::Poisoned(_) => EngineError::new_err("the engine has failed in this run"),
        })?;
        let run = guard.as_mut().ok_or_else(|| EngineError::new_err("the engine has failed in this run"))?;
        self.watch.check()?;
        let acted = py.detach(|| caught(|| act(run)));
        if acted.is_err() {
            *guard = None;
        }
        self.watch.check()?;
        acted
    }

    /// Like [`World::act`], but fails unless the run is paused.
    fn paused<T: Send>(&self, py: Python<'_>, act: impl FnOnce(&mut Driven) -> T + Send) -> PyResult<T> {
        let acted = self.act(py, |run| match run.under_way_to() {
            None => Ok(act(run)),
            Some(until) => Err(until.min(run.end()).as_secs()),
        })?;
        acted.map_err(|until| {
            input_error(format_args!(
                "the run was interrupted on its way to {until} s: run until there first"
            ))
        })
    }
}

#[pymethods]
impl World {
    /// Start a run of a scenario at time zero. `traces` are the time series to record; the endpoints of the flows `external` are
    /// outside the engine.
    ///
    /// Raises `InputError` for an unknown trace or flow.
    #[new]
    #[pyo3(signature = (scenario, seed, traces=vec![], external=vec![]))]
    fn new(scenario: &Scenario, seed: Seed, traces: Vec<String>, external: Vec<String>) -> PyResult<World> {
        let quantities = airfair_lab::parse_traces(&traces).map_err(input_error)?;
        let (experiment, watch) = scenario.for_a_run();
        let start = || Driven::start(experiment, seed.0, &quantities, &external);
        let run = caught(start)?.map_err(input_error)?;
        watch.check()?;
        Ok(World { run: Mutex::new(Some(run)), watch })
    }

    /// The time of the pause in seconds.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<f64> {
        self.act(py, |run| run.now().as_secs())
    }

    /// The end of the run in seconds.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<f64> {
        self.act(py, |run| run.end().as_secs())
    }

    /// Run until `seconds`. Ctrl-C ends the call within a second; the next call must then go on to at least the same time.
    ///
    /// Raises `InputError` for a time that is over, `LimitError` if what the run records would fill the memory.
    fn run_until(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        const NANOS: f64 = 1e9;
        let until = Time((seconds * NANOS).round() as u64);
        let now = self.act(py, Driven::now)?;
        if seconds.is_nan() || seconds < 0.0 || until < now {
            let now = now.as_secs();
            return Err(input_error(format_args!("run until {seconds} s: the run is at {now} s already")));
        }
        let look = || Python::attach(|py| py.check_signals()).and_then(|()| self.watch.check());
        self.act(py, |run| run.go_on(until, look))?.map_err(error_of)
    }

    /// Set parameters, or settings by their paths, from now on. Raises `InputError` for what cannot change; then nothing is changed.
    fn set(&self, py: Python<'_>, settings: Vec<(String, String)>) -> PyResult<()> {
        self.paused(py, |run| run.set(&named(settings)))?.map_err(input_error)
    }

    /// Return the counters of all components since the start of the run: `{"flows": {name: {counter: number}}, "links", "stations"}`.
    fn counts_json(&self, py: Python<'_>) -> PyResult<String> {
        self.paused(py, |run| run.counts().to_string())
    }

    /// Return the outcome up to now. Raises `InputError` before the end of the warm-up.
    fn outcome(&self, py: Python<'_>) -> PyResult<Outcome> {
        self.paused(py, |run| run.outcome())?.map(Outcome::from).map_err(input_error)
    }

    /// Send a packet from an endpoint outside the engine, to the sink of the flow or to its source. Raises `InputError`.
    fn inject(&self, py: Python<'_>, flow: &str, bytes: u32, id: u64, to_source: bool) -> PyResult<()> {
        let to = if to_source { Side::Sender } else { Side::Receiver };
        self.paused(py, |run| run.inject(flow, to, bytes, id))?.map_err(input_error)
    }

    /// Remove and return the packets that have arrived at endpoints outside the engine, in the order of time: time (s), flow, whether
    /// to the flow's source, bytes, id.
    fn poll_egress(&self, py: Python<'_>) -> PyResult<Vec<Egress>> {
        let packets = self.paused(py, |run| run.poll_egress())?;
        let told = packets.into_iter().map(|(at, flow, packet)| {
            (at.as_secs(), flow, packet.to == Side::Sender, packet.bytes, packet.id)
        });
        Ok(told.collect())
    }
}
