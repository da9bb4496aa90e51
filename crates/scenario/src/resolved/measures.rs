//! Settings of metrics.

use airfair_core::{Rate, Span};

/// Settings of metrics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// The quantity that Jain's index and worst-case fairness compare.
    pub fairness_of: FairnessOf,
    /// Settings of extra energy expenditure and unexploited available resources; `None`: they are undefined.
    pub effort: Option<Effort>,
    /// A packet is in time that arrives no later than this after its flow's previous one; above zero.
    pub deadline: Span,
    /// When a newcomer counts as having its share.
    pub convergence: Convergence,
}

/// The quantity that Jain's index and worst-case fairness compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FairnessOf {
    /// Payload acknowledged over time.
    Throughput,
    /// Segments sent, retransmissions included, over the flow's own time: from its start on, up to where it stops.
    SendingRate,
}

/// Mamatas & Tsaoussidis' maximum throughput and weights, each pair (a, b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The capacity of the network.
    pub throughput_max: Rate,
    /// Of extra energy expenditure; not negative.
    pub eee: (f64, f64),
    /// Of unexploited available resources; not negative.
    pub uar: (f64, f64),
}

/// When a newcomer counts as having its share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// The time over which the throughputs of flows are compared; at least 1 ms.
    pub window: Span,
    /// Jain's index to reach, above 0 to 1.
    pub index: f64,
}
