//! The parameters of a flow's congestion control, as the control states them.

use airfair_tcp::congestion::{CONTROLS, Control, Kind, Parameter, Value};

use crate::file;
use crate::problem::{Located, Problem, Result, nearest, shortened};
use crate::scope::{Readable, Scope};
use crate::units::{self, Dimension};
use crate::value::{NumberKind, Scalar, SizeKind, TimeKind};

/// A table of parameters, and what adds to a problem where the table stands.
pub type Table<'a> = (&'a file::Control, &'a dyn Fn(Problem) -> Problem);

/// Sets what the tables give, the later ones over the earlier.
pub fn resolve(tables: &[Table], control: &mut Control, scope: &Scope) -> Result<()> {
    let mut values = Vec::new();
    for (table, place) in tables {
        values.extend(read(table, control, scope).map_err(place)?);
    }
    control.set(&values).map_err(|refused| {
        // Allowed each by itself, and not together: told where the one to blame was set, or else the last of them.
        let problem = Problem::new(refused.reason);
        let sets = tables.iter().rev().find(|(table, _)| table.0.contains_key(&refused.parameter));
        match sets.or(tables.last()) {
            Some((_, place)) => place(problem.at(&refused.parameter)),
            None => problem,
        }
    })
}

/// What is set to no value is left out, whether or not this control has it: a scenario whose control is a parameter names
/// what several of them have.
fn read(table: &file::Control, control: &Control, scope: &Scope) -> Result<Vec<(&'static str, Value)>> {
    let mut values = Vec::new();
    for (key, scalar) in &table.0 {
        let parameter = control.parameters().iter().find(|parameter| parameter.name == key);
        match parameter {
            Some(parameter) => {
                if let Some(value) = value(parameter, scalar, scope).at(key)? {
                    values.push((parameter.name, value));
                }
            }
            None if scope.is_unset(scalar) && !owners(key).is_empty() => {}
            None => return Err(no_parameter(key, control).at(key)),
        }
    }
    Ok(values)
}

fn value(parameter: &Parameter, scalar: &Scalar, scope: &Scope) -> Result<Option<Value>> {
    let value = match parameter.kind {
        Kind::Number(_) | Kind::Segments(_) => NumberKind::read(scope, scalar)?.map(Value::Number),
        Kind::Time(_) => TimeKind::read(scope, scalar)?.map(Value::Time),
        Kind::Bytes(_) => SizeKind::read(scope, scalar)?.map(Value::Bytes),
        Kind::Word(words) => scope.one_of(scalar, parameter.name, words)?.map(Value::Word),
    };
    match value {
        Some(value) if !parameter.kind.allows(value) => {
            let allowed = parameter.kind.allowed();
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

/// The names of the controls that have this parameter.
fn owners(key: &str) -> Vec<&'static str> {
    let has = |control: &&airfair_tcp::congestion::Description| control.parameter(key).is_some();
    CONTROLS.iter().filter(has).map(|control| control.name()).collect()
}

fn no_parameter(key: &str, control: &Control) -> Problem {
    let known = || control.parameters().iter().map(|parameter| parameter.name);
    let has = match known().collect::<Vec<_>>().as_slice() {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    let hint = match (nearest(key, known()), owners(key).as_slice()) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => String::new(),
        (None, owners) => format!("; `{}` is of {}: leave it out here", shortened(key), quoted(owners)),
    };
    Problem::new(format!("`{}` has no parameter `{}`: {has}{hint}", control.name(), shortened(key)))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" and ")
}
