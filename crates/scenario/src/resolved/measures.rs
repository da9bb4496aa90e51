//! Settings of metrics.

use airfair_core::schema::{Kind, Range};
use airfair_core::{Rate, Span, settings, words};

/// Settings of metrics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// The quantity that Jain's index and worst-case fairness compare.
    pub fairness_of: FairnessOf,
    /// Settings of extra energy expenditure and unexploited available resources; `None`: these metrics are undefined.
    pub effort: Option<Effort>,
    /// A packet is in time if it arrives no later than this after the previous packet of its flow; above zero.
    pub deadline: Span,
    /// When a newcomer counts as having its share.
    pub convergence: Convergence,
}

words! {
    /// The quantity that Jain's index and worst-case fairness compare.
    pub enum FairnessOf {
        /// Payload acknowledged over time.
        Throughput = "throughput",
        /// Segments sent, retransmissions included, over the flow's own time: from its start on, up to where it stops.
        SendingRate = "sending-rate",
    }
}

settings! {
    /// The quantity that fairness compares.
    #[derive(Clone, Copy, Debug)]
    pub struct FairnessSettings[usual] {
        /// The quantity that `jain`, `jain_persistent` and `worst_case_fairness` compare.
        "of" of: FairnessOf, Kind::Word(FairnessOf::WORDS), [FairnessOf::Throughput];
    }
}

/// Mamatas & Tsaoussidis' maximum throughput and weights, each pair (a, b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The capacity of the network.
    pub throughput_max: Rate,
    /// Weights of extra energy expenditure; not negative.
    pub eee: (f64, f64),
    /// Weights of unexploited available resources; not negative.
    pub uar: (f64, f64),
}

const WEIGHT: Kind = Kind::Number(Range::NOT_NEGATIVE);

settings! {
    /// The weights of Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3.
    #[derive(Clone, Copy, Debug)]
    pub struct Weights[usual] {
        /// Weight of data sent in vain in `eee`.
        "eee_a" eee_a: f64, WEIGHT, [1.0];
        /// Weight of idle time in `eee`.
        "eee_b" eee_b: f64, WEIGHT, [0.3];
        /// Weight of data sent in `uar`.
        "uar_a" uar_a: f64, WEIGHT, [0.5];
        /// Weight of data sent to good effect in `uar`.
        "uar_b" uar_b: f64, WEIGHT, [0.5];
    }
}

settings! {
    /// When a packet is in time.
    #[derive(Clone, Copy, Debug)]
    pub struct RealtimeSettings[usual] {
        /// A packet is in time if it arrives no later than this after the previous one.
        "deadline" deadline: Span, Kind::Time(Range::POSITIVE), [Span::from_millis(100)];
    }
}

settings! {
    /// When a newcomer counts as having its share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Convergence[usual] {
        /// The time over which the throughputs of flows are compared. A tenth of it is a step in the search for it: shorter ones take
        /// long and hold no packet.
        "window" window: Span, Kind::Time(Range::at_least(0.001)), [Span::from_secs(1)];
        /// Jain's index that counts as fair.
        "index" index: f64, Kind::Number(Range::POSITIVE.at_most(1.0)), [0.95];
    }
}
