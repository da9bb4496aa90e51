//! The axes of sweeps.

use crate::errors::input_error;
use crate::seed::Seed;
use pyo3::prelude::*;

/// The text of a packaged scenario by name, or of the scenario file at a path. Raises `InputError`.
#[pyfunction]
pub fn scenario_text(source: &str) -> PyResult<String> {
    airfair_scenario::text_of(source).map_err(input_error)
}

/// The values of lists and ranges (`2,4,8`, `10..200 Mb/s:10 Mb/s`, `1..64:x2`) for the parameter or setting `name` of the
/// scenario in `text`: `[{"text": as overrides take it, "value": in SI}]`. `file` names the scenario in messages. A range of
/// reals without a step is refused, or divided into `divisions`. Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (text, file, name, written, divisions=None))]
pub fn axis_values_json(
    text: &str,
    file: &str,
    name: &str,
    written: Vec<String>,
    divisions: Option<u32>,
) -> PyResult<String> {
    let values = airfair_scenario::axis_values(text, file, name, &written, divisions).map_err(input_error)?;
    serde_json::to_string(&values).map_err(input_error)
}

/// The same for the values at these places, from 0 up to but not including 1, along such an axis. Raises `InputError`.
#[pyfunction]
pub fn axis_samples_json(
    text: &str,
    file: &str,
    name: &str,
    written: Vec<String>,
    places: Vec<f64>,
) -> PyResult<String> {
    let values = airfair_scenario::axis_samples(text, file, name, &written, &places).map_err(input_error)?;
    serde_json::to_string(&values).map_err(input_error)
}

/// A share such as `1 %` or `0.01`, above 0 and below 1. Raises `InputError`.
#[pyfunction]
pub fn share(text: &str) -> PyResult<f64> {
    airfair_scenario::share(text).map_err(input_error)
}

/// A Latin-hypercube sample of the unit cube: for each dimension the coordinates of all points. Raises `InputError` for
/// one that would fill the memory.
#[pyfunction]
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: Seed) -> PyResult<Vec<Vec<f64>>> {
    airfair_lab::latin_hypercube(samples, dimensions, seed.0).map_err(input_error)
}
