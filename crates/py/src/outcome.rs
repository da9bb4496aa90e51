//! The outcome of one run.

use crate::errors::input_error;
use crate::table::Table;
use crate::tables;
use airfair_lab::Origin;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::sync::Arc;

/// The outcome of one scenario and seed. Values are in SI units.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Outcome {
    pub record: Arc<airfair_lab::Outcome>,
    flows: PyOnceLock<Py<Table>>,
    links: PyOnceLock<Py<Table>>,
    stations: PyOnceLock<Py<Table>>,
    sessions: PyOnceLock<Py<Table>>,
    series: PyOnceLock<Py<Table>>,
    air: PyOnceLock<Py<Table>>,
}

impl From<airfair_lab::Outcome> for Outcome {
    fn from(record: airfair_lab::Outcome) -> Outcome {
        Outcome::from(Arc::new(record))
    }
}

impl From<Arc<airfair_lab::Outcome>> for Outcome {
    fn from(record: Arc<airfair_lab::Outcome>) -> Outcome {
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
    /// Seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.record.seed
    }

    /// The metrics asked for, in their order: `{name: {"value": number or null, "unit": text, "reason": why null}}`.
    /// Means over finite sessions also have `sessions`, the number of sessions, and `left_out`, the number of those that do
    /// not count.
    #[getter]
    fn metrics_json(&self) -> PyResult<String> {
        serde_json::to_string(&ByName(&self.record)).map_err(input_error)
    }

    /// Return those of `metrics` that the run did not record and that do not follow from its sessions.
    fn lacks(&self, metrics: Vec<String>) -> Vec<String> {
        self.record.lacks(&metrics).into_iter().map(str::to_owned).collect()
    }

    /// Return the outcome with these metrics as the ones asked for. It must lack none of them.
    fn answering(&self, metrics: Vec<String>) -> Outcome {
        Outcome::from(airfair_lab::Outcome::clone(&self.record).answering(&metrics))
    }

    /// Return the outcome with the metrics added that only `other`, of the same scenario and seed, has.
    fn with_metrics_of(&self, other: PyRef<'_, Outcome>) -> Outcome {
        let mut record = airfair_lab::Outcome::clone(&self.record);
        record.add_metrics_of(&other.record);
        Outcome::from(record)
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

    /// The time series asked for, with one row for each change: quantity, unit, subject, time_s, value.
    #[getter]
    fn series(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.series, || tables::series(&self.record.series))
    }

    /// One row for each turn on the air, if `air` was asked for: wlan, from, to, start, end, bytes, acknowledged,
    /// collided, category, mpdus, arrived, rate, answered, block_ack.
    #[getter]
    fn air(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        built_once(py, &self.air, || tables::air(&self.record.air))
    }

    /// Return the whole outcome as JSON; `from_json` reads it back to the last bit.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.record).map_err(input_error)
    }

    /// Return the outcome as a store keeps it under this key, and its size before compression: `(bytes, size)`. `seconds`,
    /// `host` and `finished` say when and where it was computed.
    fn packed<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        seconds: f64,
        host: &str,
        finished: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let origin = Origin { seconds, host, finished };
        let (bytes, size) = airfair_lab::packed(&self.record, key, origin).map_err(input_error)?;
        Ok((PyBytes::new(py, &bytes), size))
    }

    /// Return values of these metrics and counts of sessions: one row for each outcome, null where it does not have a metric.
    ///
    /// A count is `(column, metric, left_out)`: the number of all sessions, or of those that the metric leaves out.
    #[staticmethod]
    fn rows(
        py: Python<'_>,
        outcomes: Vec<PyRef<'_, Outcome>>,
        metrics: Vec<String>,
        counts: Vec<(String, String, bool)>,
    ) -> Table {
        let records = records(&outcomes);
        py.detach(|| tables::outcomes(&records, &metrics, &counts))
    }

    /// Read the text of `to_json`. Raises `InputError` for anything else.
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

fn records<'a>(outcomes: &'a [PyRef<'_, Outcome>]) -> Vec<&'a airfair_lab::Outcome> {
    outcomes.iter().map(|outcome| &*outcome.record).collect()
}

fn built_once(
    py: Python<'_>,
    cell: &PyOnceLock<Py<Table>>,
    build: impl FnOnce() -> Table,
) -> PyResult<Py<Table>> {
    cell.get_or_try_init(py, || Py::new(py, build())).map(|table| table.clone_ref(py))
}

/// Writes an outcome's metrics as one JSON object that keeps their order.
struct ByName<'a>(&'a airfair_lab::Outcome);

#[derive(Serialize)]
struct Entry<'a> {
    value: Option<f64>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = self.0;
        let mut map = serializer.serialize_map(Some(outcome.metrics.len()))?;
        for metric in &outcome.metrics {
            let info = airfair_lab::metric(&metric.name);
            let stage = info.and_then(|info| info.counts_once());
            let entry = Entry {
                value: metric.value,
                unit: info.map_or("1", |info| info.unit),
                reason: metric.reason.as_deref(),
                sessions: stage.map(|_| outcome.sessions.len()),
                left_out: stage.map(|stage| outcome.sessions_without(stage)),
            };
            map.serialize_entry(&metric.name, &entry)?;
        }
        map.end()
    }
}
