//! The configuration of a link.

use airfair_core::{LossModel, Rate, Span, words};

pub use airfair_queue::{Discipline, QueueLimit};

/// Configuration of one direction of a wired link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Name of the direction in records.
    pub name: String,
    /// Transmission rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Limit of the queue.
    pub queue: QueueLimit,
    /// Queue discipline; `None` for drop-tail computed by arithmetic, without a queue of packets. Boxed for the same
    /// reason as `loss`.
    pub discipline: Option<Box<Discipline>>,
    /// Ring of the transmitter, below the queue; `None` if the transmitter takes a packet from the queue when it
    /// becomes free. With a ring there is a discipline.
    pub tx_ring: Option<TxRing>,
    /// Random loss; boxed, because few links lose packets and a scenario may have many links.
    pub loss: Option<Box<LinkLoss>>,
    /// Times at which the direction is down.
    pub outage: Option<Box<Outage>>,
}

/// How much a transmitter takes from its queue ahead of time, the packet in transmission included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TxRing {
    /// Up to this number of packets.
    Packets(u32),
    /// Up to this number of bytes; the last packet may exceed it.
    Bytes(u64),
    /// Linux's byte queue limits.
    Bql,
}

/// Random loss on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLoss {
    /// Which packets are lost.
    pub model: LossModel,
    /// Where they are lost.
    pub position: LossPosition,
}

words! {
    /// Where on a link packets are lost.
    pub enum LossPosition {
        /// On arrival: a lost packet takes no room in the queue and no time of the transmitter.
        BeforeQueue = "before-queue",
        /// After transmission: a lost packet has taken its room and its time, and never arrives.
        AfterQueue = "after-queue",
    }
}

/// Times at which a link is down, and the fate of packets meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Earliest start of the first outage.
    pub start: Span,
    /// The first start is drawn uniformly from `start..=start + spread`.
    pub spread: Span,
    /// Length of each outage, above zero.
    pub duration: Span,
    /// How outages follow each other.
    pub repeat: Repeat,
    /// What happens to packets during an outage.
    pub packets: OutagePackets,
}

/// How outages follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// There is a single outage.
    Once,
    /// Outages start this far apart, which is longer than each lasts.
    Periodic(Span),
    /// Outages start this far apart on average: the time between two of them is exponential.
    Random(Span),
}

/// The fate of packets while a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutagePackets {
    /// [`LossPosition::BeforeQueue`]: packets that arrive at the link are lost, packets that it holds are sent.
    /// [`LossPosition::AfterQueue`]: the link goes on sending, and loses packets that are on the wire at any moment
    /// of the outage.
    Lost(LossPosition),
    /// Nothing is sent. A transmission that the outage would cut short starts after it.
    Held,
}
