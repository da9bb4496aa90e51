//! Stations: every frame is dropped, waiting, in service, given up or delivered.

use super::holds;
use airfair_core::{Span, Time};
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::Scenario;
use airfair_sim::Record;
use airfair_sim::record::StationCounts;
use airfair_wifi::StationConfig;

/// An exchange is accounted for as a whole, before it is over, and none takes longer.
const LONGEST_EXCHANGE: Span = Span::from_secs(1);

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    for (wlan, counts) in scenario.wlans.iter().zip(&record.counts.stations) {
        for (station, counts) in wlan.bss.stations.iter().zip(counts) {
            one(station, counts, record.end)
                .map_err(|wrong| format!("station {}: {wrong}: {counts:?}", station.name))?;
        }
    }
    for (wlan, busy) in scenario.wlans.iter().zip(&record.counts.air_busy) {
        holds(
            *busy <= most_air(record.end),
            &format!("the air of {} is busy for longer than the run", wlan.name),
        )?;
    }
    for (wlan, limiter) in scenario.wlans.iter().zip(&record.counts.limiters) {
        holds(limiter.dropped <= limiter.offered, &format!("{}'s limiter drops what never came", wlan.name))?;
    }
    Ok(())
}

fn one(station: &StationConfig, counts: &StationCounts, end: Time) -> Result<(), String> {
    let dropped = counts.dropped_full + counts.dropped_early;
    holds(dropped + counts.served <= counts.offered, "more leaves the queue than came")?;
    if let QueueLimit::Packets(limit) = station.queue.limit {
        let waiting = counts.offered - dropped - counts.served;
        holds(waiting <= u64::from(limit), "more waits than may")?;
        let most = u128::from(limit) * u128::from(most_air(end).0);
        holds(u128::from(counts.held_integral) <= most, "it held more than it may")?;
    }
    let done = counts.delivered + counts.dropped_retries;
    holds((done..=done + 1).contains(&counts.served), "a frame in service is gone or doubled")?;
    holds(counts.lost_errors <= counts.delivered, "more is lost above the MAC than delivered")?;
    holds(counts.collisions <= counts.attempts, "more collides than is tried")?;
    holds(counts.retries <= counts.attempts, "more is tried again than is tried")?;
    holds(counts.waiting_integral <= counts.held_integral, "more waits than is held")?;
    holds(counts.airtime <= most_air(end), "it is on the air for longer than the run")
}

fn most_air(end: Time) -> Span {
    Span(end.0 + LONGEST_EXCHANGE.0)
}
