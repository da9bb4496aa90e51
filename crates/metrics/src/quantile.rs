//! Quantiles.

use crate::Undefined;
use crate::undefined::require_finite;

/// The `p`-quantile of a sample, in the unit of its values.
///
/// Definition 7 of Hyndman & Fan, "Sample quantiles in statistical packages", 1996 (the default of NumPy and R):
/// of the sorted values x_1..x_n, with h = (n - 1) p + 1, it is `x_floor(h) + (h - floor(h)) (x_ceil(h) -
/// x_floor(h))`.
///
/// # Errors
/// [`Undefined`] for no values, a value that is not finite, or `p` outside 0..1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, Undefined> {
    if values.is_empty() {
        return Err(Undefined::Nothing("values"));
    }
    require_finite(values, "a value")?;
    if !(0.0..=1.0).contains(&p) {
        return Err(Undefined::OutOfRange("the probability of a quantile"));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = (sorted.len() - 1) as f64 * p;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    Ok(below + (position - position.floor()) * (above - below))
}

/// The median: the 0.5-[`quantile`], so the mean of the two middle values of an even number.
///
/// # Errors
/// As [`quantile`].
pub fn median(values: &[f64]) -> Result<f64, Undefined> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Ok(2.5));
        assert_eq!(quantile(&[0.0, 10.0, 20.0, 30.0, 40.0], 0.9), Ok(36.0));
        assert_eq!(quantile(&[7.0], 0.3), Ok(7.0));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(median(&[]), Err(Undefined::Nothing("values")));
        assert!(median(&[f64::NAN]).is_err());
        assert!(quantile(&[1.0], 1.1).is_err());
        assert!(quantile(&[1.0], f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn quantiles_rise_from_the_least_to_the_greatest(
            mut values in prop::collection::vec(-1e6f64..1e6, 1..40), p in 0.0f64..1.0, q in 0.0f64..1.0,
        ) {
            let (low, high) = (p.min(q), p.max(q));
            prop_assert!(quantile(&values, low).unwrap() <= quantile(&values, high).unwrap());
            let (first, last) = (quantile(&values, 0.0).unwrap(), quantile(&values, 1.0).unwrap());
            values.sort_by(f64::total_cmp);
            prop_assert_eq!(first, values[0]);
            prop_assert_eq!(last, *values.last().unwrap());
        }
    }
}
