//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation-02): the rate at which data were delivered between the sending of a
//! segment and its acknowledgement, and whether the application held the sender back meanwhile.
//!
//! A segment counts as delivered when an ACK or a SACK block covers it. Without SACK a duplicate ACK stands for the next segment. A segment
//! counts as lost when more than two segments above it are SACKed (RFC 6675, section 4: `IsLost`), or when a recovery that finds losses by
//! time says so; when it is retransmitted; or when the retransmission timer fires. What was sent and is neither is in flight.

use crate::congestion::float::{float, seconds};
use crate::core::DUPLICATE_THRESHOLD;
use crate::outstanding::Found;
use crate::ranges::Ranges;
use airfair_core::{Span, Time};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    InFlight,
    Lost,
    /// Also of a segment without payload, which does not count.
    #[default]
    Delivered,
}

/// The state of the connection when a segment was last sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    state: State,
    resent: bool,
    app_limited: bool,
    sent_at: Time,
    /// Bytes delivered by then, and when the last of them were.
    delivered: u64,
    delivered_at: Time,
    /// When the first segment of its flight was sent.
    first_sent_at: Time,
    /// Bytes in flight, the segment included, and bytes lost by then.
    in_flight: u64,
    lost: u64,
}

impl Stamp {
    pub fn is_in_flight(&self) -> bool {
        self.state == State::InFlight
    }

    pub fn is_resent(&self) -> bool {
        self.resent
    }
}

/// A segment that counts as lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lost {
    /// Offset of the first byte, counted from the connection's start.
    pub start: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Bytes in flight when the segment was sent, itself included.
    pub tx_in_flight: u64,
    /// Bytes that count as lost since the segment was sent, itself included.
    pub lost_since: u64,
    /// The application held the sender back when the segment was sent.
    pub app_limited: bool,
}

/// What an ACK shows to be delivered and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    /// Bytes that the ACK shows to be delivered for the first time.
    pub acked: u64,
    /// Bytes that count as lost since the ACK before it, but not by a timeout.
    pub lost: u64,
    /// Bytes in flight before the ACK.
    pub prior_in_flight: u64,
    /// Bytes in flight after the ACK.
    pub in_flight: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
    /// The delivery rate in byte/s by the latest segment: of the segments that the ACK shows to be delivered, the one that was sent last.
    pub rate: Option<f64>,
    /// The round trip of the latest segment, or of the SYN that the ACK completes, if it was sent once; else the round trip by timestamp, if
    /// there is one.
    pub rtt: Option<Span>,
    /// The application held the sender back when the latest segment was sent.
    pub app_limited: bool,
    /// Bytes delivered when the latest segment was sent.
    pub prior_delivered: u64,
    /// Bytes in flight when the latest segment was sent, itself included.
    pub tx_in_flight: u64,
    /// Bytes that count as lost since the latest segment was sent.
    pub lost_since: u64,
}

/// The data delivered so far, for the stamps of [`Outstanding`](crate::outstanding::Outstanding) segments.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    sacked: Ranges,
    /// Holes below this offset were checked for losses; [`u64::MAX`] if the recovery reports arrivals and losses.
    lost_to: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    in_flight: u64,
    lost: u64,
    /// Bytes delivered and in flight before the ACK at hand; bytes lost that earlier samples have reported.
    before: (u64, u64),
    lost_told: u64,
    /// Until this many bytes are delivered, segments are stamped as sent while the application held the sender back; zero if they are not.
    app_limited: u64,
    /// The latest segment of the ACK at hand, as [`Sample::rate`] has it, and its end.
    latest: Option<(Stamp, u64)>,
    least_rtt: Option<Span>,
    /// The round trip of the SYN that the ACK at hand completes.
    handshake: Option<Span>,
    /// The round trip that the ACK at hand gives by its timestamp, if it is one of new data.
    stamped: Option<Span>,
    /// Losses that the control has not been told of.
    losses: Vec<Lost>,
}

impl Deliveries {
    /// The state before anything is sent. `told`: the recovery reports arrivals and losses; otherwise SACK blocks show them.
    pub fn new(told: bool) -> Deliveries {
        Deliveries { lost_to: if told { u64::MAX } else { 0 }, ..Deliveries::default() }
    }

    pub fn is_told(&self) -> bool {
        self.lost_to == u64::MAX
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

    /// Something else than the network holds the sender back, until all that is in flight now is delivered.
    pub fn limit(&mut self) {
        self.app_limited = (self.delivered + self.in_flight).max(1);
    }

    pub fn is_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// Begins a flight, if nothing is in flight when a segment goes out.
    #[inline]
    pub fn begin_flight(&mut self, now: Time) {
        if self.in_flight == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
    }

    /// Notes that a segment of `bytes` new bytes is sent.
    #[inline]
    pub fn send(&mut self, now: Time, bytes: u64) -> Stamp {
        self.begin_flight(now);
        self.stamp(now, bytes)
    }

    fn stamp(&mut self, now: Time, bytes: u64) -> Stamp {
        self.in_flight += bytes;
        Stamp {
            state: State::InFlight,
            resent: false,
            app_limited: self.app_limited > 0,
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight: self.in_flight,
            lost: self.lost,
        }
    }

    /// Notes that the segment, or a part of it, is retransmitted.
    pub fn resend(&mut self, now: Time, segment: &Found, stamp: &mut Stamp) {
        if stamp.state != State::Delivered {
            self.lose(segment, stamp);
            *stamp = Stamp { resent: true, ..self.stamp(now, segment.end - segment.start) };
        }
    }

    #[inline]
    pub fn lose(&mut self, segment: &Found, stamp: &mut Stamp) {
        if stamp.state == State::InFlight {
            stamp.state = State::Lost;
            let bytes = segment.end - segment.start;
            self.in_flight -= bytes;
            self.lost += bytes;
            self.losses.push(Lost {
                start: segment.start,
                bytes,
                tx_in_flight: stamp.in_flight,
                lost_since: self.lost - stamp.lost,
                app_limited: stamp.app_limited,
            });
        }
    }

    /// Leaves what is lost so far out of the next sample's [`Sample::lost`], which has what an ACK shows to be lost.
    pub fn forget_lost(&mut self) {
        self.lost_told = self.lost;
    }

    #[inline]
    pub fn deliver(&mut self, now: Time, segment: &Found, stamp: &mut Stamp) {
        let bytes = segment.end - segment.start;
        match stamp.state {
            State::Delivered => return,
            State::InFlight => self.in_flight -= bytes,
            State::Lost => {}
        }
        stamp.state = State::Delivered;
        self.delivered += bytes;
        self.delivered_at = now;
        if self.latest.is_none_or(|(latest, end)| (stamp.sent_at, segment.end) > (latest.sent_at, end)) {
            self.latest = Some((*stamp, segment.end));
        }
    }

    /// Prepares for an ACK of everything before `una`.
    pub fn before_ack(&mut self, una: u64) {
        self.before = (self.delivered, self.in_flight);
        self.latest = None;
        self.sacked.remove_before(una);
    }

    /// Takes the SACK block `start..end`. Returns its first byte that was not known to have arrived, if there is any.
    pub fn learn(&mut self, start: u64, end: u64) -> Option<u64> {
        self.sacked.learn(start, end)
    }

    /// Returns the offsets between which holes are newly lost: enough is SACKed above them now, and was not before.
    pub fn next_holes(&mut self, segment: u64) -> Option<(u64, u64)> {
        // Once the recovery finds losses there is nothing to look for.
        if self.is_told() || self.sacked.is_empty() {
            return None;
        }
        let (from, to) = (self.lost_to, self.sacked_above(segment));
        self.lost_to = from.max(to);
        (to > from).then_some((from, to))
    }

    /// The offset below which holes are lost, because enough is SACKed above it.
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

    /// The sample of the ACK at hand.
    pub fn sample(&mut self, now: Time) -> Sample {
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let (prior_delivered, prior_in_flight) = self.before;
        let mut sample = Sample {
            acked: self.delivered - prior_delivered,
            lost: self.lost - std::mem::replace(&mut self.lost_told, self.lost),
            prior_in_flight,
            in_flight: self.in_flight,
            delivered: self.delivered,
            rtt: self.handshake.take(),
            ..Sample::default()
        };
        self.rate(now, &mut sample);
        sample
    }

    /// Section 3.3: `GenerateRateSample`.
    #[inline]
    fn rate(&mut self, now: Time, sample: &mut Sample) {
        let Some((latest, _)) = &self.latest else { return };
        // Of a segment that was sent twice, only a timestamp tells which transmission arrived.
        sample.rtt = if latest.resent { self.stamped } else { Some(now.since(latest.sent_at)) };
        if let Some(rtt) = sample.rtt {
            shorten(&mut self.least_rtt, rtt);
        }
        self.first_sent_at = latest.sent_at;
        let sending = latest.sent_at.since(latest.first_sent_at);
        let arriving = now.since(latest.delivered_at);
        let interval = sending.max(arriving);
        // One shorter than the shortest round trip measures a burst, not the path.
        let holds = interval > Span::ZERO && self.least_rtt.is_none_or(|least| interval >= least);
        let bytes = float(self.delivered - latest.delivered);
        sample.rate = holds.then(|| bytes / seconds(interval));
        sample.app_limited = latest.app_limited;
        sample.prior_delivered = latest.delivered;
        sample.tx_in_flight = latest.in_flight;
        sample.lost_since = self.lost - latest.lost;
    }

    /// Sets the round trip by the timestamp of the ACK at hand; `None` if it has no timestamp or acknowledges no new data.
    pub fn note_stamp(&mut self, rtt: Option<Span>) {
        self.stamped = rtt;
    }

    /// The ACK at hand completes the SYN, which was sent once.
    pub fn complete_handshake(&mut self, rtt: Span) {
        shorten(&mut self.least_rtt, rtt);
        self.handshake = Some(rtt);
    }
}

/// Updates the shortest round trip by one that was measured.
fn shorten(least: &mut Option<Span>, rtt: Span) {
    *least = Some(least.map_or(rtt, |least| least.min(rtt)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outstanding::Outstanding;
    use crate::profile::{Profile, TcpName, settings};
    use crate::settings::{Recovery, Settings};
    use proptest::prelude::*;

    const SEGMENT: u64 = 1000;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// Segments of 1000 bytes, named by their numbers.
    struct Segments {
        outstanding: Outstanding,
        una: u64,
    }

    impl Segments {
        fn with(recovery: Recovery) -> Segments {
            let bbr = settings(Profile::Rfc, TcpName::named("bbr"));
            Segments { outstanding: Outstanding::new(&Settings { recovery, ..bbr }), una: 0 }
        }

        /// Segments whose SACK blocks show arrivals and losses.
        fn new() -> Segments {
            Segments::with(Recovery::Sack)
        }

        fn deliveries(&mut self) -> &mut Deliveries {
            self.outstanding.deliveries.as_mut().expect("BBR samples")
        }

        fn send(&mut self, at: u64, number: u64, again: bool) {
            self.outstanding.record(ms(at), number * SEGMENT, (number + 1) * SEGMENT, again, true);
        }

        /// An ACK of everything before segment `una`, with the segments of each block; `stands`: it stands for one.
        fn acked(&mut self, at: u64, una: u64, blocks: &[(u64, u64)], stands: bool) -> Sample {
            let bytes = |&(start, end): &(u64, u64)| (start * SEGMENT, end * SEGMENT);
            self.outstanding.before_ack(ms(at), una * SEGMENT, blocks.iter().map(bytes), stands);
            if una > self.una {
                self.outstanding.acknowledge(ms(at), self.una * SEGMENT, una * SEGMENT);
                self.una = una;
            }
            self.outstanding.sample(ms(at), Some(std::iter::empty()), SEGMENT)
        }

        fn ack(&mut self, at: u64, una: u64, blocks: &[(u64, u64)]) -> Sample {
            self.acked(at, una, blocks, false)
        }

        /// An ACK whose block the recovery reports, and with which it takes some segments for lost.
        fn told(&mut self, at: u64, una: u64, block: (u64, u64), lost: &[(u64, u64)]) -> Sample {
            let bytes = |&(start, end): &(u64, u64)| (start * SEGMENT, end * SEGMENT);
            self.outstanding.before_ack(ms(at), una * SEGMENT, std::iter::once((0, u64::MAX)), false);
            let (start, end) = bytes(&block);
            let (place, _) = self.outstanding.whole_from(start);
            let last = self.outstanding.arrive(ms(at), place, start, end).expect("it is outstanding");
            assert_eq!(last.end, end);
            if una > self.una {
                self.outstanding.acknowledge(ms(at), self.una * SEGMENT, una * SEGMENT);
                self.una = una;
            }
            self.outstanding.sample(ms(at), Some(lost.iter().map(bytes)), SEGMENT)
        }
    }

    /// What RACK finds by time is lost at once, and so is what it finds to be lost again.
    #[test]
    fn the_recovery_may_tell_what_has_arrived_and_what_is_lost() {
        let mut segments = Segments::with(Recovery::Rack);
        (0..10).for_each(|number| segments.send(number, number, false));
        let told = |sample: Sample| (sample.acked, sample.lost, sample.lost_since, sample.in_flight);
        let first = segments.told(20, 1, (3, 8), &[(1, 3)]);
        assert_eq!(told(first), (6 * SEGMENT, 2 * SEGMENT, 2 * SEGMENT, 2 * SEGMENT));
        let second = segments.told(21, 1, (8, 9), &[(1, 3)]);
        assert_eq!(told(second), (SEGMENT, 0, 2 * SEGMENT, SEGMENT));
        segments.send(22, 1, true);
        let third = segments.told(40, 1, (9, 10), &[(1, 3)]);
        assert_eq!((third.lost, third.in_flight), (SEGMENT, 0));
    }

    #[test]
    fn the_rate_is_what_was_delivered_between_sending_and_acknowledgement() {
        let mut segments = Segments::new();
        // One a millisecond from a path of 10 ms: the first window's segments find nothing delivered.
        for number in 0..10 {
            segments.send(number, number, false);
        }
        let first = segments.ack(10, 1, &[]);
        assert_eq!((first.rate, first.rtt), (Some(100_000.0), Some(Span::from_millis(10))));
        for number in 10..30 {
            segments.send(number, number, false);
            let sample = segments.ack(number + 1, number - 8, &[]);
            assert_eq!((sample.acked, sample.in_flight), (1000, 9000), "{number}");
        }
        // Ten in 10 ms.
        let last = segments.ack(31, 22, &[]);
        assert_eq!(last.rate, Some(1e6));
        assert_eq!((last.delivered, last.delivered - last.prior_delivered), (22_000, 10_000));
    }

    /// Section 2.2: ACKs that arrive in a heap tell of the ACKs' path, not of the data's.
    #[test]
    fn the_slower_of_sending_and_arriving_counts() {
        let mut segments = Segments::new();
        for number in 0..20 {
            segments.send(number, number, false);
        }
        segments.ack(20, 1, &[]);
        // 19 at once; they were sent over 19 ms.
        let sample = segments.ack(21, 20, &[]);
        assert_eq!(sample.rate, Some(20_000.0 / 0.021));
        let mut segments = Segments::new();
        for number in 0..20 {
            segments.send(0, number, false);
        }
        assert_eq!(segments.ack(40, 20, &[]).rate, Some(20_000.0 / 0.040));
    }

    #[test]
    fn a_segment_that_was_sent_again_gives_no_round_trip() {
        let mut segments = Segments::new();
        (0..5).for_each(|number| segments.send(0, number, false));
        let sacked = segments.ack(10, 0, &[(1, 4)]);
        assert_eq!((sacked.acked, sacked.lost, sacked.in_flight), (3000, 1000, 1000));
        segments.send(10, 0, true);
        let mended = segments.ack(20, 4, &[]);
        assert_eq!((mended.acked, mended.lost, mended.rtt), (1000, 0, None));
        assert_eq!(mended.in_flight, 1000);
    }

    #[test]
    fn a_hole_is_lost_when_more_than_two_segments_above_it_are_sacked() {
        let mut segments = Segments::new();
        (0..9).for_each(|number| segments.send(number, number, false));
        assert_eq!(segments.ack(10, 0, &[(4, 6)]).lost, 0);
        // Three runs, or more than two segments.
        assert_eq!(segments.ack(11, 0, &[(7, 8), (4, 6)]).lost, 4000);
        let sample = segments.ack(12, 0, &[(7, 9), (4, 6)]);
        assert_eq!((sample.lost, sample.lost_since), (0, 4000));
    }

    #[test]
    fn duplicates_without_sack_stand_for_the_segments_that_follow() {
        let mut segments = Segments::new();
        (0..5).for_each(|number| segments.send(0, number, false));
        for duplicate in 1..=3 {
            let sample = segments.acked(10, 0, &[], true);
            assert_eq!((sample.acked, sample.in_flight), (1000, 5000 - 1000 * duplicate));
        }
        segments.send(10, 0, true);
        assert_eq!(segments.ack(20, 4, &[]).acked, 1000);
    }

    /// Section 3.4: until what was in flight when the application had nothing to send is delivered.
    #[test]
    fn segments_sent_while_the_application_holds_back_carry_its_mark() {
        let mut segments = Segments::new();
        segments.send(0, 0, false);
        segments.deliveries().limit();
        segments.send(1, 1, false);
        assert!(!segments.ack(10, 1, &[]).app_limited);
        assert!(segments.ack(11, 2, &[]).app_limited);
        segments.send(12, 2, false);
        assert!(!segments.ack(22, 3, &[]).app_limited);
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
            let mut segments = Segments::new();
            let (mut una, mut next, mut now) = (0, 0, 0);
            for step in steps {
                now += 1;
                let before = segments.deliveries().delivered;
                match step {
                    Step::Send(count) => (0..count).for_each(|_| { segments.send(now, next, false); next += 1; }),
                    Step::Again(which) if una + which < next => segments.send(now, una + which, true),
                    Step::Again(_) => {}
                    Step::Ack(more, start, length) => {
                        una = (una + more).min(next);
                        let sample = segments.ack(now, una, &[((una + start).min(next), (una + start + length).min(next))]);
                        prop_assert_eq!(sample.delivered, before + sample.acked);
                        prop_assert!(sample.rate.is_none_or(|rate| rate > 0.0 && rate.is_finite()));
                    }
                    Step::Duplicate => {
                        segments.acked(now, una, &[], true);
                    }
                    Step::Timeout => segments.outstanding.lose(std::iter::once((0, u64::MAX))),
                }
                let states: Vec<State> = segments.outstanding.stamps().map(|stamp| stamp.state).collect();
                let bytes = |state| states.iter().filter(|&&other| other == state).count() as u64 * SEGMENT;
                prop_assert_eq!(segments.deliveries().in_flight, bytes(State::InFlight));
                prop_assert_eq!(segments.deliveries().delivered, una * SEGMENT + bytes(State::Delivered));
                prop_assert_eq!(states.len() as u64, next - una);
            }
        }
    }
}
