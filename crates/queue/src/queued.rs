//! Properties of packets that queues use.

/// A packet, as a queue sees it.
pub trait Queued: Copy {
    /// Returns the packet's length in bytes, as the queue counts it.
    fn bytes(&self) -> u32;

    /// Returns a number that all packets of one direction of a connection share, and no others: it stands for addresses, ports and protocol.
    /// Its lowest bit is set towards the flow's sink. Bits 33 and up, counted from zero, are the flow's number.
    fn flow(&self) -> u64;

    /// Returns the station that the next hop delivers the packet to.
    fn station(&self) -> u32;

    /// Sets Congestion Experienced (RFC 3168, section 5); returns `false`, and sets nothing, if the transport is not ECN-capable.
    fn mark(&mut self) -> bool;

    /// Whether the packet's ECN field says ECT(1), or CE, as that may have been ECT(1): the packet asks for low latency, and its sender's
    /// control is scalable (RFC 9331, sections 4.1 and 5.1).
    fn is_scalable(&self) -> bool;
}
