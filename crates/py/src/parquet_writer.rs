//! Parquet files that are written in pieces.

use crate::errors::input_error;
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use std::sync::Mutex;

/// Writes a Parquet file piece by piece. The caller puts the pieces together. The file does not depend on how its rows are divided
/// into tables.
#[pyclass(module = "airfair._engine", frozen)]
pub struct ParquetWriter(Mutex<Option<File>>);

struct File {
    writer: ArrowWriter<Vec<u8>>,
    /// Number of rows in a row group.
    group: usize,
    /// Rows that wait until there are enough for a row group.
    waiting: Vec<RecordBatch>,
    count: usize,
}

#[pymethods]
impl ParquetWriter {
    /// Start a file of tables with the columns of `like`, in row groups of `group` rows.
    #[new]
    fn new(like: PyTable, group: usize) -> PyResult<ParquetWriter> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(Vec::new(), like.into_inner().1, Some(properties));
        let writer = writer.map_err(input_error)?;
        Ok(ParquetWriter(Mutex::new(Some(File { writer, group, waiting: Vec::new(), count: 0 }))))
    }

    /// Return the next piece: the row groups that these rows complete.
    fn write<'py>(&self, py: Python<'py>, rows: PyTable) -> PyResult<Bound<'py, PyBytes>> {
        let (batches, _) = rows.into_inner();
        let piece = py.detach(|| {
            let mut file = self.0.lock().map_err(|_| closed())?;
            file.as_mut().ok_or_else(closed)?.write(batches).map_err(input_error)
        });
        Ok(PyBytes::new(py, &piece?))
    }

    /// Return the last piece, with these facts as the file's metadata.
    fn finish<'py>(&self, py: Python<'py>, facts: Vec<(String, String)>) -> PyResult<Bound<'py, PyBytes>> {
        let file = self.0.lock().map_err(|_| closed())?.take().ok_or_else(closed)?;
        let piece = py.detach(|| file.finish(facts)).map_err(input_error)?;
        Ok(PyBytes::new(py, &piece))
    }
}

impl File {
    fn write(&mut self, rows: Vec<RecordBatch>) -> Result<Vec<u8>, ParquetError> {
        for mut rest in rows {
            while self.count + rest.num_rows() >= self.group {
                let fitting = self.group - self.count;
                self.waiting.push(rest.slice(0, fitting));
                rest = rest.slice(fitting, rest.num_rows() - fitting);
                self.end_group()?;
            }
            self.count += rest.num_rows();
            self.waiting.push(rest);
        }
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// Writes the rows that wait in one piece, because the encoder would start new pages with each piece.
    fn end_group(&mut self) -> Result<(), ParquetError> {
        let Some(first) = self.waiting.first() else { return Ok(()) };
        let rows = concat_batches(&first.schema(), &self.waiting)?;
        self.waiting.clear();
        self.count = 0;
        self.writer.write(&rows)?;
        self.writer.flush()
    }

    fn finish(mut self, facts: Vec<(String, String)>) -> Result<Vec<u8>, ParquetError> {
        self.end_group()?;
        for (name, fact) in facts {
            self.writer.append_key_value_metadata(KeyValue::new(name, fact));
        }
        self.writer.into_inner()
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the file is finished")
}
