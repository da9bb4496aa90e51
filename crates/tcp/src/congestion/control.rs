//! A congestion control as a setting: which one, and with which parameters.

use super::{CONTROLS, CongestionControl, Description, Measures, Parameter, Value};
use crate::profile::Profile;
use crate::settings::Settings;
use airfair_core::schema::{self, Component, Described, Refused, Visitor};
use std::fmt;
use std::sync::Arc;

/// A congestion control with its own parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// A control of the engine.
    BuiltIn(Configured),
    /// A user's own control.
    Custom(CustomControl),
}

/// A control of the engine, with an allowed value for each of its parameters.
pub type Configured = schema::Configured<Description>;

/// The name of a [`Control::Custom`], and the function that builds one for each connection.
#[derive(Clone)]
pub struct CustomControl {
    name: &'static str,
    build: Arc<Build>,
}

type Build = dyn Fn(&Settings) -> Box<dyn CongestionControl> + Send + Sync;

impl CustomControl {
    /// A control that `build` makes for each connection. Two of the same name count as equal.
    pub fn new(
        name: &'static str,
        build: impl Fn(&Settings) -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> CustomControl {
        CustomControl { name, build: Arc::new(build) }
    }

    pub(super) fn build(&self, settings: &Settings) -> Box<dyn CongestionControl> {
        (self.build)(settings)
    }
}

impl fmt::Debug for CustomControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomControl({})", self.name)
    }
}

impl PartialEq for CustomControl {
    fn eq(&self, other: &CustomControl) -> bool {
        self.name == other.name
    }
}

impl Component for Control {
    fn visit(&self, visitor: &mut dyn Visitor) {
        match self {
            Control::BuiltIn(given) => given.visit(visitor),
            Control::Custom(custom) => visitor.setting("custom", Value::Word(custom.name)),
        }
    }
}

impl Control {
    /// The engine's own control of this name, with its defaults in `profile`.
    pub fn named(name: &str, profile: Profile) -> Option<Control> {
        let description = CONTROLS.iter().find(|control| control.name() == name)?;
        Some(Control::BuiltIn(description.configured(profile)))
    }

    /// The control's name.
    pub fn name(&self) -> &'static str {
        match self {
            Control::BuiltIn(given) => given.description().name(),
            Control::Custom(custom) => custom.name,
        }
    }

    /// The control's parameters.
    pub fn parameters(&self) -> &'static [Parameter] {
        match self {
            Control::BuiltIn(given) => given.description().parameters(),
            Control::Custom(_) => &[],
        }
    }

    /// The value of the parameter of this name, if it has one.
    pub fn value(&self, name: &str) -> Option<Value> {
        match self {
            Control::BuiltIn(given) => given.value(name),
            Control::Custom(_) => None,
        }
    }

    /// Sets parameters, checked one by one and then together.
    ///
    /// # Errors
    /// When the control has no parameter of a name, or a value is not allowed; nothing is set then.
    pub fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        match (self, values.first()) {
            (Control::BuiltIn(given), _) => given.set(values),
            (Control::Custom(_), None) => Ok(()),
            (Control::Custom(custom), Some((parameter, _))) => Err(Refused {
                parameter: (*parameter).to_owned(),
                reason: format!("`{}` has no parameters", custom.name),
            }),
        }
    }

    /// Which segments' round-trip times the control is given.
    pub(crate) fn measures(&self) -> Measures {
        match self {
            Control::BuiltIn(given) => given.description().measures,
            Control::Custom(_) => Measures::Everything,
        }
    }

    /// Whether marks cut the window by the share of the data that was marked, so that a loss beside them is still to be answered (RFC 8257,
    /// section 3.5).
    pub(crate) fn cuts_by_share(&self) -> bool {
        match self {
            Control::BuiltIn(given) => given.description().cuts_by_share(),
            Control::Custom(_) => false,
        }
    }

    /// Whether the control brings a pacing rate of its own.
    pub(crate) fn paces(&self) -> bool {
        match self {
            Control::BuiltIn(given) => given.description().paces,
            Control::Custom(_) => false,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::BuiltIn;
    use super::*;

    /// The control `C`, which is called `name`, with these values over its defaults.
    pub(crate) fn made<C: BuiltIn>(name: &str, profile: Profile, values: &[(&str, Value)]) -> C {
        let mut control = Control::named(name, profile).expect("one of the engine's own");
        control.set(values).expect("allowed");
        match &control {
            Control::BuiltIn(given) => C::new(given),
            Control::Custom(custom) => panic!("{custom:?} is a user's own"),
        }
    }

    fn vegas() -> Control {
        Control::named("vegas", Profile::Ns2).expect("one of the engine's own")
    }

    #[test]
    fn what_is_set_is_read_again_and_shown() {
        let mut control = vegas();
        control.set(&[("beta", Value::Number(4.0))]).expect("allowed");
        assert_eq!(
            (control.value("alpha"), control.value("beta")),
            (Some(Value::Number(1.0)), Some(Value::Number(4.0)))
        );
        assert!(format!("{control:?}").contains("beta: Number(4.0)"), "{control:?}");
        assert_ne!(control, vegas());
    }

    #[test]
    fn what_is_not_allowed_is_refused_as_a_whole() {
        for (values, wanted) in [
            (
                &[("beta", Value::Number(4.0)), ("delta", Value::Number(1.0))][..],
                "`vegas` has no such parameter",
            ),
            (&[("beta", Value::Number(-1.0))], "-1 is out of range: a number of segments at least 0"),
            (&[("beta", Value::Word("half"))], "half is out of range"),
            (&[("alpha", Value::Number(4.0))], "alpha, 4, is above beta, 3"),
        ] {
            let mut control = vegas();
            let refused = control.set(values).expect_err("not allowed");
            assert!(refused.to_string().contains(wanted), "{refused}");
            assert_eq!(control, vegas());
        }
    }
}
