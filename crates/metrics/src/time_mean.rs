//! The mean over time of something that changes in steps.

use crate::Undefined;
use crate::undefined::require_finite;

/// Mean over `start..end` of a step function, `(v_1 d_1 + ... + v_n d_n) / (end - start)`: each value weighs as
/// long as it lasts, in the unit of the values.
///
/// `changes` are (time in seconds, new value) in order of time; a value holds until the next change. The last
/// change at or before `start` gives the value there. Used for queue lengths: the time average of Little's law.
///
/// # Errors
/// [`Undefined`] for an empty window, no value at its start, times out of order, or a number that is not finite.
pub fn time_mean(changes: &[(f64, f64)], start: f64, end: f64) -> Result<f64, Undefined> {
    require_finite(&[start, end], "the measured window")?;
    if start >= end {
        return Err(Undefined::Zero("the measured time"));
    }
    if changes.iter().any(|(time, value)| !(time.is_finite() && value.is_finite())) {
        return Err(Undefined::OutOfRange("a sample"));
    }
    if changes.windows(2).any(|pair| pair[0].0 > pair[1].0) {
        return Err(Undefined::OutOfRange("the order of the samples"));
    }
    if changes.first().is_none_or(|&(time, _)| time > start) {
        return Err(Undefined::Nothing("samples at the start of the measured window"));
    }
    let ends = changes.iter().skip(1).map(|&(time, _)| time).chain([end]);
    let area: f64 = changes
        .iter()
        .zip(ends)
        .map(|(&(from, value), until)| value * (until.min(end) - from.max(start)).max(0.0))
        .sum();
    Ok(area / (end - start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // 2 for 1 s, 5 for 2 s, 0 for 1 s.
        let changes = [(0.0, 9.0), (0.5, 2.0), (2.0, 5.0), (4.0, 0.0), (7.0, 100.0)];
        assert_eq!(time_mean(&changes, 1.0, 5.0), Ok((2.0 + 10.0) / 4.0));
    }

    #[test]
    fn changes_at_one_instant_weigh_nothing_but_the_last() {
        assert_eq!(time_mean(&[(0.0, 1.0), (1.0, 50.0), (1.0, 3.0)], 0.0, 2.0), Ok(2.0));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(time_mean(&[(0.0, 1.0)], 1.0, 1.0), Err(Undefined::Zero("the measured time")));
        assert!(time_mean(&[], 0.0, 1.0).is_err());
        assert!(time_mean(&[(0.5, 1.0)], 0.0, 1.0).is_err());
        assert!(time_mean(&[(0.0, 1.0), (0.8, 1.0), (0.7, 1.0)], 0.0, 1.0).is_err());
        assert!(time_mean(&[(0.0, f64::NAN)], 0.0, 1.0).is_err());
    }

    proptest! {
        #[test]
        fn splitting_the_window_changes_nothing(
            steps in prop::collection::vec((0.0f64..1.0, 0.0f64..100.0), 1..30), cut in 0.01f64..0.99,
        ) {
            let mut changes = vec![(0.0, 1.0)];
            for (gap, value) in steps {
                changes.push((changes.last().unwrap().0 + gap, value));
            }
            let end = changes.last().unwrap().0 + 1.0;
            let middle = cut * end;
            let whole = time_mean(&changes, 0.0, end).unwrap();
            let parts = time_mean(&changes, 0.0, middle).unwrap() * cut
                + time_mean(&changes, middle, end).unwrap() * (1.0 - cut);
            prop_assert!((whole - parts).abs() < 1e-9);
        }
    }
}
