//! A record of each outstanding segment: when it was last handed out and how often, for controls and recoveries that measure
//! round trips and for bursts; and what delivery-rate samples need.

use crate::congestion::Measures;
use crate::delivery::{Deliveries, Sample, Stamp};
use crate::search::count_up_to;
use crate::settings::{Recovery, SendTimeStore, Settings};
use airfair_core::{Ring, Time};

/// The transmissions of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// When the segment was last handed out; `None` for a slot of the ring that was cleared and not used since.
    pub at: Option<Time>,
    /// The number of times that the segment was handed out.
    pub transmissions: u32,
}

/// A segment that is looked up by one of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub start: u64,
    pub end: u64,
    pub at: Time,
    pub transmissions: u32,
}

impl Found {
    fn sent(&self) -> Sent {
        Sent { at: Some(self.at), transmissions: self.transmissions }
    }
}

/// A segment outstanding.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    segment: Found,
    /// Unused without [`Outstanding::deliveries`].
    stamp: Stamp,
}

/// The outstanding segments; empty where neither control nor recovery needs them.
#[derive(Debug)]
pub(crate) struct Outstanding {
    /// In ascending order of the first byte. A segment that is acknowledged in part stays until it is delivered, but lookups no longer find it.
    records: Ring<Record>,
    /// Everything before it is acknowledged.
    acked: u64,
    keeps_records: bool,
    /// Replaces the records for [`SendTimeStore::WindowRing`].
    window: Option<Box<WindowRing>>,
    /// Present if the control samples the delivery rate.
    pub deliveries: Option<Box<Deliveries>>,
    /// When the connection's first segment was handed out.
    started: Option<Time>,
    /// Records are needed in slow start alone.
    in_slow_start: bool,
}

impl Outstanding {
    pub fn new(settings: &Settings) -> Outstanding {
        let (measures, samples) = (settings.control.measures(), settings.control.paces());
        let all = measures == Measures::Everything || settings.recovery == Recovery::Vegas;
        let others = settings.recovery == Recovery::Rack || settings.tso;
        let by_place = settings.send_times == SendTimeStore::WindowRing && all && !others;
        let in_slow_start = measures == Measures::SlowStart;
        let deliveries = || Box::new(Deliveries::new(settings.recovery == Recovery::Rack));
        Outstanding {
            records: Ring::default(),
            acked: 0,
            keeps_records: samples || !by_place && (all || others || in_slow_start),
            window: by_place.then(|| Box::new(WindowRing::new(settings))),
            deliveries: samples.then(deliveries),
            started: None,
            in_slow_start: in_slow_start && !(all || others || samples),
        }
    }

    /// Whether a connection with these settings has a ring, whose length is the receive window when the connection opens.
    pub fn have_ring(settings: &Settings) -> bool {
        Outstanding::new(settings).window.is_some()
    }

    /// Whether anything is recorded; if not, callers need not report segments.
    pub fn are_wanted(&self) -> bool {
        self.keeps_records || self.window.is_some()
    }

    /// Whether records are needed in slow start alone.
    pub fn are_for_slow_start(&self) -> bool {
        self.in_slow_start
    }

    /// Forgets the outstanding segments, when they are not needed for a while.
    pub fn pause(&mut self) {
        self.records.pop(self.records.len());
    }

    /// Records that the segment `start..end` is handed out, for the first time or `again`. A SYN has no `payload`.
    #[inline]
    pub fn record(&mut self, now: Time, start: u64, end: u64, again: bool, payload: bool) {
        self.started.get_or_insert(now);
        if let Some(window) = &mut self.window {
            window.record(start, now);
        }
        if !self.keeps_records {
            return;
        }
        if again {
            return self.record_again(now, start, end, payload);
        }
        let record = self.records.room();
        record.segment = Found { start, end, at: now, transmissions: 1 };
        if let Some(deliveries) = &mut self.deliveries {
            record.stamp = if payload { deliveries.send(now, end - start) } else { Stamp::default() };
        }
    }

    #[inline(never)]
    fn record_again(&mut self, now: Time, start: u64, end: u64, payload: bool) {
        let place = self.index_of(start);
        if payload {
            self.resend(now, place.unwrap_or(0), start, end);
        }
        if let Some(Record { segment, .. }) = place.map(|at| &mut self.records[at])
            && segment.start == start
        {
            segment.at = now;
            segment.transmissions += 1;
        } else if self.records.back().is_none_or(|last| last.segment.start < start) {
            // Its first transmission fell in a pause, or was part of a segment that is acknowledged in part.
            let segment = Found { start, end, at: now, transmissions: 2 };
            self.records.push(Record { segment, stamp: Stamp::default() });
        }
    }

    /// `start..end` is retransmitted. The segment at `place` is the last that starts at `start` or before.
    fn resend(&mut self, now: Time, place: usize, start: u64, end: u64) {
        let Outstanding { records, deliveries: Some(deliveries), .. } = self else { return };
        deliveries.begin_flight(now);
        // Behind a segment that is acknowledged in part, another one may start within it.
        let inside = |at: usize| records[at].segment.end > start;
        let before = (0..place).rev().take_while(|&at| inside(at)).count();
        for at in place - before..records.len() {
            let Record { segment, stamp } = &mut records[at];
            if segment.start >= end {
                break;
            }
            if segment.end > start {
                deliveries.resend(now, segment, stamp);
            }
        }
    }

    /// When the connection's first segment was handed out.
    pub fn started(&self) -> Option<Time> {
        self.started
    }

    /// Moves the cumulative ACK from `from` to `to`. Returns the transmissions of the last segment whose first byte it covers.
    #[inline]
    pub fn acknowledge(&mut self, now: Time, from: u64, to: u64) -> Option<Sent> {
        let mut last = None;
        self.acked = to;
        while !self.records.is_empty() {
            let Record { segment, stamp } = &mut self.records[0];
            if segment.start >= to {
                break;
            }
            if segment.start >= from {
                last = Some(segment.sent());
            }
            if segment.end > to {
                break;
            }
            if let Some(deliveries) = &mut self.deliveries {
                deliveries.deliver(now, segment, stamp);
            }
            self.records.pop(1);
        }
        match &mut self.window {
            // ns-2 takes a send time of zero, at the connection's start, for none.
            Some(window) => Some(window.acknowledge(from, to)).filter(|sent| sent.at != self.started),
            None => last,
        }
    }

    /// Notes the arrival of `start..end`, which was not known before; the first of its segments is at `place`. Returns the segment that its
    /// last byte belongs to.
    pub fn arrive(&mut self, now: Time, place: usize, start: u64, end: u64) -> Option<Found> {
        let Outstanding { records, deliveries: Some(deliveries), acked, .. } = self else {
            return self.of(end - 1);
        };
        let mut last = None;
        for at in place..records.len() {
            let Record { segment, stamp } = &mut records[at];
            if segment.start >= end {
                break;
            }
            if segment.start >= start && segment.end <= end {
                deliveries.deliver(now, segment, stamp);
            }
            last = Some(*segment);
        }
        last.filter(|segment| segment.start >= *acked)
    }

    /// The outstanding segment that the byte at `seq` belongs to; `None` if it is not known.
    #[inline]
    pub fn of(&self, seq: u64) -> Option<Found> {
        let segment = self.records[self.index_of(seq)?].segment;
        (segment.start >= self.acked).then_some(segment)
    }

    /// Whether any of the segments from `start` on that begin before `end` was handed out more than once.
    pub fn was_resent(&self, start: u64, end: u64) -> bool {
        let mut segments = self.records.iter().map(|record| record.segment).skip_while(|of| of.start < start);
        segments.by_ref().take_while(|of| of.start < end).any(|of| of.transmissions > 1)
    }

    /// [`Outstanding::of`] for a segment that mostly is the one at `place`.
    pub fn starting_at(&self, place: usize, seq: u64) -> Option<Found> {
        let found = (place < self.records.len()).then(|| self.records[place].segment);
        found.filter(|found| found.start == seq && seq >= self.acked).or_else(|| self.of(seq))
    }

    /// The place of the segment that the byte at `seq` belongs to, and where the first segment starts of which all is at `seq` or behind it. A
    /// segment that is acknowledged in part counts as not known.
    pub fn whole_from(&self, seq: u64) -> (usize, u64) {
        let Some(place) = self.index_of(seq) else { return (0, seq) };
        let Found { start, end, .. } = self.records[place].segment;
        if start < seq && start >= self.acked { (place + 1, end) } else { (place, seq) }
    }

    /// Where the last whole segment from the one at `place` on ends, up to `end`.
    pub fn whole_to(&self, place: usize, end: u64) -> u64 {
        let reaches = |&at: &usize| self.records[at].segment.end >= end;
        let last = (place..self.records.len()).find(reaches).map(|at| self.records[at].segment);
        last.filter(|last| last.end > end && last.start >= self.acked).map_or(end, |last| last.start)
    }

    /// The place of the last segment that starts at `seq` or before.
    #[inline]
    fn index_of(&self, seq: u64) -> Option<usize> {
        // Behind a segment that is acknowledged in part, another one may start within it.
        let is_there =
            |segment: &Found| segment.start >= self.acked && (segment.start..segment.end).contains(&seq);
        guess(&self.records, seq)
            .filter(|&place| is_there(&self.records[place].segment))
            .or_else(|| starting_by(&self.records, seq).checked_sub(1))
    }

    /// The segment at `una`, the first one outstanding.
    pub fn first(&self, una: u64) -> Option<Sent> {
        match &self.window {
            Some(window) => Some(window.slots[window.index(una)]),
            None => self
                .records
                .iter()
                .map(|record| record.segment)
                .find(|first| first.start >= una)
                .map(|first| first.sent()),
        }
    }

    /// Prepares for an ACK of everything before `una` with these SACK blocks. `stands`: it is a duplicate without SACK, which stands for the
    /// arrival of a segment.
    pub fn before_ack(
        &mut self,
        now: Time,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        stands: bool,
    ) {
        let Outstanding { records, deliveries: Some(deliveries), .. } = self else { return };
        deliveries.before_ack(una);
        if stands && let Some(at) = (1..records.len()).find(|&at| records[at].stamp.is_in_flight()) {
            let Record { segment, stamp } = &mut records[at];
            deliveries.deliver(now, segment, stamp);
        }
        if deliveries.is_told() {
            return;
        }
        for (start, end) in blocks {
            if let Some(news) = deliveries.learn(start.max(una), end) {
                for_each_within(records, (news, end), |segment, stamp| {
                    deliveries.deliver(now, segment, stamp)
                });
            }
        }
    }

    /// The sample of the ACK, once recovery has dealt with it and takes `lost`, if anything, for lost. All zero if the control does not sample.
    #[inline]
    pub fn sample(
        &mut self,
        now: Time,
        lost: Option<impl Iterator<Item = (u64, u64)>>,
        segment_bytes: u64,
    ) -> Sample {
        let Outstanding { records, deliveries: Some(deliveries), .. } = self else {
            return Sample::default();
        };
        if let Some((from, to)) = deliveries.next_holes(segment_bytes) {
            for at in ending_by(records, from)..records.len() {
                let Record { segment, stamp } = &mut records[at];
                if segment.end > to {
                    break;
                }
                if !stamp.is_resent() {
                    deliveries.lose(segment, stamp);
                }
            }
        }
        if let Some(lost) = lost {
            lost.for_each(|lost| {
                for_each_within(records, lost, |segment, stamp| deliveries.lose(segment, stamp))
            });
        }
        deliveries.sample(now)
    }

    /// The retransmission timer fired: these data, in whole segments, are not in flight any more.
    pub fn lose(&mut self, lost: impl Iterator<Item = (u64, u64)>) {
        let Outstanding { records, deliveries: Some(deliveries), .. } = self else { return };
        for lost in lost {
            for_each_within(records, lost, |segment, stamp| deliveries.lose(segment, stamp));
        }
        deliveries.forget_lost();
    }

    #[cfg(test)]
    pub fn stamps(&self) -> impl Iterator<Item = &Stamp> {
        self.records.iter().map(|record| &record.stamp)
    }
}

/// Calls `action` for each segment within `start..end`.
fn for_each_within(
    records: &mut Ring<Record>,
    (start, end): (u64, u64),
    mut action: impl FnMut(&Found, &mut Stamp),
) {
    let starts = |place: &usize| records[*place].segment.start == start;
    let first = guess(records, start).filter(starts).unwrap_or_else(|| starting_before(records, start));
    for at in first..records.len() {
        let Record { segment, stamp } = &mut records[at];
        if segment.end > end {
            break;
        }
        action(segment, stamp);
    }
}

/// Where the segment that the byte at `seq` belongs to lies if all are as long as the first one.
#[inline]
fn guess(records: &Ring<Record>, seq: u64) -> Option<usize> {
    let Found { start, end, .. } = records.front()?.segment;
    let place = seq.wrapping_sub(start).checked_div(end - start)? as usize;
    (place < records.len()).then_some(place)
}

/// The number of segments that end at `limit` or before.
fn ending_by(records: &Ring<Record>, limit: u64) -> usize {
    count_up_to(records, limit, |record| record.segment.end)
}

/// The number of segments that start at `limit` or before.
fn starting_by(records: &Ring<Record>, limit: u64) -> usize {
    count_up_to(records, limit, |record| record.segment.start)
}

/// The number of segments that start before `limit`.
fn starting_before(records: &Ring<Record>, limit: u64) -> usize {
    limit.checked_sub(1).map_or(0, |before| starting_by(records, before))
}

/// [`SendTimeStore::WindowRing`].
#[derive(Clone, Debug)]
struct WindowRing {
    slots: Vec<Sent>,
    segment: u64,
    /// Where the segment behind the one recorded last starts, and its slot.
    next: (u64, usize),
    /// The same of the segment behind the last one of which an ACK has covered the first byte.
    first: (u64, usize),
}

impl WindowRing {
    fn new(settings: &Settings) -> WindowRing {
        let slots = vec![Sent::default(); settings.receive_window.max(1) as usize];
        WindowRing { slots, segment: u64::from(settings.segment_bytes.max(1)), next: (0, 0), first: (0, 0) }
    }

    fn index(&self, seq: u64) -> usize {
        self.slot(seq / self.segment)
    }

    /// The slot of the segment with this number.
    fn slot(&self, number: u64) -> usize {
        (number % self.slots.len() as u64) as usize
    }

    fn slot_behind(&self, slot: usize) -> usize {
        if slot + 1 < self.slots.len() { slot + 1 } else { 0 }
    }

    fn record(&mut self, seq: u64, at: Time) {
        // Mostly segments go out in order. A division takes longer.
        let (next, slot) = self.next;
        let slot = if seq == next { slot } else { self.index(seq) };
        self.next = (seq + self.segment, self.slot_behind(slot));
        let sent = &mut self.slots[slot];
        sent.at = Some(at);
        sent.transmissions += 1;
    }

    fn acknowledge(&mut self, from: u64, to: u64) -> Sent {
        let (first, slot) = self.first;
        if from == first && to == from + self.segment {
            self.first = (to, self.slot_behind(slot));
            return std::mem::take(&mut self.slots[slot]);
        }
        self.acknowledge_others(from, to)
    }

    /// [`WindowRing::acknowledge`] for other data than the first whole segment outstanding.
    #[inline(never)]
    fn acknowledge_others(&mut self, from: u64, to: u64) -> Sent {
        let (first, last) = (from / self.segment, (to - 1) / self.segment);
        let end = self.slot(last);
        self.first = ((last + 1) * self.segment, self.slot_behind(end));
        let sent = self.slots[end];
        if first == last {
            self.slots[end] = Sent::default();
        } else {
            self.clear(self.slot(first), end);
        }
        sent
    }

    /// Clears the slots of several segments. Across the ring's end they stay as they were.
    fn clear(&mut self, first: usize, last: usize) {
        if first <= last {
            self.slots[first..=last].fill(Sent::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use airfair_core::Span;
    use proptest::prelude::*;

    fn times(send_times: SendTimeStore) -> Outstanding {
        let vegas = settings(Profile::Ns2, TcpName::named("vegas"));
        Outstanding::new(&Settings { send_times, receive_window: 4, ..vegas })
    }

    #[test]
    fn an_ack_gives_the_last_segment_it_covers() {
        for store in [SendTimeStore::PerSegment, SendTimeStore::WindowRing] {
            let mut times = times(store);
            for i in 0..4 {
                times.record(Time(i), i * 1000, (i + 1) * 1000, false, true);
            }
            times.record(Time(9), 1000, 2000, true, true);
            assert_eq!(
                times.acknowledge(Time(99), 0, 2000),
                Some(Sent { at: Some(Time(9)), transmissions: 2 })
            );
            assert_eq!(times.first(2000), Some(Sent { at: Some(Time(2)), transmissions: 1 }));
            assert_eq!(times.started(), Some(Time(0)));
        }
    }

    #[test]
    fn an_ack_across_the_rings_end_leaves_its_slots_as_they_were() {
        let second_use = |store| {
            let mut times = times(store);
            for i in 0..4 {
                times.record(Time(i + 1), i * 1000, (i + 1) * 1000, false, true);
            }
            times.acknowledge(Time(99), 0, 3000);
            times.record(Time(10), 4000, 5000, false, true);
            times.acknowledge(Time(99), 3000, 5000);
            times.record(Time(20), 7000, 8000, false, true);
            times.acknowledge(Time(99), 5000, 8000).map(|sent| sent.transmissions)
        };
        assert_eq!(second_use(SendTimeStore::PerSegment), Some(1));
        assert_eq!(second_use(SendTimeStore::WindowRing), Some(2));
    }

    proptest! {
        /// An ACK of the first whole segment needs no division, whatever ACKs came before.
        #[test]
        fn the_ring_knows_the_slot_of_the_first_segment(
            steps in prop::collection::vec(prop_oneof![3 => Just(1000u64), 1 => 1u64..3000], 1..50),
        ) {
            let mut ring = times(SendTimeStore::WindowRing).window.expect("a ring");
            let mut acked = 0;
            for step in steps {
                for number in 0..3 {
                    ring.record((acked / 1000 + number) * 1000, Time(acked + number));
                }
                let mut other = ring.clone();
                let to = acked + step;
                prop_assert_eq!(ring.acknowledge(acked, to), other.acknowledge_others(acked, to));
                prop_assert_eq!(&ring.slots, &other.slots);
                acked = to;
            }
        }
    }

    /// A retransmission may reach into the segment after it, and then an ACK does.
    #[test]
    fn a_segment_of_which_a_part_is_acknowledged_is_delivered_as_a_whole_and_not_found() {
        let mut outstanding = Outstanding::new(&settings(Profile::Linux, TcpName::named("bbr")));
        for (start, end) in [(0, 500), (500, 1500), (1500, 2500)] {
            outstanding.record(Time(1), start, end, false, true);
        }
        let delivered = |outstanding: &mut Outstanding, now| {
            let sample = outstanding.sample(Time(now), Some(std::iter::empty()), 1000);
            (sample.delivered, sample.in_flight)
        };
        let last = outstanding.acknowledge(Time(5), 0, 1000);
        assert_eq!(last.map(|sent| sent.transmissions), Some(1));
        assert_eq!(delivered(&mut outstanding, 5), (500, 2000));
        assert_eq!((outstanding.of(1000), outstanding.first(1000).is_some()), (None, true));
        assert_eq!(outstanding.of(1500).map(|found| found.end), Some(2500));
        // What goes out again from there on is a part of the same segment.
        outstanding.record(Time(6), 1000, 1500, true, true);
        assert_eq!(delivered(&mut outstanding, 6), (500, 2000));
        assert_eq!(outstanding.acknowledge(Time(9), 1000, 1500), None);
        assert_eq!(delivered(&mut outstanding, 9), (1500, 1000));
        assert_eq!(outstanding.arrive(Time(9), 0, 1500, 2500).map(|found| found.start), Some(1500));
        assert_eq!(delivered(&mut outstanding, 9), (2500, 0));
    }

    /// `tcp_ack_update_rtt`.
    #[test]
    fn what_was_sent_again_has_the_round_trip_of_the_timestamp() {
        for (again, stamp, rtt) in [(false, Some(6), Some(8)), (true, Some(6), Some(6)), (true, None, None)] {
            let mut outstanding = Outstanding::new(&settings(Profile::Linux, TcpName::named("bbr")));
            outstanding.record(Time(1), 0, 500, false, true);
            if again {
                outstanding.record(Time(2), 0, 500, true, true);
            }
            outstanding.before_ack(Time(9), 500, std::iter::empty(), false);
            outstanding.deliveries.as_mut().expect("BBR samples").note_stamp(stamp.map(Span));
            outstanding.acknowledge(Time(9), 0, 500);
            assert_eq!(outstanding.sample(Time(9), Some(std::iter::empty()), 1000).rtt, rtt.map(Span));
        }
    }

    proptest! {
        /// However long the segments are, and whatever is acknowledged: also where a segment begins within the one before.
        #[test]
        fn segments_are_found_by_their_bytes(
            lengths in prop::collection::vec(prop_oneof![3 => Just(4u64), 1 => 1u64..8], 1..20),
            (acked, from, length) in (0u64..40, 1u64..60, 1u64..20),
        ) {
            let mut outstanding = Outstanding::new(&settings(Profile::Linux, TcpName::named("bbr")));
            let mut end = 0;
            for length in lengths {
                outstanding.record(Time(1), end, end + length, false, true);
                end += length;
            }
            if (1..end).contains(&acked) {
                outstanding.acknowledge(Time(2), 0, acked);
                outstanding.record(Time(3), acked, end.min(acked + 4), true, true);
            }
            let all: Vec<(u64, u64)> =
                outstanding.records.iter().map(|record| (record.segment.start, record.segment.end)).collect();
            prop_assert_eq!(outstanding.index_of(from), all.iter().rposition(|&(start, _)| start <= from));
            let mut within = Vec::new();
            let to = from + length;
            for_each_within(&mut outstanding.records, (from, to), |segment, _| within.push(segment.start));
            let wanted = all.iter().filter(|&&(start, end)| from <= start && end <= to).map(|&(start, _)| start);
            prop_assert_eq!(within, wanted.collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let mut times = Outstanding::new(&settings(Profile::Ns2, TcpName::named("reno")));
        assert!(!times.are_wanted());
        times.record(Time(1), 0, 1000, false, true);
        assert_eq!(times.first(0), None);
    }
}
