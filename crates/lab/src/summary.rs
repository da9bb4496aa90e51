//! The document that `airfair run --json` prints: metrics over seeds, and the counts of flows, links and stations.

use crate::ENGINE_VERSION;
use crate::experiment::Experiment;
use crate::grade::{Rule, WORST};
use crate::outcome::{DeviceRecord, Outcome};
use crate::share::ALONE_SEEDS;
use airfair_core::Rate;
use airfair_metrics as metrics;
use airfair_scenario::resolved::FairShare;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Version of the document's shape, raised when that changes.
const SCHEMA_VERSION: u32 = 1;

/// Returns the `run` document over the outcomes of one experiment, in the order of their seeds.
pub fn summary(experiment: &Experiment, outcomes: &[Outcome]) -> Value {
    let parameters: Map<_, _> = experiment
        .loaded
        .parameters
        .iter()
        .map(|parameter| (parameter.name.clone(), json!({"value": parameter.value, "unit": parameter.unit})))
        .collect();
    let sessions = outcomes.iter().flat_map(|outcome| &outcome.sessions);
    let unfinished = sessions.clone().filter(|session| session.acked.is_none()).count();
    let mut document = json!({
        "schema_version": SCHEMA_VERSION,
        "engine_version": ENGINE_VERSION,
        "scenario": experiment.loaded.scenario.name,
        "warnings": experiment.warnings(),
        "parameters": parameters,
        "seeds": outcomes.iter().map(|outcome| outcome.seed).collect::<Vec<_>>(),
        "metrics": metrics_over_seeds(outcomes),
        "flows": means(outcomes, |outcome| &outcome.flows),
        "links": means(outcomes, |outcome| &outcome.links),
        "stations": means(outcomes, |outcome| &outcome.stations),
        "sessions": {"count": sessions.count(), "unfinished": unfinished},
        "devices": devices(outcomes),
    });
    if let (true, FairShare::Split { down, up, users }) =
        (experiment.shares_measured, experiment.loaded.scenario.fair_share)
    {
        document["fair_share"] = json!({
            "users": users,
            "download": down.map(Rate::bits_per_second),
            "upload": up.map(Rate::bits_per_second),
            "unit": "bit/s",
            "seeds": ALONE_SEEDS.collect::<Vec<_>>(),
        });
    }
    document
}

/// Returns each device with its grade: that of the mean over the seeds, or F if the device fails with one of them.
fn devices(outcomes: &[Outcome]) -> Vec<Value> {
    let first = outcomes.first().map_or(&[][..], |outcome| &outcome.devices);
    let device = |(index, device): (usize, &DeviceRecord)| {
        let of_seeds = outcomes.iter().filter_map(|outcome| outcome.devices.get(index));
        let values: Vec<f64> = of_seeds.clone().filter_map(|device| device.value).collect();
        let failed = of_seeds.clone().find(|device| device.fails);
        let value = metrics::mean(&values).ok().filter(|_| failed.is_none());
        let rule = Rule::of(&device.application);
        let mut entry = json!({
            "device": device.name,
            "application": device.application,
            "measure": rule.map(|rule| rule.measure),
            "value": value,
            "unit": rule.map(|rule| rule.unit),
            "larger_is_better": rule.map(|rule| rule.larger_is_better),
            "grade": failed.map(|_| WORST).or(rule.zip(value).map(|(rule, value)| rule.grade(value))),
        });
        if value.is_none() {
            let reason = |device: &DeviceRecord| device.reason.clone();
            entry["reason"] = json!(failed.and_then(reason).or_else(|| of_seeds.clone().find_map(reason)));
        }
        entry
    };
    first.iter().enumerate().map(device).collect()
}

fn metrics_over_seeds(outcomes: &[Outcome]) -> Map<String, Value> {
    let Some(first) = outcomes.first() else { return Map::new() };
    first
        .metrics
        .iter()
        .enumerate()
        .map(|(index, metric)| {
            let of_seeds = outcomes.iter().map(|outcome| &outcome.metrics[index]);
            let values: Vec<f64> = of_seeds.clone().filter_map(|metric| metric.value).collect();
            let info = crate::metric::metric(&metric.name);
            let unit = info.map_or("1", |info| info.unit);
            let mut entry = match metrics::estimate(&values) {
                Ok(estimate) => json!({
                    "value": estimate.mean,
                    "unit": unit,
                    "ci95": estimate.ci95.map(|(low, high)| [low, high]),
                    "n": estimate.n,
                }),
                Err(undefined) => {
                    let reason = of_seeds.filter_map(|metric| metric.reason.clone()).next();
                    let reason = reason.unwrap_or_else(|| undefined.to_string());
                    json!({"value": null, "unit": unit, "ci95": null, "n": 0, "reason": reason})
                }
            };
            if let Some(stage) = info.and_then(|info| info.counts_once()) {
                entry["sessions"] =
                    json!(outcomes.iter().map(|outcome| outcome.sessions.len()).sum::<usize>());
                let left_out: usize = outcomes.iter().map(|outcome| outcome.sessions_without(stage)).sum();
                entry["left_out"] = json!(left_out);
            }
            (metric.name.clone(), entry)
        })
        .collect()
}

/// Returns a record for each flow, link or station. Numbers are means over the seeds that have them; everything else is as
/// in the first outcome.
fn means<T: Serialize>(outcomes: &[Outcome], of: impl Fn(&Outcome) -> &Vec<T>) -> Vec<Value> {
    let seeds: Vec<Vec<Value>> =
        outcomes.iter().map(|outcome| of(outcome).iter().map(|record| json!(record)).collect()).collect();
    let Some(first) = seeds.first() else { return Vec::new() };
    (0..first.len())
        .map(|index| {
            let records: Vec<&Value> = seeds.iter().map(|records| &records[index]).collect();
            let fields = records[0].as_object().into_iter().flatten();
            fields.map(|(name, value)| (name.clone(), mean_of(&records, name, value))).collect()
        })
        .collect()
}

fn mean_of(records: &[&Value], name: &str, first: &Value) -> Value {
    // The mean is over the runs that have a value: a round-trip time, for instance, may not have been measured in all of them.
    let values: Vec<f64> = records.iter().filter_map(|record| record[name].as_f64()).collect();
    metrics::mean(&values).map_or_else(|_| first.clone(), |mean| json!(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_the_runs_that_have_a_value_whichever_is_first() {
        let records = [json!({"rtt": null, "name": "up"}), json!({"rtt": 3.0}), json!({"rtt": 5.0})];
        let of = |order: [usize; 3], name| {
            let records = order.map(|index| &records[index]);
            mean_of(&records, name, &records[0][name])
        };
        assert_eq!(of([0, 1, 2], "rtt"), json!(4.0));
        assert_eq!(of([1, 0, 2], "rtt"), json!(4.0));
        assert_eq!(of([0, 1, 2], "name"), json!("up"));
        assert_eq!(mean_of(&[&records[0]], "rtt", &records[0]["rtt"]), Value::Null);
    }
}
