//! Responsiveness under working conditions: round trips per minute.

use crate::undefined::require_non_negative;
use crate::{Undefined, mean};

/// Share of the values, the smallest ones, that a single-sided trimmed mean takes: TMP of draft-ietf-ippm-responsiveness-06.
const KEPT: f64 = 0.95;

/// Returns round trips per minute; larger is better.
///
/// `(60 / TM(foreign) + 60 / loaded) / 2`: the TCP-only case of draft-ietf-ippm-responsiveness-06, "Aggregating the Measurements". `foreign` are
/// round-trip times in seconds beside the flows that load the network, `loaded` is the mean round-trip time on these flows, and TM is the mean
/// of the smallest 95 %.
///
/// # Errors
/// [`Undefined`] for no round-trip times, or one that is zero, negative or not finite.
pub fn round_trips_per_minute(foreign: &[f64], loaded: f64) -> Result<f64, Undefined> {
    if foreign.is_empty() {
        return Err(Undefined::Nothing("round trips"));
    }
    require_non_negative(foreign, "a round trip")?;
    let mut sorted = foreign.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    // At least one value is kept.
    let kept = ((sorted.len() as f64 * KEPT) as usize).max(1);
    let trimmed = mean(&sorted[..kept])?;
    if !(trimmed > 0.0 && loaded > 0.0 && loaded.is_finite()) {
        return Err(Undefined::OutOfRange("a round trip"));
    }
    Ok(f64::midpoint(60.0 / trimmed, 60.0 / loaded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(round_trips_per_minute(&[0.1, 0.2, 0.3], 0.3), Ok((60.0 / 0.15 + 200.0) / 2.0));
        // Of twenty values the largest is left out.
        let mut trips = vec![0.06; 19];
        trips.push(1e6);
        assert!((round_trips_per_minute(&trips, 0.06).unwrap() - 1000.0).abs() < 1e-9);
        assert_eq!(round_trips_per_minute(&[0.5], 0.5), Ok(120.0));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(round_trips_per_minute(&[], 1.0), Err(Undefined::Nothing("round trips")));
        for (foreign, loaded) in [(-0.1, 1.0), (0.0, 1.0), (1.0, 0.0), (1.0, f64::NAN), (1.0, f64::INFINITY)]
        {
            assert_eq!(
                round_trips_per_minute(&[foreign], loaded),
                Err(Undefined::OutOfRange("a round trip")),
                "{foreign} {loaded}"
            );
        }
        assert!(round_trips_per_minute(&[f64::NAN], 1.0).is_err());
    }

    proptest! {
        #[test]
        fn it_lies_between_the_extremes(trips in prop::collection::vec(1e-4f64..10.0, 1..60), loaded in 1e-4f64..10.0) {
            let rpm = round_trips_per_minute(&trips, loaded).unwrap();
            let all = || trips.iter().copied().chain([loaded]);
            let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
            prop_assert!(60.0 / most <= rpm * (1.0 + 1e-9) && rpm <= 60.0 / least * (1.0 + 1e-9));
        }
    }
}
