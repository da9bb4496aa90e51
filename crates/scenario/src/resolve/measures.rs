//! Settings of metrics.

use crate::file::File;
use crate::problem::{Located, Result};
use crate::resolve::declared::settings;
use crate::resolved::{Effort, FairnessSettings, Measures, RealtimeSettings, Weights};
use crate::scope::Scope;

/// Resolves the tables `[fairness]`, `[effort]`, `[realtime]` and `[convergence]`.
pub fn resolve(file: &File, scope: &Scope) -> Result<Measures> {
    let FairnessSettings { of } = settings(&file.fairness.given, scope).at("fairness")?;
    let RealtimeSettings { deadline } = settings(&file.realtime.given, scope).at("realtime")?;
    Ok(Measures {
        fairness_of: of,
        effort: effort(file, scope).at("effort")?,
        deadline,
        convergence: settings(&file.convergence.given, scope).at("convergence")?,
    })
}

fn effort(file: &File, scope: &Scope) -> Result<Option<Effort>> {
    let Some(raw) = &file.effort else { return Ok(None) };
    let Weights { eee_a, eee_b, uar_a, uar_b } = settings(&raw.given, scope)?;
    let throughput_max = scope.required(&raw.throughput_max, "throughput_max")?;
    Ok(Some(Effort { throughput_max, eee: (eee_a, eee_b), uar: (uar_a, uar_b) }))
}
