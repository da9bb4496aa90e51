//! Warnings of legal but hopeless scenarios.

mod flow;
mod link;
mod wlan;

use airfair_core::schema::Value;
use airfair_core::{Span, Time};
use airfair_queue::discipline::automatic_minimum;
use airfair_queue::{QueueConfig, QueueLimit};

use crate::packet_lengths;
use crate::resolved::{HopRef, Scenario};
use crate::units::{self, Dimension};

/// Returns the warnings of a scenario. Each text appears once, however many links or stations it is about.
pub fn of(scenario: &Scenario) -> Vec<String> {
    let end = Time::ZERO + scenario.warmup + scenario.duration;
    let mut told: Vec<Told> = Vec::new();
    let mut tell = |kind: &'static str, name: &str, texts: Vec<String>| {
        for text in texts {
            match told.iter_mut().find(|other| other.kind == kind && other.text == text) {
                Some(other) => other.more += 1,
                None => told.push(Told { kind, first: name.to_owned(), more: 0, text }),
            }
        }
    };
    let longest = Longest::of(scenario);
    for (config, &longest) in scenario.link_directions().zip(&longest.links) {
        tell("link", &config.name, link::of(config, longest, end));
    }
    for (number, wlan) in scenario.wlans.iter().enumerate() {
        let (sent, received) = (&longest.stations[number], &longest.received[number]);
        for (index, station) in wlan.bss.stations.iter().enumerate() {
            tell("station", &station.name, wlan::of_station(&wlan.bss, index, sent[index], received[index]));
        }
        tell("WLAN", &wlan.name, wlan::of_wlan(wlan, number, &scenario.flows));
    }
    let sentences = told.iter().map(Told::sentence).chain(flow::of(&scenario.flows, end));
    let sentences = sentences.chain(flow::stopped(&scenario.flows, scenario.warmup));
    let sentences = sentences.chain(flow::small_frames(&scenario.flows)).chain(flow::without_edca(scenario));
    sentences.chain(of_length(end.since(Time::ZERO))).collect()
}

/// Warns of a run that takes long to compute, most of all because somebody may have meant a shorter unit.
fn of_length(run: Span) -> Option<String> {
    const LONG: Span = Span::from_secs(30 * 86_400);
    (run > LONG).then(|| {
        let days = (run.as_secs() / 86_400.0).round();
        format!(
            "the run covers {}, or {days} days, of simulated time: it may take hours to compute",
            shown(run)
        )
    })
}

/// A warning about one or more things of a kind.
struct Told {
    kind: &'static str,
    first: String,
    more: usize,
    text: String,
}

impl Told {
    fn sentence(&self) -> String {
        let Told { kind, first, more, text } = self;
        let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{kind} `{first}`{more}: {text}")
    }
}

/// The longest packet in bytes that each queue is regularly given, and each station receives; `None` if no flow passes there.
struct Longest {
    /// For each direction of each link, in the order of [`Scenario::link_directions`].
    links: Vec<Option<u32>>,
    /// Given to each station of each WLAN.
    stations: Vec<Vec<Option<u32>>>,
    /// Received by each station of each WLAN.
    received: Vec<Vec<Option<u32>>>,
}

impl Longest {
    fn of(scenario: &Scenario) -> Longest {
        let stations: Vec<_> = scenario.wlans.iter().map(|wlan| vec![None; wlan.members.len()]).collect();
        let links = vec![None; 2 * scenario.links.len()];
        let mut longest = Longest { links, received: stations.clone(), stations };
        for flow in &scenario.flows {
            let (there, back) = packet_lengths::of(flow, scenario);
            let ways = [(&flow.forward, Some(there)), (&flow.backward, back)];
            for (hops, bytes) in ways {
                for hop in hops {
                    let longest = match *hop {
                        HopRef::Link { link, reverse } => &mut longest.links[2 * link + usize::from(reverse)],
                        HopRef::Wlan { wlan, from, to } => {
                            let received = &mut longest.received[wlan][to];
                            *received = (*received).max(bytes);
                            &mut longest.stations[wlan][from]
                        }
                    };
                    *longest = (*longest).max(bytes);
                }
            }
        }
        longest
    }
}

/// Warns of a queue that is given packets of `bytes` bytes.
fn of_queue(queue: &QueueConfig, bytes: u32) -> Vec<String> {
    let mut texts = Vec::new();
    if let QueueLimit::Bytes(limit) = queue.limit
        && limit < u64::from(bytes)
    {
        texts.push(format!(
            "its queue of {limit} B has no room for a packet of {bytes} B: none of these gets through"
        ));
    }
    texts.extend(of_threshold(queue));
    texts
}

/// Warns of RED and CHOKe with a minimum threshold that the average of waiting packets never passes. The packet in
/// service does not wait.
fn of_threshold(queue: &QueueConfig) -> Option<String> {
    let discipline = &queue.discipline;
    let Some(Value::Bytes(mean_packet)) = discipline.value("mean_packet") else { return None };
    let minimum = match (discipline.value("min_threshold")?, discipline.value("max_threshold")) {
        (Value::Number(minimum), _) => minimum,
        (_, Some(Value::Number(maximum))) => automatic_minimum(mean_packet, Some(maximum), queue.rate),
        _ => automatic_minimum(mean_packet, None, queue.rate),
    };
    let waiting = match queue.limit {
        QueueLimit::Packets(packets) => f64::from(packets) - 1.0,
        QueueLimit::Bytes(bytes) => bytes as f64 / mean_packet as f64 - 1.0,
    };
    (minimum >= waiting).then(|| {
        let name = discipline.name();
        format!(
            "its `{name}` drops early above an average of {minimum} packets, and no more than {waiting} can wait: it is \
             drop-tail"
        )
    })
}

fn shown(span: Span) -> String {
    units::display(span.as_secs(), Dimension::Time)
}

fn shown_rate(bits_per_second: f64) -> String {
    units::display(bits_per_second, Dimension::Rate)
}
