//! How much the members of a group differ.

use crate::Undefined;
use crate::average::mean;
use crate::undefined::{require_finite, require_non_negative};

/// Returns the population standard deviation over the mean, `sqrt(((x_1 - R)^2 + ... + (x_n - R)^2) / n) / R` with mean R.
///
/// Blefari-Melazzi et al., "Controlling TCP Fairness in WLAN access networks using a Rate Limiter approach", Fig. 4
/// (sigma_up / R_up). No unit; from 0 (all equal) to sqrt(n - 1) (one has all); smaller is better. The deviation is the
/// population's, because the flows of a group are all there are, not a sample.
///
/// # Errors
/// [`Undefined`] for no values, all zero, or a value that is negative or not finite.
pub fn sigma_over_mean(throughputs: &[f64]) -> Result<f64, Undefined> {
    if throughputs.is_empty() {
        return Err(Undefined::Nothing("flows"));
    }
    require_non_negative(throughputs, "a throughput")?;
    let centre = mean(throughputs)?;
    if centre == 0.0 {
        return Err(Undefined::Zero("the mean throughput"));
    }
    let squares: f64 = throughputs.iter().map(|x| x / centre - 1.0).map(|excess| excess * excess).sum();
    Ok((squares / throughputs.len() as f64).sqrt())
}

/// Returns the population standard deviation, `sqrt(((x_1 - m)^2 + ... + (x_n - m)^2) / n)` with mean m, in the unit of its
/// input.
///
/// Ghosh, Das, Roy & Mukherjee, "Constant Congestion Window approach for TCP - effect on Fairness", Section 2.2, for the
/// packets of each sender that got through: "the smaller the standard deviation, the greater is the fairness". 0 (all equal)
/// or more; smaller is better. The deviation is the population's, as in [`sigma_over_mean`]; the paper does not say which.
///
/// # Errors
/// [`Undefined`] for no values, or one that is not finite.
pub fn standard_deviation(values: &[f64]) -> Result<f64, Undefined> {
    if values.is_empty() {
        return Err(Undefined::Nothing("flows"));
    }
    require_finite(values, "a value")?;
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - centre) * (x - centre)).sum();
    Ok((squares / values.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jain;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(sigma_over_mean(&[3.0, 3.0]), Ok(0.0));
        // Mean 2, population deviation 1.
        assert_eq!(sigma_over_mean(&[1.0, 3.0]), Ok(0.5));
        assert_eq!((standard_deviation(&[1.0, 3.0]), standard_deviation(&[0.0, 0.0])), (Ok(1.0), Ok(0.0)));
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares in sum 32, a sample's deviation would be 2.138.
        assert_eq!(standard_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Ok(2.0));
        // One of five has all: sqrt(5 - 1).
        assert!((sigma_over_mean(&[1.0, 0.0, 0.0, 0.0, 0.0]).unwrap() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(standard_deviation(&[]), Err(Undefined::Nothing("flows")));
        assert!(standard_deviation(&[1.0, f64::INFINITY]).is_err());
        assert_eq!(sigma_over_mean(&[]), Err(Undefined::Nothing("flows")));
        assert_eq!(sigma_over_mean(&[0.0, 0.0]), Err(Undefined::Zero("the mean throughput")));
        assert!(sigma_over_mean(&[f64::NAN]).is_err());
    }

    proptest! {
        #[test]
        fn it_says_the_same_as_jains_index(values in prop::collection::vec(1.0f64..1e9, 1..40)) {
            // J = 1 / (1 + (sigma / mean)^2): Jain, Chiu & Hawe.
            let spread = sigma_over_mean(&values).unwrap();
            let centre = mean(&values).unwrap();
            prop_assert!((standard_deviation(&values).unwrap() / centre - spread).abs() < 1e-9);
            prop_assert!((jain(&values).unwrap() - 1.0 / (1.0 + spread * spread)).abs() < 1e-9);
        }
    }
}
