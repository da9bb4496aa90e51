//! Jain's fairness index.

use crate::Undefined;
use crate::undefined::require_non_negative;

/// Returns Jain's fairness index, `(x_1 + ... + x_n)^2 / (n (x_1^2 + ... + x_n^2))`.
///
/// Jain, Chiu & Hawe, "A quantitative measure of fairness and discrimination for resource allocation in shared computer
/// systems", DEC-TR-301, 1984. No unit; from 1/n (one flow has all) to 1 (all equal); larger is better. The index does not
/// change when every value is multiplied by the same number.
///
/// # Errors
/// [`Undefined`] for no values, all zero, or a value that is negative or not finite.
pub fn jain(allocations: &[f64]) -> Result<f64, Undefined> {
    if allocations.is_empty() {
        return Err(Undefined::Nothing("flows"));
    }
    require_non_negative(allocations, "a throughput")?;
    let largest = allocations.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(Undefined::Zero("the total throughput"));
    }
    // Values are divided by the largest one, so that no square overflows or vanishes.
    let (sum, squares) = allocations
        .iter()
        .map(|x| x / largest)
        .fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    Ok(sum * sum / (allocations.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(jain(&[5.0, 5.0, 5.0]), Ok(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Ok(0.25));
        // (1 + 2 + 3)^2 / (3 x 14)
        assert!((jain(&[1.0, 2.0, 3.0]).unwrap() - 36.0 / 42.0).abs() < 1e-15);
    }

    #[test]
    fn the_published_example() {
        // Mamatas & Tsaoussidis give 0.982 for these six throughputs in Mb/s.
        let index = jain(&[9.0, 9.5, 8.5, 9.0, 9.0, 6.0]).unwrap();
        assert!((index - 0.982).abs() < 5e-4, "{index}");
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(jain(&[]), Err(Undefined::Nothing("flows")));
        assert_eq!(jain(&[0.0, 0.0]), Err(Undefined::Zero("the total throughput")));
        assert_eq!(jain(&[1.0, -1.0]), Err(Undefined::OutOfRange("a throughput")));
        assert!(jain(&[f64::INFINITY]).is_err());
    }

    #[test]
    fn tiny_and_huge_values_keep_their_ratio() {
        assert_eq!(jain(&[1e-300, 1e-300]), Ok(1.0));
        assert_eq!(jain(&[1e300, 0.0]), Ok(0.5));
    }

    proptest! {
        #[test]
        fn range_scale_and_order(
            mut values in prop::collection::vec(1e-3f64..1e9, 1..40), factor in 1e-6f64..1e6,
        ) {
            let index = jain(&values).unwrap();
            let n = values.len() as f64;
            prop_assert!(1.0 / n - 1e-12 <= index && index <= 1.0 + 1e-12);
            let scaled: Vec<_> = values.iter().map(|x| x * factor).collect();
            prop_assert!((jain(&scaled).unwrap() - index).abs() < 1e-12);
            values.reverse();
            prop_assert!((jain(&values).unwrap() - index).abs() < 1e-12);
        }

        #[test]
        fn k_equal_users_of_n_give_k_over_n(k in 1usize..20, idle in 0usize..20, rate in 1e-3f64..1e9) {
            let values: Vec<_> = std::iter::repeat_n(rate, k).chain(std::iter::repeat_n(0.0, idle)).collect();
            prop_assert!((jain(&values).unwrap() - k as f64 / (k + idle) as f64).abs() < 1e-12);
        }
    }
}
