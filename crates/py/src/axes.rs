//! The axes of sweeps.

use crate::errors::input_error;
use crate::seed::Seed;
use airfair_scenario::{AxisValue, ParameterValue};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Ordering;

/// Return the text of a packaged scenario by name, or of the scenario file at a path. Raises `InputError`.
#[pyfunction]
pub fn scenario_text(source: &str) -> PyResult<String> {
    airfair_scenario::text_of(source).map_err(input_error)
}

/// Return the values of lists and ranges (`2,4,8`, `10..200 Mb/s:10 Mb/s`, `1..64:x2`) for the parameter or setting `name` of the scenario in `text`:
/// `[{"text": as overrides take it, "value": in SI}]`. `file` names the scenario in messages. A range of reals without a step is divided into
/// `divisions` steps; without them it is refused. Raises `InputError`.
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

/// The distinct values on an axis of a sweep: numbers by size, then words alphabetically, then unset.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Axis(Vec<AxisValue>);

#[pymethods]
impl Axis {
    /// Return the axis with the values of lists and ranges, and the index on the axis of each value as written, as bytes one after the other. If
    /// texts differ and their value does not, the first text is kept. Raises `InputError`.
    #[staticmethod]
    fn of_values<'py>(
        py: Python<'py>,
        text: &str,
        file: &str,
        name: &str,
        written: Vec<String>,
    ) -> PyResult<(Axis, Bound<'py, PyBytes>)> {
        let values = py.detach(|| airfair_scenario::axis_values(text, file, name, &written, None));
        Ok(Axis::numbered(py, values.map_err(input_error)?))
    }

    /// Return the axis with the values at these places, from 0 up to but not including 1, along lists and ranges, and the index of each as in
    /// `of_values`. Raises `InputError`.
    #[staticmethod]
    fn of_samples<'py>(
        py: Python<'py>,
        text: &str,
        file: &str,
        name: &str,
        written: Vec<String>,
        places: Vec<f64>,
    ) -> PyResult<(Axis, Bound<'py, PyBytes>)> {
        let values = py.detach(|| airfair_scenario::axis_samples(text, file, name, &written, &places));
        Ok(Axis::numbered(py, values.map_err(input_error)?))
    }

    /// Number of values.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Return the value with this index as text for the engine.
    fn text(&self, number: usize) -> PyResult<&str> {
        Ok(&self.value(number)?.text)
    }

    /// Return the values with these indices, in SI.
    fn values<'py>(&self, py: Python<'py>, numbers: Vec<usize>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let value = |number| in_python(py, &self.value(number)?.value);
        numbers.into_iter().map(value).collect()
    }
}

impl Axis {
    fn value(&self, number: usize) -> PyResult<&AxisValue> {
        self.0.get(number).ok_or_else(no_such_value)
    }

    fn numbered(py: Python<'_>, written: Vec<AxisValue>) -> (Axis, Bound<'_, PyBytes>) {
        let mut order: Vec<_> = (0..written.len()).collect();
        order.sort_by(|&one, &other| in_order(&written[one].value, &written[other].value)); // it is stable
        let mut numbers = vec![0; written.len()];
        let mut kept: Vec<usize> = Vec::new();
        for place in order {
            if kept.last().is_none_or(|&last| in_order(&written[last].value, &written[place].value).is_ne()) {
                kept.push(place);
            }
            numbers[place] = kept.len() as u32 - 1;
        }
        let mut written: Vec<_> = written.into_iter().map(Some).collect();
        let mut values: Vec<_> = kept.into_iter().filter_map(|place| written[place].take()).collect();
        values.iter_mut().for_each(|value| value.text.shrink_to_fit());
        let numbers: Vec<u8> = numbers.into_iter().flat_map(u32::to_ne_bytes).collect();
        (Axis(values), PyBytes::new(py, &numbers))
    }
}

fn no_such_value() -> PyErr {
    PyIndexError::new_err("there is no such value")
}

fn in_order(one: &ParameterValue, other: &ParameterValue) -> Ordering {
    fn rank(value: &ParameterValue) -> (u8, f64, &str) {
        match value {
            ParameterValue::Number(number) => (0, *number + 0.0, ""), // no negative zero
            ParameterValue::Flag(flag) => (0, f64::from(u8::from(*flag)), ""),
            ParameterValue::Text(text) => (1, 0.0, text),
            ParameterValue::Unset => (2, 0.0, ""),
        }
    }
    let (one, other) = (rank(one), rank(other));
    one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(other.2))
}

/// Converts a value to Python as JSON would.
fn in_python<'py>(py: Python<'py>, value: &ParameterValue) -> PyResult<Bound<'py, PyAny>> {
    match serde_json::to_value(value).map_err(input_error)? {
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => number.as_f64().into_bound_py_any(py),
        },
        _ => Ok(py.None().into_bound(py)),
    }
}

/// Return the points of a sweep as a JSON list without spaces, with the names that `sweep.json` gives to their parts. Each axis has its name and, for
/// each point, the index of its value; each point has its first seed, the number of its seeds, and whether they were enough for its interval. Raises
/// `IndexError` for an index that the axis does not have.
#[pyfunction]
pub fn points_json(
    axes: Vec<(String, PyRef<'_, Axis>, Vec<usize>)>,
    seeds: Vec<(u64, u64, Option<bool>)>,
) -> PyResult<String> {
    let point = |(place, (first, count, reached)): (usize, (u64, u64, Option<bool>))| {
        let on_axis = |(name, axis, numbers): &'_ (String, PyRef<'_, Axis>, Vec<usize>)| {
            let number = numbers.get(place).ok_or_else(no_such_value)?;
            Ok((name.clone(), serde_json::to_value(&axis.value(*number)?.value).map_err(input_error)?))
        };
        let parameters = axes.iter().map(on_axis).collect::<PyResult<_>>()?;
        Ok(PointInDocument { parameters, seeds: (0..count).map(|number| first + number).collect(), reached })
    };
    let points: Vec<_> = seeds.into_iter().enumerate().map(point).collect::<PyResult<_>>()?;
    serde_json::to_string(&points).map_err(input_error)
}

#[derive(Serialize)]
struct PointInDocument {
    parameters: serde_json::Map<String, Value>,
    seeds: Vec<u64>,
    reached: Option<bool>,
}

/// Read a share such as `1 %` or `0.01`, above 0 and below 1. Raises `InputError`.
#[pyfunction]
pub fn share(text: &str) -> PyResult<f64> {
    airfair_scenario::share(text).map_err(input_error)
}

/// Return a Latin-hypercube sample of the unit cube: for each dimension the coordinates of all points. Raises `InputError` for a sample that would
/// fill the memory.
#[pyfunction]
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: Seed) -> PyResult<Vec<Vec<f64>>> {
    airfair_lab::latin_hypercube(samples, dimensions, seed.0).map_err(input_error)
}
