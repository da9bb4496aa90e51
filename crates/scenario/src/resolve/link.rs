//! Wired links.

use std::collections::BTreeSet;

use airfair_net::{LinkConfig, QueueLimit};

use crate::file::LinkGroup;
use crate::problem::{Located, Problem, Result};
use crate::resolve::group;
use crate::resolve::node::Nodes;
use crate::resolved::Link;
use crate::scope::Scope;

/// Long enough that a wire loses nothing unless its file says so.
const DEFAULT_QUEUE: QueueLimit = QueueLimit::Packets(1000);

/// All links, in the order of declaration.
pub fn resolve(groups: &[LinkGroup], scope: &Scope, nodes: &Nodes) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    let mut names = BTreeSet::new();
    for (number, raw) in groups.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let link = one(raw, scope, nodes)?;
            for name in [&link.forward.name, &link.backward.name] {
                if !names.insert(name.clone()) {
                    let message = format!("there is a link `{name}` already: give this one another name");
                    return Err(Problem::new(message).at("name"));
                }
            }
            links.push(link);
            group::not_too_many(links.len(), "links")
        })
        .at_entry("link", number)?;
    }
    Ok(links)
}

fn one(raw: &LinkGroup, scope: &Scope, nodes: &Nodes) -> Result<Link> {
    let a = nodes.find(scope, &raw.from, "from")?;
    let b = nodes.find(scope, &raw.to, "to")?;
    if a == b {
        return Err(Problem::new(format!("a link from `{}` to itself leads nowhere", nodes.name(a))).at("to"));
    }
    let name = scope.optional(&raw.name, "name")?;
    let forward = LinkConfig {
        name: name.clone().unwrap_or_else(|| format!("{}-{}", nodes.name(a), nodes.name(b))),
        rate: scope.required(&raw.rate, "rate")?,
        delay: scope.required(&raw.delay, "delay")?,
        queue: scope.or(&raw.queue, "queue", DEFAULT_QUEUE)?,
    };
    let mut backward = LinkConfig {
        name: name.map_or_else(|| format!("{}-{}", nodes.name(b), nodes.name(a)), |name| name + "-reverse"),
        ..forward.clone()
    };
    if let Some(reverse) = &raw.reverse {
        backward.rate = scope.or(&reverse.rate, "rate", forward.rate).at("reverse")?;
        backward.delay = scope.or(&reverse.delay, "delay", forward.delay).at("reverse")?;
        backward.queue = scope.or(&reverse.queue, "queue", forward.queue).at("reverse")?;
    }
    Ok(Link { a, b, forward, backward })
}
