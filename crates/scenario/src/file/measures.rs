//! What metrics need to be told: one table for each group of them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::value::{FractionValue, NumberValue, RateValue, TimeValue, WordValue};

/// What fairness is the fairness of.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fairness {
    /// What `jain`, `jain_persistent` and `worst_case_fairness` compare: `throughput` (the default) or `sending-rate`.
    pub of: Option<WordValue>,
}

/// What `eee` and `uar` need.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// What the network can carry, headers included: the bottleneck's rate.
    pub throughput_max: RateValue,
    /// Weight of what is sent in vain in `eee` (1).
    pub eee_a: Option<NumberValue>,
    /// Weight of idle time in `eee` (0.3).
    pub eee_b: Option<NumberValue>,
    /// Weight of what is sent in `uar` (0.5).
    pub uar_a: Option<NumberValue>,
    /// Weight of what is sent to good effect in `uar` (0.5).
    pub uar_b: Option<NumberValue>,
}

/// What `realtime_index` needs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Realtime {
    /// A packet is in time that arrives no later than this after the one before (100 ms).
    pub deadline: Option<TimeValue>,
}

/// What `time_to_fairness` needs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// The time over which what flows get is compared (1 s).
    pub window: Option<TimeValue>,
    /// Jain's index that counts as fair (0.95).
    pub index: Option<FractionValue>,
}
