//! Settings of metrics.

use airfair_core::Span;

use crate::file::{Convergence as RawConvergence, Effort as RawEffort, File};
use crate::problem::{Located, Problem, Result};
use crate::resolved::{Convergence, Effort, FairnessOf, Measures};
use crate::scope::Scope;
use crate::value::NumberValue;

const FAIRNESS_OF: [(&str, FairnessOf); 2] =
    [("throughput", FairnessOf::Throughput), ("sending-rate", FairnessOf::SendingRate)];
/// Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3.
const EEE: (f64, f64) = (1.0, 0.3);
const UAR: (f64, f64) = (0.5, 0.5);
const DEADLINE: Span = Span::from_millis(100);
const WINDOW: Span = Span::from_secs(1);
const INDEX: f64 = 0.95;
/// A tenth of a window is a step in the search for it: shorter ones take long and hold no packet.
const SHORTEST_WINDOW: Span = Span::from_millis(1);

/// The tables `[fairness]`, `[effort]`, `[realtime]` and `[convergence]`.
pub fn resolve(file: &File, scope: &Scope) -> Result<Measures> {
    let fairness_of = scope.word(&file.fairness.of, "of", "quantity", &FAIRNESS_OF).at("fairness")?;
    Ok(Measures {
        fairness_of: fairness_of.unwrap_or(FairnessOf::Throughput),
        effort: file.effort.as_ref().map(|raw| effort(raw, scope)).transpose().at("effort")?,
        deadline: deadline(file, scope).at("realtime")?,
        convergence: convergence(&file.convergence, scope).at("convergence")?,
    })
}

fn effort(raw: &RawEffort, scope: &Scope) -> Result<Effort> {
    let weight = |value: &Option<NumberValue>, key, default| {
        let weight = scope.or(value, key, default)?;
        if weight >= 0.0 { Ok(weight) } else { Err(Problem::new("a weight cannot be negative").at(key)) }
    };
    Ok(Effort {
        throughput_max: scope.required(&raw.throughput_max, "throughput_max")?,
        eee: (weight(&raw.eee_a, "eee_a", EEE.0)?, weight(&raw.eee_b, "eee_b", EEE.1)?),
        uar: (weight(&raw.uar_a, "uar_a", UAR.0)?, weight(&raw.uar_b, "uar_b", UAR.1)?),
    })
}

fn deadline(file: &File, scope: &Scope) -> Result<Span> {
    let deadline = scope.or(&file.realtime.deadline, "deadline", DEADLINE)?;
    if deadline == Span::ZERO {
        return Err(Problem::new("a deadline must be above zero: nothing arrives in no time").at("deadline"));
    }
    Ok(deadline)
}

fn convergence(raw: &RawConvergence, scope: &Scope) -> Result<Convergence> {
    let window = scope.or(&raw.window, "window", WINDOW)?;
    if window < SHORTEST_WINDOW {
        return Err(Problem::new("a window is at least 1 ms").at("window"));
    }
    let index = scope.or(&raw.index, "index", INDEX)?;
    if index == 0.0 {
        return Err(Problem::new("an index is above 0, at most 1").at("index"));
    }
    Ok(Convergence { window, index })
}
