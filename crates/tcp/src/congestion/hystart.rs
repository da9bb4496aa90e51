//! HyStart: leaves slow start before the path's buffers overflow, because round trips show that they fill.
//!
//! Hybrid slow start (Ha & Rhee, "Taming the elephants: New TCP slow start", Computer Networks 55(9), 2011) watches the delay of a round's
//! first ACKs and how long ACKs come back to back, and ends slow start at once. Constants and order are those of Linux's CUBIC.
//! HyStart++ (RFC 9406) watches the delay alone, and first slows down, in case the delay is a passing one.

use super::{AckEvent, Loss, Words};
use airfair_core::{Span, Time};

/// The number of samples in a round before its shortest round trip counts (RFC 9406, section 4.3: `N_RTT_SAMPLE`; the same in Linux).
const SAMPLES: u32 = 8;
/// Bounds of the increase in delay that ends slow start (RFC 9406: `MIN_RTT_THRESH`, `MAX_RTT_THRESH`; the same in Linux).
const LEAST_INCREASE: Span = Span::from_millis(4);
const MOST_INCREASE: Span = Span::from_millis(16);
/// That increase as a part of the round trip, as a divisor (RFC 9406: `MIN_RTT_DIVISOR`; the same in Linux).
const INCREASE_DIVISOR: u64 = 8;
/// Linux applies HyStart to windows of this many segments and more.
const LEAST_WINDOW: f64 = 16.0;
/// In Linux, ACKs no further apart than this belong to one train.
const TRAIN_GAP: Span = Span::from_millis(2);
/// Bytes of Linux's largest burst, and the most by which bursts spread ACKs.
const LARGEST_BURST: f64 = 65_536.0;
const MOST_SPREAD: Span = Span::from_millis(1);
/// Conservative slow start grows more slowly by this factor, for this many rounds (RFC 9406: `CSS_GROWTH_DIVISOR`, `CSS_ROUNDS`).
const CONSERVATIVE_DIVISOR: f64 = 4.0;
const CONSERVATIVE_ROUNDS: u32 = 5;

/// What to do about an ACK in slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advice {
    /// Grow, more slowly than slow start by this factor.
    Grow(f64),
    /// Slow start is over.
    Leave,
}

const GO_ON: Advice = Advice::Grow(1.0);

/// The variant of HyStart, with its state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Hystart {
    Off,
    Linux(Box<Hybrid>),
    Rfc(Box<PlusPlus>),
}

impl Hystart {
    pub const WORDS: Words = Words::of(&["off", "linux", "rfc"]);

    pub fn named(word: &str) -> Hystart {
        match word {
            "linux" => Hystart::Linux(Box::default()),
            "rfc" => Hystart::Rfc(Box::default()),
            _ => Hystart::Off,
        }
    }

    /// Whether both are of the same variant, whatever their state.
    pub fn is_like(&self, other: &Hystart) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Takes an ACK in slow start, with a window of `cwnd` segments. `shortest`: the shortest round trip that the control knows.
    pub fn on_ack(&mut self, cwnd: f64, ack: &AckEvent, shortest: Option<Span>) -> Advice {
        match self {
            Hystart::Off => GO_ON,
            Hystart::Linux(hybrid) => hybrid.on_ack(cwnd, ack, shortest),
            Hystart::Rfc(plus_plus) => plus_plus.on_ack(ack),
        }
    }

    /// Whether duplicate ACKs matter as well.
    pub fn hears_duplicates(&self) -> bool {
        matches!(self, Hystart::Linux(_))
    }

    pub fn on_loss(&mut self, loss: &Loss) {
        match self {
            Hystart::Off => {}
            // A timeout begins everything anew in Linux.
            Hystart::Linux(hybrid) if loss.timeout => **hybrid = Hybrid::after_timeout(loss.now),
            Hystart::Linux(_) => {}
            // RFC 9406, section 4.3: HyStart++ is for the initial slow start alone.
            Hystart::Rfc(plus_plus) => plus_plus.over = true,
        }
    }
}

/// The increase over a round trip of `shortest` that ends slow start.
fn increase(shortest: Span) -> Span {
    (shortest / INCREASE_DIVISOR).max(LEAST_INCREASE).min(MOST_INCREASE)
}

/// By how much aggregation may spread ACKs: Linux allows for four of its largest bursts at the rate of two windows in a round trip, and for
/// no more than a millisecond (`hystart_ack_delay`).
fn spread(cwnd: f64, ack: &AckEvent) -> Span {
    let Some(srtt) = ack.srtt else { return Span::ZERO };
    let windows = 4.0 * LARGEST_BURST / (cwnd * f64::from(ack.segment_bytes));
    MOST_SPREAD.min(Span::from_secs_f64(srtt.as_secs() * windows / 2.0))
}

/// The round trips of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Round {
    /// The round ends when more than this is acknowledged.
    end: u64,
    shortest: Option<Span>,
    samples: u32,
}

impl Round {
    /// The end of a round that holds all that was sent before the next ACK.
    const OF_NEXT_ACK: u64 = u64::MAX;

    fn beginning(ack: &AckEvent) -> Round {
        Round { end: ack.nxt, ..Round::default() }
    }

    fn sample(&mut self, rtt: Span) {
        self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        self.samples += 1;
    }
}

/// Linux's hybrid slow start.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hybrid {
    round: Round,
    /// The ACK that began the round, and the last one of the train that began with it.
    began: Time,
    train: Time,
    /// The shortest round trip of slow start, where the control does not know the shortest of all.
    shortest: Option<Span>,
    /// A slow start has been ended; only after a timeout may another one be.
    found: bool,
}

impl Hybrid {
    /// The round that a timeout begins holds what was sent before. Its ACKs are no train: the first comes long after the timeout
    /// (`bictcp_hystart_reset`).
    fn after_timeout(now: Time) -> Hybrid {
        let round = Round { end: Round::OF_NEXT_ACK, ..Round::default() };
        Hybrid { round, began: now, train: now, ..Hybrid::default() }
    }

    /// Takes a round trip. Returns the shortest.
    fn note(&mut self, rtt: Span) -> Span {
        let shortest = self.shortest.map_or(rtt, |shortest| shortest.min(rtt));
        self.shortest = Some(shortest);
        shortest
    }

    fn on_ack(&mut self, cwnd: f64, ack: &AckEvent, shortest: Option<Span>) -> Advice {
        let Some(rtt) = ack.rtt else { return GO_ON };
        let shortest = shortest.unwrap_or_else(|| self.note(rtt));
        if self.found {
            return GO_ON;
        }
        if self.round.end == Round::OF_NEXT_ACK {
            self.round.end = ack.nxt;
        }
        // A round begins whatever the window (Linux from 6.14 on).
        if ack.una > self.round.end {
            (self.round, self.began, self.train) = (Round::beginning(ack), ack.now, ack.now);
        }
        if cwnd < LEAST_WINDOW {
            return GO_ON;
        }
        let whole = shortest + spread(cwnd, ack);
        // Pacing by itself spreads a window of slow start over half of a round trip.
        let filled = if ack.paced { whole } else { whole / 2 };
        if self.is_long_train(ack.now, filled) || self.is_late(rtt, shortest) {
            self.found = true;
            return Advice::Leave;
        }
        GO_ON
    }

    /// Whether a train of ACKs has lasted so long that the path is full.
    fn is_long_train(&mut self, now: Time, filled: Span) -> bool {
        if now.since(self.train) > TRAIN_GAP {
            return false;
        }
        self.train = now;
        now.since(self.began) > filled
    }

    /// Whether the round's shortest round trip is much longer than the shortest of all.
    fn is_late(&mut self, rtt: Span, shortest: Span) -> bool {
        let enough = self.round.samples >= SAMPLES;
        self.round.sample(rtt);
        enough && self.round.shortest > Some(shortest + increase(shortest))
    }
}

/// HyStart++.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlusPlus {
    round: Round,
    /// The shortest round trip of the round before.
    before: Option<Span>,
    conservative: Option<Conservative>,
    /// The initial slow start has ended.
    over: bool,
}

/// Conservative slow start: the shortest round trip when it began, and the number of rounds that have ended since.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Conservative {
    baseline: Span,
    rounds: u32,
}

impl PlusPlus {
    fn on_ack(&mut self, ack: &AckEvent) -> Advice {
        if self.over {
            return GO_ON;
        }
        if ack.una > self.round.end {
            self.before = self.round.shortest;
            self.round = Round::beginning(ack);
            if let Some(conservative) = &mut self.conservative {
                conservative.rounds += 1;
                if conservative.rounds >= CONSERVATIVE_ROUNDS {
                    self.over = true;
                    return Advice::Leave;
                }
            }
        }
        if let Some(rtt) = ack.rtt {
            self.round.sample(rtt);
        }
        if let Some(shortest) = self.round.shortest.filter(|_| self.round.samples >= SAMPLES) {
            self.judge(shortest);
        }
        Advice::Grow(if self.conservative.is_some() { CONSERVATIVE_DIVISOR } else { 1.0 })
    }

    /// Section 4.2: enters conservative slow start if the delay has risen, and leaves it if the delay was a passing one.
    fn judge(&mut self, shortest: Span) {
        match self.conservative {
            Some(conservative) if shortest < conservative.baseline => self.conservative = None,
            Some(_) => {}
            None => {
                let late = self.before.is_some_and(|before| shortest >= before + increase(before));
                self.conservative = late.then_some(Conservative { baseline: shortest, rounds: 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: AckEvent = AckEvent {
        now: Time::ZERO,
        una: 1000,
        nxt: 9000,
        acked: 1000,
        segment_bytes: 1000,
        rtt: Some(Span::from_millis(10)),
        srtt: None,
        may_grow: true,
        found_limited: false,
        paced: false,
    };

    /// Rounds of ten ACKs, each with a round trip of these milliseconds and a gap of `gap` microseconds, and 100 ms from round to round.
    /// The advice on the last ACK of each.
    fn rounds(hystart: &mut Hystart, gap: u64, millis: &[u64]) -> Vec<Advice> {
        rounds_of(hystart, false, gap, millis)
    }

    fn rounds_of(hystart: &mut Hystart, paced: bool, gap: u64, millis: &[u64]) -> Vec<Advice> {
        let mut advice = Vec::new();
        for (round, &rtt) in millis.iter().enumerate() {
            let mut last = GO_ON;
            for number in 1..=10 {
                let now =
                    Time::ZERO + Span::from_millis(100) * round as u64 + Span::from_micros(gap) * number;
                let una = 10_000 * round as u64 + 1000 * number;
                let rtt = Some(Span::from_millis(rtt));
                let ack = AckEvent { now, una, nxt: una + 9000, rtt, paced, ..ACK };
                match hystart.on_ack(20.0, &ack, None) {
                    Advice::Leave => last = Advice::Leave,
                    other if last != Advice::Leave => last = other,
                    _ => {}
                }
            }
            advice.push(last);
        }
        advice
    }

    fn loss(timeout: bool) -> Loss {
        Loss { now: Time::ZERO, base: 20.0, timeout, segment_bytes: 1000 }
    }

    const CREEP: Advice = Advice::Grow(4.0);

    #[test]
    fn the_increase_that_counts_is_an_eighth_between_4_and_16_ms() {
        assert_eq!(
            [8, 32, 80, 128, 400].map(|rtt| increase(Span::from_millis(rtt))),
            [4, 4, 10, 16, 16].map(Span::from_millis)
        );
    }

    #[test]
    fn in_linux_a_round_that_is_late_by_more_than_that_ends_slow_start_at_once() {
        let advice = |millis: &[u64]| rounds(&mut Hystart::named("linux"), 3000, millis);
        assert_eq!(advice(&[80, 85, 90, 90]), [GO_ON; 4]);
        assert_eq!(advice(&[80, 85, 91]), [GO_ON, GO_ON, Advice::Leave]);
    }

    #[test]
    fn in_linux_acks_that_come_back_to_back_for_half_a_round_trip_end_slow_start() {
        let advice = |gap, rtt| rounds(&mut Hystart::named("linux"), gap, &[rtt, rtt]);
        // Nine gaps of 2 ms after the round's first ACK: 18 ms.
        assert_eq!(advice(2000, 36), [GO_ON, GO_ON]);
        assert_eq!(advice(2000, 35), [Advice::Leave, GO_ON]);
        assert_eq!(advice(2001, 35), [GO_ON, GO_ON]);
    }

    /// `hystart_update` halves only while the socket's pacing status is `SK_PACING_NONE`.
    #[test]
    fn in_linux_the_acks_of_a_paced_sender_may_come_for_a_whole_round_trip() {
        let advice = |rtt| rounds_of(&mut Hystart::named("linux"), true, 2000, &[rtt, rtt]);
        assert_eq!(advice(35), [GO_ON, GO_ON]);
        assert_eq!(advice(18), [GO_ON, GO_ON]);
        assert_eq!(advice(17), [Advice::Leave, GO_ON]);
    }

    /// Linux from 6.14 on: the round that a small window began is not the one in which it is large.
    #[test]
    fn in_linux_rounds_begin_whatever_the_window() {
        let mut hybrid = Hybrid::default();
        let mut hear = |cwnd, una, millis| {
            let rtt = Some(Span::from_millis(millis));
            let (now, nxt) = (Time(una * 3_000_000), una + 20);
            let ack = AckEvent {
                now,
                una,
                nxt,
                acked: 1,
                segment_bytes: 1000,
                rtt,
                srtt: rtt,
                may_grow: true,
                found_limited: false,
                paced: false,
            };
            hybrid.on_ack(cwnd, &ack, None)
        };
        assert_eq!(hear(10.0, 1, 20), GO_ON);
        // The round goes on until more than 21 is acknowledged: eight samples are not enough, the ninth is.
        assert!((2..10).all(|una| hear(16.0, una, 40) == GO_ON));
        assert_eq!(hear(16.0, 10, 40), Advice::Leave);
    }

    /// Four bursts of 64 KiB at twice a window of 100 segments of 1000 bytes in 20 ms take more than 1 ms, and at a window of 20,000 less.
    #[test]
    fn in_linux_bursts_may_spread_acks_by_a_millisecond() {
        let mut ack = AckEvent {
            now: Time(0),
            una: 0,
            nxt: 0,
            acked: 0,
            segment_bytes: 1000,
            rtt: None,
            srtt: None,
            may_grow: true,
            found_limited: false,
            paced: false,
        };
        assert_eq!(spread(100.0, &ack), Span::ZERO);
        ack.srtt = Some(Span::from_millis(20));
        assert_eq!(spread(100.0, &ack), Span::from_millis(1));
        assert_eq!(spread(20_000.0, &ack).0 / 1000, 131);
    }

    #[test]
    fn in_linux_windows_below_16_segments_only_tell_the_shortest_round_trip() {
        let mut hybrid = Hybrid::default();
        for _ in 0..20 {
            assert_eq!(hybrid.on_ack(15.9, &ACK, None), GO_ON);
        }
        assert_eq!((hybrid.shortest, hybrid.round.samples), (ACK.rtt, 0));
    }

    #[test]
    fn in_linux_only_a_timeout_lets_it_try_again() {
        let mut hystart = Hystart::named("linux");
        assert_eq!(rounds(&mut hystart, 3000, &[80, 120, 120, 200])[1..], [Advice::Leave, GO_ON, GO_ON]);
        hystart.on_loss(&loss(false));
        assert_eq!(rounds(&mut hystart, 3000, &[80, 120, 200]), [GO_ON; 3]);
        hystart.on_loss(&loss(true));
        assert_eq!(rounds(&mut hystart, 3000, &[80, 120, 120, 200])[1..], [Advice::Leave, GO_ON, GO_ON]);
    }

    /// The first round has what was sent before the timeout, up to 9999. Its ACKs come back to back for longer than half a round trip.
    #[test]
    fn in_linux_a_timeout_begins_a_round_without_a_train() {
        let hear = |hystart: &mut Hystart, una, millis| {
            let nxt = if una <= 9999 { 9999 } else { 20_000 };
            let ack = AckEvent { now: Time::ZERO + Span::from_millis(millis), una, nxt, ..ACK };
            hystart.on_ack(20.0, &ack, None)
        };
        let mut hystart = Hystart::named("linux");
        hystart.on_loss(&loss(true));
        assert!((0..90).all(|number| hear(&mut hystart, 100 * number, 50 + number) == GO_ON));
        assert_eq!(hear(&mut hystart, 10_000, 140), GO_ON);
        let train: Vec<Advice> = (141..150).map(|millis| hear(&mut hystart, 10_001, millis)).collect();
        assert_eq!(train[4..6], [GO_ON, Advice::Leave]);
    }

    /// What a small window shows is of the same round, but counts for the shortest round trip alone, which the control may know better.
    #[test]
    fn in_linux_a_round_whose_window_was_small_may_be_late() {
        let late = AckEvent { rtt: Some(Span::from_millis(20)), ..ACK };
        let last = |first: AckEvent, shortest: Option<u64>| {
            let mut hystart = Hystart::named("linux");
            hystart.on_loss(&loss(true));
            let mut hear = |cwnd, ack| hystart.on_ack(cwnd, ack, shortest.map(Span::from_millis));
            hear(15.0, &first);
            let advice: Vec<Advice> = (0..9).map(|_| hear(16.0, &late)).collect();
            assert_eq!(advice[7], GO_ON);
            advice[8]
        };
        assert_eq!([last(ACK, None), last(late, None)], [Advice::Leave, GO_ON]);
        assert_eq!([last(ACK, Some(16)), last(late, Some(10))], [GO_ON, Advice::Leave]);
    }

    /// RFC 9406, section 4.2: the increase is over the round before, and conservative slow start lasts for five rounds.
    #[test]
    fn in_the_rfc_slow_start_slows_down_for_five_rounds_before_it_ends() {
        let advice = |millis: &[u64]| rounds(&mut Hystart::named("rfc"), 10, millis);
        assert_eq!(advice(&[80, 89, 98, 107]), [GO_ON; 4]);
        let advice = advice(&[80, 90, 90, 90, 90, 90, 90]);
        assert_eq!(advice, [GO_ON, CREEP, CREEP, CREEP, CREEP, CREEP, Advice::Leave]);
    }

    #[test]
    fn in_the_rfc_a_passing_delay_lets_slow_start_go_on() {
        let mut hystart = Hystart::named("rfc");
        assert_eq!(rounds(&mut hystart, 10, &[80, 95, 85, 85]), [GO_ON, CREEP, GO_ON, GO_ON]);
    }

    #[test]
    fn in_the_rfc_a_loss_ends_it_for_good() {
        let mut hystart = Hystart::named("rfc");
        hystart.on_loss(&loss(false));
        assert_eq!(rounds(&mut hystart, 10, &[80, 120, 200]), [GO_ON; 3]);
    }

    #[test]
    fn eight_samples_have_to_be_there_first() {
        let mut plus_plus = PlusPlus { before: Some(Span::from_millis(80)), ..PlusPlus::default() };
        plus_plus.round.end = 1_000_000;
        let ack = |rtt| AckEvent {
            now: Time(0),
            una: 1000,
            nxt: 9000,
            acked: 1000,
            segment_bytes: 1000,
            rtt,
            srtt: None,
            may_grow: true,
            found_limited: false,
            paced: false,
        };
        let late = ack(Some(Span::from_millis(120)));
        let advice: Vec<Advice> = (0..8).map(|_| plus_plus.on_ack(&late)).collect();
        assert_eq!(advice[6..], [GO_ON, CREEP]);
    }
}
