//! Series: time goes on, and queues stay within their limits.

use super::holds;
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::Scenario;
use airfair_sim::trace::Series;
use airfair_sim::{Quantity, Record};

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    for series in &record.series {
        one(scenario, series, record)
            .map_err(|wrong| format!("{} of {}: {wrong}", series.quantity.name(), series.subject))?;
    }
    Ok(())
}

fn one(scenario: &Scenario, series: &Series, record: &Record) -> Result<(), String> {
    let points = &series.points;
    holds(points.is_sorted_by(|one, next| one.0 < next.0), "time does not go on")?;
    holds(points.iter().all(|(at, _)| *at < record.end), "a point after the end")?;
    holds(points.iter().all(|(_, value)| value.is_finite() && *value >= 0.0), "a value that is none")?;
    match series.quantity {
        Quantity::Acked | Quantity::Drops => {
            holds(points.is_sorted_by(|one, next| one.1 <= next.1), "what has happened is taken back")
        }
        Quantity::Queue => {
            let limit = limit(scenario, &series.subject);
            let within = |value| limit.is_none_or(|limit| value <= f64::from(limit));
            holds(points.iter().all(|(_, value)| within(*value)), "it holds more than it may")
        }
        Quantity::Cwnd | Quantity::Ssthresh | Quantity::Rtt | Quantity::Backlog | Quantity::Air => Ok(()),
    }
}

/// In packets, where it is in packets.
fn limit(scenario: &Scenario, subject: &str) -> Option<u32> {
    let links = scenario.link_directions().map(|config| (&config.name, config.queue));
    let stations = scenario.wlans.iter().flat_map(|wlan| &wlan.bss.stations);
    let stations = stations.map(|station| (&station.name, station.queue.limit));
    // A link may have a station's name: then the larger limit holds for both.
    let limits = links.chain(stations).filter(|(name, _)| *name == subject).map(|(_, limit)| match limit {
        QueueLimit::Packets(packets) => Some(packets),
        QueueLimit::Bytes(_) => None,
    });
    limits.collect::<Option<Vec<_>>>()?.into_iter().max()
}
