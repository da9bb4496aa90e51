//! Vegas (Brakmo & Peterson, IEEE JSAC 13(8), 1995).
//!
//! Once a round trip, it compares the rate that the window would give on an empty path with the actual rate:
//! `diff = (expected - actual) x BaseRTT`, in segments. The order of the steps, the rounding of `diff` and
//! the window's lower bound of two are those of ns-2's Agent/TCP/Vegas, so that runs can be compared.

use super::float::float;
use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Kind, Loss, Measures, Parameter, Range, Reduction,
    Value, Variant,
};
use crate::profile::{ByProfile, Ns2Agent};
use crate::settings::Recovery;
use crate::window::Window;
use airfair_core::{Span, Time};

/// The least window, in segments.
const LEAST_WINDOW: f64 = 2.0;
/// The window grows only while no more than this much of it is unused, in segments.
const UNUSED: f64 = 2.0;

/// A number of segments queued along the path: ns-2's and the papers' value (`v_alpha_`, `v_beta_`, `v_gamma_`; Brakmo &
/// Peterson call it Vegas-1,3), and the one of Linux's `tcp_vegas`.
const fn queued(name: &'static str, papers: f64, linux: f64, help: &'static str) -> Parameter {
    let default = ByProfile { linux: Value::Number(linux), ..ByProfile::all(Value::Number(papers)) };
    Parameter { name, kind: Kind::Segments(Range::NOT_NEGATIVE.within_a_window()), default, help }
}

pub(super) const ALPHA: Parameter =
    queued("alpha", 1.0, 2.0, "below this many segments queued along the path the window grows");
pub(super) const BETA: Parameter =
    queued("beta", 3.0, 4.0, "above this many segments queued along the path the window shrinks");
pub(super) const GAMMA: Parameter =
    queued("gamma", 1.0, 1.0, "above this many segments queued along the path slow start ends");

/// Reno's recovery with Vegas' checks. A Linux kernel recovers with SACK whatever the control.
pub(super) const RECOVERY: ByProfile<Recovery> =
    ByProfile { linux: Recovery::Rack, ..ByProfile::all(Recovery::Vegas) };

/// Thresholds in segments queued along the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Below this the window grows by one segment a round trip.
    pub alpha: f64,
    /// Above this the window shrinks by one segment a round trip.
    pub beta: f64,
    /// Above this slow start ends.
    pub gamma: f64,
}

impl Thresholds {
    pub(super) fn given(given: &Configured) -> Thresholds {
        Thresholds { alpha: given.number(&ALPHA), beta: given.number(&BETA), gamma: given.number(&GAMMA) }
    }

    /// Refuses thresholds with alpha above beta: the window stays between the two.
    pub(super) fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        let Thresholds { alpha, beta, .. } = Thresholds::given(given);
        (alpha > beta).then(|| (ALPHA.name, format!("alpha, {alpha}, is above beta, {beta}")))
    }
}

/// Delay-based congestion avoidance.
#[derive(Clone, Debug)]
pub struct Vegas {
    thresholds: Thresholds,
    /// When the connection's first segment was handed out.
    started: Option<Time>,
    /// The shortest round trip, or that of a segment that was alone on the path.
    base_rtt: Option<Span>,
    /// Round-trip times since the last decision.
    rtt_sum: Span,
    rtt_count: u32,
    /// The next decision comes with the ACK of this offset.
    decision_at: u64,
    decided_at: Option<Time>,
    /// The increase of the window by each ACK until the next decision.
    increment: f64,
    /// In slow start the window grows every other round trip only.
    growing: bool,
}

impl Vegas {
    /// A control with these thresholds.
    pub fn with(thresholds: Thresholds) -> Vegas {
        Vegas {
            thresholds,
            started: None,
            base_rtt: None,
            rtt_sum: Span::ZERO,
            rtt_count: 0,
            decision_at: 0,
            decided_at: None,
            increment: 0.0,
            growing: true,
        }
    }

    /// The shortest round-trip time that counts as the empty path's.
    pub fn base_rtt(&self) -> Option<Span> {
        self.base_rtt
    }

    /// The current thresholds.
    pub fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// Sets the thresholds from now on.
    pub fn set_thresholds(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    /// The mean round trip since the last decision; if no segment gave one, the time since then.
    fn mean_rtt(&mut self, now: Time) -> Span {
        let count = std::mem::take(&mut self.rtt_count);
        let sum = std::mem::take(&mut self.rtt_sum);
        if count > 0 {
            return sum / u64::from(count);
        }
        now.since(self.decided_at.or(self.started).unwrap_or(now))
    }

    fn decide(&mut self, window: &mut Window, ack: &AckEvent) {
        let rtt = self.mean_rtt(ack.now);
        let segment = u64::from(ack.segment_bytes);
        let in_transit = ack.nxt.saturating_sub(self.decision_at).div_ceil(segment);
        if rtt > Span::ZERO {
            let base = match self.base_rtt {
                Some(base) if rtt >= base && in_transit > 1 => base,
                _ => rtt,
            };
            self.base_rtt = Some(base);
            let expected = ack.nxt.saturating_sub(ack.una).div_ceil(segment) + 1;
            let actual = in_transit as f64 * (base.0 as f64 / rtt.0 as f64);
            let queued = (expected as f64 - actual + 0.5).max(0.0) as u64 as f64;
            if window.cwnd < window.ssthresh {
                self.decide_in_slow_start(window, queued);
            } else {
                self.decide_in_avoidance(window, queued);
            }
        }
        self.decision_at = ack.nxt;
        self.decided_at = Some(ack.now);
    }

    fn decide_in_slow_start(&mut self, window: &mut Window, queued: f64) {
        self.growing = !self.growing;
        self.increment = 0.0;
        if !self.growing {
            return;
        }
        if queued > self.thresholds.gamma {
            window.set_ssthresh(LEAST_WINDOW);
            window.cwnd = (window.cwnd - window.cwnd / 8.0).max(LEAST_WINDOW);
        } else {
            self.increment = 1.0;
        }
    }

    fn decide_in_avoidance(&mut self, window: &mut Window, queued: f64) {
        self.increment = 0.0;
        if queued > self.thresholds.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST_WINDOW);
        } else if queued < self.thresholds.alpha {
            self.increment = 1.0 / window.cwnd;
        }
    }

    fn grow(&mut self, window: &mut Window, ack: &AckEvent) {
        // Slow start may end before the round trip does.
        if self.increment == 1.0 && window.cwnd >= window.ssthresh {
            self.increment = 0.0;
        }
        let used = ack.nxt.saturating_sub(ack.una).div_ceil(u64::from(ack.segment_bytes)) + 1;
        if self.increment > 0.0 && window.cwnd - float(used) <= UNUSED {
            window.cwnd += self.increment;
        }
        window.bound();
    }

    fn sample(&mut self, rtt: Span) {
        self.rtt_sum += rtt;
        self.rtt_count += 1;
        if rtt > Span::ZERO && self.base_rtt.is_none_or(|base| rtt < base) {
            self.base_rtt = Some(rtt);
        }
    }
}

impl BuiltIn for Vegas {
    const ABOUT: &'static str = "Vegas: the window follows the number of segments queued along the path (Brakmo & Peterson, IEEE JSAC \
         13(8), 1995), with the steps and the rounding of ns-2's Agent/TCP/Vegas.";
    const VARIANTS: &'static [Variant] = &[Variant::new("vegas", RECOVERY)];
    const PARAMETERS: &'static [Parameter] = &[ALPHA, BETA, GAMMA];
    const MEASURES: Measures = Measures::Everything;
    const NS2_AGENT: Ns2Agent = Ns2Agent::Vegas;

    fn new(given: &Configured) -> Vegas {
        Vegas::with(Thresholds::given(given))
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        self.thresholds = Thresholds::given(given);
    }

    fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        Thresholds::contradiction(given)
    }
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        let first = self.base_rtt.is_none();
        if first {
            self.base_rtt = self.started.map(|started| ack.now.since(started));
        }
        if ack.may_grow {
            if ack.una > self.decision_at {
                self.decide(window, ack);
            }
            self.grow(window, ack);
        }
        // The round trip that this ACK completes belongs to the next decision; the first one made the base
        // already.
        if let Some(rtt) = ack.rtt.filter(|_| !first) {
            self.sample(rtt);
        }
    }

    /// Halves the window, for recoveries of Reno's family. [`Recovery::Vegas`] makes its own cut.
    fn on_loss(&mut self, _window: &Window, loss: &Loss) -> Reduction {
        Reduction::to(loss.base / 2.0)
    }

    #[inline]
    fn on_send(&mut self, now: Time, _bytes: u32) {
        if self.started.is_none() {
            self.started = Some(now);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;

    pub(crate) const THRESHOLDS: Thresholds = Thresholds { alpha: 1.0, beta: 3.0, gamma: 1.0 };

    /// A control past slow start on a path of 100 ms, and a window of `cwnd`.
    fn settled(cwnd: f64) -> (Vegas, Window) {
        let mut vegas = Vegas::with(THRESHOLDS);
        vegas.on_send(Time(0), 1000);
        vegas.base_rtt = Some(Span::from_millis(100));
        (vegas, window(Profile::Ns2, cwnd, 2.0))
    }

    /// One decision after a round trip of `millis` with the whole window on its way.
    fn round_trip(vegas: &mut Vegas, window: &mut Window, millis: u64) {
        let cwnd = window.cwnd as u64;
        let una = vegas.decision_at + 1000;
        vegas.sample(Span::from_millis(millis));
        let ack = AckEvent {
            now: Time(0),
            una,
            nxt: una + (cwnd - 1) * 1000,
            acked: 1000,
            segment_bytes: 1000,
            rtt: None,
            srtt: None,
            may_grow: true,
            found_limited: false,
            paced: false,
        };
        vegas.on_ack(window, &ack);
    }

    #[test]
    fn between_alpha_and_beta_the_window_stays() {
        // 20 segments in 110 ms on a path of 100 ms: 1.8 segments queue.
        let (mut vegas, mut window) = settled(20.0);
        round_trip(&mut vegas, &mut window, 110);
        assert_eq!(window.cwnd, 20.0);
    }

    #[test]
    fn above_beta_it_shrinks_by_one_and_below_alpha_it_grows() {
        let (mut vegas, mut window) = settled(20.0);
        round_trip(&mut vegas, &mut window, 130);
        assert_eq!(window.cwnd, 19.0);
        let (mut vegas, mut window) = settled(20.0);
        round_trip(&mut vegas, &mut window, 100);
        assert_eq!(window.cwnd, 20.0 + 1.0 / 20.0);
    }

    #[test]
    fn slow_start_ends_with_an_eighth_less_when_gamma_is_passed() {
        let (mut vegas, mut window) = settled(16.0);
        window.ssthresh = 100.0;
        vegas.growing = false;
        round_trip(&mut vegas, &mut window, 130);
        assert_eq!((window.cwnd, window.ssthresh), (14.0, 2.0));
    }

    #[test]
    fn the_window_never_falls_below_two() {
        let (mut vegas, mut window) = settled(4.0);
        vegas.set_thresholds(Thresholds { alpha: 0.0, beta: 0.0, gamma: 0.0 });
        for _ in 0..10 {
            round_trip(&mut vegas, &mut window, 10_000);
        }
        assert_eq!(window.cwnd, 2.0);
    }
}
