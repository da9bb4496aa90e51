//! Results as people read them. The document has the numbers for machines.

use airfair_lab::metric;
use airfair_lab::readable::{interval, left_out, quantity};
use airfair_metrics::{Estimate, paired_difference};
use serde_json::{Map, Value, json};

use crate::request::Pairs;

const DIGITS: usize = 4;

/// Describes each metric of a `run` document: its value, its interval, whose ends are given as numbers as well, and the sessions
/// that it leaves out. The interval is cut where the metric's range ends, as the command shows it.
pub fn of_metrics(document: &Value) -> Value {
    let metrics = document["metrics"].as_object().into_iter().flatten();
    metrics.map(|(name, metric)| (name.clone(), of_metric(name, metric))).collect::<Map<_, _>>().into()
}

fn of_metric(name: &str, found: &Value) -> Value {
    let unit = found["unit"].as_str().unwrap_or("");
    let Some(value) = found["value"].as_f64() else {
        return json!({ "value": "none", "interval": null, "ends": null, "left_out": "" });
    };
    let whole = found["ci95"][0].as_f64().zip(found["ci95"][1].as_f64());
    let ends = whole.map(|ends| metric(name).map_or(ends, |metric| metric.range.cut(ends, value)));
    let between = ends.map(|(low, high)| interval(low, high, value, unit, DIGITS));
    let counts = found["left_out"].as_u64().zip(found["sessions"].as_u64());
    let unfinished = counts.map_or_else(String::new, |(left, sessions)| left_out(left, sessions));
    json!({ "value": quantity(value, unit, DIGITS), "interval": between, "ends": ends, "left_out": unfinished })
}

/// Describes the measure of each device of a `run` document.
pub fn of_devices(document: &Value) -> Vec<Value> {
    let devices = document["devices"].as_array().into_iter().flatten();
    let words = |device: &Value| {
        let unit = device["unit"].as_str().unwrap_or("");
        json!(device["value"].as_f64().map(|value| quantity(value, unit, 3)))
    };
    devices.map(words).collect()
}

/// Describes the second values less the first ones: the mean, its interval, and whether the interval excludes zero.
pub fn difference(pairs: &Pairs) -> Value {
    let Ok(Estimate { mean, ci95, .. }) = paired_difference(&pairs.b, &pairs.a) else { return Value::Null };
    let signed = |value: f64, words: String| if value > 0.0 { format!("+{words}") } else { words };
    json!({
        "value": signed(mean, quantity(mean, &pairs.unit, 3)),
        "interval": ci95.map(|(low, high)| interval(low, high, mean, &pairs.unit, 3)),
        "certain": ci95.is_some_and(|(low, high)| low > 0.0 || high < 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_told_with_intervals_in_their_range_and_sessions_left_out() {
        let found = |unit: &str, low: f64, high: f64| json!({"value": 5e6, "unit": unit, "ci95": [low, high], "n": 5});
        let document = json!({ "metrics": {
            "throughput_total": found("bit/s", -2.38e6, 12.38e6),
            "no_metric": found("bit/s", -2.38e6, 12.38e6),
            "ap_queue_mean": json!({"value": null, "unit": "packet", "ci95": null, "n": 0}),
            "jain_persistent": json!({"value": 0.5, "unit": "1", "ci95": null, "n": 1}),
            "finish_time_acked_mean": json!({"value": 1, "unit": "s", "ci95": null, "n": 1, "sessions": 9, "left_out": 2}),
        }});
        let words = of_metrics(&document);
        assert_eq!(words["throughput_total"]["interval"], "0 to 12.38");
        assert_eq!(words["throughput_total"]["ends"], json!([0.0, 12.38e6]));
        assert_eq!(words["no_metric"]["interval"], "-2.38 to 12.38");
        assert_eq!(words["ap_queue_mean"]["value"], "none");
        assert_eq!(words["finish_time_acked_mean"]["left_out"], "2 of 9 sessions unfinished: left out");
        assert_eq!(words["jain_persistent"]["left_out"], "");
        assert_eq!(
            (&words["jain_persistent"]["value"], &words["jain_persistent"]["ends"]),
            (&json!("0.5"), &Value::Null)
        );
    }

    #[test]
    fn differences_may_be_negative() {
        let pairs = Pairs { unit: "bit/s".to_owned(), a: vec![5e6, 6e6, 9e6], b: vec![1e6, 3e6, 9e6] };
        assert!(difference(&pairs)["interval"].as_str().unwrap().starts_with('-'));
    }
}
