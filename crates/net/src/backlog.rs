//! The packets that a link holds: what waits, and what it sends.
//!
//! Most links of a large network hold one packet at a time, if any. The newest one is kept in place, so that they need
//! no memory elsewhere, and none is looked at.

use crate::impairments::Impairments;
use airfair_core::{Moment, Phase, SpanSum, Time};
use std::collections::VecDeque;

/// Packets in the order of their departures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlog {
    /// When the newest one has left: the transmitter is free then.
    free_at: Time,
    /// When within an instant packets leave: that of the one that began the busy period.
    phase: Phase,
    last_bytes: u32,
    /// How many packets `cold` has; when there are none, it need not be looked at.
    earlier_packets: u32,
    cold: Option<Box<ColdState>>,
}

/// What few links need: the packets before the newest; what seldom happens where there are none; errors and outages.
#[derive(Clone, Debug, Default)]
struct ColdState {
    /// When each has left, and its length.
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
    refused: u64,
    residence_carries: u64,
    impairments: Option<Box<Impairments>>,
}

impl Backlog {
    /// Nothing yet, where errors and outages may strike.
    pub fn new(impairments: Option<Box<Impairments>>) -> Backlog {
        let cold =
            impairments.map(|it| Box::new(ColdState { impairments: Some(it), ..ColdState::default() }));
        Backlog { cold, ..Backlog::default() }
    }

    /// Errors and outages, if there are any.
    pub fn impairments(&self) -> Option<&Impairments> {
        self.cold.as_ref()?.impairments.as_deref()
    }

    /// Likewise.
    pub fn impairments_mut(&mut self) -> Option<&mut Impairments> {
        self.cold.as_mut()?.impairments.as_deref_mut()
    }

    /// Whether a packet that departs at this instant is still held when another comes at `now`. Of packets that came in a
    /// row, one transmission time apart, it is not: they go on in a row.
    #[inline]
    fn is_present(&self, departs: Time, now: Moment) -> bool {
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
        self.is_present(self.free_at, now)
    }

    #[inline(never)]
    fn release_earlier(&mut self, now: Moment) {
        let Some(cold) = &mut self.cold else { return };
        while let Some(&(departs, bytes)) = cold.packets.front() {
            if now < Moment::new(departs, self.phase) {
                break;
            }
            cold.bytes -= u64::from(bytes);
            cold.packets.pop_front();
        }
        self.earlier_packets = cold.packets.len() as u32;
    }

    /// How many are held, once those that have left are released and the transmitter is known to be `busy` or not.
    #[inline]
    pub fn packets(&self, busy: bool) -> u32 {
        self.earlier_packets + u32::from(busy)
    }

    /// Their bytes, likewise.
    pub fn bytes(&self, busy: bool) -> u64 {
        let newest = if busy { u64::from(self.last_bytes) } else { 0 };
        newest + self.cold.as_ref().map_or(0, |cold| cold.bytes)
    }

    /// How many are held at `now`, those left out that have not been released.
    pub fn count(&self, now: Moment) -> usize {
        self.departures().filter(|&departs| self.is_present(departs, now)).count()
    }

    /// When each leaves, or has left without having been released.
    fn departures(&self) -> impl Iterator<Item = Time> {
        let earlier = self.cold.iter().flat_map(|cold| &cold.packets);
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
            let cold = self.cold.get_or_insert_default();
            cold.packets.push_back((self.free_at, self.last_bytes));
            cold.bytes += u64::from(self.last_bytes);
            self.earlier_packets += 1;
            phase.moved_to(self.phase)
        } else {
            self.phase = phase.of_any_flow();
            phase
        };
        self.free_at = departs;
        self.last_bytes = bytes;
        leaves
    }

    /// A packet finds no room.
    pub fn refuse(&mut self) {
        self.cold.get_or_insert_default().refused += 1;
    }

    /// Packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.refused)
    }

    /// The 64-bit sum of residence times, which the link keeps in its cache line, has wrapped around.
    #[cold]
    pub fn carry_residence(&mut self) {
        self.cold.get_or_insert_default().residence_carries += 1;
    }

    /// The whole sum, of which `low` is left after the wraps.
    pub fn residence(&self, low: u64) -> SpanSum {
        let carries = self.cold.as_ref().map_or(0, |cold| cold.residence_carries);
        SpanSum(u128::from(carries) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_held_until_they_have_left() {
        let mut backlog = Backlog::default();
        backlog.push(Phase::FIRST, false, Time(10), 100);
        assert!(backlog.cold.is_none(), "one packet needs no memory elsewhere");
        backlog.push(Phase::FIRST, true, Time(30), 50);
        backlog.push(Phase::FIRST, true, Time(60), 70);
        let seen = |backlog: &mut Backlog, now: u64| {
            let busy = backlog.release(Time(now).into());
            (backlog.packets(busy), backlog.bytes(busy), backlog.residence_to_come(Time(now)).0)
        };
        assert_eq!(seen(&mut backlog, 9), (3, 220, 1 + 21 + 51));
        assert_eq!(seen(&mut backlog, 10), (2, 120, 20 + 50));
        assert_eq!(seen(&mut backlog, 59), (1, 70, 1));
        assert_eq!(seen(&mut backlog, 60), (0, 0, 0));
        assert_eq!(backlog.free_at(), Time(60));
        backlog.push(Phase::FIRST, false, Time(80), 5);
        assert_eq!(seen(&mut backlog, 75), (1, 5, 5));
    }
}
