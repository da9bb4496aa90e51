//! Keys of results.

use crate::errors::input_error;
use crate::seed::Seed;
use airfair_lab::MODEL_VERSION;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Return `Scenario.key` of the scenario with this `Scenario.digest`. Raises `InputError` for bytes that are not a digest.
#[pyfunction]
pub fn key(digest: &[u8], seed: Seed) -> PyResult<String> {
    let no_digest = |_| input_error(format_args!("a digest has 32 bytes, not {}", digest.len()));
    let digest = digest.try_into().map_err(no_digest)?;
    Ok(airfair_scenario::key(digest, seed.0, MODEL_VERSION))
}

/// Return the keys of many results as bytes, one after the other. `digests` has the digests of scenarios, one after the other; each result has
/// the index of its scenario there, and a seed.
///
/// Raises `InputError` for an index without a digest.
#[pyfunction]
pub fn keys<'py>(
    py: Python<'py>,
    digests: &[u8],
    places: Vec<usize>,
    seeds: Vec<Seed>,
) -> PyResult<Bound<'py, PyBytes>> {
    let digests = split(digests)?;
    let mut keys = Vec::with_capacity(places.len());
    for (place, seed) in places.into_iter().zip(seeds) {
        let digest =
            digests.get(place).ok_or_else(|| input_error(format_args!("there is no digest {place}")))?;
        keys.push(airfair_scenario::key_bytes(digest, seed.0, MODEL_VERSION));
    }
    Ok(PyBytes::new(py, keys.as_flattened()))
}

/// Splits keys that stand one after the other.
pub fn split(keys: &[u8]) -> PyResult<&[[u8; 32]]> {
    let (keys, rest) = keys.as_chunks();
    if rest.is_empty() { Ok(keys) } else { Err(input_error("a key has 32 bytes")) }
}
