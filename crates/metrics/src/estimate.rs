//! The mean of a metric over seeds, and its confidence interval.

use crate::average::mean;
use crate::{Undefined, t_975};

/// A mean over seeds with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean over the seeds.
    pub mean: f64,
    /// Ends of the two-sided 95 % interval of the mean; `None` for one seed, which says nothing about the spread.
    pub ci95: Option<(f64, f64)>,
    /// Number of seeds.
    pub n: usize,
}

/// The verdict of a sample on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The whole interval agrees with the statement.
    Holds,
    /// The whole interval contradicts the statement.
    Fails,
    /// The interval has values of both kinds, or there is none.
    Undecided,
}

/// Returns the mean and its 95 % interval by Student's t, `mean -+ t_{0.975, n-1} s / sqrt(n)` with the sample's standard
/// deviation `s = sqrt(((x_1 - mean)^2 + ... + (x_n - mean)^2) / (n - 1))`, in the unit of the values.
///
/// Seeds are independent replications: Law, "Simulation Modeling and Analysis", 5th ed., Section 9.4.1.
///
/// # Errors
/// [`Undefined`] for no values, or a value that is not finite.
pub fn estimate(values: &[f64]) -> Result<Estimate, Undefined> {
    let mean = mean(values)?;
    // For equal values, such as those of runs without randomness, rounding would give an interval of 1e-16.
    let centre = if values.iter().all(|&value| value == values[0]) { values[0] } else { mean };
    let n = values.len();
    let ci95 = (n > 1).then(|| {
        let squares: f64 = values.iter().map(|x| (x - centre) * (x - centre)).sum();
        let standard_error = (squares / (n - 1) as f64 / n as f64).sqrt();
        let half = t_975((n - 1) as u32) * standard_error;
        (centre - half, centre + half)
    });
    Ok(Estimate { mean: centre, ci95, n })
}

impl Estimate {
    /// Whether the quantity is above `threshold`, at 95 %. This holds if the whole interval is above the threshold, fails if
    /// no part of it is, and is undecided otherwise. An interval that is a single point at the threshold is not above it.
    pub fn above(&self, threshold: f64) -> Verdict {
        match self.ci95 {
            Some((low, _)) if low > threshold => Verdict::Holds,
            Some((_, high)) if high <= threshold => Verdict::Fails,
            _ => Verdict::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_values_have_an_interval_without_width() {
        // Five times 0.957 over 5 is 0.9570000000000001 in floating point.
        let estimate = estimate(&[0.957; 5]).unwrap();
        assert_eq!((estimate.mean, estimate.ci95), (0.957, Some((0.957, 0.957))));
    }

    #[test]
    fn by_hand() {
        // Mean 3, s = sqrt(10 / 4), s / sqrt(5) = sqrt(0.5), t_{0.975, 4} = 2.776445.
        let estimate = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let (low, high) = estimate.ci95.unwrap();
        assert_eq!((estimate.mean, estimate.n), (3.0, 5));
        assert!((high - 4.963_243).abs() < 1e-6, "{high}");
        assert!((low - 1.036_757).abs() < 1e-6, "{low}");
    }

    #[test]
    fn one_seed_has_no_interval_and_none_no_mean() {
        assert_eq!(estimate(&[7.0]), Ok(Estimate { mean: 7.0, ci95: None, n: 1 }));
        assert_eq!(estimate(&[]), Err(Undefined::Nothing("values")));
        assert!(estimate(&[1.0, f64::INFINITY]).is_err());
    }

    #[test]
    fn verdicts_follow_the_interval() {
        let with = |ci95| Estimate { mean: 0.0, ci95, n: 2 };
        assert_eq!(with(Some((0.1, 0.5))).above(0.0), Verdict::Holds);
        assert_eq!(with(Some((-0.5, -0.1))).above(0.0), Verdict::Fails);
        assert_eq!(with(Some((0.0, 0.0))).above(0.0), Verdict::Fails);
        assert_eq!(with(Some((0.0, 0.5))).above(0.0), Verdict::Undecided);
        assert_eq!(with(None).above(0.0), Verdict::Undecided);
    }

    #[test]
    fn intervals_cover_the_mean_nineteen_times_in_twenty() {
        // Uniform draws of a fixed linear congruential generator, four in each sample, for which the normal's 1.96 would
        // cover 85 %.
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let samples = 20_000;
        let covering = (0..samples)
            .filter(|_| {
                // A sum of twelve uniforms is nearly normal, with mean 6.
                let values: Vec<f64> = (0..4).map(|_| (0..12).map(|_| draw()).sum()).collect();
                let (low, high) = estimate(&values).unwrap().ci95.unwrap();
                low <= 6.0 && 6.0 <= high
            })
            .count();
        let coverage = covering as f64 / f64::from(samples);
        assert!((coverage - 0.95).abs() < 0.01, "{coverage}");
    }

    proptest! {
        #[test]
        fn the_interval_surrounds_the_mean_and_shifts_with_it(
            values in prop::collection::vec(-1e3f64..1e3, 2..30), shift in -1e3f64..1e3,
        ) {
            let here = estimate(&values).unwrap();
            let (low, high) = here.ci95.unwrap();
            prop_assert!(low <= here.mean && here.mean <= high);
            let shifted: Vec<_> = values.iter().map(|x| x + shift).collect();
            let there = estimate(&shifted).unwrap().ci95.unwrap();
            prop_assert!((there.0 - low - shift).abs() < 1e-8 && (there.1 - high - shift).abs() < 1e-8);
        }
    }
}
