//! Queue disciplines and their parameters, as the disciplines declare them.

use std::sync::LazyLock;

use airfair_queue::Discipline;
use airfair_queue::discipline::DISCIPLINES;

use crate::file::Discipline as Raw;
use crate::problem::Result;
use crate::resolve::declared::Layer;
use crate::resolve::part;
use crate::scope::Scope;

/// Returns the names of the disciplines in files.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> =
        LazyLock::new(|| DISCIPLINES.iter().map(|discipline| discipline.name).collect());
    &NAMES
}

/// Returns the discipline that `raw` describes; ignores its `direction`.
pub fn resolve(raw: &Raw, scope: &Scope) -> Result<Discipline> {
    let named: Vec<(&str, Discipline)> =
        names().iter().filter_map(|name| Some((*name, Discipline::named(name)?))).collect();
    let mut discipline = scope.word(&raw.kind, "kind", "queue discipline", &named)?.unwrap_or_default();
    if let (None, Some(key)) = (&raw.kind, part::first_set(&raw.parameters, scope)) {
        return Err(part::without_name("kind", key, DISCIPLINES).at(key));
    }
    let here = Layer { given: &raw.parameters, place: &|problem| problem };
    part::set(&[here], DISCIPLINES, discipline.name(), scope, |values| discipline.set(values))?;
    Ok(discipline)
}
