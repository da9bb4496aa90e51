//! Packets on their way to a merge point, where their order matters: first come, first served.
//!
//! Packets of paths with equal delay to a merge point mostly set out in the order of their arrival there. They share
//! a [`DelayLine`], which has one deadline for any number of paths. A packet that would break a line's order overtakes
//! the few that come after it; once they are many, the line becomes a [`Calendar`].

use crate::calendar::Calendar;
use crate::packet::Packet;
use crate::pages::Pages;
use airfair_core::{Fifo, Moment, Time};

/// Packets before one merge point in the order of their arrival. Of packets that arrive at one moment, the one with the lower step comes first,
/// then the one that set out first.
#[derive(Debug)]
pub struct DelayLine {
    waiting: Fifo<Waiting>,
    /// When the last packet in line arrives. [`Time::NEVER`] if the line is empty or a calendar, so that one comparison recognizes a packet that
    /// joins at the end.
    last: Time,
    /// The calendar that replaces `waiting` once too many packets overtake others.
    calendar: Option<Box<Calendar>>,
    /// Number of overtakings so far: for each packet, the packets that it went ahead of.
    overtaken: u64,
    /// Number of packets prefetched so far, those that have left included.
    prefetched: u64,
}

impl Default for DelayLine {
    fn default() -> DelayLine {
        DelayLine { waiting: Fifo::default(), last: Time::NEVER, calendar: None, overtaken: 0, prefetched: 0 }
    }
}

/// A packet and its arrival.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    pub due: Time,
    pub packet: Packet,
}

impl Waiting {
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment::new(self.due, self.packet.phase)
    }

    /// Returns the packet's place in the order of those that wait.
    #[inline]
    pub fn key(&self) -> Key {
        (self.moment(), self.packet.at)
    }
}

/// Sort key of packets that wait: arrival, then index of the step.
pub type Key = (Moment, u32);

/// A line becomes a calendar once its packets have overtaken, on average, more than this number of others, and [`SLACK`] more in all. To overtake
/// takes time, and the longer the more packets are overtaken: with 128 in place of 8, `bench/dumbbell profile=linux tcp=bbr` takes 11 % more
/// instructions.
const MOST_OVERTAKEN: u64 = 8;
const SLACK: u64 = 4096;

/// Packets prefetched at a time: about as many as a processor can have cache misses in flight.
pub const PREFETCH_BATCH: usize = 8;

impl DelayLine {
    /// Makes room for a packet behind others, which the caller fills in. `None` if no others wait, or if the packet does not arrive
    /// at a later instant than the last one.
    #[inline(always)]
    pub fn room_behind(&mut self, due: Moment) -> Option<&mut Waiting> {
        if due.at <= self.last {
            return None;
        }
        self.last = due.at;
        Some(self.waiting.room())
    }

    /// Makes room for a packet, which the caller fills in, and returns whether it is the first. `None` if the packet may arrive before the last
    /// one in line.
    #[inline(always)]
    pub fn room_for<'a>(&'a mut self, key: Key, pages: &'a mut Pages) -> Option<(&'a mut Waiting, bool)> {
        if let Some(calendar) = &mut self.calendar {
            return Some(calendar.room_for(key, pages));
        }
        let last = self.waiting.last().map(Waiting::moment);
        if last.is_some_and(|last| key.0 <= last) {
            return None;
        }
        self.last = key.0.at;
        Some((self.waiting.room(), last.is_none()))
    }

    /// Adds a packet at its place in the order. Returns whether it is the first.
    pub fn add(&mut self, waiting: &Waiting, pages: &mut Pages) -> bool {
        let Some((room, is_first)) = self.room_for(waiting.key(), pages) else {
            return self.insert(waiting, pages);
        };
        *room = *waiting;
        is_first
    }

    /// Inserts a packet that may arrive before others into a line without a calendar. Returns whether it is the first.
    fn insert(&mut self, waiting: &Waiting, pages: &mut Pages) -> bool {
        let after = self.waiting.insert(waiting, |other| other.key() > waiting.key());
        self.last = self.last.max(waiting.due);
        self.overtaken += after as u64;
        let is_first = after + 1 == self.waiting.len();
        if self.overtaken > SLACK + MOST_OVERTAKEN * (self.waiting.removed() + self.waiting.len() as u64) {
            self.become_calendar(pages);
        }
        is_first
    }

    #[cold]
    fn become_calendar(&mut self, pages: &mut Pages) {
        let mut calendar = Calendar::default();
        for waiting in self.waiting.iter() {
            *calendar.room_for(waiting.key(), pages).0 = *waiting;
        }
        *self = DelayLine { calendar: Some(Box::new(calendar)), ..DelayLine::default() };
    }

    /// Returns the arrival of the first packet; [`Moment::NEVER`] if the line is empty.
    #[inline]
    pub fn next_deadline(&self) -> Moment {
        self.first().map_or(Moment::NEVER, Waiting::moment)
    }

    /// Returns the first packet and its arrival time.
    #[inline(always)]
    pub fn first(&self) -> Option<&Waiting> {
        self.waiting.first().or_else(|| self.calendar.as_ref()?.first())
    }

    /// Returns the packets at the front, in order, as far as they lie contiguously in memory; with a calendar, today's.
    #[inline]
    pub fn run(&mut self) -> &[Waiting] {
        match &self.calendar {
            None => self.waiting.front(),
            Some(calendar) => calendar.today(),
        }
    }

    /// Returns the calendar; `None` as long as packets are kept in line.
    #[inline]
    pub fn calendar(&self) -> Option<&Calendar> {
        self.calendar.as_deref()
    }

    /// Removes this many packets from the front. The [run](DelayLine::run) must have at least that number.
    #[inline(always)]
    pub fn leave(&mut self, packets: usize, pages: &mut Pages) {
        match &mut self.calendar {
            None => {
                self.waiting.remove(packets);
                if self.waiting.is_empty() {
                    self.last = Time::NEVER;
                }
            }
            Some(calendar) => calendar.leave(packets, pages),
        }
    }

    /// Returns the place of the next batch to prefetch, counted from the first packet. `None` if it is too early, or if no more packets wait. The
    /// caches load one batch while the packets of the batch before leave. A calendar has a batch for each day, today's packets.
    #[inline]
    pub fn begin_batch(&mut self) -> Option<usize> {
        if let Some(calendar) = &mut self.calendar {
            return calendar.has_new_day().then_some(0);
        }
        let (gone, len) = (self.waiting.removed(), self.waiting.len());
        let from = self.prefetched.saturating_sub(gone) as usize;
        if from > PREFETCH_BATCH || from >= len {
            return None;
        }
        self.prefetched = gone + len.min(from + PREFETCH_BATCH) as u64;
        Some(from)
    }

    /// Returns `count` packets, or as many as there are, from place `from` on; none if there is a calendar.
    #[inline(always)]
    pub fn batch(&self, from: usize, count: usize) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter().skip(from).take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Side;
    use crate::packet::{Body, FlowEnd};
    use airfair_core::Phase;
    use airfair_tcp::Ecn;
    use proptest::prelude::*;

    impl DelayLine {
        /// Removes the first packet if it has arrived.
        fn poll(&mut self, now: Time, pages: &mut Pages) -> Option<Packet> {
            let &Waiting { due, packet } = self.first()?;
            if due > now {
                return None;
            }
            self.leave(1, pages);
            Some(packet)
        }
    }

    fn packet(flow: u32) -> Packet {
        let body = Body::Datagram { payload: 1, end: 1, ecn: Ecn::NotCapable };
        Packet {
            at: 0,
            to: FlowEnd::new(flow, Side::Receiver),
            connection: 0,
            bytes: 1,
            phase: Phase::FIRST,
            body,
        }
    }

    #[test]
    fn a_line_takes_what_comes_in_order_and_nothing_else() {
        let (mut line, mut pages) = (DelayLine::default(), Pages::default());
        assert!(line.room_behind(Time(5).into()).is_none(), "it would be the first");
        assert!(line.add(&Waiting { due: Time(5), packet: packet(0) }, &mut pages));
        *line.room_behind(Time(6).into()).unwrap() = Waiting { due: Time(6), packet: packet(1) };
        assert!(line.room_behind(Time(5).into()).is_none());
        assert!(line.room_for((Time(5).into(), 0), &mut pages).is_none());
        assert_eq!(line.poll(Time(4), &mut pages).map(|packet| packet.to.flow()), None);
        let polled = [line.poll(Time(6), &mut pages), line.poll(Time(6), &mut pages)]
            .map(|packet| packet.map(|packet| packet.to.flow()));
        assert_eq!(polled, [Some(0), Some(1)]);
        assert_eq!(line.next_deadline(), Moment::NEVER);
    }

    #[test]
    fn a_line_names_each_batch_once_before_its_turn() {
        let (mut line, mut pages) = (DelayLine::default(), Pages::default());
        let batches =
            |line: &mut DelayLine| std::iter::from_fn(|| line.begin_batch()).take(9).collect::<Vec<_>>();
        for flow in 0..20 {
            line.add(&Waiting { due: Time(1 + u64::from(flow)), packet: packet(flow) }, &mut pages);
        }
        let flows: Vec<_> = line.batch(17, 8).map(|waiting| waiting.packet.to.flow()).collect();
        assert_eq!(flows, [17, 18, 19]);
        assert_eq!(batches(&mut line), [0, 8]);
        line.leave(7, &mut pages);
        assert!(batches(&mut line).is_empty());
        line.leave(1, &mut pages);
        assert_eq!(batches(&mut line), [8]);
    }

    #[test]
    fn within_an_instant_the_phase_counts() {
        let [early, late] = [1, 2].map(|bits: u64| Phase::FIRST.after(bits << 48));
        let at = |phase, flow| Packet { phase, ..packet(flow) };
        let (mut line, mut pages) = (DelayLine::default(), Pages::default());
        assert!(line.add(&Waiting { due: Time(5), packet: at(late, 0) }, &mut pages));
        assert!(line.room_behind(Moment::new(Time(5), early)).is_none());
        assert!(!line.add(&Waiting { due: Time(6), packet: at(early, 2) }, &mut pages));
        assert!(line.add(&Waiting { due: Time(5), packet: at(early, 1) }, &mut pages));
        assert_eq!(line.next_deadline(), Moment::new(Time(5), early));
        assert_eq!([1, 0, 2], std::array::from_fn(|_| line.poll(Time(6), &mut pages).unwrap().to.flow()));
    }

    proptest! {
        /// Packets come out by arrival, then by step, then in the order of joining, whether the line is a calendar or not.
        #[test]
        fn a_line_sorts(packets in prop::collection::vec((0u64..3000, 0u32..3, 0u64..5), 1..600), spread in 0u32..30) {
            let (mut line, mut pages, mut sorted) = (DelayLine::default(), Pages::default(), Vec::new());
            let mut now = 0;
            for (flow, (after, at, pops)) in packets.into_iter().enumerate() {
                let waiting = Waiting { due: Time(now + (after << spread >> 12)), packet: Packet { at, ..packet(flow as u32) } };
                let is_first = line.add(&waiting, &mut pages);
                let place = sorted.partition_point(|other: &Waiting| other.key() <= waiting.key());
                sorted.insert(place, waiting);
                prop_assert_eq!(is_first, place == 0);
                for _ in 0..pops.saturating_sub(3) + u64::from(pops > 1) {
                    prop_assert_eq!(line.next_deadline(), sorted.first().map_or(Moment::NEVER, Waiting::moment));
                    if let Some(first) = sorted.first().copied() {
                        sorted.remove(0);
                        now = first.due.0;
                        prop_assert_eq!(line.poll(first.due, &mut pages).map(|packet| packet.to), Some(first.packet.to));
                    }
                }
            }
            let rest: Vec<_> = std::iter::from_fn(|| line.poll(Time::NEVER, &mut pages)).map(|packet| packet.to).collect();
            prop_assert_eq!(rest, sorted.iter().map(|waiting| waiting.packet.to).collect::<Vec<_>>());
        }
    }
}
