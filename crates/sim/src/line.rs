//! Packets of one flow on their way to a place that others enter, too: first come, first in, one deadline.

use crate::packet::Packet;
use airfair_core::Time;
use std::collections::VecDeque;

/// A waiting line before one step of one path.
#[derive(Debug, Default)]
pub struct Line {
    waiting: VecDeque<(Time, Packet)>,
}

impl Line {
    /// A packet that gets there at `due`, no earlier than those before it. Whether it is the first.
    #[inline]
    pub fn join(&mut self, due: Time, packet: Packet) -> bool {
        debug_assert!(self.waiting.back().is_none_or(|&(last, _)| last <= due), "a line keeps its order");
        let first = self.waiting.is_empty();
        self.waiting.push_back((due, packet));
        first
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
