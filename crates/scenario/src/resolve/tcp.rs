//! TCP settings: a profile's, under those that the file sets.

use airfair_core::schema::Value;
use airfair_tcp::settings::given;
use airfair_tcp::{Profile, Settings, TcpName};

use crate::file::Tcp;
use crate::problem::{Located, Problem, Result};
use crate::resolve::declared::{self, Layer};
use crate::resolve::part;
use crate::resolved::Connection;
use crate::scope::Scope;

/// The profile and the TCP of a file that names none.
const USUAL: (Profile, TcpName) = (Profile::Rfc, TcpName::named("newreno"));

/// The settings of a flow with its own table `own` over the file's `[tcp]`.
pub fn resolve(own: Option<&Tcp>, defaults: &Tcp, scope: &Scope) -> Result<(Settings, Connection)> {
    let at_file = |problem: Problem| problem.at("tcp").rooted();
    let at_flow = |problem: Problem| problem.at("tcp");
    let mut layers = Vec::with_capacity(2);
    layers.extend(own.map(|tcp| Layer { given: &tcp.given, place: &at_flow }));
    layers.push(Layer { given: &defaults.given, place: &at_file });
    let mut values = declared::read(&layers, scope)?;
    let profile = take(&mut values, "profile").and_then(Profile::from_word).unwrap_or(USUAL.0);
    let tcp = take(&mut values, "variant").and_then(TcpName::from_name).unwrap_or(USUAL.1);
    let connection = take(&mut values, "connection").and_then(Connection::from_word);
    let mut settings = given(profile, tcp, &values).map_err(|refused| declared::blamed(&layers, refused))?;
    control(own, defaults, scope, &mut settings)?;
    Ok((settings, connection.unwrap_or(Connection::Reuse)))
}

fn take(values: &mut Vec<(&'static str, Value)>, key: &str) -> Option<&'static str> {
    let index = values.iter().position(|(set, _)| *set == key)?;
    match values.swap_remove(index).1 {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// The control's own parameters. Those of the file's table are the file's control's: a flow of another control starts from
/// that one's own values.
fn control(own: Option<&Tcp>, defaults: &Tcp, scope: &Scope, settings: &mut Settings) -> Result<()> {
    let shared = |problem: Problem| problem.at("control").at("tcp").rooted();
    let flows = |problem: Problem| problem.at("control").at("tcp");
    let mut tables: Vec<part::Table> = Vec::new();
    if let Some(table) = &defaults.control
        && shares_control(own, defaults, scope)?
    {
        tables.push((&table.0, &shared));
    }
    if let Some(table) = own.and_then(|tcp| tcp.control.as_ref()) {
        tables.push((&table.0, &flows));
    }
    part::set(&tables, &mut settings.control, scope)
}

/// Whether the flow's control is the one that the file's `[tcp]` names.
fn shares_control(own: Option<&Tcp>, defaults: &Tcp, scope: &Scope) -> Result<bool> {
    let named = |tcp: &Tcp| Ok(declared::word(&tcp.given, "variant", scope)?.and_then(TcpName::from_name));
    let Some(own) = own.map(named).transpose().at("tcp")?.flatten() else { return Ok(true) };
    let file = named(defaults).map_err(|problem: Problem| problem.at("tcp").rooted())?.unwrap_or(USUAL.1);
    Ok(own.control() == file.control())
}
