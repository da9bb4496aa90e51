//! Metrics of the wireless medium.

use crate::Undefined;
use crate::share::part;
use crate::undefined::require_non_negative;

/// Returns the collision rate, `collisions / attempts`, over all stations' transmission attempts.
///
/// An attempt is a frame that a station starts to send after its backoff (an RTS, or a data frame without one). It collides
/// when another station's attempt overlaps it, so two stations that collide count two. This estimates Bianchi's conditional
/// collision probability p ("Performance analysis of the IEEE 802.11 distributed coordination function", 2000, Section IV).
/// No unit; 0 to 1; smaller is better.
///
/// # Errors
/// [`Undefined`] for no attempts, or more collisions than attempts.
pub fn collision_rate(collisions: u64, attempts: u64) -> Result<f64, Undefined> {
    part(collisions, attempts, "transmission attempts", "the number of collisions")
}

/// Returns each station's share of the airtime used, `a_i / (a_1 + ... + a_n)`, in the order of the stations.
///
/// `airtimes` are the times in seconds that each station's transmissions occupied the medium, failed ones
/// included. Høiland-Jørgensen et al., "Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi",
/// USENIX ATC 2017. No unit; each 0 to 1, in sum 1; neither end is better.
///
/// # Errors
/// [`Undefined`] for no stations, no airtime used, or an airtime that is negative or not finite.
pub fn airtime_shares(airtimes: &[f64]) -> Result<Vec<f64>, Undefined> {
    if airtimes.is_empty() {
        return Err(Undefined::Nothing("stations"));
    }
    require_non_negative(airtimes, "an airtime")?;
    let used: f64 = airtimes.iter().sum();
    if used == 0.0 {
        return Err(Undefined::Zero("the airtime used"));
    }
    Ok(airtimes.iter().map(|airtime| airtime / used).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(collision_rate(2, 8), Ok(0.25));
        assert_eq!(airtime_shares(&[3.0, 1.0, 0.0]), Ok(vec![0.75, 0.25, 0.0]));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(collision_rate(0, 0), Err(Undefined::Nothing("transmission attempts")));
        assert_eq!(collision_rate(2, 1), Err(Undefined::OutOfRange("the number of collisions")));
        assert_eq!(airtime_shares(&[]), Err(Undefined::Nothing("stations")));
        assert_eq!(airtime_shares(&[0.0]), Err(Undefined::Zero("the airtime used")));
    }

    proptest! {
        #[test]
        fn shares_add_up_to_one(airtimes in prop::collection::vec(1e-6f64..1e3, 1..40)) {
            let shares = airtime_shares(&airtimes).unwrap();
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }
}
