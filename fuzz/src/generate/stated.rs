//! Values of what parts state about themselves: a new congestion control or queue discipline is tried without a word here.

use super::pieces::{all, seldom};
use airfair_core::Span;
use airfair_core::parameter::{Kind, Value};
use airfair_queue::discipline::DISCIPLINES;
use airfair_tcp::TcpName;
use airfair_tcp::congestion::CONTROLS;
use proptest::prelude::*;
use proptest::sample::select;

/// Numbers that are at or near the ends of most ranges.
const NUMBERS: [f64; 15] =
    [0.0, 1e-9, 0.001, 0.02, 0.1, 0.5, 0.875, 1.0, 1.5, 2.0, 3.0, 5.0, 15.0, 100.0, 1e6];

/// Every value of this kind among those tried, as text.
fn values(kind: Kind) -> Vec<String> {
    let numbers = |value: fn(f64) -> Value| {
        NUMBERS.into_iter().filter(move |number| kind.allows(value(*number))).collect::<Vec<_>>()
    };
    match kind {
        Kind::Number(_) | Kind::Segments(_) => {
            numbers(Value::Number).iter().map(|number| number.to_string()).collect()
        }
        Kind::Time(_) => numbers(|secs| Value::Time(Span::from_secs_f64(secs)))
            .iter()
            .map(|secs| format!("\"{secs} s\""))
            .collect(),
        Kind::Bytes(_) => numbers(|bytes| Value::Bytes(bytes as u64))
            .iter()
            .map(|bytes| format!("\"{} B\"", bytes.trunc()))
            .collect(),
        Kind::Word(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        Kind::Flag => vec!["true".to_owned(), "false".to_owned()],
    }
}

/// Some of these parameters, each followed by `end`.
fn some(parameters: Vec<(&'static str, Kind)>, end: &'static str) -> BoxedStrategy<String> {
    let lines = parameters.into_iter().map(|(name, kind)| {
        let line = select(values(kind)).prop_map(move |value| format!("{name} = {value}{end}"));
        seldom(3, line.boxed())
    });
    all(lines.collect())
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

/// A TCP by its name, with some of its control's parameters set.
pub fn variant() -> BoxedStrategy<String> {
    let names: Vec<_> = airfair_tcp::profile::names().collect();
    select(names)
        .prop_flat_map(|name| {
            let control = TcpName::from_name(name).map(TcpName::control);
            let stated = CONTROLS.iter().find(|stated| Some(stated.name()) == control);
            let parameters = stated.map_or(&[][..], |stated| stated.parameters);
            let parameters = parameters.iter().map(|one| (one.name, one.kind)).collect();
            some(parameters, ", ").prop_map(move |rest| {
                let rest = rest.trim_end_matches(", ");
                format!("variant = \"{name}\"\ncontrol = {{ {rest} }}\n")
            })
        })
        .boxed()
}
