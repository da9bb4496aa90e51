//! Arrivals, and a link that serves a queue.

use airfair_core::schema::Value;
use airfair_core::{Rate, Span, Time};
use airfair_queue::{Discipline, Queue, QueueConfig, QueueLimit, Queued};
use proptest::prelude::*;

/// The run's seed, and the name of the component.
pub const SEED: u64 = 5;
pub const NAME: &str = "replay";

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    pub number: u32,
    pub bytes: u32,
    pub flow: u64,
    pub arrived: Time,
}

impl Queued for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn flow(&self) -> u64 {
        self.flow
    }

    fn station(&self) -> u32 {
        self.flow as u32
    }

    fn mark(&mut self) -> bool {
        false
    }

    fn is_scalable(&self) -> bool {
        false
    }
}

/// A queue or its transliteration; packets dropped by a call are added to its last argument.
pub trait Served {
    fn arrive(&mut self, now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>);
    fn next(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet>;
}

impl Served for Queue<Packet> {
    fn arrive(&mut self, now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>) {
        self.enqueue(now, packet, in_service);
        dropped.extend(std::iter::from_fn(|| self.poll_drop()));
    }

    fn next(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet> {
        let packet = self.dequeue(now);
        dropped.extend(std::iter::from_fn(|| self.poll_drop()));
        packet
    }
}

/// The fate of a packet, its time, and the queueing delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fate {
    pub number: u32,
    pub dropped: bool,
    pub at: Time,
    pub sojourn: Span,
}

fn note(fates: &mut Vec<Fate>, packets: impl IntoIterator<Item = Packet>, dropped: bool, at: Time) {
    fates.extend(packets.into_iter().map(|packet| Fate {
        number: packet.number,
        dropped,
        at,
        sojourn: at - packet.arrived,
    }));
}

/// Runs `arrivals` through `queue` and a link; at one instant packets leave before others arrive.
pub fn replay(queue: &mut impl Served, arrivals: &[Packet], rate: Rate) -> Vec<Fate> {
    let mut fates = Vec::new();
    let mut free_at = None;
    let serve = |queue: &mut _, now: Time, fates: &mut Vec<Fate>| {
        let mut dropped = Vec::new();
        let packet = Served::next(queue, now, &mut dropped);
        note(fates, dropped, true, now);
        note(fates, packet, false, now);
        packet.map(|packet: Packet| now + rate.span_of_bytes(u64::from(packet.bytes)))
    };
    for packet in arrivals {
        while let Some(now) = free_at.filter(|&now| now <= packet.arrived) {
            free_at = serve(queue, now, &mut fates);
        }
        let mut dropped = Vec::new();
        queue.arrive(packet.arrived, *packet, u32::from(free_at.is_some()), &mut dropped);
        note(&mut fates, dropped, true, packet.arrived);
        if free_at.is_none() {
            free_at = serve(queue, packet.arrived, &mut fates);
        }
    }
    while let Some(now) = free_at {
        free_at = serve(queue, now, &mut fates);
    }
    fates
}

pub fn config(limit: QueueLimit, name: &str, values: &[(&str, Value)], rate: Rate) -> QueueConfig {
    let mut discipline = Discipline::named(name).expect("one of the disciplines");
    discipline.set(values).expect("allowed");
    QueueConfig { limit, discipline, rate, weights: Vec::new() }
}

pub fn drops(fates: &[Fate]) -> usize {
    fates.iter().filter(|fate| fate.dropped).count()
}

pub fn mbps(rate: u64) -> Rate {
    Rate::new(rate * 1_000_000).expect("above zero")
}

fn numbered(gaps: impl IntoIterator<Item = (u64, u32, u64)>) -> Vec<Packet> {
    let mut arrived = Time::ZERO;
    let packet = |(number, (gap, bytes, flow))| {
        arrived += Span::from_micros(gap);
        Packet { number, bytes, flow, arrived }
    };
    (0..).zip(gaps).map(packet).collect()
}

/// Returns the arrivals recorded in `arrivals.txt`.
pub fn recorded() -> Vec<Packet> {
    let lines = include_str!("arrivals.txt").lines().filter(|line| !line.starts_with('#'));
    numbered(lines.map(|line| {
        let mut numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        let mut next = || numbers.next().expect("three numbers in a line");
        (next(), next() as u32, next())
    }))
}

/// Generates bursts and pauses of short and long packets of eight flows.
pub fn generated() -> impl Strategy<Value = Vec<Packet>> {
    let gap = prop_oneof![4 => 0..200u64, 4 => 200..2000u64, 1 => 2000..100_000u64];
    let bytes = prop_oneof![Just(40u32), Just(1500), 41..1500u32];
    prop::collection::vec((gap, bytes, 0..8u64), 1..800).prop_map(numbered)
}

pub fn limits() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![(1..300u32).prop_map(QueueLimit::Packets), (1500..300_000u64).prop_map(QueueLimit::Bytes)]
}
