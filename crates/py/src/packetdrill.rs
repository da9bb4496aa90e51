//! packetdrill's scripts, judged against our endpoints.

use crate::errors::input_error;
use crate::panics::caught;
use airfair_packetdrill::{Verdict, judge};
use pyo3::prelude::*;

/// Play a packetdrill script against the engine's TCP. Returns "passed", "failed" or "skipped", with the line and the reason of the
/// latter two. Raises `InputError` for what is not a script.
#[pyfunction]
pub fn packetdrill(script: &[u8]) -> PyResult<(&'static str, usize, String)> {
    caught(|| judge(script))?.map_err(input_error).map(|verdict| match verdict {
        Verdict::Passed => ("passed", 0, String::new()),
        Verdict::Failed(line, reason) => ("failed", line, reason),
        Verdict::Skipped(line, reason) => ("skipped", line, reason),
    })
}
