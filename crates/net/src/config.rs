//! What a link is built from.

use airfair_core::{Rate, Span};

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
    /// all but arithmetic. Boxed for the same reason as errors.
    pub discipline: Option<Box<Discipline>>,
    /// Packets lost to errors; boxed, because few links have any and a scenario may have many links.
    pub errors: Option<Box<Errors>>,
    /// When it is down.
    pub outage: Option<Box<Outage>>,
}

/// Packets lost to errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// With what probability.
    pub model: ErrorModel,
    /// What the model's probabilities are probabilities of.
    pub of: ErrorUnit,
    /// Where packets are lost.
    pub position: Position,
}

/// With what probability something is in error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorModel {
    /// Always the same, each independent of all others.
    Constant(f64),
    /// Two states that last exponential times, the good one first (Gilbert 1960, Elliott 1963, in continuous time).
    OnOff {
        /// Probability in the good state.
        good: f64,
        /// Probability in the bad state.
        bad: f64,
        /// Mean time in the good state.
        mean_good: Span,
        /// Mean time in the bad state.
        mean_bad: Span,
    },
}

/// What a probability of error is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorUnit {
    /// A packet, however long.
    Packet,
    /// A bit: a packet is lost if any of its bits on the wire is wrong.
    Bit,
}

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
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
    /// [`Position::BeforeQueue`]: what arrives at the link is lost, what it holds is sent. [`Position::AfterQueue`]:
    /// the link sends on, and loses what is on the wire at any moment of the outage.
    Lost(Position),
    /// Nothing is sent; a transmission that the outage cuts short starts again after it.
    Held,
}
