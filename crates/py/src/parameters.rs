//! Parameters as Python has them.

use airfair_scenario::{Override, Parameter};
use serde_json::{Map, json};

/// Returns the parameters as JSON: `{name: {"value": ..., "unit": ...}}`, in this order and in SI units.
pub fn by_name(parameters: &[Parameter]) -> String {
    let by_name: Map<_, _> = parameters
        .iter()
        .map(|parameter| (parameter.name.clone(), json!({"value": parameter.value, "unit": parameter.unit})))
        .collect();
    serde_json::Value::Object(by_name).to_string()
}

/// Returns overrides from pairs of name and text.
pub fn named(overrides: Vec<(String, String)>) -> Vec<Override> {
    overrides.into_iter().map(|(name, value)| Override { name, value }).collect()
}
