//! Invariants of the outcome and the record of any run.

mod air;
mod flows;
mod links;
mod metrics;
mod series;
mod sessions;
mod stations;

use airfair_lab::Outcome;
use airfair_scenario::resolved::Scenario;
use airfair_sim::Record;

/// Checks the outcome of a run.
pub fn outcome(scenario: &Scenario, outcome: &Outcome) -> Result<(), String> {
    metrics::hold(scenario, outcome)
}

/// Checks the record of a run that is measured from its start on.
pub fn record(scenario: &Scenario, record: &Record) -> Result<(), String> {
    for (flow, counts) in scenario.flows.iter().zip(&record.counts.flows) {
        flows::hold(flow, counts).map_err(|wrong| format!("flow {}: {wrong}: {counts:?}", flow.name))?;
    }
    for ((flow, counts), sessions) in scenario.flows.iter().zip(&record.counts.flows).zip(&record.sessions) {
        sessions::hold(flow, counts, sessions, record.end)
            .map_err(|wrong| format!("flow {}: {wrong}: {counts:?}, {sessions:?}", flow.name))?;
    }
    links::hold(scenario, record)?;
    stations::hold(scenario, record)?;
    air::hold(scenario, record)?;
    series::hold(scenario, record)
}

/// `Err(wrong)` unless `it` holds.
fn holds(it: bool, wrong: &str) -> Result<(), String> {
    if it { Ok(()) } else { Err(wrong.to_owned()) }
}
