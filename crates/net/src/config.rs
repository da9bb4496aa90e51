//! What a link is built from.

use airfair_core::{LossModel, Rate, Span};

pub use airfair_queue::{Discipline, QueueLimit};

/// One direction of a wired link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Names it in records.
    pub name: String,
    /// Transmission rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// What it holds at most.
    pub queue: QueueLimit,
    /// Which packets leave its queue first, and which are dropped or marked; `None`: drop-tail, which takes no queue at
    /// all but arithmetic. Boxed for the same reason as `loss`.
    pub discipline: Option<Box<Discipline>>,
    /// Packets lost at random; boxed, because few links lose any and a scenario may have many links.
    pub loss: Option<Box<LinkLoss>>,
    /// When it is down.
    pub outage: Option<Box<Outage>>,
}

/// Random loss on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLoss {
    /// Which packets are lost.
    pub model: LossModel,
    /// Where they are lost.
    pub position: LossPosition,
}

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPosition {
    /// On arrival: a lost packet takes no room in the queue and no time of the transmitter.
    BeforeQueue,
    /// After transmission: a lost packet has taken its room and its time, and never arrives.
    AfterQueue,
}

/// When a link is down, and what becomes of packets meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The first one starts at the earliest.
    pub start: Span,
    /// The first start is drawn uniformly from `start..=start + spread`.
    pub spread: Span,
    /// How long each lasts, above zero.
    pub duration: Span,
    /// How they follow each other.
    pub repeat: Repeat,
    /// What becomes of packets.
    pub packets: OutagePackets,
}

/// How outages follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// There is one.
    Once,
    /// They start this far apart, which is longer than they last.
    Periodic(Span),
    /// They start this far apart on average: the time between two is exponential.
    Random(Span),
}

/// What becomes of packets while a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutagePackets {
    /// [`LossPosition::BeforeQueue`]: what arrives at the link is lost, what it holds is sent. [`LossPosition::AfterQueue`]:
    /// the link sends on, and loses what is on the wire at any moment of the outage.
    Lost(LossPosition),
    /// Nothing is sent; a transmission that the outage cuts short starts again after it.
    Held,
}
