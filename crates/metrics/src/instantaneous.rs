//! The instantaneous fairness index.
//!
//! Jung & Park, "Instantaneous fairness of TCP in heterogeneous traffic wireless LAN environments", Section 3.3, equations (1) to
//! (3). The paper measures until the last byte is *sent*. The functions here compute the index from times until it is sent,
//! acknowledged or delivered, whichever they are given.

use crate::Undefined;

/// Finish time in seconds that ns-2 scripts assign to a session sent in no time: 1 ms.
///
/// When a whole session fits into the open window, ns-2 hands all of it to the interface at the instant of the
/// request. The measured time is then zero and equation (2) is undefined.
pub const NS2_NO_TIME: f64 = 1e-3;

/// One finite session: how long it should take and how long it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    /// Ideal finish time e = l / S, in seconds (see [`ideal_finish_time`]).
    pub ideal: f64,
    /// Measured finish time m, in seconds; `None` for a session that has not finished.
    pub measured: Option<f64>,
}

/// Returns the ideal finish time `e = l / S_TCP(N)` in seconds, of a session of `bytes` at a fair share of `fair_share` bit/s.
///
/// Equation (1): the fair share `S_TCP(N) = rho B / N` is the effective user bandwidth over the number of users.
///
/// # Errors
/// [`Undefined`] for an empty session or a fair share that is not above zero.
pub fn ideal_finish_time(bytes: u64, fair_share: f64) -> Result<f64, Undefined> {
    if bytes == 0 {
        return Err(Undefined::Zero("the length of a session"));
    }
    if !(fair_share.is_finite() && fair_share > 0.0) {
        return Err(Undefined::OutOfRange("the fair share"));
    }
    Ok(bytes as f64 * 8.0 / fair_share)
}

/// Returns the ratio of the ideal to the measured finish time, `r = e / m`: equation (2).
///
/// No unit; above 0. It is 1 if the session got exactly its fair share at once, and more if it also got bandwidth that others left
/// unused. Larger is better for the session.
///
/// # Errors
/// [`Undefined`] when either time is not finite and above zero.
pub fn fairness_ratio(ideal: f64, measured: f64) -> Result<f64, Undefined> {
    if !(ideal.is_finite() && ideal > 0.0) {
        return Err(Undefined::OutOfRange("an ideal finish time"));
    }
    if measured == 0.0 {
        return Err(Undefined::Zero("a finish time"));
    }
    if !measured.is_finite() || measured.is_sign_negative() {
        return Err(Undefined::OutOfRange("a finish time"));
    }
    Ok(ideal / measured)
}

/// Returns the instantaneous fairness index, `IF = (r_1 + ... + r_K) / K` over the K sessions that finished: equation (3).
///
/// No unit; above 0, and 1 when every session got its fair share at once; may exceed 1. Larger is better. A session that took no
/// time at all counts as `no_time` seconds ([`NS2_NO_TIME`] is ns-2's convention, which replaces zeros only and is no lower bound
/// for small times). Unfinished sessions are left out, which biases the index upwards: [`instantaneous_fairness_lower`] bounds it.
///
/// # Errors
/// [`Undefined`] when no session finished, for a time out of range, or a time of zero without `no_time`.
pub fn instantaneous_fairness(sessions: &[Session], no_time: Option<f64>) -> Result<f64, Undefined> {
    let finished = sessions.iter().filter(|session| session.measured.is_some()).count();
    if finished == 0 {
        return Err(Undefined::Nothing("finished sessions"));
    }
    Ok(sum_of_ratios(sessions, no_time)? / finished as f64)
}

/// Returns a lower bound of the index: the mean over all sessions, with r = 0 for those that have not finished.
///
/// `(r_1 + ... + r_K) / n` for K finished sessions of n. No unit; 0 or more; equals [`instantaneous_fairness`]
/// when every session finished. Larger is better.
///
/// # Errors
/// [`Undefined`] for no sessions, for a time out of range, or a time of zero without `no_time`.
pub fn instantaneous_fairness_lower(sessions: &[Session], no_time: Option<f64>) -> Result<f64, Undefined> {
    if sessions.is_empty() {
        return Err(Undefined::Nothing("finite sessions"));
    }
    Ok(sum_of_ratios(sessions, no_time)? / sessions.len() as f64)
}

fn sum_of_ratios(sessions: &[Session], no_time: Option<f64>) -> Result<f64, Undefined> {
    let finished = sessions.iter().filter_map(|session| Some((session.ideal, session.measured?)));
    finished
        .map(|(ideal, measured)| fairness_ratio(ideal, counted_finish_time(measured, no_time)))
        .try_fold(0.0, |sum, ratio| Ok(sum + ratio?))
}

/// Returns the finish time in seconds as which a measured one counts: `no_time` in place of zero.
pub fn counted_finish_time(measured: f64, no_time: Option<f64>) -> f64 {
    match no_time {
        Some(no_time) if measured == 0.0 => no_time,
        _ => measured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn session(ideal: f64, measured: Option<f64>) -> Session {
        Session { ideal, measured }
    }

    #[test]
    fn the_papers_share_by_hand() {
        // 10 kB at 620/4 kB/s: 10 / 155 s.
        let ideal = ideal_finish_time(10_000, 620_000.0 * 8.0 / 4.0).unwrap();
        assert!((ideal - 10.0 / 155.0).abs() < 1e-15);
        // "If the IF is 0.6 ... no later than 1.66 times of the best finish time": Section 3.3.
        assert!((fairness_ratio(ideal, ideal / 0.6).unwrap() - 0.6).abs() < 1e-15);
    }

    #[test]
    fn a_ratio_needs_two_times_above_zero() {
        assert_eq!(fairness_ratio(0.0, 1.0), Err(Undefined::OutOfRange("an ideal finish time")));
        assert_eq!(fairness_ratio(1.0, 0.0), Err(Undefined::Zero("a finish time")));
        for measured in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(fairness_ratio(1.0, measured), Err(Undefined::OutOfRange("a finish time")));
        }
    }

    #[test]
    fn the_index_averages_ratios_and_not_times() {
        let sessions = [session(1.0, Some(1.0)), session(1.0, Some(4.0)), session(2.0, Some(1.0))];
        assert_eq!(instantaneous_fairness(&sessions, None), Ok((1.0 + 0.25 + 2.0) / 3.0));
    }

    #[test]
    fn unfinished_sessions_are_left_out_or_count_as_zero() {
        let sessions = [session(1.0, Some(2.0)), session(1.0, None)];
        assert_eq!(instantaneous_fairness(&sessions, None), Ok(0.5));
        assert_eq!(instantaneous_fairness_lower(&sessions, None), Ok(0.25));

        let none = [session(1.0, None)];
        assert_eq!(instantaneous_fairness(&none, None), Err(Undefined::Nothing("finished sessions")));
        // The result is zero, and not the negative zero of an empty sum of floats.
        assert_eq!(instantaneous_fairness_lower(&none, None).map(f64::to_bits), Ok(0));
    }

    #[test]
    fn no_time_at_all_counts_as_agreed_or_is_undefined() {
        let sessions = [session(0.01, Some(0.0)), session(0.01, Some(0.0001))];
        assert_eq!(instantaneous_fairness(&sessions, None), Err(Undefined::Zero("a finish time")));
        // 10 is of the session that counts as 1 ms, 100 of the one that is shorter but not zero.
        assert!((instantaneous_fairness(&sessions, Some(NS2_NO_TIME)).unwrap() - 55.0).abs() < 1e-12);
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(instantaneous_fairness(&[], None), Err(Undefined::Nothing("finished sessions")));
        assert_eq!(instantaneous_fairness_lower(&[], None), Err(Undefined::Nothing("finite sessions")));
        assert!(ideal_finish_time(0, 1.0).is_err());
        assert!(ideal_finish_time(1, 0.0).is_err());
        assert!(ideal_finish_time(1, f64::NAN).is_err());
        assert!(fairness_ratio(1.0, -1.0).is_err());
        assert!(fairness_ratio(f64::INFINITY, 1.0).is_err());
    }

    proptest! {
        #[test]
        fn the_index_scales_with_one_over_the_measured_time(
            times in prop::collection::vec((1e-3f64..10.0, 1e-3f64..10.0), 1..40),
            factor in 0.1f64..10.0,
        ) {
            let at = |factor: f64| {
                let sessions: Vec<_> =
                    times.iter().map(|&(ideal, measured)| session(ideal, Some(measured * factor))).collect();
                instantaneous_fairness(&sessions, None).unwrap()
            };
            prop_assert!((at(factor) * factor / at(1.0) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn the_lower_bound_is_one(
            times in prop::collection::vec((1e-3f64..10.0, prop::option::of(1e-3f64..10.0)), 1..40),
        ) {
            let sessions: Vec<_> = times.iter().map(|&(ideal, measured)| session(ideal, measured)).collect();
            let lower = instantaneous_fairness_lower(&sessions, None).unwrap();
            prop_assert!(lower >= 0.0);
            match instantaneous_fairness(&sessions, None) {
                Ok(index) if sessions.iter().all(|session| session.measured.is_some()) => {
                    prop_assert_eq!(index, lower);
                }
                Ok(index) => prop_assert!(lower < index),
                Err(_) => prop_assert_eq!(lower, 0.0),
            }
        }
    }
}
