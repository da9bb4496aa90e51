//! How evenly flows share.

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    index(
        "jain",
        "Jain's index (x_1 + ... + x_n)^2 / (n (x_1^2 + ... + x_n^2)) over all flows, of their throughputs (payload \
         acknowledged; of UDP: delivered) or, with of = \"sending-rate\" in the scenario's [fairness], of the segments \
         they sent, retransmissions included, over each one's own time. From 1/n (one has all) to 1 (all equal).",
        JAIN,
    ),
    index("jain_persistent", "jain of the persistent flows alone.", JAIN),
    index(
        "worst_case_fairness",
        "Smallest over largest of all flows' throughputs or sending rates, as [fairness] says (see jain).",
        MAMATAS,
    ),
    MetricInfo {
        name: "sigma_over_mean_up",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Population standard deviation of the throughputs of the flows from a station, over their mean. \
                     0: all equal; sqrt(n - 1): one has all.",
        source: BLEFARI,
        ..PLAIN
    },
    MetricInfo {
        name: "sigma_over_mean_down",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "As sigma_over_mean_up, of the flows towards a station.",
        source: BLEFARI,
        ..PLAIN
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
        name: "time_to_fairness",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "From the start of the TCP flow that starts last until Jain's index over the TCP flows of the bytes \
                     acknowledged in the trailing window first reaches the index. Window (1 s) and index (0.95) are \
                     those of the scenario's [convergence]; windows lie wholly after that start and end every tenth of \
                     a window, so that no time is below one window. None where the index is not reached by the end, \
                     there are fewer than two TCP flows, one never starts, or the last starts during the warm-up.",
        source: "AirFair's, after Chiu & Jain, \"Analysis of the increase and decrease algorithms for congestion \
                 avoidance in computer networks\", 1989, and Mamatas & Tsaoussidis, Section 2, equations (4) and (5).",
        ..PLAIN
    },
];
