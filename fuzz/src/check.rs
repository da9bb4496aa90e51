//! The check of one input.

use crate::case::Case;
use crate::{reading, running};

/// The stage that a case has passed without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The case is not a valid scenario, and the message is proper.
    Refused,
    /// The case is a valid scenario, but too large to run here.
    TooLarge,
    /// The case ran.
    Ran,
}

/// Reads a case and runs it if it is valid and small. A panic is a failure too; the caller catches it.
///
/// # Errors
/// The reason, if an invariant does not hold.
pub fn check(case: &Case) -> Result<Passed, String> {
    match reading::read(case)? {
        Some(experiment) if running::is_small(&experiment.loaded.scenario) => {
            running::run(&experiment, case.seed)
        }
        Some(_) => Ok(Passed::TooLarge),
        None => Ok(Passed::Refused),
    }
}
