//! How good a telephone call sounds: the E-model of ITU-T Recommendation G.107 (06/2015), and the wideband one of G.107.1.

use crate::Undefined;
use crate::undefined::{require_non_negative, require_positive};

/// Send and receive loudness ratings in dB. These and the constants below are the default values of G.107, Table 2.
const SLR: f64 = 8.0;
const RLR: f64 = 2.0;
/// Sidetone masking rating and listener's sidetone rating in dB.
const STMR: f64 = 15.0;
const LSTR: f64 = 18.0;
/// D-value of the telephone at the send side.
const DS: f64 = 3.0;
/// Talker echo loudness rating and weighted echo path loss in dB: the echo that good cancellers leave.
const TELR: f64 = 65.0;
const WEPL: f64 = 110.0;
/// Quantisation distortion units.
const QDU: f64 = 1.0;
/// Circuit noise in dBm0p, noise floor at the receive side in dBmp, room noise at the send and receive side in dB(A).
const NC: f64 = -70.0;
const NFOR: f64 = -64.0;
const PS: f64 = 35.0;
const PR: f64 = 35.0;
/// The least delay in ms that people perceive; the next constant is how sharply they do. Both are of the class of delay sensitivity
/// "default".
const LEAST_PERCEIVED_MS: f64 = 100.0;
const SENSITIVITY: f64 = 1.0;
/// Ro,WB: the rating factor of a wideband call without impairments (G.107.1, equation (7-2)).
const BEST_WIDEBAND: f64 = 129.0;

/// The quality of a codec and of its concealment of losses: values of ITU-T Recommendation G.113, Appendix I, or Appendix IV for wideband
/// codecs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equipment {
    /// Equipment impairment factor Ie of the codec without losses, from 0 to 95.
    pub impairment: f64,
    /// Packet-loss robustness factor Bpl, which says how well losses are concealed; above zero.
    pub robustness: f64,
}

/// Returns the transmission rating factor R of a call: equation (7-1) of G.107 with the default value of all that a network does not decide.
///
/// `delay` is the one-way delay Ta from mouth to ear in seconds. `echo_delay` is the mean one-way delay T of the path to the other side and
/// back, on which the talker's echo returns (Tr = 2 T). `loss` is the share Ppl of frames that have not arrived when they are to be played,
/// from 0 to 1, and `burst_ratio` is BurstR (see [`burst_ratio`]). No unit; larger is better; 93.2 without delay and loss; R below 0 counts
/// as 0. Table 2 admits delays up to 500 ms, losses up to 20 % and burst ratios from 1 to 8: beyond these delays and losses the equations are
/// extrapolated, and the burst ratio is clamped to its range.
///
/// # Errors
/// [`Undefined`] for a negative delay, a share outside 0 to 1, or a robustness that is not above zero.
pub fn r_factor(
    delay: f64,
    echo_delay: f64,
    loss: f64,
    burst_ratio: f64,
    equipment: Equipment,
) -> Result<f64, Undefined> {
    require_non_negative(&[delay, echo_delay], "a delay")?;
    let equipment = effective_impairment(loss, burst_ratio, equipment)?;
    let (delay, echo_delay) = (delay * 1e3, echo_delay * 1e3);
    let noise = noise();
    let signal = 15.0 - 1.5 * (SLR + noise);
    let sidetone = sidetone(echo_delay);
    let simultaneous = loudness(noise) + sidetone + quantisation(signal);
    let delayed =
        talker_echo(noise, echo_delay) + listener_echo(signal, 2.0 * echo_delay) + pure_delay(delay);
    Ok((signal - simultaneous - delayed - equipment).max(0.0))
}

/// Returns the estimated mean opinion score MOS_CQE of a call with the rating factor R: equation (B-4) of G.107, Annex B.
///
/// No unit; from 1 (bad) to 4.5 (best); larger is better. The polynomial dips below 1 for small R, which counts as 1.
///
/// # Errors
/// [`Undefined`] for a factor that is not finite.
pub fn mos(r: f64) -> Result<f64, Undefined> {
    if !r.is_finite() {
        return Err(Undefined::OutOfRange("the rating factor"));
    }
    Ok(match r {
        r if r <= 0.0 => 1.0,
        r if r >= 100.0 => 4.5,
        r => (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0),
    })
}

/// Returns the burst ratio BurstR of G.107, section 7.5: the mean length of the runs of lost frames over that of random losses at the same
/// rate.
///
/// `lost` says of each frame whether it is lost, in the order in which frames are played. No unit; 1 for random losses and for none; smaller
/// is better. Random losses at a rate p come in runs of 1 / (1 - p) on average.
pub fn burst_ratio(lost: &[bool]) -> f64 {
    let count = lost.iter().filter(|&&lost| lost).count();
    let runs =
        lost.iter().zip(std::iter::once(&false).chain(lost)).filter(|(now, before)| **now && !**before);
    let runs = runs.count();
    // If all frames are lost, random losses would be one run as well.
    if runs == 0 || count == lost.len() {
        return 1.0;
    }
    let rate = count as f64 / lost.len() as f64;
    count as f64 / runs as f64 * (1.0 - rate)
}

/// Returns the rating factor like [`r_factor`], but for a wideband codec, 50 to 7000 Hz: equation (7-1) of ITU-T Recommendation G.107.1
/// (06/2019), with an echo that is cancelled.
///
/// 129 without any impairment. The scale is that of [`r_factor`], extended upwards: G.711 has some 93 on both. G.107.1 leaves out noise and
/// loudness (Is,WB = 0), assumes random losses, and has the same impairment Idd by delay as G.107. The talker's and the listener's echo are
/// assumed to be inaudible, because devices with wideband speech have echo cancellers.
///
/// # Errors
/// As [`r_factor`].
pub fn r_factor_wideband(delay: f64, loss: f64, equipment: Equipment) -> Result<f64, Undefined> {
    require_non_negative(&[delay], "a delay")?;
    let effective = effective_impairment(loss, 1.0, equipment)?;
    Ok((BEST_WIDEBAND - pure_delay(delay * 1e3) - effective).max(0.0))
}

/// Returns the estimated mean opinion score MOS_CQEW of a call over a wideband codec: equations and of G.107.1, Annex A.
///
/// No unit; from 1 (bad) to 4.5 (best); larger is better. Listeners who hear wideband expect more: a narrowband call with [`mos`] 4.41 would
/// have 3.70 here. Scores of the two kinds must not be compared; their rating factors can be.
///
/// # Errors
/// As [`mos`].
pub fn mos_wideband(r: f64) -> Result<f64, Undefined> {
    mos(r * 100.0 / BEST_WIDEBAND)
}

/// Returns No, the sum of all noise at the point of 0 dBr, in dBm0p: equations (7-3) to (7-7).
fn noise() -> f64 {
    let olr = SLR + RLR;
    let at_sender = PS - SLR - DS - 100.0 + 0.004 * libm::pow(PS - olr - DS - 14.0, 2.0);
    let effective = PR + 10.0 * libm::log10(1.0 + power((10.0 - LSTR) / 10.0));
    let at_receiver = RLR - 121.0 + effective + 0.008 * libm::pow(effective - 35.0, 2.0);
    let floor = NFOR + RLR;
    let sum: f64 = [NC, at_sender, at_receiver, floor].into_iter().map(|level| power(level / 10.0)).sum();
    10.0 * libm::log10(sum)
}

/// Returns Ie-eff, the impairment by a codec and by losses: equation (7-29) of G.107, and for random losses (7-15) of G.107.1.
fn effective_impairment(loss: f64, burst_ratio: f64, equipment: Equipment) -> Result<f64, Undefined> {
    let Equipment { impairment, robustness } = equipment;
    require_non_negative(&[loss, burst_ratio, impairment], "a loss")?;
    require_positive(robustness, "the packet-loss robustness factor")?;
    if loss > 1.0 {
        return Err(Undefined::OutOfRange("the share of lost frames"));
    }
    let percent = 100.0 * loss;
    Ok(impairment + (95.0 - impairment) * percent / (percent / burst_ratio.clamp(1.0, 8.0) + robustness))
}

/// Returns Iolr, the impairment by a connection that is too loud: equations (7-9) and (7-10).
fn loudness(noise: f64) -> f64 {
    let x = (SLR + RLR + 0.2 * (64.0 + noise - RLR)) / 8.0;
    20.0 * (libm::pow(1.0 + libm::pow(x, 8.0), 1.0 / 8.0) - x)
}

/// Returns Ist, the impairment by wrong sidetone, to which early echo adds: equations (7-11) and (7-12).
fn sidetone(echo_ms: f64) -> f64 {
    let level = -10.0 * libm::log10(power(-STMR / 10.0) + libm::exp(-echo_ms / 4.0) * power(-TELR / 10.0));
    let root = |x: f64, n: f64| libm::pow(1.0 + libm::pow(x, n), 1.0 / n);
    12.0 * root((level - 13.0) / 6.0, 8.0)
        - 28.0 * root((level + 1.0) / 19.4, 35.0)
        - 13.0 * root((level - 3.0) / 33.0, 13.0)
        + 29.0
}

/// Returns Iq, the impairment by quantisation distortion: equations (7-13) to (7-17).
fn quantisation(signal: f64) -> f64 {
    let q = 37.0 - 15.0 * libm::log10(QDU);
    let g = 1.07 + 0.258 * q + 0.0602 * q * q;
    let y = (signal - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
    let z = 46.0 / 30.0 - g / 40.0;
    15.0 * libm::log10(1.0 + power(y) + power(z))
}

/// Returns Idte, the impairment by the talker's echo: equations (7-19) to (7-22). An echo below 1 ms is sidetone.
fn talker_echo(noise: f64, echo_ms: f64) -> f64 {
    if echo_ms < 1.0 {
        return 0.0;
    }
    let terv = TELR - 40.0 * libm::log10((1.0 + echo_ms / 10.0) / (1.0 + echo_ms / 150.0))
        + 6.0 * libm::exp(-0.3 * echo_ms * echo_ms);
    let difference = -1.5 * (noise - RLR) - (80.0 + 2.5 * (terv - 14.0));
    (difference / 2.0 + (difference * difference / 4.0 + 100.0).sqrt() - 1.0) * (1.0 - libm::exp(-echo_ms))
}

/// Returns Idle, the impairment by the listener's echo: equations (7-25) and (7-26).
fn listener_echo(signal: f64, round_trip_ms: f64) -> f64 {
    let difference = signal - 10.5 * (WEPL + 7.0) * libm::pow(round_trip_ms + 1.0, -0.25);
    difference / 2.0 + (difference * difference / 4.0 + 169.0).sqrt()
}

/// Returns Idd, the impairment by delay that is too long even without an echo: equations (7-27) and (7-28).
fn pure_delay(ms: f64) -> f64 {
    if ms <= LEAST_PERCEIVED_MS {
        return 0.0;
    }
    let x = libm::log10(ms / LEAST_PERCEIVED_MS) / libm::log10(2.0);
    let root = |x: f64| libm::pow(1.0 + libm::pow(x, 6.0 * SENSITIVITY), 1.0 / (6.0 * SENSITIVITY));
    25.0 * (root(x) - 3.0 * root(x / 3.0) + 2.0)
}

fn power(exponent: f64) -> f64 {
    libm::pow(10.0, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// G.113, Appendix I: G.711 with and without concealment.
    const CONCEALED: Equipment = Equipment { impairment: 0.0, robustness: 25.1 };
    const PLAIN: Equipment = Equipment { impairment: 0.0, robustness: 4.3 };

    fn r(ms: f64, loss: f64, equipment: Equipment) -> f64 {
        r_factor(ms / 1e3, ms / 1e3, loss, 1.0, equipment).unwrap()
    }

    #[track_caller]
    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn the_default_values_give_the_published_rating() {
        // G.107, section 7.7: R = 93.2, which Annex B turns into an opinion score of 4.41.
        close(r(0.0, 0.0, CONCEALED), 93.2, 0.05);
        close(mos(r(0.0, 0.0, CONCEALED)).unwrap(), 4.41, 0.005);
    }

    #[test]
    fn delay_follows_the_known_fit() {
        // Cole & Rosenbluth, "Voice over IP performance monitoring", 2001, fit G.107's delay impairment with 0.024 d, and
        // 0.11 (d - 177.3) more above 177.3 ms: two straight lines, which part with the curve beyond 300 ms.
        let fitted = |ms: f64| 93.2 - 0.024 * ms - 0.11 * (ms - 177.3).max(0.0);
        for ms in [20.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0] {
            close(r(ms, 0.0, CONCEALED), fitted(ms), 0.25);
        }
    }

    #[test]
    fn pure_delay_by_hand() {
        // At twice the least perceived delay X = 1: 25 (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2).
        let root = |x: f64| libm::pow(x, 1.0 / 6.0);
        let expected = 25.0 * (root(2.0) - 3.0 * root(1.0 + 1.0 / 729.0) + 2.0);
        close(pure_delay(200.0), expected, 1e-12);
        assert_eq!(pure_delay(100.0), 0.0);
    }

    #[test]
    fn losses_by_hand() {
        let best = r(0.0, 0.0, CONCEALED);
        // 95 Ppl / (Ppl + Bpl) with Ppl = 2 %.
        close(best - r(0.0, 0.02, CONCEALED), 95.0 * 2.0 / 27.1, 1e-9);
        close(best - r(0.0, 0.02, PLAIN), 95.0 * 2.0 / 6.3, 1e-9);
        let bursts = r_factor(0.0, 0.0, 0.02, 2.0, CONCEALED).unwrap();
        close(best - bursts, 95.0 * 2.0 / 26.1, 1e-9);
        assert_eq!(r_factor(0.0, 0.0, 0.02, 0.5, CONCEALED), r_factor(0.0, 0.0, 0.02, 1.0, CONCEALED));
    }

    #[test]
    fn opinions_have_published_points() {
        // G.107, Table B.1: lower limits of R and MOS, with two decimals; for 80 the polynomial gives 4.024.
        for (r, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            close(mos(r).unwrap(), score, 0.01);
        }
        assert_eq!((mos(-5.0), mos(0.0), mos(100.0), mos(120.0)), (Ok(1.0), Ok(1.0), Ok(4.5), Ok(4.5)));
        assert_eq!(mos(3.0), Ok(1.0), "not below");
    }

    #[test]
    fn wideband_calls_have_published_points() {
        // Equipment impairments of AMR-WB in G.113 (09/2024), Table IV.1, at 23.05, 12.65 and 6.6 kb/s; and none.
        let best =
            |impairment| r_factor_wideband(0.1, 0.0, Equipment { impairment, robustness: 4.3 }).unwrap();
        for (impairment, r, score) in
            [(0.0, 129.0, 4.5), (1.0, 128.0, 4.494), (13.0, 116.0, 4.3371), (41.0, 88.0, 3.5123)]
        {
            close(best(impairment), r, 1e-12);
            close(mos_wideband(r).unwrap(), score, 5e-5);
        }
        // AMR-WB at 12.65 kb/s with both ears, Tables IV.3 and IV.4, and 2 % of losses: Ie,WB = 20, Bpl = 4.3.
        let lossy = r_factor_wideband(0.0, 0.02, Equipment { impairment: 20.0, robustness: 4.3 }).unwrap();
        close(lossy, 129.0 - 43.8095, 5e-5);
        close(mos_wideband(lossy).unwrap(), 3.4062, 5e-5);
        // Delay costs as much as in narrowband without an echo.
        let late = r_factor_wideband(0.3, 0.0, Equipment { impairment: 0.0, robustness: 4.3 }).unwrap();
        close(late, 129.0 - pure_delay(300.0), 1e-12);
        assert_eq!(r_factor_wideband(9.0, 1.0, Equipment { impairment: 50.0, robustness: 1.0 }), Ok(0.0));
    }

    #[test]
    fn narrowband_calls_are_worth_less_to_listeners_of_wideband() {
        // G.113 (09/2024), Table IV.1 gives G.711 an Ie,WB of 36: 129 - 36 = 93, as on the narrowband scale.
        close(r(0.0, 0.0, CONCEALED), 129.0 - 36.0, 0.25);
        close(mos_wideband(r(0.0, 0.0, CONCEALED)).unwrap(), 3.70, 0.005);
    }

    #[test]
    fn runs_of_losses() {
        let lost = |text: &str| text.chars().map(|frame| frame == 'x').collect::<Vec<_>>();
        // Two runs of lost frames with 1.5 frames on average; random losses of three frames of ten have runs of 1 / 0.7.
        close(burst_ratio(&lost("..xx....x.")), 1.5 * 0.7, 1e-12);
        close(burst_ratio(&lost("xxxxx.....")), 2.5, 1e-12);
        assert_eq!(burst_ratio(&lost("....")), 1.0);
        assert_eq!(burst_ratio(&lost("xx")), 1.0);
        assert_eq!(burst_ratio(&[]), 1.0);
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert!(r_factor(-0.1, 0.0, 0.0, 1.0, CONCEALED).is_err());
        assert!(r_factor(0.0, f64::NAN, 0.0, 1.0, CONCEALED).is_err());
        assert!(r_factor(0.0, 0.0, 1.1, 1.0, CONCEALED).is_err());
        assert!(r_factor(0.0, 0.0, 0.0, 1.0, Equipment { robustness: 0.0, ..CONCEALED }).is_err());
        assert!(mos(f64::NAN).is_err() && mos_wideband(f64::INFINITY).is_err());
        assert!(
            r_factor_wideband(-0.1, 0.0, CONCEALED).is_err()
                && r_factor_wideband(0.0, 1.1, CONCEALED).is_err()
        );
    }

    proptest! {
        #[test]
        fn worse_networks_never_sound_better(
            ms in 2.0f64..2000.0, more in 0.0f64..500.0, loss in 0.0f64..0.9, lost in 0.0f64..0.1,
        ) {
            // The echo alone is a little better at 3 ms than at 2 ms, by a tenth.
            prop_assert!(r(ms + more, loss, CONCEALED) <= r(ms, loss, CONCEALED) + 0.2);
            prop_assert!(r(ms, loss + lost, CONCEALED) <= r(ms, loss, CONCEALED) + 1e-12);
            let score = mos(r(ms, loss, CONCEALED)).unwrap();
            prop_assert!((1.0..=4.5).contains(&score));
        }
    }
}
