//! Tables of results, exported through the Arrow PyCapsule interface.

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray, cast::AsArray, types};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;

/// A table of results. Libraries that read the Arrow PyCapsule interface take it without a copy:
/// `polars.DataFrame(table)`, `pyarrow.table(table)`, `duckdb.sql("from table")`.
///
/// Each column's unit is in its field's metadata under `unit`.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Table(RecordBatch);

impl Table {
    /// A table of these columns, which must be of one length.
    pub fn new(columns: Vec<(Field, ArrayRef)>) -> Table {
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Table(batch.expect("columns of the types and the length that their fields state"))
    }
}

#[pymethods]
impl Table {
    /// Export as an Arrow C stream of one batch, sharing the table's memory. May be called any number of times.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.0.schema().fields().clone(), false);
        let batch: ArrayRef = Arc::new(StructArray::from(self.0.clone()));
        let reader = ArrayIterator::new([Ok(batch)], Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    /// Export the schema alone, as an Arrow C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.schema_ref().as_ref())?)
    }

    /// The columns as lists of Python values, by name: a copy, for where no Arrow library is installed.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, column) in self.0.schema_ref().fields().iter().zip(self.0.columns()) {
            columns.set_item(field.name(), values(py, column)?)?;
        }
        Ok(columns)
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> =
            self.0.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
        format!("<{} rows: {}>", self.0.num_rows(), names.join(", "))
    }
}

fn values<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match column.data_type() {
        DataType::Float64 => PyList::new(py, column.as_primitive::<types::Float64Type>().iter()),
        DataType::UInt64 => PyList::new(py, column.as_primitive::<types::UInt64Type>().iter()),
        DataType::Boolean => PyList::new(py, column.as_boolean().iter()),
        DataType::Utf8 => PyList::new(py, column.as_string::<i32>().iter()),
        other => Err(PyTypeError::new_err(format!("no Python values for columns of {other}"))),
    }
}
