//! One direction of a wired link: a drop-tail queue, a transmitter, a propagation delay.
//!
//! A fixed-rate drop-tail link decides everything when a packet arrives: whether it is dropped, when it leaves,
//! when it reaches the far end. So a link keeps no packets and has no deadline; it is arithmetic, and packets that
//! have left are accounted for when the next one arrives.

use crate::config::{LinkConfig, QueueLimit};
use airfair_core::{Rate, Span, Time};
use std::collections::VecDeque;

/// Counts since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets that arrived at the queue.
    pub offered: u64,
    /// Packets dropped because it was full.
    pub dropped: u64,
    /// Bytes on the wire of accepted packets.
    pub accepted_bytes: u64,
}

/// An accepted packet's way through a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// When its last bit has left the transmitter.
    pub departs: Time,
    /// When its last bit has reached the far end.
    pub arrives: Time,
}

/// One direction of a wired link.
#[derive(Clone, Debug)]
pub struct Link {
    rate: Rate,
    delay: Span,
    limit: QueueLimit,
    /// Departures and lengths of the packets held, in order.
    held: VecDeque<(Time, u32)>,
    /// When the last accepted packet has left the transmitter.
    free_at: Time,
    held_bytes: u64,
    /// Nanoseconds that accepted packets spend here up to their departure, all added up: it would take 584
    /// packet-years to overflow.
    residence: u64,
    stats: LinkStats,
    /// When the last packet arrived, dropped or not.
    #[cfg(debug_assertions)]
    last_offer: Time,
    /// The transmission time of the last length seen: flows repeat the same few.
    memo: (u32, Span),
}

impl Link {
    /// An idle link.
    pub fn new(config: &LinkConfig) -> Link {
        Link {
            rate: config.rate,
            delay: config.delay,
            limit: config.queue,
            held: VecDeque::new(),
            free_at: Time::ZERO,
            held_bytes: 0,
            residence: 0,
            stats: LinkStats::default(),
            #[cfg(debug_assertions)]
            last_offer: Time::ZERO,
            memo: (0, Span::ZERO),
        }
    }

    /// A packet of `bytes` on the wire arrives at the queue at `now`, no earlier than the one before; `None` when
    /// it is dropped.
    #[inline]
    pub fn offer(&mut self, now: Time, bytes: u32) -> Option<Passage> {
        #[cfg(debug_assertions)]
        {
            assert!(now >= self.last_offer, "packets come in order");
            self.last_offer = now;
        }
        self.release(now);
        self.stats.offered += 1;
        let full = match self.limit {
            QueueLimit::Packets(limit) => self.held.len() as u64 >= u64::from(limit),
            QueueLimit::Bytes(limit) => self.held_bytes + u64::from(bytes) > limit,
        };
        if full {
            self.stats.dropped += 1;
            return None;
        }
        self.stats.accepted_bytes += u64::from(bytes);
        let departs = self.free_at.max(now) + self.transmission_time(bytes);
        self.free_at = departs;
        self.residence += (departs - now).0;
        self.held_bytes += u64::from(bytes);
        self.held.push_back((departs, bytes));
        Some(Passage { departs, arrives: departs + self.delay })
    }

    /// Packets held at `now`: waiting, or in transmission.
    pub fn queue_packets(&mut self, now: Time) -> u64 {
        self.release(now);
        self.held.len() as u64
    }

    /// The number of packets held, integrated over time up to `now`, in packet-nanoseconds: what packets spend here
    /// altogether, less what those still held will.
    pub fn queue_integral(&mut self, now: Time) -> u64 {
        self.release(now);
        self.residence - self.held.iter().map(|&(departs, _)| (departs - now).0).sum::<u64>()
    }

    /// Counts since the start of the run.
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// Accounts for the packets that have left the transmitter by `now`.
    #[inline]
    fn release(&mut self, now: Time) {
        while let Some(&(departs, bytes)) = self.held.front() {
            if departs > now {
                break;
            }
            self.held_bytes -= u64::from(bytes);
            self.held.pop_front();
        }
    }

    #[inline]
    fn transmission_time(&mut self, bytes: u32) -> Span {
        if self.memo.0 != bytes {
            self.memo = (bytes, self.rate.span_of_bytes(u64::from(bytes)));
        }
        self.memo.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1 byte takes 8 ns at 1 Gb/s.
    fn link(queue: QueueLimit) -> Link {
        Link::new(&LinkConfig {
            name: "test".into(),
            rate: Rate::new(1_000_000_000).unwrap(),
            delay: Span(1000),
            queue,
        })
    }

    #[test]
    fn a_packet_takes_its_transmission_time_and_the_delay() {
        let mut link = link(QueueLimit::Packets(10));
        let passage = |departs, arrives| Some(Passage { departs: Time(departs), arrives: Time(arrives) });
        assert_eq!(link.offer(Time(0), 100), passage(800, 1800));
        assert_eq!(link.offer(Time(0), 50), passage(1200, 2200));
        assert_eq!(link.offer(Time(5000), 50), passage(5400, 6400));
    }

    #[test]
    fn the_limit_counts_the_packet_in_transmission() {
        let mut link = link(QueueLimit::Packets(2));
        assert!(link.offer(Time(0), 100).is_some());
        assert!(link.offer(Time(0), 100).is_some());
        assert_eq!(link.offer(Time(799), 100), None);
        assert!(link.offer(Time(800), 100).is_some(), "the first packet has just left");
        assert_eq!(link.stats(), &LinkStats { offered: 4, dropped: 1, accepted_bytes: 300 });
    }

    #[test]
    fn a_byte_limit_counts_bytes() {
        let mut link = link(QueueLimit::Bytes(150));
        assert!(link.offer(Time(0), 100).is_some());
        assert_eq!(link.offer(Time(0), 51), None);
        assert!(link.offer(Time(0), 50).is_some());
    }

    #[test]
    fn the_queue_is_integrated_up_to_the_reading() {
        let mut link = link(QueueLimit::Packets(9));
        link.offer(Time(0), 100);
        link.offer(Time(0), 100);
        assert_eq!(link.queue_integral(Time(1200)), 800 * 2 + 400);
        assert_eq!(link.queue_packets(Time(1200)), 1);
    }

    proptest! {
        /// The transmitter is never early, never idle while it holds something, and the limit holds at every arrival.
        #[test]
        fn packets_leave_in_order_at_the_rate(
            limit in 1u32..6, arrivals in prop::collection::vec((0u64..2000, 1u32..200), 1..60),
        ) {
            let mut link = link(QueueLimit::Packets(limit));
            let mut now = Time::ZERO;
            let mut free = Time::ZERO;
            let mut accepted = 0;
            for (gap, bytes) in arrivals {
                now += Span(gap);
                let held = link.queue_packets(now);
                let passage = link.offer(now, bytes);
                prop_assert_eq!(passage.is_none(), held >= u64::from(limit));
                if let Some(passage) = passage {
                    accepted += 1;
                    free = free.max(now) + Span(8 * u64::from(bytes));
                    prop_assert_eq!(passage, Passage { departs: free, arrives: free + Span(1000) });
                }
            }
            prop_assert_eq!(link.stats().offered - link.stats().dropped, accepted);
        }
    }
}
