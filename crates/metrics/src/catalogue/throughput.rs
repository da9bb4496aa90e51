//! Throughputs.

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    rate(
        "throughput_total",
        "Payload acknowledged in the measured window (of UDP: delivered), summed over all flows, over its length.",
    ),
    rate("throughput_persistent", "throughput_total of the persistent flows alone."),
    rate("throughput_intermittent", "throughput_total of the intermittent flows alone."),
    rate("throughput_up", "throughput_total of the flows from a station alone."),
    rate("throughput_down", "throughput_total of the flows towards a station alone."),
    rate(
        "throughput_ip",
        "throughput_total with the 40 header bytes of TCP and IP counted for each full segment (of UDP: its own header).",
    ),
    rate("throughput_up_ip", "throughput_ip of the flows from a station alone."),
    rate("throughput_down_ip", "throughput_ip of the flows towards a station alone."),
];
