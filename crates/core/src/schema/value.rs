//! Values of settings, and the Rust types that hold them.

use super::kind::Kind;
use crate::rate::Rate;
use crate::time::Span;
use std::fmt;

/// The value of a setting, in base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A value of [`Kind::Number`], [`Kind::Fraction`] or [`Kind::Segments`].
    Number(f64),
    /// A value of [`Kind::Count`].
    Count(u64),
    /// A value of [`Kind::Time`].
    Time(Span),
    /// A value of [`Kind::Bytes`].
    Bytes(u64),
    /// A value of [`Kind::Rate`].
    Rate(Rate),
    /// A value of [`Kind::Length`], in metres.
    Length(f64),
    /// A value of [`Kind::Level`], in decibels.
    Level(f64),
    /// A value of [`Kind::Power`], in decibels over 1 mW.
    Power(f64),
    /// A value of [`Kind::Word`].
    Word(&'static str),
    /// A value of [`Kind::Flag`].
    Flag(bool),
    /// A default of any kind: the part computes the value itself. Users cannot set it.
    Automatic,
    /// A default of any kind: no value, as in "no upper bound". Users cannot set it.
    None,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Count(count) => write!(f, "{count}"),
            Value::Time(span) => write!(f, "{span}"),
            Value::Bytes(bytes) => write!(f, "{bytes} B"),
            Value::Rate(rate) => write!(f, "{} b/s", rate.bits_per_second()),
            Value::Length(metres) => write!(f, "{metres} m"),
            Value::Level(decibels) => write!(f, "{decibels} dB"),
            Value::Power(decibels) => write!(f, "{decibels} dBm"),
            Value::Word(word) => f.write_str(word),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Automatic => f.write_str("automatic"),
            Value::None => f.write_str("none"),
        }
    }
}

/// A Rust type that a field of a [`settings!`](crate::settings) table may have.
pub trait Field: Copy + PartialEq {
    /// Converts the value of a field to the value of a setting of this kind.
    fn to_value(self, kind: Kind) -> Value;

    /// Converts the value of a setting to the value of a field. Returns `None` if the type cannot hold it.
    fn from_value(value: Value) -> Option<Self>;
}

/// Implements [`Field`] for types with a variant of [`Value`] to themselves.
macro_rules! fields {
    ($($Type:ty: $Variant:ident),+) => {
        $(impl Field for $Type {
            fn to_value(self, _: Kind) -> Value {
                Value::$Variant(self)
            }

            fn from_value(value: Value) -> Option<$Type> {
                match value {
                    Value::$Variant(value) => Some(value),
                    _ => None,
                }
            }
        })+
    };
}

fields!(Span: Time, Rate: Rate, &'static str: Word, bool: Flag);

impl Field for f64 {
    fn to_value(self, kind: Kind) -> Value {
        match kind {
            Kind::Length(_) => Value::Length(self),
            Kind::Level(_) => Value::Level(self),
            Kind::Power(_) => Value::Power(self),
            _ => Value::Number(self),
        }
    }

    fn from_value(value: Value) -> Option<f64> {
        match value {
            Value::Number(number) | Value::Length(number) | Value::Level(number) | Value::Power(number) => {
                Some(number)
            }
            _ => None,
        }
    }
}

impl Field for u64 {
    fn to_value(self, kind: Kind) -> Value {
        match kind {
            Kind::Bytes(_) => Value::Bytes(self),
            _ => Value::Count(self),
        }
    }

    fn from_value(value: Value) -> Option<u64> {
        match value {
            Value::Count(number) | Value::Bytes(number) => Some(number),
            _ => None,
        }
    }
}

impl Field for u32 {
    fn to_value(self, kind: Kind) -> Value {
        u64::from(self).to_value(kind)
    }

    fn from_value(value: Value) -> Option<u32> {
        u64::from_value(value)?.try_into().ok()
    }
}

impl<T: Field> Field for Option<T> {
    fn to_value(self, kind: Kind) -> Value {
        self.map_or(Value::None, |value| value.to_value(kind))
    }

    fn from_value(value: Value) -> Option<Option<T>> {
        match value {
            Value::None => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// Declares a closed set of words as an enum: each variant with its spelling in scenario files and in keys of results.
///
/// ```
/// airfair_core::words! {
///     /// Who waits.
///     pub enum Waits {
///         /// All of them.
///         Everybody = "everybody",
///         /// Not one.
///         Nobody = "nobody",
///     }
/// }
/// assert_eq!(*Waits::WORDS, ["everybody", "nobody"]);
/// assert_eq!(Waits::WORDS.meanings().last(), Some(("nobody", "Not one.")));
/// assert_eq!(Waits::from_word("nobody"), Some(Waits::Nobody));
/// assert_eq!(Waits::Everybody.word(), "everybody");
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $($(#[doc = $doc:literal])+ $Variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Name {
            $($(#[doc = $doc])+ $Variant),+
        }

        impl $Name {
            /// All variants, in their order.
            pub const ALL: [$Name; [$($word),+].len()] = [$($Name::$Variant),+];

            /// Spellings and meanings of the variants.
            pub const WORDS: $crate::schema::Words =
                $crate::schema::Words::explained(&[$($word),+], &[$(concat!($($doc),+)),+]);

            /// Returns the spelling of the variant.
            pub const fn word(self) -> &'static str {
                match self {
                    $($Name::$Variant => $word),+
                }
            }

            /// Returns the variant with this spelling.
            pub fn from_word(word: &str) -> Option<$Name> {
                match word {
                    $($word => Some($Name::$Variant),)+
                    _ => None,
                }
            }
        }

        impl $crate::schema::Field for $Name {
            fn to_value(self, _: $crate::schema::Kind) -> $crate::schema::Value {
                $crate::schema::Value::Word(self.word())
            }

            fn from_value(value: $crate::schema::Value) -> Option<$Name> {
                match value {
                    $crate::schema::Value::Word(word) => $Name::from_word(word),
                    _ => None,
                }
            }
        }
    };
}
