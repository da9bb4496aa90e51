//! A token bucket policer: it drops packets above its profile and queues none.
//!
//! Tokens arrive at a constant rate until the bucket is full; a packet passes if there are tokens for all of it, and takes them. These
//! are the committed bucket of RFC 2697 (its CIR and CBS), with "drop" for every colour but green. The bucket starts full, as that of
//! ns-2's `TBF` does, whose `qlen_` is 0 here (`adc/tbf.cc`: a packet that finds too few tokens is dropped, and takes none).

use airfair_core::{Rate, Time};

/// Nano-tokens in a token, which is a bit: at 1 bit/s one arrives each nanosecond.
const PER_BIT: u128 = 1_000_000_000;

/// The profile of a [`Policer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerConfig {
    /// Rate of the tokens: RFC 2697's committed information rate.
    pub rate: Rate,
    /// Size of the bucket in bytes: RFC 2697's committed burst size. A longer packet never passes.
    pub burst_bytes: u64,
}

/// A token bucket and its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policer {
    rate: u128,
    burst: u128,
    /// In nano-tokens, at `at`; whole numbers, so that no rounding errors add up.
    tokens: u128,
    at: Time,
}

impl Policer {
    /// A full bucket at the start of the run.
    pub fn new(config: &PolicerConfig) -> Policer {
        Policer::starting(Time::ZERO, config)
    }

    /// A full bucket at `at`.
    pub fn starting(at: Time, config: &PolicerConfig) -> Policer {
        let burst = u128::from(config.burst_bytes) * 8 * PER_BIT;
        Policer { rate: u128::from(config.rate.bits_per_second()), burst, tokens: burst, at }
    }

    /// Another profile from `now` on. The bucket keeps its tokens, as far as the new one holds them.
    pub fn change(&mut self, now: Time, config: &PolicerConfig) {
        self.fill(now);
        let full = Policer::starting(now, config);
        *self = Policer { tokens: self.tokens.min(full.burst), at: self.at, ..full };
    }

    fn fill(&mut self, now: Time) {
        let fresh = u128::from(now.since(self.at).0) * self.rate;
        self.tokens = (self.tokens + fresh).min(self.burst);
        self.at = self.at.max(now);
    }

    /// Whether a packet of `bytes` passes at `now`, no earlier than the one before; if it does, it takes its tokens.
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
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

    fn policer(bits_per_second: u64, burst_bytes: u64) -> Policer {
        let rate = Rate::new(bits_per_second).expect("above zero");
        Policer::new(&PolicerConfig { rate, burst_bytes })
    }

    fn bucket() -> Policer {
        // A byte each microsecond, three packets of 1000 bytes at once.
        policer(8_000_000, 3000)
    }

    fn at(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    #[test]
    fn it_starts_full_and_lets_the_bucket_pass_at_once() {
        let mut policer = bucket();
        assert_eq!([(); 4].map(|()| policer.admits(Time::ZERO, 1000)), [true, true, true, false]);
    }

    #[test]
    fn a_change_keeps_the_tokens() {
        let config =
            |rate, burst_bytes| PolicerConfig { rate: Rate::new(rate).expect("above zero"), burst_bytes };
        let mut policer = bucket();
        assert!(policer.admits(Time::ZERO, 2000));
        // 1000 bytes are left, and 500 come at the old rate; then the rate is twice as high.
        policer.change(at(500), &config(16_000_000, 3000));
        assert!(!policer.admits(at(500), 1501) && policer.admits(at(500), 1500));
        assert!(policer.admits(at(750), 500));
        // A smaller bucket spills what it does not hold; a larger one has no more than before.
        policer.change(at(5000), &config(16_000_000, 1000));
        policer.change(at(5000), &config(16_000_000, 9000));
        assert!(!policer.admits(at(5000), 1001) && policer.admits(at(5000), 1000));
    }

    #[test]
    fn a_packet_passes_as_soon_as_its_tokens_are_there_and_a_dropped_one_takes_none() {
        let mut policer = bucket();
        assert!(policer.admits(Time::ZERO, 3000));
        assert!(!policer.admits(Time(999_999), 1000));
        assert!(policer.admits(at(1000), 1000));
        assert!(!policer.admits(at(1499), 500) && policer.admits(at(1500), 500));
    }

    #[test]
    fn no_more_than_the_bucket_is_kept() {
        let mut policer = bucket();
        assert!(policer.admits(at(1_000_000_000), 3000));
        assert!(!policer.admits(at(1_000_000_000), 1));
        assert!(!policer.admits(at(2_000_000_000), 3001), "larger than the bucket");
    }

    /// 2.3 Mb/s for 10 s and a bucket of 2.4 Mbit: of 1500-byte packets offered at 10 Mb/s, (23 + 2.4) Mbit / 12 kbit = 2116.67 pass.
    #[test]
    fn in_the_long_run_the_rate_and_one_bucket_pass() {
        let mut policer = policer(2_300_000, 300_000);
        let passed = (0..8334u64).filter(|i| policer.admits(at(i * 1200), 1500)).count();
        assert_eq!(passed, 2116);
    }
}
