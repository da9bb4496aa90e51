//! Prague (draft-briscoe-iccrg-prague-congestion-control-04, to which section numbers refer; what the draft leaves open
//! is as in Linux's `tcp_prague`).
//!
//! The window is cut by half of the share that the network marked recently, and grows on all data that were not marked. Segments are paced.
//! Short round trips are no advantage: once a flow is old enough, its rate is that of a flow with the virtual round trip. Losses halve the
//! window, as in Reno. Segments carry ECT(1), and the receiver [counts marks](crate::settings::EcnEcho::Accurate).

use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Delivery, Kind, Loss, Parameter, Range, Reduction,
    Repair, Value, Variant,
};
use crate::profile::ByProfile;
use crate::settings::EcnEcho;
use crate::window::Window;
use airfair_core::{Rate, Span, Time};

/// Section 2.3.2: the weight of the latest round trip in the marked share.
const GAIN: f64 = 1.0 / 16.0;

const VIRTUAL_RTT: Parameter = Parameter {
    name: "virtual_rtt",
    kind: Kind::Time(Range::POSITIVE),
    default: ByProfile::all(Value::Time(Span::from_millis(25))),
    help: "flows with shorter round trips have the rate of one with this (section 2.4.4)",
};
const TRANSITION: Parameter = Parameter {
    name: "transition",
    kind: Kind::Count(Range::NOT_NEGATIVE, "round trips"),
    default: ByProfile::all(Value::Count(500)),
    help: "number of round trips after slow start until the virtual one counts",
};

/// DCTCP for the Internet.
#[derive(Clone, Debug)]
pub struct Prague {
    virtual_rtt: Span,
    transition: u64,
    /// The marked share of the data, as a moving average; without effect before the first mark.
    alpha: f64,
    saw_mark: bool,
    /// Bytes delivered in the round trip under way, and those of them that were marked.
    delivered: u64,
    marked: u64,
    /// The round trip ends with the delivery of a segment that was sent when this many bytes were delivered.
    round_ends: u64,
    /// Round trips beyond slow start so far.
    rounds: u64,
    /// When alpha last moved, and when a mark last cut the window.
    moved_at: Time,
    cut_at: Time,
    /// The size of that cut, in segments, while a loss may belong to the same data.
    credit: f64,
    srtt: Option<Span>,
    rate: Option<Rate>,
}

impl BuiltIn for Prague {
    const ABOUT: &'static str = "Prague, the congestion control of L4S: as DCTCP, for the Internet, and paced \
         (draft-briscoe-iccrg-prague-congestion-control-04). It needs a queue that marks, such as `dualpi2`.";
    const VARIANTS: &'static [Variant] =
        &[Variant { echo: Some(EcnEcho::Accurate), ..Variant::new("prague", ByProfile::SELECTIVE) }];
    const PARAMETERS: &'static [Parameter] = &[VIRTUAL_RTT, TRANSITION];
    const PACES: bool = true;
    const SCALABLE: bool = true;

    /// Section 2.3.2: alpha begins at one, so that the first mark halves the window.
    fn new(given: &Configured) -> Prague {
        Prague {
            virtual_rtt: given.time(&VIRTUAL_RTT),
            transition: given.count(&TRANSITION),
            alpha: 1.0,
            saw_mark: false,
            delivered: 0,
            marked: 0,
            round_ends: 0,
            rounds: 0,
            moved_at: Time::ZERO,
            cut_at: Time::ZERO,
            credit: 0.0,
            srtt: None,
            rate: None,
        }
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        self.virtual_rtt = given.time(&VIRTUAL_RTT);
        self.transition = given.count(&TRANSITION);
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        self.srtt = delivery.srtt;
        self.grow(window, delivery);
        self.measure(window, delivery);
        self.pace(window);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, _window: &mut Window, _ack: &AckEvent) {}

    /// Section 2.4.4: marks are answered as often as in a flow with the virtual round trip.
    fn heeds_marks(&self, now: Time) -> bool {
        !self.saw_mark || now.since(self.cut_at) >= self.least_interval()
    }

    /// Section 2.4.2.
    fn on_mark(&mut self, window: &Window, loss: &Loss) -> Reduction {
        self.cut_at = loss.now;
        self.credit = window.cwnd * self.alpha / 2.0;
        Reduction::to(window.cwnd - self.credit)
    }

    /// Section 2.4.1: a cut by a mark in the same round trip counts towards the cut by a loss.
    fn on_loss(&mut self, window: &Window, _loss: &Loss) -> Reduction {
        let before = window.cwnd + std::mem::take(&mut self.credit);
        Reduction::to(before / 2.0)
    }
}

/// Whether the window is in slow start. A window at the threshold, where each mark leaves it, is not: another segment would take back most
/// of a cut.
fn is_slow(window: &Window) -> bool {
    window.cwnd < window.ssthresh
}

impl Prague {
    /// Whether the virtual round trip applies.
    fn is_independent(&self) -> bool {
        self.rounds >= self.transition
    }

    /// The least time between two updates of alpha, and between two cuts by marks, beside the real round trip: the virtual one, if it applies.
    fn least_interval(&self) -> Span {
        if self.is_independent() { self.virtual_rtt } else { Span::ZERO }
    }

    /// Section 2.4.3: grows on all data that were not marked, also while a mark is being answered, but not while losses are repaired or
    /// anything but the window holds the sender back.
    fn grow(&mut self, window: &mut Window, delivery: &Delivery<'_>) {
        let Delivery { sample, marked_bytes, repair, uses_window, segment_bytes, .. } = delivery;
        let unmarked = sample.acked.saturating_sub(*marked_bytes);
        if unmarked == 0 || *repair == Repair::Fast || !uses_window {
            return;
        }
        let segments = if is_slow(window) {
            window.start_slowly(unmarked, 1.0)
        } else {
            unmarked as f64 / f64::from(*segment_bytes)
        };
        window.cwnd += segments * self.increase() / window.cwnd;
        window.bound();
    }

    /// Increase in a round trip of congestion avoidance, in segments. At the rate of the virtual round trip, a shorter one has `ratio` of its
    /// segments and `ratio` of its time.
    fn increase(&self) -> f64 {
        let Some(srtt) = self.srtt.filter(|_| self.is_independent()) else { return 1.0 };
        let ratio = (srtt.as_secs() / self.virtual_rtt.as_secs()).min(1.0);
        ratio * ratio
    }

    /// Section 2.3.2.
    fn measure(&mut self, window: &Window, delivery: &Delivery<'_>) {
        let Delivery { now, sample, marked_bytes, .. } = delivery;
        self.delivered += sample.acked;
        self.marked += marked_bytes;
        self.saw_mark |= *marked_bytes > 0;
        let round_ended = sample.acked > 0 && sample.prior_delivered >= self.round_ends;
        if !round_ended || now.since(self.moved_at) < self.least_interval() {
            return;
        }
        if self.saw_mark {
            let part = (self.marked as f64 / self.delivered as f64).min(1.0);
            self.alpha += GAIN * (part - self.alpha);
        }
        (self.delivered, self.marked) = (0, 0);
        self.round_ends = sample.delivered;
        self.moved_at = *now;
        self.credit = 0.0;
        if !is_slow(window) {
            self.rounds += 1;
        }
    }

    /// Section 2.5.1: paces at a window in a round trip, and at twice that in slow start far from its end.
    fn pace(&mut self, window: &Window) {
        let Some(srtt) = self.srtt else { return };
        let factor = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
        // A window below a segment sends one when a timer fires.
        let bytes = window.cwnd.max(1.0) * window.segment() as f64;
        self.rate = Rate::new((factor * 8.0 * bytes / srtt.as_secs()) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::tests::made;
    use super::super::{Control, Sample};
    use super::*;
    use crate::profile::{self, Profile, TcpName};
    use crate::window::tests::window;
    use airfair_core::Stream;
    use proptest::prelude::*;

    const SEGMENT: u64 = 1448;

    /// A flow in congestion avoidance, ACK by ACK.
    struct Flow {
        prague: Prague,
        window: Window,
        now: Time,
        rtt: Span,
        delivered: u64,
        repair: Repair,
        uses_window: bool,
    }

    impl Flow {
        fn new(cwnd: f64, rtt: Span, transition: u64) -> Flow {
            let prague = made("prague", Profile::Linux, &[("transition", Value::Count(transition))]);
            let window = window(Profile::Linux, cwnd, 2.0);
            Flow {
                prague,
                window,
                now: Time::ZERO,
                rtt,
                delivered: 0,
                repair: Repair::None,
                uses_window: true,
            }
        }

        /// Acknowledges ten segments in a round trip, one by one. The last `marked` ACKs report a mark.
        fn round(&mut self, marked: u64) {
            let sent = self.delivered;
            for number in 0..10 {
                self.now += self.rtt / 10;
                self.delivered += SEGMENT;
                self.ack(if number >= 10 - marked { SEGMENT } else { 0 }, sent);
            }
        }

        fn ack(&mut self, marked_bytes: u64, prior_delivered: u64) {
            let sample =
                Sample { acked: SEGMENT, delivered: self.delivered, prior_delivered, ..Sample::default() };
            let mut delivery = Delivery {
                now: self.now,
                sample: &sample,
                losses: &[],
                selective: true,
                marked: marked_bytes > 0,
                marked_bytes,
                repair: self.repair,
                uses_window: self.uses_window,
                srtt: Some(self.rtt),
                segment_bytes: SEGMENT as u32,
                burst: SEGMENT,
                departs: self.now,
                draws: &mut Stream::new(1, "none"),
                limited: false,
                answered: false,
                repaced: true,
            };
            self.prague.on_delivery(&mut self.window, &mut delivery);
        }

        fn loss(&self) -> Loss {
            Loss { now: self.now, base: self.window.cwnd, timeout: false, segment_bytes: SEGMENT as u32 }
        }
    }

    const MS: Span = Span::from_millis(1);

    #[test]
    fn the_first_mark_halves_and_nothing_moves_alpha_before_it() {
        let mut flow = Flow::new(20.0, MS * 50, 500);
        (0..20).for_each(|_| flow.round(0));
        let before = flow.window.cwnd;
        assert!(flow.prague.heeds_marks(flow.now));
        assert_eq!(flow.prague.on_mark(&flow.window, &flow.loss()).cwnd, before / 2.0);
    }

    /// Section 2.3.2, and Alizadeh et al. 2010, section 3.1.
    #[test]
    fn alpha_is_the_part_of_the_data_that_is_marked() {
        let mut flow = Flow::new(20.0, MS * 50, 500);
        (0..200).for_each(|_| flow.round(2));
        assert!((flow.prague.alpha - 0.2).abs() < 0.01, "{}", flow.prague.alpha);
        let before = flow.window.cwnd;
        let left = flow.prague.on_mark(&flow.window, &flow.loss()).cwnd;
        assert!((left / before - 0.9).abs() < 0.01);
    }

    /// Section 2.4.3: by a segment in a window of unmarked data, beside marks as without them.
    #[test]
    fn the_window_grows_on_what_is_not_marked() {
        for (marked, grows) in [(0, 1.0), (5, 0.5), (10, 0.0)] {
            let mut flow = Flow::new(10.0, MS * 50, 500);
            flow.round(marked);
            assert!((flow.window.cwnd - 10.0 - grows).abs() < 0.05, "{marked}: {}", flow.window.cwnd);
        }
        for (repair, uses_window) in [(Repair::Fast, true), (Repair::None, false)] {
            let mut flow = Flow { repair, uses_window, ..Flow::new(10.0, MS * 50, 500) };
            flow.round(0);
            assert_eq!(flow.window.cwnd, 10.0);
        }
    }

    /// Each mark leaves the window at the threshold, where the profile `rfc` has slow start (RFC 5681, section 3.1, leaves the choice).
    #[test]
    fn at_the_threshold_the_window_grows_as_in_congestion_avoidance() {
        for profile in [Profile::Rfc, Profile::Linux] {
            let mut flow = Flow::new(10.0, MS * 50, 500);
            flow.window = window(profile, 10.0, 10.0);
            flow.round(0);
            assert!((flow.window.cwnd - 11.0).abs() < 0.06, "{profile:?}: {}", flow.window.cwnd);
        }
    }

    /// Section 2.4.4: in 25 ms a flow adds as much to its rate as one whose round trips are that long.
    #[test]
    fn short_round_trips_grow_as_the_virtual_one() {
        let added = |rtt: Span, transition| {
            let mut flow = Flow::new(10.0, rtt, transition);
            flow.round(0);
            // In segments per round trip, for ten segments.
            flow.window.cwnd - 10.0
        };
        // A fifth of the round trip: a fifth of the segments, five times as often.
        assert!((added(MS * 5, 0) / added(MS * 25, 0) - 0.04).abs() < 0.002);
        assert_eq!(added(MS * 5, 500), added(MS * 25, 500));
        assert_eq!(added(MS * 100, 0), added(MS * 25, 0));
    }

    #[test]
    fn marks_are_heeded_once_in_the_virtual_round_trip() {
        let mut flow = Flow::new(10.0, MS * 5, 0);
        flow.round(1);
        flow.prague.on_mark(&flow.window, &flow.loss());
        let heeds: Vec<bool> =
            (1..=6).map(|step| flow.prague.heeds_marks(flow.now + MS * 5 * step)).collect();
        assert_eq!(heeds, [false, false, false, false, true, true]);
        let mut young = Flow::new(10.0, MS * 5, 500);
        young.round(1);
        young.prague.on_mark(&young.window, &young.loss());
        assert!(young.prague.heeds_marks(young.now));
    }

    /// Section 2.4.1.
    #[test]
    fn a_loss_halves_what_the_window_was_before_a_mark_of_the_same_round_trip() {
        let mut flow = Flow::new(20.0, MS * 50, 500);
        flow.window.cwnd = flow.prague.on_mark(&flow.window, &flow.loss()).cwnd;
        assert_eq!(flow.window.cwnd, 10.0);
        assert_eq!(flow.prague.on_loss(&flow.window, &flow.loss()), Reduction::to(10.0));
        assert_eq!(flow.prague.on_loss(&flow.window, &flow.loss()), Reduction::to(5.0), "once");
    }

    /// Section 2.5.1.
    #[test]
    fn it_is_paced_by_its_window() {
        let mut flow = Flow::new(100.0, MS * 50, 500);
        flow.round(10);
        assert_eq!(flow.prague.pacing_rate(), Rate::new(100 * 1448 * 8 * 20));
        flow.window.ssthresh = 300.0;
        flow.round(10);
        assert_eq!(flow.prague.pacing_rate(), Rate::new(2 * 100 * 1448 * 8 * 20));
    }

    #[test]
    fn it_brings_ecn_ect1_and_a_receiver_that_counts() {
        for profile in Profile::ALL {
            let settings = profile::settings(profile, TcpName::named("prague"));
            assert_eq!((settings.ecn, settings.ect1), (true, true));
            assert_eq!((settings.ecn_echo, settings.pacing_quantum), (EcnEcho::Accurate, Some(1)));
        }
    }

    #[test]
    fn a_virtual_round_trip_of_no_time_is_refused() {
        let mut control = Control::named("prague", Profile::Linux).expect("one of the engine's own");
        let refused = control.set(&[("virtual_rtt", Value::Time(Span::ZERO))]).expect_err("not allowed");
        assert_eq!(refused.parameter, "virtual_rtt");
    }

    proptest! {
        #[test]
        fn alpha_is_a_part_and_a_mark_leaves_half_at_least(
            rounds in prop::collection::vec(0u64..=10, 1..100),
            transition in 0u64..50,
        ) {
            let mut flow = Flow::new(20.0, MS * 10, transition);
            for marked in rounds {
                flow.round(marked);
                prop_assert!((0.0..=1.0).contains(&flow.prague.alpha));
                let before = flow.window.cwnd;
                let left = flow.prague.on_mark(&flow.window, &flow.loss()).cwnd;
                prop_assert!(left >= before / 2.0 && left <= before);
            }
        }
    }
}
