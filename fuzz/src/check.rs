//! What must hold for any input.

use crate::case::Case;
use crate::{reading, running};

/// How far a case got, nothing being wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It is no valid scenario, and the message says so properly.
    Refused,
    /// It is a valid scenario, too large to be run here.
    TooLarge,
    /// It ran.
    Ran,
}

/// Reads a case and runs it if it is valid and small. Whatever panics is wrong as well; the caller catches it.
///
/// # Errors
/// What does not hold.
pub fn check(case: &Case) -> Result<Passed, String> {
    match reading::read(case)? {
        Some(loaded) if running::is_small(&loaded.scenario) => running::run(loaded, case.seed),
        Some(_) => Ok(Passed::TooLarge),
        None => Ok(Passed::Refused),
    }
}
