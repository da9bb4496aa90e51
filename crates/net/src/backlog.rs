//! The packets that a link holds: waiting, or in transmission.
//!
//! Packets leave in the order of their arrival, so a queue limited to `n` packets is full exactly while the packet `n` before the new one is still
//! held. Those that wait for each other are mostly equally long, and leave equally far apart. Such a stretch is the departure of its last packet,
//! the time between two of them, and their number; whether the queue is full is one comparison then. Only where lengths differ are departures
//! kept one by one.

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
    /// The number of packets in the latest stretch of the busy period: packets that leave [`Backlog::spacing`] apart, the newest among them.
    stretch: u32,
    /// Nanoseconds between departures of the stretch. [`UNEVEN`] if [`ColdState::spacing`] has them: they do not fit here, or departures before
    /// the stretch may count.
    spacing: u32,
    /// Sum of the times that packets wait for their transmission, modulo 2^64 ns.
    waiting: Span,
    cold: Option<Box<ColdState>>,
}

/// No packets are this far apart and wait: a queue behind those that take no time seems full, and [`Backlog::follow_otherwise`] knows better.
const UNEVEN: u32 = 0;

/// State that few links need: departures of packets of different lengths, rare events, loss and outages.
#[derive(Clone, Debug, Default)]
struct ColdState {
    /// Departures before the stretch, in order; none if [`Backlog::spacing`] is even.
    earlier: VecDeque<Time>,
    /// Time between departures of the stretch, if that is not in [`Backlog::spacing`].
    spacing: Span,
    /// How often [`Backlog::waiting`] has reached 2^64 ns.
    overflows: u64,
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
        let behind = limit - 1;
        let first = match behind.checked_sub(self.stretch) {
            None => Some(self.free_at - self.spacing() * u64::from(behind)),
            Some(before) => self.earlier_departure(before),
        };
        first.is_some_and(|departs| Backlog::is_held(departs, self.phase, now))
    }

    /// Returns the departure `before` packets before the last one that was earlier than the stretch.
    fn earlier_departure(&self, before: u32) -> Option<Time> {
        let earlier = &self.cold.as_ref()?.earlier;
        earlier.get(earlier.len().checked_sub(before as usize + 1)?).copied()
    }

    /// Returns the time between departures of the stretch.
    fn spacing(&self) -> Span {
        match (self.spacing, &self.cold) {
            (UNEVEN, Some(cold)) => cold.spacing,
            (spacing, _) => Span(spacing.into()),
        }
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
            return;
        }
        let (left, spacing) = ((self.free_at - now).0, self.spacing().0);
        if left.checked_rem(spacing) == Some(0) {
            self.stretch = self.stretch.min(u32::try_from(left / spacing).unwrap_or(u32::MAX));
        }
        if let Some(cold) = &mut self.cold {
            let gone = cold.earlier.partition_point(|&departs| departs <= now);
            cold.earlier.drain(..gone);
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
        let spacing = self.spacing();
        let stretch = (0..self.stretch).map(move |behind| self.free_at - spacing * u64::from(behind));
        stretch.chain(self.cold.iter().flat_map(|cold| cold.earlier.iter().rev().copied()))
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
        self.stretch = 1;
    }

    /// Adds packets that begin a busy period in phase `phase`: the first leaves at `departs`, and each of the others `span` after the one before.
    pub fn begin_row(&mut self, phase: Phase, departs: Time, span: Span, packets: u32) {
        self.begin(phase, departs);
        if packets > 1 {
            self.free_at += span * u64::from(packets - 1);
            self.stretch = packets;
            if let Some(cold) = &mut self.cold {
                cold.earlier.clear();
            }
            self.set_spacing(span);
        }
    }

    /// Adds a packet that arrives at `now` at a busy link and leaves at `departs`, after all others. Returns the phase in which it leaves; `None`
    /// if more than one comparison decides whether that is so: ask [`Backlog::follow_otherwise`] then.
    #[inline(always)]
    pub fn follow(&mut self, now: Moment, departs: Time, limit: u32) -> Option<Phase> {
        let span = departs - self.free_at;
        let is_even = span == Span(self.spacing.into());
        // Where the stretch is shorter than the limit, this is too strict.
        if !is_even || departs - now.at >= span * u64::from(limit) {
            return None;
        }
        self.stretch = self.stretch.saturating_add(1);
        self.free_at = departs;
        Some(now.phase.moved_to(self.phase))
    }

    /// Like [`Backlog::follow`], but for any packet. `None` if the link [is full](Backlog::is_full).
    pub fn follow_otherwise(&mut self, now: Moment, departs: Time, limit: u32) -> Option<Phase> {
        (!self.is_full(limit, now)).then(|| self.extend(now, departs, limit))
    }

    /// Adds a packet that arrives at `now` at a busy link that is not full and leaves at `departs`, after all others. Returns the phase in which it
    /// leaves.
    pub fn extend(&mut self, now: Moment, departs: Time, limit: u32) -> Phase {
        let span = departs - self.free_at;
        if let Some(cold) = &mut self.cold {
            // One of many departures at a time: to bisect would miss the caches at each step.
            while cold.earlier.front().is_some_and(|&departs| departs < now.at) {
                cold.earlier.pop_front();
            }
        }
        if self.stretch > 1 && span != self.spacing() {
            self.end_stretch(now.at);
        }
        self.stretch = self.stretch.saturating_add(1);
        self.free_at = departs;
        if let Some(cold) = &mut self.cold
            && self.stretch >= limit
        {
            cold.earlier.clear();
        }
        self.set_spacing(span);
        now.phase.moved_to(self.phase)
    }

    /// Begins another stretch with the newest packet.
    fn end_stretch(&mut self, now: Time) {
        let (newest, spacing) = (self.free_at, self.spacing());
        let held = newest.since(now).0.checked_div(spacing.0).unwrap_or(u64::MAX);
        let held = held.min(u64::from(self.stretch) - 1);
        let departures = (1..=held).rev().map(|behind| newest - spacing * behind);
        self.cold.get_or_insert_default().earlier.extend(departures);
        self.stretch = 1;
    }

    /// Notes the time between departures of the stretch.
    fn set_spacing(&mut self, span: Span) {
        let is_alone = self.cold.as_ref().is_none_or(|cold| cold.earlier.is_empty());
        self.spacing = u32::try_from(span.0).ok().filter(|_| is_alone).unwrap_or(UNEVEN);
        if self.spacing == UNEVEN {
            self.cold.get_or_insert_default().spacing = span;
        }
    }

    /// Notes that a packet waits for its transmission.
    #[inline(always)]
    pub fn note_wait(&mut self, span: Span) {
        let (sum, overflows) = self.waiting.0.overflowing_add(span.0);
        self.waiting = Span(sum);
        if overflows {
            self.note_overflow();
        }
    }

    #[cold]
    #[inline(never)]
    fn note_overflow(&mut self) {
        self.cold.get_or_insert_default().overflows += 1;
    }

    /// Returns the sum of the times that packets wait for their transmission.
    pub fn waiting(&self) -> SpanSum {
        let overflows = self.cold.as_ref().map_or(0, |cold| cold.overflows);
        SpanSum(u128::from(overflows) << u64::BITS | u128::from(self.waiting.0))
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
    use proptest::prelude::*;

    impl Backlog {
        /// Adds a packet to a busy link as a link does.
        fn add(&mut self, now: Moment, departs: Time, limit: u32) -> Option<Phase> {
            self.follow(now, departs, limit).or_else(|| self.follow_otherwise(now, departs, limit))
        }
    }

    #[test]
    fn packets_are_held_until_they_have_left() {
        let mut backlog = Backlog::default();
        backlog.begin(Phase::FIRST, Time(10));
        let added = [30, 50, 80].map(|departs| backlog.add(Time(0).into(), Time(departs), 9));
        assert_eq!(added, [Some(Phase::FIRST); 3]);
        let seen = |now: u64| (backlog.count(Time(now).into()), backlog.residence_to_come(Time(now)).0);
        assert_eq!(seen(9), (4, 1 + 21 + 41 + 71));
        assert_eq!(seen(10), (3, 20 + 40 + 70));
        assert_eq!(seen(79), (1, 1));
        assert_eq!(seen(80), (0, 0));
        backlog.begin(Phase::FIRST, Time(95));
        assert_eq!((backlog.count(Time(90).into()), backlog.residence_to_come(Time(90)).0), (1, 5));
    }

    #[test]
    fn packets_at_equal_distances_need_no_memory_elsewhere() {
        let mut backlog = Backlog::default();
        for begins in [0, 1000] {
            backlog.begin(Phase::FIRST, Time(begins + 10));
            for departs in 2..9 {
                assert!(backlog.add(Time(begins).into(), Time(begins + 10 * departs), 9).is_some());
            }
        }
        assert!(backlog.cold.is_none());
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

    /// The sum of the waiting times does not end at 64 bits.
    #[test]
    fn waits_add_up() {
        let mut backlog = Backlog::default();
        (0..3).for_each(|_| backlog.note_wait(Span(u64::MAX)));
        assert_eq!(backlog.waiting().0, 3 * u128::from(u64::MAX));
    }

    /// A packet of the test below: the time since the one before, its phase, and its transmission time.
    fn packets() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
        let gap = prop_oneof![Just(0), Just(5), Just(10), 0u64..60];
        let span = prop_oneof![4 => Just(10u64), 1 => Just(5), 1 => 1u64..30, 1 => Just(1 << 33)];
        prop::collection::vec((gap, 0u64..3, span), 1..200)
    }

    proptest! {
        /// The departures of a busy period, kept one by one, tell the same. Packets may come at one instant in any phases, at time zero, too.
        #[test]
        fn a_backlog_is_a_list_of_departures(packets in packets(), limit in 1u32..9, leaving in 0usize..9) {
            let (mut backlog, mut list, mut begun) = (Backlog::default(), VecDeque::new(), Phase::FIRST);
            let mut now = Time::ZERO;
            for (number, (gap, phase, span)) in packets.into_iter().enumerate() {
                now += Span(gap);
                let at = Moment::new(now, Phase::FIRST.after(phase << 48));
                let is_held = |departs: &Time, begun| Backlog::is_held(*departs, begun, at);
                if !list.back().is_some_and(|departs| is_held(departs, begun)) {
                    prop_assert!(!backlog.is_busy(at));
                    begun = at.phase;
                    list = VecDeque::from([now + Span(span)]);
                    backlog.begin(at.phase, now + Span(span));
                } else {
                    prop_assert!(backlog.is_busy(at));
                    let first = list.len().checked_sub(limit as usize).map(|place| list[place]);
                    let is_full = first.is_some_and(|departs| is_held(&departs, begun));
                    prop_assert_eq!(backlog.is_full(limit, at), is_full);
                    let departs = backlog.free_at() + Span(span);
                    prop_assert_eq!(backlog.add(at, departs, limit), (!is_full).then_some(begun));
                    if !is_full {
                        list.push_back(departs);
                    }
                }
                if number % 9 == leaving && list.back().is_some_and(|departs| *departs >= now) {
                    backlog.let_leave(now);
                    if list.back() == Some(&now) {
                        begun = Phase::FIRST;
                    } else {
                        list.retain(|departs| *departs > now);
                    }
                }
                let held = || list.iter().rev().take_while(|departs| is_held(departs, begun));
                // More than the limit can only seem to be held if the phases of an instant are out of order.
                let counts = [backlog.count(at), held().count()].map(|count| count.min(limit as usize));
                prop_assert_eq!(counts[0], counts[1]);
                let residence: u128 = list.iter().map(|departs| u128::from(departs.since(now).0)).sum();
                prop_assert_eq!(backlog.residence_to_come(now).0, residence);
            }
        }
    }
}
