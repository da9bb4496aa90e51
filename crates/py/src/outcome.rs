//! The outcome of one run.

use crate::errors::input_error;
use crate::table::Table;
use crate::tables;
use airfair_lab::MetricValue;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// What one scenario and seed gave. Values are in SI units.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Outcome {
    pub record: airfair_lab::Outcome,
    flows: PyOnceLock<Py<Table>>,
    links: PyOnceLock<Py<Table>>,
    stations: PyOnceLock<Py<Table>>,
    sessions: PyOnceLock<Py<Table>>,
    series: PyOnceLock<Py<Table>>,
    air: PyOnceLock<Py<Table>>,
}

impl From<airfair_lab::Outcome> for Outcome {
    fn from(record: airfair_lab::Outcome) -> Outcome {
        Outcome {
            record,
            flows: PyOnceLock::new(),
            links: PyOnceLock::new(),
            stations: PyOnceLock::new(),
            sessions: PyOnceLock::new(),
            series: PyOnceLock::new(),
            air: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl Outcome {
    /// The run's seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.record.seed
    }

    /// The metrics: `{name: {"value": number or null, "unit": text, "reason": why null}}`, in the scenario's order.
    #[getter]
    fn metrics_json(&self) -> PyResult<String> {
        serde_json::to_string(&ByName(&self.record.metrics)).map_err(input_error)
    }

    /// One row for each flow, over the measured window.
    #[getter]
    fn flows(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.flows, || tables::flows(&self.record.flows))
    }

    /// One row for each direction of each wired link, over the measured window.
    #[getter]
    fn links(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.links, || tables::links(&self.record.links))
    }

    /// One row for each wireless station, over the measured window.
    #[getter]
    fn stations(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.stations, || tables::stations(&self.record.stations))
    }

    /// One row for each finite session that started in the measured window: its start, then the times in seconds
    /// from that start until it should have finished and until its last byte was sent, acknowledged, delivered.
    #[getter]
    fn sessions(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.sessions, || tables::sessions(&self.record.sessions))
    }

    /// The time series asked for, one row for each change: quantity, unit, subject, time_s, value.
    fn series(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.series, || tables::series(&self.record.series))
    }

    /// One row for each turn on the air, if `air` was asked for: wlan, from, to, start, end, bytes, acknowledged,
    /// collided.
    fn air(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.air, || tables::air(&self.record.air))
    }

    /// All of it as JSON; `from_json` reads it back to the last bit.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.record).map_err(input_error)
    }

    /// What `to_json` wrote. Raises `InputError` for anything else.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Outcome> {
        let read = |error| input_error(format_args!("not an outcome: {error}"));
        let record: airfair_lab::Outcome = serde_json::from_str(text).map_err(read)?;
        match record.contradiction() {
            Some(contradiction) => Err(input_error(format_args!("not an outcome: {contradiction}"))),
            None => Ok(Outcome::from(record)),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Outcome of seed {}: {} metrics>", self.record.seed, self.record.metrics.len())
    }
}

fn built_once(
    py: Python<'_>,
    cell: &PyOnceLock<Py<Table>>,
    build: impl FnOnce() -> Table,
) -> PyResult<Py<Table>> {
    cell.get_or_try_init(py, || Py::new(py, build())).map(|table| table.clone_ref(py))
}

/// Metrics as one JSON object that keeps their order.
struct ByName<'a>(&'a [MetricValue]);

#[derive(Serialize)]
struct Entry<'a> {
    value: Option<f64>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for metric in self.0 {
            let unit = airfair_metrics::find(&metric.name).map_or("1", |info| info.unit);
            let entry = Entry { value: metric.value, unit, reason: metric.reason.as_deref() };
            map.serialize_entry(&metric.name, &entry)?;
        }
        map.end()
    }
}
