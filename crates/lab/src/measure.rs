//! Turns a run's record into its outcome.

use crate::devices::devices;
use crate::metric::{Metric, Run, metrics, of_further_networks, quantiles};
use crate::outcome::{Outcome, SeriesRecord};
use crate::records::{air_records, flow_records, link_records, session_records, station_records};
use airfair_scenario::resolved::Scenario;
use airfair_sim::{Quantity, Record};

/// Returns the values of these metrics alone; `None` for those that have none.
pub fn values(scenario: &Scenario, record: &Record, metrics: &[&Metric]) -> Vec<Option<f64>> {
    let run = seen(scenario, record);
    metrics.iter().map(|metric| metric.of_run(&run).value).collect()
}

/// Returns a run as metrics see it.
fn seen<'a>(scenario: &'a Scenario, record: &'a Record) -> Run<'a> {
    let window = (record.end - record.warmup).as_secs();
    Run {
        scenario,
        record,
        window,
        flows: flow_records(scenario, record, window),
        links: link_records(scenario, record, window),
        stations: station_records(scenario, record, window),
        sessions: session_records(scenario, record),
    }
}

/// Returns the outcome of a run of `scenario` that was asked for these metrics and series.
///
/// The outcome has every metric that the run recorded, so that a metric that is asked for later needs no new run.
pub fn measure(
    scenario: &Scenario,
    seed: u64,
    record: &Record,
    asked: &[&Metric],
    traces: &[Quantity],
) -> Outcome {
    let run = seen(scenario, record);
    let recorded = |metric: &&Metric| {
        metric.recording().is_none() || asked.iter().any(|asked| asked.recording() == metric.recording())
    };
    let kept = metrics()
        .chain(quantiles().filter(|quantile| !quantile.follows_from_sessions()))
        .chain(of_further_networks().filter(|metric| metric.is_of_network_in(scenario)));
    let others = kept.filter(|metric| asked.iter().all(|asked| asked.name != metric.name));
    let more_metrics = others.filter(recorded).map(|metric| metric.of_run(&run)).collect();
    let metrics = asked.iter().map(|metric| metric.of_run(&run)).collect();
    let series = record
        .series
        .iter()
        .filter(|series| traces.contains(&series.quantity))
        .map(|series| SeriesRecord {
            quantity: series.quantity.word().to_owned(),
            unit: series.quantity.unit().to_owned(),
            subject: series.subject.clone(),
            time: series.points.iter().map(|(at, _)| at.as_secs()).collect(),
            value: series.points.iter().map(|&(_, value)| value).collect(),
        })
        .collect();
    let devices = devices(&run);
    let Run { flows, links, stations, sessions, .. } = run;
    let air = if traces.contains(&Quantity::Air) { air_records(scenario, record) } else { Vec::new() };
    Outcome { seed, metrics, more_metrics, flows, links, stations, sessions, series, air, devices }
}
