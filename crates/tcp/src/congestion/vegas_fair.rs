//! Vegas-Fair (Jung & Park, KSII TIIS 10(8), 2016, section 5.1 and Fig. 5).
//!
//! The paper gives a fragment that is inserted at the end of ns-2 Vegas' `output()`. Read closely it leaves
//! much open; these are the choices, with the reasons:
//!
//! * *Pause.* The prose says "greater than" `PAUSE_INTERVAL`, the code `>=`. The code decides: at least.
//! * *Introductory phase.* The prose says "greater than" `INTRO_LENGTH`, the code `>=`. The code decides: at
//!   least.
//! * *The first segment counts.* It sets the byte counter to its own length (not to zero), but is not itself
//!   compared with `INTRO_LENGTH`; so a session of segments longer than that keeps raised thresholds until
//!   its second segment.
//! * *Byte counter.* It is not reset when the introductory phase ends; it only grows until the next pause,
//!   and nothing depends on it then.
//! * *One increment at most.* `v_alpha_ == v_alpha_org` guards it: a pause within an introductory phase
//!   starts the byte count again but does not raise the thresholds further. The comparison is of alpha alone;
//!   beta always moves with it, so one flag is the same.
//! * *Which bytes.* `byteSegment` is taken as the segment's payload (in ns-2 Vegas, where a packet has no
//!   header, both are the packet).
//! * *Which segments.* `output()` sends retransmissions too. They count, and one that follows a second of
//!   silence (a timeout) raises the thresholds, for persistent flows as well: nothing in the code tells flows
//!   apart.
//! * *The connection's first segment.* `lastSentTime` has no initial value. Here a connection starts with a
//!   session.
//! * *When thresholds act.* The fragment runs for every segment, after sending; Vegas looks at the thresholds
//!   once a round trip. A session that is sent within a round trip may thus be over before any decision sees
//!   raised thresholds.

use super::vegas::{ALPHA, BETA, GAMMA, RECOVERY, Thresholds, Vegas};
use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Kind, Loss, Measures, Parameter, Range, Reduction,
    Value, Variant,
};
use crate::profile::{ByProfile, Ns2Agent};
use crate::window::Window;
use airfair_core::{Span, Time};

// The defaults are those of section 5.1.
const PAUSE_INTERVAL: Parameter = Parameter {
    name: "pause_interval",
    kind: Kind::Time(Range::POSITIVE),
    default: ByProfile::all(Value::Time(Span::from_secs(1))),
    help: "a gap between two segments of at least this starts a new session",
};
const INTRO_LENGTH: Parameter = Parameter {
    name: "intro_length",
    kind: Kind::Bytes(Range::NOT_NEGATIVE),
    default: ByProfile::all(Value::Bytes(5000)),
    help: "bytes of a session during which the thresholds are raised",
};
const ALPHA_INCREMENT: Parameter = Parameter {
    name: "alpha_increment",
    kind: Kind::Segments(Range::NOT_NEGATIVE.within_a_window()),
    default: ByProfile::all(Value::Number(1.0)),
    help: "increase of alpha meanwhile",
};
const BETA_INCREMENT: Parameter = Parameter {
    name: "beta_increment",
    kind: Kind::Segments(Range::NOT_NEGATIVE.within_a_window()),
    default: ByProfile::all(Value::Number(2.0)),
    help: "increase of beta meanwhile",
};

/// When thresholds are raised, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Introduction {
    usual: Thresholds,
    pause_interval: Span,
    intro_length: u64,
    alpha_increment: f64,
    beta_increment: f64,
}

impl Introduction {
    fn given(given: &Configured) -> Introduction {
        Introduction {
            usual: Thresholds::given(given),
            pause_interval: given.time(&PAUSE_INTERVAL),
            intro_length: given.bytes(&INTRO_LENGTH),
            alpha_increment: given.number(&ALPHA_INCREMENT),
            beta_increment: given.number(&BETA_INCREMENT),
        }
    }
}

/// Vegas whose thresholds depend on how much of a session has been sent.
#[derive(Clone, Debug)]
pub struct VegasFair {
    vegas: Vegas,
    /// Boxed, because the largest of the controls decides how much every sender takes.
    introduction: Box<Introduction>,
    last_sent: Option<Time>,
    session_bytes: u64,
    raised: bool,
}

impl VegasFair {
    fn with(introduction: Introduction) -> VegasFair {
        VegasFair {
            vegas: Vegas::with(introduction.usual),
            introduction: Box::new(introduction),
            last_sent: None,
            session_bytes: 0,
            raised: false,
        }
    }

    fn raise(&mut self, raised: bool) {
        if self.raised == raised {
            return;
        }
        self.raised = raised;
        self.set_thresholds();
    }

    fn set_thresholds(&mut self) {
        let mut thresholds = self.introduction.usual;
        if self.raised {
            thresholds.alpha += self.introduction.alpha_increment;
            thresholds.beta += self.introduction.beta_increment;
        }
        self.vegas.set_thresholds(thresholds);
    }
}

impl BuiltIn for VegasFair {
    const ABOUT: &'static str = "Vegas-Fair: Vegas with raised thresholds at the start of a session (Jung & Park, KSII TIIS 10(8), 2016, \
         section 5.1 and Fig. 5).";
    const VARIANTS: &'static [Variant] = &[Variant::new("vegas-fair", RECOVERY)];
    const PARAMETERS: &'static [Parameter] =
        &[ALPHA, BETA, GAMMA, PAUSE_INTERVAL, INTRO_LENGTH, ALPHA_INCREMENT, BETA_INCREMENT];
    const MEASURES: Measures = Measures::Everything;
    const NS2_AGENT: Ns2Agent = Ns2Agent::Vegas;

    fn new(given: &Configured) -> VegasFair {
        VegasFair::with(Introduction::given(given))
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        *self.introduction = Introduction::given(given);
        self.set_thresholds();
    }

    fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        Thresholds::contradiction(given)
    }
}

impl CongestionControl for VegasFair {
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        self.vegas.on_ack(window, ack);
    }

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        self.vegas.on_loss(window, loss)
    }

    fn on_send(&mut self, now: Time, bytes: u32) {
        self.vegas.on_send(now, bytes);
        let paused = self.last_sent.is_none_or(|last| now.since(last) >= self.introduction.pause_interval);
        if paused {
            self.session_bytes = u64::from(bytes);
            self.raise(true);
        } else {
            self.session_bytes += u64::from(bytes);
            if self.session_bytes >= self.introduction.intro_length {
                self.raise(false);
            }
        }
        self.last_sent = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::tests::made;
    use super::super::vegas::tests::THRESHOLDS;
    use super::*;
    use crate::profile::Profile;

    fn fair() -> VegasFair {
        made("vegas-fair", Profile::Ns2, &[])
    }

    /// Whether the thresholds are raised after each of these segments of 1000 bytes, sent at these times in
    /// ms.
    fn raised(fair: &mut VegasFair, times: &[u64]) -> Vec<bool> {
        times
            .iter()
            .map(|&millis| {
                fair.on_send(Time(0) + Span::from_millis(millis), 1000);
                fair.raised
            })
            .collect()
    }

    #[test]
    fn the_introduction_ends_with_the_segment_that_reaches_its_length() {
        assert_eq!(raised(&mut fair(), &[0, 1, 2, 3, 4, 5]), [true, true, true, true, false, false]);
    }

    #[test]
    fn a_pause_of_exactly_the_interval_starts_a_session() {
        let mut fair = fair();
        raised(&mut fair, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(raised(&mut fair, &[1004, 2004]), [false, true]);
    }

    #[test]
    fn a_pause_within_the_introduction_raises_no_further() {
        let mut fair = fair();
        raised(&mut fair, &[0, 2000, 4000]);
        assert_eq!(fair.introduction.usual.alpha + 1.0, fair.vegas.thresholds().alpha);
        assert_eq!(raised(&mut fair, &[4001, 4002, 4003, 4004]), [true, true, true, false]);
        assert_eq!(fair.vegas.thresholds(), THRESHOLDS);
    }
}
