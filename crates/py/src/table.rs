//! Tables of results, exported through the Arrow PyCapsule interface.

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray, UInt64Array, cast::AsArray, types::*};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use pyo3_arrow::PyTable;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;

/// A table of results. Any library that reads the Arrow PyCapsule interface takes it without a copy:
/// `polars.DataFrame(table)`, `pyarrow.table(table)` and DuckDB's `from table` work; AirFair needs none of them.
/// `Table(source)` takes whatever exports that interface, a Polars data frame for example.
///
/// Each column's unit is in its field's metadata under `unit`, a counter's description under `description`.
#[pyclass(module = "airfair", frozen)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// Returns a table of these columns, which must have the same length.
    pub fn of_columns(columns: Vec<(Field, ArrayRef)>) -> Table {
        let batch = batch(columns);
        Table { schema: batch.schema(), batches: vec![batch] }
    }
}

/// Returns the rows of these columns, which must have the same length.
pub fn batch(columns: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
    batch.expect("columns of the types and the length that their fields state")
}

#[pymethods]
impl Table {
    /// Wrap an object that exports the Arrow PyCapsule interface.
    #[new]
    fn new(source: PyTable) -> Table {
        let (batches, schema) = source.into_inner();
        Table { schema, batches }
    }

    /// Join tables with the same columns, one for each seed, into one whose first column is `seed`.
    ///
    /// Raises `ValueError` if there are no tables, or their columns differ.
    #[staticmethod]
    fn of_seeds(tables: Vec<(u64, PyRef<'_, Table>)>) -> PyResult<Table> {
        let Some((_, first)) = tables.first() else { return Err(PyValueError::new_err("there is no table")) };
        let seed = Arc::new(Field::new("seed", DataType::UInt64, false));
        let fields: Vec<_> = std::iter::once(seed).chain(first.schema.fields().iter().cloned()).collect();
        let schema = Arc::new(Schema::new(fields));
        let batches =
            tables.iter().flat_map(|(seed, table)| table.batches.iter().map(|batch| (*seed, batch)));
        let batches = batches.map(|(seed, batch)| {
            let seeds: ArrayRef = Arc::new(UInt64Array::from_value(seed, batch.num_rows()));
            let columns = std::iter::once(seeds).chain(batch.columns().iter().cloned()).collect();
            RecordBatch::try_new(schema.clone(), columns)
                .map_err(|error| PyValueError::new_err(error.to_string()))
        });
        Ok(Table { batches: batches.collect::<PyResult<_>>()?, schema: schema.clone() })
    }

    /// Join the rows of tables with the same columns. Raises `ValueError` if there are no tables, or their columns differ.
    #[staticmethod]
    fn joined(py: Python<'_>, tables: Vec<PyRef<'_, Table>>) -> PyResult<Table> {
        let Some(first) = tables.first() else { return Err(PyValueError::new_err("there is no table")) };
        let schema = first.schema.clone();
        let batches: Vec<_> = tables.iter().flat_map(|table| &table.batches).collect();
        let joined = py.detach(|| concat_batches(&schema, batches));
        let joined = joined.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Table { schema, batches: vec![joined] })
    }

    /// Export the table as an Arrow C stream, which shares the table's memory. May be called any number of times.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.schema.fields().clone(), false);
        let batches = self.batches.clone().into_iter();
        let arrays = batches.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let reader = ArrayIterator::new(arrays, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    /// Export the schema alone, as an Arrow C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    /// Return the table as a Polars data frame. Needs the package `polars`.
    fn to_polars<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// Return the table as a PyArrow table. Needs the package `pyarrow`.
    fn to_arrow<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Return the table as a pandas data frame. This is a copy by way of Python lists, which needs the package `pandas` alone: pandas
    /// reads Arrow through PyArrow.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let frame = py.import("pandas")?.call_method1("DataFrame", (self.to_pydict(py)?,))?;
        // pandas cannot infer the type of a column that has no value.
        let types = PyDict::new(py);
        for (place, field) in self.schema.fields().iter().enumerate() {
            let is_null = |batch: &RecordBatch| batch.column(place).null_count() == batch.num_rows();
            if field.data_type().is_numeric() && self.__len__() > 0 && self.batches.iter().all(is_null) {
                types.set_item(field.name(), "float64")?;
            }
        }
        frame.call_method1("astype", (types,))
    }

    /// Return the columns as lists of Python values, by name. This is a copy, for use without an Arrow library.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (place, field) in self.schema.fields().iter().enumerate() {
            let values = PyList::empty(py);
            for batch in &self.batches {
                append(&values, batch.column(place))?;
            }
            columns.set_item(field.name(), values)?;
        }
        Ok(columns)
    }

    /// Pickle the table in Arrow's IPC format, with the metadata of its columns.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let written = || {
            let mut writer = StreamWriter::try_new(Vec::new(), &self.schema)?;
            self.batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.into_inner()
        };
        let bytes = written().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((py.import("airfair._engine")?.getattr("table_of_ipc")?, (PyBytes::new(py, &bytes),)))
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Show the beginning and the end of the data frame in notebooks. Needs the package `polars`.
    fn _repr_html_<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_polars(slf)?.call_method0("_repr_html_")
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<{} rows: {}>", self.__len__(), names.join(", "))
    }
}

/// Read a table from bytes in Arrow's IPC format, for `pickle`. Raises `ValueError` for other bytes.
#[pyfunction]
pub fn table_of_ipc(bytes: &[u8]) -> PyResult<Table> {
    // This decoder takes no more memory than there are bytes, whatever length they state; a `StreamReader` trusts that length.
    let mut decoder = StreamDecoder::new();
    let mut read = || {
        let mut left = Buffer::from(bytes);
        let mut batches = Vec::new();
        while let Some(batch) = decoder.decode(&mut left)? {
            batches.push(batch);
        }
        decoder.finish()?;
        let schema = decoder.schema().ok_or_else(|| ArrowError::IpcError("there is no schema".to_owned()))?;
        Ok(Table { schema, batches })
    };
    read().map_err(|error: ArrowError| PyValueError::new_err(error.to_string()))
}

/// Adds a column's values to a list.
fn append(list: &Bound<'_, PyList>, column: &ArrayRef) -> PyResult<()> {
    fn all<'py, T: IntoPyObject<'py>>(
        list: &Bound<'py, PyList>,
        values: impl Iterator<Item = Option<T>>,
    ) -> PyResult<()> {
        values.into_iter().try_for_each(|value| list.append(value))
    }
    match column.data_type() {
        DataType::Null => (0..column.len()).try_for_each(|_| list.append(list.py().None())),
        DataType::Float64 => all(list, column.as_primitive::<Float64Type>().iter()),
        DataType::UInt64 => all(list, column.as_primitive::<UInt64Type>().iter()),
        DataType::Int64 => all(list, column.as_primitive::<Int64Type>().iter()),
        DataType::Boolean => all(list, column.as_boolean().iter()),
        DataType::Utf8 => all(list, column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => all(list, column.as_string::<i64>().iter()),
        DataType::Utf8View => all(list, column.as_string_view().iter()),
        other => Err(PyTypeError::new_err(format!("no Python values for columns of {other}"))),
    }
}
