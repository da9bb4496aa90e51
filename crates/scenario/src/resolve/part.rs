//! Parameters of a part that is chosen by name (a congestion control, a queue discipline), checked by the part's declaration.

use std::collections::BTreeMap;

use airfair_core::schema::{Described, Refused, Value};

use crate::problem::{Located, Problem, Result, nearest, shortened, unknown};
use crate::resolve::declared::{Layer, blamed, value};
use crate::scope::Scope;
use crate::value::Scalar;

/// Parameters of a part as written, by name.
pub type Table = BTreeMap<String, Scalar>;

/// Evaluates the parameters that the tables give the one of `parts` with this name, the earlier tables over the later; `set` checks them
/// together.
pub fn set<D: Described>(
    tables: &[Layer<Table>],
    parts: &'static [D],
    name: &str,
    scope: &Scope,
    set: impl FnOnce(&[(&str, Value)]) -> std::result::Result<(), Refused>,
) -> Result<()> {
    let Some(part) = parts.iter().find(|part| part.name() == name) else { return Ok(()) };
    let mut values = Vec::new();
    for Layer { given, place } in tables.iter().rev() {
        values.extend(read(given, part, parts, scope).map_err(place)?);
    }
    set(&values).map_err(|refused| blamed(tables, refused, |table, parameter| table.contains_key(parameter)))
}

/// Reads the parameters of `part` in a table. One that is set to no value is left out, even if another of the parts has it: a scenario
/// in which a parameter chooses the part names the parameters of several parts.
fn read<D: Described>(
    table: &Table,
    part: &D,
    parts: &[D],
    scope: &Scope,
) -> Result<Vec<(&'static str, Value)>> {
    let mut values = Vec::new();
    for (key, scalar) in table {
        match part.parameters().iter().find(|parameter| parameter.name == key) {
            Some(parameter) => {
                let value = value(parameter.name, parameter.kind, scalar, scope).at(key)?;
                values.extend(value.map(|value| (parameter.name, value)));
            }
            None if scope.is_unset(scalar) && !owners(key, parts).is_empty() => {}
            None => return Err(no_parameter(key, part, parts).at(key)),
        }
    }
    Ok(values)
}

/// Returns the first parameter of the table that has a value in this scope.
pub fn first_set<'t>(table: &'t Table, scope: &Scope) -> Option<&'t str> {
    table.iter().find(|(_, scalar)| !scope.is_unset(scalar)).map(|(key, _)| key.as_str())
}

/// Returns the problem that `key` is a parameter of a part that nothing names; `naming` is the key that would name it.
pub fn without_name<D: Described>(naming: &str, key: &str, parts: &[D]) -> Problem {
    match owners(key, parts).as_slice() {
        [] => unknown("key", key, [naming]),
        owners => {
            Problem::new(format!("`{naming}` is missing: `{}` is of {}", shortened(key), quoted(owners)))
        }
    }
}

/// Returns the names of the parts that have this parameter.
fn owners<D: Described>(key: &str, parts: &[D]) -> Vec<&'static str> {
    let has = |part: &&D| part.parameters().iter().any(|parameter| parameter.name == key);
    parts.iter().filter(has).map(D::name).collect()
}

fn no_parameter<D: Described>(key: &str, part: &D, parts: &[D]) -> Problem {
    let known: Vec<&str> = part.parameters().iter().map(|parameter| parameter.name).collect();
    let has = match known.as_slice() {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    let hint = match (nearest(key, known), owners(key, parts).as_slice()) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => String::new(),
        (None, owners) => format!("; `{}` is of {}: leave it out here", shortened(key), quoted(owners)),
    };
    Problem::new(format!("`{}` has no parameter `{}`: {has}{hint}", part.name(), shortened(key)))
}

/// Lists names in quotes: `a`, `b` and `c`.
fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
