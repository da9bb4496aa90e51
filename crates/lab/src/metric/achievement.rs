//! Achievement (Lee, Bae, Koo & Chung).

use super::run::goodput;
use super::*;
use airfair_metrics as formula;
use airfair_scenario::resolved::{Flow, HopRef, Scenario};
use std::collections::BTreeSet;

const LEE: &str = "Lee, Bae, Koo & Chung, \"Measuring achievement of TCP schemes over heterogeneous wireless networks\", \
                   2008, Section 3.";

pub const FAMILIES: &[&[Metric]] = &[
    &[Metric {
        name: "achieved_goodput",
        title: "Achieved goodput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "g: payload acknowledged in the measured window (of UDP: delivered) over its length, summed over all \
                     flows; the paper has one.",
        source: LEE,
        note: None,
        compute: Compute::Run(goodput),
    }],
    &[Metric {
        name: "bottleneck_rate",
        title: "Bottleneck rate",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "b: rate of the slowest link on the way from source to sink. With several flows that link must be on \
                     the way of all. None where a way leads over the air, which has no rate of its own.",
        source: LEE,
        note: None,
        compute: Compute::Run(|run| bottleneck_rate(run.scenario)),
    }],
    &[index(
        "agi",
        "Achieved goodput index",
        "Achieved goodput index a = g / b, achieved_goodput over bottleneck_rate. At most 1 where the measured window \
         starts with the run; data that arrived during a warm-up and is acknowledged after it can lift it a little above.",
        agi,
    )],
    &[index(
        "nagi",
        "Normalised achieved goodput index",
        "Normalised achieved goodput index: the mean (a_1 + ... + a_n) / n of agi over a set of networks. A run is a \
         set of one, for which it is agi; a figure or airfair.definitions.nagi takes the mean over more.",
        |run| formula::nagi(&[agi(run)?]),
    )],
];

const fn index(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    INDEX.metric(name, title, definition, LEE, Compute::Run(compute))
}

fn agi(run: &Run<'_>) -> Value {
    let bottleneck = bottleneck_rate(run.scenario)?;
    formula::agi(goodput(run)?, bottleneck)
}

/// Index of a link, and whether it is crossed from `b` to `a`.
type Way = (usize, bool);

/// Returns the rate in bit/s of the slowest link from source to sink, which all flows must share.
fn bottleneck_rate(scenario: &Scenario) -> Value {
    let mut shared: Option<(f64, BTreeSet<Way>)> = None;
    for flow in &scenario.flows {
        let (rate, slowest) = slowest(scenario, flow)?;
        let common = match shared {
            None => slowest,
            Some((_, ways)) => &ways & &slowest,
        };
        if common.is_empty() {
            return Err(Undefined::Inapplicable("the flows do not share one slowest link"));
        }
        shared = Some((rate, common));
    }
    shared.map(|(rate, _)| rate).ok_or(Undefined::Nothing("flows"))
}

/// Returns the least rate on a flow's path in bit/s, and the links that have it.
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
    let least = formula::bottleneck_rate(&rates)?;
    Ok((least, links.into_iter().filter(|(_, rate)| *rate == least).map(|(way, _)| way).collect()))
}
