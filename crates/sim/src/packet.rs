//! Packets: small, `Copy`, moved between flat buffers.

use crate::delay_line::Key;
use crate::flow::Side;
use crate::video_call::MediaPacket;
use airfair_core::{Moment, Phase, Time};
use airfair_queue::Queued;
use airfair_tcp::{Ack, Ecn, Segment};
use airfair_wifi::Payload;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Next step of the packet: an index into the run's table of steps (`Routes`).
    pub at: u32,
    /// The end of the flow that receives the packet.
    pub to: FlowEnd,
    /// Number of the connection among the flow's. Packets of earlier connections are discarded on arrival.
    pub connection: u32,
    /// Bytes on the wire above the link or MAC layer.
    pub bytes: u32,
    /// Phase of the arrival at the next step.
    pub phase: Phase,
    /// Payload of the packet.
    pub body: Body,
}

/// The part of a packet that links read and write.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Next step, as in [`Packet::at`].
    pub at: u32,
    /// Bytes on the wire, as in [`Packet::bytes`].
    pub bytes: u32,
    /// Arrival at the next step.
    pub due: Moment,
}

impl Course {
    /// Returns the packet's place in the order of those that wait.
    #[inline]
    pub fn key(&self) -> Key {
        (self.due, self.at)
    }
}

/// The part of a packet that [`Course`] lacks, before the packet is made where it waits.
#[derive(Clone, Copy, Debug)]
pub struct Unsent {
    /// The end that receives the packet, as in [`Packet::to`].
    pub to: FlowEnd,
    /// Number of the connection, as in [`Packet::connection`].
    pub connection: u32,
    /// Payload, as in [`Packet::body`].
    pub body: Body,
}

impl Unsent {
    /// Returns the packet, on this course.
    #[inline(always)]
    pub fn on(self, course: &Course) -> Packet {
        let (Unsent { to, connection, body }, &Course { at, bytes, due }) = (self, course);
        Packet { at, to, connection, bytes, phase: due.phase, body }
    }
}

/// One end of a flow: twice the flow's number, plus one for the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEnd(u32);

impl FlowEnd {
    /// Returns the end of flow number `flow` on this side. Flow numbers must be below 2^31.
    #[inline]
    pub fn new(flow: u32, side: Side) -> FlowEnd {
        FlowEnd(flow << 1 | side as u32)
    }

    /// Returns the end with this [`number`](FlowEnd::number).
    pub fn numbered(number: u32) -> FlowEnd {
        FlowEnd(number)
    }

    /// Returns the flow's number.
    #[inline]
    pub fn flow(self) -> u32 {
        self.0 >> 1
    }

    /// Returns the side of the flow that this end is.
    #[inline]
    pub fn side(self) -> Side {
        if self.0 & 1 == 0 { Side::Sender } else { Side::Receiver }
    }

    /// Returns twice the flow's number, plus one for the receiver.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The payload of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// A segment from a TCP sender.
    Segment(Segment),
    /// An ACK from a TCP receiver.
    Ack(Ack),
    /// A datagram from a UDP sender, or an answer to one.
    Datagram {
        /// Number of payload bytes.
        payload: u32,
        /// Offset of the end of the payload in the flow's stream; in an answer, that of the datagram that it answers.
        end: u64,
        /// ECN field of the datagram. The receiver reports no marks to the sender.
        ecn: Ecn,
    },
    /// A packet from the sender of a video call.
    Media(MediaPacket),
    /// A report from the receiver of a video call.
    Report {
        /// Number of payload bytes.
        payload: u32,
        /// Number of the report among the flow's.
        report: u64,
    },
    /// A packet between endpoints outside the engine.
    Foreign {
        /// Bytes of the packet without what the sender's host adds.
        bytes: u32,
        /// Identifier of the packet: see [`ForeignPacket::id`](crate::external::ForeignPacket::id).
        id: u64,
    },
}

/// A placeholder for places that no packet has had yet.
impl Default for Packet {
    fn default() -> Packet {
        let (to, body) =
            (FlowEnd::new(0, Side::Sender), Body::Datagram { payload: 0, end: 0, ecn: Ecn::NotCapable });
        Packet { at: 0, to, connection: 0, bytes: 0, phase: Phase::FIRST, body }
    }
}

impl Packet {
    /// Returns the packet's course if it arrives at its next step at `due`.
    #[inline]
    pub fn course(&self, due: Time) -> Course {
        Course { at: self.at, bytes: self.bytes, due: Moment::new(due, self.phase) }
    }

    /// Returns the packet further on its course.
    #[inline]
    pub fn moved(&self, course: &Course) -> Packet {
        Packet { at: course.at, phase: course.due.phase, ..*self }
    }

    /// Returns a number that all packets of a connection, in both directions, share.
    pub fn connection_id(&self) -> u64 {
        u64::from(self.to.flow()) << 32 | u64::from(self.connection)
    }
}

impl Payload for Packet {
    #[inline]
    fn phase(&self) -> Phase {
        self.phase
    }

    fn follow(&mut self, phase: Phase) {
        self.phase = self.phase.behind(phase);
    }

    fn flow(&self) -> u64 {
        self.connection_id() << 1 | self.to.side() as u64
    }

    fn mark(&mut self) -> bool {
        match &mut self.body {
            Body::Segment(segment) => segment.mark(),
            Body::Datagram { ecn, .. } => ecn.mark(),
            Body::Ack(_) | Body::Media(_) | Body::Report { .. } | Body::Foreign { .. } => false,
        }
    }

    fn is_scalable(&self) -> bool {
        match &self.body {
            Body::Segment(segment) => segment.ecn.is_scalable(),
            Body::Datagram { ecn, .. } => ecn.is_scalable(),
            Body::Ack(_) | Body::Media(_) | Body::Report { .. } | Body::Foreign { .. } => false,
        }
    }
}

/// A packet in the queue of a wired link.
#[derive(Clone, Copy, Debug)]
pub struct LinkPacket {
    /// The packet.
    pub packet: Packet,
    /// The receiving node.
    pub destination: u32,
}

impl Queued for LinkPacket {
    fn bytes(&self) -> u32 {
        self.packet.bytes
    }

    fn flow(&self) -> u64 {
        self.packet.flow()
    }

    fn station(&self) -> u32 {
        self.destination
    }

    fn mark(&mut self) -> bool {
        self.packet.mark()
    }

    fn is_scalable(&self) -> bool {
        self.packet.is_scalable()
    }
}
