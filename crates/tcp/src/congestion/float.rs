//! Arithmetic on floats in few instructions. No float may be NaN, and integers must be below 2^63.
//!
//! The library's functions also serve other numbers. Processors have no instruction between unsigned 64 and a float, so these conversions
//! take several, and rounding is a call where not every processor has an instruction.

use airfair_core::Span;

/// An integer as a float.
#[inline]
pub fn float(number: u64) -> f64 {
    number.cast_signed() as f64
}

/// The length of a span in seconds.
#[inline]
pub fn seconds(span: Span) -> f64 {
    float(span.0) / 1e9
}

/// Rounds a number down that is not negative.
#[inline]
pub fn floor(number: f64) -> f64 {
    (number as i64) as f64
}

/// Rounds a number up that is not negative.
#[inline]
pub fn ceil(number: f64) -> f64 {
    let whole = floor(number);
    if whole < number { whole + 1.0 } else { whole }
}

/// The larger of two numbers.
#[inline]
pub fn larger(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}

/// The smaller of two numbers.
#[inline]
pub fn smaller(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_agree_with_the_library(one in 0.0..1e18f64, other in 0.0..1e18f64, bits in 0u32..60, whole in 0u64..1 << 63) {
            // Numbers of any size, with and without a fraction.
            for number in [one, one / (1u64 << bits) as f64, whole as f64] {
                prop_assert_eq!((floor(number), ceil(number)), (number.floor(), number.ceil()));
                prop_assert_eq!(larger(number, other), number.max(other));
                prop_assert_eq!(smaller(number, other), number.min(other));
            }
            prop_assert_eq!(float(whole), whole as f64);
            prop_assert_eq!(seconds(Span(whole)), Span(whole).as_secs());
        }
    }
}
