//! Declared settings: tables evaluated by the declarations of a component.

use airfair_core::schema::{Kind, Refused, Setting, Value};

use crate::file::Given;
use crate::problem::{Located, Problem, Result};
use crate::scope::{Readable, Scope};
use crate::units::{self, Dimension};
use crate::value::{CountKind, FlagKind, NumberKind, Scalar, SizeKind, TimeKind};

/// A table, and the function that adds its place to a problem.
pub struct Layer<'a> {
    pub given: &'a Given,
    pub place: &'a dyn Fn(Problem) -> Problem,
}

/// The values that tables set, the earlier ones over the later; an expression that gives `none` sets nothing.
pub fn read(layers: &[Layer], scope: &Scope) -> Result<Vec<(&'static str, Value)>> {
    let mut values: Vec<(&'static str, Value)> = Vec::new();
    for layer in layers {
        for (setting, scalar) in layer.given {
            if values.iter().any(|(key, _)| *key == setting.key) {
                continue;
            }
            if let Some(value) = evaluated(setting, scalar, scope).at(setting.key).map_err(layer.place)? {
                values.push((setting.key, value));
            }
        }
    }
    Ok(values)
}

/// A refusal as a problem, at the table that sets the parameter to blame, or else at the last one.
pub fn blamed(layers: &[Layer], refused: Refused) -> Problem {
    let sets = |layer: &&Layer| layer.given.iter().any(|(setting, _)| setting.key == refused.parameter);
    let problem = Problem::new(refused.reason);
    match layers.iter().find(sets).or(layers.first()) {
        Some(layer) => (layer.place)(problem.at(&refused.parameter)),
        None => problem,
    }
}

/// The value of one setting of a table.
pub fn word(given: &Given, key: &str, scope: &Scope) -> Result<Option<&'static str>> {
    let Some((setting, scalar)) = given.iter().find(|(setting, _)| setting.key == key) else {
        return Ok(None);
    };
    match evaluated(setting, scalar, scope).at(setting.key)? {
        Some(Value::Word(word)) => Ok(Some(word)),
        _ => Ok(None),
    }
}

fn evaluated(setting: &Setting, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    // Messages call a TCP by its noun.
    let noun = if setting.key == "variant" { "TCP" } else { setting.key };
    value(noun, setting.kind, scalar, scope)
}

/// `scalar` as a value of this kind; `noun` names a word in messages.
pub fn value(noun: &str, kind: Kind, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    let value = match kind {
        Kind::Number(_) | Kind::Segments(_) => NumberKind::read(scope, scalar)?.map(Value::Number),
        Kind::Count(..) => CountKind::read(scope, scalar)?.map(Value::Count),
        Kind::Time(_) => TimeKind::read(scope, scalar)?.map(Value::Time),
        Kind::Bytes(_) => SizeKind::read(scope, scalar)?.map(Value::Bytes),
        Kind::Word(words) => scope.one_of(scalar, noun, words)?.map(Value::Word),
        Kind::Flag => FlagKind::read(scope, scalar)?.map(Value::Flag),
    };
    match value {
        Some(value) if !kind.allows(value) => {
            let allowed = kind.allowed();
            Err(Problem::new(format!("{} is out of range: {allowed} is needed", shown(value))))
        }
        value => Ok(value),
    }
}

fn shown(value: Value) -> String {
    match value {
        Value::Time(span) => units::display(span.as_secs(), Dimension::Time),
        other => other.to_string(),
    }
}
