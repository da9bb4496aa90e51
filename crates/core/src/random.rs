//! One random stream for each component, keyed by the run's seed and the component's name.
//!
//! Streams are independent: a station that is added shifts no other component's draws. The distributions are implemented here,
//! over xoshiro256++, so that a library's change of algorithm cannot change results.

use crate::time::Time;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A component's private source of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Returns the stream of the component `name` in the run with this `seed`.
    pub fn new(seed: u64, name: &str) -> Stream {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(name.as_bytes());
        Stream(Xoshiro256PlusPlus::from_seed(*hasher.finalize().as_bytes()))
    }

    /// Returns the stream of a component that is made anew at `at`. At time zero it is the stream of [`Stream::new`].
    pub fn starting(at: Time, seed: u64, name: &str) -> Stream {
        if at == Time::ZERO {
            Stream::new(seed, name)
        } else {
            Stream::new(seed, &format!("{name} from {at}"))
        }
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number uniform on `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws a whole number uniform on `0..bound`, without bias (Lemire, "Fast random integer generation in an interval", 2019).
    ///
    /// # Panics
    /// When `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Draws a number uniform on `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draws an exponentially distributed number with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Draws a lognormally distributed number with this mean; `sigma` is the standard deviation of the logarithms (Box & Muller,
    /// "A note on the generation of random normal deviates", 1958).
    pub fn lognormal(&mut self, mean: f64, sigma: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        let normal = radius * libm::cos(std::f64::consts::TAU * self.unit());
        mean * libm::exp(sigma * normal - sigma * sigma / 2.0)
    }

    /// Returns `true` with this probability. Draws nothing when it is zero.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_lognormal_draws_are_normal() {
        let mut stream = Stream::new(1, "test");
        let draws: Vec<f64> = (0..100_000).map(|_| libm::log(stream.lognormal(10.0, 0.5))).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / 1e5;
        // ln 10 - 0.5^2 / 2, and 0.5^2; the standard errors are 0.0016 and 0.0011.
        assert!((mean - (libm::log(10.0) - 0.125)).abs() < 0.008, "{mean}");
        assert!((variance - 0.25).abs() < 0.006, "{variance}");
        // Of a normal distribution 15.9 % are more than a standard deviation above the mean.
        let above = draws.iter().filter(|&&draw| draw > mean + 0.5).count() as f64 / 1e5;
        assert!((above - 0.1587).abs() < 0.006, "{above}");
    }

    #[test]
    fn golden_values_hold_on_every_machine() {
        let mut stream = Stream::new(1, "station 0");
        assert_eq!([stream.bits(), stream.below(32), stream.below(1000)], GOLDEN_BITS);
        assert_eq!(stream.unit().to_bits(), GOLDEN_UNIT);
        assert_eq!(stream.exponential(10.0).to_bits(), GOLDEN_EXPONENTIAL);
    }
    const GOLDEN_BITS: [u64; 3] = [17_470_507_520_423_595_147, 20, 934];
    const GOLDEN_UNIT: u64 = 4588991281760669264;
    const GOLDEN_EXPONENTIAL: u64 = 4622772791785049688;

    #[test]
    fn names_and_seeds_give_different_streams() {
        let first = Stream::new(1, "a").bits();
        assert_ne!(first, Stream::new(1, "b").bits());
        assert_ne!(first, Stream::new(2, "a").bits());
        assert_eq!(first, Stream::new(1, "a").bits());
        assert_eq!(first, Stream::starting(Time::ZERO, 1, "a").bits());
        assert_ne!(first, Stream::starting(Time(1), 1, "a").bits());
    }

    #[test]
    fn draws_have_the_right_means() {
        let mut stream = Stream::new(7, "means");
        let n = 200_000;
        let mean = |sum: f64| sum / f64::from(n);
        let unit = mean((0..n).map(|_| stream.unit()).sum());
        let below = mean((0..n).map(|_| stream.below(10) as f64).sum());
        let exponential = mean((0..n).map(|_| stream.exponential(3.0)).sum());
        assert!((unit - 0.5).abs() < 0.005, "{unit}");
        assert!((below - 4.5).abs() < 0.05, "{below}");
        assert!((exponential - 3.0).abs() < 0.05, "{exponential}");
    }
}
