//! Flows.

use std::collections::BTreeSet;
use std::sync::Arc;

use airfair_core::Span;

use crate::file::{FlowGroup, Tcp, Udp};
use crate::problem::{Located, Problem, Result};
use crate::resolve::node::Nodes;
use crate::resolve::{declared, group, tcp};
use crate::resolved::{Direction, Flow, Gap, Traffic, Transport, UdpSettings, Wlan};
use crate::scope::{Scope, above_zero};
use crate::value::Value;

/// All flows in the order of declaration, their paths still empty, and the number of the group that each came from.
pub fn resolve(
    groups: &[FlowGroup],
    defaults: &Tcp,
    scope: &Scope,
    nodes: &Nodes,
    wlans: &[Wlan],
) -> Result<(Vec<Flow>, Vec<usize>)> {
    let stations: BTreeSet<usize> = wlans.iter().flat_map(|wlan| wlan.members[1..].iter().copied()).collect();
    let mut flows: Vec<Flow> = Vec::new();
    let mut origins = Vec::new();
    let mut names = BTreeSet::new();
    for (number, raw) in groups.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let mut flow = one(raw, defaults, scope, nodes, &stations)?;
            if let Some(last) = flows.last() {
                share_settings(&last.transport, &mut flow.transport);
            }
            if !names.insert(flow.name.clone()) {
                let hint = "names are unique; in a group write the index into them, as in `flow{i}`";
                return Err(
                    Problem::new(format!("there is a flow `{}` already: {hint}", flow.name)).at("name")
                );
            }
            flows.push(flow);
            origins.push(number);
            group::not_too_many(flows.len(), "flows")
        })
        .at_entry("flow", number)?;
    }
    if flows.is_empty() {
        return Err(Problem::new("there is no flow: nothing would happen").at("flow"));
    }
    Ok((flows, origins))
}

fn one(
    raw: &FlowGroup,
    defaults: &Tcp,
    scope: &Scope,
    nodes: &Nodes,
    stations: &BTreeSet<usize>,
) -> Result<Flow> {
    let source = nodes.find(scope, &raw.from, "from")?;
    let sink = nodes.find(scope, &raw.to, "to")?;
    if source == sink {
        return Err(Problem::new(format!("`{}` cannot send to itself", nodes.name(sink))).at("to"));
    }
    let transport = match (&raw.tcp, &raw.udp) {
        (Some(_), Some(_)) => return Err(Problem::new("a flow is either TCP or UDP, not both").at("udp")),
        (None, Some(udp)) => resolve_udp(udp, scope).at("udp")?,
        (own, None) => {
            let (settings, connection) = tcp::resolve(own.as_ref(), defaults, scope)?;
            Transport::Tcp { settings: Arc::new(settings), connection }
        }
    };
    Ok(Flow {
        name: scope.required(&raw.name, "name")?,
        source,
        sink,
        transport,
        traffic: traffic(raw, scope)?,
        direction: match (stations.contains(&source), stations.contains(&sink)) {
            (true, false) => Direction::Up,
            (false, true) => Direction::Down,
            _ => Direction::Other,
        },
        forward: Vec::new(),
        backward: Vec::new(),
    })
}

/// Members of a group mostly have the same settings: they are kept once.
fn share_settings(last: &Transport, next: &mut Transport) {
    if let (Transport::Tcp { settings: known, .. }, Transport::Tcp { settings, .. }) = (last, next)
        && known == settings
    {
        *settings = Arc::clone(known);
    }
}

fn resolve_udp(raw: &Udp, scope: &Scope) -> Result<Transport> {
    let UdpSettings { datagram_bytes, header_bytes } = declared::settings(&raw.given, scope)?;
    Ok(Transport::Udp { datagram_bytes, header_bytes, rate: scope.required(&raw.rate, "rate")? })
}

fn traffic(raw: &FlowGroup, scope: &Scope) -> Result<Traffic> {
    let kinds = [("persistent", true), ("intermittent", false)];
    let persistent = scope.word(&raw.traffic, "traffic", "traffic", &kinds)?.unwrap_or(true);
    let start = scope.or(&raw.start, "start", Span::ZERO)?;
    let spread = scope.or(&raw.spread, "spread", Span::ZERO)?;
    if persistent {
        absent(&raw.session_bytes, "session_bytes", "`intermittent` traffic")?;
        absent(&raw.period, "period", "`intermittent` traffic")?;
        absent(&raw.gap, "gap", "`intermittent` traffic")?;
        absent(&raw.period_min, "period_min", "`intermittent` traffic")?;
        absent(&raw.period_max, "period_max", "`intermittent` traffic")?;
        let stop = scope.optional(&raw.stop, "stop")?;
        if stop.is_some_and(|stop| stop < start + spread) {
            return Err(Problem::new("it may stop before it starts").at("stop"));
        }
        return Ok(Traffic::Persistent { start, spread, stop });
    }
    absent(&raw.stop, "stop", "`persistent` traffic")?;
    let bytes = needed(scope.optional(&raw.session_bytes, "session_bytes")?, "session_bytes")?;
    if bytes == 0 {
        return Err(Problem::new("a session has at least 1 B").at("session_bytes"));
    }
    Ok(Traffic::Intermittent { start, spread, bytes, gap: gap(raw, scope)? })
}

fn gap(raw: &FlowGroup, scope: &Scope) -> Result<Gap> {
    #[derive(Clone, Copy, PartialEq)]
    enum Shape {
        Fixed,
        Uniform,
        Exponential,
    }
    let shapes = [("fixed", Shape::Fixed), ("uniform", Shape::Uniform), ("exponential", Shape::Exponential)];
    let shape = scope.word(&raw.gap, "gap", "gap", &shapes)?.unwrap_or(Shape::Fixed);
    if shape == Shape::Uniform {
        absent(&raw.period, "period", "`fixed` and `exponential` gaps")?;
        let low = above_zero(needed(scope.optional(&raw.period_min, "period_min")?, "period_min")?)
            .at("period_min")?;
        let high = needed(scope.optional(&raw.period_max, "period_max")?, "period_max")?;
        if high < low {
            return Err(Problem::new("it is below `period_min`").at("period_max"));
        }
        return Ok(Gap::Uniform { low, high });
    }
    absent(&raw.period_min, "period_min", "`uniform` gaps")?;
    absent(&raw.period_max, "period_max", "`uniform` gaps")?;
    let period = above_zero(needed(scope.optional(&raw.period, "period")?, "period")?).at("period")?;
    Ok(if shape == Shape::Fixed { Gap::Fixed(period) } else { Gap::Exponential(period) })
}

fn needed<T>(value: Option<T>, key: &str) -> Result<T> {
    value.ok_or_else(|| Problem::new("intermittent traffic needs it").at(key))
}

fn absent<K>(value: &Option<Value<K>>, key: &str, owner: &str) -> Result<()> {
    match value {
        None => Ok(()),
        Some(_) => Err(Problem::new(format!("it belongs to {owner} alone")).at(key)),
    }
}
