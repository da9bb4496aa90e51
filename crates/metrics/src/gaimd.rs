//! The steady-state rate of TCP(alpha, beta): additive increase by `alpha` segments a round trip, multiplicative
//! decrease to `beta` times the window.

use crate::Undefined;
use crate::undefined::{require_non_negative, require_positive};

/// Returns the steady-state rate in segments/s,
/// `1 / (RTT sqrt(2 b (1 - beta) p / (alpha (1 + beta))) + T0 min(1, 3 sqrt((1 - beta^2) b p / (2 alpha))) p (1 + 32 p^2))`.
///
/// Yang & Lam, "General AIMD congestion control", ICNP 2000, which Mamatas & Tsaoussidis print unchanged as equation
/// (1). With alpha = 1 and beta = 1/2 it is the approximation of Padhye, Firoiu, Towsley & Kurose, "Modeling TCP
/// throughput", SIGCOMM 1998: `RTT sqrt(2 b p / 3) + T0 min(1, 3 sqrt(3 b p / 8)) p (1 + 32 p^2)`, without its bound by
/// the receiver's window. It is the sending rate: lost segments and retransmissions count.
///
/// `p` is the probability that a segment is lost when those before it in the same round trip were not, above 0 to 1;
/// `rtt` and `timeout` (T0, the first of a series) in seconds; `segments_per_ack` is b; `alpha` in segments; `beta` is
/// the share of the window that a loss leaves, between 0 and 1. Above 0; neither end is better.
///
/// # Errors
/// [`Undefined`] for an argument outside these ranges; without loss the equation has no bound.
pub fn gaimd_throughput(
    p: f64,
    rtt: f64,
    timeout: f64,
    segments_per_ack: f64,
    alpha: f64,
    beta: f64,
) -> Result<f64, Undefined> {
    require_non_negative(&[p], "the loss rate")?;
    if p == 0.0 {
        return Err(Undefined::Zero("the loss rate"));
    }
    if p > 1.0 {
        return Err(Undefined::OutOfRange("the loss rate"));
    }
    require_positive(rtt, "the round-trip time")?;
    require_non_negative(&[timeout], "the timeout")?;
    require_positive(segments_per_ack, "the number of segments per ACK")?;
    require_aimd(alpha, beta)?;
    let b = segments_per_ack;
    let avoidance = rtt * (2.0 * b * (1.0 - beta) * p / (alpha * (1.0 + beta))).sqrt();
    let chance_of_timeout = (3.0 * ((1.0 - beta * beta) * b * p / (2.0 * alpha)).sqrt()).min(1.0);
    Ok(1.0 / (avoidance + timeout * chance_of_timeout * p * (1.0 + 32.0 * p * p)))
}

/// Returns the alpha in segments with which TCP(alpha, beta) is friendly to TCP(1, 1/2): `4 (1 - beta^2) / 3`.
///
/// Yang & Lam; equation (3) of Mamatas & Tsaoussidis. This alpha makes the timeout terms of [`gaimd_throughput`] equal.
/// Equal square-root terms would need `3 (1 - beta) / (1 + beta)`, which is 0.2 where this is 0.3125 (beta = 7/8), and 1.8
/// where this is 1.25 (beta = 1/4): at low loss a smooth flow sends more than TCP, a responsive one less.
///
/// From 0 to 4/3; neither end is better.
///
/// # Errors
/// [`Undefined`] for a beta that is not between 0 and 1.
pub fn friendly_alpha(beta: f64) -> Result<f64, Undefined> {
    require_beta(beta)?;
    Ok(4.0 * (1.0 - beta * beta) / 3.0)
}

/// Returns the round trips in a congestion epoch, from a window of `beta W` up to the loss at W:
/// `n = (1 - beta) W / alpha + 1`.
///
/// Equation (4) of Mamatas & Tsaoussidis. `window` is W in segments. 1 or more; smaller adapts faster.
///
/// # Errors
/// [`Undefined`] for a window or an alpha that is not above zero, or a beta that is not between 0 and 1.
pub fn congestion_epoch(window: f64, alpha: f64, beta: f64) -> Result<f64, Undefined> {
    require_positive(window, "the window")?;
    require_aimd(alpha, beta)?;
    Ok((1.0 - beta) * window / alpha + 1.0)
}

/// Returns a flow's share of the window at the bottleneck, in segments: `W = B RTT / N`.
///
/// Equation (5) of Mamatas & Tsaoussidis. `rate` is B in segments/s, `rtt` in seconds without queueing, `flows` is N. A
/// buffer of Q segments, which the flows fill before they lose one, adds Q / N. Above 0; neither end is better.
///
/// # Errors
/// [`Undefined`] for a rate or time that is not above zero, or no flows.
pub fn window_share(rate: f64, rtt: f64, flows: u32) -> Result<f64, Undefined> {
    require_positive(rate, "the bottleneck's rate")?;
    require_positive(rtt, "the round-trip time")?;
    if flows == 0 {
        return Err(Undefined::Nothing("flows"));
    }
    Ok(rate * rtt / f64::from(flows))
}

pub(crate) fn require_aimd(alpha: f64, beta: f64) -> Result<(), Undefined> {
    require_positive(alpha, "alpha")?;
    require_beta(beta)
}

fn require_beta(beta: f64) -> Result<(), Undefined> {
    if beta > 0.0 && beta < 1.0 { Ok(()) } else { Err(Undefined::OutOfRange("beta")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Padhye et al. with p = 0.01, RTT 0.1 s, T0 1 s, b = 2:
        // 0.1 sqrt(0.04 / 3) + 3 sqrt(0.0075) 0.01 (1.0032) = 0.011547005 + 0.002606390.
        let rate = gaimd_throughput(0.01, 0.1, 1.0, 2.0, 1.0, 0.5).unwrap();
        assert!((rate - 1.0 / 0.014_153_395).abs() < 1e-4, "{rate}");
        // All segments are lost: 0.1 sqrt(2/3) + 33.
        let rate = gaimd_throughput(1.0, 0.1, 1.0, 1.0, 1.0, 0.5).unwrap();
        assert!((rate - 1.0 / 33.081_650).abs() < 1e-8, "{rate}");
        // The paper's smooth variant: 0.1 sqrt(0.25 x 0.01 / (0.31 x 1.875)), without timeouts.
        let rate = gaimd_throughput(0.01, 0.1, 0.0, 1.0, 0.31, 0.875).unwrap();
        assert!((rate - 152.479_507).abs() < 1e-5, "{rate}");
    }

    #[test]
    fn the_published_pairs_are_friendly() {
        assert!((friendly_alpha(0.5).unwrap() - 1.0).abs() < 1e-15);
        assert!((friendly_alpha(0.25).unwrap() - 1.25).abs() < 1e-15);
        // 0.3125, which the paper rounds to 0.31.
        assert!((friendly_alpha(0.875).unwrap() - 0.3125).abs() < 1e-15);
    }

    #[test]
    fn epochs_and_shares_by_hand() {
        assert_eq!(window_share(1250.0, 0.06, 10), Ok(7.5));
        assert_eq!(congestion_epoch(20.0, 1.0, 0.5), Ok(11.0));
        assert_eq!(congestion_epoch(20.0, 1.25, 0.25), Ok(13.0));
        assert!((congestion_epoch(31.0, 0.31, 0.875).unwrap() - 13.5).abs() < 1e-12);
    }

    #[test]
    fn undefined_input_is_an_error() {
        let rate = |p, rtt, t0, b, alpha, beta| gaimd_throughput(p, rtt, t0, b, alpha, beta);
        assert_eq!(rate(0.0, 0.1, 1.0, 1.0, 1.0, 0.5), Err(Undefined::Zero("the loss rate")));
        assert_eq!(rate(1.1, 0.1, 1.0, 1.0, 1.0, 0.5), Err(Undefined::OutOfRange("the loss rate")));
        assert_eq!(rate(0.1, 0.0, 1.0, 1.0, 1.0, 0.5), Err(Undefined::OutOfRange("the round-trip time")));
        assert_eq!(rate(0.1, 0.1, -1.0, 1.0, 1.0, 0.5), Err(Undefined::OutOfRange("the timeout")));
        assert!(rate(0.1, 0.1, 1.0, 0.0, 1.0, 0.5).is_err());
        assert_eq!(rate(0.1, 0.1, 1.0, 1.0, 0.0, 0.5), Err(Undefined::OutOfRange("alpha")));
        for beta in [0.0, 1.0, -0.5, f64::NAN] {
            assert_eq!(rate(0.1, 0.1, 1.0, 1.0, 1.0, beta), Err(Undefined::OutOfRange("beta")));
            assert_eq!(friendly_alpha(beta), Err(Undefined::OutOfRange("beta")));
            assert!(congestion_epoch(10.0, 1.0, beta).is_err());
        }
        assert!(congestion_epoch(0.0, 1.0, 0.5).is_err());
        assert_eq!(window_share(1.0, 1.0, 0), Err(Undefined::Nothing("flows")));
    }

    proptest! {
        #[test]
        fn more_loss_and_longer_round_trips_slow_it_down(
            p in 1e-5f64..0.4, rtt in 1e-3f64..1.0, alpha in 0.05f64..4.0, beta in 0.05f64..0.95,
        ) {
            let rate = |p, rtt| gaimd_throughput(p, rtt, 1.0, 1.0, alpha, beta).unwrap();
            prop_assert!(rate(p * 1.1, rtt) < rate(p, rtt));
            prop_assert!(rate(p, rtt * 1.1) < rate(p, rtt));
        }
    }
}
