//! A part with a value for each of its parameters.

use super::{Component, Field, Parameter, Value, Visitor};
use crate::rate::Rate;
use crate::time::Span;
use std::fmt;

/// The declaration of a part: its name, its parameters, and which of their values contradict each other.
pub trait Described: Sized + 'static {
    /// The type in which the declaration states a parameter's default.
    type Default: Copy;

    /// Returns the part's name.
    fn name(&self) -> &'static str;

    /// Returns the part's parameters.
    fn parameters(&self) -> &'static [Parameter<Self::Default>];

    /// Returns why the given values contradict each other, though each is allowed by itself: the name of the parameter
    /// to blame, and the reason. `None` if they do not.
    fn contradiction(&self, given: &Configured<Self>) -> Option<(&'static str, String)>;
}

/// A part with an allowed value for each of its parameters.
pub struct Configured<D: Described> {
    description: &'static D,
    /// Values in the order of the description's parameters.
    values: Box<[Value]>,
}

/// A refused setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Name of the refused parameter.
    pub parameter: String,
    /// The refused value, and the values that are allowed.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.parameter, self.reason)
    }
}

impl std::error::Error for Refused {}

impl<D: Described> Configured<D> {
    /// Returns the part with its defaults, each turned into a value by `default`.
    pub fn new(description: &'static D, default: impl Fn(D::Default) -> Value) -> Configured<D> {
        let values = description.parameters().iter().map(|parameter| default(parameter.default)).collect();
        Configured { description, values }
    }

    /// Returns the part's declaration.
    pub fn description(&self) -> &'static D {
        self.description
    }

    /// Returns the value of the parameter of this name, if there is one.
    pub fn value(&self, name: &str) -> Option<Value> {
        let index = self.description.parameters().iter().position(|parameter| parameter.name == name)?;
        Some(self.values[index])
    }

    /// Sets parameters, checked one by one and then together.
    ///
    /// # Errors
    /// When there is no parameter of a given name, or a value is not allowed, or values contradict each other. Nothing is set then.
    pub fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        let refused = |parameter: &str, reason| Err(Refused { parameter: parameter.to_owned(), reason });
        let parameters = self.description.parameters();
        let mut new = self.clone();
        for &(parameter, value) in values {
            let Some(index) = parameters.iter().position(|known| known.name == parameter) else {
                return refused(parameter, format!("`{}` has no such parameter", self.description.name()));
            };
            let kind = parameters[index].kind;
            if !kind.allows(value) {
                return refused(parameter, format!("{value} is out of range: {} is allowed", kind.allowed()));
            }
            new.values[index] = value;
        }
        if let Some((parameter, reason)) = self.description.contradiction(&new) {
            return refused(parameter, reason);
        }
        *self = new;
        Ok(())
    }

    /// Returns the value of `parameter`, whose type must fit. The panic's message names the type by `thing`.
    fn read<T: Field>(&self, parameter: &Parameter<D::Default>, thing: &str) -> T {
        let value = self.value(parameter.name).expect("a part reads only what it declares");
        T::from_value(value).unwrap_or_else(|| panic!("{}, {value}, is not {thing}", parameter.name))
    }

    /// Returns the value of a [`Kind::Number`](super::Kind::Number) or [`Kind::Segments`](super::Kind::Segments).
    ///
    /// # Panics
    /// When the part does not declare `parameter`, or declares it as another kind. So do the other methods that read a value.
    pub fn number(&self, parameter: &Parameter<D::Default>) -> f64 {
        self.read(parameter, "a number")
    }

    /// Like [`Configured::number`], but `None` when the value is [automatic](Value::Automatic).
    pub fn number_if_set(&self, parameter: &Parameter<D::Default>) -> Option<f64> {
        (self.value(parameter.name) != Some(Value::Automatic)).then(|| self.number(parameter))
    }

    /// Returns the value of a [`Kind::Time`](super::Kind::Time).
    pub fn time(&self, parameter: &Parameter<D::Default>) -> Span {
        self.read(parameter, "a time")
    }

    /// Like [`Configured::time`], but `None` when the value is [none](Value::None).
    pub fn time_if_set(&self, parameter: &Parameter<D::Default>) -> Option<Span> {
        self.read(parameter, "a time or none")
    }

    /// Returns the value of a [`Kind::Rate`](super::Kind::Rate); `None` when it is [none](Value::None).
    pub fn rate_if_set(&self, parameter: &Parameter<D::Default>) -> Option<Rate> {
        self.read(parameter, "a rate or none")
    }

    /// Returns the value of a [`Kind::Bytes`](super::Kind::Bytes).
    pub fn bytes(&self, parameter: &Parameter<D::Default>) -> u64 {
        self.read(parameter, "a size")
    }

    /// Returns the value of a [`Kind::Count`](super::Kind::Count).
    pub fn count(&self, parameter: &Parameter<D::Default>) -> u64 {
        self.read(parameter, "a whole number")
    }

    /// Returns the value of a [`Kind::Word`](super::Kind::Word).
    pub fn word(&self, parameter: &Parameter<D::Default>) -> &'static str {
        self.read(parameter, "a word")
    }

    /// Returns the value of a [`Kind::Flag`](super::Kind::Flag).
    pub fn flag(&self, parameter: &Parameter<D::Default>) -> bool {
        self.read(parameter, "true or false")
    }
}

impl<D: Described> Clone for Configured<D> {
    fn clone(&self) -> Configured<D> {
        Configured { description: self.description, values: self.values.clone() }
    }
}

impl<D: Described> PartialEq for Configured<D> {
    fn eq(&self, other: &Configured<D>) -> bool {
        self.description.name() == other.description.name() && self.values == other.values
    }
}

/// Visits one part with the description's name as its key, and the parameters below it.
impl<D: Described> Component for Configured<D> {
    fn visit(&self, visitor: &mut dyn Visitor) {
        visitor.part(self.description.name(), &Parameters(self));
    }
}

struct Parameters<'a, D: Described>(&'a Configured<D>);

impl<D: Described> Component for Parameters<'_, D> {
    fn visit(&self, visitor: &mut dyn Visitor) {
        for (parameter, value) in self.0.description.parameters().iter().zip(&self.0.values) {
            visitor.setting(parameter.name, *value);
        }
    }
}

/// Shows name and parameters, as in `vegas { alpha: Number(1.0), beta: Number(3.0), gamma: Number(1.0) }`.
impl<D: Described> fmt::Debug for Configured<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(self.description.name());
        for (parameter, value) in self.description.parameters().iter().zip(&self.values) {
            shown.field(parameter.name, value);
        }
        shown.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Range};
    use super::*;

    struct Window;

    const LOW: Parameter = Parameter {
        name: "low",
        kind: Kind::Number(Range::NOT_NEGATIVE),
        default: Value::Automatic,
        help: "the lower bound",
    };
    const HIGH: Parameter = Parameter {
        name: "high",
        kind: Kind::Number(Range::POSITIVE),
        default: Value::Number(3.0),
        help: "the upper bound",
    };

    impl Described for Window {
        type Default = Value;

        fn name(&self) -> &'static str {
            "window"
        }

        fn parameters(&self) -> &'static [Parameter] {
            &[LOW, HIGH]
        }

        fn contradiction(&self, given: &Configured<Window>) -> Option<(&'static str, String)> {
            let (low, high) = (given.number_if_set(&LOW)?, given.number(&HIGH));
            (low > high).then(|| (LOW.name, format!("low, {low}, is above high, {high}")))
        }
    }

    fn window() -> Configured<Window> {
        Configured::new(&Window, |default| default)
    }

    #[test]
    fn a_parameter_that_is_set_is_read_again_and_shown() {
        let mut given = window();
        assert_eq!(format!("{given:?}"), "window { low: Automatic, high: Number(3.0) }");
        given.set(&[("high", Value::Number(4.0))]).expect("allowed");
        assert_eq!((given.number_if_set(&LOW), given.number(&HIGH)), (None, 4.0));
        assert_eq!((given.value("low"), given.value("middle")), (Some(Value::Automatic), None));
        assert_ne!(given, window());
    }

    #[test]
    fn one_bad_value_refuses_all() {
        for (values, wanted) in [
            (
                &[("high", Value::Number(4.0)), ("width", Value::Number(1.0))][..],
                "width: `window` has no such parameter",
            ),
            (&[("high", Value::Number(-1.0))], "high: -1 is out of range: a number above 0 is allowed"),
            (&[("high", Value::Word("tall"))], "high: tall is out of range"),
            (&[("high", Value::Automatic)], "high: automatic is out of range"),
            (&[("low", Value::Number(4.0))], "low: low, 4, is above high, 3"),
        ] {
            let mut given = window();
            let refused = given.set(values).expect_err("not allowed");
            assert!(refused.to_string().contains(wanted), "{refused}");
            assert_eq!(given, window());
        }
    }
}
