//! Comparison of two systems run with the same seeds.

use crate::{Estimate, Undefined, estimate};

/// Returns the mean and 95 % interval of `a_i - b_i`, where both were run with seed i, in the unit of the values.
///
/// With common random numbers, the effect of a seed on both cancels, so the interval is narrower than from two independent
/// samples. Law, "Simulation Modeling and Analysis", 5th ed., Sections 10.2.1 and 11.2. "A is greater than B" is
/// `paired_difference(a, b)?.above(0.0)`.
///
/// # Errors
/// [`Undefined`] for samples of different lengths, no values, or a value that is not finite.
pub fn paired_difference(a: &[f64], b: &[f64]) -> Result<Estimate, Undefined> {
    if a.len() != b.len() {
        return Err(Undefined::Unpaired);
    }
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    estimate(&differences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use proptest::prelude::*;

    #[test]
    fn what_the_seeds_share_cancels() {
        // The seeds differ by far more than the systems do.
        let b = [10.0, 200.0, 3_000.0];
        let a = [11.0, 201.5, 3_000.5];
        let difference = paired_difference(&a, &b).unwrap();
        // Differences 1, 1.5, 0.5: mean 1, s = 0.5, t_{0.975, 2} = 4.302653.
        let (low, _) = difference.ci95.unwrap();
        assert_eq!(difference.mean, 1.0);
        assert!((low - (1.0 - 4.302_653 * 0.5 / 3f64.sqrt())).abs() < 1e-6, "{low}");
        assert_eq!(difference.above(0.0), Verdict::Undecided);
        assert_eq!(difference.above(-1.0), Verdict::Holds);
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(paired_difference(&[1.0], &[]), Err(Undefined::Unpaired));
        assert_eq!(paired_difference(&[], &[]), Err(Undefined::Nothing("values")));
        assert!(paired_difference(&[f64::INFINITY], &[f64::INFINITY]).is_err());
    }

    proptest! {
        #[test]
        fn exchanging_the_systems_changes_the_sign(
            pairs in prop::collection::vec((-1e3f64..1e3, -1e3f64..1e3), 2..30),
        ) {
            let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let there = paired_difference(&a, &b).unwrap();
            let back = paired_difference(&b, &a).unwrap();
            prop_assert_eq!(there.mean, -back.mean);
            let ((low, high), (back_low, back_high)) = (there.ci95.unwrap(), back.ci95.unwrap());
            prop_assert_eq!((low, high), (-back_high, -back_low));
        }
    }
}
