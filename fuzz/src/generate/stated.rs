//! Values of declared settings: a setting, a congestion control or a queue discipline that is added is tried without a word here.

use super::pieces::{all, seldom};
use airfair_core::schema::{Kind, Settings, Value};
use airfair_core::{Rate, Span};
use airfair_queue::discipline::DISCIPLINES;
use airfair_tcp::TcpName;
use airfair_tcp::congestion::CONTROLS;
use proptest::prelude::*;
use proptest::sample::select;

/// Numbers that are at or near the ends of most ranges.
const NUMBERS: [f64; 15] =
    [0.0, 1e-9, 0.001, 0.02, 0.1, 0.5, 0.875, 1.0, 1.5, 2.0, 3.0, 5.0, 15.0, 100.0, 1e6];
/// Beyond these some settings take much memory or time.
const COUNTS: [u64; 8] = [0, 1, 2, 3, 5, 15, 100, 1000];

/// The values of this kind that are tried.
pub fn values(kind: Kind) -> Vec<Value> {
    let numbers = |value: fn(f64) -> Value| NUMBERS.map(value).to_vec();
    let tried = match kind {
        Kind::Number(_) | Kind::Fraction | Kind::Segments(_) => numbers(Value::Number),
        Kind::Time(_) => numbers(|seconds| Value::Time(Span::from_secs_f64(seconds))),
        Kind::Bytes(_) => numbers(|bytes| Value::Bytes(bytes as u64)),
        Kind::Count(..) => COUNTS.map(Value::Count).to_vec(),
        Kind::Length(_) => numbers(Value::Length),
        Kind::Level(_) => [0.0, 3.0, 15.0, 40.0].map(Value::Level).to_vec(),
        Kind::Power(_) => [-95.0, -82.0, -62.0, 0.0, 15.0].map(Value::Power).to_vec(),
        Kind::Rate => {
            [1, 10, 20, 55, 110, 540].map(|units| Value::Rate(Rate::from_hundred_kbps(units))).to_vec()
        }
        Kind::Word(words) => words.iter().map(|word| Value::Word(word)).collect(),
        Kind::Flag => vec![Value::Flag(true), Value::Flag(false)],
    };
    tried.into_iter().filter(|value| kind.allows(*value)).collect()
}

/// A value as a scenario file has it.
pub fn written(value: Value) -> String {
    match value {
        Value::Time(span) => format!("\"{} ns\"", span.0),
        Value::Length(metres) => format!("\"{metres} m\""),
        Value::Level(decibels) => format!("\"{decibels} dB\""),
        Value::Power(decibels) => format!("\"{decibels} dBm\""),
        Value::Bytes(_) | Value::Rate(_) | Value::Word(_) => format!("\"{value}\""),
        other => other.to_string(),
    }
}

/// Some of these parameters, each followed by `end`.
fn some(parameters: Vec<(&'static str, Kind)>, end: &'static str) -> BoxedStrategy<String> {
    let lines = parameters.into_iter().map(|(name, kind)| {
        let line = select(values(kind)).prop_map(move |value| format!("{name} = {}{end}", written(value)));
        seldom(3, line.boxed())
    });
    all(lines.collect())
}

/// Some of the settings of `S`, a line each.
pub fn settings<S: Settings>() -> BoxedStrategy<String> {
    settings_but::<S>(&[])
}

/// The same without those that have these keys.
pub fn settings_but<S: Settings>(keys: &[&str]) -> BoxedStrategy<String> {
    let others = S::TABLE.iter().filter(|setting| !keys.contains(&setting.key));
    some(others.map(|setting| (setting.key, setting.kind)).collect(), "\n")
}

/// A queue discipline with some of its parameters set, a line each.
pub fn discipline() -> BoxedStrategy<String> {
    select(DISCIPLINES)
        .prop_flat_map(|discipline| {
            let parameters = discipline.parameters.iter().map(|one| (one.name, one.kind)).collect();
            some(parameters, "\n").prop_map(move |rest| format!("kind = \"{}\"\n{rest}", discipline.name))
        })
        .boxed()
}

/// Some parameters of the control of this TCP, as an inline table.
pub fn control(tcp: TcpName) -> BoxedStrategy<String> {
    let stated = CONTROLS.iter().find(|stated| stated.name() == tcp.control());
    let parameters = stated.map_or(&[][..], |stated| stated.parameters);
    let parameters = parameters.iter().map(|one| (one.name, one.kind)).collect();
    some(parameters, ", ").prop_map(|rest| format!("{{ {} }}", rest.trim_end_matches(", "))).boxed()
}
