//! Flows in turn, each controlled by CoDel (RFC 8290, section 4), without a limit.

use super::buckets::{Buckets, Hash};
use super::{FLOWS, QUANTUM};
use crate::account::Account;
use crate::discipline::codel::ControlLaw;
use crate::discipline::{Configured, Setup};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::round_robin::RoundRobin;
use crate::timestamped::Timestamped;
use airfair_core::Time;

/// Parameters that all flows share.
#[derive(Clone, Copy, Debug)]
pub(in crate::discipline) struct FlowSettings {
    law: ControlLaw,
    quantum: i64,
    hash: Hash,
}

impl FlowSettings {
    /// Returns the settings with these parameters and this control law.
    pub fn given(given: &Configured, law: ControlLaw, setup: &Setup) -> FlowSettings {
        let hash = Hash { flows: given.number(&FLOWS) as u32, salt: setup.stream().bits() };
        FlowSettings { law, quantum: given.bytes(&QUANTUM) as i64, hash }
    }

    /// Returns these settings with other parameters and another control law. `None` if the number of queues changes:
    /// then flows would be in other queues.
    pub fn adopt(&self, given: &Configured, law: ControlLaw) -> Option<FlowSettings> {
        let same_queues = self.hash.flows == given.number(&FLOWS) as u32;
        same_queues.then(|| FlowSettings { law, quantum: given.bytes(&QUANTUM) as i64, hash: self.hash })
    }

    /// Returns these settings with another control law.
    pub fn with_law(self, law: ControlLaw) -> FlowSettings {
        FlowSettings { law, ..self }
    }
}

/// Packets by flow, and the order in which flows take turns.
#[derive(Clone, Debug)]
pub(in crate::discipline) struct Flows<P> {
    buckets: Buckets<P>,
    /// Indices of active buckets.
    turns: RoundRobin,
    held: Occupancy,
    longest: u32,
}

impl<P> Default for Flows<P> {
    fn default() -> Flows<P> {
        Flows {
            buckets: Buckets::default(),
            turns: RoundRobin::default(),
            held: Occupancy::default(),
            longest: 0,
        }
    }
}

impl<P: Queued> Flows<P> {
    #[inline]
    pub fn enqueue(&mut self, now: Time, packet: P, settings: &FlowSettings) {
        self.longest = self.longest.max(packet.bytes());
        let index = self.buckets.of(packet.flow(), settings.hash);
        let bucket = self.buckets.get_mut(index);
        bucket.fifo.push(Timestamped { packet, arrived: now });
        self.held += Occupancy::of(&packet);
        if !bucket.active {
            bucket.active = true;
            bucket.credits = settings.quantum;
            self.turns.push_new(index);
        }
    }

    /// Returns the next packet. CoDel drops packets before it.
    #[inline]
    pub fn dequeue(&mut self, now: Time, settings: &FlowSettings, account: &mut Account<P>) -> Option<P> {
        loop {
            let index = self.turns.first()?;
            let bucket = self.buckets.get_mut(index);
            if bucket.credits <= 0 {
                bucket.credits += settings.quantum;
                self.turns.rotate();
                continue;
            }
            let before = bucket.fifo.occupancy();
            let packet =
                bucket.controller.dequeue(now, &settings.law, self.longest, &mut bucket.fifo, account);
            self.held -= before - bucket.fifo.occupancy();
            if let Some(packet) = packet {
                bucket.credits -= i64::from(packet.bytes());
                return Some(packet);
            }
            bucket.active = !self.turns.retire_first();
        }
    }

    /// Removes all packets, queue by queue in the order of their turns.
    pub fn drain(&mut self) -> Vec<P> {
        self.held = Occupancy::default();
        let queues = self.turns.iter().flat_map(|index| self.buckets.get_mut(index).fifo.drain());
        queues.map(|stamped| stamped.packet).collect()
    }

    /// Returns the rank of the fattest queue, and its index: the queue with most bytes; of equals with most packets,
    /// then with the lowest number. `None` if all are empty.
    pub fn fattest(&self) -> Option<(impl Ord + use<P>, u32)> {
        if self.held.packets == 0 {
            return None;
        }
        self.turns.iter().map(|index| (self.buckets.fatness(index), index)).max()
    }

    /// Drops packets from the head of the queue at `index`. `batch` returns how many, for the number of packets that
    /// the queue holds.
    pub fn drop_batch(&mut self, index: u32, batch: fn(u32) -> u32, account: &mut Account<P>) {
        let fifo = &mut self.buckets.get_mut(index).fifo;
        let packets = batch(fifo.occupancy().packets);
        for dropped in (0..packets).map_while(|_| fifo.pop()) {
            self.held -= Occupancy::of(&dropped);
            account.drop_full(dropped.packet);
        }
    }

    #[inline]
    pub fn occupancy(&self) -> Occupancy {
        self.held
    }
}
