//! Wireless networks: the air and the interface queues.

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    MetricInfo {
        name: "collision_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Transmission attempts that collided over all attempts (RTS frames, or data frames sent without \
                     one), of all stations in the measured window.",
        source: BIANCHI,
    },
    MetricInfo {
        name: "ap_queue_mean",
        unit: "packet",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Packets that wait in the access point's wireless interface queue, averaged over the measured \
                     window; the one in service does not count.",
        source: COUNT,
    },
    MetricInfo {
        name: "ap_drop_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Packets dropped at the access point's wireless interface queue over packets offered to it, in the \
                     measured window.",
        source: COUNT,
    },
];
