//! Many scenarios checked in one call.

use crate::batch::Source;
use crate::errors::InputError;
use airfair_scenario::Parameter;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The engine's answers about a batch of sources: values in columns, in the order of the sources.
#[pyclass(module = "airfair._engine", frozen, get_all)]
pub struct Checks {
    /// The reason why a source is not accepted, by the index of the source.
    refused: BTreeMap<usize, String>,
    /// `Scenario.digest` of each accepted source, one after the other.
    digests: Py<PyBytes>,
    /// Metrics of each accepted source; one entry if all have the same.
    metrics: Vec<Vec<String>>,
    /// Whether the fair share of each accepted source must be measured; one entry if that is the same for all.
    measure_share: Vec<bool>,
    /// Approximate duration of the run of each accepted source relative to others, in simulated seconds times flows; one entry if
    /// all have the same.
    loads: Vec<f64>,
    /// Parameters of the accepted sources: `{name: {"unit": ..., "values": [...]}}`, in SI units. A list has the value of each
    /// source, or one value if all have the same.
    parameters_json: String,
    /// Warnings, each once.
    warnings: Vec<String>,
    /// Warnings of settings that reach no flow of any accepted source.
    useless: Vec<String>,
}

/// A scenario that the engine accepts.
struct Accepted {
    digest: [u8; 32],
    metrics: Vec<String>,
    measures_share: bool,
    load: f64,
    parameters: Vec<Parameter>,
    warnings: Vec<String>,
    useless: Vec<String>,
}

impl Accepted {
    fn of(source: &Source) -> PyResult<Accepted> {
        let scenario = source.load()?;
        let loaded = scenario.loaded();
        let read = &loaded.scenario;
        let accepted = Accepted {
            digest: *loaded.digest(),
            metrics: read.metrics.clone(),
            measures_share: loaded.measures_share(),
            load: (read.warmup.as_secs() + read.duration.as_secs()) * read.flows.len() as f64,
            parameters: loaded.parameters.clone(),
            warnings: loaded.warnings.clone(),
            useless: loaded.useless.clone(),
        };
        source.keep(scenario); // or drop it: a batch of large ones would fill the memory
        Ok(accepted)
    }
}

/// Check sources. Other threads continue meanwhile.
#[pyfunction]
pub fn check_all(py: Python<'_>, sources: Vec<Source>) -> PyResult<Checks> {
    let answers: Vec<_> = py.detach(|| sources.iter().map(Accepted::of).collect());
    let mut accepted = Vec::new();
    let mut refused = BTreeMap::new();
    for (place, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(scenario) => accepted.push(scenario),
            Err(error) if error.is_instance_of::<InputError>(py) => {
                refused.insert(place, error.value(py).to_string());
            }
            Err(error) => return Err(error),
        }
    }
    let digests: Vec<u8> = accepted.iter().flat_map(|scenario| scenario.digest).collect();
    let mut told = BTreeSet::new();
    let warnings = accepted.iter().flat_map(|scenario| &scenario.warnings);
    Ok(Checks {
        refused,
        digests: PyBytes::new(py, &digests).unbind(),
        useless: in_all(&accepted),
        warnings: warnings.filter(|text| told.insert(*text)).cloned().collect(),
        parameters_json: py.detach(|| columns(&accepted)),
        loads: column(accepted.iter().map(|scenario| scenario.load)),
        measure_share: column(accepted.iter().map(|scenario| scenario.measures_share)),
        metrics: column(accepted.into_iter().map(|scenario| scenario.metrics)),
    })
}

/// Returns the warnings of settings that are useless in all scenarios.
fn in_all(accepted: &[Accepted]) -> Vec<String> {
    let Some((first, others)) = accepted.split_first() else { return Vec::new() };
    let shared = |text: &&String| others.iter().all(|other| other.useless.contains(text));
    first.useless.iter().filter(shared).cloned().collect()
}

/// Returns the parameters as columns. All scenarios of one file have the same parameters.
fn columns(accepted: &[Accepted]) -> String {
    let Some(first) = accepted.first() else { return "{}".to_owned() };
    let of = |(place, parameter): (usize, &Parameter)| {
        let values = column(accepted.iter().map(|scenario| &scenario.parameters[place].value));
        (parameter.name.clone(), json!({"unit": parameter.unit, "values": values}))
    };
    Value::Object(first.parameters.iter().enumerate().map(of).collect::<Map<_, _>>()).to_string()
}

/// Returns these values, or a single one if all are the same.
fn column<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    if values.iter().all(|value| *value == values[0]) {
        values.truncate(1);
    }
    values
}
