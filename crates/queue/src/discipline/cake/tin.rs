//! A tin: flows in turn, by hosts (Høiland-Jørgensen, Täht & Morton 2018).

use super::cobalt::{Cobalt, Law};
use crate::account::Account;
use crate::config::FlowLabels;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use airfair_core::{Rate, Stream, Time};
use std::collections::{BTreeMap, VecDeque};

/// Parameters of a tin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Bytes that a flow may send in its turn.
    pub quantum: i64,
    /// Whether sources have equal shares, and whether destinations have.
    pub isolates: [bool; 2],
    pub share: Share,
    pub law: Law,
    /// Whether dropped packets count as sent.
    pub ingress: bool,
}

/// A tin's share of the rate. While the tin has sent no more than that, it goes before tins of lower priority.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub rate: Rate,
    pub divisor: u64,
}

impl Share {
    /// Returns when the tin's next packet is within the share, after one of `bytes` bytes at `now`; before, that was at `next`.
    fn after(&self, next: Time, now: Time, bytes: u32) -> Time {
        let span = self.rate.span_of_bytes(u64::from(bytes) * self.divisor);
        if next < now { next + span } else { next.max(now + span) }
    }
}

/// Where a flow is in the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In no round: the flow has no packets, and is kept until COBALT is at rest.
    Idle,
    /// Among the flows that have sent no more than a quantum since they were idle.
    Sparse,
    /// In the round of busy flows, without packets when its turn came: the flow is not counted as busy.
    Waiting,
    Busy,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    id: u64,
    hosts: [u32; 2],
    fifo: Fifo<Timestamped<P>>,
    cobalt: Cobalt,
    /// What it may still send in its turn, in [`PARTS`] of a byte.
    deficit: i64,
    place: Place,
    /// Whether the flow's number is in [`Tin::idle`], where it is at most once.
    is_listed: bool,
}

/// Turns are counted in these parts of a byte: in whole bytes those of a host's many flows would add up to less than one of its own. Linux rounds
/// them up or down at random.
const PARTS: i64 = 1 << 16;

/// Linux's number of queues. With as many flows, a new one replaces an idle one.
const QUEUES: usize = 1024;

/// A tin: flows in turn, and the counts of busy flows by host.
#[derive(Clone, Debug)]
pub(super) struct Tin<P> {
    /// When the tin's next packet is within its share of the rate.
    pub next: Time,
    held: Occupancy,
    flows: Vec<Flow<P>>,
    /// Numbers of flows (indices in `flows`), by the flows' identity.
    numbers: BTreeMap<u64, u32>,
    /// Numbers that no flow has.
    free: Vec<u32>,
    /// Numbers of idle flows, in the order of their visits. Some of these may be idle no longer.
    idle: VecDeque<u32>,
    sparse: VecDeque<u32>,
    busy: VecDeque<u32>,
    /// Number of busy flows of each host, as a source and as a destination. The next field: of all hosts.
    busy_of: [BTreeMap<u32, u32>; 2],
    busy_flows: u32,
}

impl<P> Default for Tin<P> {
    fn default() -> Tin<P> {
        Tin {
            next: Time::ZERO,
            held: Occupancy::default(),
            flows: Vec::new(),
            numbers: BTreeMap::new(),
            free: Vec::new(),
            idle: VecDeque::new(),
            sparse: VecDeque::new(),
            busy: VecDeque::new(),
            busy_of: [BTreeMap::new(), BTreeMap::new()],
            busy_flows: 0,
        }
    }
}

impl<P: Queued> Tin<P> {
    pub fn enqueue(&mut self, now: Time, packet: P, labels: &FlowLabels, rules: &Rules) {
        if self.held.packets == 0 {
            self.next = self.next.max(now);
        }
        self.held += Occupancy::of(&packet);
        let number = self.number_of(packet.flow(), [labels.source, labels.destination]);
        let flow = &mut self.flows[number as usize];
        flow.fifo.push(Timestamped { packet, arrived: now });
        match flow.place {
            Place::Idle => {
                flow.place = Place::Sparse;
                self.sparse.push_back(number);
                self.flows[number as usize].deficit = self.quantum(number, rules);
            }
            Place::Waiting => self.count_as_busy(number),
            Place::Sparse | Place::Busy => {}
        }
    }

    /// Returns the number of a flow. A new flow takes that of an idle one once there are many.
    fn number_of(&mut self, id: u64, hosts: [u32; 2]) -> u32 {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        let flow = Flow {
            id,
            hosts,
            fifo: Fifo::default(),
            cobalt: Cobalt::default(),
            deficit: 0,
            place: Place::Idle,
            is_listed: false,
        };
        let number = match self.free_number() {
            Some(number) => {
                self.flows[number as usize] = flow;
                number
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        self.numbers.insert(id, number);
        number
    }

    /// Takes the idle flow whose visit is next off the list.
    fn next_idle(&mut self) -> Option<u32> {
        loop {
            let number = self.idle.pop_front()?;
            let flow = &mut self.flows[number as usize];
            flow.is_listed = false;
            if flow.place == Place::Idle {
                return Some(number);
            }
        }
    }

    /// Returns a number that no flow has. Once there are many flows, an idle flow is forgotten for it.
    fn free_number(&mut self) -> Option<u32> {
        if self.free.is_empty() && self.flows.len() >= QUEUES {
            let idle = self.next_idle()?;
            self.forget(idle);
        }
        self.free.pop()
    }

    fn forget(&mut self, number: u32) {
        self.numbers.remove(&self.flows[number as usize].id);
        self.free.push(number);
    }

    /// Visits an idle flow: COBALT's state goes down by a step, and a flow at rest is forgotten.
    fn visit_idle(&mut self, now: Time, law: &Law) {
        let Some(number) = self.next_idle() else { return };
        let cobalt = &mut self.flows[number as usize].cobalt;
        cobalt.empty(now, law);
        if cobalt.is_at_rest(now) {
            self.forget(number);
        } else {
            self.list_idle(number);
        }
    }

    fn list_idle(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        if !flow.is_listed {
            flow.is_listed = true;
            self.idle.push_back(number);
        }
    }

    /// Returns a flow's turn, in [`PARTS`] of a byte: its host's, shared with the other busy flows of that host.
    fn quantum(&self, number: u32, rules: &Rules) -> i64 {
        let hosts = self.flows[number as usize].hosts;
        let flows = |end: usize| match rules.isolates[end] {
            true => self.busy_of[end].get(&hosts[end]).copied().unwrap_or(0),
            false => 0,
        };
        let load = flows(0).max(flows(1)).max(1);
        rules.quantum * PARTS / i64::from(load)
    }

    fn count_as_busy(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        flow.place = Place::Busy;
        self.busy_flows += 1;
        for (counts, host) in self.busy_of.iter_mut().zip(flow.hosts) {
            *counts.entry(host).or_default() += 1;
        }
    }

    /// Takes the flow whose turn it is, which has no packets, out of the round.
    fn retire(&mut self, now: Time, law: &Law) {
        let first = if self.sparse.is_empty() { self.busy.pop_front() } else { self.sparse.pop_front() };
        let Some(number) = first else { return };
        let flow = &mut self.flows[number as usize];
        flow.cobalt.empty(now, law);
        if flow.place == Place::Busy {
            self.busy_flows -= 1;
            for (counts, host) in self.busy_of.iter_mut().zip(flow.hosts) {
                counts.entry(host).and_modify(|flows| *flows -= 1);
            }
        }
        flow.place = Place::Idle;
        self.list_idle(number);
    }

    /// Returns the next packet of the flow whose turn it is. COBALT drops packets before it. Each call also visits one idle
    /// flow.
    pub fn dequeue(
        &mut self,
        now: Time,
        rules: &Rules,
        stream: &mut Stream,
        account: &mut Account<P>,
    ) -> Option<P> {
        self.visit_idle(now, &rules.law);
        loop {
            let number = *self.sparse.front().or(self.busy.front())?;
            if self.flows[number as usize].deficit <= 0 {
                self.next_turn(number, rules);
                continue;
            }
            let others = if rules.ingress { self.busy_flows } else { 0 };
            let flow = &mut self.flows[number as usize];
            while let Some(mut head) = flow.fifo.pop() {
                let bytes = head.bytes();
                self.held -= Occupancy::of(&head);
                let waited = head.sojourn(now);
                let packet = &mut head.packet;
                let drops =
                    flow.cobalt.drops(now, &rules.law, waited, others, stream, || account.mark(packet));
                let sends = !drops || flow.fifo.occupancy().packets == 0;
                if sends || rules.ingress {
                    flow.deficit -= i64::from(bytes) * PARTS;
                    self.next = rules.share.after(self.next, now, bytes);
                }
                if sends {
                    return Some(head.packet);
                }
                account.drop_early(head.packet);
            }
            self.retire(now, &rules.law);
        }
    }

    /// Moves a flow that has used its turn to the end of the round, with a new quantum.
    fn next_turn(&mut self, number: u32, rules: &Rules) {
        let was_sparse = self.sparse.pop_front().is_some();
        if !was_sparse {
            self.busy.pop_front();
        }
        self.busy.push_back(number);
        let flow = &mut self.flows[number as usize];
        if was_sparse && flow.fifo.occupancy().packets == 0 {
            flow.place = Place::Waiting;
        } else if was_sparse {
            self.count_as_busy(number);
        }
        let quantum = self.quantum(number, rules);
        self.flows[number as usize].deficit += quantum;
    }

    /// Whether a flow is in a round, with packets or without.
    pub fn has_turns(&self) -> bool {
        !self.sparse.is_empty() || !self.busy.is_empty()
    }

    pub fn occupancy(&self) -> Occupancy {
        self.held
    }

    /// Returns bytes and packets of the flow with most bytes, and its number. Of flows with equal bytes and packets it is the
    /// one whose turn is furthest.
    pub fn longest(&self) -> Option<(impl Ord + use<P>, u32)> {
        let waiting = self.sparse.iter().chain(&self.busy).filter_map(|&number| {
            let held = self.flows[number as usize].fifo.occupancy();
            (held.packets > 0).then_some(((held.bytes, held.packets), number))
        });
        waiting.max_by_key(|(held, _)| *held)
    }

    /// Drops the first packet of a flow that has one, because the queue is full.
    pub fn drop_head(&mut self, now: Time, number: u32, rules: &Rules) -> Option<P> {
        let flow = &mut self.flows[number as usize];
        let head = flow.fifo.pop()?;
        flow.cobalt.full(now, &rules.law);
        self.held -= Occupancy::of(&head);
        if rules.ingress {
            self.next = rules.share.after(self.next, now, head.bytes());
        }
        Some(head.packet)
    }

    /// Removes all packets, flow by flow in the order of their turns.
    pub fn drain(&mut self) -> Vec<P> {
        self.held = Occupancy::default();
        let Tin { sparse, busy, flows, .. } = self;
        let turns = sparse.iter().chain(&*busy);
        turns.flat_map(|&number| flows[number as usize].fifo.drain()).map(|stamped| stamped.packet).collect()
    }
}

#[cfg(test)]
mod tests;
