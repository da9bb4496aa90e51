//! Packets on their way to a place that others enter, too: first come, first in.
//!
//! Packets of paths that take equally long to a place mostly set out in the order in which they get there. They share a
//! [`Line`], which has one deadline however many paths it serves. A packet that would break a line's order is one of
//! the [`Strays`].

use crate::packet::Packet;
use airfair_core::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A waiting line before one place. Of packets that get there at the same instant, the first to set out is the first.
#[derive(Debug, Default)]
pub struct Line {
    waiting: VecDeque<(Time, Packet)>,
    /// When the last packet to join gets there.
    last: Time,
}

/// What became of a packet that would join a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// It is the first.
    First,
    /// Others are before it.
    Behind,
    /// It gets there before the last of those already in line, and has not joined.
    OutOfOrder,
}

impl Line {
    /// A packet that gets there at `due`.
    #[inline]
    pub fn join(&mut self, due: Time, packet: &Packet) -> Joined {
        let first = self.waiting.is_empty();
        if !first && due < self.last {
            return Joined::OutOfOrder;
        }
        self.last = due;
        self.waiting.push_back((due, *packet));
        if first { Joined::First } else { Joined::Behind }
    }

    /// When the first packet gets there; [`Time::NEVER`] if none is on its way.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.waiting.front().map_or(Time::NEVER, |&(due, _)| due)
    }

    /// The first packet, once it is there.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        if self.next_deadline() > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, packet)| packet)
    }
}

/// The packets that would break their line's order: the earliest first, then by the place on its path, then the first to
/// set out.
///
/// Packets of one path stay in order at the same instant too: while one of them is astray, somebody who gets there
/// later is in the shared line, so those that follow at that instant stray as well.
#[derive(Debug, Default)]
pub struct Strays {
    waiting: BinaryHeap<Reverse<Stray>>,
    set_out: u64,
}

#[derive(Debug)]
struct Stray {
    due: Time,
    number: u64,
    packet: Packet,
}

impl Stray {
    fn rank(&self) -> (Time, u32, u64) {
        (self.due, self.packet.at, self.number)
    }
}

impl PartialEq for Stray {
    fn eq(&self, other: &Stray) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Stray {}

impl PartialOrd for Stray {
    fn partial_cmp(&self, other: &Stray) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stray {
    fn cmp(&self, other: &Stray) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl Strays {
    /// A packet that gets there at `due`, no earlier than those of its path before it.
    pub fn push(&mut self, due: Time, packet: Packet) {
        self.waiting.push(Reverse(Stray { due, number: self.set_out, packet }));
        self.set_out += 1;
    }

    /// When the first packet gets to its place; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.waiting.peek().map_or(Time::NEVER, |Reverse(stray)| stray.due)
    }

    /// The first packet, once it is there.
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        if self.next_deadline() > now {
            return None;
        }
        self.waiting.pop().map(|Reverse(stray)| stray.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Body;

    fn packet(flow: u32) -> Packet {
        Packet { at: 0, flow, connection: 0, bytes: 1, body: Body::Datagram { payload: 1, end: 1 } }
    }

    #[test]
    fn a_line_takes_what_comes_in_order_and_nothing_else() {
        let mut line = Line::default();
        assert_eq!(line.join(Time(5), &packet(0)), Joined::First);
        assert_eq!(line.join(Time(5), &packet(1)), Joined::Behind);
        assert_eq!(line.join(Time(4), &packet(2)), Joined::OutOfOrder);
        assert_eq!(line.poll(Time(4)).map(|packet| packet.flow), None);
        let polled = [line.poll(Time(5)), line.poll(Time(5))].map(|packet| packet.map(|packet| packet.flow));
        assert_eq!(polled, [Some(0), Some(1)]);
        assert_eq!(line.next_deadline(), Time::NEVER);
    }

    #[test]
    fn strays_come_by_time_then_by_path() {
        let mut strays = Strays::default();
        for (at, due, flow) in [(2, 7, 0), (1, 7, 1), (0, 3, 2), (0, 9, 3), (1, 7, 4)] {
            strays.push(Time(due), Packet { at, ..packet(flow) });
        }
        assert_eq!(strays.next_deadline(), Time(3));
        assert_eq!(strays.poll(Time(2)).map(|packet| packet.flow), None);
        let order: Vec<_> = std::iter::from_fn(|| strays.poll(Time(9))).map(|packet| packet.flow).collect();
        assert_eq!(order, [2, 1, 4, 0, 3]);
        assert_eq!(strays.next_deadline(), Time::NEVER);
    }
}
