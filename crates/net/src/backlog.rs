//! The packets that a link holds: waiting, or in transmission.
//!
//! Most links of a large network hold at most one packet at a time. The last one is kept inline, so that these links
//! need no other memory.

use crate::impairments::Impairments;
use airfair_core::{Moment, Phase, SpanSum, Time};
use std::collections::VecDeque;

/// Packets in the order of their departures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlog {
    /// When the newest one has left: the transmitter is free then.
    free_at: Time,
    /// Phase in which packets leave: that of the packet that began the busy period.
    phase: Phase,
    last_bytes: u32,
    /// Number of packets in `cold`; while it is zero, `cold` need not be read.
    earlier_packets: u32,
    cold: Option<Box<ColdState>>,
}

/// State that few links need: earlier packets, rare events, loss and outages.
#[derive(Clone, Debug, Default)]
struct ColdState {
    /// Departure and length of each.
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
    refused: u64,
    residence_carries: u64,
    impairments: Option<Box<Impairments>>,
}

impl Backlog {
    /// An empty backlog, with impairments or not.
    pub fn new(impairments: Option<Box<Impairments>>) -> Backlog {
        let cold =
            impairments.map(|it| Box::new(ColdState { impairments: Some(it), ..ColdState::default() }));
        Backlog { cold, ..Backlog::default() }
    }

    /// Random loss and outages, if there are any.
    pub fn impairments(&self) -> Option<&Impairments> {
        self.cold.as_ref()?.impairments.as_deref()
    }

    /// The same, mutable.
    pub fn impairments_mut(&mut self) -> Option<&mut Impairments> {
        self.cold.as_mut()?.impairments.as_deref_mut()
    }

    /// Whether a packet that departs at this instant is still held when another arrives at `now`. In a row of packets
    /// one transmission time apart it is not: each leaves as the next arrives.
    #[inline]
    fn is_present(&self, departs: Time, now: Moment) -> bool {
        now < Moment::new(departs, self.phase)
    }

    /// When the last packet leaves.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Removes packets that have left by `now`; returns whether the last one has not, so that the transmitter is
    /// busy.
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

    /// Number of packets held. Call [`Backlog::release`] first, which returns `busy`.
    #[inline]
    pub fn packets(&self, busy: bool) -> u32 {
        self.earlier_packets + u32::from(busy)
    }

    /// Their bytes. The same holds.
    pub fn bytes(&self, busy: bool) -> u64 {
        let newest = if busy { u64::from(self.last_bytes) } else { 0 };
        newest + self.cold.as_ref().map_or(0, |cold| cold.bytes)
    }

    /// Number of packets held at `now`, without removing those that have left.
    pub fn count(&self, now: Moment) -> usize {
        self.departures().filter(|&departs| self.is_present(departs, now)).count()
    }

    /// Departures of all packets, also of those that have left without being removed.
    fn departures(&self) -> impl Iterator<Item = Time> {
        let earlier = self.cold.iter().flat_map(|cold| &cold.packets);
        earlier.map(|&(departs, _)| departs).chain([self.free_at])
    }

    /// Remaining times from `now` until the departures of the packets held, added up.
    pub fn residence_to_come(&self, now: Time) -> SpanSum {
        let mut sum = SpanSum::default();
        self.departures().for_each(|departs| sum += departs.since(now));
        sum
    }

    /// Adds a packet that arrives in this phase and leaves at `departs`, after all others; returns the phase in which
    /// it leaves. Call [`Backlog::release`] first, which returns `busy`.
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

    /// Counts a packet refused because the queue was full.
    pub fn refuse(&mut self) {
        self.cold.get_or_insert_default().refused += 1;
    }

    /// Packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.refused)
    }

    /// Counts a wrap of the 64-bit sum of residence times, which the link keeps in its cache line.
    #[cold]
    pub fn carry_residence(&mut self) {
        self.cold.get_or_insert_default().residence_carries += 1;
    }

    /// The full sum of residence times, of which `low` are the low 64 bits.
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
