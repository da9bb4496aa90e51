//! Packets on their way to a merge point, where their order matters: first come, first served.
//!
//! Packets of paths with equal delay to a merge point mostly set out in the order of their arrival there. They share
//! a [`DelayLine`], which has one deadline for any number of paths. A packet that would break a line's order overtakes
//! the few that come after it; if they are many, it goes to the [`OutOfOrderQueue`].

use crate::flow::Side;
use crate::packet::{Body, FlowEnd, Packet};
use crate::ring::Ring;
use airfair_core::{Moment, Phase, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A FIFO of packets before one merge point. Of packets that arrive at the same moment, the first to set out is the
/// first.
#[derive(Debug, Default)]
pub struct DelayLine {
    waiting: Ring<Waiting>,
    /// Arrival of the last packet that joined.
    last: Moment,
    /// Number of packets, gone or at the front, that have been prefetched.
    prefetched: usize,
}

/// A packet and its arrival.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub due: Time,
    pub packet: Packet,
}

impl Waiting {
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment::new(self.due, self.packet.phase)
    }
}

/// Fills places of a line that no packet has had yet.
impl Default for Waiting {
    fn default() -> Waiting {
        let (to, body) = (FlowEnd::new(0, Side::Sender), Body::Datagram { payload: 0, end: 0 });
        Waiting {
            due: Time::NEVER,
            packet: Packet { at: 0, to, connection: 0, bytes: 0, phase: Phase::LAST, body },
        }
    }
}

/// A packet goes at most this far forward in its line: further is for the out-of-order queue.
const MOST_OVERTAKEN: usize = 64;

/// Packets prefetched at a time: about as many as a processor can have cache misses in flight.
const PREFETCH_BATCH: usize = 8;

/// The result of [`DelayLine::join`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// The packet is the first.
    First,
    /// Other packets are before it.
    Behind,
    /// It would arrive before the last packet in line, so it has not joined.
    OutOfOrder,
}

impl DelayLine {
    /// Adds a packet that arrives at `due`.
    #[inline(always)]
    pub fn join(&mut self, due: Time, packet: &Packet) -> Joined {
        let first = self.waiting.is_empty();
        let moment = Moment::new(due, packet.phase);
        if !first && moment < self.last {
            return Joined::OutOfOrder;
        }
        self.last = moment;
        self.waiting.push(Waiting { due, packet: *packet });
        if first { Joined::First } else { Joined::Behind }
    }

    /// Adds a packet that would break the order behind the others before those that come after it, if they are few; returns whether
    /// they are.
    pub fn insert(&mut self, waiting: &Waiting) -> bool {
        self.waiting.insert(waiting, MOST_OVERTAKEN, |other| other.moment() > waiting.moment())
    }

    /// Arrival of the first packet; [`Moment::NEVER`] if the line is empty.
    #[inline]
    pub fn next_deadline(&self) -> Moment {
        self.waiting.front().map_or(Moment::NEVER, Waiting::moment)
    }

    /// Removes the first packet if it has arrived.
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        let &Waiting { due, packet } = self.first()?;
        if due > now {
            return None;
        }
        self.leave();
        Some(packet)
    }

    /// The first packet and its arrival time.
    #[inline(always)]
    pub fn first(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// Removes the first packet.
    #[inline(always)]
    pub fn leave(&mut self) {
        self.waiting.pop();
    }

    /// Whether a new prefetch batch begins, because the packets of the last one are gone. Starts it if so.
    #[inline]
    pub fn begins_batch(&mut self) -> bool {
        let gone = self.waiting.gone();
        let begins = self.prefetched <= gone;
        if begins {
            self.prefetched = gone + self.waiting.len().min(PREFETCH_BATCH);
        }
        begins
    }

    /// The packets of the batch.
    pub fn batch(&self) -> impl Iterator<Item = &Packet> {
        self.waiting.iter().take(PREFETCH_BATCH).map(|waiting| &waiting.packet)
    }
}

/// Packets that would break their line's order, sorted by arrival, then by the place on their path, then by the time
/// at which they set out.
///
/// Packets of one path stay in order at the same moment too: while one of them is here, the many later arrivals of the
/// shared line are there, so those that follow at that moment come here as well.
///
/// Behind a burst of one flow hundreds of other flows' packets may be out of order, but in order among themselves. So
/// packets are sorted into runs, as in patience sorting: each joins the first run whose last packet comes before it.
#[derive(Debug, Default)]
pub struct OutOfOrderQueue {
    runs: Vec<Run>,
    /// The first packet of each non-empty run.
    heads: BinaryHeap<Reverse<(SortKey, u32)>>,
}

/// Arrival of a packet, and its place on its path.
type SortKey = (Moment, u32);

/// A FIFO of packets.
#[derive(Debug)]
struct Run {
    line: DelayLine,
    /// Key of the last packet to join, present or not: these keys descend from run to run.
    last: SortKey,
}

impl OutOfOrderQueue {
    /// Adds a packet that arrives at `due`, no earlier than the packets of its path before it.
    pub fn push(&mut self, due: Time, packet: Packet) {
        let key = (Moment::new(due, packet.phase), packet.at);
        let index = self.runs.partition_point(|run| run.last > key);
        if index == self.runs.len() {
            self.runs.push(Run { line: DelayLine::default(), last: key });
        }
        let run = &mut self.runs[index];
        run.last = key;
        if run.line.join(due, &packet) == Joined::First {
            self.heads.push(Reverse((key, index as u32)));
        }
    }

    /// Arrival of the first packet; [`Moment::NEVER`] if there is none.
    #[inline]
    pub fn next_deadline(&self) -> Moment {
        self.heads.peek().map_or(Moment::NEVER, |Reverse(((due, _), _))| *due)
    }

    /// The run of the first packet.
    pub fn first_line(&mut self) -> Option<&mut DelayLine> {
        let Reverse((_, index)) = self.heads.peek()?;
        Some(&mut self.runs[*index as usize].line)
    }

    /// Removes the first packet if it has arrived.
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        let mut head = self.heads.peek_mut().filter(|head| head.0.0.0.at <= now)?;
        let Reverse((_, index)) = *head;
        let run = &mut self.runs[index as usize];
        let packet = run.line.poll(now)?;
        match run.line.first().map(|first| (first.moment(), first.packet.at)) {
            Some(key) => *head = Reverse((key, index)),
            None => drop(PeekMut::pop(head)),
        }
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Side;
    use crate::packet::{Body, FlowEnd};
    use airfair_core::Phase;

    fn packet(flow: u32) -> Packet {
        let body = Body::Datagram { payload: 1, end: 1 };
        Packet {
            at: 0,
            to: FlowEnd::new(flow, Side::Receiver),
            connection: 0,
            bytes: 1,
            phase: Phase::FIRST,
            body,
        }
    }

    #[test]
    fn a_line_takes_what_comes_in_order_and_nothing_else() {
        let mut line = DelayLine::default();
        assert_eq!(line.join(Time(5), &packet(0)), Joined::First);
        assert_eq!(line.join(Time(5), &packet(1)), Joined::Behind);
        assert_eq!(line.join(Time(4), &packet(2)), Joined::OutOfOrder);
        assert_eq!(line.poll(Time(4)).map(|packet| packet.to.flow()), None);
        let polled =
            [line.poll(Time(5)), line.poll(Time(5))].map(|packet| packet.map(|packet| packet.to.flow()));
        assert_eq!(polled, [Some(0), Some(1)]);
        assert_eq!(line.next_deadline(), Moment::NEVER);
    }

    #[test]
    fn a_line_shows_each_packet_once_ahead_of_its_turn() {
        let mut line = DelayLine::default();
        let batch = |line: &mut DelayLine| {
            let begins = line.begins_batch();
            begins.then(|| line.batch().map(|packet| packet.to.flow()).collect::<Vec<_>>())
        };
        assert_eq!(batch(&mut line), Some(vec![]));
        (0..10).for_each(|flow| assert_ne!(line.join(Time(1), &packet(flow)), Joined::OutOfOrder));
        assert_eq!(batch(&mut line), Some((0..8).collect()));
        for _ in 0..8 {
            assert_eq!(batch(&mut line), None);
            line.poll(Time(1));
        }
        assert_eq!(batch(&mut line), Some(vec![8, 9]));
    }

    #[test]
    fn within_an_instant_the_phase_counts() {
        let [early, late] = [1, 2].map(|bits: u64| Phase::FIRST.after(bits << 48));
        let at = |phase, flow| Packet { phase, ..packet(flow) };
        let mut line = DelayLine::default();
        assert_eq!(line.join(Time(5), &at(late, 0)), Joined::First);
        assert_eq!(line.join(Time(5), &at(early, 1)), Joined::OutOfOrder);
        assert_eq!(line.join(Time(5), &at(late, 2)), Joined::Behind);
        let mut out_of_order = OutOfOrderQueue::default();
        [late, early].iter().zip(0..).for_each(|(&phase, flow)| out_of_order.push(Time(5), at(phase, flow)));
        assert_eq!(out_of_order.next_deadline(), Moment::new(Time(5), early));
        assert_eq!([1, 0], std::array::from_fn(|_| out_of_order.poll(Time(5)).unwrap().to.flow()));
    }

    #[test]
    fn strays_come_by_time_then_by_path() {
        let mut out_of_order = OutOfOrderQueue::default();
        for (at, due, flow) in [(2, 7, 0), (1, 7, 1), (0, 3, 2), (0, 9, 3), (1, 7, 4)] {
            out_of_order.push(Time(due), Packet { at, ..packet(flow) });
        }
        assert_eq!(out_of_order.next_deadline().at, Time(3));
        assert_eq!(out_of_order.poll(Time(2)).map(|packet| packet.to.flow()), None);
        let order: Vec<_> =
            std::iter::from_fn(|| out_of_order.poll(Time(9))).map(|packet| packet.to.flow()).collect();
        assert_eq!(order, [2, 1, 4, 0, 3]);
        assert_eq!(out_of_order.next_deadline(), Moment::NEVER);
    }
}
