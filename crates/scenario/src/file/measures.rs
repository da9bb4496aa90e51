//! Settings of metrics: one table for each group of them.

use airfair_core::schema::Settings;

use crate::file::declared::table;
use crate::resolved::{Convergence as ConvergenceSettings, FairnessSettings, RealtimeSettings, Weights};
use crate::value::RateValue;

table! {
    /// The quantity that fairness compares.
    #[derive(Default)]
    pub struct Fairness [FairnessSettings::TABLE] {}
}

table! {
    /// Settings of `eee` and `uar`.
    pub struct Effort [Weights::TABLE] {
        /// The capacity of the network, headers included: the bottleneck's rate.
        throughput_max: RateValue,
    }
}

table! {
    /// Settings of `realtime_index`.
    #[derive(Default)]
    pub struct Realtime [RealtimeSettings::TABLE] {}
}

table! {
    /// Settings of `time_to_fairness`.
    #[derive(Default)]
    pub struct Convergence [ConvergenceSettings::TABLE] {}
}
