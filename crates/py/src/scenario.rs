//! Scenarios: loaded, run, summed up.

use crate::control::{self, PythonControl, Watch};
use crate::errors::{error_of, input_error};
use crate::outcome::Outcome;
use crate::panics::caught;
use crate::parameters::{by_name, named};
use crate::seed::Seed;
use crate::stop_flag::StopFlag;
use airfair_lab::{Alone, Engine, Experiment, NoOutcome, Quantity, summary};
use airfair_scenario::Loaded;
use airfair_scenario::resolved::FairShare;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::sync::Arc;

/// A scenario with every parameter set, ready to run. It never changes, so threads may share it.
#[pyclass(module = "airfair", frozen)]
pub struct Scenario {
    experiment: Experiment,
    /// Controls of the user's own.
    controls: Vec<PythonControl>,
}

#[pymethods]
impl Scenario {
    /// A packaged scenario by name, or a scenario file by path, with parameters set as text (`("delay", "20 ms")`).
    ///
    /// `metrics` are reported instead of those that the file names: some by their names, or `all` that there are.
    ///
    /// Raises `InputError`.
    #[staticmethod]
    #[pyo3(signature = (source, overrides=vec![], metrics=None))]
    fn load(
        py: Python<'_>,
        source: &str,
        overrides: Vec<(String, String)>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Scenario> {
        let load = || Experiment::load(source, &named(overrides))?.measuring(metrics.as_deref());
        py.detach(|| caught(load))?.map(Scenario::from).map_err(input_error)
    }

    /// A scenario from the text of a scenario file; `file` names it in messages, `metrics` as in `load`.
    ///
    /// Raises `InputError`.
    #[staticmethod]
    #[pyo3(signature = (text, file, overrides=vec![], metrics=None))]
    fn parse(
        py: Python<'_>,
        text: &str,
        file: &str,
        overrides: Vec<(String, String)>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Scenario> {
        let parse = || Experiment::parse(text, file, &named(overrides))?.measuring(metrics.as_deref());
        py.detach(|| caught(parse))?.map(Scenario::from).map_err(input_error)
    }

    /// The packaged name, or the one that the file gives.
    #[getter]
    fn name(&self) -> &str {
        &self.experiment.loaded.scenario.name
    }

    /// The scenario's file.
    #[getter]
    fn toml(&self) -> String {
        self.experiment.loaded.toml()
    }

    /// Legal but hopeless settings, a sentence each: a link that loses everything, an outage after the run's end.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.experiment.loaded.warnings.clone()
    }

    /// Settings from outside that reach no flow, a sentence each. Of several scenarios with the same settings, one is useless only
    /// if it is so in all.
    #[getter]
    fn useless(&self) -> Vec<String> {
        self.experiment.loaded.useless.clone()
    }

    /// The parameters: `{name: {"value": ..., "unit": ...}}`, in the file's order and in SI units.
    #[getter]
    fn parameters_json(&self) -> String {
        by_name(&self.experiment.loaded.parameters)
    }

    /// Names of the metrics that the scenario reports, in order.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.experiment.loaded.scenario.metrics.clone()
    }

    /// Names of the wireless networks.
    #[getter]
    fn wlans(&self) -> Vec<String> {
        self.experiment.loaded.scenario.wlans.iter().map(|wlan| wlan.name.clone()).collect()
    }

    /// Names the result of this scenario with this seed: equal for whatever gives equal results. Raises `InputError` where a control of
    /// the user's own decides them.
    fn key(&self, seed: Seed) -> PyResult<String> {
        Ok(self.experiment()?.key(seed.0))
    }

    /// A digest of all that decides the results of this scenario, 32 bytes: `key` makes the name of each from it. Raises as `key`.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.experiment()?.loaded.digest()))
    }

    /// The same scenario with congestion controls that are Python objects: (the flow's name, or `None` for all TCP flows; the control;
    /// the names of its optional methods).
    ///
    /// Raises `InputError` for a flow that is not there or not one of TCP.
    fn controlled(
        &self,
        controls: Vec<(Option<String>, Bound<'_, PyAny>, Vec<String>)>,
    ) -> PyResult<Scenario> {
        let made =
            controls.iter().map(|(flow, object, methods)| PythonControl::new(flow.clone(), object, methods));
        let controls = made.collect::<PyResult<Vec<_>>>()?;
        control::check(&self.experiment, &controls)?;
        Ok(Scenario { experiment: self.experiment.clone(), controls })
    }

    /// The same scenario, to be run by this engine: `fast`, the default, or `plain`, in which each step of each packet is an
    /// event. Both give the same results.
    ///
    /// Raises `InputError` for another name.
    pub fn by_engine(&self, engine: &str) -> PyResult<Scenario> {
        let known = || format!("engine `{engine}` is not known; there are {}", Engine::WORDS.join(" and "));
        let mut experiment = self.experiment.clone();
        experiment.engine = Engine::from_word(engine).ok_or_else(|| input_error(known()))?;
        Ok(Scenario { experiment, controls: self.controls.clone() })
    }

    /// Whether its users' fair share is to be measured before it runs.
    #[getter]
    fn measures_share(&self) -> bool {
        self.experiment.measures_share()
    }

    /// The number of users that share, if the scenario says; else the number of flows.
    #[getter]
    fn users(&self) -> usize {
        match self.experiment.loaded.scenario.fair_share {
            FairShare::Split { users, .. } => users as usize,
            FairShare::Undefined => self.experiment.loaded.scenario.flows.len(),
        }
    }

    /// Each TCP flow alone in the network, with data to send all the time: `ALONE_WARMUP`, then `ALONE_DURATION`.
    fn users_alone(&self, py: Python<'_>) -> PyResult<Vec<Scenario>> {
        py.detach(|| caught(|| self.experiment.users_alone().into_iter().map(Scenario::from).collect()))
    }

    /// The same scenario with what its users get alone in bit/s, where that is to be measured, as `shared_rates` has it. Keys stay as they
    /// were.
    #[pyo3(signature = (down, up))]
    pub fn sharing(&self, down: Option<f64>, up: Option<f64>) -> Scenario {
        let experiment = self.experiment.clone().sharing(Alone { down, up });
        Scenario { experiment, controls: self.controls.clone() }
    }

    /// Run with one seed. `traces` are the time series to record: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`,
    /// `drops`, `backlog`, `air`.
    ///
    /// Other threads go on meanwhile. Ctrl-C in the main thread, and `stop` in any, end it within a second by
    /// `KeyboardInterrupt`. Raises `InputError` for an unknown trace, `LimitError` when what it records would fill the memory,
    /// `EngineError` when the engine fails, `ControlError` when a control of the user's own does.
    #[pyo3(signature = (seed, traces=vec![], stop=None))]
    fn run(
        &self,
        py: Python<'_>,
        seed: Seed,
        traces: Vec<String>,
        stop: Option<&StopFlag>,
    ) -> PyResult<Outcome> {
        let quantities = airfair_lab::parse_traces(&traces).map_err(input_error)?;
        self.run_with(py, |experiment, watch| {
            let look = || {
                Python::attach(|py| py.check_signals())?;
                watch.check()?;
                stop.map_or(Ok(()), StopFlag::check)
            };
            experiment.run_unless(seed.0, &quantities, look)
        })
        .map(Outcome::from)
    }

    /// `run`, and write every frame on the air as pcapng into the open binary `file`.
    ///
    /// Raises whatever `file` raises.
    fn capture(
        &self,
        py: Python<'_>,
        seed: Seed,
        traces: Vec<String>,
        file: &Bound<'_, PyAny>,
    ) -> PyResult<Outcome> {
        let quantities = airfair_lab::parse_traces(&traces).map_err(input_error)?;
        let file = file.clone().unbind();
        let write = |bytes: &[u8]| {
            Python::attach(|py| file.call_method1(py, "write", (PyBytes::new(py, bytes),)).map(|_| ()))
        };
        self.run_with(py, |experiment, watch| {
            let look = || Python::attach(|py| py.check_signals()).and_then(|()| watch.check());
            experiment.capture_unless(seed.0, &quantities, write, look)
        })
        .map(Outcome::from)
    }

    /// The name of the test of Flent's whose flows have the names of this scenario's. Raises `InputError` if there is none.
    fn flent_test(&self) -> PyResult<&'static str> {
        self.experiment.flent_test().map(airfair_lab::FlentTest::name).map_err(input_error)
    }

    /// `run`, and the run as a data file of Flent, in JSON; Flent labels it with `title`.
    ///
    /// Raises `InputError` as `flent_test`.
    fn flent(
        &self,
        py: Python<'_>,
        seed: Seed,
        traces: Vec<String>,
        title: &str,
    ) -> PyResult<(Outcome, String)> {
        let quantities = airfair_lab::parse_traces(&traces).map_err(input_error)?;
        let test = self.experiment.flent_test().map_err(input_error)?;
        let (outcome, document) = self.run_with(py, |experiment, watch| {
            let look = || Python::attach(|py| py.check_signals()).and_then(|()| watch.check());
            experiment.flent_unless(seed.0, &quantities, (test, title), look)
        })?;
        Ok((Outcome::from(outcome), document))
    }

    /// The document of `airfair run --json` over these outcomes of this scenario.
    fn summary_json(&self, py: Python<'_>, outcomes: Vec<PyRef<'_, Outcome>>) -> PyResult<String> {
        let records: Vec<_> =
            outcomes.iter().map(|outcome| airfair_lab::Outcome::clone(&outcome.record)).collect();
        py.detach(|| caught(|| summary(&self.experiment, &records).to_string()))
    }

    /// The part of the run that a timeline shows, in seconds since its start: from `start` to `end`, each a time as text
    /// (`"21.5 s"`), or around the first session of these outcomes.
    ///
    /// Raises `InputError` for a text that is not a time, or a time that is not recorded.
    #[pyo3(signature = (start=None, end=None, outcomes=vec![]))]
    fn window(
        &self,
        start: Option<&str>,
        end: Option<&str>,
        outcomes: Vec<PyRef<'_, Outcome>>,
    ) -> PyResult<(f64, f64)> {
        let records: Vec<_> = outcomes.iter().map(|outcome| &*outcome.record).collect();
        airfair_lab::window(&self.experiment.loaded.scenario, &records, start, end).map_err(input_error)
    }

    /// Notebooks show the name and the parameters.
    fn _repr_html_<'py>(slf: &Bound<'py, Scenario>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("airfair.catalogue.notebook")?.call_method1("scenario", (slf,))
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {}>", self.name())
    }
}

impl Scenario {
    /// The scenario for the lab. Raises `InputError` where there are controls of the user's own.
    pub fn experiment(&self) -> PyResult<&Experiment> {
        if self.controls.is_empty() {
            return Ok(&self.experiment);
        }
        Err(input_error(
            "results of a control of your own have no key, and are not stored, compared or shared out",
        ))
    }

    /// The scenario for one run, with the controls of the user's own, and where they note what they raise.
    pub fn for_a_run(&self) -> (Experiment, Arc<Watch>) {
        control::controlled(&self.experiment, &self.controls)
    }

    /// The same scenario with its users' fair share, which is measured now if it is to be, unless `stop` gives a reason not to.
    pub fn shared(self, stop: impl FnMut() -> PyResult<()>) -> PyResult<Scenario> {
        if !self.experiment.measures_share() {
            return Ok(self);
        }
        let shared = caught(|| self.experiment.shared_unless(stop).map(Cow::into_owned))?;
        Ok(Scenario { experiment: shared.map_err(error_of)?, controls: self.controls })
    }

    /// The scenario as it was loaded, without controls of the user's own.
    pub fn loaded(&self) -> &Loaded {
        &self.experiment.loaded
    }

    /// Runs it without the interpreter, which the controls of the user's own ask for themselves.
    fn run_with<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&Experiment, &Watch) -> Result<T, NoOutcome<PyErr>> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            if self.controls.is_empty() {
                return caught(|| run(&self.experiment, &Watch::default()))?.map_err(error_of);
            }
            let (experiment, watch) = self.for_a_run();
            let outcome = caught(|| run(&experiment, &watch))?.map_err(error_of)?;
            watch.check().map(|()| outcome)
        })
    }

    /// The outcome with a seed, unless `stop`, which is called several times a second, gives a reason not to have it.
    pub fn outcome(
        &self,
        seed: u64,
        traces: &[Quantity],
        stop: impl FnMut() -> PyResult<()>,
    ) -> PyResult<airfair_lab::Outcome> {
        caught(|| self.experiment.run_unless(seed, traces, stop))?.map_err(error_of)
    }
}

impl From<Experiment> for Scenario {
    fn from(experiment: Experiment) -> Scenario {
        Scenario { experiment, controls: Vec::new() }
    }
}

/// What users get alone in bit/s, downloads and uploads: the means over these outcomes of `Scenario.users_alone`; `None` without users.
#[pyfunction]
pub fn alone(outcomes: Vec<PyRef<'_, Outcome>>) -> (Option<f64>, Option<f64>) {
    let Alone { down, up } = Alone::of(outcomes.iter().map(|outcome| &*outcome.record));
    (down, up)
}

/// The rates in bit/s that users share who get this much alone, downloads and uploads; a direction without users has the rate of the other
/// one. `None`: there are no users, or some get nothing alone.
#[pyfunction]
pub fn shared_rates(alone: (Option<f64>, Option<f64>)) -> Option<(u64, u64)> {
    Alone { down: alone.0, up: alone.1 }
        .shared()
        .map(|(down, up)| (down.bits_per_second(), up.bits_per_second()))
}

/// The scenario in the file at `path`, checked and not run: `Scenario.load` without the packaged names.
///
/// Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (path, overrides=vec![]))]
pub fn check(py: Python<'_>, path: &str, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    let check = || Experiment::new(airfair_scenario::check(path, &named(overrides))?);
    py.detach(|| caught(check))?.map(Scenario::from).map_err(input_error)
}
