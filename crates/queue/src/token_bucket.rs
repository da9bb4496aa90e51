//! A token bucket as a dropper: packets above its profile are dropped, none is queued.
//!
//! Tokens come at a constant rate and are kept up to the bucket's size; a packet passes if there are tokens for all of it, and
//! takes them. It starts full, as ns-2's `TBF` does, whose `qlen_` is 0 here (`adc/tbf.cc`: a packet that finds too few
//! tokens is dropped, and takes none).

use airfair_core::{Rate, Time};

/// Nano-tokens in a token, which is a bit: so much comes in a nanosecond at 1 bit/s.
const PER_BIT: u128 = 1_000_000_000;

/// What may pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    rate: u128,
    size: u128,
    /// In nano-tokens, at `at`; whole, so that nothing is lost to rounding however often it is asked.
    tokens: u128,
    at: Time,
}

impl TokenBucket {
    /// Full, with tokens at `rate` from the start of the run on and room for those of `bucket` bytes. One smaller than a packet
    /// never lets it pass.
    pub fn new(rate: Rate, bucket: u64) -> TokenBucket {
        let size = u128::from(bucket) * 8 * PER_BIT;
        TokenBucket { rate: u128::from(rate.bits_per_second()), size, tokens: size, at: Time::ZERO }
    }

    /// Whether a packet of `bytes` passes at `now`, no earlier than the one before; it takes its tokens if it does.
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        let fresh = u128::from(now.since(self.at).0) * self.rate;
        self.tokens = (self.tokens + fresh).min(self.size);
        self.at = now;
        let cost = u128::from(bytes) * 8 * PER_BIT;
        let passes = cost <= self.tokens;
        if passes {
            self.tokens -= cost;
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Span;

    fn bucket() -> TokenBucket {
        // A byte each microsecond, three packets of 1000 bytes at once.
        TokenBucket::new(Rate::new(8_000_000).expect("above zero"), 3000)
    }

    fn at(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    #[test]
    fn it_starts_full_and_lets_the_bucket_pass_at_once() {
        let mut bucket = bucket();
        assert_eq!([(); 4].map(|()| bucket.admits(Time::ZERO, 1000)), [true, true, true, false]);
    }

    #[test]
    fn a_packet_passes_as_soon_as_its_tokens_are_there_and_a_dropped_one_takes_none() {
        let mut bucket = bucket();
        assert!(bucket.admits(Time::ZERO, 3000));
        assert!(!bucket.admits(Time(999_999), 1000));
        assert!(bucket.admits(at(1000), 1000));
        assert!(!bucket.admits(at(1499), 500) && bucket.admits(at(1500), 500));
    }

    #[test]
    fn no_more_than_the_bucket_is_kept() {
        let mut bucket = bucket();
        assert!(bucket.admits(at(1_000_000_000), 3000));
        assert!(!bucket.admits(at(1_000_000_000), 1));
        assert!(!bucket.admits(at(2_000_000_000), 3001), "larger than the bucket");
    }

    /// 2.3 Mb/s for 10 s and a bucket of 2.4 Mbit: of 1500-byte packets offered at 10 Mb/s, (23 + 2.4) Mbit / 12 kbit = 2116.67 pass.
    #[test]
    fn in_the_long_run_the_rate_and_one_bucket_pass() {
        let mut bucket = TokenBucket::new(Rate::new(2_300_000).expect("above zero"), 300_000);
        let passed = (0..8334u64).filter(|i| bucket.admits(at(i * 1200), 1500)).count();
        assert_eq!(passed, 2116);
    }
}
