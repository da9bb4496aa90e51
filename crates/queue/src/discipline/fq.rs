//! Linux's `fq` (tc-fq(8); `net/sched/sch_fq.c`).
//!
//! * *Turns* are those of a deficit round robin in bytes. Flows that have just become active come first, and a new flow has a longer first
//!   turn. A flow that falls idle keeps its credit. After more than 40 ms it has at least the credit of a turn. A flow without packets falls idle
//!   when its turn comes, and no turn comes while nothing waits.
//! * *While no flow has packets*, up to eight packets of any flows wait in one queue, first in, first out, which goes before all flows and costs
//!   them no credit (`fq_fastpath_check`, since Linux 6.7).
//! * *Flows are forgotten* that have had nothing to send for 3 s, once 2048 are known. If they come back, they count as new.
//! * *Without room*, or beyond its flow's limit of packets, an arriving packet is dropped.
//!
//! Differences from Linux: every flow has a queue of its own, where Linux keeps flows of sockets apart and hashes others; there is one band, in
//! which all flows take turns, and no `ce_threshold`. The queue does not pace: connections do that themselves (`pacing` of `[tcp]`). Linux keeps
//! flows in 1024 trees; since 6.7 it may forget a flow whenever it looks for another one in the same tree, which few flows share, and before only
//! from two flows to a tree on. Linux's default limit is 10,000 packets; here the limit is the queue's own, in its unit.

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::round_robin::RoundRobin;
use airfair_core::{Span, Time};
use std::collections::{BTreeMap, VecDeque};

const BYTES: Kind = Kind::Bytes(Range::POSITIVE.at_most(1_000_000_000.0));
// tc-fq(8): two packets of an Ethernet, ten at first.
const QUANTUM: Parameter = Parameter {
    name: "quantum",
    kind: BYTES,
    default: Value::Bytes(3028),
    help: "bytes that a flow may send in its turn",
};
const INITIAL_QUANTUM: Parameter = Parameter {
    name: "initial_quantum",
    kind: BYTES,
    default: Value::Bytes(15_140),
    help: "the same in its first turn",
};
const FLOW_LIMIT: Parameter = Parameter {
    name: "flow_limit",
    kind: Kind::Number(Range::between(1.0, 1_000_000.0)),
    default: Value::Number(100.0),
    help: "packets that a flow may have in the queue; a fraction is cut off",
};

/// Linux's `flow_refill_delay`, and `FQ_GC_AGE`, after which flows may be forgotten once there are many.
const REFILL: Span = Span::from_millis(40);
const FORGET: Span = Span::from_secs(3);
const MANY: usize = 2048;

/// Most packets that wait in one queue while no flow has any.
const FAST: usize = 8;

/// Flows in turn.
#[derive(Clone, Debug)]
pub struct Fq<P> {
    limit: QueueLimit,
    settings: Settings,
    held: Occupancy,
    /// Boxed, because the largest discipline determines the size of every queue.
    flows: Box<Flows<P>>,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    quantum: i64,
    initial_quantum: i64,
    flow_limit: usize,
}

#[derive(Clone, Debug)]
struct Flows<P> {
    flows: Vec<Flow<P>>,
    /// Place in `flows` of each flow that is known.
    places: BTreeMap<u64, u32>,
    turns: RoundRobin,
    /// Places without a flow.
    free: Vec<u32>,
    /// The number of known flows from which on flows are forgotten next.
    many: usize,
    /// Packets that came while no flow had any.
    fast: VecDeque<P>,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    credit: i64,
    /// Since when the flow has had nothing to send; [`Time::NEVER`] if it has packets, or if its place is free.
    idle: Time,
    packets: VecDeque<P>,
}

impl Settings {
    fn given(given: &Configured) -> Settings {
        Settings {
            quantum: given.bytes(&QUANTUM) as i64,
            initial_quantum: given.bytes(&INITIAL_QUANTUM) as i64,
            flow_limit: given.number(&FLOW_LIMIT) as usize,
        }
    }
}

impl<P: Queued> Flows<P> {
    /// Returns the place of a flow, a new one if the flow is not known.
    fn place(&mut self, now: Time, key: u64, settings: &Settings) -> u32 {
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        self.forget(now);
        let flow = Flow { credit: settings.initial_quantum, idle: now, packets: VecDeque::new() };
        let place = match self.free.pop() {
            Some(place) => {
                self.flows[place as usize] = flow;
                place
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        self.places.insert(key, place);
        place
    }

    /// Forgets flows that have had nothing to send for [`FORGET`], once there are many.
    fn forget(&mut self, now: Time) {
        if self.places.len() < self.many {
            return;
        }
        let Flows { flows, places, free, .. } = self;
        places.retain(|_, &mut place| {
            let stays = now <= flows[place as usize].idle + FORGET;
            if !stays {
                free.push(place);
            }
            stays
        });
        self.many = MANY.max(2 * self.places.len());
    }

    fn push(&mut self, now: Time, place: u32, packet: P, settings: &Settings) {
        let flow = &mut self.flows[place as usize];
        if flow.idle != Time::NEVER {
            if now > flow.idle + REFILL {
                flow.credit = flow.credit.max(settings.quantum);
            }
            flow.idle = Time::NEVER;
            self.turns.push_new(place);
        }
        flow.packets.push_back(packet);
    }

    fn pop(&mut self, now: Time, settings: &Settings) -> Option<P> {
        if let Some(packet) = self.fast.pop_front() {
            return Some(packet);
        }
        loop {
            let place = self.turns.first()?;
            let flow = &mut self.flows[place as usize];
            if flow.credit <= 0 {
                flow.credit += settings.quantum;
                self.turns.rotate();
            } else if let Some(packet) = flow.packets.pop_front() {
                flow.credit -= i64::from(packet.bytes());
                return Some(packet);
            } else if self.turns.retire_first() {
                flow.idle = now;
            }
        }
    }
}

impl<P: Queued> QueueDiscipline<P> for Fq<P> {
    const NAME: &'static str = "fq";
    const ABOUT: &'static str =
        "Linux's fair queue of hosts: flows in turn, each first in, first out (tc-fq(8)). It does not pace.";
    const PARAMETERS: &'static [Parameter] = &[QUANTUM, INITIAL_QUANTUM, FLOW_LIMIT];

    fn new(given: &Configured, setup: &Setup) -> Fq<P> {
        let flows = Flows {
            flows: Vec::new(),
            places: BTreeMap::new(),
            turns: RoundRobin::default(),
            free: Vec::new(),
            many: MANY,
            fast: VecDeque::new(),
        };
        Fq {
            limit: setup.limit(),
            settings: Settings::given(given),
            held: Occupancy::default(),
            flows: Box::new(flows),
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        let with = self.held + Occupancy::of(&packet);
        if !self.limit.allows(with + in_service) {
            return account.drop_full(packet);
        }
        let fast = &mut self.flows.fast;
        if fast.len() < FAST && fast.len() == self.held.packets as usize {
            self.held = with;
            return fast.push_back(packet);
        }
        let place = self.flows.place(now, packet.flow(), &self.settings);
        if self.flows.flows[place as usize].packets.len() >= self.settings.flow_limit {
            return account.drop_early(packet);
        }
        self.held = with;
        self.flows.push(now, place, packet, &self.settings);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _: &mut Account<P>) -> Option<P> {
        // No turn passes then, and no flow falls idle: `fq_dequeue` looks at the length first.
        if self.held.packets == 0 {
            return None;
        }
        let packet = self.flows.pop(now, &self.settings)?;
        self.held -= Occupancy::of(&packet);
        Some(packet)
    }

    fn occupancy(&self) -> Occupancy {
        self.held
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        (self.limit, self.settings) = (setup.limit(), Settings::given(given));
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.held = Occupancy::default();
        let Flows { flows, turns, fast, .. } = &mut *self.flows;
        let of_flows = turns.drain().flat_map(|place| std::mem::take(&mut flows[place as usize].packets));
        fast.drain(..).chain(of_flows).collect()
    }
}

#[cfg(test)]
mod tests;
