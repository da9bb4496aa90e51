//! A flow whose endpoints are outside the engine: it carries packets between them and reads nothing in them.

use crate::flow::Side;
use crate::record::FlowCounts;
use airfair_core::Time;
use airfair_tcp::SenderStats;
use std::collections::VecDeque;

/// A packet between endpoints outside the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignPacket {
    /// Number of the packet's flow in the scenario.
    pub flow: usize,
    /// The side of the flow that the packet goes to.
    pub to: Side,
    /// Bytes on the wire above the link or MAC layer.
    pub bytes: u32,
    /// Identifier that the owner of the endpoints chooses; the engine only carries it.
    pub id: u64,
}

/// A flow whose endpoints are outside the engine: its packets that wait to be sent, and those that have arrived.
#[derive(Clone, Debug, Default)]
pub struct ExternalFlow {
    waiting: [VecDeque<ForeignPacket>; 2],
    arrived: Vec<(Time, ForeignPacket)>,
    sent: u64,
    sent_bytes: u64,
    delivered_bytes: u64,
}

impl ExternalFlow {
    /// Queues a packet to be sent to the side `packet.to`.
    pub fn inject(&mut self, packet: ForeignPacket) {
        self.waiting[packet.to.other() as usize].push_back(packet);
    }

    /// Removes and returns the next packet that this side sends.
    pub fn poll(&mut self, side: Side) -> Option<ForeignPacket> {
        let packet = self.waiting[side as usize].pop_front()?;
        if side == Side::Sender {
            self.sent += 1;
            self.sent_bytes += u64::from(packet.bytes);
        }
        Some(packet)
    }

    /// Keeps a packet that has arrived at `now`.
    pub fn on_packet(&mut self, now: Time, packet: ForeignPacket) {
        if packet.to == Side::Receiver {
            self.delivered_bytes += u64::from(packet.bytes);
        }
        self.arrived.push((now, packet));
    }

    /// Removes and returns the packets that have arrived, with their times.
    pub fn take_arrived(&mut self) -> impl Iterator<Item = (Time, ForeignPacket)> {
        self.arrived.drain(..)
    }

    /// Returns the counts of the packets that the sender sends. Whether a packet is acknowledged is between the
    /// endpoints.
    pub fn counts(&self) -> FlowCounts {
        let sender =
            SenderStats { segments: self.sent, sent_bytes: self.sent_bytes, ..SenderStats::default() };
        FlowCounts { delivered_bytes: self.delivered_bytes, sender, ..FlowCounts::default() }
    }
}
