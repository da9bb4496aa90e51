//! The packets that a link holds: waiting, or in transmission.
//!
//! Packets leave in the order of their arrival, so a queue limited to `n` packets is full exactly while the packet `n` before the new one is still
//! held. To know that takes one look at a ring of departures. Nothing is removed from the ring; old departures are overwritten. Most links of a
//! large network hold at most one packet at a time: its departure is kept inline, and these links have no ring.

use crate::impairments::Impairments;
use airfair_core::{Moment, Phase, Span, SpanSum, Time};
use std::collections::VecDeque;

/// The packets that a link holds, in the order of their departures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlog {
    /// When the newest packet has left: the transmitter is free from then on.
    free_at: Time,
    /// Phase of the packet that began the busy period. Packets leave in this phase, with the lowest rank.
    phase: Phase,
    /// Number of packets of the busy period before the newest one, still held or not.
    earlier: u64,
    cold: Option<Box<ColdState>>,
}

/// State that few links need: departures of earlier packets, rare events, loss and outages.
#[derive(Clone, Debug, Default)]
struct ColdState {
    /// Departures of the busy period's latest packets before the newest. The packet with index `i` is at `i` modulo the ring's length, a power of
    /// two. A departure is overwritten only once it is past.
    departures: Vec<Time>,
    lengths: Lengths,
    refused: u64,
    waiting_carries: u64,
    impairments: Option<Box<Impairments>>,
}

/// Departure and length of each packet held, if the queue's limit is in bytes.
#[derive(Clone, Debug, Default)]
struct Lengths {
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
}

impl ColdState {
    /// Returns the place in the ring of the packet with this index in the busy period.
    #[inline]
    fn place(&self, index: u64) -> usize {
        index as usize & self.departures.len().wrapping_sub(1)
    }

    /// Replaces a departure at `now`, if one of the latest of `earlier` packets has it, by one long past. Departures before `now` need not be in order.
    fn forget_departure(&mut self, now: Time, earlier: u64) {
        let (mut first, mut end) = (earlier.saturating_sub(self.departures.len() as u64), earlier);
        while first < end {
            let middle = first + (end - first) / 2;
            if self.departures[self.place(middle)] < now {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        let place = self.place(first);
        if first < earlier && self.departures[place] == now {
            self.departures[place] = Time::ZERO;
        }
    }

    /// Doubles the ring, which holds the departures of the latest of `earlier` packets.
    fn grow(&mut self, earlier: u64) {
        const FIRST_LENGTH: usize = 4;
        let old = std::mem::take(&mut self.departures);
        self.departures = vec![Time::ZERO; (2 * old.len()).max(FIRST_LENGTH)];
        for index in earlier - earlier.min(old.len() as u64)..earlier {
            let place = self.place(index);
            self.departures[place] = old[index as usize & (old.len() - 1)];
        }
    }
}

impl Backlog {
    /// Returns an empty backlog, with impairments or without.
    pub fn new(impairments: Option<Box<Impairments>>) -> Backlog {
        let cold =
            impairments.map(|it| Box::new(ColdState { impairments: Some(it), ..ColdState::default() }));
        Backlog { cold, ..Backlog::default() }
    }

    /// Returns random loss and outages, if there are any.
    pub fn impairments(&self) -> Option<&Impairments> {
        self.cold.as_ref()?.impairments.as_deref()
    }

    /// Returns random loss and outages for changes, if there are any.
    pub fn impairments_mut(&mut self) -> Option<&mut Impairments> {
        self.cold.as_mut()?.impairments.as_deref_mut()
    }

    /// Whether a packet that departs at `departs`, in a busy period begun in phase `begun`, is still held when another arrives at `now`. Mostly the
    /// instants decide, so they are compared first.
    #[inline(always)]
    fn is_held(departs: Time, begun: Phase, now: Moment) -> bool {
        now.at < departs || now.at == departs && Backlog::leaves_behind(begun, now.phase)
    }

    /// Whether a packet that departs at an instant leaves after another arrives in phase `arrives`. In a row of packets one transmission time apart
    /// it does not: each leaves as the next arrives.
    #[inline(never)]
    fn leaves_behind(begun: Phase, arrives: Phase) -> bool {
        arrives < begun.of_any_flow()
    }

    /// Returns when the last packet leaves.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Whether a packet that arrives at `now` has to wait.
    #[inline(always)]
    pub fn is_busy(&self, now: Moment) -> bool {
        Backlog::is_held(self.free_at, self.phase, now)
    }

    /// Whether a busy link holds `limit` packets, at least one, when another arrives at `now`.
    #[inline]
    pub fn holds(&self, limit: u32, now: Moment) -> bool {
        let before_newest = u64::from(limit - 1);
        if before_newest > self.earlier {
            return false;
        }
        let Some(cold) = self.cold.as_ref().filter(|_| before_newest > 0) else { return before_newest == 0 };
        // If the ring is shorter, it has forgotten that packet, because the packet has left.
        before_newest <= cold.departures.len() as u64
            && Backlog::is_held(cold.departures[cold.place(self.earlier - before_newest)], self.phase, now)
    }

    /// Lets packets that leave at `now` be gone for all that arrives from here on, in whatever phase.
    #[inline]
    pub fn let_leave(&mut self, now: Time) {
        if self.free_at >= now {
            self.forget_departure(now);
        }
    }

    #[inline(never)]
    fn forget_departure(&mut self, now: Time) {
        self.bytes(Moment::new(now, Phase::LAST));
        if self.free_at == now {
            self.phase = Phase::FIRST;
        } else if let Some(cold) = &mut self.cold {
            cold.forget_departure(now, self.earlier);
        }
    }

    /// Returns the bytes held when a packet arrives at `now`, of packets whose length was [noted](Backlog::note_length).
    pub fn bytes(&mut self, now: Moment) -> u64 {
        let phase = self.phase;
        let Some(cold) = &mut self.cold else { return 0 };
        let Lengths { packets, bytes } = &mut cold.lengths;
        while let Some(&(departs, length)) = packets.front() {
            if Backlog::is_held(departs, phase, now) {
                break;
            }
            *bytes -= u64::from(length);
            packets.pop_front();
        }
        *bytes
    }

    /// Notes the length of the packet added last.
    pub fn note_length(&mut self, bytes: u32) {
        let lengths = &mut self.cold.get_or_insert_default().lengths;
        lengths.packets.push_back((self.free_at, bytes));
        lengths.bytes += u64::from(bytes);
    }

    /// Returns the number of packets held at `now`.
    pub fn count(&self, now: Moment) -> usize {
        self.departures().take_while(|&departs| Backlog::is_held(departs, self.phase, now)).count()
    }

    /// Returns the departures of all packets that may still be held, the last one first.
    fn departures(&self) -> impl Iterator<Item = Time> {
        let ring = self.cold.as_ref().filter(|cold| !cold.departures.is_empty());
        let earlier = ring.into_iter().flat_map(|cold| {
            let oldest = self.earlier.saturating_sub(cold.departures.len() as u64);
            (oldest..self.earlier).rev().map(|index| cold.departures[cold.place(index)])
        });
        [self.free_at].into_iter().chain(earlier)
    }

    /// Returns the sum of the remaining times from `now` until the departures of the packets held.
    pub fn residence_to_come(&self, now: Time) -> SpanSum {
        let mut sum = SpanSum::default();
        self.departures().take_while(|&departs| departs > now).for_each(|departs| sum += departs.since(now));
        sum
    }

    /// Adds a packet that begins a busy period in phase `phase` and leaves at `departs`.
    #[inline(always)]
    pub fn begin(&mut self, phase: Phase, departs: Time) {
        self.phase = phase;
        self.earlier = 0;
        self.free_at = departs;
    }

    /// Adds packets that begin a busy period in phase `phase`: the first leaves at `departs`, and each of the others `span` after the one before.
    pub fn begin_row(&mut self, phase: Phase, departs: Time, span: Span, packets: u32) {
        self.begin(phase, departs);
        let behind = u64::from(packets.saturating_sub(1));
        if behind > 0 {
            while self.cold.as_ref().map_or(0, |cold| cold.departures.len() as u64) < behind {
                self.make_room();
            }
            let cold = self.cold.get_or_insert_default();
            for departure in &mut cold.departures[..behind as usize] {
                *departure = self.free_at;
                self.free_at += span;
            }
            self.earlier = behind;
        }
    }

    /// Adds a packet that arrives at `now` at a busy link and leaves at `departs`, after all others. Returns the phase in which it leaves; `None`
    /// if the link [holds](Backlog::holds) `limit` packets, at least one, or if there is [no room](Backlog::make_room) for another departure. One
    /// look rules out both: a ring shorter than the limit is full before the queue is. With a limit of one there is never a ring.
    #[inline(always)]
    pub fn follow(&mut self, now: Moment, limit: u32, departs: Time) -> Option<Phase> {
        let cold = self.cold.as_deref_mut()?;
        let reach = u64::from(limit - 1).min(cold.departures.len() as u64);
        if let Some(before) = self.earlier.checked_sub(reach) {
            let place = cold.place(before);
            if Backlog::is_held(*cold.departures.get(place)?, self.phase, now) {
                return None;
            }
        }
        let place = cold.place(self.earlier);
        *cold.departures.get_mut(place)? = self.free_at;
        self.earlier += 1;
        self.free_at = departs;
        Some(now.phase.moved_to(self.phase))
    }

    /// Makes room for the departure of one more packet.
    pub fn make_room(&mut self) {
        self.cold.get_or_insert_default().grow(self.earlier);
    }

    /// Counts a packet refused because the queue was full.
    pub fn refuse(&mut self) {
        self.cold.get_or_insert_default().refused += 1;
    }

    /// Returns the number of packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.refused)
    }

    /// Counts a wrap of the 64-bit sum of waiting times, which the link keeps in its cache line.
    #[cold]
    pub fn carry_waiting(&mut self) {
        self.cold.get_or_insert_default().waiting_carries += 1;
    }

    /// Returns the full sum of waiting times in nanoseconds, of which `low` are the low 64 bits.
    pub fn waiting(&self, low: u64) -> SpanSum {
        let carries = self.cold.as_ref().map_or(0, |cold| cold.waiting_carries);
        SpanSum(u128::from(carries) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_held_until_they_have_left() {
        let mut backlog = Backlog::default();
        backlog.begin(Phase::FIRST, Time(10));
        assert!(backlog.cold.is_none(), "one packet needs no memory elsewhere");
        backlog.make_room();
        assert_eq!(
            [30, 60].map(|departs| backlog.follow(Time(0).into(), 9, Time(departs))),
            [Some(Phase::FIRST); 2]
        );
        let seen = |now: u64| (backlog.count(Time(now).into()), backlog.residence_to_come(Time(now)).0);
        assert_eq!(seen(9), (3, 1 + 21 + 51));
        assert_eq!(seen(10), (2, 20 + 50));
        assert_eq!(seen(59), (1, 1));
        assert_eq!(seen(60), (0, 0));
        backlog.begin(Phase::FIRST, Time(80));
        assert_eq!((backlog.count(Time(75).into()), backlog.residence_to_come(Time(75)).0), (1, 5));
    }

    /// At the instant of a departure, the phase of the packet that began the busy period decides. The rank of its flow does not.
    #[test]
    fn a_packet_that_arrives_as_another_leaves_finds_it_if_it_is_earlier_within_the_instant() {
        let ranked = |bits: u64, rank: u64| Phase::of_flow(rank << 48).after(bits << 48);
        let mut backlog = Backlog::default();
        backlog.begin(ranked(5, 7), Time(10));
        for (now, phase, is_busy) in [
            (9, ranked(9, 9), true),
            (10, ranked(4, 9), true),
            (10, ranked(5, 0), false),
            (10, ranked(6, 0), false),
            (11, ranked(0, 0), false),
        ] {
            let now = Moment::new(Time(now), phase);
            assert_eq!(
                (backlog.is_busy(now), backlog.count(now)),
                (is_busy, usize::from(is_busy)),
                "{now:?}"
            );
        }
    }

    #[test]
    fn a_full_queue_is_told_from_the_departure_of_one_packet() {
        let mut backlog = Backlog::default();
        backlog.begin(Phase::FIRST, Time(10));
        let mut departs = 10;
        // Two new packets for each that leaves: the ring grows while it wraps.
        for now in (0..2000).step_by(5) {
            let at = Moment::from(Time(now));
            let held = backlog.count(at);
            for limit in 1..300 {
                assert_eq!(
                    backlog.holds(limit, at),
                    held >= limit as usize,
                    "{held} held at {now}, limit {limit}"
                );
            }
            departs += 10;
            if held > 1 {
                assert_eq!(backlog.follow(at, held as u32, Time(departs)), None);
            }
            while backlog.follow(at, held as u32 + 1, Time(departs)).is_none() {
                backlog.make_room();
            }
        }
    }
}
