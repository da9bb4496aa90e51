//! The stops of sliders.

use airfair_lab::readable::{number, quantity};
use airfair_scenario::{ParameterDescription, ParameterValue};

/// How far the slider of a parameter without a declared range goes from the default, as a factor.
const REACH: f64 = 10.0;
/// Most whole numbers that are stops one by one.
const ONE_BY_ONE: f64 = 64.0;
/// Number of digits that show a stop exactly.
const EXACT: usize = 12;

/// Returns values for a slider, as text for the engine: whole numbers one by one if they are few, otherwise round numbers in
/// about equal ratios. Returns none for words, flags, and numbers without a hint of their size.
pub fn stops(parameter: &ParameterDescription) -> Vec<String> {
    let value = |value: &Option<ParameterValue>| match value {
        Some(ParameterValue::Number(number)) => Some(*number),
        _ => None,
    };
    let unit = parameter.unit.as_deref().unwrap_or("number");
    let default = value(&parameter.default);
    let most = if unit == "fraction" { Some(1.0) } else { None };
    let (low, high) = (value(&parameter.min), value(&parameter.max).or(most));
    if parameter.choices.is_some() || parameter.unit.is_none() || (default.is_none() && high.is_none()) {
        return Vec::new();
    }
    let whole = parameter.multiple_of.is_some() || matches!(unit, "count" | "packet" | "byte");
    let around = default.filter(|&default| default > 0.0).or(high).unwrap_or(1.0);
    let top = high.unwrap_or(REACH * around);
    let bottom = low.filter(|&low| low > 0.0).unwrap_or(around.min(top) / REACH);
    let step = value(&parameter.multiple_of).unwrap_or(1.0);
    let mut values = if whole && (top - low.unwrap_or(0.0)) / step <= ONE_BY_ONE {
        let first = (low.unwrap_or(0.0) / step).ceil();
        let count = ((top / step).floor() - first).max(0.0) as usize;
        (0..=count).map(|place| (first + place as f64) * step).collect()
    } else {
        round_numbers(bottom, top)
    };
    if whole {
        values.iter_mut().for_each(|value| *value = (*value / step).round() * step);
        values.retain(|value| (low.unwrap_or(0.0)..=top).contains(value));
    }
    // Zero often means "none", and it has no ratio to other values.
    let zero = (low.is_none_or(|low| low == 0.0) && (default == Some(0.0) || unit == "count")).then_some(0.0);
    let ends = low.into_iter().chain(high);
    values.extend(default.into_iter().chain(zero).chain(ends.filter(|end| (bottom..=top).contains(end))));
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.into_iter().map(|value| text(value, unit)).collect()
}

/// Returns the default of a parameter as the engine reads it; empty if there is none.
pub fn usual(parameter: &ParameterDescription) -> String {
    match &parameter.default {
        None | Some(ParameterValue::Unset) => String::new(),
        Some(ParameterValue::Flag(flag)) => flag.to_string(),
        Some(ParameterValue::Text(word)) => word.clone(),
        Some(ParameterValue::Number(number)) => text(*number, parameter.unit.as_deref().unwrap_or("number")),
    }
}

/// Writes a value as the engine reads it.
fn text(value: f64, unit: &str) -> String {
    match unit {
        "count" | "packet" | "segment" | "number" | "fraction" => number(value, EXACT),
        _ => quantity(value, unit, EXACT),
    }
}

/// Returns 1, 1.5, 2, 3, 5 and 7 times the powers of ten from `low` to `high`.
fn round_numbers(low: f64, high: f64) -> Vec<f64> {
    const FACTORS: [(f64, f64); 6] = [(1.0, 1.0), (3.0, 2.0), (2.0, 1.0), (3.0, 1.0), (5.0, 1.0), (7.0, 1.0)];
    let ten = |power: i32| (0..power.unsigned_abs()).fold(1.0, |product, _| product * 10.0);
    let mut values = Vec::new();
    for power in -9..13 {
        for (factor, half) in FACTORS {
            let value = if power < 0 { factor / half / ten(power) } else { factor / half * ten(power) };
            if value >= low && value <= high {
                values.push(value);
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_scenario::{Override, Template};

    /// The engine accepts every stop of every parameter of every packaged scenario, and one of the stops is the default.
    #[test]
    fn stops_are_values_that_the_engine_takes() {
        let (mut sliders, mut faults) = (0, Vec::new());
        for scenario in airfair_scenario::packaged() {
            let description = airfair_scenario::describe(&scenario.name).unwrap();
            let file = airfair_scenario::text_of(&scenario.name).unwrap();
            let template = Template::new(&scenario.name, &file).unwrap();
            for parameter in &description.parameters {
                let stops = stops(parameter);
                for stop in &stops {
                    let set = [Override { name: parameter.name.clone(), value: stop.clone() }];
                    let taken = template.parameters(&set);
                    faults.extend(
                        taken.err().map(|error| format!("{} {}: {error}", scenario.name, parameter.name)),
                    );
                }
                if let (Some(ParameterValue::Number(default)), false) = (&parameter.default, stops.is_empty())
                {
                    let unit = parameter.unit.as_deref().unwrap_or("");
                    assert!(stops.contains(&text(*default, unit)), "{}: {stops:?}", parameter.name);
                }
                sliders += usize::from(!stops.is_empty());
            }
        }
        assert_eq!(faults, [""; 0]);
        assert!(sliders > 100, "{sliders}");
    }
}
