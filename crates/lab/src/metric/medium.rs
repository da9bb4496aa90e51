//! Wireless networks: the air, and the queues and policers of access points.

use super::*;
use crate::outcome::StationRecord;
use airfair_metrics as formula;

const BIANCHI: &str = "After Bianchi, \"Performance analysis of the IEEE 802.11 distributed coordination function\", 2000, \
                       Section IV.";
const AP_QUEUE: Option<&str> = Some("at the access point's wireless queue");

pub const FAMILIES: &[&[Metric]] = &[
    &[fraction(
        "collision_rate",
        "Collision rate",
        "Transmission attempts that collided over all attempts (RTS frames, or data frames sent without one), of all \
         stations in the measured window. With EDCA any loss of an RTS counts. Where stations have places and `reception` is `sinr`, its \
         default, the power of other frames is noise: a data frame that its receiver follows and they spoil is lost at random, and does not \
         count.",
        BIANCHI,
        |run| {
            let sum = |count: fn(&StationRecord) -> u64| run.stations.iter().map(count).sum();
            formula::collision_rate(
                sum(|station| station.counts.collisions),
                sum(|station| station.counts.attempts),
            )
        },
    )],
    &[fraction(
        "mpdu_loss_rate",
        "MPDU loss rate",
        "MPDUs that were not acknowledged, because they or their answer collided or were lost at random, over MPDUs sent, each attempt \
         counted, of all stations with EDCA in the measured window.",
        COUNT,
        |run| {
            let (lost, sent) = mpdus(run, |station| station.counts.mpdus_lost)?;
            Ok(lost / sent)
        },
    )],
    &[fraction(
        "broadcast_loss_rate",
        "Broadcast loss rate",
        "Broadcast and multicast frames that stations did not receive over all that their access points sent or dropped, of all stations in the \
         measured window, each frame counted at each of them.",
        COUNT,
        |run| {
            let sum = |count: fn(&StationRecord) -> u64| run.stations.iter().map(count).sum::<u64>() as f64;
            let lost = sum(|station| station.counts.broadcasts_lost);
            let all = lost + sum(|station| station.counts.broadcasts);
            if all > 0.0 { Ok(lost / all) } else { Err(Undefined::Nothing("broadcasts")) }
        },
    )],
    &[Metric {
        name: "mcs_mean",
        title: "Mean MCS",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "Mean modulation and coding scheme of the MPDUs sent, each attempt counted, of all stations with EDCA in the \
                     measured window: what rate control chose. The spatial streams do not count.",
        source: COUNT,
        note: None,
        compute: Compute::Run(|run| {
            let (sum, sent) = mpdus(run, |station| station.counts.mpdus_mcs)?;
            Ok(sum / sent)
        }),
    }],
    &[Metric {
        name: "ap_queue_mean",
        title: "Mean AP queue",
        unit: "packet",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Packets that wait in the access point's wireless interface queue, averaged over the measured \
                     window. Those in service do not count: with DCF the first, with EDCA those that have been in a PPDU.",
        source: COUNT,
        note: None,
        compute: Compute::Run(|run| access_point(run).map(|ap| ap.waiting_mean)),
    }],
    &[Metric {
        note: AP_QUEUE,
        ..fraction(
            "ap_drop_rate",
            "AP drop rate",
            "Packets dropped at the access point's wireless interface queue, because it was full or by its discipline, \
             over packets offered to it, in the measured window: the paper's loss probability in the downlink buffer.",
            COUNT,
            |run| {
                let ap = access_point(run)?;
                formula::drop_rate(ap.counts.queue.dropped(), ap.counts.queue.offered)
            },
        )
    }],
    &[Metric {
        note: AP_QUEUE,
        larger_is_better: None,
        ..fraction(
            "ap_mark_rate",
            "AP mark rate",
            "Packets marked with Congestion Experienced (RFC 3168) by the access point's wireless interface queue over \
             packets offered to it, in the measured window.",
            COUNT,
            |run| {
                let ap = access_point(run)?;
                formula::mark_rate(ap.counts.queue.discipline.marked, ap.counts.queue.offered)
            },
        )
    }],
    &[Metric {
        name: "ap_queue_delay_mean",
        title: "Mean AP queue delay",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Mean time that packets spend in the access point's wireless interface queue, of those that leave it \
                     to be sent in the measured window, until each one's own transmission is next. Packets dropped after \
                     they had waited do not count.",
        source: "A count of the engine's: the sojourn time of RFC 8289, Section 3.1.",
        note: None,
        compute: Compute::Run(|run| {
            access_point(run)?.wait_mean.ok_or(Undefined::Nothing("packets that left the queue to be sent"))
        }),
    }],
    &[Metric {
        note: Some("at the access point's token bucket"),
        larger_is_better: None,
        ..fraction(
            "limiter_drop_rate",
            "Limiter drop rate",
            "Packets dropped by the policers (token buckets) of access points over packets that arrived at them over the air for the \
             wire, data and acknowledgements, in the measured window. None without a policer.",
            "A count of the engine's; the limiter is that of Blefari-Melazzi et al., Section III.",
            limiter_drop_rate,
        )
    }],
];

/// Distributions with one value for each packet that is sent.
pub const DISTRIBUTIONS: &[Distribution] = &[Distribution {
    name: "ap_queue_delay",
    title: "AP queue delay",
    mean: "ap_queue_delay_mean",
    values: Values::Packets(Recording::QueueDelays, queue_delays),
}];

/// Returns the delays in seconds in the queue of the first access point.
fn queue_delays(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    let delays = run.record.ap_queue_delays.first().ok_or(Undefined::Nothing("access points"))?;
    if delays.is_empty() {
        return Err(Undefined::Nothing("packets that left the queue to be sent"));
    }
    Ok(delays.iter().map(|packet| packet.delay.as_secs()).collect())
}

/// Returns the record of the first access point.
fn access_point<'a>(run: &'a Run<'_>) -> Result<&'a StationRecord, Undefined> {
    run.stations.iter().find(|station| station.access_point).ok_or(Undefined::Nothing("access points"))
}

fn limiter_drop_rate(run: &Run<'_>) -> Value {
    if run.scenario.wlans.iter().all(|wlan| wlan.policer.is_none()) {
        return Err(Undefined::Nothing("limiters"));
    }
    let policers = &run.record.counts.policers;
    let dropped = policers.iter().map(|policer| policer.dropped).sum();
    formula::limiter_drop_rate(dropped, policers.iter().map(|policer| policer.offered).sum())
}

/// Returns the sum of `count` over all stations, and the number of MPDUs that they sent.
fn mpdus(run: &Run<'_>, count: fn(&StationRecord) -> u64) -> Result<(f64, f64), Undefined> {
    let sum = |count: fn(&StationRecord) -> u64| run.stations.iter().map(count).sum::<u64>();
    match sum(|station| station.counts.mpdus) {
        0 => Err(Undefined::Nothing("MPDUs sent with EDCA")),
        sent => Ok((sum(count) as f64, sent as f64)),
    }
}
