//! Parameters of a part that is chosen by name (a congestion control, a queue discipline), by the part's declaration.

use std::collections::BTreeMap;

use airfair_core::schema::{Kind, Refused, Value};

use crate::problem::{Located, Problem, Result, nearest, shortened};
use crate::resolve::declared::value;
use crate::scope::Scope;
use crate::value::Scalar;

/// A part with parameters of its own.
pub trait Part {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Its parameters, in its order.
    fn parameters(&self) -> Vec<(&'static str, Kind)>;
    /// Sets parameters, checked one by one and then together.
    fn set(&mut self, values: &[(&str, Value)]) -> std::result::Result<(), Refused>;
    /// The names of the parts of its sort that have this parameter.
    fn owners(parameter: &str) -> Vec<&'static str>;
}

/// Parameters as written, and the function that adds the place of their table to a problem.
pub type Table<'a> = (&'a BTreeMap<String, Scalar>, &'a dyn Fn(Problem) -> Problem);

/// Sets the parameters of the tables, the later ones over the earlier.
pub fn set<P: Part>(tables: &[Table], part: &mut P, scope: &Scope) -> Result<()> {
    let mut values = Vec::new();
    for (table, place) in tables {
        values.extend(read(table, part, scope).map_err(place)?);
    }
    part.set(&values).map_err(|refused| {
        // Allowed each by itself, and not together: told where the one to blame was set, or else the last of them.
        let problem = Problem::new(refused.reason);
        let sets = tables.iter().rev().find(|(table, _)| table.contains_key(&refused.parameter));
        match sets.or(tables.last()) {
            Some((_, place)) => place(problem.at(&refused.parameter)),
            None => problem,
        }
    })
}

/// A parameter that is set to no value is left out, whether or not this part has it: a scenario whose part is a parameter names
/// the parameters of several parts.
fn read<P: Part>(
    table: &BTreeMap<String, Scalar>,
    part: &P,
    scope: &Scope,
) -> Result<Vec<(&'static str, Value)>> {
    let mut values = Vec::new();
    let parameters = part.parameters();
    for (key, scalar) in table {
        match parameters.iter().find(|(name, _)| name == key) {
            Some(&(name, kind)) => {
                if let Some(value) = value(name, kind, scalar, scope).at(key)? {
                    values.push((name, value));
                }
            }
            None if scope.is_unset(scalar) && !P::owners(key).is_empty() => {}
            None => return Err(no_parameter(key, part).at(key)),
        }
    }
    Ok(values)
}

fn no_parameter<P: Part>(key: &str, part: &P) -> Problem {
    let known: Vec<&str> = part.parameters().into_iter().map(|(name, _)| name).collect();
    let has = match known.as_slice() {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    let hint = match (nearest(key, known), P::owners(key).as_slice()) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => String::new(),
        (None, owners) => format!("; `{}` is of {}: leave it out here", shortened(key), quoted(owners)),
    };
    Problem::new(format!("`{}` has no parameter `{}`: {has}{hint}", part.name(), shortened(key)))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" and ")
}
