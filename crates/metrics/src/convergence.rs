//! How long a newcomer waits for its share: measured, and predicted from additive increase and multiplicative decrease.

use crate::Undefined;
use crate::gaimd::{congestion_epoch, require_aimd};
use crate::jain::jain;
use crate::undefined::{require_non_negative, require_positive};

/// Number of windows that end within one window's length.
const ENDS_PER_WINDOW: f64 = 10.0;

/// A count that only grows, as a step function of time.
#[derive(Clone, Copy, Debug)]
pub struct Cumulative<'a> {
    /// Times of changes in seconds, in ascending order.
    pub time: &'a [f64],
    /// The count from each change on; zero before the first change.
    pub count: &'a [f64],
}

/// Returns the time in seconds from `start` until Jain's index first reaches `index`, where the index is that of the bytes
/// acknowledged of each flow in the trailing `window`.
///
/// `flows` are the bytes acknowledged of each flow, `start` is when the last of them started. Windows `(t - window, t]` end at `t =
/// start + window (1 + i/10)`, i = 0, 1, ..., up to `end`: none reaches back to before `start`, and so the result is never below
/// `window`. A window in which nothing is acknowledged reaches no index. Smaller is better.
///
/// AirFair's, after Chiu & Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in computer
/// networks", 1989: responsiveness to a fair share, of the rates achieved instead of the rates allowed.
///
/// # Errors
/// [`Undefined`] when the index is not reached, for fewer than two flows, for a window that is not above zero, or for an index
/// outside (0, 1].
pub fn time_to_fairness(
    flows: &[Cumulative<'_>],
    start: f64,
    end: f64,
    window: f64,
    index: f64,
) -> Result<f64, Undefined> {
    if flows.len() < 2 {
        return Err(Undefined::Inapplicable("fewer than two flows share nothing"));
    }
    require_positive(window, "the window")?;
    require_positive(index, "the index")?;
    if index > 1.0 {
        return Err(Undefined::OutOfRange("the index"));
    }
    let mut readers: Vec<_> = flows.iter().map(|flow| (Reader::new(*flow), Reader::new(*flow))).collect();
    let mut acknowledged = vec![0.0; flows.len()];
    for step in 0_u32.. {
        let until = start + window * (1.0 + f64::from(step) / ENDS_PER_WINDOW);
        if until > end {
            break;
        }
        for ((now, then), acknowledged) in readers.iter_mut().zip(&mut acknowledged) {
            *acknowledged = now.at(until) - then.at(until - window);
        }
        if jain(&acknowledged).is_ok_and(|reached| reached >= index) {
            return Ok(until - start);
        }
    }
    Err(Undefined::Inapplicable("Jain's index does not get that far in the measured window"))
}

/// Reads a step function at ascending times.
struct Reader<'a> {
    flow: Cumulative<'a>,
    passed: usize,
}

impl<'a> Reader<'a> {
    fn new(flow: Cumulative<'a>) -> Reader<'a> {
        Reader { flow, passed: 0 }
    }

    fn at(&mut self, time: f64) -> f64 {
        self.passed += self.flow.time[self.passed..].iter().take_while(|&&at| at <= time).count();
        self.passed.checked_sub(1).map_or(0.0, |last| self.flow.count[last])
    }
}

/// Returns the time to fairness in seconds that additive increase and multiplicative decrease predict: like [`time_to_fairness`], but
/// for Jain's index of windows.
///
/// The model is Chiu & Jain's ("Analysis of the increase and decrease algorithms for congestion avoidance in computer
/// networks", 1989), with the congestion epochs of Mamatas & Tsaoussidis, Section 2, equations (4) and (5): N flows of
/// one RTT share a bottleneck that holds N W segments (`window` is W, see [`window_share`](crate::window_share)); all of
/// them lose a segment whenever it is full, cut their windows to `beta` times theirs, and add `alpha` a round trip until
/// it is full again. One flow joins with a window near 0 at the moment when N - 1 with equal windows fill it.
///
/// 1. Let x be an incumbent's window and y the newcomer's at the moment of a loss: `(N - 1) x + y = N W`, and the gap is
///    `d = x - y`. Adding alpha to both leaves d as it is, a cut leaves `beta d`: after k cuts `d_k = beta^k d_0`.
/// 2. At the start y = 0 and `x = N W / (N - 1)`, so `d_0 = N W / (N - 1)`.
/// 3. At a mean window w and a gap d, `x = w + d / N` and `y = w - (N - 1) d / N`, whose squared coefficient of variation
///    is `C = (N - 1) d^2 / (N w)^2`. Jain's index is `1 / (1 + C)`. So index j is reached where `d / w` has fallen to
///    `(1 / j - 1)^(1/2) N / (N - 1)^(1/2)`; in units of `d_0 / W`, to `r = ((N - 1) (1 / j - 1))^(1/2)`.
/// 4. At the moment of the (k + 1)-th loss that ratio is `beta^k`; the cut itself does not change it, as it scales all
///    windows alike. In the epoch after it d is `beta^(k+1) d_0` and w grows from `beta W` to W: at the fraction f of the
///    epoch the ratio is `beta^(k+1) / (beta + (1 - beta) f)`.
/// 5. So with `k = floor(ln r / ln beta)` whole epochs and `f = (beta^(k+1) / r - beta) / (1 - beta)` of the next, the
///    time is `(k + f) n RTT`, n round trips to an epoch by equation (4). With r >= 1 it is 0: Jain's index of N - 1
///    equal flows and one that gets nothing, `(N - 1) / N`, is enough.
///
/// `window` in segments, `rtt` in seconds, `alpha` in segments, `beta` the share of the window that a loss leaves. Slow start, losses
/// that spare a flow, and the queue's share of the RTT are not in it. 0 or more; smaller is better.
///
/// # Errors
/// [`Undefined`] for fewer than two flows, an index outside (0, 1) (equality is approached, never reached), a window, RTT
/// or alpha that is not above zero, or a beta that is not between 0 and 1.
pub fn predicted_time_to_fairness(
    flows: u32,
    window: f64,
    rtt: f64,
    alpha: f64,
    beta: f64,
    index: f64,
) -> Result<f64, Undefined> {
    if flows < 2 {
        return Err(Undefined::Inapplicable("fewer than two flows share nothing"));
    }
    require_positive(rtt, "the round-trip time")?;
    require_aimd(alpha, beta)?;
    require_positive(index, "the index")?;
    if index >= 1.0 {
        return Err(Undefined::OutOfRange("the index"));
    }
    let epoch = congestion_epoch(window, alpha, beta)? * rtt;
    require_non_negative(&[epoch], "the congestion epoch")?;
    let ratio = (f64::from(flows - 1) * (1.0 / index - 1.0)).sqrt();
    if ratio >= 1.0 {
        return Ok(0.0);
    }
    let whole = (libm::log(ratio) / libm::log(beta)).floor();
    let part = (libm::pow(beta, whole + 1.0) / ratio - beta) / (1.0 - beta);
    Ok((whole + part) * epoch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the time to fairness of two flows that send at these rates from these times on.
    fn time(rates: [f64; 2], changes: [f64; 2], window: f64, index: f64) -> Result<f64, Undefined> {
        // There is a count every 10 ms for 10 s; the second flow's rate counts from its change on.
        let time: Vec<f64> = (0..=1000).map(|step| f64::from(step) / 100.0).collect();
        let count = |of: usize| -> Vec<f64> {
            time.iter().map(|at| rates[of] * (at - changes[of]).max(0.0)).collect()
        };
        let (first, second) = (count(0), count(1));
        let flows = [Cumulative { time: &time, count: &first }, Cumulative { time: &time, count: &second }];
        time_to_fairness(&flows, 2.0, 10.0, window, index)
    }

    #[test]
    fn the_first_window_that_is_fair_ends_it() {
        // Both flows have the same rate from the start on: the first window after it is fair.
        assert_eq!(time([100.0, 100.0], [0.0, 2.0], 1.0, 0.95), Ok(1.0));
        // The second flow sends from 4 s on, 2 s after its start. In a window of 1 s it then has the part x, and
        // (1 + x)^2 / (2 (1 + x^2)) is 0.9 at x = 0.5: at 4.5 s, up to rounding one window's end later.
        let reached = time([100.0, 100.0], [0.0, 4.0], 1.0, 0.9).unwrap();
        assert!((2.5 - 1e-9..2.6 + 1e-9).contains(&reached), "{reached}");
    }

    #[test]
    fn undefined_input_is_an_error() {
        let never = Err(Undefined::Inapplicable("Jain's index does not get that far in the measured window"));
        assert_eq!(time([100.0, 10.0], [0.0, 2.0], 1.0, 0.9), never);
        assert_eq!(time([0.0, 0.0], [0.0, 0.0], 1.0, 0.5), never);
        assert_eq!(time([1.0, 1.0], [0.0, 0.0], 9.0, 0.5), never, "no window fits");
        assert_eq!(time([1.0, 1.0], [0.0, 0.0], 0.0, 0.5), Err(Undefined::OutOfRange("the window")));
        assert_eq!(time([1.0, 1.0], [0.0, 0.0], 1.0, 1.1), Err(Undefined::OutOfRange("the index")));
        let alone = [Cumulative { time: &[], count: &[] }];
        assert!(time_to_fairness(&alone, 0.0, 1.0, 0.1, 0.5).is_err());

        let predicted = |flows, window, alpha, beta, index| {
            predicted_time_to_fairness(flows, window, 0.1, alpha, beta, index)
        };
        assert!(predicted(1, 10.0, 1.0, 0.5, 0.9).is_err());
        assert!(predicted(2, 0.0, 1.0, 0.5, 0.9).is_err());
        assert!(predicted(2, 10.0, 0.0, 0.5, 0.9).is_err());
        assert!(predicted(2, 10.0, 1.0, 1.0, 0.9).is_err());
        assert_eq!(predicted(2, 10.0, 1.0, 0.5, 1.0), Err(Undefined::OutOfRange("the index")));
    }

    #[test]
    fn the_prediction_by_hand() {
        // Two flows of W = 20, TCP(1, 1/2), RTT 0.1 s: an epoch of 11 round trips. Index 0.8 is a ratio of 1/2, which is
        // where it stands after the first whole epoch; 0.5 is the index of one flow alone.
        let predicted = |index| predicted_time_to_fairness(2, 20.0, 0.1, 1.0, 0.5, index).unwrap();
        assert!((predicted(0.8) - 1.1).abs() < 1e-9, "{}", predicted(0.8));
        assert_eq!(predicted(0.5), 0.0);
        // Nine of ten have J = 0.9 already.
        assert_eq!(predicted_time_to_fairness(10, 20.0, 0.1, 1.0, 0.5, 0.9), Ok(0.0));
    }

    /// Steps the model itself in small parts of a round trip until Jain's index of the windows reaches `index`.
    fn simulated(flows: u32, window: f64, alpha: f64, beta: f64, index: f64) -> f64 {
        let full = f64::from(flows) * window;
        let mut windows = vec![full / f64::from(flows - 1); flows as usize];
        windows[0] = 0.0;
        let mut epochs = 0.0;
        loop {
            windows.iter_mut().for_each(|window| *window *= beta);
            for part in 1..=1000 {
                let grown = (1.0 - beta) * window * f64::from(part) / 1000.0;
                let now: Vec<f64> = windows.iter().map(|window| window + grown).collect();
                if jain(&now).unwrap() >= index {
                    return (epochs + f64::from(part) / 1000.0) * ((1.0 - beta) * window / alpha + 1.0);
                }
            }
            windows.iter_mut().for_each(|own| *own += (1.0 - beta) * window);
            epochs += 1.0;
        }
    }

    proptest! {
        #[test]
        fn the_prediction_is_what_the_model_does(
            flows in 2u32..30, window in 2.0f64..100.0, alpha in 0.1f64..2.0, beta in 0.1f64..0.9, index in 0.98f64..0.999,
        ) {
            let predicted = predicted_time_to_fairness(flows, window, 1.0, alpha, beta, index).unwrap();
            let simulated = simulated(flows, window, alpha, beta, index);
            let epoch = congestion_epoch(window, alpha, beta).unwrap();
            prop_assert!((predicted - simulated).abs() <= 0.002 * epoch, "{} {}", predicted, simulated);
        }
    }
}
