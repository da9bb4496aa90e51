//! RFC 8289, section 5: its pseudo-code, line by line.

use crate::replay::{NAME, Packet, SEED, Served, config, drops, generated, limits, mbps, recorded, replay};
use airfair_core::schema::Value;
use airfair_core::{Span, Time};
use airfair_queue::{Queue, QueueLimit};
use proptest::prelude::*;
use std::collections::VecDeque;

/// The class of the RFC's pseudo-code, with times in nanoseconds.
#[derive(Default)]
pub struct Codel {
    pub queue: VecDeque<Packet>,
    target: u64,
    interval: u64,
    first_above_time_: u64,
    drop_next_: u64,
    count_: u32,
    lastcount_: u32,
    dropping_: bool,
}

impl Codel {
    pub fn new(target: Span, interval: Span) -> Codel {
        Codel { target: target.0, interval: interval.0, ..Codel::default() }
    }

    pub fn bytes(&self) -> u64 {
        self.queue.iter().map(|packet| u64::from(packet.bytes)).sum()
    }

    fn control_law(&self, t: u64, count: u32) -> u64 {
        t + (self.interval as f64 / (count as f64).sqrt()).round() as u64
    }

    fn dodequeue(&mut self, now: u64, maxpacket: u32) -> (Option<Packet>, bool) {
        let mut ok_to_drop = false;
        let p = self.queue.pop_front();
        match p {
            None => self.first_above_time_ = 0,
            Some(packet) => {
                let sojourn_time = now - packet.arrived.0;
                if sojourn_time < self.target || self.bytes() <= u64::from(maxpacket) {
                    self.first_above_time_ = 0;
                } else if self.first_above_time_ == 0 {
                    self.first_above_time_ = now + self.interval;
                } else if now >= self.first_above_time_ {
                    ok_to_drop = true;
                }
            }
        }
        (p, ok_to_drop)
    }

    pub fn deque(&mut self, now: Time, maxpacket: u32, dropped: &mut Vec<Packet>) -> Option<Packet> {
        let now = now.0;
        let mut r = self.dodequeue(now, maxpacket);
        if self.dropping_ {
            if !r.1 {
                self.dropping_ = false;
            }
            while now >= self.drop_next_ && self.dropping_ {
                dropped.extend(r.0);
                self.count_ += 1;
                r = self.dodequeue(now, maxpacket);
                if !r.1 {
                    self.dropping_ = false;
                } else {
                    self.drop_next_ = self.control_law(self.drop_next_, self.count_);
                }
            }
        } else if r.1 {
            dropped.extend(r.0);
            r = self.dodequeue(now, maxpacket);
            self.dropping_ = true;
            let delta = self.count_ - self.lastcount_;
            self.count_ = 1;
            if delta > 1 && (now as i128 - i128::from(self.drop_next_)) < 16 * i128::from(self.interval) {
                self.count_ = delta;
            }
            self.drop_next_ = self.control_law(now, self.count_);
            self.lastcount_ = self.count_;
        }
        r.0
    }
}

/// The RFC's queue with a limit: packets that find no room are not enqueued.
struct Limited {
    limit: QueueLimit,
    in_service: u64,
    maxpacket: u32,
    codel: Codel,
}

impl Served for Limited {
    fn arrive(&mut self, _now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>) {
        self.maxpacket = self.maxpacket.max(packet.bytes);
        let fits = match self.limit {
            QueueLimit::Packets(limit) => self.codel.queue.len() as u32 + in_service < limit,
            QueueLimit::Bytes(limit) => {
                let serving = if in_service > 0 { self.in_service } else { 0 };
                self.codel.bytes() + serving + u64::from(packet.bytes) <= limit
            }
        };
        if fits { self.codel.queue.push_back(packet) } else { dropped.push(packet) }
    }

    fn next(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet> {
        let packet = self.codel.deque(now, self.maxpacket, dropped);
        self.in_service = packet.map_or(0, |packet| u64::from(packet.bytes));
        packet
    }
}

fn both(arrivals: &[Packet], limit: QueueLimit, rate: u64, target: u64, interval: u64) -> usize {
    let (target, interval) = (Span::from_micros(target), Span::from_micros(interval));
    let values = [("target", Value::Time(target)), ("interval", Value::Time(interval))];
    let mut queue = Queue::new(&config(limit, "codel", &values, mbps(rate)), SEED, NAME);
    let fates = replay(&mut queue, arrivals, mbps(rate));
    let codel = Codel::new(target, interval);
    let mut twin = Limited { limit, in_service: 0, maxpacket: 0, codel };
    assert_eq!(fates, replay(&mut twin, arrivals, mbps(rate)));
    drops(&fates)
}

#[test]
fn recorded_arrivals_are_dropped_and_delayed_as_the_rfc_has_it() {
    for (rate, limit, wanted) in
        [(9, 1000, 1..100), (6, 1000, 30..1000), (6, 60, 100..1000), (20, 1000, 0..1)]
    {
        let drops = both(&recorded(), QueueLimit::Packets(limit), rate, 5000, 100_000);
        assert!(wanted.contains(&drops), "{drops} drops at {rate} Mb/s");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The intervals are short enough for many dropping states.
    #[test]
    fn generated_arrivals_are_dropped_and_delayed_as_the_rfc_has_it(
        arrivals in generated(), limit in limits(), rate in 1..20u64, target in 0..10_000u64, interval in 1..50_000u64,
    ) {
        both(&arrivals, limit, rate, target, interval);
    }
}
