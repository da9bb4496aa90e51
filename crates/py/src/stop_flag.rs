//! A flag by which one thread ends the runs of others.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that, once it is set, ends the runs that were given it within a fraction of a second.
#[pyclass(module = "airfair._engine", frozen)]
#[derive(Default)]
pub struct StopFlag(AtomicBool);

#[pymethods]
impl StopFlag {
    #[new]
    fn new() -> StopFlag {
        StopFlag::default()
    }

    /// Ask the runs to end. They raise `KeyboardInterrupt`.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl StopFlag {
    /// Raises `KeyboardInterrupt` once the flag has been set.
    pub fn check(&self) -> PyResult<()> {
        if self.is_set() { Err(PyKeyboardInterrupt::new_err("the run was stopped")) } else { Ok(()) }
    }
}
