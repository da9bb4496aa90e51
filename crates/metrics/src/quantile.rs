//! Quantiles.

use crate::Undefined;
use crate::undefined::require_finite;

/// Returns the `p`-quantile of a sample, in the unit of its values.
///
/// Definition 7 of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50(4), 1996 (the
/// default of NumPy and R): of the sorted values x_1..x_n, with h = (n - 1) p + 1, it is
/// `x_floor(h) + (h - floor(h)) (x_ceil(h) - x_floor(h))`.
///
/// # Errors
/// [`Undefined`] for no values, a value that is not finite, or `p` outside 0..1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, Undefined> {
    quantile_with_unfinished(values, Unfinished::Above(0), p)
}

/// Sessions that had not finished when the run ended: their values are unknown, but their order relative to all others is
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// This number of values is below all others.
    Below(usize),
    /// This number of values is above all others.
    Above(usize),
}

/// Returns the [`quantile`] of a sample that includes unfinished sessions: x_1..x_n are the values of all sessions.
///
/// # Errors
/// [`Undefined`] as [`quantile`], and if x_floor(h) or x_ceil(h) is the value of an unfinished session.
pub fn quantile_with_unfinished(values: &[f64], unfinished: Unfinished, p: f64) -> Result<f64, Undefined> {
    let (below, above) = match unfinished {
        Unfinished::Below(count) => (count, 0),
        Unfinished::Above(count) => (0, count),
    };
    let total = below + values.len() + above;
    if total == 0 {
        return Err(Undefined::Nothing("values"));
    }
    require_finite(values, "a value")?;
    if !(0.0..=1.0).contains(&p) {
        return Err(Undefined::OutOfRange("the probability of a quantile"));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let known = |place: f64| {
        let place = (place as usize).checked_sub(below);
        let value = place.and_then(|place| sorted.get(place)).copied();
        value.ok_or(Undefined::Inapplicable("the quantile falls among sessions that had not finished"))
    };
    let position = (total - 1) as f64 * p;
    let (low, high) = (known(position.floor())?, known(position.ceil())?);
    Ok(low + (position - position.floor()) * (high - low))
}

/// Returns the median, which is the 0.5-[`quantile`]: of an even number of values it is the mean of the two middle ones.
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
    fn unfinished_sessions_count_and_have_no_value() {
        let values = [30.0, 10.0, 20.0];
        let above = |p| quantile_with_unfinished(&values, Unfinished::Above(2), p);
        let among = Err(Undefined::Inapplicable("the quantile falls among sessions that had not finished"));
        // Of five values the median is the third; the 0.75-quantile is the fourth; 0.6 lies between third and fourth.
        assert_eq!((above(0.5), above(0.375)), (Ok(30.0), Ok(25.0)));
        assert_eq!((above(0.6), above(0.75), above(1.0)), (among, among, among));
        let below = |p| quantile_with_unfinished(&values, Unfinished::Below(2), p);
        assert_eq!((below(0.5), below(0.9), below(1.0)), (Ok(10.0), Ok(26.0), Ok(30.0)));
        assert_eq!((below(0.0), below(0.4)), (among, among));
        assert_eq!(quantile_with_unfinished(&[], Unfinished::Above(1), 0.5), among);
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

        #[test]
        fn unfinished_sessions_are_as_good_as_very_late_ones(
            values in prop::collection::vec(0.0f64..1e3, 0..20), late in 0usize..20, p in 0.0f64..=1.0,
        ) {
            prop_assume!(!values.is_empty() || late > 0);
            let found = quantile_with_unfinished(&values, Unfinished::Above(late), p);
            let all: Vec<_> = values.iter().copied().chain(std::iter::repeat_n(1e12, late)).collect();
            let expected = quantile(&all, p).unwrap();
            match found {
                Ok(found) => prop_assert_eq!(found, expected),
                Err(_) => prop_assert!(expected > 1e3 || late > 0),
            }
        }
    }
}
