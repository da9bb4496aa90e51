//! One direction of the link, with the packets that are on it.

use crate::lateness::Lateness;
use airfair_core::Time;
use airfair_net::{Link, LinkStats};
use std::collections::VecDeque;

/// The first four bits of a packet of IPv4. What the kernel says in IPv6 of its own accord is no part of the test.
const IPV4: u8 = 4;

pub struct Direction {
    link: Link,
    /// With the time of arrival at the far end, in order.
    packets: VecDeque<(Time, Vec<u8>)>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    pub lateness: Lateness,
}

impl Direction {
    pub fn new(link: Link) -> Direction {
        Direction { link, packets: VecDeque::new(), spare: Vec::new(), lateness: Lateness::default() }
    }

    /// A packet has come from the device.
    pub fn enter(&mut self, now: Time, bytes: &[u8]) {
        if bytes.first().is_none_or(|first| first >> 4 != IPV4) {
            return;
        }
        let transit = self.link.offer(now, bytes.len() as u32);
        if let Some(arrives) = transit.and_then(|transit| transit.arrives) {
            let mut packet = self.spare.pop().unwrap_or_default();
            packet.clear();
            packet.extend_from_slice(bytes);
            self.packets.push_back((arrives, packet));
        }
    }

    /// When the next packet arrives at the far end.
    pub fn next(&self) -> Option<Time> {
        self.packets.front().map(|(arrives, _)| *arrives)
    }

    /// That packet, if it has arrived by `now`.
    pub fn leave(&mut self, now: Time) -> Option<Vec<u8>> {
        let arrives = self.next().filter(|&arrives| arrives <= now)?;
        self.lateness.note(now.since(arrives));
        self.packets.pop_front().map(|(_, packet)| packet)
    }

    /// Takes a buffer back.
    pub fn recycle(&mut self, packet: Vec<u8>) {
        self.spare.push(packet);
    }

    /// Packets held now, and the same integrated over the time so far, in ns.
    pub fn queue(&self, now: Time) -> (usize, u64) {
        (self.link.queue_packets(now), self.link.queue_integral(now).0 as u64)
    }

    pub fn stats(&self) -> LinkStats {
        self.link.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::{Rate, Span};
    use airfair_net::{LinkConfig, QueueLimit};

    /// 1 ms for a packet of 125 bytes, 10 ms of delay, room for two packets.
    fn direction() -> Direction {
        let config = LinkConfig {
            name: "link".to_owned(),
            rate: Rate::new(1_000_000).expect("not zero"),
            delay: Span::from_millis(10),
            queue: QueueLimit::Packets(2),
            discipline: None,
            loss: None,
            outage: None,
            tx_ring: None,
        };
        let [forward, _] = airfair_net::Link::pair(&config, &config, 1, Time::NEVER);
        Direction::new(forward)
    }

    fn packet(last: u8) -> Vec<u8> {
        let mut bytes = vec![0; 125];
        (bytes[0], bytes[124]) = (0x45, last);
        bytes
    }

    #[test]
    fn packets_leave_when_the_link_says() {
        let mut direction = direction();
        for number in 0..3 {
            direction.enter(Time(0), &packet(number));
        }
        assert_eq!((direction.stats().dropped, direction.queue(Time(1)).0), (1, 2));
        assert_eq!(direction.next(), Some(Time(11_000_000)));
        assert_eq!(direction.leave(Time(10_999_999)), None);
        assert_eq!(direction.leave(Time(11_300_000)), Some(packet(0)));
        assert_eq!(direction.leave(Time(12_000_000)), Some(packet(1)));
        assert_eq!((direction.next(), direction.lateness.worst()), (None, Span(300_000)));
    }

    #[test]
    fn ipv6_passes_by() {
        let mut direction = direction();
        direction.enter(Time(0), &[0x60; 48]);
        direction.enter(Time(0), &[]);
        assert_eq!((direction.stats().offered, direction.next()), (0, None));
    }
}
