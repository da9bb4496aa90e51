//! A constant congestion window (A. K. Ghosh, A. Mukherjee, D. Saha, "Some Simulation Studies to Characterize TCP Window Control
//! Behavior in Wired/Wireless Internetworks", ICPWC 2005, and the paper on its fairness that followed).
//!
//! The window has its set value from the first segment on. Losses are repaired by fast retransmit and by the timer. A duplicate ACK shows
//! that a segment has left the network, and lets another one in (limited transmit, fast recovery's inflation) as with any window: the amount
//! in the network is constant. A receive window of the same size holds back those as well.
//!
//! The papers do not say how much goes out when the timer fires. Either answer is a setting: `segment` is RFC 5681's loss window, which
//! the next new ACK ends (as in ns-2's `Agent/TCP/RFC793edu` with its growth switched off); with `window` the window holds there too.

use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Kind, Loss, Parameter, Range, Reduction, Value,
    Variant, Words,
};
use crate::profile::ByProfile;
use crate::settings::Recovery;
use crate::window::Window;

const CWND: Parameter = Parameter {
    name: "cwnd",
    kind: Kind::Segments(Range::between(1.0, f64::INFINITY).within_a_window()),
    default: ByProfile::all(Value::Number(8.0)),
    help: "the congestion window, of which the whole segments count",
};
const AFTER_TIMEOUT: Parameter = Parameter {
    name: "after_timeout",
    kind: Kind::Word(Words::of(&["segment", "window"])),
    default: ByProfile::all(Value::Word("segment")),
    help: "what is sent again at once when the retransmission timer fires",
};

/// The least that can be sent again, and RFC 5681's loss window.
const ONE_SEGMENT: f64 = 1.0;

/// A congestion window that does not move.
#[derive(Clone, Debug)]
pub struct Constant {
    cwnd: f64,
    loss_window: f64,
}

impl BuiltIn for Constant {
    const ABOUT: &'static str = "A constant congestion window (Ghosh, Mukherjee & Saha, ICPWC 2005): it neither grows nor reacts to \
         losses, which are mended.";
    const VARIANTS: &'static [Variant] = &[
        // A kernel recovers with SACK whatever the control.
        Variant::new("constant", ByProfile { linux: Recovery::Rack, ..ByProfile::all(Recovery::Reno) }),
    ];
    const PARAMETERS: &'static [Parameter] = &[CWND, AFTER_TIMEOUT];

    fn new(given: &Configured) -> Constant {
        let cwnd = given.number(&CWND);
        let whole = given.word(&AFTER_TIMEOUT) == "window";
        Constant { cwnd, loss_window: if whole { cwnd } else { ONE_SEGMENT } }
    }

    /// The next ACK of new data sets the window.
    fn adopt(&mut self, given: &Configured, window: &mut Window) {
        *self = Constant::new(given);
        self.bound(window);
    }
}

impl Constant {
    fn bound(&self, window: &mut Window) {
        window.maximum = self.cwnd.min(window.maximum);
    }
}

impl CongestionControl for Constant {
    fn on_open(&mut self, window: &mut Window) {
        self.bound(window);
        window.cwnd = window.maximum;
        window.hold();
    }

    /// The first ACK of new data ends the loss window.
    #[inline]
    fn on_ack(&mut self, window: &mut Window, _ack: &AckEvent) {
        window.cwnd = window.maximum;
    }

    fn on_loss(&mut self, window: &Window, _loss: &Loss) -> Reduction {
        Reduction { loss_window: Some(self.loss_window.min(window.maximum)), ..Reduction::to(self.cwnd) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::tests::made;
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::settings::{LossBase, Settings};
    use crate::{Receiver, Segment, Sender};
    use airfair_core::{Span, Time};

    const ROUND_TRIP: Span = Span::from_millis(100);

    /// A connection over a network with a round trip of a tenth of a second, which loses the segments that a test names.
    struct Connection {
        sender: Sender,
        receiver: Receiver,
        now: Time,
    }

    fn connection(
        cwnd: f64,
        after_timeout: &'static str,
        receive_window: u32,
        recovery: Recovery,
    ) -> Connection {
        let mut settings = settings(Profile::Ns2, TcpName::named("constant"));
        let values = [("cwnd", Value::Number(cwnd)), ("after_timeout", Value::Word(after_timeout))];
        settings.control.set(&values).expect("allowed");
        let settings = Settings { recovery, receive_window, ..settings };
        let mut sender = Sender::new(&settings);
        sender.write_unbounded(Time::ZERO);
        Connection { sender, receiver: Receiver::new(&settings), now: Time::ZERO }
    }

    impl Connection {
        /// The numbers of the segments that go out now, counted from zero.
        fn sent(&mut self) -> Vec<Segment> {
            std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
        }

        /// A round trip later: these segments, but for the ones with the numbers `lost`, have been acknowledged; returns the segments that
        /// went out upon the ACKs.
        fn round(&mut self, segments: &[Segment], lost: &[u64]) -> Vec<Segment> {
            self.now += ROUND_TRIP;
            let mut sent = Vec::new();
            for segment in segments.iter().filter(|segment| !lost.contains(&(segment.seq / 1000))) {
                self.receiver.on_segment(self.now, segment);
                while let Some(ack) = self.receiver.poll_transmit() {
                    self.sender.on_ack(self.now, &ack);
                    sent.extend(self.sent());
                }
            }
            sent
        }

        /// After the SYN: the first flight.
        fn opened(&mut self) -> Vec<Segment> {
            let syn = self.sent();
            assert_eq!(syn.len(), 1, "a SYN goes alone");
            self.round(&syn, &[])
        }

        /// The retransmission timer fires.
        fn timeout(&mut self) -> Vec<Segment> {
            self.now = self.sender.next_deadline();
            self.sender.on_timer(self.now);
            self.sent()
        }
    }

    fn numbers(segments: &[Segment]) -> Vec<u64> {
        segments.iter().map(|segment| segment.seq / 1000).collect()
    }

    #[test]
    fn the_window_is_there_from_the_first_segment_and_stays() {
        let mut connection = connection(8.0, "segment", 1000, Recovery::Reno);
        let mut flight = connection.opened();
        for round in 0..50 {
            assert_eq!(numbers(&flight), (8 * round..8 * round + 8).collect::<Vec<_>>());
            flight = connection.round(&flight, &[]);
        }
        assert_eq!(connection.sender.cwnd(), 8.0);
    }

    #[test]
    fn of_a_window_that_is_not_whole_the_whole_segments_count() {
        assert_eq!(connection(3.9, "segment", 1000, Recovery::Reno).opened().len(), 3);
    }

    /// Segment 0 of eight is lost. The first two of seven duplicates let 8 and 9 in (limited transmit), the third sends 0 again and, with
    /// three more in the window than eight, 10; the other four let 11 to 14 in. So eight are in the network again.
    #[test]
    fn one_loss_is_mended_by_fast_retransmit_and_costs_nothing() {
        for recovery in [Recovery::Reno, Recovery::NewReno] {
            let mut connection = connection(8.0, "segment", 1000, recovery);
            let flight = connection.opened();
            let flight = connection.round(&flight, &[0]);
            assert_eq!(numbers(&flight), [8, 9, 0, 10, 11, 12, 13, 14], "{recovery:?}");
            // 8 and 9 are two more duplicates, and let 15 and 16 in; then 0 acknowledges everything up to 9 and ends the recovery: of a
            // window from 10 to 17 only 17 has not been sent.
            let flight = connection.round(&flight, &[]);
            assert_eq!(numbers(&flight), [15, 16, 17, 18, 19, 20, 21, 22], "{recovery:?}");
            let stats = connection.sender.stats();
            assert_eq!((stats.fast_retransmits, stats.timeouts, stats.window_cuts), (1, 0, 0));
            assert_eq!(connection.sender.cwnd(), 8.0);
        }
    }

    #[test]
    fn a_lost_window_brings_a_timeout_and_what_the_setting_says() {
        for (after_timeout, resent) in [("segment", 1), ("window", 5)] {
            let mut connection = connection(5.0, after_timeout, 1000, Recovery::Reno);
            connection.opened();
            let flight = connection.timeout();
            assert_eq!(numbers(&flight), (0..resent).collect::<Vec<_>>(), "{after_timeout}");
            // The first ACK of anything new brings the whole window back.
            let flight = connection.round(&flight, &[]);
            assert_eq!(numbers(&flight), (resent..resent + 5).collect::<Vec<_>>(), "{after_timeout}");
            assert_eq!((connection.sender.stats().timeouts, connection.sender.stats().window_cuts), (1, 0));
        }
    }

    /// With `window` the window holds in Tahoe's fast retransmit too, where everything is sent again.
    #[test]
    fn tahoe_sends_again_what_a_timeout_does() {
        for (after_timeout, third) in [("segment", vec![0]), ("window", vec![0, 1, 2, 3, 4, 5, 6, 7])] {
            let mut connection = connection(8.0, after_timeout, 1000, Recovery::Tahoe);
            let flight = connection.opened();
            let flight = connection.round(&flight[..4], &[0]);
            assert_eq!(numbers(&flight), [[8, 9].as_slice(), &third].concat(), "{after_timeout}");
        }
    }

    /// Held back by a receive window of the same size, a window below four never brings three duplicates.
    #[test]
    fn with_a_small_window_a_loss_waits_for_the_timer() {
        for cwnd in 1..=3 {
            let mut connection = connection(f64::from(cwnd), "segment", cwnd, Recovery::Reno);
            let flight = connection.opened();
            assert!(connection.round(&flight, &[0]).is_empty(), "{cwnd}");
            assert_eq!(numbers(&connection.timeout()), [0], "{cwnd}");
            let stats = connection.sender.stats();
            assert_eq!((stats.fast_retransmits, stats.timeouts), (0, 1), "{cwnd}");
        }
    }

    /// Limited transmit (RFC 3042) exists for that: of three segments two arrive, and let in two that bring more duplicates.
    #[test]
    fn limited_transmit_brings_a_window_of_three_to_fast_retransmit() {
        let mut connection = connection(3.0, "segment", 1000, Recovery::Reno);
        let flight = connection.opened();
        let flight = connection.round(&flight, &[0]);
        assert_eq!(numbers(&flight), [3, 4]);
        assert_eq!(numbers(&connection.round(&flight, &[])), [0, 5, 6]);
        assert_eq!(connection.sender.stats().fast_retransmits, 1);
    }

    #[test]
    fn neither_a_lost_syn_nor_an_idle_period_nor_what_is_outstanding_moves_it() {
        for profile in Profile::ALL {
            let settings = settings(profile, TcpName::named("constant"));
            let mut sender = Sender::new(&settings);
            sender.write(Time::ZERO, 1);
            sender.poll_transmit(Time::ZERO);
            let mut now = Time::ZERO;
            while sender.stats().timeouts == 0 {
                now = sender.next_deadline();
                sender.on_timer(now);
            }
            let mut receiver = Receiver::new(&settings);
            while let Some(segment) = sender.poll_transmit(now) {
                receiver.on_segment(now, &segment);
                while let Some(ack) = receiver.poll_transmit() {
                    sender.on_ack(now, &ack);
                }
            }
            assert_eq!(sender.cwnd(), 8.0, "{profile:?}: a lost SYN");
            receiver.on_timer(receiver.next_deadline());
            while let Some(ack) = receiver.poll_transmit() {
                sender.on_ack(now, &ack);
            }
            now += Span::from_secs(1000);
            sender.on_timer(now);
            sender.write(now, 1);
            assert!(sender.poll_transmit(now).is_some());
            assert_eq!(sender.cwnd(), 8.0, "{profile:?}: an idle period");
        }
        let mut constant = made::<Constant>("constant", Profile::Rfc, &[("cwnd", Value::Number(1.0))]);
        let loss = Loss { now: Time(0), base: 17.0, timeout: false, segment_bytes: 1000 };
        assert_eq!(settings(Profile::Rfc, TcpName::named("constant")).loss_base, LossBase::FlightSize);
        let window = crate::window::tests::window(Profile::Rfc, 1.0, 2.0);
        assert_eq!(constant.on_loss(&window, &loss).cwnd, 1.0);
    }

    #[test]
    fn the_largest_window_bounds_it() {
        let mut bounded = settings(Profile::Ns2, TcpName::named("constant"));
        bounded.control.set(&[("after_timeout", Value::Word("window"))]).expect("allowed");
        bounded.max_window = Some(3.0);
        bounded.handshake = crate::settings::Handshake::None;
        let mut sender = Sender::new(&bounded);
        sender.write_unbounded(Time::ZERO);
        let mut now = Time::ZERO;
        for occasion in ["at first", "after a timeout"] {
            let sent = std::iter::from_fn(|| sender.poll_transmit(now)).count();
            assert_eq!((sent, sender.cwnd()), (3, 3.0), "{occasion}");
            now = sender.next_deadline();
            sender.on_timer(now);
        }
    }

    #[test]
    fn a_window_of_nothing_is_refused() {
        let mut control = settings(Profile::Ns2, TcpName::named("constant")).control;
        let refused = control.set(&[("cwnd", Value::Number(0.0))]).expect_err("no window").to_string();
        assert!(refused.starts_with("cwnd: 0 is out of range: a number of segments at least 1"), "{refused}");
    }
}
