//! Bit rates and the time that bytes take at them.

use crate::time::Span;

/// A rate in bit/s, above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// Returns a rate of `bits_per_second`; `None` for zero, at which nothing would ever arrive.
    pub const fn new(bits_per_second: u64) -> Option<Rate> {
        if bits_per_second == 0 { None } else { Some(Rate(bits_per_second)) }
    }

    /// Returns a rate known at compile time, in units of 100 kb/s (802.11b has 5.5 Mb/s).
    ///
    /// # Panics
    /// When `units` is zero.
    pub const fn from_hundred_kbps(units: u64) -> Rate {
        assert!(units > 0);
        Rate(units * 100_000)
    }

    /// Returns the rate in bit/s.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Returns the time that `bits` take, rounded to the nearest nanosecond.
    pub fn span_of_bits(self, bits: u64) -> Span {
        let numerator = u128::from(bits) * 1_000_000_000 + u128::from(self.0 / 2);
        // 64-bit division is several times faster than 128-bit division, and every packet needs one.
        match u64::try_from(numerator) {
            Ok(small) => Span(small / self.0),
            Err(_) => Span((numerator / u128::from(self.0)) as u64),
        }
    }

    /// Returns the time that `bytes` take, rounded to the nearest nanosecond.
    pub fn span_of_bytes(self, bytes: u64) -> Span {
        self.span_of_bits(bytes * 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time() {
        let rate = Rate::new(100_000_000).unwrap();
        assert_eq!(rate.span_of_bytes(1040), Span(83_200));
        assert_eq!(Rate::new(11_000_000).unwrap().span_of_bits(8), Span(727));
        assert_eq!(Rate::new(1).unwrap().span_of_bytes(1 << 31), Span((1u64 << 34) * 1_000_000_000));
    }

    #[test]
    fn a_zero_rate_is_no_rate() {
        assert_eq!(Rate::new(0), None);
    }
}
