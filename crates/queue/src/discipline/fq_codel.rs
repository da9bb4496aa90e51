//! FQ-CoDel, flow queueing with CoDel (RFC 8290).
//!
//! Flows are hashed onto queues, which are served by deficit round robin in bytes; queues that have just become
//! active come first. [CoDel](super::CoDel) controls each queue. The RFC's default limit is 10240 packets; here it is
//! the queue's own, in its unit. When it is exceeded, half of the packets of the queue with most bytes are dropped
//! from its head, at most 64, at least one (section 4.1); of equals the queue with most packets, then the one with
//! the lowest number.
//!
//! Choices where the RFC is silent: the hash is a seeded mixing function; CoDel compares the bytes waiting in the
//! flow's own queue with the longest packet of any flow.

mod buckets;

use super::codel::{ControlLaw, INTERVAL, TARGET};
use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::round_robin::RoundRobin;
use crate::timestamped::Timestamped;
use airfair_core::Time;
use buckets::Buckets;

// RFC 8290, sections 5.2.4 to 5.2.6.
const QUANTUM: Parameter = Parameter {
    name: "quantum",
    kind: Kind::Bytes(Range::POSITIVE.at_most(1_000_000_000.0)),
    default: Value::Bytes(1514),
    help: "bytes that a flow may send in its turn",
};
const FLOWS: Parameter = Parameter {
    name: "flows",
    kind: Kind::Number(Range::between(1.0, 65_536.0)),
    default: Value::Number(1024.0),
    help: "number of queues that flows are hashed onto; a fraction is cut off",
};
const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "packets capable of ECN are marked instead of dropped by CoDel",
};

/// The most packets dropped at once when there is no room (RFC 8290, section 4.1).
const BATCH: u32 = 64;

/// Flow queueing with CoDel.
#[derive(Clone, Debug)]
pub struct FqCoDel<P> {
    limit: QueueLimit,
    law: ControlLaw,
    quantum: i64,
    buckets: Buckets<P>,
    /// Indices of active buckets.
    turns: RoundRobin,
    held: Occupancy,
    longest: u32,
}

impl<P: Queued> FqCoDel<P> {
    /// Makes room: drops from the head of the queue with most bytes.
    fn drop_batch(&mut self, account: &mut Account<P>) {
        let Some(fattest) = self.buckets.fattest(self.turns.iter()) else { return };
        let bucket = self.buckets.get_mut(fattest);
        let batch = bucket.fifo.occupancy().packets.div_ceil(2).min(BATCH);
        for dropped in (0..batch).map_while(|_| bucket.fifo.pop()) {
            self.held -= Occupancy::of(&dropped);
            account.drop_full(dropped.packet);
        }
    }
}

impl<P: Queued> QueueDiscipline<P> for FqCoDel<P> {
    const NAME: &'static str = "fq_codel";
    const PARAMETERS: &'static [Parameter] = &[TARGET, INTERVAL, QUANTUM, FLOWS, ECN];

    fn new(given: &Configured, setup: &Setup) -> FqCoDel<P> {
        FqCoDel {
            limit: setup.limit(),
            law: ControlLaw::given(given, given.flag(&ECN)),
            quantum: given.bytes(&QUANTUM) as i64,
            buckets: Buckets::new(given.number(&FLOWS) as u32, setup.stream().bits()),
            turns: RoundRobin::default(),
            held: Occupancy::default(),
            longest: 0,
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.longest = self.longest.max(packet.bytes());
        let index = self.buckets.of(packet.flow());
        let bucket = self.buckets.get_mut(index);
        bucket.fifo.push(Timestamped { packet, arrived: now });
        self.held += Occupancy::of(&packet);
        if !bucket.active {
            bucket.active = true;
            bucket.credits = self.quantum;
            self.turns.push_new(index);
        }
        while self.held.packets > 0 && !self.limit.allows(self.held + in_service) {
            self.drop_batch(account);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        loop {
            let index = self.turns.first()?;
            let bucket = self.buckets.get_mut(index);
            if bucket.credits <= 0 {
                bucket.credits += self.quantum;
                self.turns.rotate();
                continue;
            }
            let before = bucket.fifo.occupancy();
            let packet = bucket.controller.dequeue(now, &self.law, self.longest, &mut bucket.fifo, account);
            self.held -= before - bucket.fifo.occupancy();
            if let Some(packet) = packet {
                bucket.credits -= i64::from(packet.bytes());
                return Some(packet);
            }
            bucket.active = !self.turns.retire_first();
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.held
    }

    fn set_limit(&mut self, limit: QueueLimit) {
        self.limit = limit;
    }
}

#[cfg(test)]
mod tests;
