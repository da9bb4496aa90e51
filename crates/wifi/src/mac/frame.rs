//! MSDUs, generic in their payload.

use airfair_core::Phase;

/// An MSDU for a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame<P: Copy> {
    /// Index of the receiving station.
    pub to: u32,
    /// Bytes of the MSDU: the IP packet.
    pub bytes: u32,
    /// Data of the caller, returned with the frame.
    pub payload: P,
}

/// Properties of a frame's payload that queues use. A place in a queue holds the default payload before it holds a frame.
pub trait Payload: Copy + Default {
    /// Returns the frame's phase on arrival at a queue: the order of frames that arrive at the same instant.
    fn phase(&self) -> Phase;

    /// Makes the frame arrive [behind](Phase::behind) a frame of this phase, though at the same instant. The default, for payloads
    /// without a phase of their own, does nothing.
    fn follow(&mut self, _phase: Phase) {}

    /// Returns a number that is the same for all packets of one direction of a connection, and for no others.
    fn flow(&self) -> u64;

    /// Sets Congestion Experienced (CE). Returns `false` if the transport is not ECN-capable.
    fn mark(&mut self) -> bool;

    /// Whether the packet's ECN field says ECT(1) or CE. The default returns `false`.
    fn is_scalable(&self) -> bool {
        false
    }
}
