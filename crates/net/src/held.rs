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

    /// The last instant at which what leaves has left before an arrival at `now`: that instant itself, if departures come
    /// first within it. Those of packets that came in a row, one transmission time apart, do: they go on in a row.
    #[inline]
    pub fn has_left_by(&self, now: Moment) -> Time {
        Time(now.at.0.saturating_sub(u64::from(now.phase < self.phase)))
    }

    /// When within an instant packets leave.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// When all have left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Forgets those that have left by `now`.
    #[inline]
    pub fn release(&mut self, now: Time) {
        if self.earlier_packets > 0 {
            self.release_earlier(now);
        }
    }

    #[inline(never)]
    fn release_earlier(&mut self, now: Time) {
        let Some(more) = &mut self.more else { return };
        while let Some(&(departs, bytes)) = more.packets.front() {
            if departs > now {
                break;
            }
            more.bytes -= u64::from(bytes);
            more.packets.pop_front();
        }
        self.earlier_packets = more.packets.len() as u32;
    }

    /// How many are held at `now`; those that have left by then are released.
    #[inline]
    pub fn packets(&self, now: Time) -> u32 {
        self.earlier_packets + u32::from(self.free_at > now)
    }

    /// Their bytes, likewise.
    pub fn bytes(&self, now: Time) -> u64 {
        let newest = if self.free_at > now { u64::from(self.newest_bytes) } else { 0 };
        newest + self.more.as_ref().map_or(0, |more| more.bytes)
    }

    /// When each leaves, or has left without having been released.
    pub fn departures(&self) -> impl Iterator<Item = Time> {
        let earlier = self.more.iter().flat_map(|more| &more.packets);
        earlier.map(|&(departs, _)| departs).chain([self.free_at])
    }

    /// Time from `now` until the departures of those that leave later, all added up.
    pub fn residence_to_come(&self, now: Time) -> SpanSum {
        let mut sum = SpanSum::default();
        self.departures().for_each(|departs| sum += departs.since(now));
        sum
    }

    /// Takes a packet that comes in this phase and leaves at `departs`, after all others. Those that have left by `now` are
    /// released.
    #[inline]
    pub fn push(&mut self, now: Time, phase: Phase, departs: Time, bytes: u32) {
        if self.free_at > now {
            let more = self.more.get_or_insert_default();
            more.packets.push_back((self.free_at, self.newest_bytes));
            more.bytes += u64::from(self.newest_bytes);
            self.earlier_packets += 1;
        } else {
            self.phase = phase.of_any_flow();
        }
        self.free_at = departs;
        self.newest_bytes = bytes;
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
        held.push(Time(0), Phase::FIRST, Time(10), 100);
        assert!(held.more.is_none(), "one packet needs no memory elsewhere");
        held.push(Time(0), Phase::FIRST, Time(30), 50);
        held.push(Time(5), Phase::FIRST, Time(60), 70);
        let seen = |held: &mut Held, now: u64| {
            held.release(Time(now));
            (held.packets(Time(now)), held.bytes(Time(now)), held.residence_to_come(Time(now)).0)
        };
        assert_eq!(seen(&mut held, 9), (3, 220, 1 + 21 + 51));
        assert_eq!(seen(&mut held, 10), (2, 120, 20 + 50));
        assert_eq!(seen(&mut held, 59), (1, 70, 1));
        assert_eq!(seen(&mut held, 60), (0, 0, 0));
        assert_eq!(held.free_at(), Time(60));
        held.push(Time(70), Phase::FIRST, Time(80), 5);
        assert_eq!(seen(&mut held, 75), (1, 5, 5));
    }
}
