//! Effort and gains (Mamatas & Tsaoussidis).

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    MetricInfo {
        name: "goodput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "Original data over connection time: payload acknowledged in the measured window (of UDP: delivered), \
                     each byte once and without headers, summed over all flows, over the window's length. The same as \
                     throughput_total.",
        source: MAMATAS,
        note: Some("payload once, no headers: the same as throughput_total"),
        ..PLAIN
    },
    MetricInfo {
        name: "throughput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "All bytes that the senders handed to their interfaces in the measured window over its length, summed \
                     over all flows: of each segment, first transmissions, retransmissions and the SYN alike, its payload \
                     and 40 header bytes of TCP and IP (of UDP: its own header). Acknowledgements do not count; what is \
                     lost on the way does.",
        source: MAMATAS,
        note: Some("all bytes sent: headers and retransmissions included"),
        ..PLAIN
    },
    MetricInfo {
        name: "eee",
        unit: "1",
        range: ANY,
        larger_is_better: Some(false),
        definition: "Extra energy expenditure a (Throughput - Goodput) / Throughput_max + b (Throughput_max - Throughput) \
                     / Throughput_max with the scenario's [effort]: throughput_max, a = eee_a (1), b = eee_b (0.3). From 0 \
                     to 1 with these a and b as long as Throughput is at most Throughput_max; cross traffic over a second \
                     bottleneck lifts it above, and then EEE leaves that range.",
        source: MAMATAS,
        ..PLAIN
    },
    MetricInfo {
        name: "uar",
        unit: "1",
        range: ANY,
        larger_is_better: Some(false),
        definition: "Unexploited available resources 1 - (a Throughput / Throughput_max + b Goodput / Throughput) with the \
                     scenario's [effort]: throughput_max, a = uar_a (0.5), b = uar_b (0.5); 1 where nothing is sent. From \
                     0 to 1 with these a and b as long as Throughput is at most Throughput_max; cross traffic over a \
                     second bottleneck lifts it above, and then UAR falls below 0.",
        source: MAMATAS,
        ..PLAIN
    },
    MetricInfo {
        name: "overhead",
        unit: "1",
        range: Bounds { low: None, high: Some(1.0) },
        larger_is_better: Some(false),
        definition: "(Bytes sent - original bytes) / bytes sent = 1 - Goodput / Throughput: what retransmissions, losses \
                     and headers take. Not below 0 where the measured window starts with the run; after a warm-up, data \
                     sent during it counts as goodput alone.",
        source: MAMATAS,
        ..PLAIN
    },
    index(
        "realtime_index",
        "Real-time performance index, packets delivered in time over packets delivered. A packet is the first arrival of \
         a distinct data segment (or datagram) at the sink, in order or not; it is in time when it comes no later than \
         the deadline (100 ms unless the scenario's [realtime] says otherwise) after the flow's previous one. A flow's \
         very first has none before it and is left out. Pooled over flows; pauses of the application count as late.",
        MAMATAS,
    ),
];
