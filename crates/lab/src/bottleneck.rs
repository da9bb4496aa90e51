//! The bottleneck that flows share.

use airfair_metrics as metrics;
use airfair_metrics::Undefined;
use airfair_scenario::resolved::{Flow, HopRef, Scenario};
use std::collections::BTreeSet;

/// A link's number and whether it is walked from `b` to `a`.
type Way = (usize, bool);

/// The rate in bit/s of the slowest link from source to sink, which must be one that all flows share.
pub fn bottleneck_rate(scenario: &Scenario) -> Result<f64, Undefined> {
    let mut shared: Option<(f64, BTreeSet<Way>)> = None;
    for flow in &scenario.flows {
        let (rate, slowest) = slowest(scenario, flow)?;
        let common = match shared {
            None => slowest,
            Some((other, ways)) if other == rate => &ways & &slowest,
            Some(_) => BTreeSet::new(),
        };
        if common.is_empty() {
            return Err(Undefined::Inapplicable("the flows do not share one slowest link"));
        }
        shared = Some((rate, common));
    }
    shared.map(|(rate, _)| rate).ok_or(Undefined::Nothing("flows"))
}

/// The least rate on a flow's way, and the links that have it.
fn slowest(scenario: &Scenario, flow: &Flow) -> Result<(f64, BTreeSet<Way>), Undefined> {
    let links = flow.forward.iter().map(|hop| match *hop {
        HopRef::Link { link, reverse } => {
            let config = scenario.links[link].direction(reverse);
            Ok(((link, reverse), config.rate.bits_per_second() as f64))
        }
        HopRef::Wlan { .. } => Err(Undefined::Inapplicable("a way over the air has no rate of its own")),
    });
    let links = links.collect::<Result<Vec<_>, _>>()?;
    let rates: Vec<f64> = links.iter().map(|(_, rate)| *rate).collect();
    let least = metrics::bottleneck_rate(&rates)?;
    Ok((least, links.into_iter().filter(|(_, rate)| *rate == least).map(|(way, _)| way).collect()))
}
