//! Finite sessions: instantaneous fairness and finish times (Jung & Park).

use super::*;
use airfair_metrics::{
    NS2_NO_TIME, Session, counted_finish_time, fairness_ratio, finish_time_mean, instantaneous_fairness,
    instantaneous_fairness_lower, median,
};

const JUNG: &str = "Jung & Park, \"Instantaneous fairness of TCP in heterogeneous traffic wireless LAN environments\", \
                    Section 3.3, equations (1) to (3).";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        INDEX.metric(
            "instantaneous_fairness_sent",
            "Instantaneous fairness, until sent",
            "Mean of r = (l/S)/m over the finite sessions that start in the measured window, with length l, fair share S, \
             and m from the requested start until the last byte is first handed to the interface (the paper's finish \
             time). A session sent in no time at all counts as m = 1 ms. 1: each session got its fair share at once; may \
             exceed 1. Sessions that never got that far are left out.",
            JUNG,
            Compute::Finished(Stage::Sent, index),
        ),
        INDEX.metric(
            "instantaneous_fairness_acked",
            "Instantaneous fairness, until acknowledged",
            "As instantaneous_fairness_sent, with m until the last byte is acknowledged at the sender.",
            JUNG_OWN,
            Compute::Finished(Stage::Acked, index),
        ),
        INDEX.metric(
            "instantaneous_fairness_delivered",
            "Instantaneous fairness, until delivered",
            "As instantaneous_fairness_sent, with m until the last byte is delivered in order at the receiver.",
            JUNG_OWN,
            Compute::Finished(Stage::Delivered, index),
        ),
        INDEX.metric(
            "instantaneous_fairness_acked_lower",
            "Instantaneous fairness, until acknowledged, lower bound",
            "Lower bound of instantaneous_fairness_acked: the mean over all sessions, with r = 0 for those that have not \
             finished at the end of the run.",
            JUNG_OWN,
            Compute::Sessions(|sessions| instantaneous_fairness_lower(&timed(sessions, Stage::Acked)?, None)),
        ),
    ],
    &[
        finish_time(
            "finish_time_sent_mean",
            "Mean finish time, until sent",
            "Mean of m over the finite sessions that start in the measured window, m from the requested start until the \
             last byte is first handed to the interface; no time at all counts as 1 ms. Unfinished sessions are left out.",
            Stage::Sent,
            mean,
        ),
        finish_time(
            "finish_time_acked_mean",
            "Mean finish time, until acknowledged",
            "As finish_time_sent_mean, until the last byte is acknowledged at the sender; the wait of a delayed ACK is part of it.",
            Stage::Acked,
            mean,
        ),
        finish_time(
            "finish_time_delivered_mean",
            "Mean finish time, until delivered",
            "As finish_time_sent_mean, until the last byte is delivered in order at the receiver.",
            Stage::Delivered,
            mean,
        ),
        finish_time(
            "finish_time_sent_median",
            "Median finish time, until sent",
            "Median instead of the mean in finish_time_sent_mean (of an even number: the mean of the two middle values).",
            Stage::Sent,
            middle,
        ),
        finish_time(
            "finish_time_acked_median",
            "Median finish time, until acknowledged",
            "Median instead of the mean in finish_time_acked_mean.",
            Stage::Acked,
            middle,
        ),
        finish_time(
            "finish_time_delivered_median",
            "Median finish time, until delivered",
            "Median instead of the mean in finish_time_delivered_mean.",
            Stage::Delivered,
            middle,
        ),
    ],
    &[Metric {
        name: "sessions_unfinished",
        title: "Unfinished sessions",
        unit: "session",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Finite sessions requested in the measured window whose last byte is not acknowledged at the end of \
                     the run.",
        source: COUNT,
        note: None,
        compute: Compute::Sessions(unfinished),
    }],
];

/// Distributions with one value for each session: its ratio r, its finish time m.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "instantaneous_fairness_sent",
        title: "instantaneous fairness, until sent",
        mean: "instantaneous_fairness_sent",
        values: Values::Sessions(|sessions| ratios(sessions, Stage::Sent)),
    },
    Distribution {
        name: "instantaneous_fairness_acked",
        title: "instantaneous fairness, until acknowledged",
        mean: "instantaneous_fairness_acked",
        values: Values::Sessions(|sessions| ratios(sessions, Stage::Acked)),
    },
    Distribution {
        name: "instantaneous_fairness_delivered",
        title: "instantaneous fairness, until delivered",
        mean: "instantaneous_fairness_delivered",
        values: Values::Sessions(|sessions| ratios(sessions, Stage::Delivered)),
    },
    Distribution {
        name: "finish_time_sent",
        title: "finish time, until sent",
        mean: "finish_time_sent_mean",
        values: Values::Sessions(|sessions| times(sessions, Stage::Sent)),
    },
    Distribution {
        name: "finish_time_acked",
        title: "finish time, until acknowledged",
        mean: "finish_time_acked_mean",
        values: Values::Sessions(|sessions| times(sessions, Stage::Acked)),
    },
    Distribution {
        name: "finish_time_delivered",
        title: "finish time, until delivered",
        mean: "finish_time_delivered_mean",
        values: Values::Sessions(|sessions| times(sessions, Stage::Delivered)),
    },
];

const fn finish_time(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    stage: Stage,
    of: fn(&[SessionRecord], Stage) -> Value,
) -> Metric {
    TIME.metric(name, title, definition, JUNG_OWN, Compute::Finished(stage, of))
}

fn index(sessions: &[SessionRecord], stage: Stage) -> Value {
    instantaneous_fairness(&timed(sessions, stage)?, no_time(stage))
}

fn mean(sessions: &[SessionRecord], stage: Stage) -> Value {
    finish_time_mean(&finish_times(sessions, stage))
}

fn middle(sessions: &[SessionRecord], stage: Stage) -> Value {
    median(&finish_times(sessions, stage))
}

fn unfinished(sessions: &[SessionRecord]) -> Value {
    Ok(sessions.iter().filter(|session| session.acked.is_none()).count() as f64)
}

fn timed(sessions: &[SessionRecord], stage: Stage) -> Result<Vec<Session>, Undefined> {
    sessions
        .iter()
        .map(|session| {
            let ideal = session.ideal.ok_or(Undefined::Nothing(
                "fair shares for all of its sessions (`fair_share = \"measured\"` in the file has them measured)",
            ))?;
            Ok(Session { ideal, measured: session.until(stage) })
        })
        .collect()
}

/// Returns the finish times of the finished sessions in seconds. Zero, which only the stage "sent" allows, counts as
/// [`NS2_NO_TIME`], as in the index.
fn finish_times(sessions: &[SessionRecord], stage: Stage) -> Vec<f64> {
    let finished = sessions.iter().filter_map(|session| session.until(stage));
    finished.map(|measured| counted_finish_time(measured, Some(NS2_NO_TIME))).collect()
}

/// Returns what a finish time of zero counts as. It is possible for the stage "sent" alone.
fn no_time(stage: Stage) -> Option<f64> {
    (stage == Stage::Sent).then_some(NS2_NO_TIME)
}

/// Returns the finish times of sessions, and the number of sessions without one.
pub fn times(sessions: &[SessionRecord], stage: Stage) -> Result<Sample, Undefined> {
    let finished = finish_times(sessions, stage);
    Ok(Sample { unfinished: sessions.len() - finished.len(), finished })
}

fn ratios(sessions: &[SessionRecord], stage: Stage) -> Result<Sample, Undefined> {
    let timed = timed(sessions, stage)?;
    let finished = timed.iter().filter_map(|session| Some((session.ideal, session.measured?)));
    let ratio = |(ideal, measured)| fairness_ratio(ideal, counted_finish_time(measured, no_time(stage)));
    let finished = finished.map(ratio).collect::<Result<Vec<_>, _>>()?;
    Ok(Sample { unfinished: sessions.len() - finished.len(), finished })
}
