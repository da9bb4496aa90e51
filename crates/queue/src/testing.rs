//! Packets and queues for tests.

use crate::config::{Discipline, QueueConfig, QueueLimit};
use crate::queue::Queue;
use crate::queued::Queued;
use airfair_core::schema::Value;
use airfair_core::{Rate, Span, Time};

/// A packet with a number to recognise it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub number: u32,
    pub bytes: u32,
    pub flow: u64,
    pub station: u32,
    pub capable: bool,
    pub scalable: bool,
    pub marked: bool,
}

impl Packet {
    pub const fn new(number: u32) -> Packet {
        Packet { number, bytes: 1000, flow: 0, station: 0, capable: false, scalable: false, marked: false }
    }
}

impl Queued for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn flow(&self) -> u64 {
        self.flow
    }

    fn station(&self) -> u32 {
        self.station
    }

    fn mark(&mut self) -> bool {
        self.marked |= self.capable;
        self.capable
    }

    fn is_scalable(&self) -> bool {
        self.scalable
    }
}

/// Returns a queue at 8 Mb/s: a packet of 1000 bytes takes a millisecond.
pub(crate) fn queue(limit: QueueLimit, name: &str, values: &[(&str, Value)]) -> Queue<Packet> {
    weighted(limit, name, values, Vec::new())
}

/// Like [`queue`], but with weights of stations.
pub(crate) fn weighted(
    limit: QueueLimit,
    name: &str,
    values: &[(&str, Value)],
    weights: Vec<(u32, u16)>,
) -> Queue<Packet> {
    let mut discipline = Discipline::named(name).expect("one of the disciplines");
    discipline.set(values).expect("allowed");
    let rate = Rate::new(8_000_000).expect("above zero");
    Queue::new(&QueueConfig { limit, discipline, rate, weights }, 1, "test")
}

pub(crate) fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// Returns the numbers of all packets that leave at `now`.
pub(crate) fn drained(queue: &mut Queue<Packet>, now: Time) -> Vec<u32> {
    std::iter::from_fn(|| queue.dequeue(now)).map(|packet| packet.number).collect()
}

/// Returns the numbers of the packets dropped by the last call.
pub(crate) fn dropped(queue: &mut Queue<Packet>) -> Vec<u32> {
    std::iter::from_fn(|| queue.poll_drop()).map(|packet| packet.number).collect()
}
