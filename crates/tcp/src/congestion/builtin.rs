//! The declaration of a built-in control: names, parameters, usual recoveries.

use super::{Configured, CongestionControl, Delivery, Engine, Parameter, Value};
use crate::profile::{ByProfile, Ns2Agent, Profile};
use crate::settings::{EcnEcho, Recovery};
use crate::window::Window;
use airfair_core::schema::Described;
use airfair_core::{Rate, Time};

/// One of the engine's own controls: its names, its parameters, and how it is made. Everything else that needs to know
/// (profiles, scenarios, lists of names, tests) reads it from here.
pub(crate) trait BuiltIn: CongestionControl + Sized {
    /// For people: its name, what it does, its source, and what it leaves out or needs.
    const ABOUT: &'static str;

    /// Its names for `tcp=`; the first is the control's own name.
    const VARIANTS: &'static [Variant];

    /// Its parameters.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Which segments it follows.
    const MEASURES: Measures = Measures::Nothing;

    /// It brings its own [pacing rate](BuiltIn::pacing_rate), and is told what each ACK
    /// [shows to be delivered](BuiltIn::on_delivery) and when the application [goes on](BuiltIn::on_resume).
    const PACES: bool = false;

    /// It is a scalable control as RFC 9331 asks of one: its segments say ECT(1) and leave one by one.
    const SCALABLE: bool = false;

    /// Which of ns-2's agents it runs in.
    const NS2_AGENT: Ns2Agent = Ns2Agent::Tcp;

    /// Makes one for a connection, from a value for each of its parameters.
    fn new(given: &Configured) -> Self;

    /// Goes on with other values of its parameters. `window` has the maximum of the settings.
    fn adopt(&mut self, _given: &Configured, _window: &mut Window) {}

    /// Why these values contradict each other, though each is allowed by itself: the parameter to blame, and the reason.
    fn contradiction(_given: &Configured) -> Option<(&'static str, String)> {
        None
    }

    /// What an ACK of any kind shows to be delivered and lost, once loss recovery has dealt with it. It may move the window, which it may
    /// [hold](Window::hold).
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &mut Delivery<'_>) {}

    /// The application goes on after it had nothing to send, with nothing in flight.
    fn on_resume(&mut self, _now: Time) {}

    /// At this rate segments leave; `None`: nothing waits. Asked after each ACK, timeout and write.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
}

/// The segments whose exact round-trip time a control wants in [`AckEvent::rtt`](super::AckEvent::rtt), and that it is told of when they
/// are [handed out](CongestionControl::on_send).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measures {
    Nothing,
    /// Until the first loss, and again from each timeout and each return to slow start on until the next one.
    SlowStart,
    Everything,
}

/// A name that `tcp=` may have: a control with its usual recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    /// How losses are mended, unless a scenario says otherwise.
    pub recovery: ByProfile<Recovery>,
    /// It bounds the congestion window, in segments.
    pub max_window: Option<f64>,
    /// In ns-2's profile the name stands for the control of another one.
    pub in_ns2: Option<&'static str>,
    /// It comes with ECN and a receiver that echoes marks in this way.
    pub echo: Option<EcnEcho>,
}

impl Variant {
    /// With this recovery, and nothing else of its own.
    pub const fn new(name: &'static str, recovery: ByProfile<Recovery>) -> Variant {
        Variant { name, recovery, max_window: None, in_ns2: None, echo: None }
    }
}

/// The declaration of a built-in control as data.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// For people: its name, what it does, its source, and what it leaves out or needs.
    pub about: &'static str,
    /// Its names for `tcp=`; the first is the control's own name.
    pub variants: &'static [Variant],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    pub(crate) measures: Measures,
    pub(crate) paces: bool,
    pub(crate) scalable: bool,
    pub(crate) ns2_agent: Ns2Agent,
    pub(super) build: fn(&Configured) -> Engine,
    pub(super) contradiction: fn(&Configured) -> Option<(&'static str, String)>,
}

impl Description {
    /// The declaration of `C`; `build` makes one and wraps it for dispatch.
    pub(super) const fn of<C: BuiltIn>(build: fn(&Configured) -> Engine) -> Description {
        Description {
            about: C::ABOUT,
            variants: C::VARIANTS,
            parameters: C::PARAMETERS,
            measures: C::MEASURES,
            paces: C::PACES,
            scalable: C::SCALABLE,
            ns2_agent: C::NS2_AGENT,
            build,
            contradiction: C::contradiction,
        }
    }

    /// Whether marks cut the window by the share of the data that was marked: it comes with a receiver that tells of each mark.
    pub(crate) fn cuts_by_share(&self) -> bool {
        self.variants.iter().any(|variant| variant.echo.is_some())
    }

    /// The control's own name.
    pub fn name(&self) -> &'static str {
        self.variants[0].name
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The control with its defaults in `profile`.
    pub(crate) fn configured(&'static self, profile: Profile) -> Configured {
        Configured::new(self, |default| default.of(profile))
    }
}

impl Described for Description {
    type Default = ByProfile<Value>;

    fn name(&self) -> &'static str {
        Description::name(self)
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.parameters
    }

    fn contradiction(&self, given: &Configured) -> Option<(&'static str, String)> {
        (self.contradiction)(given)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CONTROLS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_defaults_are_allowed() {
        let mut names = BTreeSet::new();
        for control in CONTROLS {
            for variant in control.variants {
                assert!(names.insert(variant.name), "{} twice", variant.name);
            }
            let mut parameters = BTreeSet::new();
            for parameter in control.parameters {
                assert!(parameters.insert(parameter.name), "{} twice", parameter.name);
                for profile in Profile::ALL {
                    let default = parameter.default.of(profile);
                    assert!(parameter.kind.allows_default(default), "{}: {default}", parameter.name);
                }
            }
        }
    }

    #[test]
    fn every_control_is_made_from_its_defaults_without_contradiction() {
        for control in CONTROLS {
            for profile in Profile::ALL {
                let given = control.configured(profile);
                assert_eq!((control.contradiction)(&given), None, "{given:?}");
                // A control that reads a parameter without declaring it panics here.
                (control.build)(&given);
            }
        }
    }
}
