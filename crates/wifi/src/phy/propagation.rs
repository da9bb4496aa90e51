//! From a distance to a signal-to-noise ratio: path loss, received power, noise floor.
//!
//! Lengths are in metres, frequencies in GHz, bandwidths in MHz; losses and ratios in dB, powers in dBm. There is no fading and no
//! shadowing: a distance has one loss.

use airfair_core::words;

use super::mode::{Band, Mode};

/// Speed of light in metres per nanosecond, which is the wavelength in metres at 1 GHz.
const SPEED_OF_LIGHT: f64 = 0.299_792_458;
/// Thermal noise at 290 K, in dBm in a band of 1 Hz.
const THERMAL_NOISE: f64 = -174.0;
/// Shortest distance in metres; a shorter one counts as this. Here the far field of an antenna begins (IEEE 802.11-14/0980r16,
/// appendix 2).
const SHORTEST: f64 = 1.0;

words! {
    /// A law of path loss.
    pub enum PathLossModel {
        /// Free space up to 1 m, from there on a power of the distance.
        LogDistance = "log-distance",
        /// TGax residential (IEEE 802.11-14/0980r16, scenario 1): free space up to 5 m, the power 3.5 beyond; 5 dB a wall, and floors.
        Residential = "residential",
        /// TGax enterprise (IEEE 802.11-14/0980r16, scenario 2): free space up to 10 m, the power 3.5 beyond; 7 dB a wall.
        Enterprise = "enterprise",
    }
}

/// What lies between two antennas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Distance between the antennas, in metres.
    pub distance: f64,
    /// Walls between the antennas, with the TGax models. A fraction stands for a mean.
    pub walls: f64,
    /// Floors between the antennas, with the residential model. A fraction stands for a mean.
    pub floors: f64,
}

/// A law of path loss and its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathLoss {
    /// The law of path loss.
    pub model: PathLossModel,
    /// The power of the distance with which a signal fades, with the log-distance model; 2 in free space.
    pub exponent: f64,
    /// Carrier frequency in GHz.
    pub frequency: f64,
}

impl PathLoss {
    /// Returns the loss over `path`, in dB.
    pub fn over(&self, path: &Path) -> f64 {
        let distance = path.distance.max(SHORTEST);
        match self.model {
            PathLossModel::LogDistance => {
                let turn = 4.0 * std::f64::consts::PI * SHORTEST * self.frequency / SPEED_OF_LIGHT;
                decades(20.0, turn) + decades(10.0 * self.exponent, distance / SHORTEST)
            }
            PathLossModel::Residential => self.tgax(distance, 5.0) + 5.0 * path.walls + floors(path.floors),
            PathLossModel::Enterprise => self.tgax(distance, 10.0) + 7.0 * path.walls,
        }
    }

    /// Returns the loss in dB over a distance within a room, in metres. The signal fades faster beyond `breakpoint`.
    fn tgax(&self, distance: f64, breakpoint: f64) -> f64 {
        let near = decades(20.0, distance.min(breakpoint));
        let far = decades(35.0, (distance / breakpoint).max(1.0));
        40.05 + decades(20.0, self.frequency / 2.4) + near + far
    }
}

/// Returns the loss of floors in dB, as COST 231 has it: each floor costs less than the one before.
fn floors(count: f64) -> f64 {
    if count > 0.0 { 18.3 * libm::pow(count, (count + 2.0) / (count + 1.0) - 0.46) } else { 0.0 }
}

/// Returns `each` dB for every power of ten in `ratio`.
fn decades(each: f64, ratio: f64) -> f64 {
    each * libm::log10(ratio)
}

/// Returns the noise that a receiver of this bandwidth in MHz and this noise figure in dB hears, in dBm.
pub fn noise_floor(bandwidth: f64, noise_figure: f64) -> f64 {
    THERMAL_NOISE + decades(10.0, bandwidth * 1e6) + noise_figure
}

/// Returns the power in mW of a level in dBm.
pub fn milliwatts(level: f64) -> f64 {
    libm::pow(10.0, level / 10.0)
}

impl Band {
    /// Returns the frequency in GHz by which the band is named. The path loss of its channels is at most 1.5 dB more.
    pub fn frequency(self) -> f64 {
        match self {
            Band::Ghz2_4 => 2.4,
            Band::Ghz5 => 5.0,
            Band::Ghz6 => 6.0,
        }
    }
}

impl Mode {
    /// Returns the signal-to-noise ratio, in dB, of a signal received with `power` dBm over the channel of the mode, with this noise
    /// figure in dB.
    pub fn snr(&self, power: f64, noise_figure: f64) -> f64 {
        power - noise_floor(f64::from(self.width.mhz()), noise_figure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(model: PathLossModel, frequency: f64) -> PathLoss {
        PathLoss { model, exponent: 3.0, frequency }
    }

    fn path(distance: f64) -> Path {
        Path { distance, walls: 0.0, floors: 0.0 }
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-4, "{found} is not {expected}");
    }

    #[test]
    fn path_losses_are_those_computed_by_hand() {
        // Free space over a metre at 5 GHz, and 30 dB a decade.
        let log_distance = model(PathLossModel::LogDistance, 5.0);
        close(log_distance.over(&path(1.0)), 46.4272);
        close(log_distance.over(&path(100.0)), 106.4272);
        // 40.05 + 13.9794 at 5 m and 2.4 GHz; 6.3752 more at 5 GHz, and 10.5361 from 5 to 10 m.
        close(model(PathLossModel::Residential, 2.4).over(&path(5.0)), 54.0294);
        let residential = model(PathLossModel::Residential, 5.0);
        close(residential.over(&path(10.0)), 70.9406);
        close(residential.over(&Path { walls: 2.0, floors: 1.0, ..path(10.0) }), 70.9406 + 10.0 + 18.3);
        close(residential.over(&Path { floors: 2.0, ..path(10.0) }), 70.9406 + 33.5236);
        let enterprise = model(PathLossModel::Enterprise, 5.0);
        close(enterprise.over(&path(10.0)), 66.4252);
        close(enterprise.over(&Path { walls: 3.0, ..path(20.0) }), 66.4252 + 10.5360 + 21.0);
    }

    /// Komondor's scenarios 1a, 2b and 2c have a floor every 3 m and a wall every 10 m on average at 5 GHz and 20 dBm.
    #[test]
    fn komondors_stations_hear_each_other_as_its_scenarios_say() {
        let heard = |distance: f64| {
            let path = Path { distance, walls: distance / 10.0, floors: distance / 3.0 };
            20.0 - model(PathLossModel::Residential, 5.0).over(&path)
        };
        // Scenario 1a: 256-QAM 5/6 needs -57 dBm, the next scheme -54 dBm.
        assert!((-57.0..-54.0).contains(&heard(2.83)), "{}", heard(2.83));
        // Scenario 2b: with -70 dBm neighbours hear each other over 4 m, but not the one behind.
        assert!(heard(4.0) > -70.0 && heard(8.0) < -70.0);
        // Scenario 2c: with -68 dBm one neighbour at 4.5 m is just too weak, and both together are not.
        assert!(heard(4.5) < -68.0 && heard(4.5) + 3.0 > -68.0, "{}", heard(4.5));
    }

    #[test]
    fn three_decibels_double_a_power() {
        close(milliwatts(0.0), 1.0);
        close(milliwatts(3.0103), 2.0);
        close(1e9 * milliwatts(-90.0), 1.0);
    }

    #[test]
    fn noise_is_three_decibels_more_in_twice_the_bandwidth() {
        close(noise_floor(20.0, 7.0), -93.9897);
        close(noise_floor(160.0, 7.0), -84.9588);
    }

    proptest! {
        #[test]
        fn a_longer_path_never_loses_less(
            index in 0..3usize, near in 0.0..200.0f64, more in 0.0..50.0f64, walls in 0.0..9.0f64, floors in 0.0..9.0f64,
        ) {
            let over = |distance, floors| model(PathLossModel::ALL[index], 5.0).over(&Path { distance, walls, floors });
            let here = over(near, floors);
            prop_assert!(here >= 40.0);
            prop_assert!(over(near + more, floors) >= here && over(near, floors + more) >= here);
        }
    }
}
