//! Keeps scenarios that were loaded to be checked, until they run.

use crate::scenario::Scenario;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most bytes of memory that kept scenarios take, by estimate: [`PART`] for each node, link and flow, and the length of the
/// text that each scenario was read from.
const MOST: usize = 80_000_000;
const PART: usize = 1_000;

/// Loaded scenarios by number. A scenario for which there is no room is loaded again.
#[pyclass(module = "airfair._engine", frozen)]
pub struct Kept(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// Scenarios by number, each with its estimated size in bytes.
    scenarios: BTreeMap<usize, Box<(Scenario, usize)>>,
    size: usize,
}

#[pymethods]
impl Kept {
    /// Create an empty collection.
    #[new]
    fn new() -> Kept {
        Kept(Mutex::default())
    }

    /// Number of scenarios that are kept now.
    fn __len__(&self) -> usize {
        self.held().scenarios.len()
    }
}

impl Kept {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a scenario that was read from a file of this many bytes, if there is room.
    pub fn put(&self, number: usize, scenario: Scenario, text: usize) {
        let read = &scenario.loaded().scenario;
        let size = PART * (read.nodes.len() + read.links.len() + read.flows.len()) + text;
        let mut held = self.held();
        if held.size + size <= MOST {
            held.size += size;
            if let Some(before) = held.scenarios.insert(number, Box::new((scenario, size))) {
                held.size -= before.1;
            }
        }
    }

    /// Removes a scenario and returns it.
    pub fn take(&self, number: usize) -> Option<Scenario> {
        let mut held = self.held();
        let (scenario, size) = *held.scenarios.remove(&number)?;
        held.size -= size;
        Some(scenario)
    }
}
