//! Starved flows.

use crate::Undefined;
use crate::average::mean;
use crate::undefined::require_non_negative;

/// Share of its group's mean throughput below which a flow is starved.
const SHARE_OF_MEAN: f64 = 0.01;
/// Throughput in bit/s below which a flow is starved, whatever the others get.
const LEAST_THROUGHPUT: f64 = 1_000.0;

/// Returns the number of starved flows in a group: those below 1 % of the group's mean throughput, or below 1 kb/s.
///
/// `throughputs` in bit/s. From 0 to n; smaller is better. Blefari-Melazzi et al. speak of "complete starvation of
/// some TCP connections" without a number; these two bounds are this project's and its ns-2 references'.
///
/// # Errors
/// [`Undefined`] for no flows, or a throughput that is negative or not finite.
pub fn starved(throughputs: &[f64]) -> Result<usize, Undefined> {
    if throughputs.is_empty() {
        return Err(Undefined::Nothing("flows"));
    }
    require_non_negative(throughputs, "a throughput")?;
    let bound = (SHARE_OF_MEAN * mean(throughputs)?).max(LEAST_THROUGHPUT);
    Ok(throughputs.iter().filter(|&&throughput| throughput < bound).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn either_bound_starves() {
        // Mean 1.000005 Mb/s: 10 kb/s is just below its hundredth.
        assert_eq!(starved(&[1_990_010.0, 10_000.0]), Ok(1));
        assert_eq!(starved(&[1_990_000.0, 10_000.0]), Ok(0));
        assert_eq!(starved(&[999.0, 1_000.0]), Ok(1));
        assert_eq!(starved(&[0.0, 0.0]), Ok(2));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(starved(&[]), Err(Undefined::Nothing("flows")));
        assert!(starved(&[-1.0]).is_err());
    }

    proptest! {
        #[test]
        fn more_traffic_for_the_richest_frees_nobody(values in prop::collection::vec(0.0f64..1e6, 1..20)) {
            let before = starved(&values).unwrap();
            prop_assert!(before <= values.len());
            let mut richer = values;
            let richest = (0..richer.len()).max_by(|&a, &b| richer[a].total_cmp(&richer[b])).unwrap();
            richer[richest] += 1e8;
            prop_assert!(starved(&richer).unwrap() + 1 >= before);
        }
    }
}
