//! What a constant window is judged by (Ghosh, Das, Roy & Mukherjee).

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    MetricInfo {
        name: "goodput_total",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "Payload acknowledged in the measured window (of UDP: delivered) over its length, summed over all \
                     flows; the same as goodput.",
        source: GHOSH,
        ..PLAIN
    },
    MetricInfo {
        name: "goodput_mean",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "goodput_total over the number of flows.",
        source: GHOSH,
        ..PLAIN
    },
    MetricInfo {
        name: "packets_stddev",
        unit: "packet",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Population standard deviation over the flows of the packets that each got through in the measured \
                     window: payload delivered in order at the receiver, in full segments (of UDP: datagrams). \
                     0: all equal.",
        source: GHOSH,
        ..PLAIN
    },
];
