//! From a signal-to-noise ratio to the chance that noise destroys a frame of 802.11b.
//!
//! Closed forms for white Gaussian noise and a coherent receiver, to which one wrong symbol is enough: BPSK and QPSK at 1 and 2 Mb/s (J. G. Proakis,
//! "Digital Communications", 4th edition, 5.2), and at 5.5 and 11 Mb/s the union bound of CCK, whose code words of 8 chips are those of IEEE
//! 802.11-2020, 16.3.6.6. DSSS encodes phases as differences (16.2.5), so one wrong symbol makes the next one wrong, too; the frame is lost already.
//!
//! Limits: receivers that compare the phases of neighbouring symbols are worse by 0.8 dB at 1 Mb/s and by 2.4 dB at 2 Mb/s. As with OFDM, nothing
//! fades. The signal-to-noise ratio is that over 20 MHz, and chips come at 11 MHz.

/// The bandwidth over which noise is taken, in hertz.
const BANDWIDTH: f64 = 20e6;

/// The squared distances of CCK's code words at 11 Mb/s from one of them, in units of a chip's energy, and how many code words have each distance.
const CCK_11: [(f64, f64); 6] =
    [(8.0, 24.0), (12.0, 16.0), (16.0, 174.0), (20.0, 16.0), (24.0, 24.0), (32.0, 1.0)];
/// Like [`CCK_11`], at 5.5 Mb/s.
const CCK_5_5: [(f64, f64); 2] = [(16.0, 14.0), (32.0, 1.0)];

/// Returns the natural logarithm of the chance that a bit arrives, at the rate in this place among 1, 2, 5.5 and 11 Mb/s. `snr` is the
/// signal-to-noise ratio as a number, not in dB.
pub(crate) fn log_success(place: u8, snr: f64) -> f64 {
    match place {
        0 => libm::log1p(-mistaken(2.0 * snr * BANDWIDTH / 1e6)),
        1 => libm::log1p(-mistaken(2.0 * snr * BANDWIDTH / 2e6)),
        2 => code_words(&CCK_5_5, snr) / 4.0,
        _ => code_words(&CCK_11, snr) / 8.0,
    }
}

/// Returns Q(sqrt(x)): the chance that noise takes a signal for another one.
fn mistaken(x: f64) -> f64 {
    0.5 * libm::erfc((x / 2.0).sqrt())
}

/// Returns the natural logarithm of the chance that a code word arrives.
fn code_words(distances: &[(f64, f64)], snr: f64) -> f64 {
    let chip = snr * BANDWIDTH / 11e6;
    // Each distance d is mistaken with Q(sqrt(d^2 Ec / 2 N0)).
    let sum: f64 = distances.iter().map(|&(distance, words)| words * mistaken(distance * chip / 2.0)).sum();
    libm::log1p(-sum.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::error_rate::ErrorRate;
    use crate::phy::mode::Coding;
    use std::collections::BTreeMap;

    /// Returns the chips of a code word, as multiples of a quarter turn (16.3.6.6).
    fn chips([first, second, third, fourth]: [u32; 4]) -> [u32; 8] {
        [
            first + second + third + fourth,
            first + third + fourth,
            first + second + fourth,
            first + fourth + 2,
            first + second + third,
            first + third,
            first + second + 2,
            first,
        ]
    }

    /// Returns the squared distances of these code words from the first one, and how many code words have each distance.
    fn spectrum(words: &[[u32; 4]]) -> Vec<(f64, f64)> {
        let mut found = BTreeMap::new();
        for word in &words[1..] {
            // Chips a quarter turn apart have the squared distance 2, opposite ones 4.
            let apart = chips(*word).into_iter().zip(chips(words[0])).map(|(one, other)| {
                match (4 + one % 4 - other % 4) % 4 {
                    0 => 0,
                    2 => 4,
                    _ => 2,
                }
            });
            *found.entry(apart.sum::<u32>()).or_insert(0) += 1;
        }
        found.into_iter().map(|(distance, words)| (f64::from(distance), f64::from(words))).collect()
    }

    #[test]
    fn distances_are_those_of_the_code_words() {
        let all: Vec<[u32; 4]> = (0..256).map(|n| [n % 4, n / 4 % 4, n / 16 % 4, n / 64]).collect();
        assert_eq!(spectrum(&all), CCK_11);
        let slow: Vec<[u32; 4]> = (0..16).map(|n| [n % 4, 2 * (n / 4 % 2) + 1, 0, 2 * (n / 8)]).collect();
        assert_eq!(spectrum(&slow), CCK_5_5);
    }

    /// Chances by hand. At -6 dB a bit of 1 Mb/s has 20 * 0.2512 times the energy of noise over 1 Hz: Q(3.170). At 3 dB a code word of 11 Mb/s is
    /// mistaken by the 24 nearest with Q(sqrt(4 Ec/N0)) each, Ec/N0 being 1.9953 * 20 / 11 = 3.628, so by Q(3.809) = 6.97e-5, and by the 16 next ones
    /// by Q(4.665).
    #[test]
    fn chances_by_hand() {
        let bit = -libm::expm1(log_success(0, libm::pow(10.0, -0.6)));
        assert!((bit / 7.63e-4 - 1.0).abs() < 0.01, "{bit}");
        let word = -libm::expm1(8.0 * log_success(3, libm::pow(10.0, 0.3)));
        assert!((word / (24.0 * 6.97e-5 + 16.0 * 1.54e-6) - 1.0).abs() < 0.01, "{word}");
    }

    /// At the same power, which is at 22/20 of ns-3's ratio, a receiver here loses no more frames than one of ns-3: that one compares phases of
    /// neighbouring symbols at 1 and 2 Mb/s, and has half the energy of a code word of CCK. With half of that energy here, too, chances are the same
    /// but for the union bound (5.5 Mb/s), and for the code words that ns-3 takes for two sets of 16 (11 Mb/s).
    #[test]
    fn ns3_needs_more_power_and_has_the_same_code_words() {
        let mut rows = 0;
        for line in include_str!("ns3_dsss_error_rates.csv").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, bytes, snr, chance] = fields[..] else { panic!("{line}") };
            let number = |text: &str| text.parse::<f64>().unwrap();
            let place = ["DsssRate1Mbps", "DsssRate2Mbps", "DsssRate5_5Mbps", "DsssRate11Mbps"];
            let place = place.iter().position(|rate| *rate == name).unwrap() as u8;
            let at = |ratio: f64| {
                let snr = number(snr) + 10.0 * libm::log10(ratio);
                ErrorRate::of(Coding::Dsss(place), snr).frame(number(bytes) as u32)
            };
            let chance = number(chance);
            assert!(at(22.0 / 20.0) <= chance * 1.001, "{line}: {}", at(22.0 / 20.0));
            if place >= 2 && chance < 0.15 {
                let ratio = at(11.0 / 20.0) / chance;
                assert!((0.85..1.15).contains(&ratio), "{line}: {ratio}");
                rows += 1;
            }
        }
        assert_eq!(rows, 18);
    }

    /// Slower rates reach further; very bad air loses everything, very good air nothing.
    #[test]
    fn each_rate_needs_more_than_the_slower_one() {
        let frame = |place, snr| ErrorRate::of(Coding::Dsss(place), snr).frame(1000);
        let needed = |place| (-300..300).find(|&tenth| frame(place, f64::from(tenth) / 10.0) < 0.08).unwrap();
        let all = [0, 1, 2, 3].map(needed);
        assert!(all.is_sorted_by(|one, other| one < other), "{all:?}");
        for place in 0..4 {
            assert_eq!((frame(place, -30.0), frame(place, 40.0)), (1.0, 0.0));
        }
    }
}
