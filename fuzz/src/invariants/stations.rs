//! Stations: every frame is dropped, queued, in service, discarded after its retries, or delivered.

use super::holds;
use airfair_core::Span;
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::Scenario;
use airfair_sim::Record;
use airfair_sim::record::StationCounts;
use airfair_wifi::StationConfig;
use airfair_wifi::phy::edca::AccessCategory;

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    let window = record.end - record.warmup;
    for (wlan, counts) in scenario.wlans.iter().zip(&record.counts.stations) {
        for (station, counts) in wlan.bss.stations.iter().zip(counts) {
            one(station, counts, window)
                .map_err(|wrong| format!("station {}: {wrong}: {counts:?}", station.name))?;
        }
    }
    for (wlan, busy) in scenario.wlans.iter().zip(&record.counts.medium_busy) {
        holds(*busy <= window, &format!("the air of {} is busy for longer than the window", wlan.name))?;
    }
    for (wlan, policer) in scenario.wlans.iter().zip(&record.counts.policers) {
        holds(
            policer.dropped <= policer.offered,
            &format!("{}'s policer drops more packets than it was offered", wlan.name),
        )?;
    }
    Ok(())
}

/// The limit of all interface queues of a station: with EDCA each access category has one.
pub fn of_all_categories(station: &StationConfig) -> QueueLimit {
    let categories = if station.qos.is_some() { AccessCategory::ALL.len() as u32 } else { 1 };
    match station.queue.limit {
        QueueLimit::Packets(packets) => QueueLimit::Packets(packets.saturating_mul(categories)),
        QueueLimit::Bytes(bytes) => QueueLimit::Bytes(bytes.saturating_mul(u64::from(categories))),
    }
}

fn one(station: &StationConfig, counts: &StationCounts, window: Span) -> Result<(), String> {
    let frames = &counts.frames;
    let dropped = frames.queue.dropped();
    holds(dropped + frames.served <= frames.queue.offered, "more leaves the queue than came")?;
    let queues = of_all_categories(station);
    if let QueueLimit::Packets(limit) = queues {
        let waiting = frames.queue.offered - dropped - frames.served;
        holds(waiting <= u64::from(limit), "more waits than may")?;
        holds(counts.held_integral <= window.times(limit), "it held more than it may")?;
    }
    let done = frames.delivered + frames.dropped_retries;
    // With DCF one frame is in service; with EDCA those that were sent and not acknowledged, which the limit counts.
    let in_service = match (&station.qos, queues) {
        (None, _) => 1,
        (Some(_), QueueLimit::Packets(limit)) => u64::from(limit),
        (Some(_), QueueLimit::Bytes(bytes)) => bytes,
    };
    holds((done..=done + in_service).contains(&frames.served), "a frame in service is gone or doubled")?;
    holds(frames.lost_errors <= frames.delivered, "more is lost above the MAC than delivered")?;
    holds(frames.collisions <= frames.attempts, "more collides than is tried")?;
    holds(frames.retries <= frames.attempts, "more is tried again than is tried")?;
    holds(counts.waiting_integral <= counts.held_integral, "more waits than is held")?;
    holds(frames.airtime <= window, "it is on the air for longer than the window")
}
