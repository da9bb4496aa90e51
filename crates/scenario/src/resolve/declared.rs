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

/// Returns the values that tables set, of which the earlier ones override the later ones; an expression that gives `none` sets nothing.
/// `asked` is called with the table's number and the key for each key that a table decides, or leaves to a later one with `none`.
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

/// Returns the defaults of `S` with the settings that a table gives.
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

/// Turns a refusal into a problem at the first table that `sets` the refused parameter, or else at the first table.
pub fn blamed<T>(layers: &[Layer<T>], refused: Refused, sets: impl Fn(&T, &str) -> bool) -> Problem {
    let problem = Problem::new(refused.reason);
    match layers.iter().find(|layer| sets(layer.given, &refused.parameter)).or(layers.first()) {
        Some(layer) => (layer.place)(problem.at(&refused.parameter)),
        None => problem,
    }
}

/// Refuses any of these keys that is set: they belong to `owner` alone.
pub fn alone<S: Settings>(settings: &S, keys: &[&str], owner: impl Display) -> Result<()> {
    match keys.iter().find(|key| settings.get(key) != Some(Value::None)) {
        Some(key) => Err(Problem::new(format!("it belongs to {owner} alone")).at(key)),
        None => Ok(()),
    }
}

fn evaluated(setting: &Setting, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    // Nouns of messages, where they differ from the key.
    let noun = match setting.key {
        "variant" => "TCP",
        "of" if setting.kind == Kind::Word(LossUnit::WORDS) => "unit",
        "of" => "quantity",
        "repeat" => "repetition",
        "packets" => "fate of packets",
        key => key,
    };
    // People know code points by their numbers as well.
    if setting.kind == Kind::Word(Dscp::WORDS)
        && let Some(number) = units::bare(&scalar.to_string())
        && let Some(dscp) = Dscp::ALL.into_iter().find(|dscp| f64::from(dscp.code_point()) == number)
    {
        return Err(Problem::new(format!("{number} stands where a word is needed: `{}`", dscp.word())));
    }
    value(noun, setting.kind, scalar, scope)
}

/// Reads `scalar` as a value of this kind; `noun` is what messages call a word.
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
