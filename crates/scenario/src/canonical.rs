//! A resolved scenario as canonical JSON: whole nanoseconds, SI units, sorted keys. The key of a result is its hash.

use serde_json::{Map, Value, json};

use airfair_core::{LossModel, LossProbability, LossUnit, Rate, Span};
use airfair_net::{LinkConfig, LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat};
use airfair_queue::{Discipline, PolicerConfig, QueueConfig, WindowControlConfig};
use airfair_tcp::Settings;
use airfair_wifi::{BssConfig, FrameLoss, StationConfig};

use crate::resolved::{
    Connection, Convergence, Effort, FairShare, FairnessOf, Flow, Gap, Link, Measures, Node, Scenario,
    Traffic, Transport, Wlan,
};

/// Everything that decides what happens in a run. The scenario's own name does not, nor do the metrics that are reported
/// of it; paths follow from the graph.
///
/// Structs are taken apart field by field, so that a field that is added later cannot be forgotten here.
pub fn json(scenario: &Scenario) -> Value {
    let Scenario { name: _, warmup, duration, nodes, links, wlans, flows, metrics: _, fair_share, measures } =
        scenario;
    object([
        ("duration_ns", span(*duration)),
        ("fair_share", fair_share_json(fair_share)),
        ("flows", flows.iter().map(flow_json).collect()),
        ("links", links.iter().map(link_json).collect()),
        ("measures", measures_json(measures)),
        ("nodes", nodes.iter().map(|Node { name }| json!(name)).collect()),
        ("warmup_ns", span(*warmup)),
        ("wlans", wlans.iter().map(wlan_json).collect()),
    ])
}

/// Sorted here, because the order that serde_json keeps depends on how it was built.
fn object<const N: usize>(mut entries: [(&str, Value); N]) -> Value {
    entries.sort_by_key(|(key, _)| *key);
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}

/// With what came later: left out where it is not used, so that keys from before it name the same results.
fn with<const N: usize>(fixed: Value, later: [(&str, Option<Value>); N]) -> Value {
    let fixed = match fixed {
        Value::Object(entries) => entries,
        other => unreachable!("{other} has no keys"),
    };
    let later = later.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let mut entries: Vec<(String, Value)> = fixed.into_iter().chain(later).collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Value::Object(entries.into_iter().collect())
}

fn span(Span(nanos): Span) -> Value {
    json!(nanos)
}

fn rate(rate: Rate) -> Value {
    json!(rate.bits_per_second())
}

fn fair_share_json(share: &FairShare) -> Value {
    match share {
        FairShare::Undefined => Value::Null,
        FairShare::Split { down, up, users } => {
            object([("down_bps", rate(*down)), ("up_bps", rate(*up)), ("users", json!(users))])
        }
    }
}

fn measures_json(Measures { fairness_of, effort, deadline, convergence }: &Measures) -> Value {
    let fairness_of = match fairness_of {
        FairnessOf::Throughput => "throughput",
        FairnessOf::SendingRate => "sending-rate",
    };
    let effort = effort.map_or(Value::Null, |Effort { throughput_max, eee, uar }| {
        object([("eee", json!(eee)), ("throughput_max_bps", rate(throughput_max)), ("uar", json!(uar))])
    });
    let Convergence { window, index } = convergence;
    object([
        ("convergence", object([("index", json!(index)), ("window_ns", span(*window))])),
        ("deadline_ns", span(*deadline)),
        ("effort", effort),
        ("fairness_of", json!(fairness_of)),
    ])
}

fn link_json(Link { a, b, forward, backward }: &Link) -> Value {
    object([("a", json!(a)), ("b", json!(b)), ("backward", one_way(backward)), ("forward", one_way(forward))])
}

fn one_way(LinkConfig { name, rate: speed, delay, queue, discipline, loss, outage }: &LinkConfig) -> Value {
    let queue = match queue {
        QueueLimit::Packets(packets) => object([("packets", json!(packets))]),
        QueueLimit::Bytes(bytes) => object([("bytes", json!(bytes))]),
    };
    let fixed = object([
        ("delay_ns", span(*delay)),
        ("errors", loss.as_deref().map_or(Value::Null, link_loss_json)),
        ("name", json!(name)),
        ("outage", outage.as_deref().map_or(Value::Null, outage_json)),
        ("queue", queue),
        ("rate_bps", rate(*speed)),
    ]);
    with(fixed, [("discipline", discipline.as_deref().map(settled))])
}

fn link_loss_json(LinkLoss { model: LossModel { probability, of }, position }: &LinkLoss) -> Value {
    let probability = match probability {
        LossProbability::Constant(probability) => json!(probability),
        LossProbability::GilbertElliott { good, bad, mean_good, mean_bad } => {
            states_json(*good, *bad, *mean_good, *mean_bad)
        }
    };
    object([("of", unit_json(*of)), ("position", position_json(*position)), ("probability", probability)])
}

fn unit_json(unit: LossUnit) -> Value {
    json!(match unit {
        LossUnit::Packet => "packet",
        LossUnit::Bit => "bit",
    })
}

fn states_json(good: f64, bad: f64, mean_good: Span, mean_bad: Span) -> Value {
    object([
        ("bad", json!(bad)),
        ("good", json!(good)),
        ("mean_bad_ns", span(mean_bad)),
        ("mean_good_ns", span(mean_good)),
    ])
}

fn position_json(position: LossPosition) -> Value {
    json!(match position {
        LossPosition::BeforeQueue => "before-queue",
        LossPosition::AfterQueue => "after-queue",
    })
}

fn outage_json(Outage { start, spread, duration, repeat, packets }: &Outage) -> Value {
    let repeat = match repeat {
        Repeat::Once => Value::Null,
        Repeat::Periodic(period) => object([("period_ns", span(*period))]),
        Repeat::Random(period) => object([("mean_period_ns", span(*period))]),
    };
    let lost = match packets {
        OutagePackets::Lost(position) => position_json(*position),
        OutagePackets::Held => Value::Null,
    };
    object([
        ("duration_ns", span(*duration)),
        ("lost", lost),
        ("repeat", repeat),
        ("spread_ns", span(*spread)),
        ("start_ns", span(*start)),
    ])
}

fn wlan_json(wlan: &Wlan) -> Value {
    let Wlan { name, members, bss, host_delay, station_overhead, policer, window_control } = wlan;
    let BssConfig { phy, rts_threshold, short_retry_limit, long_retry_limit, capture, stations } = bss;
    let fixed = object([
        ("capture", json!(capture)),
        ("host_delay_ns", span(*host_delay)),
        ("long_retry_limit", json!(long_retry_limit)),
        ("members", json!(members)),
        ("name", json!(name)),
        ("phy", settled(phy)),
        ("rts_threshold_bytes", json!(rts_threshold)),
        ("short_retry_limit", json!(short_retry_limit)),
        ("station_overhead_bytes", json!(station_overhead)),
        ("stations", stations.iter().map(station_json).collect()),
    ]);
    let policer = policer.map(|PolicerConfig { rate: speed, burst_bytes }| {
        object([("bucket_bytes", json!(burst_bytes)), ("rate_bps", rate(speed))])
    });
    let window_control = window_control.map(|WindowControlConfig { buffer_packets, flow_timeout }| {
        object([("buffer_packets", json!(buffer_packets)), ("flow_timeout_ns", span(flow_timeout))])
    });
    with(fixed, [("limiter", policer), ("window_control", window_control)])
}

fn station_json(station: &StationConfig) -> Value {
    let StationConfig { name, data_rate, ap_data_rate, queue, loss } = station;
    let QueueConfig { limit, discipline, rate: _ } = queue;
    let limit = match limit {
        QueueLimit::Packets(frames) => ("queue_frames", json!(frames)),
        QueueLimit::Bytes(bytes) => ("queue_bytes", json!(bytes)),
    };
    let fixed = object([
        ("data_rate_bps", rate(*data_rate)),
        ("errors", loss.as_ref().map_or(Value::Null, frame_loss_json)),
        ("name", json!(name)),
        limit,
    ]);
    let own_discipline = *discipline != Discipline::default();
    // Of the form that keys have had since the first: the scope apart from the model, and only where it is not the usual one.
    let own_scope = loss.filter(|loss| *loss != FrameLoss::of(loss.model)).map(|loss| {
        let FrameLoss { model: _, position, frames, direction } = loss;
        json!(format!(
            "ErrorScope {{ position: {position:?}, frames: {frames:?}, direction: {direction:?} }}"
        ))
    });
    let later = [
        ("ap_data_rate_bps", (ap_data_rate != data_rate).then(|| rate(*ap_data_rate))),
        ("discipline", own_discipline.then(|| settled(discipline))),
        ("error_scope", own_scope),
    ];
    with(fixed, later)
}

fn frame_loss_json(loss: &FrameLoss) -> Value {
    let LossModel { probability, of } = loss.model;
    match (probability, of) {
        (LossProbability::Constant(probability), LossUnit::Packet) => object([("frame", json!(probability))]),
        (LossProbability::Constant(probability), LossUnit::Bit) => object([("bit", json!(probability))]),
        (LossProbability::GilbertElliott { good, bad, mean_good, mean_bad }, of) => {
            let states = states_json(good, bad, mean_good, mean_bad);
            with(states, [("of", (of == LossUnit::Bit).then(|| unit_json(of)))])
        }
    }
}

fn flow_json(flow: &Flow) -> Value {
    let Flow { name, source, sink, transport, traffic, direction: _, forward: _, backward: _ } = flow;
    object([
        ("name", json!(name)),
        ("sink", json!(sink)),
        ("source", json!(source)),
        ("traffic", traffic_json(traffic)),
        ("transport", transport_json(transport)),
    ])
}

fn transport_json(transport: &Transport) -> Value {
    match transport {
        Transport::Tcp { settings, connection } => {
            let connection = match connection {
                Connection::Reuse => "reuse",
                Connection::Fresh => "fresh",
                Connection::Renewed => "renewed",
            };
            object([("connection", json!(connection)), ("tcp", tcp_json(settings))])
        }
        Transport::Udp { datagram_bytes, header_bytes, rate: speed } => object([
            ("datagram_bytes", json!(datagram_bytes)),
            ("header_bytes", json!(header_bytes)),
            ("rate_bps", rate(*speed)),
        ]),
    }
}

/// Without ECN where there is none, as [`with`] does it.
fn tcp_json(settings: &Settings) -> Value {
    Value::String(format!("{settings:?}").replace(", ecn: false", ""))
}

fn traffic_json(traffic: &Traffic) -> Value {
    match traffic {
        Traffic::Persistent { start, spread, stop } => object([
            ("spread_ns", span(*spread)),
            ("start_ns", span(*start)),
            ("stop_ns", stop.map_or(Value::Null, span)),
        ]),
        Traffic::Intermittent { start, spread, bytes, gap } => object([
            ("bytes", json!(bytes)),
            ("gap", gap_json(gap)),
            ("spread_ns", span(*spread)),
            ("start_ns", span(*start)),
        ]),
    }
}

fn gap_json(gap: &Gap) -> Value {
    match gap {
        Gap::Fixed(period) => object([("fixed_ns", span(*period))]),
        Gap::Uniform { low, high } => object([("high_ns", span(*high)), ("low_ns", span(*low))]),
        Gap::Exponential(mean) => object([("mean_ns", span(*mean))]),
    }
}

/// The settings of another crate: integers in nanoseconds and bit/s, reals exact. The derived form names every field,
/// so that a setting that is added there cannot be forgotten; where it is spelt differently, a result is computed anew.
fn settled(settings: &impl std::fmt::Debug) -> Value {
    Value::String(format!("{settings:?}"))
}
