//! Parameters of a part that is chosen by name (a congestion control, a queue discipline), by the part's declaration.

use std::collections::BTreeMap;

use airfair_core::schema::{Described, Refused, Value};

use crate::problem::{Located, Problem, Result, nearest, shortened, unknown};
use crate::resolve::declared::{Layer, blamed, value};
use crate::scope::Scope;
use crate::value::Scalar;

/// Parameters as written, by name.
pub type Table = BTreeMap<String, Scalar>;

/// Sets the parameters of the tables, the earlier ones over the later, of the one of `parts` with this name: `set` checks them together.
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

/// A parameter that is set to no value is left out, whether or not this part has it: a scenario whose part is a parameter names
/// the parameters of several parts.
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

/// The first of these parameters that has a value here.
pub fn first_set<'t>(table: &'t Table, scope: &Scope) -> Option<&'t str> {
    table.iter().find(|(_, scalar)| !scope.is_unset(scalar)).map(|(key, _)| key.as_str())
}

/// That nothing names the part which has this parameter: `naming` is the key to do so.
pub fn without_name<D: Described>(naming: &str, key: &str, parts: &[D]) -> Problem {
    match owners(key, parts).as_slice() {
        [] => unknown("key", key, [naming]),
        owners => {
            Problem::new(format!("`{naming}` is missing: `{}` is of {}", shortened(key), quoted(owners)))
        }
    }
}

/// The names of the parts that have this parameter.
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

/// `a`, `b` and `c`, in quotes.
fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
