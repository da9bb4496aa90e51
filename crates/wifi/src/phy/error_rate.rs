//! From a signal-to-noise ratio to the chance that noise destroys a frame.
//!
//! A closed form for white Gaussian noise: the uncoded bit error rate of each modulation, and from it the union bound of a Viterbi decoder's first
//! error event with hard decisions (L. E. Miller, "Validation of 802.11a/UWB coexistence simulation", NIST, 2003; G. Pei and T. Henderson,
//! "Validation of OFDM error rate model in ns-3", Boeing, 2010).
//!
//! Frames of 802.11b have the closed forms of the module `dsss`.
//!
//! Limits: no fading, no equaliser, no soft decisions, and convolutional coding for all schemes.

use super::dsss;
use super::mode::{Coding, Mode, Scheme};

/// How likely noise destroys frames that are sent in one way and arrive at one signal-to-noise ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRate {
    /// The natural logarithm of the chance that a data bit arrives.
    log_success: f64,
}

impl ErrorRate {
    /// Returns the error rate of data frames in this mode at this signal-to-noise ratio in dB. Every spatial stream has that ratio.
    pub fn of_data(mode: &Mode, snr: f64) -> ErrorRate {
        ErrorRate::of(mode.coding(), snr)
    }

    /// Returns the error rate of frames in this coding at this signal-to-noise ratio in dB.
    pub(crate) fn of(coding: Coding, snr: f64) -> ErrorRate {
        let snr = libm::pow(10.0, snr / 10.0);
        let chance = match coding {
            Coding::Ofdm(scheme) => coded(uncoded(scheme.bits, snr), scheme),
            Coding::Dsss(place) => return ErrorRate { log_success: dsss::log_success(place, snr) },
        };
        ErrorRate { log_success: libm::log1p(-chance) }
    }

    /// Returns the probability that a frame of this number of bytes is destroyed.
    pub fn frame(&self, bytes: u32) -> f64 {
        -libm::expm1(8.0 * f64::from(bytes) * self.log_success)
    }
}

/// Returns the error rate of bits before decoding: BPSK, QPSK or square QAM with Gray mapping, with this number of bits a symbol. `snr` is a
/// number, not in dB.
fn uncoded(bits: u8, snr: f64) -> f64 {
    let points = (1_u64 << bits) as f64;
    match bits {
        1 => 0.5 * libm::erfc(snr.sqrt()),
        _ => {
            let distance = (1.5 * snr / (points - 1.0)).sqrt();
            (1.0 - 1.0 / points.sqrt()) / (0.5 * f64::from(bits)) * libm::erfc(distance)
        }
    }
}

/// Returns the error rate of bits behind a decoder that gets bits with this error rate.
fn coded(error_rate: f64, scheme: Scheme) -> f64 {
    let distance = (4.0 * error_rate * (1.0 - error_rate)).sqrt();
    let Spectrum { free_distance, step, weights } = spectrum(scheme);
    let ratio = libm::pow(distance, step);
    let powers = std::iter::successors(Some(1.0), |power| Some(power * ratio));
    let sum: f64 = weights.iter().zip(powers).map(|(weight, power)| weight * power).sum();
    (libm::pow(distance, free_distance) * sum / (2.0 * f64::from(scheme.code))).min(1.0)
}

/// The weights of a punctured code's error events: the first is that of its free distance, the others are those of the distances that follow at
/// intervals of `step`.
struct Spectrum {
    free_distance: f64,
    step: f64,
    weights: &'static [f64],
}

/// Returns the weights of the code with the generators 133 and 171 (octal), alone and punctured (D. Haccoun and G. Bégin, "High-rate punctured
/// convolutional codes for Viterbi and sequential decoding", IEEE Trans. Commun. 37, 1989).
fn spectrum(scheme: Scheme) -> Spectrum {
    let (free_distance, step, weights): (f64, f64, &[f64]) = match (scheme.code, scheme.of) {
        (1, 2) => (
            10.0,
            2.0,
            &[36.0, 211.0, 1404.0, 11633.0, 77433.0, 502690.0, 3322763.0, 21292910.0, 134365911.0],
        ),
        (2, 3) => {
            (6.0, 1.0, &[3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117019.0, 498860.0, 2103891.0, 8784123.0])
        }
        (3, 4) => (
            5.0,
            1.0,
            &[
                42.0,
                201.0,
                1492.0,
                10469.0,
                62935.0,
                379644.0,
                2253373.0,
                13073811.0,
                75152755.0,
                428005675.0,
            ],
        ),
        _ => (
            4.0,
            1.0,
            &[
                92.0,
                528.0,
                8694.0,
                79453.0,
                792114.0,
                7375573.0,
                67884974.0,
                610875423.0,
                5427275376.0,
                47664215639.0,
            ],
        ),
    };
    Spectrum { free_distance, step, weights }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Preamble;
    use crate::phy::mode::{Band, Standard, Timing, Width};
    use airfair_core::{Rate, Span};
    use proptest::prelude::*;

    /// `MODE,BYTES,SNR_dB,CHANCE`: how likely ns-3 loses a frame.
    const NS3: &str = include_str!("ns3_error_rates.csv");

    fn mode(standard: Standard, mcs: u8) -> Mode {
        let (band, width, timing) = (Band::Ghz5, Width::Mhz20, Timing::Standard);
        let (guard_interval, dsss_preamble) = (Span(800), Preamble::Long);
        Mode { standard, band, width, nss: 1, mcs, guard_interval, timing, dsss_preamble }
    }

    #[test]
    fn chances_are_those_of_ns3s_nist_model() {
        let mut rows = 0;
        for line in NS3.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, bytes, snr, chance] = fields[..] else { panic!("{line}") };
            let number = |text: &str| text.parse::<f64>().unwrap();
            let mode = match name.split_once("Mcs") {
                Some(("He", mcs)) => mode(Standard::Ax, mcs.parse().unwrap()),
                Some((_, mcs)) => mode(Standard::Be, mcs.parse().unwrap()),
                None => mode(Standard::A, 1),
            };
            let found = ErrorRate::of_data(&mode, number(snr)).frame(number(bytes) as u32);
            // ns-3 computes the chance of success, so it has fewer digits of a small chance of failure.
            assert!((found / number(chance) - 1.0).abs() < 1e-4, "{line}: {found}");
            rows += 1;
        }
        assert_eq!(rows, 143);
    }

    #[test]
    fn control_frames_have_the_error_rates_of_data_at_their_rate() {
        for (mcs, units) in [(0, 60), (1, 90), (2, 120), (3, 180), (4, 240), (5, 360), (6, 480), (7, 540)] {
            let data = ErrorRate::of_data(&mode(Standard::A, mcs), 11.0);
            assert_eq!(ErrorRate::of(Coding::of_rate(Rate::from_hundred_kbps(units)), 11.0), data);
        }
    }

    #[test]
    fn very_bad_and_very_good_air_lose_everything_and_nothing() {
        for mcs in 0..14 {
            let at = |snr| ErrorRate::of_data(&mode(Standard::Be, mcs), snr).frame(1500);
            assert_eq!((at(-20.0), at(100.0)), (1.0, 0.0));
        }
    }

    proptest! {
        #[test]
        fn noise_never_helps_and_longer_frames_never_either(mcs in 0..14u8, snr in -20.0..60.0f64, more in 0.0..3.0f64, bytes in 1..4000u32) {
            let at = |snr| ErrorRate::of_data(&mode(Standard::Be, mcs), snr);
            let here = at(snr).frame(bytes);
            prop_assert!((0.0..=1.0).contains(&here));
            prop_assert!(at(snr + more).frame(bytes) <= here && at(snr).frame(bytes + 1) >= here);
        }
    }
}
