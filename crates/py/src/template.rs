//! Files of scenarios that are read once.

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
    /// Length of the file in bytes.
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

    /// Like `Scenario.parse`, with the text of this file. Raises `InputError`.
    #[pyo3(signature = (overrides, metrics=None))]
    fn load(
        &self,
        py: Python<'_>,
        overrides: Vec<(String, String)>,
        metrics: Option<Vec<String>>,
    ) -> PyResult<Scenario> {
        py.detach(|| self.read(overrides, metrics.as_deref()))
    }

    /// Like `Scenario.parameters` as JSON, with each value checked by itself. Whether a scenario can be made of the values
    /// together is not checked. Raises `InputError`.
    fn parameters_json(&self, overrides: Vec<(String, String)>) -> PyResult<String> {
        let parameters = self.template.parameters(&named(overrides)).map_err(input_error)?;
        Ok(by_name(&parameters))
    }

    /// Return where in the file the values stand that a parameter is another name for, or the value of the setting at a path:
    /// `["link[0].rate"]`. Any other name has no such places.
    fn written_at(&self, name: &str) -> Vec<String> {
        self.template.written_at(name)
    }

    /// Whether the values of the parameter of this name, or of the setting at this path, are true and false.
    fn is_flag(&self, name: &str) -> bool {
        self.template.is_flag(name)
    }
}

impl Template {
    /// Returns the length of the file in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the scenario with these overrides, which reports these metrics.
    pub fn read(&self, overrides: Vec<(String, String)>, metrics: Option<&[String]>) -> PyResult<Scenario> {
        let load = || Experiment::new(self.template.load(&named(overrides))?)?.measuring(metrics);
        caught(load)?.map(Scenario::from).map_err(input_error)
    }
}
