//! How often a state may change in a run.

use airfair_core::Span;

use crate::problem::{Problem, Result};
use crate::units::{self, Dimension};

/// Far more than any study asks for, and soon gone through.
const MOST_CHANGES: u64 = 10_000_000;

/// An error where something that lasts `cycle` on average would happen too often in a run.
pub fn not_too_often(run: Span, cycle: Span, key: &str) -> Result<()> {
    if run / cycle < MOST_CHANGES {
        return Ok(());
    }
    let shown = |span: Span| units::display(span.as_secs(), Dimension::Time);
    let message = format!(
        "every {} in a run of {} is too often: {MOST_CHANGES} times are allowed",
        shown(cycle),
        shown(run)
    );
    Err(Problem::new(message).at(key))
}
