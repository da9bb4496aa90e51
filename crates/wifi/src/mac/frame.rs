//! MSDUs, generic in their payload.

use airfair_core::Phase;

/// An MSDU for a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame<P: Copy> {
    /// Index of the receiving station.
    pub to: u32,
    /// Bytes of the MSDU: the IP packet.
    pub bytes: u32,
    /// Data that the caller gets back.
    pub payload: P,
}

/// Properties of a frame's payload that queues use. Their places hold the default before they hold a frame.
pub trait Payload: Copy + Default {
    /// The frame's phase on arrival at a queue: the order of frames that arrive at the same instant.
    fn phase(&self) -> Phase;

    /// It arrives [behind](Phase::behind) a frame of this phase, though at the same instant. Payloads without a phase of their own
    /// ignore that.
    fn follow(&mut self, _phase: Phase) {}

    /// The same for all packets of one direction of a connection, and for no others.
    fn flow(&self) -> u64;

    /// Sets Congestion Experienced; returns false if the transport is not ECN-capable.
    fn mark(&mut self) -> bool;

    /// Whether its ECN field says ECT(1) or CE.
    fn is_scalable(&self) -> bool {
        false
    }
}
