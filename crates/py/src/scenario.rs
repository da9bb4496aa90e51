//! Scenarios: loading, running, summing up.

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

/// A scenario with every parameter set, ready to run, as `airfair.load` gives it. It never changes, so threads may share it.
#[pyclass(module = "airfair", frozen)]
pub struct Scenario {
    experiment: Experiment,
    /// Congestion controls that are Python objects of the user.
    controls: Vec<PythonControl>,
}

#[pymethods]
impl Scenario {
    /// Load a packaged scenario by name, or a scenario file by path, with parameters set as text (`("delay", "20 ms")`).
    ///
    /// `metrics` replaces the metrics that the file asks for: names, or `all` for all listed metrics.
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

    /// Read a scenario from the text of a scenario file; `file` names it in messages, `metrics` as in `load`.
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

    /// Name of the packaged scenario, or of the file.
    #[getter]
    fn name(&self) -> &str {
        &self.experiment.loaded.scenario.name
    }

    /// The text of the scenario's file.
    #[getter]
    fn toml(&self) -> String {
        self.experiment.loaded.toml()
    }

    /// Warnings of legal but hopeless settings, a sentence each: a link that loses everything, an outage after the run's end.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.experiment.loaded.warnings.clone()
    }

    /// Warnings of settings from outside that reach no flow, a sentence each. Among several scenarios with the same settings, a setting is
    /// useless only if it is useless in all of them.
    #[getter]
    fn useless(&self) -> Vec<String> {
        self.experiment.loaded.useless.clone()
    }

    /// The parameters: `{name: {"value": ..., "unit": ...}}`, in the order of their names and in SI units.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (by_name(&self.experiment.loaded.parameters),))
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

    /// Return the key of the result of this scenario with this seed, which is equal for all that gives equal results. Raises `InputError`
    /// if a control of the user's own decides the results.
    fn key(&self, seed: Seed) -> PyResult<String> {
        Ok(self.experiment()?.key(seed.0))
    }

    /// A digest of all that decides the results of this scenario, 32 bytes, from which `key` is made for each seed. Raises
    /// `InputError` as `key` does.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.experiment()?.loaded.digest()))
    }

    /// Return the scenario with congestion controls that are Python objects, each as (the flow's name, or `None` for all TCP flows; the
    /// control; the names of its optional methods).
    ///
    /// Raises `InputError` for a flow that does not exist or is not TCP.
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

    /// Return the scenario for this engine: `fast`, the default, or `plain`, in which each step of each packet is an event. Both give the
    /// same results.
    ///
    /// Raises `InputError` for another name.
    pub fn by_engine(&self, engine: &str) -> PyResult<Scenario> {
        let known = || format!("engine `{engine}` is not known; there are {}", Engine::WORDS.join(" and "));
        let mut experiment = self.experiment.clone();
        experiment.engine = Engine::from_word(engine).ok_or_else(|| input_error(known()))?;
        Ok(Scenario { experiment, controls: self.controls.clone() })
    }

    /// Name of the engine that runs the scenario; see `by_engine`.
    #[getter]
    fn engine(&self) -> &'static str {
        self.experiment.engine.word()
    }

    /// Return the scenario with `settings` over those that it has, without reading its file again; `metrics` as in `load`. Its engine and
    /// its controls stay.
    ///
    /// Raises `InputError`.
    #[pyo3(signature = (settings, metrics=None))]
    fn changed(
        &self,
        py: Python<'_>,
        settings: Vec<(String, String)>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Scenario> {
        let change =
            || Experiment::new(self.loaded().changed(&named(settings))?)?.measuring(metrics.as_deref());
        let mut experiment = py.detach(|| caught(change))?.map_err(input_error)?;
        experiment.engine = self.experiment.engine;
        control::check(&experiment, &self.controls)?;
        Ok(Scenario { experiment, controls: self.controls.clone() })
    }

    /// Whether the users' fair share must be measured before the scenario runs.
    #[getter]
    fn measures_share(&self) -> bool {
        self.experiment.measures_share()
    }

    /// Number of users that share, as the scenario states it; otherwise the number of flows.
    #[getter]
    fn users(&self) -> usize {
        match self.experiment.loaded.scenario.fair_share {
            FairShare::Split { users, .. } => users as usize,
            FairShare::Undefined => self.experiment.loaded.scenario.flows.len(),
        }
    }

    /// Return a scenario for each TCP flow, in which it is alone and always has data to send, for `ALONE_WARMUP` and then
    /// `ALONE_DURATION`.
    fn users_alone(&self, py: Python<'_>) -> PyResult<Vec<Scenario>> {
        py.detach(|| caught(|| self.experiment.users_alone().into_iter().map(Scenario::from).collect()))
    }

    /// Return the scenario with what its users get alone in bit/s, where that must be measured, shared as in `shared_rates`. Keys stay as
    /// they were.
    #[pyo3(signature = (down, up))]
    pub fn sharing(&self, down: Option<f64>, up: Option<f64>) -> Scenario {
        let experiment = self.experiment.clone().sharing(Alone { down, up });
        Scenario { experiment, controls: self.controls.clone() }
    }

    /// Run with one seed. `traces` are the time series to record: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`,
    /// `drops`, `backlog`, `air`.
    ///
    /// Other threads continue meanwhile. Ctrl-C in the main thread, and `stop` in any thread, end the run within a second by
    /// `KeyboardInterrupt`. Raises `InputError` for an unknown trace, `LimitError` if what the run records would fill the memory,
    /// `EngineError` if the engine fails, and `ControlError` if a control of the user's own does.
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

    /// Like `run`, and write every frame on the air as pcapng into the open binary `file`.
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

    /// Return the name of the test of Flent whose flows have the names of this scenario's flows. Raises `InputError` if there is none.
    fn flent_test(&self) -> PyResult<&'static str> {
        self.experiment.flent_test().map(airfair_lab::FlentTest::name).map_err(input_error)
    }

    /// Like `run`, and also return the run as a data file of Flent in JSON, which labels it with `title`.
    ///
    /// Raises `InputError` as `flent_test` does.
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

    /// Return the document of `airfair run --json` over these outcomes of this scenario.
    fn summary_json(&self, py: Python<'_>, outcomes: Vec<PyRef<'_, Outcome>>) -> PyResult<String> {
        let records: Vec<_> =
            outcomes.iter().map(|outcome| airfair_lab::Outcome::clone(&outcome.record)).collect();
        py.detach(|| caught(|| summary(&self.experiment, &records).to_string()))
    }

    /// Return the part of the run that a timeline shows, in seconds since its start: from `start` to `end`, each a time as text (`"21.5
    /// s"`), or around the first session of these outcomes.
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

    /// Show the name and the parameters in notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Scenario>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("airfair.catalogue.notebook")?.call_method1("scenario", (slf,))
    }

    /// Support `pickle`: keep the file, the metrics and the engine. Raises `InputError` if there are controls of the user's own.
    fn __reduce__<'py>(slf: &Bound<'py, Scenario>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().experiment()?;
        slf.py().import("airfair.runs.loading")?.call_method1("reduced", (slf,))
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {}>", self.name())
    }
}

impl Scenario {
    /// Returns the experiment of the lab. Raises `InputError` if there are controls of the user's own.
    pub fn experiment(&self) -> PyResult<&Experiment> {
        if self.controls.is_empty() {
            return Ok(&self.experiment);
        }
        Err(input_error(
            "results of a control of your own have no key, and are not stored, compared or shared out",
        ))
    }

    /// Returns the experiment for one run with the controls of the user's own, and the watch on which they note what they raise.
    pub fn for_a_run(&self) -> (Experiment, Arc<Watch>) {
        control::controlled(&self.experiment, &self.controls)
    }

    /// Returns the scenario with its users' fair share, which is measured now if that is needed, unless `stop` gives a reason not to.
    pub fn shared(self, stop: impl FnMut() -> PyResult<()>) -> PyResult<Scenario> {
        if !self.experiment.measures_share() {
            return Ok(self);
        }
        let shared = caught(|| self.experiment.shared_unless(stop).map(Cow::into_owned))?;
        Ok(Scenario { experiment: shared.map_err(error_of)?, controls: self.controls })
    }

    /// Returns the scenario as it was loaded, without controls of the user's own.
    pub fn loaded(&self) -> &Loaded {
        &self.experiment.loaded
    }

    /// Runs the scenario without holding the interpreter; controls of the user's own attach to it when they need it.
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

    /// Returns the outcome with a seed, unless `stop`, which is called several times a second, gives a reason to stop.
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

/// Return what users get alone in bit/s, for downloads and uploads: the means over these outcomes of `Scenario.users_alone`. A rate is
/// `None` if there are no such users.
#[pyfunction]
pub fn alone(outcomes: Vec<PyRef<'_, Outcome>>) -> (Option<f64>, Option<f64>) {
    let Alone { down, up } = Alone::of(outcomes.iter().map(|outcome| &*outcome.record));
    (down, up)
}

/// Return the rates in bit/s that users share who get this much alone, for downloads and uploads; a direction without users has the rate
/// of the other one. `None` if there are no users, or some get nothing alone.
#[pyfunction]
pub fn shared_rates(alone: (Option<f64>, Option<f64>)) -> Option<(u64, u64)> {
    Alone { down: alone.0, up: alone.1 }
        .shared()
        .map(|(down, up)| (down.bits_per_second(), up.bits_per_second()))
}

/// Like `describe_json` of the file that the scenario was read from. Raises `InputError`.
#[pyfunction]
pub fn description_json(scenario: &Scenario) -> PyResult<String> {
    let description = scenario.loaded().describe().map_err(input_error)?;
    serde_json::to_string(&description).map_err(input_error)
}

/// Load and check the scenario in the file at `path` without running it: like `Scenario.load`, but without the packaged names.
///
/// Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (path, overrides=vec![]))]
pub fn check(py: Python<'_>, path: &str, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    let check = || Experiment::new(airfair_scenario::check(path, &named(overrides))?);
    py.detach(|| caught(check))?.map(Scenario::from).map_err(input_error)
}
