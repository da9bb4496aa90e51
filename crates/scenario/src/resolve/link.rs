//! Wired links.

mod outage;

use std::collections::BTreeSet;

use airfair_core::Span;
use airfair_net::{LinkConfig, TxRing};
use airfair_queue::{Discipline, QueueLimit};

use crate::file::{Directions, Discipline as Raw, LinkGroup};
use crate::problem::{Located, Problem, Result};
use crate::queue::QueueLength;
use crate::resolve::node::Nodes;
use crate::resolve::{discipline, group, loss};
use crate::resolved::Link;
use crate::scope::{Scope, within};
use crate::units;
use crate::value::{Scalar, WordValue};

/// Default limit of a link's queue: so long that a wire loses nothing unless its file says so.
const DEFAULT_QUEUE: QueueLength = QueueLength::Limit(QueueLimit::Packets(1000));
/// Resolves all links, in the order of declaration, for a run of length `run`.
pub fn resolve(groups: &[LinkGroup], scope: &Scope, nodes: &Nodes, run: Span) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    let mut names = BTreeSet::new();
    for (number, raw) in groups.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let link = one(raw, scope, nodes, run)?;
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

fn one(raw: &LinkGroup, scope: &Scope, nodes: &Nodes, run: Span) -> Result<Link> {
    let a = nodes.find(scope, &raw.from, "from")?;
    let b = nodes.find(scope, &raw.to, "to")?;
    if a == b {
        return Err(Problem::new(format!("a link from `{}` to itself leads nowhere", nodes.name(a))).at("to"));
    }
    let name = scope.optional(&raw.name, "name")?;
    let rate = scope.required(&raw.rate, "rate")?;
    let queue = scope.or(&raw.queue, "queue", DEFAULT_QUEUE)?;
    let packet = scope.optional(&raw.queue_packet, "queue_packet")?;
    let packet = packet.map(|bytes| within(bytes, 1, u64::from(u32::MAX))).transpose().at("queue_packet")?;
    let loss = raw.loss.as_ref().map(|raw| loss::on_link(raw, scope, run)).transpose().at("loss")?;
    let outage = raw.outage.as_ref().map(|raw| outage::resolve(raw, scope, run)).transpose().at("outage")?;
    let discipline = raw.discipline.as_ref().map(|raw| queue_discipline(raw, scope)).transpose();
    let mut discipline = discipline.at("discipline")?.unwrap_or_default();
    let ring = scope.optional(&raw.tx_ring, "tx_ring")?;
    let tx_ring = ring.map(|ring| ring.ring(rate)).transpose().at("tx_ring")?;
    let (loss, outage) = (loss.unwrap_or_default(), outage.unwrap_or_default());
    let forward = LinkConfig {
        name: name.clone().unwrap_or_else(|| format!("{}-{}", nodes.name(a), nodes.name(b))),
        rate,
        delay: scope.required(&raw.delay, "delay")?,
        queue: queue.limit(rate, packet).at("queue")?,
        discipline: below(discipline.forward, tx_ring),
        tx_ring,
        loss: loss.forward,
        outage: outage.forward,
    };
    let (mut back_rate, mut back_delay, mut back_queue, mut back_ring) = (rate, forward.delay, queue, ring);
    if let Some(reverse) = &raw.reverse {
        back_rate = scope.or(&reverse.rate, "rate", back_rate).at("reverse")?;
        back_delay = scope.or(&reverse.delay, "delay", back_delay).at("reverse")?;
        back_queue = scope.or(&reverse.queue, "queue", back_queue).at("reverse")?;
        back_ring = scope.optional(&reverse.tx_ring, "tx_ring").at("reverse")?.or(back_ring);
        if let Some(raw) = &reverse.discipline {
            discipline.backward = one_way(raw, scope).at("discipline").at("reverse")?;
        }
    }
    let tx_ring = back_ring.map(|ring| ring.ring(back_rate)).transpose().at("tx_ring")?;
    let backward = LinkConfig {
        name: name.map_or_else(|| format!("{}-{}", nodes.name(b), nodes.name(a)), |name| name + "-reverse"),
        rate: back_rate,
        delay: back_delay,
        queue: back_queue.limit(back_rate, packet).at("queue")?,
        discipline: below(discipline.backward, tx_ring),
        tx_ring,
        loss: loss.backward,
        outage: outage.backward,
    };
    // If the queue is an expression, it may be a time for other values of its parameters.
    let has_time = [queue, back_queue].iter().any(|queue| matches!(queue, QueueLength::Time(_)));
    let reverse_queue = raw.reverse.as_ref().and_then(|reverse| reverse.queue.as_ref());
    let lengths = raw.queue.iter().chain(reverse_queue);
    if let Some(raw) = &raw.queue_packet
        && packet.is_some()
        && !has_time
        && lengths.map(|raw| &raw.scalar).chain([&raw.scalar]).all(is_literal)
    {
        let message = "it belongs to a `queue` that is a time: leave it out here";
        return Err(Problem::new(message).at("queue_packet"));
    }
    Ok(Link { a, b, forward, backward })
}

/// Whether a value does not depend on the values of parameters.
fn is_literal(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Text(text) => units::literal(text).is_some(),
        _ => true,
    }
}

/// Returns the discipline above a ring. A ring takes its packets from a discipline, so drop-tail becomes an explicit one.
fn below(discipline: Option<Box<Discipline>>, ring: Option<TxRing>) -> Option<Box<Discipline>> {
    discipline.or_else(|| ring.map(|_| Box::default()))
}

/// Reads the discipline of each direction. Drop-tail counts as none: a link computes it without a discipline.
fn queue_discipline(raw: &Raw, scope: &Scope) -> Result<EachWay<Discipline>> {
    let discipline = discipline::resolve(raw, scope)?;
    let each_way = EachWay::of(discipline, &raw.direction, scope)?;
    let drop_tail = each_way.forward.iter().chain(&each_way.backward).all(|it| **it == Discipline::default());
    Ok(if drop_tail { EachWay::default() } else { each_way })
}

/// Reads the discipline of one direction; `None` for drop-tail.
fn one_way(raw: &Raw, scope: &Scope) -> Result<Option<Box<Discipline>>> {
    if raw.direction.is_some() {
        return Err(Problem::new("a discipline in `reverse` has its direction: leave it out").at("direction"));
    }
    Ok(queue_discipline(raw, scope)?.forward)
}

/// A property that each direction of a link may have.
pub struct EachWay<T> {
    forward: Option<Box<T>>,
    backward: Option<Box<T>>,
}

impl<T> Default for EachWay<T> {
    fn default() -> EachWay<T> {
        EachWay { forward: None, backward: None }
    }
}

impl<T: Clone> EachWay<T> {
    /// Returns `it` for the directions that the word under `direction` names.
    pub fn of(it: T, direction: &Option<WordValue>, scope: &Scope) -> Result<EachWay<T>> {
        let words = Directions::ALL.map(|directions| (directions.word(), directions));
        let named = scope.word(direction, "direction", "direction", &words)?.unwrap_or(Directions::Both);
        let unless = |other: Directions| (named != other).then(|| Box::new(it.clone()));
        Ok(EachWay { forward: unless(Directions::Backward), backward: unless(Directions::Forward) })
    }
}
