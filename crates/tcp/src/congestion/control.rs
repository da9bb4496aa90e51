//! A congestion control as a setting: which one, and with which parameters.

use super::{CONTROLS, CongestionControl, Description, Engine, Parameter, Value};
use crate::profile::Profile;
use crate::settings::Settings;
use airfair_core::Span;
use std::fmt;

/// A congestion control with its own parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// One of the engine's own.
    BuiltIn(Configured),
    /// A user's own.
    Custom(CustomControl),
}

/// One of the engine's own controls, with an allowed value for each of its parameters.
#[derive(Clone)]
pub struct Configured {
    description: &'static Description,
    /// In the order of `description.parameters`.
    values: Box<[Value]>,
}

/// How a [`Control::Custom`] is named and built, once for each connection.
#[derive(Clone, Copy, Debug)]
pub struct CustomControl {
    /// Its name; two of the same name count as equal.
    pub name: &'static str,
    /// Makes one.
    pub build: fn(&Settings) -> Box<dyn CongestionControl>,
}

impl PartialEq for CustomControl {
    fn eq(&self, other: &CustomControl) -> bool {
        self.name == other.name
    }
}

/// A parameter that cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The parameter.
    pub parameter: String,
    /// Why: the value, and what is allowed.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.reason)
    }
}

impl std::error::Error for Refused {}

impl Control {
    /// The engine's own control of this name, with what its parameters are in `profile`.
    pub fn named(name: &str, profile: Profile) -> Option<Control> {
        let description = CONTROLS.iter().find(|control| control.name() == name)?;
        Some(Control::BuiltIn(Configured::new(description, profile)))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Control::BuiltIn(given) => given.description.name(),
            Control::Custom(custom) => custom.name,
        }
    }

    /// What can be set of it.
    pub fn parameters(&self) -> &'static [Parameter] {
        match self {
            Control::BuiltIn(given) => given.description.parameters,
            Control::Custom(_) => &[],
        }
    }

    /// The value of the parameter of this name, if it has one.
    pub fn value(&self, name: &str) -> Option<Value> {
        let index = self.parameters().iter().position(|parameter| parameter.name == name)?;
        match self {
            Control::BuiltIn(given) => Some(given.values[index]),
            Control::Custom(_) => None,
        }
    }

    /// Sets parameters, checked one by one and then together.
    ///
    /// # Errors
    /// When the control has no parameter of a name, or a value is not allowed; nothing is set then.
    pub fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        let name = self.name();
        let refused = |parameter: &str, reason| Err(Refused { parameter: parameter.to_owned(), reason });
        let mut new = match self {
            Control::BuiltIn(given) => given.clone(),
            Control::Custom(_) => match values.first() {
                Some((parameter, _)) => return refused(parameter, format!("`{name}` has no parameters")),
                None => return Ok(()),
            },
        };
        for &(parameter, value) in values {
            let parameters = new.description.parameters;
            let Some(index) = parameters.iter().position(|known| known.name == parameter) else {
                return refused(parameter, format!("`{name}` has no such parameter"));
            };
            let kind = parameters[index].kind;
            if !kind.allows(value) {
                return refused(parameter, format!("{value} is out of range: {} is allowed", kind.allowed()));
            }
            new.values[index] = value;
        }
        if let Some((parameter, reason)) = (new.description.contradiction)(&new) {
            return refused(parameter, reason);
        }
        *self = Control::BuiltIn(new);
        Ok(())
    }

    /// Whether the control is given the round-trip time of every segment.
    pub(crate) fn measures_every_segment(&self) -> bool {
        match self {
            Control::BuiltIn(given) => given.description.measures_every_segment,
            Control::Custom(_) => true,
        }
    }
}

impl Configured {
    pub(crate) fn new(description: &'static Description, profile: Profile) -> Configured {
        let values = description.parameters.iter().map(|parameter| parameter.default.of(profile)).collect();
        Configured { description, values }
    }

    pub(super) fn build(&self) -> Engine {
        (self.description.build)(self)
    }

    fn value(&self, wanted: &Parameter) -> Value {
        let index = self.description.parameters.iter().position(|parameter| parameter.name == wanted.name);
        self.values[index.expect("a control reads only what it declares")]
    }

    /// The value of a [`Kind::Number`](super::Kind::Number) or [`Kind::Segments`](super::Kind::Segments).
    ///
    /// # Panics
    /// As the others: when the control does not declare `parameter`, or as something else.
    pub fn number(&self, parameter: &Parameter) -> f64 {
        match self.value(parameter) {
            Value::Number(number) => number,
            other => panic!("{}, {other}, is no number", parameter.name),
        }
    }

    /// The value of a [`Kind::Time`](super::Kind::Time).
    pub fn time(&self, parameter: &Parameter) -> Span {
        match self.value(parameter) {
            Value::Time(span) => span,
            other => panic!("{}, {other}, is no time", parameter.name),
        }
    }

    /// The value of a [`Kind::Bytes`](super::Kind::Bytes).
    pub fn bytes(&self, parameter: &Parameter) -> u64 {
        match self.value(parameter) {
            Value::Bytes(bytes) => bytes,
            other => panic!("{}, {other}, is no size", parameter.name),
        }
    }

    /// The value of a [`Kind::Word`](super::Kind::Word).
    pub fn word(&self, parameter: &Parameter) -> &'static str {
        match self.value(parameter) {
            Value::Word(word) => word,
            other => panic!("{}, {other}, is no word", parameter.name),
        }
    }
}

impl PartialEq for Configured {
    fn eq(&self, other: &Configured) -> bool {
        self.description.name() == other.description.name() && self.values == other.values
    }
}

/// Name and parameters, as in `vegas { alpha: Number(1.0), beta: Number(3.0), gamma: Number(1.0) }`: keys of results are made from it.
impl fmt::Debug for Configured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(self.description.name());
        for (parameter, value) in self.description.parameters.iter().zip(&self.values) {
            shown.field(parameter.name, value);
        }
        shown.finish()
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
