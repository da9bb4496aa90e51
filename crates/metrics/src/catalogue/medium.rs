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
        ..PLAIN
    },
    MetricInfo {
        name: "ap_queue_mean",
        unit: "packet",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Packets that wait in the access point's wireless interface queue, averaged over the measured \
                     window; the one in service does not count.",
        source: COUNT,
        ..PLAIN
    },
    MetricInfo {
        name: "ap_drop_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: Some(false),
        definition: "Packets dropped at the access point's wireless interface queue, because it was full or by its \
                     discipline, over packets offered to it, in the measured window: the paper's loss probability in the \
                     downlink buffer.",
        source: COUNT,
        note: Some("at the access point's wireless queue"),
        ..PLAIN
    },
    MetricInfo {
        name: "ap_mark_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: None,
        definition: "Packets marked with Congestion Experienced (RFC 3168) by the access point's wireless interface queue \
                     over packets offered to it, in the measured window.",
        source: COUNT,
        note: Some("at the access point's wireless queue"),
        ..PLAIN
    },
    MetricInfo {
        name: "ap_queue_delay_mean",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Mean time that packets spend in the access point's wireless interface queue, of those that leave it to be \
                     sent in the measured window, until each one's own transmission is next. Packets dropped after they \
                     had waited do not count.",
        source: "A count of the engine's: the sojourn time of RFC 8289, Section 3.1.",
        ..PLAIN
    },
    MetricInfo {
        name: "limiter_drop_rate",
        unit: "1",
        range: FRACTION,
        larger_is_better: None,
        definition: "Packets dropped by the token buckets at access points over packets that arrived at them over the air \
                     for the wire, data and acknowledgements, in the measured window. None without a limiter.",
        source: BLEFARI_LIMITER,
        note: Some("at the access point's token bucket"),
        ..PLAIN
    },
];
