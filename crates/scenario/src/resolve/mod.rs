//! From a parsed file and its parameters to a scenario that can run.

mod changes;
mod declared;
pub mod discipline;
mod flow;
mod group;
mod link;
mod loss;
mod measures;
mod middlebox;
mod node;
mod part;
mod phy;
mod qos;
mod radio;
mod tcp;
mod trace;
mod wlan;

use airfair_core::Span;
use airfair_queue::FlowLabels;
use airfair_wifi::phy::edca::Dscp;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::file::File;
use crate::metric;
use crate::packet_lengths;
use crate::problem::{Located, Problem, Result, Step};
use crate::resolved::{FairShare, Flow, Link, Scenario, Traffic, Wlan};
use crate::route;
use crate::scope::Scope;
use crate::share;
use flow::Resolved;
use node::Nodes;
use tcp::Taken;

/// The settings of a file that affect some flow.
pub struct Reached {
    tcp: Taken,
    /// Indices of the groups of flows that have a member.
    groups: BTreeSet<usize>,
}

impl Reached {
    /// Whether the value at `steps` affects some flow; true for all values that are not settings of flows.
    pub fn has(&self, steps: &[Step]) -> bool {
        match steps {
            [Step::Key(table), inside @ ..] if table == "tcp" => self.tcp.has(inside),
            [Step::Key(list), Step::Index(number), ..] if list == "flow" => self.groups.contains(number),
            _ => true,
        }
    }
}

/// Evaluates `file` in `scope`. The scenario gets the name `name`.
pub fn resolve(file: &File, name: &str, scope: &Scope) -> Result<(Scenario, Reached)> {
    let warmup = scope.or(&file.run.warmup, "warmup", Span::ZERO).at("run")?;
    let duration = scope.required(&file.run.duration, "duration").at("run")?;
    if duration == Span::ZERO {
        return Err(Problem::new("nothing can be measured in no time").at("duration").at("run"));
    }
    let measures = measures::resolve(file, scope)?;

    let mut nodes = Nodes::default();
    node::declare(&file.node, scope, &mut nodes)?;
    let (mut wlans, wlan_entries) = wlan::resolve(&file.wlan, scope, &mut nodes, warmup + duration)?;
    let mut links = link::resolve(&file.link, scope, &nodes, warmup + duration)?;
    let Resolved { mut flows, groups, taken } = flow::resolve(&file.flow, &file.tcp, scope, &nodes, &wlans)?;
    let fair_share = share::resolve(&file.fair_share, scope, &flows).at("fair_share")?;
    let nodes = nodes.into_list();
    route::fill_in(&mut flows, &groups, &nodes, &links, &wlans)?;
    label(&flows, &mut links, &mut wlans);
    let scenario = Scenario {
        name: name.to_owned(),
        warmup,
        duration,
        nodes,
        links,
        wlans,
        flows,
        metrics: metric::asked(file.run.metrics.as_deref()),
        fair_share,
        measures,
    };
    packet_lengths::check(&scenario, &groups)?;
    middlebox::check_bursts(&scenario, &wlan_entries)?;
    Ok((scenario, Reached { tcp: taken, groups: groups.into_iter().collect() }))
}

/// Returns the scenario with one of its flows alone, which always has data to send. The run takes `warmup`, which is not measured, and
/// `duration`. The scenario has no fair share of its own.
pub fn alone(scenario: &Scenario, flow: usize, (warmup, duration): (Span, Span), metric: &str) -> Scenario {
    let traffic = Traffic::Persistent { start: Span::ZERO, spread: Span::ZERO, stop: None };
    let mut alone = Scenario {
        warmup,
        duration,
        flows: vec![Flow { traffic, ..scenario.flows[flow].clone() }],
        metrics: vec![metric.to_owned()],
        fair_share: FairShare::Undefined,
        ..scenario.clone()
    };
    label(&alone.flows, &mut alone.links, &mut alone.wlans);
    alone
}

/// Gives the discipline of every queue the labels of all flows.
fn label(flows: &[Flow], links: &mut [Link], wlans: &mut [Wlan]) {
    let labels: Arc<[FlowLabels]> = flows
        .iter()
        .map(|flow| FlowLabels {
            source: flow.source as u32,
            destination: flow.sink as u32,
            dscp: flow.dscp.map_or(0, Dscp::code_point),
        })
        .collect();
    let directions = links.iter_mut().flat_map(|link| [&mut link.forward, &mut link.backward]);
    let of_links = directions.filter_map(|direction| direction.discipline.as_deref_mut());
    let stations = wlans.iter_mut().flat_map(|wlan| &mut wlan.bss.stations);
    of_links
        .chain(stations.map(|station| &mut station.queue.discipline))
        .for_each(|it| it.set_labels(&labels));
}
