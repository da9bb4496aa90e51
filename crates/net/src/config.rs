//! What a link is built from.

use airfair_core::{Rate, Span};

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
}

/// The bound of a drop-tail queue, the packet in transmission included.
///
/// ns-2's DropTail with limit L holds L - 1 waiting packets and one in transmission: the same L.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// In packets.
    Packets(u32),
    /// In bytes on the wire.
    Bytes(u64),
}
