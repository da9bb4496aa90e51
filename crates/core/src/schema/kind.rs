//! Units and ranges of settings.

use super::value::Value;
use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};

/// The unit of a setting, and the values that it allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number without unit.
    Number(Range),
    /// A number from 0 to 1, which may be written in per cent.
    Fraction,
    /// A number of segments, not necessarily whole.
    Segments(Range),
    /// A whole number of these things, named in the plural.
    Count(Range, &'static str),
    /// A time; the range is in seconds.
    Time(Range),
    /// A size; the range is in bytes.
    Bytes(Range),
    /// A rate; never zero.
    Rate,
    /// A length; the range is in metres.
    Length(Range),
    /// A ratio of powers; the range is in decibels.
    Level(Range),
    /// A power; the range is in decibels over 1 mW.
    Power(Range),
    /// One of these words.
    Word(Words),
    /// True or false.
    Flag,
}

/// A closed set of words, each with its meaning where that is declared.
///
/// The set dereferences to the words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Words {
    words: &'static [&'static str],
    meanings: &'static [&'static str],
}

impl Words {
    /// Returns words that the help of their setting explains.
    pub const fn of(words: &'static [&'static str]) -> Words {
        Words { words, meanings: &[] }
    }

    /// Returns words with a meaning for each, as [`words!`](crate::words) declares them.
    ///
    /// # Panics
    /// When there are more words than meanings, or fewer.
    pub const fn explained(words: &'static [&'static str], meanings: &'static [&'static str]) -> Words {
        assert!(words.len() == meanings.len());
        Words { words, meanings }
    }

    /// Returns each word with its meaning; nothing if the help of their setting explains the words.
    pub fn meanings(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.words.iter().zip(self.meanings).map(|(word, meaning)| (*word, meaning.trim()))
    }
}

impl Deref for Words {
    type Target = [&'static str];

    fn deref(&self) -> &[&'static str] {
        self.words
    }
}

/// An interval of numbers. Each end is included, excluded or unbounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: Bound<f64>,
    high: Bound<f64>,
}

/// Largest window in segments: 2^30, the most segments that a receive window of one-byte segments holds (RFC 7323, section
/// 2.3).
pub const MOST_SEGMENTS: f64 = 1_073_741_824.0;

impl Range {
    /// Zero and more.
    pub const NOT_NEGATIVE: Range = Range { low: Bound::Included(0.0), high: Bound::Unbounded };
    /// More than zero.
    pub const POSITIVE: Range = Range { low: Bound::Excluded(0.0), high: Bound::Unbounded };
    /// Between zero and one, both excluded.
    pub const PROPER_FRACTION: Range = Range { low: Bound::Excluded(0.0), high: Bound::Excluded(1.0) };

    /// Returns the range from `low` to `high`, both included.
    pub const fn between(low: f64, high: f64) -> Range {
        Range { low: Bound::Included(low), high: Bound::Included(high) }
    }

    /// Returns the range of `low` and more.
    pub const fn at_least(low: f64) -> Range {
        Range { low: Bound::Included(low), high: Bound::Unbounded }
    }

    /// Returns this range with `high`, included, as its upper end.
    pub const fn at_most(self, high: f64) -> Range {
        Range { high: Bound::Included(high), ..self }
    }

    /// Returns this range with the largest possible window, included, as its upper end: see [`MOST_SEGMENTS`].
    pub const fn within_a_window(self) -> Range {
        self.at_most(MOST_SEGMENTS)
    }

    /// Returns the least and the largest number, where the range has them. The largest possible window does not count,
    /// because it bounds nothing in practice.
    pub fn ends(&self) -> (Option<f64>, Option<f64>) {
        let end = |bound: Bound<f64>| match bound {
            Bound::Included(number) => Some(number),
            Bound::Excluded(_) | Bound::Unbounded => None,
        };
        (end(self.low), end(self.high).filter(|high| *high < MOST_SEGMENTS))
    }

    fn contains(&self, number: f64) -> bool {
        number.is_finite() && (self.low, self.high).contains(&number)
    }
}

/// Shows the range in words, as in "above 0 and below 1".
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Bound::Included(low) => write!(f, "at least {low}")?,
            Bound::Excluded(low) => write!(f, "above {low}")?,
            Bound::Unbounded => {}
        }
        if self.low != Bound::Unbounded && self.high != Bound::Unbounded {
            f.write_str(" and ")?;
        }
        match self.high {
            Bound::Included(high) => write!(f, "at most {high}"),
            Bound::Excluded(high) => write!(f, "below {high}"),
            Bound::Unbounded => Ok(()),
        }
    }
}

impl Kind {
    /// Returns the allowed values in words, as in "a number above 0 and below 1".
    pub fn allowed(&self) -> String {
        match self {
            Kind::Number(range) => format!("a number {range}"),
            Kind::Fraction => "a fraction from 0 to 1".to_owned(),
            Kind::Segments(range) => format!("a number of segments {range}"),
            Kind::Count(range, things) => format!("a whole number of {things} {range}"),
            Kind::Time(range) => {
                let range = range.to_string();
                format!("a time {range}{}", if range.ends_with(" 0") { "" } else { " s" })
            }
            Kind::Bytes(range) => format!("a size {range}"),
            Kind::Rate => "a rate above 0".to_owned(),
            Kind::Length(range) => format!("a length {range} m"),
            Kind::Level(range) => format!("a level {range} dB"),
            Kind::Power(range) => format!("a power {range} dBm"),
            Kind::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" or ")
            }
            Kind::Flag => "true or false".to_owned(),
        }
    }

    /// Whether `value` is of this kind and in range.
    pub fn allows(&self, value: Value) -> bool {
        match (self, value) {
            (Kind::Number(range) | Kind::Segments(range), Value::Number(number)) => range.contains(number),
            (Kind::Fraction, Value::Number(number)) => (0.0..=1.0).contains(&number),
            (Kind::Count(range, _), Value::Count(count)) => range.contains(count as f64),
            (Kind::Time(range), Value::Time(span)) => range.contains(span.as_secs()),
            (Kind::Bytes(range), Value::Bytes(bytes)) => range.contains(bytes as f64),
            (Kind::Length(range), Value::Length(number))
            | (Kind::Level(range), Value::Level(number))
            | (Kind::Power(range), Value::Power(number)) => range.contains(number),
            (Kind::Word(words), Value::Word(word)) => words.contains(&word),
            (Kind::Flag, Value::Flag(_)) | (Kind::Rate, Value::Rate(_)) => true,
            _ => false,
        }
    }

    /// Whether `value` may be a default of this kind.
    pub fn allows_default(&self, value: Value) -> bool {
        matches!(value, Value::Automatic | Value::None) || self.allows(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn a_range_tells_which_of_its_ends_it_includes() {
        let fraction = Kind::Number(Range::PROPER_FRACTION);
        assert_eq!(fraction.allowed(), "a number above 0 and below 1");
        let allowed = [0.0, 1e-9, 0.875, 1.0, f64::NAN].map(|number| fraction.allows(Value::Number(number)));
        assert_eq!(allowed, [false, true, true, false, false]);
        let segments = Kind::Segments(Range::NOT_NEGATIVE.within_a_window());
        assert_eq!(segments.allowed(), "a number of segments at least 0 and at most 1073741824");
        assert!(!Kind::Segments(Range::NOT_NEGATIVE).allows(Value::Number(f64::INFINITY)));
        assert!(!Kind::Time(Range::POSITIVE).allows(Value::Time(Span::ZERO)));
        let between = Kind::Number(Range::between(1.0, 2.0));
        assert!(between.allows(Value::Number(1.0)) && between.allows(Value::Number(2.0)));
        assert!(!between.allows(Value::Number(0.999)) && !between.allows(Value::Number(2.001)));
        let count = Kind::Count(Range::at_least(1.0), "slots");
        assert_eq!(count.allowed(), "a whole number of slots at least 1");
        assert!(count.allows(Value::Count(1)) && !count.allows(Value::Count(0)));
    }

    #[test]
    fn a_value_of_another_kind_is_not_allowed() {
        let fractions =
            [-0.01, 0.0, 1.0, 1.01, f64::NAN].map(|number| Kind::Fraction.allows(Value::Number(number)));
        assert_eq!(fractions, [false, true, true, false, false]);
        let words = Kind::Word(Words::of(&["beta", "half"]));
        assert!(words.allows(Value::Word("half")) && !words.allows(Value::Word("third")));
        assert!(
            !words.allows(Value::Number(0.5)) && !Kind::Bytes(Range::NOT_NEGATIVE).allows(Value::Number(1.0))
        );
        assert_eq!(words.allowed(), "`beta` or `half`");
        assert!(Kind::Flag.allows(Value::Flag(false)) && !Kind::Flag.allows(Value::Word("false")));
    }

    #[test]
    fn automatic_is_a_default_and_cannot_be_set() {
        let number = Kind::Number(Range::POSITIVE);
        assert!(number.allows_default(Value::Automatic) && !number.allows(Value::Automatic));
        assert!(number.allows_default(Value::Number(1.0)) && !number.allows_default(Value::Number(0.0)));
    }
}
