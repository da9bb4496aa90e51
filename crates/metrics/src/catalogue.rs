//! The metrics' descriptions: data only.
//!
//! "Up" is from a station towards the wire, "down" towards a station. The measured window is what follows the
//! warm-up. A persistent flow has one unbounded session, an intermittent one has finite sessions.

use crate::registry::{Bounds, MetricInfo};

const JUNG: &str = "Jung & Park, \"Instantaneous fairness of TCP in heterogeneous traffic wireless LAN environments\", \
                    Section 3.3, equations (1) to (3).";
const JUNG_OWN: &str = "AirFair's, after Jung & Park, Section 3.3.";
const JAIN: &str = "Jain, Chiu & Hawe, \"A quantitative measure of fairness and discrimination for resource \
                    allocation in shared computer systems\", DEC-TR-301, 1984.";
const MAMATAS: &str = "Mamatas & Tsaoussidis, \"Effort/Gains dynamics in heterogeneous networks\".";
const BLEFARI: &str = "Blefari-Melazzi, Detti, Ordine & Salsano, \"Controlling TCP Fairness in WLAN access networks using \
                       a Rate Limiter approach\", Fig. 4.";
const STARVED: &str = "AirFair's bounds for what Blefari-Melazzi et al. call starvation.";
const BIANCHI: &str = "After Bianchi, \"Performance analysis of the IEEE 802.11 distributed coordination function\", 2000, \
                       Section IV.";
const COUNT: &str = "A count of the engine's.";
const GOODPUT: &str = "Usage of the field: RFC 2647, Section 3.17 (goodput).";

const FRACTION: Bounds = Bounds { low: 0.0, high: Some(1.0) };
const FROM_ZERO: Bounds = Bounds { low: 0.0, high: None };

const fn rate(name: &'static str, definition: &'static str) -> MetricInfo {
    MetricInfo {
        name,
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition,
        source: GOODPUT,
    }
}

const fn index(name: &'static str, definition: &'static str, source: &'static str) -> MetricInfo {
    MetricInfo { name, unit: "1", range: FRACTION, larger_is_better: Some(true), definition, source }
}

const fn ratio(name: &'static str, definition: &'static str, source: &'static str) -> MetricInfo {
    MetricInfo { name, unit: "1", range: FROM_ZERO, larger_is_better: Some(true), definition, source }
}

const fn finish_time(name: &'static str, definition: &'static str) -> MetricInfo {
    MetricInfo {
        name,
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition,
        source: JUNG_OWN,
    }
}

const fn count(
    name: &'static str,
    unit: &'static str,
    larger_is_better: Option<bool>,
    definition: &'static str,
    source: &'static str,
) -> MetricInfo {
    MetricInfo { name, unit, range: FROM_ZERO, larger_is_better, definition, source }
}

/// Every metric.
pub(crate) const CATALOGUE: &[MetricInfo] = &[
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
    ratio(
        "instantaneous_fairness_sent",
        "Mean of r = (l/S)/m over the finite sessions that start in the measured window, with length l, fair share S, \
         and m from the requested start until the last byte is first handed to the interface (the paper's finish \
         time). A session sent in no time at all counts as m = 1 ms. 1: each session got its fair share at once; may \
         exceed 1. Sessions that never got that far are left out.",
        JUNG,
    ),
    ratio(
        "instantaneous_fairness_acked",
        "As instantaneous_fairness_sent, with m until the last byte is acknowledged at the sender.",
        JUNG_OWN,
    ),
    ratio(
        "instantaneous_fairness_delivered",
        "As instantaneous_fairness_sent, with m until the last byte is delivered in order at the receiver.",
        JUNG_OWN,
    ),
    ratio(
        "instantaneous_fairness_acked_lower",
        "Lower bound of instantaneous_fairness_acked: the mean over all sessions, with r = 0 for those that have not \
         finished at the end of the run.",
        JUNG_OWN,
    ),
    finish_time(
        "finish_time_sent_mean",
        "Mean of m over the finite sessions that start in the measured window, m from the requested start until the \
         last byte is first handed to the interface; no time at all counts as 1 ms. Unfinished sessions are left out.",
    ),
    finish_time(
        "finish_time_acked_mean",
        "As finish_time_sent_mean, until the last byte is acknowledged at the sender.",
    ),
    finish_time(
        "finish_time_delivered_mean",
        "As finish_time_sent_mean, until the last byte is delivered in order at the receiver.",
    ),
    finish_time(
        "finish_time_sent_median",
        "Median instead of the mean in finish_time_sent_mean (of an even number: the mean of the two middle values).",
    ),
    finish_time("finish_time_acked_median", "Median instead of the mean in finish_time_acked_mean."),
    finish_time("finish_time_delivered_median", "Median instead of the mean in finish_time_delivered_mean."),
    count(
        "sessions_unfinished",
        "session",
        Some(false),
        "Finite sessions requested in the measured window whose last byte is not acknowledged at the end of the run.",
        COUNT,
    ),
    index(
        "jain",
        "Jain's index (x_1 + ... + x_n)^2 / (n (x_1^2 + ... + x_n^2)) of all flows' throughputs. From 1/n (one has all) \
         to 1 (all equal).",
        JAIN,
    ),
    index("jain_persistent", "jain of the persistent flows alone.", JAIN),
    index("worst_case_fairness", "Smallest over largest throughput of all flows.", MAMATAS),
    MetricInfo {
        name: "sigma_over_mean_up",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Population standard deviation of the throughputs of the flows from a station, over their mean. \
                     0: all equal; sqrt(n - 1): one has all.",
        source: BLEFARI,
    },
    MetricInfo {
        name: "sigma_over_mean_down",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "As sigma_over_mean_up, of the flows towards a station.",
        source: BLEFARI,
    },
    count(
        "starved_up",
        "flow",
        Some(false),
        "Flows from a station with less than 1 % of the mean throughput of such flows, or less than 1 kb/s.",
        STARVED,
    ),
    count("starved_down", "flow", Some(false), "As starved_up, of the flows towards a station.", STARVED),
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
    count(
        "segments_sent",
        "segment",
        None,
        "Segments that the senders handed to their interfaces in the measured window, retransmissions included.",
        COUNT,
    ),
    count("retransmissions", "segment", Some(false), "Segments sent again in the measured window.", COUNT),
    count("timeouts", "timeout", Some(false), "Retransmission timeouts in the measured window.", COUNT),
    count(
        "window_cuts",
        "cut",
        None,
        "Reductions of the congestion window by the senders in answer to loss, in the measured window.",
        COUNT,
    ),
];
