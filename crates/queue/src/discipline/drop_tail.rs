//! Drop-tail.
//!
//! The limit counts the packet in service: with limit L, L packets wait or are in service. ns-2's DropTail refuses a packet
//! when the number waiting, plus one, has reached the limit, which is equivalent while one is in transmission.

use super::{Configured, QueueDiscipline, Setup};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::Time;

/// First in, first out.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    limit: QueueLimit,
    fifo: Fifo<P>,
}

impl<P: Queued> QueueDiscipline<P> for DropTail<P> {
    const NAME: &'static str = "drop_tail";
    const ABOUT: &'static str = "First in, first out; packets that arrive at a full queue are dropped.";
    fn new(_given: &Configured, setup: &Setup) -> DropTail<P> {
        DropTail { limit: setup.limit(), fifo: Fifo::default() }
    }

    #[inline]
    fn enqueue(&mut self, _now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        if self.limit.allows(self.fifo.occupancy() + in_service + Occupancy::of(&packet)) {
            self.fifo.push(packet);
        } else {
            account.drop_full(packet);
        }
    }

    #[inline]
    fn dequeue(&mut self, _now: Time, _account: &mut Account<P>) -> Option<P> {
        self.fifo.pop()
    }

    #[inline]
    fn passes(&self, with: Occupancy) -> bool {
        self.fifo.occupancy().packets == 0 && self.limit.allows(with)
    }

    #[inline]
    fn most_to_pass(&self) -> u32 {
        match self.limit {
            QueueLimit::Packets(limit) if self.fifo.occupancy().packets == 0 => limit,
            _ => 0,
        }
    }

    #[inline]
    fn refuses(&self, in_service: Occupancy) -> bool {
        let least = Occupancy { packets: 1, bytes: 1 };
        !self.limit.allows(self.fifo.occupancy() + in_service + least)
    }

    #[inline]
    fn occupancy(&self) -> Occupancy {
        self.fifo.occupancy()
    }

    fn adopt(&mut self, _given: &Configured, setup: &Setup) -> bool {
        self.limit = setup.limit();
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.fifo.drain().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packet, at, drained, dropped, queue};

    /// One is in service: of five packets, a queue of three lets two wait.
    #[test]
    fn the_packet_in_service_takes_room() {
        let mut queue = queue(QueueLimit::Packets(3), "drop_tail", &[]);
        queue.enqueue(at(0), Packet::new(0), 0);
        assert_eq!(queue.dequeue(at(0)), Some(Packet::new(0)));
        let mut lost = Vec::new();
        for number in 1..5 {
            queue.enqueue(at(0), Packet::new(number), 1);
            lost.extend(dropped(&mut queue));
        }
        assert_eq!(lost, [3, 4]);
        queue.enqueue(at(1), Packet::new(5), 0);
        assert_eq!((queue.packets(), queue.bytes(), queue.stats().dropped_full), (3, 3000, 2));
        assert!(!queue.is_empty());
        assert_eq!(drained(&mut queue, at(1)), [1, 2, 5]);
        assert!(queue.is_empty());
    }

    /// In 2500 bytes, 1000 of them in service, 1500 may wait: 1000 and 500, and then nothing more but nothing less fits either.
    #[test]
    fn bytes_are_counted_with_those_in_service() {
        let mut queue = queue(QueueLimit::Bytes(2500), "drop_tail", &[]);
        queue.enqueue(at(0), Packet::new(0), 0);
        queue.dequeue(at(0));
        let mut lost = Vec::new();
        for (number, bytes) in [(1, 1000), (2, 501), (3, 500), (4, 1)] {
            queue.enqueue(at(0), Packet { bytes, ..Packet::new(number) }, 1);
            lost.extend(dropped(&mut queue));
        }
        assert_eq!((lost, drained(&mut queue, at(0))), (vec![2, 4], vec![1, 3]));
    }
}
