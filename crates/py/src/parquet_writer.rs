//! Parquet files that grow.

use crate::errors::input_error;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use std::sync::Mutex;

/// Writes a Parquet file piece by piece. Its caller puts the pieces together. The same tables give the same bytes.
#[pyclass(module = "airfair._engine", frozen)]
pub struct ParquetWriter(Mutex<Option<ArrowWriter<Vec<u8>>>>);

#[pymethods]
impl ParquetWriter {
    /// A file of tables with the columns of `like`.
    #[new]
    fn new(like: PyTable) -> PyResult<ParquetWriter> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(Vec::new(), like.into_inner().1, Some(properties));
        Ok(ParquetWriter(Mutex::new(Some(writer.map_err(input_error)?))))
    }

    /// The next piece, with the rows of this table as a row group.
    fn write<'py>(&self, py: Python<'py>, rows: PyTable) -> PyResult<Bound<'py, PyBytes>> {
        let (batches, _) = rows.into_inner();
        let piece = py.detach(|| {
            let mut writer = self.0.lock();
            let writer = writer.as_mut().map_err(|_| closed())?.as_mut().ok_or_else(closed)?;
            let written = batches.iter().try_for_each(|batch| writer.write(batch));
            written.and_then(|()| writer.flush()).map_err(input_error)?;
            Ok::<_, PyErr>(std::mem::take(writer.inner_mut()))
        });
        Ok(PyBytes::new(py, &piece?))
    }

    /// The last piece, with these facts as the file's metadata.
    fn finish<'py>(&self, py: Python<'py>, facts: Vec<(String, String)>) -> PyResult<Bound<'py, PyBytes>> {
        let mut writer = self.0.lock().map_err(|_| closed())?.take().ok_or_else(closed)?;
        facts
            .into_iter()
            .for_each(|(name, fact)| writer.append_key_value_metadata(KeyValue::new(name, fact)));
        writer.into_inner().map(|piece| PyBytes::new(py, &piece)).map_err(input_error)
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the file is finished")
}
