//! Student's t distribution, as far as a 95 % interval needs it.
//!
//! This implementation exists because the result must have the same bits on every machine. Maintained crates for it go
//! through the platform's elementary functions, which differ in the last bit. The degrees of freedom are whole numbers here,
//! and for those the distribution has a finite form in square roots (exact by IEEE 754) and one arc tangent (from `libm`).

/// Returns the 0.975-quantile of Student's t with `freedom` degrees of freedom: half the width of a two-sided 95 % interval
/// in standard errors. It is 12.706 for 1, and falls towards 1.960.
///
/// # Panics
/// When `freedom` is zero, for which there is no distribution.
pub fn t_975(freedom: u32) -> f64 {
    assert!(freedom > 0, "Student's t needs a degree of freedom");
    let (mut low, mut high) = (1.9, 12.8);
    // Bisects until no number lies between the ends, which are then as near to the root as a double can be.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if central_probability(middle, freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns P(|T| <= t): Abramowitz & Stegun, "Handbook of Mathematical Functions", 26.7.3 (odd) and 26.7.4 (even).
fn central_probability(t: f64, freedom: u32) -> f64 {
    let n = f64::from(freedom);
    let hypotenuse = (n + t * t).sqrt();
    let (sin, cos) = (t / hypotenuse, n.sqrt() / hypotenuse);
    let cos_squared = cos * cos;
    if freedom % 2 == 1 {
        let theta = libm::atan(t / n.sqrt());
        // cos + 2/3 cos^3 + (2 4)/(3 5) cos^5 + ... up to cos^(n - 2)
        let sum = if freedom == 1 { 0.0 } else { series(cos, cos_squared, 2, freedom) };
        (theta + sin * sum) * std::f64::consts::FRAC_2_PI
    } else {
        // 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 + ... up to cos^(n - 2)
        sin * series(1.0, cos_squared, 1, freedom)
    }
}

/// Returns `first (1 + k/(k+1) x + (k (k+2))/((k+1)(k+3)) x^2 + ...)` while k stays below `freedom - 1`.
fn series(first: f64, x: f64, k: u32, freedom: u32) -> f64 {
    let (mut term, mut sum) = (first, first);
    for k in (k..freedom.saturating_sub(1)).step_by(2) {
        term *= x * f64::from(k) / f64::from(k + 1);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_table() {
        // Percentage points of Student's t, as in any table, with three decimals.
        for (freedom, expected) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (9, 2.262),
            (10, 2.228),
            (19, 2.093),
            (29, 2.045),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
        ] {
            let t = t_975(freedom);
            assert!((t - expected).abs() < 5e-4, "{freedom}: {t}");
        }
    }

    #[test]
    fn closed_forms_and_the_normal_limit() {
        // One degree of freedom: tan(0.95 pi / 2). Two: sqrt(2) p / sqrt(1 - p^2).
        assert!((t_975(1) - libm::tan(0.475 * std::f64::consts::PI)).abs() < 1e-12);
        let p: f64 = 0.95;
        assert!((t_975(2) - (2.0 * p * p / (1.0 - p * p)).sqrt()).abs() < 1e-13);
        assert!((t_975(100_000) - 1.959_988).abs() < 1e-6);
    }

    #[test]
    fn it_falls_with_the_degrees_of_freedom() {
        assert!((1..300).all(|freedom| t_975(freedom + 1) < t_975(freedom)));
    }

    #[test]
    fn golden_bits_hold_on_every_machine() {
        assert_eq!([1, 2, 9, 10].map(|freedom| t_975(freedom).to_bits()), GOLDEN);
    }
    const GOLDEN: [u64; 4] =
        [4623342575419149588, 4616530374734988985, 4612276343877733152, 4612199741451784960];

    #[test]
    #[should_panic(expected = "degree of freedom")]
    fn there_is_no_distribution_without_freedom() {
        t_975(0);
    }
}
