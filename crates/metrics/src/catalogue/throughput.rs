//! Throughputs.

use super::*;

const PAYLOAD: &str = "goodput: payload once, no headers, nothing sent again";
const WITH_HEADERS: &str = "goodput with its headers: nothing sent again";

pub(super) const METRICS: &[MetricInfo] = &[
    rate(
        "throughput_total",
        PAYLOAD,
        "Payload acknowledged in the measured window (of UDP: delivered), summed over all flows, over its length.",
    ),
    rate("throughput_persistent", PAYLOAD, "throughput_total of the persistent flows alone."),
    rate("throughput_intermittent", PAYLOAD, "throughput_total of the intermittent flows alone."),
    rate("throughput_up", PAYLOAD, "throughput_total of the flows from a station alone."),
    rate("throughput_down", PAYLOAD, "throughput_total of the flows towards a station alone."),
    rate(
        "throughput_ip",
        WITH_HEADERS,
        "throughput_total with the 40 header bytes of TCP and IP counted for each full segment (of UDP: its own header).",
    ),
    rate("throughput_up_ip", WITH_HEADERS, "throughput_ip of the flows from a station alone."),
    rate("throughput_down_ip", WITH_HEADERS, "throughput_ip of the flows towards a station alone."),
];
