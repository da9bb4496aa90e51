//! The declaration of a built-in control: names, parameters, usual recoveries.

use super::{Configured, CongestionControl, Delivery, Engine, Parameter, Value};
use crate::profile::{ByProfile, Ns2Agent, Profile};
use crate::settings::{EcnEcho, Recovery};
use crate::window::Window;
use airfair_core::schema::Described;
use airfair_core::{Rate, Time};

/// A control of the engine: its names, its parameters, and how it is made. Profiles, scenarios, lists of names and tests
/// read all this from here.
pub(crate) trait BuiltIn: CongestionControl + Sized {
    /// For people: the control's name, what it does, its source, and what it leaves out or needs.
    const ABOUT: &'static str;

    /// The names for `tcp=`; the first is the control's own name.
    const VARIANTS: &'static [Variant];

    /// The control's parameters.
    const PARAMETERS: &'static [Parameter] = &[];

    /// The segments that the control follows.
    const MEASURES: Measures = Measures::Nothing;

    /// Whether the control brings its own [pacing rate](BuiltIn::pacing_rate). It then is told what each ACK
    /// [shows to be delivered](BuiltIn::on_delivery), and when the application [sends after a pause](BuiltIn::on_resume).
    const PACES: bool = false;

    /// Whether this is a scalable control as defined by RFC 9331: its segments carry ECT(1) and leave one by one.
    const SCALABLE: bool = false;

    /// The agent of ns-2 that the control runs in.
    const NS2_AGENT: Ns2Agent = Ns2Agent::Tcp;

    /// Makes the control of a connection, from a value for each parameter.
    fn new(given: &Configured) -> Self;

    /// Takes over other values of the parameters. `window` has the maximum of the settings.
    fn adopt(&mut self, _given: &Configured, _window: &mut Window) {}

    /// Returns the parameter to blame and the reason, if values contradict each other though each is allowed by itself.
    fn contradiction(_given: &Configured) -> Option<(&'static str, String)> {
        None
    }

    /// An ACK of any kind has come, and loss recovery has dealt with it; `delivery` has what it shows to be delivered and lost. A control that
    /// [holds](Window::hold) the window moves it here.
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &mut Delivery<'_>) {}

    /// The application sends after a pause in which it had nothing to send and nothing was in flight.
    fn on_resume(&mut self, _now: Time) {}

    /// The rate at which segments leave; `None` if nothing waits. Asked for after each ACK, timeout and write.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
}

/// The segments that a control follows: [`AckEvent::rtt`](super::AckEvent::rtt) has their exact round-trip time, and
/// [`CongestionControl::on_send`] is called when they are handed out.
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
    /// How losses are repaired, unless a scenario says otherwise.
    pub recovery: ByProfile<Recovery>,
    /// Upper bound of the congestion window, in segments.
    pub max_window: Option<f64>,
    /// The variant that the name stands for in ns-2's profile, if it is another one.
    pub in_ns2: Option<&'static str>,
    /// ECN is on, with a receiver that echoes marks in this way.
    pub echo: Option<EcnEcho>,
}

impl Variant {
    /// A variant with this recovery, and without a bound, a stand-in or ECN.
    pub const fn new(name: &'static str, recovery: ByProfile<Recovery>) -> Variant {
        Variant { name, recovery, max_window: None, in_ns2: None, echo: None }
    }
}

/// The declaration of a built-in control as data.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// For people: the control's name, what it does, its source, and what it leaves out or needs.
    pub about: &'static str,
    /// The names for `tcp=`; the first is the control's own name.
    pub variants: &'static [Variant],
    /// The control's parameters.
    pub parameters: &'static [Parameter],
    pub(crate) measures: Measures,
    pub(crate) paces: bool,
    pub(crate) scalable: bool,
    pub(crate) ns2_agent: Ns2Agent,
    pub(super) build: fn(&Configured) -> Engine,
    pub(super) contradiction: fn(&Configured) -> Option<(&'static str, String)>,
}

impl Description {
    /// The declaration of `C`. `build` makes a control and wraps it for dispatch.
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

    /// Whether marks cut the window by the share of the data that was marked. Such a control comes with a receiver that reports each mark.
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
