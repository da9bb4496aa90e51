//! A token bucket policer: it drops packets above its profile and queues none.
//!
//! Tokens arrive at a constant rate until the bucket is full; a packet passes if there are tokens for all of it, and takes them. These
//! are the committed bucket of RFC 2697 (its CIR and CBS), with "drop" for every colour but green. The bucket starts full, as that of
//! ns-2's `TBF` does, whose `qlen_` is 0 here (`adc/tbf.cc`: a packet that finds too few tokens is dropped, and takes none).

use airfair_core::{Rate, Time};

/// Nano-tokens in a token, which stands for a bit. At 1 bit/s one nano-token arrives each nanosecond.
const PER_BIT: u128 = 1_000_000_000;

/// The profile of a [`Policer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerConfig {
    /// Rate of the tokens: RFC 2697's committed information rate.
    pub rate: Rate,
    /// Size of the bucket in bytes: RFC 2697's committed burst size. A longer packet never passes.
    pub burst_bytes: u64,
}

/// A token bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policer {
    rate: u128,
    burst: u128,
    /// Nano-tokens that this bucket lacked at `at`, compared with a full one. The numbers are whole, so that no rounding errors add
    /// up.
    missing: u128,
    at: Time,
}

impl Policer {
    /// Returns a policer whose bucket is full at the start of the run.
    pub fn new(config: &PolicerConfig) -> Policer {
        Policer::starting(Time::ZERO, config)
    }

    /// Returns a policer whose bucket is full at `at`.
    pub fn starting(at: Time, config: &PolicerConfig) -> Policer {
        let burst = u128::from(config.burst_bytes) * 8 * PER_BIT;
        Policer { rate: u128::from(config.rate.bits_per_second()), burst, missing: 0, at }
    }

    /// Changes the profile from `now` on. What packets have taken stays taken, and nothing else: a full bucket is full with another
    /// size, too, and a bucket that shrinks and grows again has gained no tokens.
    pub fn change(&mut self, now: Time, config: &PolicerConfig) {
        self.fill(now);
        *self = Policer { missing: self.missing, ..Policer::starting(self.at, config) };
    }

    fn fill(&mut self, now: Time) {
        let fresh = u128::from(now.since(self.at).0) * self.rate;
        self.missing = self.missing.saturating_sub(fresh);
        self.at = self.at.max(now);
    }

    /// Whether a packet of `bytes` passes at `now`, no earlier than the call before. A packet that passes takes its tokens.
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let after = self.missing + u128::from(bytes) * 8 * PER_BIT;
        let passes = after <= self.burst;
        if passes {
            self.missing = after;
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
    fn a_change_gives_and_takes_no_tokens() {
        let config =
            |rate, burst_bytes| PolicerConfig { rate: Rate::new(rate).expect("above zero"), burst_bytes };
        let mut policer = bucket();
        assert!(policer.admits(Time::ZERO, 2000));
        // 1000 bytes are left, and 500 come at the old rate; then the rate is twice as high.
        policer.change(at(500), &config(16_000_000, 3000));
        assert!(!policer.admits(at(500), 1501) && policer.admits(at(500), 1500));
        assert!(policer.admits(at(750), 500));
        // A full bucket stays full.
        policer.change(at(5000), &config(16_000_000, 9000));
        assert!(policer.admits(at(5000), 9000));
        // A smaller one has to wait until less is missing than it holds, and gains nothing from having been small.
        policer.change(at(5000), &config(16_000_000, 1000));
        assert!(!policer.admits(at(9000), 1) && policer.admits(at(9500), 1000));
        policer.change(at(9500), &config(16_000_000, 9000));
        assert!(!policer.admits(at(9500), 8001) && policer.admits(at(9500), 8000));
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
