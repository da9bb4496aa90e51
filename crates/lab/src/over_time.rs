//! Metrics that are taken from time series, and which series those are.

use airfair_core::Time;
use airfair_metrics as metrics;
use airfair_metrics::{Cumulative, Undefined};
use airfair_scenario::resolved::{Flow, Scenario, Transport};
use airfair_sim::{Quantity, Record, Series};

/// The series that have to be recorded for the metrics of `scenario`.
pub fn needed(scenario: &Scenario) -> Option<Quantity> {
    is_asked(scenario, "time_to_fairness").then_some(Quantity::Acked)
}

/// Whether the metrics of `scenario` need the average congestion windows.
pub fn needs_windows(scenario: &Scenario) -> bool {
    is_asked(scenario, "cwnd_mean") || is_asked(scenario, "cwnd_persistent")
}

/// Whether a run of `scenario` records what a metric is taken from.
pub fn is_recorded(scenario: &Scenario, metric: &str) -> bool {
    match metric {
        "time_to_fairness" => needed(scenario).is_some(),
        "cwnd_mean" | "cwnd_persistent" => needs_windows(scenario),
        _ => true,
    }
}

fn is_asked(scenario: &Scenario, name: &str) -> bool {
    scenario.metrics.iter().any(|metric| metric == name)
}

/// Mean over these TCP flows of the congestion window averaged over time, in segments.
pub fn cwnd_mean(
    scenario: &Scenario,
    record: &Record,
    wanted: impl Fn(&Flow) -> bool,
) -> Result<f64, Undefined> {
    let flows = scenario.flows.iter().zip(&record.average_cwnds).filter(|(flow, _)| wanted(flow));
    let windows: Vec<f64> = flows.filter_map(|(_, &window)| window).collect();
    if windows.is_empty() {
        Err(Undefined::Nothing("TCP flows that started"))
    } else {
        metrics::mean(&windows)
    }
}

/// Time in seconds from the start of the TCP flow that starts last until the TCP flows share evenly.
pub fn time_to_fairness(scenario: &Scenario, record: &Record) -> Result<f64, Undefined> {
    let start = last_start(scenario, record)?;
    if start < record.warmup {
        return Err(Undefined::Inapplicable("the last TCP flow starts during the warm-up"));
    }
    let columns: Vec<_> = of(record, Quantity::Acked).map(columns).collect();
    let flows: Vec<_> = columns.iter().map(|(time, count)| Cumulative { time, count }).collect();
    let convergence = scenario.measures.convergence;
    let (window, end) = (convergence.window.as_secs(), record.end.as_secs());
    metrics::time_to_fairness(&flows, start.as_secs(), end, window, convergence.index)
}

/// When the first session of the TCP flow that starts last was asked for.
fn last_start(scenario: &Scenario, record: &Record) -> Result<Time, Undefined> {
    let flows = scenario.flows.iter().zip(&record.sessions);
    let tcp = flows.filter(|(flow, _)| matches!(flow.transport, Transport::Tcp { .. }));
    let starts = tcp.map(|(_, sessions)| sessions.first().map_or(Time::NEVER, |session| session.start));
    match starts.max() {
        None => Err(Undefined::Nothing("TCP flows")),
        Some(Time::NEVER) => Err(Undefined::Inapplicable("a TCP flow never starts")),
        Some(start) => Ok(start),
    }
}

fn of(record: &Record, quantity: Quantity) -> impl Iterator<Item = &Series> {
    record.series.iter().filter(move |series| series.quantity == quantity)
}

fn columns(series: &Series) -> (Vec<f64>, Vec<f64>) {
    series.points.iter().map(|&(at, value)| (at.as_secs(), value)).unzip()
}
