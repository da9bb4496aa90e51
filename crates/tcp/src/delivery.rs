//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation-02): how fast data arrived between the sending of a segment and its
//! acknowledgement, and whether the application held the sender back meanwhile.
//!
//! A segment counts as delivered when an ACK or a SACK block covers it. Without SACK a duplicate ACK stands for the next segment. It
//! counts as lost when more than two segments above it are SACKed (RFC 6675, section 4: `IsLost`) or, where the recovery finds losses by
//! time, when that does; when it is sent again; or when the retransmission timer fires. What is in flight was sent and is neither.

use crate::core::DUPLICATE_THRESHOLD;
use crate::ranges::Ranges;
use crate::search::count_up_to;
use airfair_core::{Ring, Span, Time};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    InFlight,
    Lost,
    Delivered,
}

/// An outstanding segment, as it was when it was sent last.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    start: u64,
    end: u64,
    state: State,
    resent: bool,
    app_limited: bool,
    sent_at: Time,
    /// Bytes delivered until then, and when the last of them were.
    delivered: u64,
    delivered_at: Time,
    /// When the first segment of the flight that it belongs to was sent.
    first_sent_at: Time,
    /// Bytes in flight with it, and lost until then.
    in_flight: u64,
    lost: u64,
}

/// A segment that counts as lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// Its place in the connection.
    pub start: u64,
    /// Its length.
    pub bytes: u64,
    /// Bytes in flight when it was sent, itself included.
    pub tx_in_flight: u64,
    /// Bytes that count as lost since it was sent, itself included.
    pub lost_since: u64,
    /// The application held the sender back when it was sent.
    pub app_limited: bool,
}

/// What an ACK shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Bytes that it shows to have been delivered, and to be lost.
    pub acked: u64,
    /// Bytes that count as lost since the ACK before it.
    pub lost: u64,
    /// Bytes in flight before it, and now.
    pub prior_in_flight: u64,
    /// Bytes in flight now.
    pub in_flight: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
    /// The delivery rate in byte/s, of the segment that was sent last of those that it covers.
    pub rate: Option<f64>,
    /// The round trip of that segment, if it was sent once.
    pub rtt: Option<Span>,
    /// The application held the sender back when that segment was sent.
    pub app_limited: bool,
    /// Bytes delivered when that segment was sent.
    pub prior_delivered: u64,
    /// Bytes in flight when that segment was sent, itself included.
    pub tx_in_flight: u64,
    /// Bytes that count as lost since that segment was sent.
    pub lost_since: u64,
}

/// The outstanding segments, and what was delivered so far.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    /// In ascending order.
    records: Ring<Record>,
    sacked: Ranges,
    /// Holes below it have been looked at; [`u64::MAX`]: the recovery finds losses.
    lost_to: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    in_flight: u64,
    lost: u64,
    /// Bytes lost when the last ACK was told of.
    lost_told: u64,
    /// Until so much is delivered, segments are sent with the mark of an application that held the sender back; zero: they are not.
    app_limited: u64,
    /// The segment of the ACK at hand that was sent last.
    latest: Option<Record>,
    least_rtt: Option<Span>,
    /// Those that count as lost and were not told of.
    losses: Vec<Lost>,
}

impl Deliveries {
    /// Nothing was sent. `told`: [`Deliveries::note_lost`] tells of losses, and not the SACK blocks.
    pub fn new(told: bool) -> Deliveries {
        Deliveries { lost_to: if told { u64::MAX } else { 0 }, ..Deliveries::default() }
    }

    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The segments that count as lost since [`Deliveries::forget_losses`].
    pub fn losses(&self) -> &[Lost] {
        &self.losses
    }

    pub fn forget_losses(&mut self) {
        self.losses.clear();
    }

    /// From now on, and until all that is in flight is delivered, the sender is held back by something else than the network.
    pub fn limit(&mut self) {
        self.app_limited = (self.delivered + self.in_flight).max(1);
    }

    pub fn is_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// The segment `start..end` goes out.
    pub fn on_send(&mut self, now: Time, start: u64, end: u64, again: bool) {
        if self.in_flight == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        if again { self.resend(now, start, end) } else { self.send(now, start, end) }
    }

    fn send(&mut self, now: Time, start: u64, end: u64) {
        self.in_flight += end - start;
        let record = self.stamped(now, start, end, false);
        self.records.push(record);
    }

    fn stamped(&self, now: Time, start: u64, end: u64, resent: bool) -> Record {
        Record {
            start,
            end,
            state: State::InFlight,
            resent,
            app_limited: self.app_limited > 0,
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight: self.in_flight,
            lost: self.lost,
        }
    }

    fn resend(&mut self, now: Time, start: u64, end: u64) {
        let first = self.ending_by(start);
        for at in first..self.records.len() {
            let Record { start, end: its_end, state, .. } = self.records[at];
            if start >= end {
                break;
            }
            if state == State::Delivered {
                continue;
            }
            self.lose(at);
            self.in_flight += its_end - start;
            self.records[at] = self.stamped(now, start, its_end, true);
        }
    }

    /// The number of segments that end at `limit` or before.
    fn ending_by(&self, limit: u64) -> usize {
        count_up_to(&self.records, limit, |record| record.end)
    }

    /// The number of segments that start before `limit`.
    fn starting_before(&self, limit: u64) -> usize {
        limit.checked_sub(1).map_or(0, |before| count_up_to(&self.records, before, |record| record.start))
    }

    fn lose(&mut self, at: usize) {
        let record = &mut self.records[at];
        if record.state == State::InFlight {
            record.state = State::Lost;
            let Record { start, in_flight: tx_in_flight, app_limited, .. } = *record;
            let bytes = record.end - start;
            self.in_flight -= bytes;
            self.lost += bytes;
            let lost_since = self.lost - record.lost;
            self.losses.push(Lost { start, bytes, tx_in_flight, lost_since, app_limited });
        }
    }

    /// What the recovery takes for lost after an ACK that shows `sample`.
    pub fn note_lost(&mut self, ranges: impl Iterator<Item = (u64, u64)>, sample: &mut Sample) {
        for (start, end) in ranges {
            let first = self.starting_before(start);
            for at in first..self.records.len() {
                if self.records[at].end > end {
                    break;
                }
                self.lose(at);
            }
        }
        let more = self.lost - std::mem::replace(&mut self.lost_told, self.lost);
        sample.lost += more;
        sample.in_flight = self.in_flight;
        if self.latest.is_some() {
            sample.lost_since += more;
        }
    }

    /// The retransmission timer fired: nothing is in flight any more.
    pub fn lose_all(&mut self) {
        (0..self.records.len()).for_each(|at| self.lose(at));
    }

    /// An ACK of everything before `una` with these SACK blocks; `stands`: a duplicate without them, which stands for a segment.
    pub fn on_ack(
        &mut self,
        now: Time,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        stands: bool,
        segment: u64,
    ) -> Sample {
        let (prior_in_flight, prior_delivered) = (self.in_flight, self.delivered);
        self.latest = None;
        while self.records.front().is_some_and(|record| record.end <= una) {
            self.deliver(now, 0);
            self.records.pop(1);
        }
        self.sacked.remove_before(una);
        for (start, end) in blocks {
            self.sack(now, start.max(una), end);
        }
        if stands {
            let next = (1..self.records.len()).find(|&at| self.records[at].state == State::InFlight);
            next.into_iter().for_each(|at| self.deliver(now, at));
        }
        // Once the recovery finds losses there is nothing to look for.
        if self.lost_to < u64::MAX && !self.sacked.is_empty() {
            self.lose_holes(segment);
        }
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let lost = self.lost - std::mem::replace(&mut self.lost_told, self.lost);
        let (acked, in_flight, delivered) =
            (self.delivered - prior_delivered, self.in_flight, self.delivered);
        let sample = Sample { acked, lost, prior_in_flight, in_flight, delivered, ..Sample::default() };
        match self.latest {
            Some(latest) => self.rate(now, &latest, sample),
            None => sample,
        }
    }

    /// Section 3.3: `GenerateRateSample`.
    fn rate(&mut self, now: Time, latest: &Record, sample: Sample) -> Sample {
        let rtt = (!latest.resent).then(|| now.since(latest.sent_at));
        if let Some(rtt) = rtt {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        self.first_sent_at = latest.sent_at;
        let sending = latest.sent_at.since(latest.first_sent_at);
        let arriving = now.since(latest.delivered_at);
        let interval = sending.max(arriving);
        // One shorter than the shortest round trip measures a burst, not the path.
        let holds = interval > Span::ZERO && self.least_rtt.is_none_or(|least| interval >= least);
        let bytes = (self.delivered - latest.delivered) as f64;
        Sample {
            rate: holds.then(|| bytes / interval.as_secs()),
            rtt,
            app_limited: latest.app_limited,
            prior_delivered: latest.delivered,
            tx_in_flight: latest.in_flight,
            lost_since: self.lost - latest.lost,
            ..sample
        }
    }

    fn deliver(&mut self, now: Time, at: usize) {
        let record = &mut self.records[at];
        let bytes = record.end - record.start;
        match record.state {
            State::Delivered => return,
            State::InFlight => self.in_flight -= bytes,
            State::Lost => {}
        }
        record.state = State::Delivered;
        self.delivered += bytes;
        self.delivered_at = now;
        let record = *record;
        if self.latest.is_none_or(|latest| (record.sent_at, record.end) > (latest.sent_at, latest.end)) {
            self.latest = Some(record);
        }
    }

    fn sack(&mut self, now: Time, start: u64, end: u64) {
        // What was told before, mostly all but the end.
        let known = self.sacked.containing(start).map_or(start, |(_, known)| known);
        if known >= end {
            return;
        }
        self.sacked.insert(start, end);
        let first = self.starting_before(known);
        for at in first..self.records.len() {
            if self.records[at].end > end {
                break;
            }
            self.deliver(now, at);
        }
    }

    /// Below this enough is SACKed above.
    fn sacked_above(&self, segment: u64) -> u64 {
        let mut bytes = 0;
        for (runs, (start, end)) in (1..).zip(self.sacked.iter().rev()) {
            bytes += end - start;
            if runs >= DUPLICATE_THRESHOLD || bytes > u64::from(DUPLICATE_THRESHOLD - 1) * segment {
                return start;
            }
        }
        0
    }

    fn lose_holes(&mut self, segment: u64) {
        let lost_to = self.sacked_above(segment);
        if lost_to <= self.lost_to {
            return;
        }
        let first = self.ending_by(self.lost_to);
        for at in first..self.records.len() {
            if self.records[at].end > lost_to {
                break;
            }
            if !self.records[at].resent {
                self.lose(at);
            }
        }
        self.lost_to = lost_to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SEGMENT: u64 = 1000;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// Sends segment `number` at `at`.
    fn send(deliveries: &mut Deliveries, at: u64, number: u64, again: bool) {
        deliveries.on_send(ms(at), number * SEGMENT, (number + 1) * SEGMENT, again);
    }

    /// An ACK of everything before segment `una`, with the segments of each block.
    fn ack(deliveries: &mut Deliveries, at: u64, una: u64, blocks: &[(u64, u64)]) -> Sample {
        let blocks = blocks.iter().map(|&(start, end)| (start * SEGMENT, end * SEGMENT));
        deliveries.on_ack(ms(at), una * SEGMENT, blocks, false, SEGMENT)
    }

    /// What RACK finds by time is lost at once, and so is what it finds to be lost again.
    #[test]
    fn the_recovery_may_tell_what_is_lost() {
        let mut deliveries = Deliveries::new(true);
        (0..10).for_each(|number| send(&mut deliveries, number, number, false));
        let mut sample = ack(&mut deliveries, 20, 1, &[(3, 8)]);
        assert_eq!((sample.lost, sample.in_flight), (0, 4 * SEGMENT));
        let told = |deliveries: &mut Deliveries, sample: &mut Sample| {
            deliveries.note_lost([(SEGMENT, 3 * SEGMENT)].into_iter(), sample);
            (sample.lost, sample.lost_since, sample.in_flight)
        };
        assert_eq!(told(&mut deliveries, &mut sample), (2 * SEGMENT, 2 * SEGMENT, 2 * SEGMENT));
        let mut sample = ack(&mut deliveries, 21, 1, &[(3, 9)]);
        assert_eq!(told(&mut deliveries, &mut sample), (0, 2 * SEGMENT, SEGMENT));
        send(&mut deliveries, 22, 1, true);
        let mut sample = ack(&mut deliveries, 40, 1, &[(3, 10)]);
        assert_eq!((sample.lost, sample.in_flight), (0, SEGMENT));
        assert_eq!(told(&mut deliveries, &mut sample).0, SEGMENT);
    }

    #[test]
    fn the_rate_is_what_was_delivered_between_sending_and_acknowledgement() {
        let mut deliveries = Deliveries::default();
        // One a millisecond from a path of 10 ms: the first window's segments find nothing delivered.
        for number in 0..10 {
            send(&mut deliveries, number, number, false);
        }
        let first = ack(&mut deliveries, 10, 1, &[]);
        assert_eq!((first.rate, first.rtt), (Some(100_000.0), Some(Span::from_millis(10))));
        for number in 10..30 {
            send(&mut deliveries, number, number, false);
            let sample = ack(&mut deliveries, number + 1, number - 8, &[]);
            assert_eq!((sample.acked, sample.in_flight), (1000, 9000), "{number}");
        }
        // Ten in 10 ms.
        let last = ack(&mut deliveries, 31, 22, &[]);
        assert_eq!(last.rate, Some(1e6));
        assert_eq!((last.delivered, last.delivered - last.prior_delivered), (22_000, 10_000));
    }

    /// Section 2.2: ACKs that arrive in a heap tell of the ACKs' path, not of the data's.
    #[test]
    fn the_slower_of_sending_and_arriving_counts() {
        let mut deliveries = Deliveries::default();
        for number in 0..20 {
            send(&mut deliveries, number, number, false);
        }
        ack(&mut deliveries, 20, 1, &[]);
        // 19 at once; they were sent over 19 ms.
        let sample = ack(&mut deliveries, 21, 20, &[]);
        assert_eq!(sample.rate, Some(20_000.0 / 0.021));
        let mut deliveries = Deliveries::default();
        for number in 0..20 {
            send(&mut deliveries, 0, number, false);
        }
        assert_eq!(ack(&mut deliveries, 40, 20, &[]).rate, Some(20_000.0 / 0.040));
    }

    #[test]
    fn a_segment_that_was_sent_again_gives_no_round_trip() {
        let mut deliveries = Deliveries::default();
        (0..5).for_each(|number| send(&mut deliveries, 0, number, false));
        let sacked = ack(&mut deliveries, 10, 0, &[(1, 4)]);
        assert_eq!((sacked.acked, sacked.lost, sacked.in_flight), (3000, 1000, 1000));
        send(&mut deliveries, 10, 0, true);
        let mended = ack(&mut deliveries, 20, 4, &[]);
        assert_eq!((mended.acked, mended.lost, mended.rtt), (1000, 0, None));
        assert_eq!(mended.in_flight, 1000);
    }

    #[test]
    fn a_hole_is_lost_when_more_than_two_segments_above_it_are_sacked() {
        let mut deliveries = Deliveries::default();
        (0..9).for_each(|number| send(&mut deliveries, number, number, false));
        assert_eq!(ack(&mut deliveries, 10, 0, &[(4, 6)]).lost, 0);
        // Three runs, or more than two segments.
        assert_eq!(ack(&mut deliveries, 11, 0, &[(7, 8), (4, 6)]).lost, 4000);
        let sample = ack(&mut deliveries, 12, 0, &[(7, 9), (4, 6)]);
        assert_eq!((sample.lost, sample.lost_since), (0, 4000));
    }

    #[test]
    fn duplicates_without_sack_stand_for_the_segments_that_follow() {
        let mut deliveries = Deliveries::default();
        (0..5).for_each(|number| send(&mut deliveries, 0, number, false));
        for duplicate in 1..=3 {
            let sample = deliveries.on_ack(ms(10), 0, std::iter::empty(), true, SEGMENT);
            assert_eq!((sample.acked, sample.in_flight), (1000, 5000 - 1000 * duplicate));
        }
        send(&mut deliveries, 10, 0, true);
        assert_eq!(ack(&mut deliveries, 20, 4, &[]).acked, 1000);
    }

    /// Section 3.4: until what was in flight when the application had nothing to send is delivered.
    #[test]
    fn segments_sent_while_the_application_holds_back_carry_its_mark() {
        let mut deliveries = Deliveries::default();
        send(&mut deliveries, 0, 0, false);
        deliveries.limit();
        send(&mut deliveries, 1, 1, false);
        assert!(!ack(&mut deliveries, 10, 1, &[]).app_limited);
        assert!(ack(&mut deliveries, 11, 2, &[]).app_limited);
        send(&mut deliveries, 12, 2, false);
        assert!(!ack(&mut deliveries, 22, 3, &[]).app_limited);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Send(u64),
        Again(u64),
        Ack(u64, u64, u64),
        Duplicate,
        Timeout,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (1u64..5).prop_map(Step::Send),
            2 => (0u64..30).prop_map(Step::Again),
            4 => (0u64..4, 0u64..20, 0u64..6).prop_map(|(una, start, length)| Step::Ack(una, start, length)),
            1 => Just(Step::Duplicate),
            1 => Just(Step::Timeout),
        ];
        prop::collection::vec(step, 1..200)
    }

    proptest! {
        /// Whatever happens, the counts are those of the records, and nothing is delivered twice or more than sent.
        #[test]
        fn counts_are_those_of_the_records(steps in steps()) {
            let mut deliveries = Deliveries::default();
            let (mut una, mut next, mut now) = (0, 0, 0);
            for step in steps {
                now += 1;
                let before = deliveries.delivered;
                match step {
                    Step::Send(count) => (0..count).for_each(|_| { send(&mut deliveries, now, next, false); next += 1; }),
                    Step::Again(which) if una + which < next => send(&mut deliveries, now, una + which, true),
                    Step::Again(_) => {}
                    Step::Ack(more, start, length) => {
                        una = (una + more).min(next);
                        let sample = ack(&mut deliveries, now, una, &[((una + start).min(next), (una + start + length).min(next))]);
                        prop_assert_eq!(sample.delivered, before + sample.acked);
                        prop_assert!(sample.rate.is_none_or(|rate| rate > 0.0 && rate.is_finite()));
                    }
                    Step::Duplicate => {
                        deliveries.on_ack(ms(now), una * SEGMENT, std::iter::empty(), true, SEGMENT);
                    }
                    Step::Timeout => deliveries.lose_all(),
                }
                let bytes = |state| deliveries.records.iter().filter(|record| record.state == state).count() as u64 * SEGMENT;
                prop_assert_eq!(deliveries.in_flight, bytes(State::InFlight));
                prop_assert_eq!(deliveries.delivered, una * SEGMENT + bytes(State::Delivered));
                prop_assert_eq!(deliveries.records.len() as u64, next - una);
            }
        }
    }
}
