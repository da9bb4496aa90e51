//! Worst-case fairness.

use crate::Undefined;
use crate::undefined::require_non_negative;

/// Returns the worst-case fairness, `min(x_1, ..., x_n) / max(x_1, ..., x_n)`.
///
/// Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", the definition after the Fairness
/// Index. No unit; from 0 (one gets nothing) to 1 (all equal); larger is better.
///
/// # Errors
/// [`Undefined`] for no values, all zero, or a value that is negative or not finite.
pub fn worst_case_fairness(throughputs: &[f64]) -> Result<f64, Undefined> {
    if throughputs.is_empty() {
        return Err(Undefined::Nothing("flows"));
    }
    require_non_negative(throughputs, "a throughput")?;
    let least = throughputs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = throughputs.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return Err(Undefined::Zero("the largest throughput"));
    }
    Ok(least / most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_example_by_its_definition() {
        // The paper prints 0.667 for these, which is 6/9; its own definition gives 6/9.5.
        let fairness = worst_case_fairness(&[9.0, 9.5, 8.5, 9.0, 9.0, 6.0]).unwrap();
        assert!((fairness - 6.0 / 9.5).abs() < 1e-15);
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(worst_case_fairness(&[]), Err(Undefined::Nothing("flows")));
        assert_eq!(worst_case_fairness(&[0.0]), Err(Undefined::Zero("the largest throughput")));
        assert!(worst_case_fairness(&[-1.0, 1.0]).is_err());
    }

    proptest! {
        #[test]
        fn range_and_scale(values in prop::collection::vec(0.0f64..1e9, 1..40), factor in 1e-3f64..1e3) {
            prop_assume!(values.iter().any(|&x| x > 1e-6));
            let fairness = worst_case_fairness(&values).unwrap();
            prop_assert!((0.0..=1.0).contains(&fairness));
            let scaled: Vec<_> = values.iter().map(|x| x * factor).collect();
            prop_assert!((worst_case_fairness(&scaled).unwrap() - fairness).abs() < 1e-12);
        }
    }
}
