//! Arithmetic means.

use crate::Undefined;
use crate::undefined::{require_finite, require_non_negative};

/// Returns the arithmetic mean, `(x_1 + ... + x_n) / n`, in the unit of its input.
///
/// # Errors
/// [`Undefined`] for no values, or a value that is not finite.
pub fn mean(values: &[f64]) -> Result<f64, Undefined> {
    if values.is_empty() {
        return Err(Undefined::Nothing("values"));
    }
    require_finite(values, "a value")?;
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the mean finish time of sessions, in seconds; smaller is better.
///
/// `m_bar = (m_1 + ... + m_K) / K`, where `m` is Jung & Park's measured finish time (Section 3.3): from the requested start
/// of a session until its last byte is sent, acknowledged or delivered. Unfinished sessions are left out, which biases the
/// mean downwards.
///
/// # Errors
/// [`Undefined`] for no finished sessions, or a time that is negative or not finite.
pub fn finish_time_mean(finish_times: &[f64]) -> Result<f64, Undefined> {
    if finish_times.is_empty() {
        return Err(Undefined::Nothing("finished sessions"));
    }
    require_non_negative(finish_times, "a finish time")?;
    mean(finish_times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Ok(3.0));
        assert_eq!(finish_time_mean(&[0.25, 0.75]), Ok(0.5));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(mean(&[]), Err(Undefined::Nothing("values")));
        assert!(mean(&[1.0, f64::NAN]).is_err());
        assert_eq!(finish_time_mean(&[]), Err(Undefined::Nothing("finished sessions")));
        assert_eq!(finish_time_mean(&[-0.1]), Err(Undefined::OutOfRange("a finish time")));
    }

    proptest! {
        #[test]
        fn a_mean_lies_between_the_extremes(values in prop::collection::vec(-1e6f64..1e6, 1..50)) {
            let mean = mean(&values).unwrap();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(low - 1e-9 <= mean && mean <= high + 1e-9);
        }
    }
}
