//! A flow whose endpoints are outside the engine: it carries packets between them and reads nothing in them.

use crate::flow::Side;
use crate::record::FlowCounts;
use airfair_core::Time;
use airfair_tcp::SenderStats;
use std::collections::VecDeque;

/// A packet between endpoints outside the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignPacket {
    /// Its flow, by its number in the scenario.
    pub flow: usize,
    /// The side that it goes to.
    pub to: Side,
    /// Bytes on the wire above the link or MAC layer.
    pub bytes: u32,
    /// Whatever tells its owner which packet it is.
    pub id: u64,
}

/// The packets of such a flow that wait to be sent, and those that have arrived.
#[derive(Clone, Debug, Default)]
pub struct ExternalFlow {
    waiting: [VecDeque<ForeignPacket>; 2],
    arrived: Vec<(Time, ForeignPacket)>,
    sent: u64,
    sent_bytes: u64,
    delivered_bytes: u64,
}

impl ExternalFlow {
    /// A packet is to be sent.
    pub fn inject(&mut self, packet: ForeignPacket) {
        self.waiting[packet.to.other() as usize].push_back(packet);
    }

    /// The next packet that this side sends.
    pub fn poll(&mut self, side: Side) -> Option<ForeignPacket> {
        let packet = self.waiting[side as usize].pop_front()?;
        if side == Side::Sender {
            self.sent += 1;
            self.sent_bytes += u64::from(packet.bytes);
        }
        Some(packet)
    }

    /// A packet has arrived.
    pub fn on_packet(&mut self, now: Time, packet: ForeignPacket) {
        if packet.to == Side::Receiver {
            self.delivered_bytes += u64::from(packet.bytes);
        }
        self.arrived.push((now, packet));
    }

    /// Removes the packets that have arrived.
    pub fn take_arrived(&mut self) -> impl Iterator<Item = (Time, ForeignPacket)> {
        self.arrived.drain(..)
    }

    /// Counts of the packets that the sender sends; whether one is acknowledged is between the endpoints.
    pub fn counts(&self) -> FlowCounts {
        let sender =
            SenderStats { segments: self.sent, sent_bytes: self.sent_bytes, ..SenderStats::default() };
        FlowCounts { delivered_bytes: self.delivered_bytes, sender, ..FlowCounts::default() }
    }
}
