//! The formulas of metrics: pure functions on plain slices, one for each published definition, and statistics over seeds.
//! `airfair-lab` declares the metrics that use them.
//!
//! Every function states its formula, source, unit and range. Rates are in bit/s, times in seconds, sizes in
//! bytes. An undefined result is an [`Undefined`] with its reason, never NaN. Sums run in the order of the slice, so
//! a result depends only on its input.

mod achievement;
mod average;
mod convergence;
mod delay;
mod effort;
mod emodel;
mod estimate;
mod freeze;
mod gaimd;
mod instantaneous;
mod jain;
mod medium;
mod paired;
mod playout;
mod quantile;
mod responsiveness;
mod share;
mod spread;
mod starvation;
mod student;
mod throughput;
mod undefined;
mod worst_case;

pub use achievement::{achieved_goodput, agi, bottleneck_rate, nagi};
pub use average::{finish_time_mean, mean};
pub use convergence::{Cumulative, predicted_time_to_fairness, time_to_fairness};
pub use delay::queue_delay_mean;
pub use effort::{bytes_sent, eee, goodput, overhead, uar};
pub use emodel::{Equipment, burst_ratio, mos, mos_wideband, r_factor, r_factor_wideband};
pub use estimate::{Estimate, Verdict, estimate};
pub use freeze::freeze_ratio;
pub use gaimd::{congestion_epoch, friendly_alpha, gaimd_throughput, window_share};
pub use instantaneous::{
    NS2_NO_TIME, Session, counted_finish_time, fairness_ratio, ideal_finish_time, instantaneous_fairness,
    instantaneous_fairness_lower,
};
pub use jain::jain;
pub use medium::{airtime_shares, collision_rate};
pub use paired::paired_difference;
pub use playout::{Heard, VoiceFrame, adaptive_playout, fixed_playout};
pub use quantile::{Unfinished, median, quantile, quantile_with_unfinished};
pub use responsiveness::round_trips_per_minute;
pub use share::{drop_rate, limiter_drop_rate, loss_rate, mark_rate, realtime_index, rexmit_fraction};
pub use spread::{sigma_over_mean, standard_deviation};
pub use starvation::starved;
pub use student::t_975;
pub use throughput::throughput;
pub use undefined::Undefined;
pub use worst_case::worst_case_fairness;
