//! Finite sessions: instantaneous fairness and finish times (Jung & Park).

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    fairness(
        "instantaneous_fairness_sent",
        Stage::Sent,
        "Mean of r = (l/S)/m over the finite sessions that start in the measured window, with length l, fair share S, \
         and m from the requested start until the last byte is first handed to the interface (the paper's finish \
         time). A session sent in no time at all counts as m = 1 ms. 1: each session got its fair share at once; may \
         exceed 1. Sessions that never got that far are left out.",
        JUNG,
    ),
    fairness(
        "instantaneous_fairness_acked",
        Stage::Acked,
        "As instantaneous_fairness_sent, with m until the last byte is acknowledged at the sender.",
        JUNG_OWN,
    ),
    fairness(
        "instantaneous_fairness_delivered",
        Stage::Delivered,
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
        Stage::Sent,
        "Mean of m over the finite sessions that start in the measured window, m from the requested start until the \
         last byte is first handed to the interface; no time at all counts as 1 ms. Unfinished sessions are left out.",
    ),
    finish_time(
        "finish_time_acked_mean",
        Stage::Acked,
        "As finish_time_sent_mean, until the last byte is acknowledged at the sender.",
    ),
    finish_time(
        "finish_time_delivered_mean",
        Stage::Delivered,
        "As finish_time_sent_mean, until the last byte is delivered in order at the receiver.",
    ),
    finish_time(
        "finish_time_sent_median",
        Stage::Sent,
        "Median instead of the mean in finish_time_sent_mean (of an even number: the mean of the two middle values).",
    ),
    finish_time(
        "finish_time_acked_median",
        Stage::Acked,
        "Median instead of the mean in finish_time_acked_mean.",
    ),
    finish_time(
        "finish_time_delivered_median",
        Stage::Delivered,
        "Median instead of the mean in finish_time_delivered_mean.",
    ),
    count(
        "sessions_unfinished",
        "session",
        Some(false),
        "Finite sessions requested in the measured window whose last byte is not acknowledged at the end of the run.",
        COUNT,
    ),
];

const fn fairness(
    name: &'static str,
    stage: Stage,
    definition: &'static str,
    source: &'static str,
) -> MetricInfo {
    MetricInfo { counts_once: Some(stage), ..ratio(name, definition, source) }
}

const fn finish_time(name: &'static str, stage: Stage, definition: &'static str) -> MetricInfo {
    MetricInfo {
        name,
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition,
        source: JUNG_OWN,
        counts_once: Some(stage),
        ..PLAIN
    }
}
