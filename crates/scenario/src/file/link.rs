//! Wired links and their outages.

use airfair_core::schema::{Kind, Range, Settings as _};
use airfair_core::{Span, settings, words};
use airfair_net::LossPosition;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::declared::table;
use crate::file::{Discipline, LinkLoss};
use crate::value::{
    CountValue, FlagValue, NameValue, QueueValue, RateValue, RingValue, SizeValue, TimeValue, WordValue,
};

/// A wired link, or a group of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkGroup {
    /// Name of the link in results (`FROM-TO`); the direction back has `-reverse` behind the name (`TO-FROM`).
    pub name: Option<NameValue>,
    /// The node at one end.
    pub from: NameValue,
    /// The node at the other end.
    pub to: NameValue,
    /// Transmission rate, each way.
    pub rate: RateValue,
    /// Propagation delay, each way.
    pub delay: TimeValue,
    /// The limit of each direction's queue, which includes the packet in transmission (1000 packets). A time stands for the bytes that the
    /// direction transmits in it: the bandwidth-delay product.
    #[schemars(extend("minimum" = 1))]
    pub queue: Option<QueueValue>,
    /// With a time as `queue`: the limit is counted in packets of this size, rounded up (in bytes). Beside another `queue` it is refused,
    /// unless one of the two is an expression.
    pub queue_packet: Option<SizeValue>,
    /// The order in which each direction's queue is served, and which packets are dropped or marked (drop-tail).
    pub discipline: Option<Discipline>,
    /// The ring of the transmitter below the queue, which takes packets ahead of time and in which nothing is dropped: a bound, the packet
    /// in transmission included, or `bql`, a bound that adapts as Linux's byte queue limits do. `queue` does not count what it holds (none: a
    /// packet leaves the queue as the transmitter gets free).
    pub tx_ring: Option<RingValue>,
    /// A table of `rate`, `delay`, `queue`, `discipline` and `tx_ring` of the direction from `to` to `from`, where they differ.
    pub reverse: Option<OneWay>,
    /// Packets lost at random (none).
    #[serde(alias = "errors")]
    pub loss: Option<LinkLoss>,
    /// Times when the link is down (never).
    pub outage: Option<LinkOutage>,
    /// Number of members, with index i = 0, 1, ... (1).
    pub count: Option<CountValue>,
    /// Members for which this is false are left out.
    pub when: Option<FlagValue>,
}

/// Values of a link's direction from `to` to `from` that differ from those of the other direction.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneWay {
    /// Transmission rate.
    pub rate: Option<RateValue>,
    /// Propagation delay.
    pub delay: Option<TimeValue>,
    /// The limit of the direction's queue, which includes the packet in transmission.
    #[schemars(extend("minimum" = 1))]
    pub queue: Option<QueueValue>,
    /// The order in which the direction's queue is served, and which packets are dropped or marked.
    pub discipline: Option<Discipline>,
    /// The ring of the direction's transmitter.
    pub tx_ring: Option<RingValue>,
}

words! {
    /// The directions of a link that something concerns.
    pub enum Directions {
        /// Both ways.
        Both = "both",
        /// From `from` to `to`.
        Forward = "forward",
        /// From `to` to `from`.
        Backward = "backward",
    }
}

words! {
    /// How often an outage happens.
    pub enum Repetition {
        /// There is one outage.
        Once = "once",
        /// Outages start at regular times.
        Periodic = "periodic",
        /// Outages start at random times.
        Random = "random",
    }
}

words! {
    /// The fate of packets during an outage.
    pub enum OutageFate {
        /// Packets are lost.
        Lost = "lost",
        /// Packets wait.
        Held = "held",
    }
}

settings! {
    /// The schedule of outages, and the fate of packets.
    #[derive(Clone, Copy, Debug)]
    pub struct OutageKeys[usual] {
        /// Earliest start of the (first) outage, counted from the start of the run, which includes the warm-up.
        "start" start: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// The (first) start is drawn uniformly from `start` to `start + spread`.
        "spread" spread: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// `periodic`: starts are `period` apart; `random`: they are on average, and the time between two outages is exponential.
        "repeat" repeat: Repetition, Kind::Word(Repetition::WORDS), [Repetition::Once];
        /// Time from one start to the next, longer than `duration`.
        "period" period: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// The fate of packets during an outage; `held`: nothing is sent.
        "packets" packets: OutageFate, Kind::Word(OutageFate::WORDS), [OutageFate::Lost];
        /// With `lost`, `before-queue` (the default): packets that arrive at the link are lost, those that it holds are sent;
        /// `after-queue`: the link sends on, and packets that are in transmission or propagate at any moment of the outage are lost.
        "position" position: Option<LossPosition>, Kind::Word(LossPosition::WORDS), [None];
    }
}

table! {
    /// When a link is down, as in a handoff. Each link of a group has its own schedule.
    pub struct LinkOutage [OutageKeys::TABLE] {
        /// How long each outage lasts; `none`: there are no outages.
        duration: TimeValue,
        /// Directions that are down; both unless it is set.
        direction: Option<WordValue> where words Directions::WORDS,
    }
}
