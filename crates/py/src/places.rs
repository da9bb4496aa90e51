//! The index of a store, and its keys.

use crate::errors::input_error;
use crate::keys::split;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of keys in a sorted list. Lists are never merged, because that would take their memory twice.
const LIST: usize = 65_536;

/// Bits of an offset, which is up to a terabyte.
const OFFSET: u32 = 40;

/// The places of results: for each key a segment and the offset in it. Each key takes 16 bytes.
///
/// Only the last 8 bytes of a key are kept. Keys are hashes: among ten million, two have the same end in one of 370,000 stores.
/// Then only the later one is found. The entry in the segment has the whole key, so that it is never mistaken for another key's.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Places(Mutex<Index>);

/// The places of keys. A place is the number of a segment and, in the last [`OFFSET`] bits, the offset. Later lists take
/// precedence over earlier ones.
#[derive(Default)]
struct Index {
    lists: Vec<Box<[(u64, u64)]>>,
    latest: BTreeMap<u64, u64>,
}

impl Index {
    fn note(&mut self, key: u64, segment: u64, offset: u64) {
        if offset >> OFFSET == 0 && segment >> (u64::BITS - OFFSET) == 0 {
            self.set(key, segment << OFFSET | offset);
        }
    }

    fn set(&mut self, key: u64, place: u64) {
        self.latest.insert(key, place);
        if self.latest.len() == LIST {
            self.lists.push(self.latest.iter().map(|(&key, &place)| (key, place)).collect());
            self.latest.clear();
        }
    }

    fn get(&self, key: u64) -> Option<u64> {
        let listed = |list: &[(u64, u64)]| {
            let at = list.binary_search_by_key(&key, |entry| entry.0).ok()?;
            Some(list[at].1)
        };
        self.latest.get(&key).copied().or_else(|| self.lists.iter().rev().find_map(|list| listed(list)))
    }
}

#[pymethods]
impl Places {
    /// Create an empty index.
    #[new]
    fn new() -> Places {
        Places(Mutex::default())
    }

    /// Set the place of a key, in place of an earlier one. A place out of bounds is ignored.
    fn set(&self, key: &[u8], segment: u64, offset: u64) -> PyResult<()> {
        self.held().note(end(key)?, segment, offset);
        Ok(())
    }

    /// Set the places of keys, which stand one after the other. Their entries stand in this order from an offset on and have
    /// these lengths.
    fn set_all(&self, keys: &[u8], segment: u64, offset: u64, lengths: Vec<u64>) -> PyResult<()> {
        let mut held = self.held();
        let mut offset = offset;
        for (key, length) in split(keys)?.iter().zip(lengths) {
            held.note(end(key)?, segment, offset);
            offset += length;
        }
        Ok(())
    }

    /// Return the segment and the offset of a key.
    fn get(&self, key: &[u8]) -> PyResult<Option<(u64, u64)>> {
        let place = self.held().get(end(key)?);
        Ok(place.map(|place| (place >> OFFSET, place & ((1 << OFFSET) - 1))))
    }

    /// Return the indices of those keys, one after the other, that have a place.
    fn among(&self, keys: &[u8]) -> PyResult<Vec<usize>> {
        let (keys, held) = (split(keys)?, self.held());
        let known = |key: &[u8; 32]| end(key).is_ok_and(|key| held.get(key).is_some());
        Ok((0..keys.len()).filter(|&number| known(&keys[number])).collect())
    }
}

impl Places {
    fn held(&self) -> MutexGuard<'_, Index> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(key: &[u8]) -> PyResult<u64> {
    let end = key.last_chunk().ok_or_else(|| input_error("a key has 32 bytes"))?;
    Ok(u64::from_be_bytes(*end))
}

/// A set of keys of results that are being computed. Its methods take keys one after the other.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Keys(Mutex<BTreeSet<[u8; 32]>>);

#[pymethods]
impl Keys {
    /// Create an empty set.
    #[new]
    fn new() -> Keys {
        Keys(Mutex::default())
    }

    /// Add keys, and return the indices of those that were in the set already.
    fn add(&self, keys: &[u8]) -> PyResult<Vec<usize>> {
        let (keys, mut held) = (split(keys)?, self.held());
        Ok((0..keys.len()).filter(|&number| !held.insert(keys[number])).collect())
    }

    /// Remove keys.
    fn remove(&self, keys: &[u8]) -> PyResult<()> {
        let mut held = self.held();
        split(keys)?.iter().for_each(|key| {
            held.remove(key);
        });
        Ok(())
    }
}

impl Keys {
    fn held(&self) -> MutexGuard<'_, BTreeSet<[u8; 32]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Return an outcome packed under a key as a segment holds it, behind its header.
#[pyfunction]
pub fn framed<'py>(py: Python<'py>, key: &[u8], packed: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let key = key.try_into().map_err(|_| input_error("a key has 32 bytes"))?;
    let mut bytes = Vec::new();
    airfair_lab::append(&mut bytes, key, packed);
    Ok(PyBytes::new(py, &bytes))
}
