//! The share of its fair rate that each station with bulk transfers gets.

use super::{BULK, rule, stations};
use crate::metric::Run;
use crate::records::useful_bytes;
use airfair_core::{Span, Time};
use airfair_scenario::resolved::{Flow, HopRef};
use std::collections::BTreeMap;
use std::ops::Range;

/// Shortest time in seconds for which the rate of a transfer is meaningful.
const SHORTEST: f64 = 1.0;

/// The persistent flows at a station.
#[derive(Default)]
struct Transfers {
    /// Number of flows.
    flows: usize,
    /// Whether one of the flows takes whatever rate it gets.
    elastic: bool,
    /// When each flow is there.
    times: Vec<Range<Time>>,
    /// Bits that got through.
    bits: f64,
    /// Bits that the flows could have used: what they sent at fixed rates, but no more than equal parts of the links on their paths.
    wanted: f64,
}

impl Transfers {
    fn add(&mut self, flow: &Flow, times: &Range<Time>, bits: f64, wanted: f64) {
        self.flows += 1;
        self.elastic |= !flow.is_udp();
        self.times.push(times.clone());
        self.bits += bits;
        self.wanted += wanted;
    }

    /// Returns for how long at least one of the flows is there.
    fn seconds(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_by_key(|times| times.start);
        let (mut until, mut sum) = (Time::ZERO, Span::ZERO);
        for Range { start, end } in times {
            sum += end.since(start.max(until));
            until = until.max(end);
        }
        sum.as_secs()
    }
}

/// Returns for each station with persistent flows the rate of what it sends and receives over its fair rate, at most 1; or the reason why it
/// has none.
///
/// A station whose flows all send at fixed rates should get what it sends. The fair rates of the others are max-min fair: what all stations
/// get is shared equally, except that some could not use as much. A station's rates are means over the time in which it has flows.
pub fn shares(run: &Run<'_>) -> BTreeMap<usize, Result<f64, &'static str>> {
    let flows = run.scenario.flows.iter().enumerate().filter(|(_, flow)| rule(flow) == &BULK);
    let there = flows.map(|(number, flow)| (number, flow, run.present(number)));
    let there: Vec<_> = there.filter(|(_, _, times)| times.start < times.end).collect();
    // Number of flows that cross each direction of a link, whether or not they cross the air.
    let mut crossing: BTreeMap<(usize, bool), f64> = BTreeMap::new();
    for way in there.iter().flat_map(|(_, flow, _)| links(flow)) {
        *crossing.entry(way).or_default() += 1.0;
    }
    let part = |way: (usize, bool)| {
        let rate = run.scenario.links[way.0].direction(way.1).rate.bits_per_second();
        rate as f64 / crossing[&way]
    };
    let mut of_stations: BTreeMap<usize, Transfers> = BTreeMap::new();
    // All that is on the air, each flow once.
    let mut all = Transfers::default();
    for (number, flow, times) in &there {
        let counts = &run.record.counts.flows[*number];
        let bits = 8.0 * useful_bytes(flow, counts) as f64;
        let narrowest = links(flow).map(part).fold(f64::INFINITY, f64::min) * seconds(times);
        let sent = if flow.is_udp() { 8.0 * counts.sender.sent_bytes as f64 } else { f64::INFINITY };
        let ends = stations(run.scenario, flow);
        for &node in &ends {
            of_stations.entry(node).or_default().add(flow, times, bits, narrowest.min(sent));
        }
        if !ends.is_empty() {
            all.add(flow, times, bits * ends.len() as f64, 0.0);
        }
    }
    let long = |of: &Transfers| of.seconds() >= SHORTEST;
    let wanted: Vec<f64> =
        of_stations.values().filter(|of| long(of)).map(|of| of.wanted / of.seconds()).collect();
    let level = level(all.bits / all.seconds(), wanted);
    let share = |of: &Transfers| {
        let (rate, wanted) = (of.bits / of.seconds(), of.wanted / of.seconds());
        if !long(of) {
            return Err("its transfers are there for less than a second of the measured window");
        }
        // No other station has transfers whose rate could show what is fair.
        if of.elastic && of.flows == all.flows && rate > 0.0 {
            return Err("all bulk transfers over the air are its own, so there is nobody to share with");
        }
        let fair = if of.elastic { wanted.min(level) } else { wanted };
        Ok(if fair > 0.0 { (rate / fair).min(1.0) } else { 0.0 })
    };
    of_stations.iter().map(|(&node, of)| (node, share(of))).collect()
}

/// Returns the max-min fair rate when `rate` is shared and some want no more than `wanted`: what those get who want more than their part;
/// infinite if all get what they want.
fn level(rate: f64, mut wanted: Vec<f64>) -> f64 {
    wanted.sort_by(f64::total_cmp);
    let mut left = rate;
    for (number, &want) in wanted.iter().enumerate() {
        let equal = left / (wanted.len() - number) as f64;
        if want > equal {
            return equal;
        }
        left -= want;
    }
    f64::INFINITY
}

/// Returns the wired links on a flow's path, each with whether it is crossed in reverse.
fn links(flow: &Flow) -> impl Iterator<Item = (usize, bool)> {
    flow.forward.iter().filter_map(|hop| match *hop {
        HopRef::Link { link, reverse } => Some((link, reverse)),
        HopRef::Wlan { .. } => None,
    })
}

fn seconds(times: &Range<Time>) -> f64 {
    times.end.since(times.start).as_secs()
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn who_wants_less_leaves_more_to_the_others() {
        assert_eq!(level(30.0, vec![100.0, f64::INFINITY, 100.0]), 10.0);
        assert_eq!(level(30.0, vec![f64::INFINITY, 1.0, 5.0, f64::INFINITY]), 12.0);
        // All have what they want.
        assert_eq!(level(30.0, vec![10.0, 20.0]), f64::INFINITY);
        assert_eq!(level(30.0, Vec::new()), f64::INFINITY);
    }
}
