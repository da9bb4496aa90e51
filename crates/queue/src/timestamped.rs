//! Packets with their arrival time.

use crate::queued::Queued;
use airfair_core::{Span, Time};

/// A packet with the time of its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timestamped<P> {
    pub packet: P,
    pub arrived: Time,
}

impl<P> Timestamped<P> {
    /// Returns the packet's sojourn time until `now`.
    pub fn sojourn(&self, now: Time) -> Span {
        now.since(self.arrived)
    }
}

impl<P: Queued> Queued for Timestamped<P> {
    fn bytes(&self) -> u32 {
        self.packet.bytes()
    }

    fn flow(&self) -> u64 {
        self.packet.flow()
    }

    fn station(&self) -> u32 {
        self.packet.station()
    }

    fn mark(&mut self) -> bool {
        self.packet.mark()
    }

    fn is_scalable(&self) -> bool {
        self.packet.is_scalable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Packet;

    fn stamped(capable: bool) -> Timestamped<Packet> {
        Timestamped {
            packet: Packet { station: 3, flow: 5, bytes: 7, capable, ..Packet::new(1) },
            arrived: Time::ZERO,
        }
    }

    #[test]
    fn a_queue_sees_the_packet() {
        let packet = stamped(false);
        assert_eq!((packet.station(), packet.flow(), packet.bytes()), (3, 5, 7));
        assert!(!packet.is_scalable());
        let scalable = Packet { scalable: true, ..packet.packet };
        assert!(Timestamped { packet: scalable, ..packet }.is_scalable());
    }

    /// RFC 3168, section 5: only packets of an ECN-capable transport are marked.
    #[test]
    fn a_mark_is_the_packets() {
        for capable in [false, true] {
            let mut packet = stamped(capable);
            assert_eq!(packet.mark(), capable);
            assert_eq!(packet.packet.marked, capable);
        }
    }
}
