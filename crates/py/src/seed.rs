//! The seed as Python passes it.

use crate::errors::input_error;
use pyo3::prelude::*;

/// A seed, from 0 to 2^64 - 1.
pub struct Seed(pub u64);

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Seed> {
        let whole = given.extract::<u64>();
        whole.map(Seed).map_err(|_| {
            let shown = given.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
            input_error(format_args!("seed = {shown}: must be a whole number from 0 to {}", u64::MAX))
        })
    }
}
