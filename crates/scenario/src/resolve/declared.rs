//! Declared settings: tables evaluated by the declarations of a component.

use std::fmt::Display;

use airfair_core::LossUnit;
use airfair_core::schema::{Kind, Refused, Setting, Settings, Value};
use airfair_wifi::phy::edca::Dscp;

use crate::file::Given;
use crate::problem::{Located, Problem, Result};
use crate::scope::{Readable, Scope};
use crate::units::{self, Dimension};
use crate::value::{
    CountKind, FlagKind, FractionKind, LengthKind, LevelKind, NumberKind, PowerKind, RateKind, Scalar,
    SizeKind, TimeKind,
};

/// A table, and the function that adds its place to a problem.
pub struct Layer<'a, T = Given> {
    pub given: &'a T,
    pub place: &'a dyn Fn(Problem) -> Problem,
}

/// The values that tables set, the earlier ones over the later; an expression that gives `none` sets nothing. `asked` hears of each key
/// that a table is asked for, with the table's number.
pub fn read(
    layers: &[Layer],
    scope: &Scope,
    mut asked: impl FnMut(usize, &'static str),
) -> Result<Vec<(&'static str, Value)>> {
    let mut values: Vec<(&'static str, Value)> = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        for (setting, scalar) in layer.given {
            if values.iter().any(|(key, _)| *key == setting.key) {
                continue;
            }
            asked(number, setting.key);
            if let Some(value) = evaluated(setting, scalar, scope).at(setting.key).map_err(layer.place)? {
                values.push((setting.key, value));
            }
        }
    }
    Ok(values)
}

/// The settings that a table gives over the defaults of `S`.
pub fn settings<S: Settings>(given: &Given, scope: &Scope) -> Result<S> {
    let mut settings = S::column(0);
    for (setting, scalar) in
        given.iter().filter(|(setting, _)| S::TABLE.iter().any(|row| row.key == setting.key))
    {
        if let Some(value) = evaluated(setting, scalar, scope).at(setting.key)? {
            settings.put(setting.key, value);
        }
    }
    Ok(settings)
}

/// A refusal as a problem, at the first table that `sets` the parameter to blame, or else at the first one.
pub fn blamed<T>(layers: &[Layer<T>], refused: Refused, sets: impl Fn(&T, &str) -> bool) -> Problem {
    let problem = Problem::new(refused.reason);
    match layers.iter().find(|layer| sets(layer.given, &refused.parameter)).or(layers.first()) {
        Some(layer) => (layer.place)(problem.at(&refused.parameter)),
        None => problem,
    }
}

/// An error where one of these keys is set, which belong to `owner` alone.
pub fn alone<S: Settings>(settings: &S, keys: &[&str], owner: impl Display) -> Result<()> {
    match keys.iter().find(|key| settings.get(key) != Some(Value::None)) {
        Some(key) => Err(Problem::new(format!("it belongs to {owner} alone")).at(key)),
        None => Ok(()),
    }
}

fn evaluated(setting: &Setting, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    // Nouns for messages, where the key is none.
    let noun = match setting.key {
        "variant" => "TCP",
        "of" if setting.kind == Kind::Word(LossUnit::WORDS) => "unit",
        "of" => "quantity",
        "repeat" => "repetition",
        "packets" => "fate of packets",
        key => key,
    };
    // People know code points by number as well.
    if setting.kind == Kind::Word(Dscp::WORDS)
        && let Some(number) = units::bare(&scalar.to_string())
        && let Some(dscp) = Dscp::ALL.into_iter().find(|dscp| f64::from(dscp.code_point()) == number)
    {
        return Err(Problem::new(format!("{number} stands where a word is needed: `{}`", dscp.word())));
    }
    value(noun, setting.kind, scalar, scope)
}

/// `scalar` as a value of this kind; `noun` names a word in messages.
pub fn value(noun: &str, kind: Kind, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    let value = match kind {
        Kind::Number(_) | Kind::Segments(_) => NumberKind::read(scope, scalar)?.map(Value::Number),
        Kind::Fraction => FractionKind::read(scope, scalar)?.map(Value::Number),
        Kind::Count(..) => CountKind::read(scope, scalar)?.map(Value::Count),
        Kind::Time(_) => TimeKind::read(scope, scalar)?.map(Value::Time),
        Kind::Bytes(_) => SizeKind::read(scope, scalar)?.map(Value::Bytes),
        Kind::Length(_) => LengthKind::read(scope, scalar)?.map(Value::Length),
        Kind::Level(_) => LevelKind::read(scope, scalar)?.map(Value::Level),
        Kind::Power(_) => PowerKind::read(scope, scalar)?.map(Value::Power),
        Kind::Rate => RateKind::read(scope, scalar)?.map(Value::Rate),
        Kind::Word(words) => scope.one_of(scalar, noun, words.iter().copied())?.map(Value::Word),
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
