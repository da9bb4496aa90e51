//! Files of scenarios, read once.

use crate::errors::input_error;
use crate::panics::caught;
use crate::parameters::{by_name, named};
use crate::scenario::Scenario;
use airfair_lab::Experiment;
use pyo3::prelude::*;
use std::sync::Arc;

/// A scenario's file, read once for many combinations of its parameters.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Template {
    template: Arc<airfair_scenario::Template>,
    /// Bytes of the file.
    bytes: usize,
}

#[pymethods]
impl Template {
    /// Read the text of a scenario file; `file` names it in messages. Raises `InputError`.
    #[new]
    fn new(py: Python<'_>, text: &str, file: &str) -> PyResult<Template> {
        let read = py.detach(|| caught(|| airfair_scenario::Template::new(file, text)))?;
        let template = read.map_err(input_error)?;
        Ok(Template { template, bytes: text.len() })
    }

    /// `Scenario.parse` of this file. Raises `InputError`.
    #[pyo3(signature = (overrides, metrics=None))]
    fn load(
        &self,
        py: Python<'_>,
        overrides: Vec<(String, String)>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Scenario> {
        py.detach(|| self.read(overrides, metrics.as_deref()))
    }

    /// `Scenario.parameters_json` of this file, each value checked by itself: whether a scenario can be made of them
    /// together is not looked at. Raises `InputError`.
    fn parameters_json(&self, overrides: Vec<(String, String)>) -> PyResult<String> {
        let parameters = self.template.parameters(&named(overrides)).map_err(input_error)?;
        Ok(by_name(&parameters))
    }

    /// Whether the values of the parameter of this name, or of the setting at this path, are true and false.
    fn is_flag(&self, name: &str) -> bool {
        self.template.is_flag(name)
    }
}

impl Template {
    /// Bytes of the file.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The scenario with these overrides, which reports these metrics.
    pub fn read(&self, overrides: Vec<(String, String)>, metrics: Option<&[String]>) -> PyResult<Scenario> {
        let load = || Experiment::new(self.template.load(&named(overrides))?)?.measuring(metrics);
        caught(load)?.map(Scenario::from).map_err(input_error)
    }
}
