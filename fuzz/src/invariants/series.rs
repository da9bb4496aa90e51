//! Series: time advances, counters never decrease, and queues stay within their limits.

use super::holds;
use super::links::most_held;
use super::stations::of_all_categories;
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::Scenario;
use airfair_sim::trace::Series;
use airfair_sim::{Quantity, Record};

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    for series in &record.series {
        one(scenario, series, record)
            .map_err(|wrong| format!("{} of {}: {wrong}", series.quantity.word(), series.subject))?;
    }
    Ok(())
}

fn one(scenario: &Scenario, series: &Series, record: &Record) -> Result<(), String> {
    let points = &series.points;
    holds(points.is_sorted_by(|one, next| one.0 < next.0), "time does not advance")?;
    holds(points.iter().all(|(at, _)| *at < record.end), "a point after the end")?;
    holds(points.iter().all(|(_, value)| value.is_finite() && *value >= 0.0), "an invalid value")?;
    match series.quantity {
        Quantity::Acked | Quantity::Drops => {
            holds(points.is_sorted_by(|one, next| one.1 <= next.1), "a counter decreases")
        }
        Quantity::Queue => {
            let limit = limit(scenario, &series.subject);
            let within = |value| limit.is_none_or(|limit| value <= f64::from(limit));
            holds(points.iter().all(|(_, value)| within(*value)), "the queue exceeds its limit")
        }
        Quantity::Cwnd | Quantity::Ssthresh | Quantity::Rtt | Quantity::Backlog | Quantity::Air => Ok(()),
    }
}

/// The most packets in a queue, if there is such a number.
fn limit(scenario: &Scenario, subject: &str) -> Option<u32> {
    let links = scenario.link_directions().map(|config| (&config.name, most_held(config)));
    let stations = scenario.wlans.iter().flat_map(|wlan| &wlan.bss.stations);
    let stations = stations.map(|station| {
        let most = match of_all_categories(station) {
            QueueLimit::Packets(packets) => Some(packets),
            QueueLimit::Bytes(_) => None,
        };
        (&station.name, most)
    });
    // A link and a station may share a name; the larger limit then applies to both.
    let limits = links.chain(stations).filter(|(name, _)| *name == subject).map(|(_, most)| most);
    limits.collect::<Option<Vec<_>>>()?.into_iter().max()
}
