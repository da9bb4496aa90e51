//! Stations with different rates on one channel: throughputs and delays of the fast ones, and of the slow ones.

use super::fairness::JAIN;
use super::run::{persistent, sum_of};
use super::*;
use airfair_core::Span;
use airfair_metrics as formula;
use airfair_scenario::resolved::{Flow, HopRef, Scenario};
use airfair_sim::TurnOutcome;
use std::collections::BTreeSet;

const HEUSSE: &str = "After Heusse et al., \"Performance anomaly of 802.11b\", INFOCOM 2003, and Høiland-Jørgensen et al., \"Ending the \
                      anomaly\", USENIX ATC 2017.";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        throughput(
            "throughput_fast",
            "Throughput, fast stations",
            "throughput_total of the flows over stations that have their network's highest data rate.",
            |run| total(run, true),
        ),
        throughput(
            "throughput_slow",
            "Throughput, slow stations",
            "throughput_total of the flows over the other stations.",
            |run| total(run, false),
        ),
    ],
    &[
        share(
            "airtime_share_fast",
            "Airtime share, fast stations",
            "Airtime of exchanges to and from stations that have their network's highest data rate, over that of all \
             stations, in the measured window.",
            |run| airtime_share(run, true),
        ),
        share(
            "airtime_share_slow",
            "Airtime share, slow stations",
            "Airtime of exchanges to and from the other stations, over that of all stations, in the measured window.",
            |run| airtime_share(run, false),
        ),
    ],
    &[Metric {
        larger_is_better: Some(true),
        ..fraction(
            "jain_airtime",
            "Jain's index of airtime",
            "Jain's index (see jain) over the stations with persistent flows, of the airtime of exchanges to and from each in the measured \
             window. UDP at a constant rate is persistent, too, and may want less air than others.",
            JAIN,
            airtime_evenness,
        )
    }],
    &[
        latency(
            "latency_fast_mean",
            "Mean latency, fast stations",
            "Mean time of packets at access points, of those sent to stations that have their network's highest data rate in the \
             measured window: from a packet's arrival, through the interface queue and the driver's, until its own transmission is \
             next. Packets that are dropped do not count.",
            |run| formula::mean(&delays(run, true)?),
        ),
        latency(
            "latency_slow_mean",
            "Mean latency, slow stations",
            "As latency_fast_mean, of packets sent to the other stations.",
            |run| formula::mean(&delays(run, false)?),
        ),
    ],
    &[
        aggregate(
            "aggregate_mean_fast",
            "Mean aggregate, fast stations",
            "Mean length of the frames that access points send to stations that have their network's highest data rate, MAC headers and \
             delimiters included: of an A-MPDU all of it. Of those that end in the measured window without a collision; \
             block ack requests do not count.",
            |run| aggregate_mean(run, true),
        ),
        aggregate(
            "aggregate_mean_slow",
            "Mean aggregate, slow stations",
            "As aggregate_mean_fast, of frames to the other stations.",
            |run| aggregate_mean(run, false),
        ),
    ],
];

/// Distributions with one value for each packet that is sent to a fast, or to a slow station.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "latency_fast",
        title: "latency, fast stations",
        mean: "latency_fast_mean",
        values: Values::Packets(Recording::QueueDelays, |run| delays(run, true)),
    },
    Distribution {
        name: "latency_slow",
        title: "latency, slow stations",
        mean: "latency_slow_mean",
        values: Values::Packets(Recording::QueueDelays, |run| delays(run, false)),
    },
];

const fn latency(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    TIME.metric(name, title, definition, HEUSSE, Compute::Recorded(Recording::QueueDelays, compute))
}

const fn aggregate(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Kind { unit: "byte", range: FROM_ZERO, larger_is_better: None }.metric(
        name,
        title,
        definition,
        HEUSSE,
        Compute::Recorded(Recording::Turns, compute),
    )
}

const fn throughput(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    RATE.metric(name, title, definition, HEUSSE, Compute::Run(compute))
}

const fn share(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Metric { larger_is_better: None, ..fraction(name, title, definition, HEUSSE, compute) }
}

/// Whether the station with this index has the highest data rate in this network.
fn is_fast(scenario: &Scenario, wlan: usize, station: usize) -> bool {
    let stations = &scenario.wlans[wlan].bss.stations;
    let fastest = stations[1..].iter().map(|station| station.data_rate).max();
    Some(stations[station].data_rate) == fastest
}

/// Returns the stations that a flow goes over, each as its network and its index there.
fn stations_of(flow: &Flow) -> impl Iterator<Item = (usize, usize)> {
    flow.forward.iter().filter_map(|hop| match *hop {
        HopRef::Wlan { wlan, from, to } => Some((wlan, from.max(to))),
        _ => None,
    })
}

/// Whether a flow goes over a fast station; `false` if it goes over a slow one, `None` if it goes over no station.
fn goes_fast(scenario: &Scenario, flow: &Flow) -> Option<bool> {
    stations_of(flow).next().map(|(wlan, station)| is_fast(scenario, wlan, station))
}

/// Returns the airtime of the exchanges to and from a station in the measured window.
fn airtime(run: &Run<'_>, wlan: usize, station: usize) -> Span {
    let counts = &run.record.counts.stations[wlan][station].frames;
    counts.airtime + counts.airtime_as_receiver
}

fn total(run: &Run<'_>, fast: bool) -> Value {
    let flows = run.configured_flows().filter(|(flow, _)| goes_fast(run.scenario, flow) == Some(fast));
    let rates: Vec<f64> = flows.map(|(_, record)| record.throughput).collect();
    sum_of(&rates, "flows over such stations")
}

fn airtime_share(run: &Run<'_>, fast: bool) -> Value {
    let (mut of_these, mut of_all, mut any) = (Span::ZERO, Span::ZERO, false);
    for (wlan, stations) in run.record.counts.stations.iter().enumerate() {
        for station in 1..stations.len() {
            let airtime = airtime(run, wlan, station);
            of_all += airtime;
            if is_fast(run.scenario, wlan, station) == fast {
                any = true;
                of_these += airtime;
            }
        }
    }
    if !any {
        return Err(Undefined::Nothing("such stations"));
    }
    if of_all == Span::ZERO {
        return Err(Undefined::Nothing("exchanges"));
    }
    Ok(of_these.as_secs() / of_all.as_secs())
}

/// Returns Jain's index of the airtime of stations with persistent flows.
fn airtime_evenness(run: &Run<'_>) -> Value {
    let flows = run.configured_flows().filter(|(_, record)| persistent(record));
    let stations: BTreeSet<_> = flows.flat_map(|(flow, _)| stations_of(flow)).collect();
    let airtimes: Vec<f64> =
        stations.into_iter().map(|(wlan, station)| airtime(run, wlan, station).as_secs()).collect();
    if airtimes.iter().all(|airtime| *airtime == 0.0) {
        return Err(Undefined::Nothing("exchanges of stations with persistent flows"));
    }
    formula::jain(&airtimes)
}

/// Returns the delays in seconds of packets for fast stations, or for slow ones.
fn delays(run: &Run<'_>, fast: bool) -> Result<Vec<f64>, Undefined> {
    let mut found = Vec::new();
    for (wlan, packets) in run.record.ap_queue_delays.iter().enumerate() {
        let such = packets.iter().filter(|packet| is_fast(run.scenario, wlan, packet.to as usize) == fast);
        found.extend(such.map(|packet| packet.delay.as_secs()));
    }
    if found.is_empty() { Err(Undefined::Nothing("packets sent to such stations")) } else { Ok(found) }
}

fn aggregate_mean(run: &Run<'_>, fast: bool) -> Value {
    let mut lengths = Vec::new();
    for (wlan, turns) in run.record.air.iter().enumerate() {
        let such = turns.iter().filter(|turn| {
            turn.from == 0
                && !turn.is_announcement()
                && turn.bytes > 0
                && turn.outcome != TurnOutcome::Collided
                && is_fast(run.scenario, wlan, turn.to as usize) == fast
        });
        lengths.extend(such.map(|turn| f64::from(turn.bytes)));
    }
    if lengths.is_empty() {
        Err(Undefined::Nothing("frames sent to such stations"))
    } else {
        formula::mean(&lengths)
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    #[test]
    fn airtime_is_even_where_the_queue_shares_it_and_stations_without_end_alone_count() {
        // Frames of a slow station take 12,794 us and those of a fast one 1568 us: with equal packets Jain's index is
        // (12,794 + 1568)^2 / (2 (12,794^2 + 1568^2)), which is 0.621. A sensor sends next to nothing.
        let cell = |queue: &str| {
            format!(
                "[run]\nwarmup = \"2 s\"\nduration = \"60 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11b\"\n\
                 ap_discipline.kind = \"{queue}\"\n[[wlan.station]]\nname = \"slow\"\ndata_rate = \"1 Mb/s\"\n\
                 [[wlan.station]]\nname = \"fast\"\n[[wlan.station]]\nname = \"sensor\"\n\
                 [[flow]]\nname = \"a\"\nfrom = \"ap\"\nto = \"slow\"\nudp.rate = \"20 Mb/s\"\n\
                 [[flow]]\nname = \"b\"\nfrom = \"ap\"\nto = \"fast\"\nudp.rate = \"20 Mb/s\"\n\
                 [[flow]]\nname = \"c\"\nfrom = \"sensor\"\nto = \"ap\"\ntraffic = \"intermittent\"\nsession_bytes = \"100 B\"\nperiod = \"1 s\"\n"
            )
        };
        let packets = value(&cell("fq_codel"), "jain_airtime").unwrap();
        assert!((packets - 0.621).abs() < 0.01, "{packets}");
        let airtime = value(&cell("airtime_drr"), "jain_airtime").unwrap();
        assert!(airtime > 0.999, "{airtime}");
        let idle = cell("fq_codel").replace("udp.rate = \"20 Mb/s\"", "start = \"100 s\"");
        assert!(value(&idle, "jain_airtime").is_err());
    }
}
