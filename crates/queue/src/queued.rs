//! What a queue needs to know of what it holds.

/// A packet, as a queue sees it.
pub trait Queued: Copy {
    /// Its length, as the queue counts it.
    fn bytes(&self) -> u32;

    /// The same for all packets of one direction of a connection, and for no others: stands for addresses, ports and protocol.
    fn flow(&self) -> u64;

    /// Whom the next hop hands it to.
    fn station(&self) -> u32;

    /// Sets Congestion Experienced (RFC 3168, section 5); false, and nothing set, if the transport is not capable of ECN.
    fn mark(&mut self) -> bool;
}
