//! Turns panics of the engine into exceptions that say where they happened.

use crate::errors::EngineError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the reason of a panic for the exception, instead of printing it between the lines of a progress display.
pub fn keep_reasons() {
    panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let place = panic.location().map(|location| format!(" at {location}")).unwrap_or_default();
        REASON.with_borrow_mut(|reason| *reason = Some(format!("{message}{place}")));
    }));
}

/// Runs part of the engine; a panic in it becomes an [`EngineError`].
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    // Whatever a panic leaves half done is dropped with the error.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let reason = REASON.take().unwrap_or_default();
        EngineError::new_err(format!("the engine failed: {reason}"))
    })
}
