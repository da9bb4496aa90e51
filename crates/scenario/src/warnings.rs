//! What is legal but hopeless: a scenario loads with a warning that says so.

use airfair_core::{Span, Time};
use airfair_net::{
    ErrorModel, ErrorUnit, Errors, LinkConfig, Outage, OutagePackets, Position, QueueLimit, Repeat,
    packet_loss,
};

use crate::resolved::{Flow, HopRef, Scenario, Traffic, Transport};
use crate::units::{self, Dimension};

/// Of packets that pass less often than this practically none gets through: timeouts have backed off to minutes by then.
const PRACTICALLY_NEVER: f64 = 1e-3;

/// One warning for each text, however many links it is about.
pub fn of(scenario: &Scenario) -> Vec<String> {
    let end = Time::ZERO + scenario.warmup + scenario.duration;
    let longest = longest_packets(scenario);
    let mut told: Vec<Told> = Vec::new();
    for (link, &longest) in scenario.link_directions().zip(&longest) {
        for text in of_link(link, longest, end) {
            match told.iter_mut().find(|other| other.text == text) {
                Some(other) => other.more += 1,
                None => told.push(Told { first: link.name.clone(), more: 0, text }),
            }
        }
    }
    told.iter().map(Told::sentence).collect()
}

/// A warning about some directions of links.
struct Told {
    first: String,
    more: usize,
    text: String,
}

impl Told {
    fn sentence(&self) -> String {
        let Told { first, more, text } = self;
        let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
        format!("link `{first}`{more}: {text}")
    }
}

/// The longest packet that each direction of each link is sent regularly; none where no flow goes.
fn longest_packets(scenario: &Scenario) -> Vec<Option<u32>> {
    let mut longest = vec![None; 2 * scenario.links.len()];
    for flow in &scenario.flows {
        let (there, back) = packets(flow, scenario);
        let ways = [(&flow.forward, Some(there)), (&flow.backward, back)];
        for (hops, bytes) in ways {
            for hop in hops {
                if let HopRef::Link { link, reverse } = *hop {
                    let longest = &mut longest[2 * link + usize::from(reverse)];
                    *longest = (*longest).max(bytes);
                }
            }
        }
    }
    longest
}

/// Bytes on the wire of a flow's full packets, and of what answers them.
fn packets(flow: &Flow, scenario: &Scenario) -> (u32, Option<u32>) {
    let session = match flow.traffic {
        Traffic::Persistent { .. } => u32::MAX,
        Traffic::Intermittent { bytes, .. } => u32::try_from(bytes).unwrap_or(u32::MAX),
    };
    let there = |payload: u32, header| payload.min(session) + header + scenario.station_overhead(flow.source);
    match &flow.transport {
        Transport::Tcp { settings, .. } => (
            there(settings.segment_bytes, settings.header_bytes),
            Some(settings.ack_bytes + scenario.station_overhead(flow.sink)),
        ),
        Transport::Udp { datagram_bytes, header_bytes, .. } => (there(*datagram_bytes, *header_bytes), None),
    }
}

fn of_link(link: &LinkConfig, longest: Option<u32>, end: Time) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(outage) = &link.outage {
        texts.extend(of_outage(outage, end));
    }
    let Some(bytes) = longest else { return texts };
    if let QueueLimit::Bytes(limit) = link.queue
        && limit < u64::from(bytes)
    {
        texts.push(format!(
            "its queue of {limit} B has no room for a packet of {bytes} B: none of these gets through"
        ));
    }
    if let Some(errors) = &link.errors {
        texts.extend(of_errors(errors, bytes));
    }
    if let Some(outage) = &link.outage {
        texts.extend(of_gaps(outage, link, bytes));
    }
    texts
}

fn of_errors(errors: &Errors, bytes: u32) -> Option<String> {
    let loss = |probability| packet_loss(probability, errors.of, bytes);
    let (loss, told) = match errors.model {
        ErrorModel::Constant(probability) => (loss(probability), format!("{probability}")),
        ErrorModel::OnOff { good, bad, mean_good, mean_bad } => {
            let (in_good, in_bad) = (mean_good.as_secs(), mean_bad.as_secs());
            let mean = (in_good * loss(good) + in_bad * loss(bad)) / (in_good + in_bad);
            (mean, format!("{good} in the good state and {bad} in the bad one"))
        }
    };
    let unit = match errors.of {
        ErrorUnit::Packet => "packet",
        ErrorUnit::Bit => "bit",
    };
    (1.0 - loss < PRACTICALLY_NEVER).then(|| {
        let loss = (loss * 1e6).round() / 1e6;
        format!(
            "its probability of error, {told} of a {unit}, loses a packet of {bytes} B with a probability of \
             {loss}: practically none of these gets through"
        )
    })
}

fn of_outage(outage: &Outage, end: Time) -> Option<String> {
    let first = Time::ZERO + outage.start;
    let latest_end = first + outage.duration + outage.spread;
    let (run, duration) = (shown(end.since(Time::ZERO)), shown(outage.duration));
    if first >= end {
        let start = shown(outage.start);
        Some(format!("its outage at {start} has no effect: the run ends at {run}"))
    } else if first + outage.duration > end {
        Some(format!("its outage of {duration} is not over when the run ends, at {run}"))
    } else if outage.repeat == Repeat::Once && latest_end > end {
        Some(format!("its outage of {duration} may start too late to be over when the run ends, at {run}"))
    } else {
        None
    }
}

/// Between periodic outages there must be time for a packet.
fn of_gaps(outage: &Outage, link: &LinkConfig, bytes: u32) -> Option<String> {
    let Repeat::Periodic(period) = outage.repeat else { return None };
    let transmission = link.rate.span_of_bytes(u64::from(bytes));
    let needed = match outage.packets {
        OutagePackets::Held => transmission,
        OutagePackets::Lost(Position::AfterQueue) => transmission + link.delay,
        OutagePackets::Lost(Position::BeforeQueue) => return None,
    };
    let up = period - outage.duration;
    (needed > up).then(|| {
        format!(
            "between outages it is up for {}, and a packet of {bytes} B needs {}: none of these gets through",
            shown(up),
            shown(needed)
        )
    })
}

fn shown(span: Span) -> String {
    units::display(span.as_secs(), Dimension::Time)
}
