//! What travels: small, `Copy`, moved between flat buffers.

use crate::flow::Side;
use airfair_tcp::{Ack, Segment};

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Where it is: an index into the world's [routes](crate::route::Routes).
    pub at: u32,
    /// Whose it is.
    pub flow: u32,
    /// Which of the flow's connections it belongs to; packets of earlier ones are discarded on arrival.
    pub connection: u32,
    /// Bytes on the wire above the link or MAC layer.
    pub bytes: u32,
    /// What it carries.
    pub body: Body,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// From a TCP sender.
    Segment(Segment),
    /// From a TCP receiver.
    Ack(Ack),
    /// From a UDP sender.
    Datagram {
        /// Payload bytes.
        payload: u32,
        /// Where they end in the flow's stream of payload.
        end: u64,
    },
}

impl Packet {
    /// The side of its flow that it is for.
    #[inline]
    pub fn side(&self) -> Side {
        match self.body {
            Body::Segment(_) | Body::Datagram { .. } => Side::Receiver,
            Body::Ack(_) => Side::Sender,
        }
    }
}
