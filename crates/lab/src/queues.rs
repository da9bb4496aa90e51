//! What queues, errors and policers did to packets.

use crate::outcome::{LinkRecord, StationRecord};
use airfair_metrics as metrics;
use airfair_metrics::Undefined;
use airfair_scenario::resolved::Scenario;
use airfair_sim::Record;

/// The first access point.
pub fn access_point(stations: &[StationRecord]) -> Result<&StationRecord, Undefined> {
    stations.iter().find(|station| station.access_point).ok_or(Undefined::Nothing("access points"))
}

/// Packets dropped by the access point's queue over packets offered to it.
pub fn ap_drop_rate(stations: &[StationRecord]) -> Result<f64, Undefined> {
    let ap = access_point(stations)?;
    metrics::drop_rate(ap.counts.queue.dropped(), ap.counts.queue.offered)
}

/// Packets marked by the access point's queue over packets offered to it.
pub fn ap_mark_rate(stations: &[StationRecord]) -> Result<f64, Undefined> {
    let ap = access_point(stations)?;
    metrics::mark_rate(ap.counts.queue.discipline.marked, ap.counts.queue.offered)
}

/// Mean time in seconds that packets spent in the access point's queue.
pub fn ap_queue_delay_mean(stations: &[StationRecord]) -> Result<f64, Undefined> {
    access_point(stations)?.wait_mean.ok_or(Undefined::Nothing("packets that left the queue to be sent"))
}

/// Packets dropped by the policers of access points over packets offered to them.
pub fn limiter_drop_rate(scenario: &Scenario, record: &Record) -> Result<f64, Undefined> {
    if scenario.wlans.iter().all(|wlan| wlan.policer.is_none()) {
        return Err(Undefined::Nothing("limiters"));
    }
    let policers = &record.counts.policers;
    let dropped = policers.iter().map(|policer| policer.dropped).sum();
    metrics::limiter_drop_rate(dropped, policers.iter().map(|policer| policer.offered).sum())
}

/// Packets lost by errors and outages over packets offered, of the link directions that can lose any.
pub fn loss_rate(scenario: &Scenario, links: &[LinkRecord]) -> Result<f64, Undefined> {
    let links = links.iter().zip(scenario.link_directions());
    let lossy = || links.clone().filter(|(_, config)| config.loss.is_some() || config.outage.is_some());
    if lossy().count() == 0 {
        return Ok(0.0);
    }
    let lost = lossy().map(|(link, _)| link.counts.lost_errors + link.counts.lost_outage).sum();
    metrics::loss_rate(lost, lossy().map(|(link, _)| link.counts.offered).sum())
}

/// Packets dropped by the queues of all links over packets offered to them.
pub fn drop_rate(links: &[LinkRecord]) -> Result<f64, Undefined> {
    metrics::drop_rate(links.iter().map(|link| link.counts.dropped).sum(), offered(links))
}

/// Packets marked by the queues of all links over packets offered to them.
pub fn mark_rate(links: &[LinkRecord]) -> Result<f64, Undefined> {
    metrics::mark_rate(links.iter().map(|link| link.counts.discipline.marked).sum(), offered(links))
}

fn offered(links: &[LinkRecord]) -> u64 {
    links.iter().map(|link| link.counts.offered).sum()
}
