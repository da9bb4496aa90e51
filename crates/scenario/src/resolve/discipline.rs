//! Queue disciplines and their parameters, as they state them.

use airfair_core::schema::{Kind, Refused, Value};
use airfair_queue::Discipline;
use airfair_queue::discipline::{DISCIPLINES, Description};

use crate::file::Discipline as Raw;
use crate::problem::{Problem, Result};
use crate::resolve::part::{self, Part};
use crate::scope::Scope;

impl Part for Discipline {
    fn name(&self) -> &'static str {
        self.name()
    }

    fn parameters(&self) -> Vec<(&'static str, Kind)> {
        self.parameters().iter().map(|parameter| (parameter.name, parameter.kind)).collect()
    }

    fn set(&mut self, values: &[(&str, Value)]) -> std::result::Result<(), Refused> {
        self.set(values)
    }

    fn owners(parameter: &str) -> Vec<&'static str> {
        let has = |discipline: &&Description| discipline.parameter(parameter).is_some();
        DISCIPLINES.iter().filter(has).map(|discipline| discipline.name).collect()
    }
}

/// The names of the disciplines in files.
pub fn names() -> Vec<&'static str> {
    DISCIPLINES.iter().map(|discipline| discipline.name).collect()
}

/// The discipline that `raw` describes; its `direction` is not looked at.
pub fn resolve(raw: &Raw, scope: &Scope) -> Result<Discipline> {
    let named: Vec<(&str, Discipline)> =
        names().into_iter().filter_map(|name| Some((name, Discipline::named(name)?))).collect();
    let mut discipline = scope.word(&raw.kind, "kind", "queue discipline", &named)?.unwrap_or_default();
    let here = |problem: Problem| problem;
    part::set(&[(&raw.parameters, &here)], &mut discipline, scope)?;
    Ok(discipline)
}
