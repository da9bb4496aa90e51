//! Puts the rows of a sweep's tables in order.

use crate::batch::Results;
use crate::errors::input_error;
use crate::outcome::Outcome;
use crate::table::{self, Table};
use crate::tables::{self, Count, Ran};
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringViewArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use arrow_select::interleave::interleave_record_batch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of columns before those of a run's values or a session's: `place` and `seed`.
const POINT: usize = 2;
/// Number of columns behind a run's values: `wall_time`, `host` and `finished`.
const ORIGIN: usize = 3;

/// Rows of runs and of their sessions that wait until all rows before them have come.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Rows {
    metrics: Vec<String>,
    counts: Vec<Count>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    runs: Vec<Part>,
    sessions: Vec<Part>,
}

/// Rows of a batch, and the indices of those that still wait.
struct Part {
    rows: RecordBatch,
    left: Vec<u32>,
}

/// Rows that are ready, in order.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Ready {
    runs: Ordered,
    sessions: Ordered,
}

/// Rows of several batches in the order of their scenarios and seeds.
struct Ordered {
    batches: Vec<RecordBatch>,
    rows: Vec<Row>,
}

/// A row: the number of its scenario, its seed, the index of its batch, and its index there.
type Row = (u32, u64, usize, usize);

/// A column of values that scenarios have: its name; `text`, `flag`, `whole`, `seed` or `real`; and the value of each scenario, or one
/// value of all.
#[derive(FromPyObject)]
pub struct Column<'py>(String, String, Bound<'py, PyList>);

/// Return a table with these columns. Raises `ValueError` if there are none, or if their lengths differ.
#[pyfunction]
pub fn table_of(columns: Vec<Column<'_>>) -> PyResult<Table> {
    let Some(Column(_, _, first)) = columns.first() else {
        return Err(PyValueError::new_err("a table without columns"));
    };
    let size = first.len();
    if columns.iter().any(|Column(_, _, values)| values.len() != size) {
        return Err(PyValueError::new_err("columns of one length, please"));
    }
    let columns = columns.iter().map(|column| column.gathered(0..size)).collect::<PyResult<_>>()?;
    Ok(Table::of_columns(columns))
}

impl Column<'_> {
    /// Returns the column with the values of the scenarios with these numbers.
    fn gathered(&self, numbers: impl Iterator<Item = usize>) -> PyResult<(Field, ArrayRef)> {
        let Column(name, kind, values) = self;
        fn gather<'py, T: FromPyObjectOwned<'py> + Clone>(
            values: &Bound<'py, PyList>,
            numbers: impl Iterator<Item = usize>,
        ) -> PyResult<Vec<Option<T>>> {
            let values: Vec<Option<T>> =
                values.iter().map(|value| value.extract().map_err(Into::into)).collect::<PyResult<_>>()?;
            let value = |number: usize| values.get(if values.len() == 1 { 0 } else { number }).cloned();
            let gathered: Option<Vec<_>> = numbers.map(value).collect();
            gathered.ok_or_else(|| PyValueError::new_err("a scenario without a value"))
        }
        let (kind, column): (DataType, ArrayRef) = match kind.as_str() {
            "text" => {
                let texts = gather::<String>(values, numbers)?;
                (DataType::Utf8View, Arc::new(StringViewArray::from_iter(texts)))
            }
            "flag" => (DataType::Boolean, Arc::new(BooleanArray::from(gather::<bool>(values, numbers)?))),
            "whole" => (DataType::Int64, Arc::new(Int64Array::from(gather::<i64>(values, numbers)?))),
            "real" => (DataType::Float64, Arc::new(Float64Array::from(gather::<f64>(values, numbers)?))),
            "seed" => {
                let seeds = gather::<u64>(values, numbers)?;
                (DataType::UInt64, Arc::new(UInt64Array::from(seeds)))
            }
            other => return Err(PyValueError::new_err(format!("no column of {other}"))),
        };
        Ok((Field::new(name, kind, true), column))
    }
}

#[pymethods]
impl Rows {
    /// Create a collection without rows, with these columns: values of metrics, and counts as `Outcome.rows` takes them.
    #[new]
    fn new(metrics: Vec<String>, counts: Vec<Count>) -> Rows {
        Rows { metrics, counts, waiting: Mutex::default() }
    }

    /// Take the outcomes of results, except those with these indices.
    fn take_all(&self, py: Python<'_>, results: &Results, but: BTreeSet<usize>) {
        py.detach(|| self.add(&results.ran(&but)));
    }

    /// Take outcomes. Each has in `origins` the number of its scenario, its seed, its wall time, its computer, and the time at which
    /// it ended.
    fn take(
        &self,
        py: Python<'_>,
        outcomes: Vec<PyRef<'_, Outcome>>,
        origins: Vec<(u32, u64, f64, String, String)>,
    ) {
        let records = outcomes.iter().map(|outcome| &*outcome.record);
        let ran = records.zip(&origins).map(|(outcome, (place, seed, seconds, host, finished))| Ran {
            place: *place,
            seed: *seed,
            outcome,
            seconds: *seconds,
            host,
            finished,
        });
        let ran: Vec<_> = ran.collect();
        py.detach(|| self.add(&ran));
    }

    /// Remove and return the rows before this scenario and seed, `(place, seed)`; all rows for `None`.
    fn ready(&self, py: Python<'_>, before: Option<(u32, u64)>) -> Ready {
        py.detach(|| {
            self.add(&[]); // the columns, if there is no row
            let mut waiting = self.waiting();
            Ready {
                runs: Ordered::taken(&mut waiting.runs, before),
                sessions: Ordered::taken(&mut waiting.sessions, before),
            }
        })
    }
}

impl Rows {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, ran: &[Ran<'_>]) {
        let runs = Part::of(table::batch(tables::runs(ran, &self.metrics, &self.counts)));
        let sessions = Part::of(table::batch(tables::sessions_of_runs(ran)));
        let mut waiting = self.waiting();
        waiting.runs.push(runs);
        waiting.sessions.push(sessions);
    }
}

impl Part {
    fn of(rows: RecordBatch) -> Part {
        Part { left: (0..rows.num_rows() as u32).collect(), rows }
    }
}

impl Ordered {
    /// Number of columns.
    fn width(&self) -> usize {
        self.batches.first().map_or(0, RecordBatch::num_columns)
    }

    fn taken(waiting: &mut Vec<Part>, before: Option<(u32, u64)>) -> Ordered {
        let (mut batches, mut rows) = (Vec::new(), Vec::new());
        for part in waiting.iter_mut() {
            let places = part.rows.column(0).as_primitive::<UInt32Type>().values();
            let seeds = part.rows.column(1).as_primitive::<UInt64Type>().values();
            let point = |row: u32| (places[row as usize], seeds[row as usize]);
            let (ready, left): (Vec<_>, Vec<_>) =
                part.left.iter().partition(|&&row| before.is_none_or(|before| point(row) < before));
            let number = batches.len();
            rows.extend(ready.into_iter().map(|row| (point(row).0, point(row).1, number, row as usize)));
            batches.push(part.rows.clone());
            part.left = left;
        }
        waiting.retain(|part| !part.left.is_empty());
        rows.sort_unstable();
        Ordered { batches, rows }
    }

    /// Returns columns `numbers` of these rows, in the form that tables on the disk have.
    fn columns(&self, rows: &[Row], numbers: Range<usize>) -> PyResult<Vec<(Field, ArrayRef)>> {
        let numbers: Vec<_> = numbers.collect();
        let some = self.batches.iter().map(|batch| batch.project(&numbers)).collect::<Result<Vec<_>, _>>();
        let some = some.map_err(input_error)?;
        let places: Vec<_> = rows.iter().map(|&(_, _, batch, row)| (batch, row)).collect();
        let joined =
            interleave_record_batch(&some.iter().collect::<Vec<_>>(), &places).map_err(input_error)?;
        let fields = joined.schema();
        let columns = fields.fields().iter().zip(joined.columns());
        Ok(columns.map(|(field, column)| plain(field.name(), column)).collect())
    }

    /// Returns the rows that count: those before the seed at which their scenario stops counting. `stops` has these seeds for the
    /// scenarios from number `first` on.
    fn counted(&self, first: u32, stops: Option<&[u64]>) -> Vec<Row> {
        let counts = |&(place, seed, _, _): &Row| {
            stops.is_none_or(|stops| stops.get((place - first) as usize).is_some_and(|&stop| seed < stop))
        };
        self.rows.iter().copied().filter(counts).collect()
    }
}

/// Converts a column to the form of tables on the disk: nullable and without metadata, texts as views.
fn plain(name: &str, column: &ArrayRef) -> (Field, ArrayRef) {
    let column: ArrayRef = match column.as_string_opt::<i32>() {
        Some(texts) => Arc::new(StringViewArray::from_iter(texts)),
        None => Arc::clone(column),
    };
    (Field::new(name, column.data_type().clone(), true), column)
}

#[pymethods]
impl Ready {
    /// The numbers of the first and the last scenario with rows here; `None` if there are no rows.
    #[getter]
    fn places(&self) -> Option<(u32, u32)> {
        Some((self.runs.rows.first()?.0, self.runs.rows.last()?.0))
    }

    /// Return the tables of results, timings and sessions.
    ///
    /// The columns have values of the scenarios from number `first` on. `stops` has for each of these scenarios the seed before which
    /// its rows count; without it all rows count.
    fn tables(
        &self,
        first: u32,
        axes: Vec<Column<'_>>,
        fixed: Vec<Column<'_>>,
        stops: Option<Vec<u64>>,
    ) -> PyResult<(Table, Table, Table)> {
        let gathered = |columns: &[Column<'_>], rows: &[Row]| -> PyResult<Vec<_>> {
            let numbers = || rows.iter().map(|row| (row.0 - first) as usize);
            columns.iter().map(|column| column.gathered(numbers())).collect()
        };
        let width = self.runs.width();
        let runs = self.runs.counted(first, stops.as_deref());
        let mut results = gathered(&axes, &runs)?;
        results.extend(self.runs.columns(&runs, 1..POINT)?);
        let mut timings = results.clone();
        results.extend(gathered(&fixed, &runs)?);
        results.extend(self.runs.columns(&runs, POINT..width - ORIGIN)?);
        timings.extend(self.runs.columns(&runs, width - ORIGIN..width)?);
        let ended = self.sessions.counted(first, stops.as_deref());
        let mut sessions = gathered(&axes, &ended)?;
        sessions.extend(self.sessions.columns(&ended, 1..self.sessions.width())?);
        Ok((Table::of_columns(results), Table::of_columns(timings), Table::of_columns(sessions)))
    }
}
