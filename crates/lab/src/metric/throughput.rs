//! Throughputs.

use super::run::{all, down, header_bytes, intermittent, payload_bytes, persistent, sum_of, up};
use super::*;
use crate::outcome::FlowRecord;
use airfair_scenario::resolved::Flow;

const PAYLOAD: &str = "goodput: payload once, no headers, nothing sent again";
const WITH_HEADERS: &str = "goodput with its headers: nothing sent again";

pub const FAMILIES: &[&[Metric]] = &[&[
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
]];

const fn rate(
    name: &'static str,
    title: &'static str,
    note: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Metric {
        name,
        title,
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition,
        source: "Usage of the field: RFC 2647, Section 3.17 (goodput).",
        note: Some(note),
        compute: Compute::Run(compute),
    }
}

fn total(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Value {
    sum_of(&run.throughputs(of), "such flows")
}

fn with_headers(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Value {
    let flows = run.configured_flows().filter(|(_, record)| of(record));
    let rates: Vec<_> = flows.map(|(flow, record)| record.throughput * header_share(flow)).collect();
    sum_of(&rates, "such flows")
}

/// Bytes with headers for each payload byte of a full segment or datagram.
fn header_share(flow: &Flow) -> f64 {
    1.0 + f64::from(header_bytes(flow)) / f64::from(payload_bytes(flow))
}
