//! Flows for which the run is too short.

use airfair_core::{Span, Time};

use super::shown;
use crate::resolved::{Flow, Traffic};

/// Warnings of these flows in a run until `end`, in one sentence for all of them.
pub fn of(flows: &[Flow], end: Time) -> Option<String> {
    let late: Vec<Span> = flows.iter().map(start).filter(|&start| Time::ZERO + start >= end).collect();
    let first = late.iter().min()?;
    let (count, all) = (late.len(), flows.len());
    let never = if count == 1 { "never sends: it starts" } else { "never send: they start" };
    let (first, run) = (shown(*first), shown(end.since(Time::ZERO)));
    Some(format!("{count} of {all} flows {never} at {first} at the earliest, and the run ends at {run}"))
}

/// The earliest that there may be.
fn start(flow: &Flow) -> Span {
    match flow.traffic {
        Traffic::Persistent { start, .. } | Traffic::Intermittent { start, .. } => start,
    }
}
