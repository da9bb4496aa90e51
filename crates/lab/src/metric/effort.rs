//! Effort and gains (Mamatas & Tsaoussidis).

use super::run::{goodput, header_bytes};
use super::*;
use airfair_metrics as formula;
use airfair_scenario::resolved::Effort;

pub const FAMILIES: &[&[Metric]] = &[
    &[Metric {
        name: "goodput",
        title: "Goodput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "Original data over connection time: payload acknowledged in the measured window (of UDP: delivered), \
                     each byte once and without headers, summed over all flows, over the window's length. The same as \
                     throughput_total.",
        source: MAMATAS,
        note: Some("payload once, no headers: the same as throughput_total"),
        compute: Compute::Run(goodput),
    }],
    &[Metric {
        name: "throughput",
        title: "Throughput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "All bytes that the senders handed to their interfaces in the measured window over its length, summed \
                     over all flows: of each segment, first transmissions, retransmissions and the SYN alike, its payload \
                     and 40 header bytes of TCP and IP, whatever its profile puts on the wire (of UDP: its own header). \
                     Acknowledgements do not count; losses on the way do.",
        source: MAMATAS,
        note: Some("payload and 40 header bytes of each segment sent, retransmissions included"),
        compute: Compute::Run(throughput),
    }],
    &[index(
        "eee",
        "Extra energy expenditure",
        ANY,
        "Extra energy expenditure a (Throughput - Goodput) / Throughput_max + b (Throughput_max - Throughput) \
         / Throughput_max with the scenario's [effort]: throughput_max, a = eee_a (1), b = eee_b (0.3). From 0 \
         to 1 with these a and b as long as Throughput is at most Throughput_max; cross traffic over a second \
         bottleneck lifts it above, and then EEE leaves that range.",
        |run| {
            let Effort { throughput_max, eee: (a, b), .. } = effort(run)?;
            formula::eee(throughput(run)?, goodput(run)?, throughput_max.bits_per_second() as f64, a, b)
        },
    )],
    &[index(
        "uar",
        "Unexploited resources",
        ANY,
        "Unexploited available resources 1 - (a Throughput / Throughput_max + b Goodput / Throughput) with the \
         scenario's [effort]: throughput_max, a = uar_a (0.5), b = uar_b (0.5); 1 where nothing is sent. From \
         0 to 1 with these a and b as long as Throughput is at most Throughput_max; cross traffic over a \
         second bottleneck lifts it above, and then UAR falls below 0.",
        |run| {
            let Effort { throughput_max, uar: (a, b), .. } = effort(run)?;
            formula::uar(throughput(run)?, goodput(run)?, throughput_max.bits_per_second() as f64, a, b)
        },
    )],
    &[index(
        "overhead",
        "Overhead",
        Bounds { low: None, high: Some(1.0) },
        "(Bytes sent - original bytes) / bytes sent = 1 - Goodput / Throughput: the share of retransmissions, losses \
         and headers. Not below 0 where the measured window starts with the run; after a warm-up, data sent during it \
         counts as goodput alone.",
        |run| formula::overhead(throughput(run)?, goodput(run)?),
    )],
    &[Metric {
        larger_is_better: Some(true),
        ..index(
            "realtime_index",
            "Real-time index",
            FRACTION,
            "Real-time performance index, packets delivered in time over packets delivered. A packet is the first arrival of \
             a distinct data segment (or datagram) at the sink, in order or not; it is in time when it comes no later than \
             the deadline (100 ms unless the scenario's [realtime] says otherwise) after the flow's previous one. A flow's \
             very first has none before it and is left out. Pooled over flows; pauses of the application count as late.",
            |run| {
                let in_time = run.count(|flow| flow.counts.arrivals.arrivals_in_time);
                formula::realtime_index(in_time, run.count(|flow| flow.counts.arrivals.arrivals))
            },
        )
    }],
];

const fn index(
    name: &'static str,
    title: &'static str,
    range: Bounds,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Kind { unit: "1", range, larger_is_better: Some(false) }.metric(
        name,
        title,
        definition,
        MAMATAS,
        Compute::Run(compute),
    )
}

/// Returns System Throughput in bit/s: all segments sent, with the same headers for each.
fn throughput(run: &Run<'_>) -> Value {
    let sent = run.configured_flows().map(|(flow, record)| {
        let sender = &record.counts.sender;
        formula::bytes_sent(sender.sent_bytes, sender.segments, u64::from(header_bytes(flow)))
    });
    formula::throughput(sent.sum(), run.window)
}

fn effort(run: &Run<'_>) -> Result<Effort, Undefined> {
    run.scenario.measures.effort.ok_or(Undefined::NotSet("throughput_max in [effort]"))
}
