//! The exceptions that the engine raises.

use airfair_lab::{MOST_SAMPLES, NoOutcome};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;

pyo3::create_exception!(
    airfair,
    InputError,
    PyValueError,
    "Bad input. The message is complete: where, what, and what is allowed. Nothing has been computed."
);

pyo3::create_exception!(
    airfair,
    EngineError,
    PyRuntimeError,
    "The engine failed while it ran. Unless it is a `LimitError`, that is a defect of AirFair, not of the input."
);

pyo3::create_exception!(
    airfair,
    LimitError,
    EngineError,
    "A run would fill the memory. The message says with what, and what takes less."
);

pyo3::create_exception!(
    airfair,
    ControlError,
    PyRuntimeError,
    "A congestion control of the user's own raised an exception, which is the cause of this one, or answered nonsense. The run has ended."
);

/// Returns the exception for bad input, with the message of the error that was found.
pub fn input_error(error: impl Display) -> PyErr {
    InputError::new_err(error.to_string())
}

/// Returns the exception of a run without an outcome.
pub fn error_of(why: NoOutcome<PyErr>) -> PyErr {
    match why {
        NoOutcome::Stopped(reason) => reason,
        NoOutcome::TooManySamples => LimitError::new_err(format!(
            "more than {MOST_SAMPLES} samples over time: a shorter duration, fewer traces or no quantiles of delays take less"
        )),
    }
}
