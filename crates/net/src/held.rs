//! The packets that a link holds: what waits, and what it sends.
//!
//! Most links of a large network hold one packet at a time, if any. The newest one is kept in place, so that they need
//! no memory elsewhere, and none is looked at.

use crate::impairments::Impairments;
use airfair_core::{Moment, Phase, SpanSum, Time};
use std::collections::VecDeque;

/// Packets in the order of their departures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// When the newest one has left: the transmitter is free then.
    free_at: Time,
    /// When within an instant packets leave: that of the one that began the busy period.
    phase: Phase,
    newest_bytes: u32,
    /// How many packets `more` has; when there are none, it need not be looked at.
    earlier_packets: u32,
    more: Option<Box<More>>,
}

/// What few links need: the packets before the newest; what seldom happens where there are none; errors and outages.
#[derive(Clone, Debug, Default)]
struct More {
    /// When each has left, and its length.
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
    refused: u64,
    residence_carries: u64,
    impairments: Option<Box<Impairments>>,
}

impl Held {
    /// Nothing yet, where errors and outages may strike.
    pub fn new(impairments: Option<Box<Impairments>>) -> Held {
        let more = impairments.map(|it| Box::new(More { impairments: Some(it), ..More::default() }));
        Held { more, ..Held::default() }
    }

    /// Errors and outages, if there are any.
    pub fn impairments(&self) -> Option<&Impairments> {
        self.more.as_ref()?.impairments.as_deref()
    }

    /// Likewise.
    pub fn impairments_mut(&mut self) -> Option<&mut Impairments> {
        self.more.as_mut()?.impairments.as_deref_mut()
    }

    /// Whether a packet that departs at this instant is still held when another comes at `now`. Of packets that came in a
    /// row, one transmission time apart, it is not: they go on in a row.
    #[inline]
    fn is_held(&self, departs: Time, now: Moment) -> bool {
        now < Moment::new(departs, self.phase)
    }

    /// When all have left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Forgets those that have left by `now`; whether the newest has not, so that the transmitter is busy.
    #[inline]
    pub fn release(&mut self, now: Moment) -> bool {
        if self.earlier_packets > 0 {
            self.release_earlier(now);
        }
        self.is_held(self.free_at, now)
    }

    #[inline(never)]
    fn release_earlier(&mut self, now: Moment) {
        let Some(more) = &mut self.more else { return };
        while let Some(&(departs, bytes)) = more.packets.front() {
            if now < Moment::new(departs, self.phase) {
                break;
            }
            more.bytes -= u64::from(bytes);
            more.packets.pop_front();
        }
        self.earlier_packets = more.packets.len() as u32;
    }

    /// How many are held, once those that have left are released and the transmitter is known to be `busy` or not.
    #[inline]
    pub fn packets(&self, busy: bool) -> u32 {
        self.earlier_packets + u32::from(busy)
    }

    /// Their bytes, likewise.
    pub fn bytes(&self, busy: bool) -> u64 {
        let newest = if busy { u64::from(self.newest_bytes) } else { 0 };
        newest + self.more.as_ref().map_or(0, |more| more.bytes)
    }

    /// How many are held at `now`, those left out that have not been released.
    pub fn count(&self, now: Moment) -> usize {
        self.departures().filter(|&departs| self.is_held(departs, now)).count()
    }

    /// When each leaves, or has left without having been released.
    fn departures(&self) -> impl Iterator<Item = Time> {
        let earlier = self.more.iter().flat_map(|more| &more.packets);
        earlier.map(|&(departs, _)| departs).chain([self.free_at])
    }

    /// Time from `now` until the departures of those that leave later, all added up.
    pub fn residence_to_come(&self, now: Time) -> SpanSum {
        let mut sum = SpanSum::default();
        self.departures().for_each(|departs| sum += departs.since(now));
        sum
    }

    /// Takes a packet that comes in this phase and leaves at `departs`, after all others; its phase then. Those that have left
    /// are released, likewise.
    #[inline(always)]
    pub fn push(&mut self, phase: Phase, busy: bool, departs: Time, bytes: u32) -> Phase {
        let leaves = if busy {
            let more = self.more.get_or_insert_default();
            more.packets.push_back((self.free_at, self.newest_bytes));
            more.bytes += u64::from(self.newest_bytes);
            self.earlier_packets += 1;
            phase.moved_to(self.phase)
        } else {
            self.phase = phase.of_any_flow();
            phase
        };
        self.free_at = departs;
        self.newest_bytes = bytes;
        leaves
    }

    /// A packet finds no room.
    pub fn refuse(&mut self) {
        self.more.get_or_insert_default().refused += 1;
    }

    /// Packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.more.as_ref().map_or(0, |more| more.refused)
    }

    /// The 64-bit sum of residence times, which the link keeps in its cache line, has wrapped around.
    #[cold]
    pub fn carry_residence(&mut self) {
        self.more.get_or_insert_default().residence_carries += 1;
    }

    /// The whole sum, of which `low` is left after the wraps.
    pub fn residence(&self, low: u64) -> SpanSum {
        let carries = self.more.as_ref().map_or(0, |more| more.residence_carries);
        SpanSum(u128::from(carries) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_held_until_they_have_left() {
        let mut held = Held::default();
        held.push(Phase::FIRST, false, Time(10), 100);
        assert!(held.more.is_none(), "one packet needs no memory elsewhere");
        held.push(Phase::FIRST, true, Time(30), 50);
        held.push(Phase::FIRST, true, Time(60), 70);
        let seen = |held: &mut Held, now: u64| {
            let busy = held.release(Time(now).into());
            (held.packets(busy), held.bytes(busy), held.residence_to_come(Time(now)).0)
        };
        assert_eq!(seen(&mut held, 9), (3, 220, 1 + 21 + 51));
        assert_eq!(seen(&mut held, 10), (2, 120, 20 + 50));
        assert_eq!(seen(&mut held, 59), (1, 70, 1));
        assert_eq!(seen(&mut held, 60), (0, 0, 0));
        assert_eq!(held.free_at(), Time(60));
        held.push(Phase::FIRST, false, Time(80), 5);
        assert_eq!(seen(&mut held, 75), (1, 5, 5));
    }
}
