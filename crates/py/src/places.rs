//! The index of a store.

use crate::errors::input_error;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Keys in a sorted list. Lists are never joined: that would take their memory twice.
const LIST: usize = 65_536;

/// Bits of an offset: a terabyte.
const OFFSET: u32 = 40;

/// Where results lie: for each key a segment and the offset in it. It takes 16 bytes a key.
///
/// Only the last 8 bytes of a key are kept. Keys are hashes: of ten million, two end alike once in 370,000 stores. Then only the
/// later one is found. The entry itself holds the whole key, so that it is never taken for another's.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Places(Mutex<Index>);

/// Places: the number of a segment and, in the last [`OFFSET`] bits, the offset. Later lists overrule earlier ones.
#[derive(Default)]
struct Index {
    lists: Vec<Box<[(u64, u64)]>>,
    latest: BTreeMap<u64, u64>,
}

impl Index {
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
    /// No places.
    #[new]
    fn new() -> Places {
        Places(Mutex::default())
    }

    /// Notes the place of a key, in place of an earlier one. A place beyond all bounds is not noted.
    fn set(&self, key: &[u8], segment: u64, offset: u64) -> PyResult<()> {
        let key = end(key)?;
        if offset >> OFFSET == 0 && segment >> (u64::BITS - OFFSET) == 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).set(key, segment << OFFSET | offset);
        }
        Ok(())
    }

    /// The segment and the offset of a key.
    fn get(&self, key: &[u8]) -> PyResult<Option<(u64, u64)>> {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(end(key)?);
        Ok(place.map(|place| (place >> OFFSET, place & ((1 << OFFSET) - 1))))
    }
}

fn end(key: &[u8]) -> PyResult<u64> {
    let end = key.last_chunk().ok_or_else(|| input_error("a key has 32 bytes"))?;
    Ok(u64::from_be_bytes(*end))
}
