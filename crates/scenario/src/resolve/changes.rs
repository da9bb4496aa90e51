//! A bound on how often a state may change in a run.

use airfair_core::Span;

use crate::problem::{Problem, Result};
use crate::units::{self, Dimension};

/// Most changes of a state in a run: far more than any study needs, and few enough to be computed soon.
const MOST_CHANGES: u64 = 10_000_000;

/// Refuses something that lasts `cycle` on average and would therefore happen too often in a run; `key` is to blame.
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
