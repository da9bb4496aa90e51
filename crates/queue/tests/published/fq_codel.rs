//! RFC 8290, section 4, in words: enqueue (4.1) and dequeue (4.2), over the pseudo-code of CoDel.

use crate::codel::Codel;
use crate::replay::{NAME, Packet, SEED, Served, config, drops, generated, limits, mbps, recorded, replay};
use airfair_core::schema::Value;
use airfair_core::{Span, Stream, Time};
use airfair_queue::{Queue, QueueLimit};
use proptest::prelude::*;
use std::collections::VecDeque;

struct FqCodel {
    limit: QueueLimit,
    in_service: u64,
    quantum: i64,
    salt: u64,
    maxpacket: u32,
    queues: Vec<(Codel, i64)>,
    new_queues: VecDeque<usize>,
    old_queues: VecDeque<usize>,
}

impl FqCodel {
    /// Returns the queue of a flow: SplitMix64's finaliser, scaled to the number of queues.
    fn hash(&self, flow: u64) -> usize {
        let mut z = flow ^ self.salt;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^= z >> 31;
        ((u128::from(z) * self.queues.len() as u128) >> 64) as usize
    }

    fn exceeds_the_limit(&self, in_service: u32) -> bool {
        let packets: usize = self.queues.iter().map(|(codel, _)| codel.queue.len()).sum();
        let bytes: u64 = self.queues.iter().map(|(codel, _)| codel.bytes()).sum();
        match self.limit {
            QueueLimit::Packets(limit) => packets as u32 + in_service > limit,
            QueueLimit::Bytes(limit) => bytes + if in_service > 0 { self.in_service } else { 0 } > limit,
        }
    }
}

impl Served for FqCodel {
    fn arrive(&mut self, _now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>) {
        self.maxpacket = self.maxpacket.max(packet.bytes);
        let queue = self.hash(packet.flow);
        self.queues[queue].0.queue.push_back(packet);
        if !self.new_queues.contains(&queue) && !self.old_queues.contains(&queue) {
            self.new_queues.push_back(queue);
            self.queues[queue].1 = self.quantum;
        }
        while self.exceeds_the_limit(in_service)
            && self.queues.iter().any(|(codel, _)| !codel.queue.is_empty())
        {
            // The queue with most bytes; of equals, which the RFC leaves open, with most packets and then the lowest
            // number.
            let size = |codel: &Codel| (codel.bytes(), codel.queue.len());
            let most = self.queues.iter().map(|(codel, _)| size(codel)).max();
            let fattest = self.queues.iter_mut().find(|(codel, _)| Some(size(codel)) == most);
            let queue = &mut fattest.expect("one of them").0.queue;
            let half = queue.len().div_ceil(2).min(64);
            dropped.extend(queue.drain(..half));
        }
    }

    fn next(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet> {
        loop {
            let is_new = !self.new_queues.is_empty();
            let list = if is_new { &mut self.new_queues } else { &mut self.old_queues };
            let queue = *list.front()?;
            let (codel, credits) = &mut self.queues[queue];
            if *credits <= 0 {
                *credits += self.quantum;
                list.pop_front();
                self.old_queues.push_back(queue);
                continue;
            }
            if let Some(packet) = codel.deque(now, self.maxpacket, dropped) {
                *credits -= i64::from(packet.bytes);
                self.in_service = u64::from(packet.bytes);
                return Some(packet);
            }
            list.pop_front();
            if is_new {
                self.old_queues.push_back(queue);
            }
        }
    }
}

fn both(arrivals: &[Packet], limit: QueueLimit, rate: u64, quantum: u64, flows: u32) -> usize {
    let values = [("quantum", Value::Bytes(quantum)), ("flows", Value::Number(f64::from(flows)))];
    let mut queue = Queue::new(&config(limit, "fq_codel", &values, mbps(rate)), SEED, NAME);
    let fates = replay(&mut queue, arrivals, mbps(rate));
    let one = || (Codel::new(Span::from_millis(5), Span::from_millis(100)), 0);
    let mut twin = FqCodel {
        limit,
        in_service: 0,
        quantum: quantum as i64,
        salt: Stream::new(SEED, &format!("queue of {NAME}")).bits(),
        maxpacket: 0,
        queues: (0..flows).map(|_| one()).collect(),
        new_queues: VecDeque::new(),
        old_queues: VecDeque::new(),
    };
    assert_eq!(fates, replay(&mut twin, arrivals, mbps(rate)));
    drops(&fates)
}

#[test]
fn recorded_arrivals_are_dropped_and_delayed_as_the_rfc_has_it() {
    for (rate, limit, wanted) in [(9, 10_240, 1..100), (6, 10_240, 30..1000), (6, 60, 100..1000)] {
        let drops = both(&recorded(), QueueLimit::Packets(limit), rate, 1514, 1024);
        assert!(wanted.contains(&drops), "{drops} drops at {rate} Mb/s");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Runs with few queues are included, where flows collide.
    #[test]
    fn generated_arrivals_are_dropped_and_delayed_as_the_rfc_has_it(
        arrivals in generated(), limit in limits(), rate in 1..20u64, quantum in 100..3000u64, flows in 1..40u32,
    ) {
        both(&arrivals, limit, rate, quantum, flows);
    }
}
