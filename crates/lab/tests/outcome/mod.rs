//! Reads the values of metrics from the outcome of a run.

use airfair_lab::Outcome;

/// Returns the value of a metric that was asked for and has one.
pub fn value(outcome: &Outcome, name: &str) -> f64 {
    let metric = outcome.metrics.iter().find(|metric| metric.name == name).expect("asked for");
    metric.value.unwrap_or_else(|| panic!("{metric:?}"))
}

/// Returns the reason why a metric that was asked for has no value.
pub fn reason(outcome: &Outcome, name: &str) -> String {
    let metric = outcome.metrics.iter().find(|metric| metric.name == name).expect("asked for");
    assert_eq!(metric.value, None, "{name}");
    metric.reason.clone().expect("a metric without a value has a reason")
}
