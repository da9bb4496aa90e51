//! Why a metric has no value.

/// The reason why a metric has no value, which is the `reason` beside a metric that is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// There is nothing that the metric could be computed from.
    #[error("there are no {0}")]
    Nothing(&'static str),
    /// A denominator is zero.
    #[error("{0} is zero")]
    Zero(&'static str),
    /// A value is outside the domain of the definition: negative where that means nothing, infinite, or NaN.
    #[error("{0} is outside its range")]
    OutOfRange(&'static str),
    /// The scenario lacks a key that the definition needs.
    #[error("the scenario does not set {0}")]
    NotSet(&'static str),
    /// The definition does not fit the run. The text is the whole reason.
    #[error("{0}")]
    Inapplicable(&'static str),
    /// Two samples should have been taken at the same seeds.
    #[error("the two samples differ in length, so they cannot be paired")]
    Unpaired,
}

/// Rejects anything but finite numbers of zero or more.
pub(crate) fn require_non_negative(values: &[f64], what: &'static str) -> Result<(), Undefined> {
    require_all(values, what, |value| value >= 0.0)
}

/// Rejects anything but a finite number above zero.
pub(crate) fn require_positive(value: f64, what: &'static str) -> Result<(), Undefined> {
    require_all(&[value], what, |value| value > 0.0)
}

/// Rejects infinities and NaN.
pub(crate) fn require_finite(values: &[f64], what: &'static str) -> Result<(), Undefined> {
    require_all(values, what, |_| true)
}

fn require_all(values: &[f64], what: &'static str, holds: impl Fn(f64) -> bool) -> Result<(), Undefined> {
    let all = values.iter().all(|&value| value.is_finite() && holds(value));
    if all { Ok(()) } else { Err(Undefined::OutOfRange(what)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_reads_as_a_sentence() {
        assert_eq!(Undefined::Nothing("finished sessions").to_string(), "there are no finished sessions");
        assert_eq!(Undefined::Zero("the total throughput").to_string(), "the total throughput is zero");
        let key = Undefined::NotSet("throughput_max in [effort]");
        assert_eq!(key.to_string(), "the scenario does not set throughput_max in [effort]");
    }

    #[test]
    fn only_finite_numbers_in_range_pass() {
        assert!(require_non_negative(&[0.0, 1.0], "x").is_ok());
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(require_non_negative(&[1.0, bad], "x"), Err(Undefined::OutOfRange("x")));
        }
        assert!(require_positive(1e-300, "x").is_ok());
        assert!(require_positive(0.0, "x").is_err() && require_positive(f64::NAN, "x").is_err());
        assert!(require_finite(&[-1.0], "x").is_ok());
        assert!(require_finite(&[f64::NEG_INFINITY], "x").is_err());
    }
}
