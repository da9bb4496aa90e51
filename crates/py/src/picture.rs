//! Pictures of runs over time.

use crate::errors::input_error;
use crate::outcome::Outcome;
use crate::panics::caught;
use crate::scenario::Scenario;
use airfair_lab::Heading;
use pyo3::prelude::*;

/// Length in pixels of the time axis of a narrow picture, with which the whole picture fits a screen of 360 pixels without
/// being scaled down.
const NARROW: f64 = 122.0;

/// A picture of one run over time, or of several side by side.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Picture(airfair_lab::Picture);

#[pymethods]
impl Picture {
    /// Draw runs from `start` to `end`, in seconds since the start of the run. Each has a title, a scenario, and an outcome,
    /// which must be of a run with `TIMELINE_TRACES`.
    #[new]
    fn new(
        py: Python<'_>,
        runs: Vec<(String, PyRef<'_, Scenario>, PyRef<'_, Outcome>)>,
        start: f64,
        end: f64,
    ) -> PyResult<Picture> {
        let runs: Vec<_> = runs
            .iter()
            .map(|(title, scenario, outcome)| (title.as_str(), &scenario.loaded().scenario, &*outcome.record))
            .collect();
        py.detach(|| caught(|| airfair_lab::Picture::new(&runs, start, end))).map(Picture)
    }

    /// Return all that is drawn of each run, as JSON.
    #[getter]
    fn runs_json(&self) -> String {
        let runs: Vec<_> = self.0.runs().iter().map(airfair_lab::Shown::document).collect();
        serde_json::Value::from(runs).to_string()
    }

    /// Return each run's sessions and shares of the air in words, as JSON.
    #[getter]
    fn tables_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.tables()).map_err(input_error)
    }

    /// Return the picture as SVG, with the runs side by side; `plot` is the length of each time axis in pixels.
    #[pyo3(signature = (title, facts, plot=None))]
    fn svg(&self, py: Python<'_>, title: &str, facts: &str, plot: Option<f64>) -> PyResult<String> {
        py.detach(|| caught(|| self.0.svg(Heading { title, facts }, plot)))
    }

    /// Return the picture as SVG for narrow screens, with the runs one above the other.
    #[pyo3(signature = (title, facts, plot=NARROW))]
    fn narrow_svg(&self, py: Python<'_>, title: &str, facts: &str, plot: f64) -> PyResult<String> {
        py.detach(|| caught(|| self.0.narrow_svg(Heading { title, facts }, plot)))
    }
}
