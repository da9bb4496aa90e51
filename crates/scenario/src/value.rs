//! A value in a scenario file: written literally or as an expression, and typed by its meaning.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Message for an integer that does not fit into 64 bits.
pub const TOO_LARGE: &str = "the number is too large";
/// Message for a float that is not finite.
pub const NOT_FINITE: &str = "the number is not finite";

/// A value as TOML writes it: a word, a number or a flag.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A string: a word, a quantity or an expression.
    Text(String),
    /// An integer.
    Whole(i64),
    /// A float.
    Real(f64),
    /// `true` or `false`.
    Flag(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Text(text) => f.write_str(text),
            Scalar::Whole(number) => write!(f, "{number}"),
            Scalar::Real(number) => write!(f, "{number}"),
            Scalar::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// `Deserialize` is not derived, because an untagged enum would lose the path and the reason of an error.
impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        struct ScalarVisitor;

        impl Visitor<'_> for ScalarVisitor {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a text, true or false")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.to_owned()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar::Whole(number))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Scalar, E> {
                i64::try_from(number).map(Scalar::Whole).map_err(|_| E::custom(TOO_LARGE))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
                if number.is_finite() { Ok(Scalar::Real(number)) } else { Err(E::custom(NOT_FINITE)) }
            }
            fn visit_bool<E: Error>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar::Flag(flag))
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"] })
    }
}

/// The meaning of a [`Value`]: what kind of thing it is.
pub trait Kind {
    /// Name of the kind in the JSON Schema.
    const NAME: &'static str;
    /// The allowed spellings, for editors.
    const HELP: &'static str;
    /// The JSON types that values of this kind may have.
    const TYPES: &'static [&'static str];
    /// Unit of the numbers, as parameters declare it; empty if values are not numbers.
    const UNIT: &'static str;
}

/// A value of one kind, not yet evaluated.
#[derive(Debug)]
pub struct Value<K> {
    /// The value as the file has it.
    pub scalar: Scalar,
    kind: PhantomData<K>,
}

impl<K> Clone for Value<K> {
    fn clone(&self) -> Self {
        Value { scalar: self.scalar.clone(), kind: PhantomData }
    }
}

impl<'de, K> Deserialize<'de> for Value<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Scalar::deserialize(deserializer).map(|scalar| Value { scalar, kind: PhantomData })
    }
}

impl<K: Kind> JsonSchema for Value<K> {
    fn schema_name() -> Cow<'static, str> {
        K::NAME.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": K::TYPES, "description": K::HELP });
        if !K::UNIT.is_empty() {
            schema.insert("unit".to_owned(), K::UNIT.into());
        }
        schema
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $types:expr, $unit:literal, $help:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl Kind for $name {
            const NAME: &'static str = stringify!($name);
            const HELP: &'static str = $help;
            const TYPES: &'static [&'static str] = &$types;
            const UNIT: &'static str = $unit;
        }
    )*};
}

kinds! {
    /// A rate in bit/s, above zero.
    RateKind: ["string"], "bit/s", "A rate such as `11 Mb/s`, or an expression over the parameters.";
    /// A rate, or the word `measured`.
    ShareKind: ["string"], "bit/s", "A rate such as `5 Mb/s`, the word `measured`, or an expression that gives one of them.";
    /// A time in seconds, not negative.
    TimeKind: ["string"], "s", "A time such as `10 ms`, or an expression over the parameters.";
    /// A whole number of bytes, not negative.
    SizeKind: ["string"], "byte", "A size such as `10 kB`, or an expression over the parameters.";
    /// A length in metres.
    LengthKind: ["string"], "m", "A length such as `10 m`, or an expression over the parameters.";
    /// A level in decibels.
    LevelKind: ["string"], "dB", "A level such as `25 dB`, or an expression over the parameters.";
    /// A power in decibels over 1 mW.
    PowerKind: ["string"], "dBm", "A power such as `-82 dBm`, or an expression over the parameters.";
    /// A whole number, not negative.
    CountKind: ["integer", "string"], "count", "A whole number, or an expression over the parameters.";
    /// A real number.
    NumberKind: ["number", "string"], "number", "A number, or an expression over the parameters.";
    /// A fraction from 0 to 1.
    FractionKind: ["number", "string"], "fraction", "A fraction from 0 to 1, a percentage such as `2 %`, or an expression.";
    /// The length of a queue: packets, bytes, or the time that gives a bandwidth-delay product.
    QueueKind: ["integer", "string"], "packet",
        "A bound in packets (a bare number), in bytes (`64 kB`), or a time whose bytes at the link's rate it is \
         (`100 ms`), or an expression.";
    /// The length of a transmit ring: a bound, or the word `bql`.
    RingKind: ["integer", "string"], "packet",
        "A bound in packets, in bytes or as a time, as for a queue, the word `bql`, or an expression that gives one of them.";
    /// True or false.
    FlagKind: ["boolean", "string"], "", "true, false, or an expression such as `direction == 'upload'`.";
    /// One of a few words.
    WordKind: ["string"], "", "One of the words listed in the guide, or an expression that gives one.";
    /// A name with expressions in braces.
    NameKind: ["string"], "", "A name; expressions in braces are filled in, as in `sta{i}`.";
}

/// See [`RateKind`].
pub type RateValue = Value<RateKind>;
/// See [`ShareKind`].
pub type ShareValue = Value<ShareKind>;
/// See [`TimeKind`].
pub type TimeValue = Value<TimeKind>;
/// See [`SizeKind`].
pub type SizeValue = Value<SizeKind>;
/// See [`LengthKind`].
pub type LengthValue = Value<LengthKind>;
/// See [`LevelKind`].
pub type LevelValue = Value<LevelKind>;
/// See [`PowerKind`].
pub type PowerValue = Value<PowerKind>;
/// See [`CountKind`].
pub type CountValue = Value<CountKind>;
/// See [`NumberKind`].
pub type NumberValue = Value<NumberKind>;
/// See [`FractionKind`].
pub type FractionValue = Value<FractionKind>;
/// See [`QueueKind`].
pub type QueueValue = Value<QueueKind>;
/// See [`RingKind`].
pub type RingValue = Value<RingKind>;
/// See [`FlagKind`].
pub type FlagValue = Value<FlagKind>;
/// See [`WordKind`].
pub type WordValue = Value<WordKind>;
/// See [`NameKind`].
pub type NameValue = Value<NameKind>;
