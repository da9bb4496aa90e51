//! Results as people read them. Numbers for machines are in the document beside.

use airfair_lab::readable::{interval, quantity};
use airfair_metrics::{Estimate, paired_difference};
use serde_json::{Map, Value, json};

use crate::request::Pairs;

const DIGITS: usize = 4;

/// Each metric of a `run` document: its value and its interval.
pub fn of_metrics(document: &Value) -> Value {
    let metrics = document["metrics"].as_object().into_iter().flatten();
    metrics.map(|(name, metric)| (name.clone(), of_metric(metric))).collect::<Map<_, _>>().into()
}

fn of_metric(metric: &Value) -> Value {
    let unit = metric["unit"].as_str().unwrap_or("");
    let Some(value) = metric["value"].as_f64() else { return json!({ "value": "none", "interval": null }) };
    let ends = [&metric["ci95"][0], &metric["ci95"][1]].map(Value::as_f64);
    let between = match ends {
        [Some(low), Some(high)] => Some(interval(low, high, value, unit, DIGITS)),
        _ => None,
    };
    json!({ "value": quantity(value, unit, DIGITS), "interval": between })
}

/// The measure of each device of a `run` document.
pub fn of_devices(document: &Value) -> Vec<Value> {
    let devices = document["devices"].as_array().into_iter().flatten();
    let words = |device: &Value| {
        let unit = device["unit"].as_str().unwrap_or("");
        json!(device["value"].as_f64().map(|value| quantity(value, unit, 3)))
    };
    devices.map(words).collect()
}

/// The second values less the first: the mean, its interval, and whether the interval leaves out zero.
pub fn difference(pairs: &Pairs) -> Value {
    let Ok(Estimate { mean, ci95, .. }) = paired_difference(&pairs.b, &pairs.a) else { return Value::Null };
    let signed = |value: f64, words: String| if value > 0.0 { format!("+{words}") } else { words };
    json!({
        "value": signed(mean, quantity(mean, &pairs.unit, 3)),
        "interval": ci95.map(|(low, high)| interval(low, high, mean, &pairs.unit, 3)),
        "certain": ci95.is_some_and(|(low, high)| low > 0.0 || high < 0.0),
    })
}
