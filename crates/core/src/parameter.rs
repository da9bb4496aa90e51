//! What can be set of a part that is chosen by name (a congestion control, a queue discipline): stated once in the part's
//! file, read from there by whatever sets it.

mod configured;

use crate::time::Span;
use std::fmt;
use std::ops::{Bound, RangeBounds};

pub use configured::{Configured, Described, Refused};

/// A parameter of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter<Default = Value> {
    /// Its name in a scenario's table; unique within the part.
    pub name: &'static str,
    /// What it measures, and what is allowed.
    pub kind: Kind,
    /// Its value unless it is set.
    pub default: Default,
    /// What it does, in a few words.
    pub help: &'static str,
}

/// What a parameter measures, and which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A bare number.
    Number(Range),
    /// A number of segments, not necessarily whole.
    Segments(Range),
    /// A time; the range is in seconds.
    Time(Range),
    /// A size; the range is in bytes.
    Bytes(Range),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Yes or no.
    Flag,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Number`] and [`Kind::Segments`].
    Number(f64),
    /// Of [`Kind::Time`].
    Time(Span),
    /// Of [`Kind::Bytes`].
    Bytes(u64),
    /// Of [`Kind::Word`].
    Word(&'static str),
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// A default of any kind: the part finds the value itself. Not set to; left unset.
    Automatic,
}

/// From where to where; the ends belong to it or do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: Bound<f64>,
    high: Bound<f64>,
}

/// 2^30, the most segments that a receive window of one-byte segments holds (RFC 7323, section 2.3): no window needs more.
const MOST_SEGMENTS: f64 = 1_073_741_824.0;

impl Range {
    /// Zero and more.
    pub const NOT_NEGATIVE: Range = Range { low: Bound::Included(0.0), high: Bound::Unbounded };
    /// More than zero.
    pub const POSITIVE: Range = Range { low: Bound::Excluded(0.0), high: Bound::Unbounded };
    /// Between zero and one, neither of them.
    pub const PROPER_FRACTION: Range = Range { low: Bound::Excluded(0.0), high: Bound::Excluded(1.0) };

    /// From `low` to `high`, both of them allowed.
    pub const fn between(low: f64, high: f64) -> Range {
        Range { low: Bound::Included(low), high: Bound::Included(high) }
    }

    /// The same, and no more than this.
    pub const fn at_most(self, high: f64) -> Range {
        Range { high: Bound::Included(high), ..self }
    }

    /// The same, and no more than the largest window there can be.
    pub const fn within_a_window(self) -> Range {
        self.at_most(MOST_SEGMENTS)
    }

    fn contains(&self, number: f64) -> bool {
        number.is_finite() && (self.low, self.high).contains(&number)
    }
}

/// As in "above 0 and below 1".
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
    /// What is allowed, as in "a number above 0 and below 1".
    pub fn allowed(&self) -> String {
        match self {
            Kind::Number(range) => format!("a number {range}"),
            Kind::Segments(range) => format!("a number of segments {range}"),
            Kind::Time(range) => format!("a time {range}"),
            Kind::Bytes(range) => format!("a size {range}"),
            Kind::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" or ")
            }
            Kind::Flag => "true or false".to_owned(),
        }
    }

    /// Whether `value` is of this kind and allowed.
    pub fn allows(&self, value: Value) -> bool {
        match (self, value) {
            (Kind::Number(range) | Kind::Segments(range), Value::Number(number)) => range.contains(number),
            (Kind::Time(range), Value::Time(span)) => range.contains(span.as_secs()),
            (Kind::Bytes(range), Value::Bytes(bytes)) => range.contains(bytes as f64),
            (Kind::Word(words), Value::Word(word)) => words.contains(&word),
            (Kind::Flag, Value::Flag(_)) => true,
            _ => false,
        }
    }

    /// Whether `value` may be a default of this kind.
    pub fn allows_default(&self, value: Value) -> bool {
        value == Value::Automatic || self.allows(value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Time(span) => write!(f, "{span}"),
            Value::Bytes(bytes) => write!(f, "{bytes} B"),
            Value::Word(word) => f.write_str(word),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Automatic => f.write_str("automatic"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_says_which_of_its_ends_belong_to_it() {
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
    }

    #[test]
    fn a_value_of_another_kind_is_not_allowed() {
        let words = Kind::Word(&["beta", "half"]);
        assert!(words.allows(Value::Word("half")) && !words.allows(Value::Word("third")));
        assert!(
            !words.allows(Value::Number(0.5)) && !Kind::Bytes(Range::NOT_NEGATIVE).allows(Value::Number(1.0))
        );
        assert_eq!(words.allowed(), "`beta` or `half`");
        assert!(Kind::Flag.allows(Value::Flag(false)) && !Kind::Flag.allows(Value::Word("false")));
    }

    #[test]
    fn what_is_found_by_itself_is_a_default_and_nothing_to_set() {
        let number = Kind::Number(Range::POSITIVE);
        assert!(number.allows_default(Value::Automatic) && !number.allows(Value::Automatic));
        assert!(number.allows_default(Value::Number(1.0)) && !number.allows_default(Value::Number(0.0)));
    }
}
