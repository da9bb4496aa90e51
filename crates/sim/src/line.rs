//! Packets on their way to a place that others enter, too: first come, first in.
//!
//! Packets of paths that take equally long to a place mostly set out in the order in which they get there. They share a
//! [`Line`], which has one deadline however many paths it serves. A packet that would break a line's order is one of
//! the [`Strays`].

use crate::packet::Packet;
use crate::schedule::Schedule;
use airfair_core::Time;
use std::collections::VecDeque;

/// A waiting line before one place. Of packets that get there at the same instant, the first to set out is the first.
#[derive(Debug, Default)]
pub struct Line {
    waiting: VecDeque<(Time, Packet)>,
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
    pub fn join(&mut self, due: Time, packet: Packet) -> Joined {
        let joined = match self.waiting.back() {
            None => Joined::First,
            Some(&(last, _)) if last <= due => Joined::Behind,
            Some(_) => return Joined::OutOfOrder,
        };
        self.waiting.push_back((due, packet));
        joined
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

/// The packets that would break their line's order, in a line of their own for each path to each place.
///
/// Packets of one path stay in order at the same instant too: while one of them is astray, somebody who gets there
/// later is in the shared line, so those that follow at that instant stray as well.
#[derive(Debug)]
pub struct Strays {
    lines: Vec<Line>,
    schedule: Schedule,
}

impl Strays {
    /// None yet, of so many paths to places.
    pub fn new(paths: usize) -> Strays {
        Strays {
            lines: std::iter::repeat_with(Line::default).take(paths).collect(),
            schedule: Schedule::new(paths),
        }
    }

    /// A packet that gets there at `due`, no earlier than those of its path before it.
    pub fn push(&mut self, path: usize, due: Time, packet: Packet) {
        match self.lines[path].join(due, packet) {
            Joined::First => self.schedule.set(path, due),
            Joined::Behind => {}
            Joined::OutOfOrder => unreachable!("packets of one path keep their order"),
        }
    }

    /// When the first packet gets to its place; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.schedule.first().0
    }

    /// The first packet, once it is there.
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        let (_, path) = self.schedule.first();
        let packet = self.lines[path].poll(now);
        self.schedule.set(path, self.lines[path].next_deadline());
        packet
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
        assert_eq!(line.join(Time(5), packet(0)), Joined::First);
        assert_eq!(line.join(Time(5), packet(1)), Joined::Behind);
        assert_eq!(line.join(Time(4), packet(2)), Joined::OutOfOrder);
        assert_eq!(line.poll(Time(4)).map(|packet| packet.flow), None);
        let polled = [line.poll(Time(5)), line.poll(Time(5))].map(|packet| packet.map(|packet| packet.flow));
        assert_eq!(polled, [Some(0), Some(1)]);
        assert_eq!(line.next_deadline(), Time::NEVER);
    }

    #[test]
    fn strays_come_by_time_then_by_path() {
        let mut strays = Strays::new(3);
        for (path, due, flow) in [(2, 7, 0), (1, 7, 1), (0, 3, 2), (0, 9, 3)] {
            strays.push(path, Time(due), packet(flow));
        }
        assert_eq!(strays.next_deadline(), Time(3));
        assert_eq!(strays.poll(Time(2)).map(|packet| packet.flow), None);
        let order: Vec<_> = std::iter::from_fn(|| strays.poll(Time(9))).map(|packet| packet.flow).collect();
        assert_eq!(order, [2, 1, 0, 3]);
        assert_eq!(strays.next_deadline(), Time::NEVER);
    }
}
