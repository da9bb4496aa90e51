//! Metrics: a value in its range, or a reason for its absence. Sessions end or are counted as unfinished.

use super::holds;
use airfair_lab::Outcome;
use airfair_scenario::resolved::Scenario;

pub fn hold(scenario: &Scenario, outcome: &Outcome) -> Result<(), String> {
    let names = outcome.metrics.iter().map(|metric| &metric.name);
    holds(names.eq(&scenario.metrics), "metrics are missing")?;
    for metric in outcome.metrics.iter().chain(&outcome.more_metrics) {
        let range = airfair_lab::metric(&metric.name).ok_or("a metric that is not registered")?.range;
        let sound = match metric.value {
            Some(value) => value.is_finite() && range.contains(value) && metric.reason.is_none(),
            None => metric.reason.is_some(),
        };
        holds(sound, &format!("not a value: {metric:?}"))?;
    }
    let unfinished = outcome.sessions.iter().filter(|session| session.acked.is_none()).count();
    let reported = outcome.metrics.iter().find(|metric| metric.name == "sessions_unfinished");
    let reported = reported.and_then(|metric| metric.value);
    let asked = scenario.metrics.iter().any(|name| name == "sessions_unfinished");
    holds(
        !asked || reported == Some(unfinished as f64),
        &format!("{unfinished} unfinished sessions are reported as {reported:?}"),
    )
}
