//! Throughputs.

use super::run::{all, down, header_bytes, intermittent, payload_bytes, persistent, sum_of, up};
use super::*;
use crate::outcome::FlowRecord;
use airfair_scenario::resolved::{Flow, HopRef};
use std::sync::LazyLock;

const PAYLOAD: &str = "goodput: payload once, no headers, nothing sent again";
const WITH_HEADERS: &str = "goodput: payload and its headers once, nothing sent again";

pub const FAMILIES: &[&[Metric]] = &[ALL, OF_NETWORKS];

const ALL: &[Metric] = &[
    rate(
        "throughput_total",
        "Total throughput",
        PAYLOAD,
        "Payload acknowledged in the measured window (of UDP: delivered), summed over all flows, over its length.",
        |run| total(run, all),
    ),
    rate(
        "throughput_persistent",
        "Throughput, persistent flows",
        PAYLOAD,
        "throughput_total of the persistent flows alone.",
        |run| total(run, persistent),
    ),
    rate(
        "throughput_intermittent",
        "Throughput, intermittent flows",
        PAYLOAD,
        "throughput_total of the intermittent flows alone.",
        |run| total(run, intermittent),
    ),
    rate(
        "throughput_up",
        "Throughput, upstream",
        PAYLOAD,
        "throughput_total of the flows from a station alone.",
        |run| total(run, up),
    ),
    rate(
        "throughput_down",
        "Throughput, downstream",
        PAYLOAD,
        "throughput_total of the flows towards a station alone.",
        |run| total(run, down),
    ),
    rate(
        "throughput_ip",
        "Throughput, with headers",
        WITH_HEADERS,
        "throughput_total with the 40 header bytes of TCP and IP counted for each full segment (of UDP: its own header).",
        |run| with_headers(run, all),
    ),
    rate(
        "throughput_up_ip",
        "Throughput, upstream, with headers",
        WITH_HEADERS,
        "throughput_ip of the flows from a station alone.",
        |run| with_headers(run, up),
    ),
    rate(
        "throughput_down_ip",
        "Throughput, downstream, with headers",
        WITH_HEADERS,
        "throughput_ip of the flows towards a station alone.",
        |run| with_headers(run, down),
    ),
];

/// Declares a metric for each of the first networks: few scenarios have more.
macro_rules! of_networks {
    ($($number:literal $place:literal),+) => {
        &[$(of(
            concat!("throughput_bss", $number),
            concat!("Throughput, network ", $number),
            PAYLOAD,
            concat!("throughput_total of the flows over the ", $place, " wireless network."),
            Compute::Network(of_network, $number),
        )),+]
    };
}

pub const OF_NETWORKS: &[Metric] = of_networks![
    0 "first", 1 "second", 2 "third", 3 "fourth", 4 "fifth", 5 "sixth", 6 "seventh", 7 "eighth"
];

/// Number of networks that have a metric: as many as the packaged scenarios may have.
const NETWORKS: usize = 100;

/// Returns the metrics of further networks, up to `throughput_bss99`. They are not listed.
pub fn of_further_networks() -> impl Iterator<Item = &'static Metric> + Clone {
    static FURTHER: LazyLock<Vec<Metric>> = LazyLock::new(|| {
        // The texts are leaked once, and live as long as those that are written in the source.
        let further = |number| {
            of(
                format!("throughput_bss{number}").leak(),
                format!("Throughput, network {number}").leak(),
                PAYLOAD,
                format!(
                    "throughput_total of the flows over the wireless network with the number {number}; the first has 0."
                )
                .leak(),
                Compute::Network(of_network, number),
            )
        };
        (OF_NETWORKS.len()..NETWORKS).map(further).collect()
    });
    FURTHER.iter()
}

const fn rate(
    name: &'static str,
    title: &'static str,
    note: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    of(name, title, note, definition, Compute::Run(compute))
}

const fn of(
    name: &'static str,
    title: &'static str,
    note: &'static str,
    definition: &'static str,
    compute: Compute,
) -> Metric {
    Metric {
        note: Some(note),
        ..RATE.metric(
            name,
            title,
            definition,
            "Usage of the field: RFC 2647, Section 3.17 (goodput).",
            compute,
        )
    }
}

fn total(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Value {
    sum_of(&run.throughputs(of), "such flows")
}

fn of_network(run: &Run<'_>, number: usize) -> Value {
    let crosses = |flow: &Flow| {
        flow.forward.iter().any(|hop| matches!(hop, HopRef::Wlan { wlan, .. } if *wlan == number))
    };
    let flows = run.configured_flows().filter(|(flow, _)| crosses(flow));
    let rates: Vec<_> = flows.map(|(_, record)| record.throughput).collect();
    sum_of(&rates, "flows over such a network")
}

fn with_headers(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Value {
    let flows = run.configured_flows().filter(|(_, record)| of(record));
    let rates: Vec<_> = flows.map(|(flow, record)| record.throughput * header_share(flow)).collect();
    sum_of(&rates, "such flows")
}

/// Returns the bytes with headers for each payload byte of a full segment or datagram.
fn header_share(flow: &Flow) -> f64 {
    1.0 + f64::from(header_bytes(flow)) / f64::from(payload_bytes(flow))
}
