//! TCP settings: a profile's, overridden by those that the file sets.

use std::collections::BTreeSet;

use airfair_core::schema::Settings as _;
use airfair_tcp::Settings;
use airfair_tcp::congestion::CONTROLS;
use airfair_tcp::settings::given;

use crate::file::tcp::Choice;
use crate::file::{Given, Tcp};
use crate::problem::{Problem, Result, Step};
use crate::resolve::declared::{self, Layer};
use crate::resolve::part;
use crate::resolved::{Connection, Page};
use crate::scope::Scope;

/// The keys of the file's `[tcp]` that some flow takes.
#[derive(Debug, Default)]
pub struct Taken {
    keys: BTreeSet<&'static str>,
    /// Parameters of the table `[tcp.control]` that some flow takes.
    parameters: BTreeSet<String>,
}

impl Taken {
    /// Whether some flow takes the key at `steps`, counted from `[tcp]`.
    pub fn has(&self, steps: &[Step]) -> bool {
        match steps {
            [Step::Key(key)] => self.keys.contains(key.as_str()),
            [_, Step::Key(parameter)] => self.parameters.contains(parameter),
            _ => false,
        }
    }
}

/// Returns the settings of a flow, whose table `own` overrides the file's `[tcp]`, and how its sessions share connections. For a browser's
/// flow, that follows from `pages`.
pub fn resolve(
    own: Option<&Tcp>,
    defaults: &Tcp,
    scope: &Scope,
    pages: Option<&Page>,
    taken: &mut Taken,
) -> Result<(Settings, Connection)> {
    const CONNECTION: &str = "connection";
    let at_file = |problem: Problem| problem.at("tcp").rooted();
    let at_flow = |problem: Problem| problem.at("tcp");
    let sets_connection = |tcp: &Tcp| {
        tcp.given.iter().any(|(setting, value)| setting.key == CONNECTION && !scope.is_unset(value))
    };
    if pages.is_some() && own.is_some_and(sets_connection) {
        let problem = Problem::new("the connections of `web` traffic follow from its `http`");
        return Err(at_flow(problem.at(CONNECTION)));
    }
    let mut layers = Vec::with_capacity(2);
    layers.extend(own.map(|tcp| Layer { given: &tcp.given, place: &at_flow }));
    layers.push(Layer { given: &defaults.given, place: &at_file });
    let of_file = layers.len() - 1;
    let mut values = declared::read(&layers, scope, |layer, key| {
        if layer == of_file && (pages.is_none() || key != CONNECTION) {
            taken.keys.insert(key);
        }
    })?;
    let mut choice = Choice::column(0);
    values.retain(|(key, value)| !choice.put(key, *value));
    let mut settings = given(choice.profile, choice.tcp(), &values).map_err(|refused| {
        let sets = |given: &Given, key: &str| given.iter().any(|(setting, _)| setting.key == key);
        declared::blamed(&layers, refused, sets)
    })?;
    let shared = |problem: Problem| at_file(problem.at("control"));
    let flows = |problem: Problem| at_flow(problem.at("control"));
    let mut tables = Vec::new();
    if let Some(table) = own.and_then(|tcp| tcp.control.as_ref()) {
        tables.push(Layer { given: &table.0, place: &flows as &dyn Fn(Problem) -> Problem });
    }
    // The parameters in the file's `[tcp.control]` belong to the control of `[tcp]`. A flow with another control starts from the defaults
    // of its own control.
    if let Some(table) = &defaults.control {
        let file: Choice = declared::settings(&defaults.given, scope).map_err(at_file)?;
        if file.tcp().control() == choice.tcp().control() {
            let own = tables.first().map(|own| own.given);
            let left =
                |key: &&String| own.is_none_or(|own| own.get(*key).is_none_or(|it| scope.is_unset(it)));
            taken.parameters.extend(table.0.keys().filter(left).cloned());
            tables.push(Layer { given: &table.0, place: &shared });
        }
    }
    let name = settings.control.name();
    part::set(&tables, CONTROLS, name, scope, |values| settings.control.set(values))?;
    let connection = match pages {
        Some(page) if page.connections > 1 => Connection::InTurn,
        Some(_) => Connection::Reuse,
        None => choice.connection,
    };
    Ok((settings, connection))
}
