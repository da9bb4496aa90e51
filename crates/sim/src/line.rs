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
    /// Nobody needs to know when a packet gets there, because it would wait there, too.
    asleep: bool,
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

    /// When the first packet gets there and somebody has to know; [`Time::NEVER`] if none is on its way.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        if self.asleep { Time::NEVER } else { self.first_due() }
    }

    /// Whether those who get there only wait: then there is no deadline, and whoever changes that has to ask by
    /// [`Line::poll_sleeping`] who has come. Says whether it is a change.
    #[inline]
    pub fn set_asleep(&mut self, asleep: bool) -> bool {
        std::mem::replace(&mut self.asleep, asleep) != asleep
    }

    /// The first packet, once it is there.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Packet> {
        if self.first_due() > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, packet)| packet)
    }

    /// Whether anybody got there before `end` while the line was asleep.
    #[inline]
    pub fn has_come(&self, end: Time) -> bool {
        self.asleep && self.first_due() < end
    }

    /// The first packet that got there before `end` while the line was asleep, and when.
    #[inline]
    pub fn poll_sleeping(&mut self, end: Time) -> Option<(Time, Packet)> {
        if self.has_come(end) { self.waiting.pop_front() } else { None }
    }

    #[inline]
    fn first_due(&self) -> Time {
        self.waiting.front().map_or(Time::NEVER, |&(due, _)| due)
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
    fn a_sleeping_line_has_no_deadline_and_knows_who_has_come() {
        let mut line = Line::default();
        line.join(Time(5), packet(0));
        line.join(Time(7), packet(1));
        assert!(line.poll_sleeping(Time(9)).is_none());
        assert!(line.set_asleep(true) && !line.set_asleep(true));
        assert_eq!(line.next_deadline(), Time::NEVER);
        assert_eq!(line.poll_sleeping(Time(7)).map(|(due, packet)| (due, packet.flow)), Some((Time(5), 0)));
        assert!(line.poll_sleeping(Time(7)).is_none());
        assert!(line.set_asleep(false));
        assert_eq!(line.next_deadline(), Time(7));
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
