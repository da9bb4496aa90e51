//! Lists and descriptions: packaged scenarios, parameters, metrics, the schema of scenario files.

use crate::errors::input_error;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Return the packaged scenarios: `[{"name": ..., "title": ..., "summary": ...}]`.
#[pyfunction]
pub fn packaged_json() -> PyResult<String> {
    serde_json::to_string(&airfair_scenario::packaged()).map_err(input_error)
}

/// Describe a scenario, by packaged name or path: title, description, and its parameters with unit, default and allowed
/// values; after them the settings at `paths`, described like parameters.
///
/// Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (source, paths=vec![]))]
pub fn describe_json(source: &str, paths: Vec<String>) -> PyResult<String> {
    let mut description = airfair_scenario::describe(source).map_err(input_error)?;
    if !paths.is_empty() {
        let settings = airfair_scenario::describe_settings(source, &paths).map_err(input_error)?;
        description.parameters.extend(settings);
    }
    serde_json::to_string(&description).map_err(input_error)
}

/// Return the paths of a scenario's settings, which can be set beside its parameters. Raises `InputError`.
#[pyfunction]
pub fn paths(source: &str) -> PyResult<Vec<String>> {
    airfair_scenario::paths(source).map_err(input_error)
}

/// Return the JSON Schema of scenario files.
#[pyfunction]
pub fn schema_json() -> String {
    airfair_scenario::json_schema()
}

/// Describe all metrics: name, title, unit, range, whether larger is better, definition, source; with `unlisted` also those
/// that are not listed.
#[pyfunction]
#[pyo3(signature = (*, unlisted=false))]
pub fn metrics_json(unlisted: bool) -> PyResult<String> {
    let more = airfair_lab::unlisted().filter(|_| unlisted);
    let all: Vec<_> = airfair_lab::metrics().chain(more).map(airfair_lab::Metric::description).collect();
    serde_json::to_string(&all).map_err(input_error)
}

/// Describe one metric as `metrics_json` does. Raises `InputError`, with the nearest name if one is near.
#[pyfunction]
pub fn describe_metric_json(name: &str) -> PyResult<String> {
    let Some(metric) = airfair_lab::metric(name) else {
        let known = airfair_lab::listed_or_not().map(|metric| metric.name);
        return Err(input_error(airfair_scenario::unknown_metric(name, known)));
    };
    serde_json::to_string(&metric.description()).map_err(input_error)
}

/// Cut the ends of an interval around a mean of this metric where the metric's range ends, but not within the mean. For an
/// unknown metric, return the ends unchanged.
#[pyfunction]
pub fn within_range(metric: &str, ends: (f64, f64), mean: f64) -> (f64, f64) {
    airfair_lab::metric(metric).map_or(ends, |metric| metric.range.cut(ends, mean))
}

/// Describe the counters of results: `[{"table": ..., "name": ..., "unit": ..., "description": ...}]`.
#[pyfunction]
pub fn counters_json() -> String {
    let rows = airfair_lab::counters().into_iter().flat_map(|(table, counters)| {
        counters.into_iter().map(move |counter| {
            json!({
                "table": table,
                "name": counter.name,
                "unit": counter.unit,
                "description": counter.description,
            })
        })
    });
    Value::Array(rows.collect()).to_string()
}

/// Return the descriptions of congestion controls and queue disciplines, by name: `{name: description}`.
#[pyfunction]
pub fn methods_json() -> String {
    Value::Object(airfair_lab::methods().map(|(name, about)| (name.to_owned(), about.into())).collect())
        .to_string()
}

/// Return the rules for grades of devices: `[{"application": ..., "measure": ..., "unit": ..., "larger_is_better": ...,
/// "limits": [...], "source": ...}]`. The limits are the worst values that still get A, B, C, D and E.
#[pyfunction]
pub fn grades_json() -> PyResult<String> {
    serde_json::to_string(&airfair_lab::RULES).map_err(input_error)
}

/// Return what to say of a well-known name that is not modelled; `None` for all other names.
#[pyfunction]
pub fn not_modelled(name: &str) -> Option<String> {
    airfair_scenario::not_modelled(name)
}

/// Return the name among `known` that is nearest to `name`; `None` if none is near enough to be meant.
#[pyfunction]
pub fn nearest(name: &str, known: Vec<String>) -> Option<String> {
    airfair_scenario::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

/// Read `text` as a number in the SI unit `unit`: `quantity("5 Mb/s", "bit/s")` is 5e6. Raises `InputError`.
#[pyfunction]
pub fn quantity(text: &str, unit: &str) -> PyResult<f64> {
    airfair_scenario::quantity(text, unit).map_err(input_error)
}
