//! TCP(alpha, beta) (Yang & Lam, "General AIMD Congestion Control", ICNP 2000; Mamatas & Tsaoussidis, "Effort/Gains Dynamics in
//! Heterogeneous Networks").
//!
//! ns-2 (`increase_num_`, `decrease_num_`) halves whatever beta is: at a connection's first decrease, an idle restart included, in
//! slow start, and at a timeout, where beta would act on the threshold alone. The papers know beta only. Which of them holds is
//! three settings.

use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Kind, Loss, Parameter, Range, Reduction, Value,
    Variant, Words,
};
use crate::profile::ByProfile;
use crate::settings::Recovery;
use crate::window::Window;

const ALPHA: Parameter = Parameter {
    name: "alpha",
    kind: Kind::Segments(Range::POSITIVE.within_a_window()),
    default: ByProfile::all(Value::Number(1.0)),
    help: "increase of the window in a round trip of congestion avoidance",
};
const BETA: Parameter = Parameter {
    name: "beta",
    kind: Kind::Number(Range::PROPER_FRACTION),
    default: ByProfile::all(Value::Number(0.5)),
    help: "fraction of the window that remains after a loss",
};
const FIRST_CUT: Parameter = cut("first_cut", "remainder after the connection's first loss");
const SLOW_START_CUT: Parameter = cut("slow_start_cut", "remainder after a loss in slow start");
const TIMEOUT_CUT: Parameter = cut("timeout_cut", "the threshold that a timeout leaves");

/// What a cut leaves in a special case: the share beta, or half of the window whatever beta is.
const fn cut(name: &'static str, help: &'static str) -> Parameter {
    let default = ByProfile { ns2: Value::Word("half"), ..ByProfile::all(Value::Word("beta")) };
    Parameter { name, kind: Kind::Word(Words::of(&["beta", "half"])), default, help }
}

/// General additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Aimd {
    alpha: f64,
    beta: f64,
    /// The next cut is the connection's first.
    is_first: bool,
    halves_first: bool,
    halves_in_slow_start: bool,
    halves_at_timeout: bool,
}

impl BuiltIn for Aimd {
    const ABOUT: &'static str = "TCP(alpha, beta): the window grows by alpha segments a round trip, and a loss leaves beta of it (Yang & \
         Lam, ICNP 2000; Mamatas & Tsaoussidis, \"Effort/Gains Dynamics in Heterogeneous Networks\"). With alpha \
         = 1 and beta = 1/2 it is Reno's control.";
    const VARIANTS: &'static [Variant] = &[
        // A Linux kernel recovers with SACK whatever the control.
        Variant::new("aimd", ByProfile { linux: Recovery::Rack, ..ByProfile::all(Recovery::NewReno) }),
    ];
    const PARAMETERS: &'static [Parameter] = &[ALPHA, BETA, FIRST_CUT, SLOW_START_CUT, TIMEOUT_CUT];

    fn new(given: &Configured) -> Aimd {
        let halves = |parameter| given.word(parameter) == "half";
        Aimd {
            alpha: given.number(&ALPHA),
            beta: given.number(&BETA),
            is_first: true,
            halves_first: halves(&FIRST_CUT),
            halves_in_slow_start: halves(&SLOW_START_CUT),
            halves_at_timeout: halves(&TIMEOUT_CUT),
        }
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        *self = Aimd { is_first: self.is_first, ..Aimd::new(given) };
    }
}

impl CongestionControl for Aimd {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        if ack.may_grow {
            window.open_adding(self.alpha, ack.acked);
        }
    }

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        let halves = std::mem::take(&mut self.is_first) && self.halves_first
            || self.halves_in_slow_start && window.in_slow_start()
            || self.halves_at_timeout && loss.timeout;
        Reduction::to(loss.base * if halves { 0.5 } else { self.beta })
    }

    fn on_idle_restart(&mut self) {
        self.is_first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::tests::made;
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;
    use airfair_core::Time;

    fn aimd(profile: Profile, alpha: f64, beta: f64) -> Aimd {
        made("aimd", profile, &[("alpha", Value::Number(alpha)), ("beta", Value::Number(beta))])
    }

    /// The rest of a window of 40 after a loss, below or above the threshold.
    fn left(aimd: &mut Aimd, profile: Profile, ssthresh: f64, timeout: bool) -> f64 {
        let loss = Loss { now: Time(0), base: 40.0, timeout, segment_bytes: 1000 };
        aimd.on_loss(&window(profile, 40.0, ssthresh), &loss).cwnd
    }

    #[test]
    fn a_round_trip_adds_alpha() {
        for profile in Profile::ALL {
            let mut aimd = aimd(profile, 0.25, 0.875);
            let mut window = window(profile, 40.0, 20.0);
            let settings = crate::profile::settings(profile, crate::TcpName::named("aimd"));
            let ack = AckEvent {
                now: Time(0),
                una: 0,
                nxt: 0,
                acked: u64::from(settings.segment_bytes),
                segment_bytes: settings.segment_bytes,
                rtt: None,
                srtt: None,
                may_grow: true,
                found_limited: false,
                paced: false,
            };
            for _ in 0..40 {
                aimd.on_ack(&mut window, &ack);
            }
            assert!((window.cwnd - 40.25).abs() < 0.01, "{profile:?}: {}", window.cwnd);
        }
    }

    #[test]
    fn a_loss_leaves_beta_of_the_window() {
        for (profile, timeout_leaves) in [(Profile::Rfc, 35.0), (Profile::Linux, 35.0), (Profile::Ns2, 20.0)]
        {
            let mut aimd = aimd(profile, 0.31, 0.875);
            left(&mut aimd, profile, 20.0, false);
            assert_eq!(left(&mut aimd, profile, 20.0, false), 35.0, "{profile:?}");
            assert_eq!(left(&mut aimd, profile, 20.0, true), timeout_leaves, "{profile:?}");
        }
    }

    #[test]
    fn in_ns2_the_first_loss_and_those_in_slow_start_halve() {
        let first_and_later = |profile, ssthresh| {
            let mut aimd = aimd(profile, 1.25, 0.25);
            [left(&mut aimd, profile, ssthresh, false), left(&mut aimd, profile, ssthresh, false)]
        };
        assert_eq!(first_and_later(Profile::Ns2, 20.0), [20.0, 10.0]);
        assert_eq!(first_and_later(Profile::Ns2, 80.0), [20.0, 20.0]);
        assert_eq!(first_and_later(Profile::Rfc, 80.0), [10.0, 10.0]);
    }

    #[test]
    fn in_ns2_an_idle_restart_is_the_first_decrease() {
        let mut aimd = aimd(Profile::Ns2, 1.25, 0.25);
        aimd.on_idle_restart();
        assert_eq!(left(&mut aimd, Profile::Ns2, 20.0, false), 10.0);
    }
}
