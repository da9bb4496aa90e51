//! Settings of metrics: one table for each group of them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::value::{FractionValue, NumberValue, RateValue, TimeValue, WordValue};

/// The quantity that fairness compares.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fairness {
    /// The quantity that `jain`, `jain_persistent` and `worst_case_fairness` compare: `throughput` (the default) or `sending-rate`.
    pub of: Option<WordValue>,
}

/// Settings of `eee` and `uar`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// The capacity of the network, headers included: the bottleneck's rate.
    pub throughput_max: RateValue,
    /// Weight of data sent in vain in `eee` (1).
    pub eee_a: Option<NumberValue>,
    /// Weight of idle time in `eee` (0.3).
    pub eee_b: Option<NumberValue>,
    /// Weight of data sent in `uar` (0.5).
    pub uar_a: Option<NumberValue>,
    /// Weight of data sent to good effect in `uar` (0.5).
    pub uar_b: Option<NumberValue>,
}

/// Settings of `realtime_index`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Realtime {
    /// A packet is in time that arrives no later than this after the one before (100 ms).
    pub deadline: Option<TimeValue>,
}

/// Settings of `time_to_fairness`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// The time over which the throughputs of flows are compared (1 s).
    pub window: Option<TimeValue>,
    /// Jain's index that counts as fair (0.95).
    pub index: Option<FractionValue>,
}
