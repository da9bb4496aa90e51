//! What can be set of a control: stated once in the control's file, read from there by whatever sets it.

use crate::profile::ByProfile;
use airfair_core::Span;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// A parameter of a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in a scenario's `[tcp.control]`; unique within the control.
    pub name: &'static str,
    /// What it measures, and what is allowed.
    pub kind: Kind,
    /// Its value unless it is set.
    pub default: ByProfile<Value>,
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

    /// The same, and no more than the largest window there can be.
    pub const fn within_a_window(self) -> Range {
        Range { high: Bound::Included(MOST_SEGMENTS), ..self }
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
        }
    }

    /// Whether `value` is of this kind and allowed.
    pub fn allows(&self, value: Value) -> bool {
        match (self, value) {
            (Kind::Number(range) | Kind::Segments(range), Value::Number(number)) => range.contains(number),
            (Kind::Time(range), Value::Time(span)) => range.contains(span.as_secs()),
            (Kind::Bytes(range), Value::Bytes(bytes)) => range.contains(bytes as f64),
            (Kind::Word(words), Value::Word(word)) => words.contains(&word),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Time(span) => write!(f, "{span}"),
            Value::Bytes(bytes) => write!(f, "{bytes} B"),
            Value::Word(word) => f.write_str(word),
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
    }

    #[test]
    fn a_value_of_another_kind_is_not_allowed() {
        let words = Kind::Word(&["beta", "half"]);
        assert!(words.allows(Value::Word("half")) && !words.allows(Value::Word("third")));
        assert!(
            !words.allows(Value::Number(0.5)) && !Kind::Bytes(Range::NOT_NEGATIVE).allows(Value::Number(1.0))
        );
        assert_eq!(words.allowed(), "`beta` or `half`");
    }
}
