//! The packets that a link holds: waiting, or in transmission.
//!
//! Packets leave in the order of their arrival, so a queue limited to `n` packets is full exactly while the packet `n` before the new one is still
//! held. The departures of the newest packet and of the `n - 1` before it are kept, these in a ring. Nothing is removed from it: a new departure
//! overwrites the oldest one, and that one look also tells whether the queue is full. Most links of a large network hold at most one packet at a
//! time: they have no ring.

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
    cold: Option<Box<ColdState>>,
}

/// State that few links need: departures of earlier packets, rare events, loss and outages.
#[derive(Clone, Debug, Default)]
struct ColdState {
    /// Departures of the latest packets before the newest: a ring that grows, as long as others than past departures would be overwritten, up to
    /// one less than the queue's limit. From the oldest on, they are in order. Only past ones need not be.
    departures: Vec<Time>,
    /// Place of the oldest departure.
    oldest: usize,
    lengths: Lengths,
    refused: u64,
    impairments: Option<Box<Impairments>>,
}

/// Departure and length of each packet held, if the queue's limit is in bytes.
#[derive(Clone, Debug, Default)]
struct Lengths {
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
}

impl ColdState {
    /// Moves on to the next oldest departure, after the oldest was overwritten by the newest.
    #[inline(always)]
    fn advance(&mut self) {
        self.oldest += 1;
        if self.oldest == self.departures.len() {
            self.oldest = 0;
        }
    }

    /// Replaces a departure at `now`, if there is one, by one long past.
    fn forget_departure(&mut self, now: Time) {
        let (anew, old) = self.departures.split_at_mut(self.oldest);
        for departures in [old, anew] {
            let place = departures.partition_point(|&departs| departs < now);
            if let Some(departs) = departures.get_mut(place).filter(|departs| **departs == now) {
                *departs = Time::ZERO;
                return;
            }
        }
    }

    /// Doubles the ring, to `most` departures at most.
    fn grow(&mut self, most: usize) {
        const FIRST_LENGTH: usize = 4;
        self.departures.rotate_left(self.oldest);
        self.oldest = self.departures.len();
        self.departures.resize((2 * self.oldest).max(FIRST_LENGTH).min(most), Time::ZERO);
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
        now.at < departs || now.at == departs && Backlog::leaves_behind(begun, now)
    }

    /// Whether a packet that departs at this instant leaves after another arrives. In a row of packets one transmission time apart it does not: each
    /// leaves as the next arrives. Time zero stands for a departure long past, and nothing departs then.
    #[inline(never)]
    fn leaves_behind(begun: Phase, arrives: Moment) -> bool {
        arrives.at > Time::ZERO && arrives.phase < begun.of_any_flow()
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

    /// Whether a busy link with room for `limit` packets is full when another arrives at `now`.
    pub fn is_full(&self, limit: u32, now: Moment) -> bool {
        let Some(cold) = &self.cold else { return limit == 1 };
        cold.departures.len() == Backlog::most_departures(limit)
            && cold.departures.get(cold.oldest).is_none_or(|&first| Backlog::is_held(first, self.phase, now))
    }

    /// The number of departures in the longest ring of a queue with this limit, at least one.
    fn most_departures(limit: u32) -> usize {
        limit as usize - 1
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
            cold.forget_departure(now);
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
        let earlier = self.cold.iter().flat_map(|cold| {
            let (anew, old) = cold.departures.split_at(cold.oldest);
            anew.iter().rev().chain(old.iter().rev()).copied()
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
        self.free_at = departs;
    }

    /// Adds packets that begin a busy period in phase `phase`: the first leaves at `departs`, and each of the others `span` after the one before. The
    /// link has room for `limit` packets, at least as many as these.
    pub fn begin_row(&mut self, phase: Phase, departs: Time, span: Span, packets: u32, limit: u32) {
        self.begin(phase, departs);
        let behind = packets.saturating_sub(1) as usize;
        if behind > 0 {
            let cold = self.cold.get_or_insert_default();
            while cold.departures.len() < behind {
                cold.grow(Backlog::most_departures(limit));
            }
            // All departures so far are past.
            for departure in &mut cold.departures[..behind] {
                *departure = self.free_at;
                self.free_at += span;
            }
            cold.oldest = behind - 1;
            cold.advance();
        }
    }

    /// Adds a packet that arrives at `now` at a busy link and leaves at `departs`, after all others. Returns the phase in which it leaves; `None`
    /// if the link [is full](Backlog::is_full), or if there is [no room](Backlog::make_room) for another departure. One look rules out both.
    #[inline(always)]
    pub fn follow(&mut self, now: Moment, departs: Time) -> Option<Phase> {
        let cold = self.cold.as_deref_mut()?;
        let oldest = cold.departures.get_mut(cold.oldest)?;
        if Backlog::is_held(*oldest, self.phase, now) {
            return None;
        }
        *oldest = self.free_at;
        cold.advance();
        self.free_at = departs;
        Some(now.phase.moved_to(self.phase))
    }

    /// Makes room for the departure of one more packet, in a queue that has room for `limit` packets and is not full.
    pub fn make_room(&mut self, limit: u32) {
        self.cold.get_or_insert_default().grow(Backlog::most_departures(limit));
    }

    /// Counts a packet refused because the queue was full.
    pub fn refuse(&mut self) {
        self.cold.get_or_insert_default().refused += 1;
    }

    /// Returns the number of packets refused because the queue was full.
    pub fn refused(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.refused)
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
        backlog.make_room(9);
        assert_eq!(
            [30, 60].map(|departs| backlog.follow(Time(0).into(), Time(departs))),
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

    /// Packets may come at one instant in any phases, at time zero, too.
    #[test]
    fn a_place_in_the_ring_that_no_packet_has_had_is_free_at_time_zero() {
        let [early, late] = [1, 2].map(|bits: u64| Phase::FIRST.after(bits << 48));
        let mut backlog = Backlog::default();
        backlog.begin(late, Time(10));
        backlog.make_room(9);
        assert_eq!(backlog.follow(Moment::new(Time::ZERO, early), Time(20)), Some(late));
    }

    #[test]
    fn a_full_queue_is_told_from_the_departure_of_one_packet() {
        for limit in 1..70 {
            let mut backlog = Backlog::default();
            backlog.begin(Phase::FIRST, Time(10));
            let mut departs = 10;
            // Two new packets for each that leaves: the ring grows while it wraps.
            for now in (0..2000).step_by(5) {
                let at = Moment::from(Time(now));
                if !backlog.is_busy(at) {
                    backlog.begin(Phase::FIRST, Time(now + 10));
                    departs = now + 10;
                    continue;
                }
                let is_full = backlog.count(at) == limit as usize;
                assert_eq!(backlog.is_full(limit, at), is_full, "at {now}, limit {limit}");
                if is_full {
                    assert_eq!(backlog.follow(at, Time(departs + 10)), None);
                    continue;
                }
                departs += 10;
                while backlog.follow(at, Time(departs)).is_none() {
                    backlog.make_room(limit);
                }
            }
        }
    }
}
