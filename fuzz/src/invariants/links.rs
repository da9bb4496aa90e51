//! Wired links: a link loses only packets that were offered to it, and carries no more than its rate.

use super::holds;
use airfair_net::{LinkConfig, QueueLimit, TxRing};
use airfair_scenario::resolved::{HopRef, Scenario};
use airfair_sim::Record;

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    let directions = scenario.link_directions().zip(&record.counts.links);
    for (index, (config, counts)) in directions.enumerate() {
        let hop = HopRef::Link { link: index / 2, reverse: index % 2 == 1 };
        let wrong = |wrong: String| format!("link {}: {wrong}: {counts:?}", config.name);
        let packets = &counts.packets;
        let gone = packets.dropped + packets.lost_errors + packets.lost_outage;
        holds(gone <= packets.offered, "more is lost than arrived").map_err(wrong)?;
        holds(packets.discipline.dropped_early <= packets.dropped, "more is dropped early than dropped")
            .map_err(wrong)?;
        holds(packets.discipline.marked <= packets.offered, "more is marked than arrived").map_err(wrong)?;
        holds(counts.busy <= record.end - record.warmup, "it sends for longer than the window")
            .map_err(wrong)?;
        let span = u128::from((record.end - record.warmup).0);
        if let Some(limit) = most_held(config) {
            let most = u128::from(limit) * span;
            holds(counts.queue_integral.0 <= most, "it held more than it may").map_err(wrong)?;
        }
        let over = |of: fn(&Passing) -> u64, at: &dyn Fn(&[HopRef]) -> bool| -> u64 {
            passing(scenario, record).filter(|flow| at(flow.path)).map(|flow| of(&flow)).sum()
        };
        let starting = over(|flow| flow.segments, &|path| path.first() == Some(&hop));
        holds(packets.offered >= starting, "packets vanish on the way to it").map_err(wrong)?;
        let ending = over(|flow| flow.arrivals, &|path| path.last() == Some(&hop));
        holds(packets.offered - gone >= ending, "more comes out of it than stays").map_err(wrong)?;
        let carried = u128::from(over(|flow| flow.delivered_bytes, &|path| path.contains(&hop))) * 8;
        let most = u128::from(config.rate.bits_per_second()) * u128::from(record.end.0) / 1_000_000_000;
        holds(carried <= most, "it carries more than its rate").map_err(wrong)?;
    }
    Ok(())
}

struct Passing<'a> {
    path: &'a [HopRef],
    segments: u64,
    arrivals: u64,
    delivered_bytes: u64,
}

fn passing<'a>(scenario: &'a Scenario, record: &'a Record) -> impl Iterator<Item = Passing<'a>> {
    scenario.flows.iter().zip(&record.counts.flows).map(|(flow, counts)| Passing {
        path: &flow.forward,
        segments: counts.sender.segments,
        arrivals: counts.arrivals.arrivals,
        delivered_bytes: counts.delivered_bytes,
    })
}

/// The most packets that a direction of a link may hold, those of its transmitter's ring included, which its limit does not count;
/// `None`: no number of packets bounds them.
pub fn most_held(config: &LinkConfig) -> Option<u32> {
    match (config.queue, config.tx_ring) {
        (QueueLimit::Packets(limit), None) => Some(limit),
        (QueueLimit::Packets(limit), Some(TxRing::Packets(ring))) => Some(limit.saturating_add(ring)),
        _ => None,
    }
}
