//! The constant parameters of a direction of a link. Links with equal parameters share them.

use crate::config::{LinkConfig, QueueLimit};
use airfair_core::{Rate, Span};
use std::num::NonZeroU64;

/// Rate, delay and limit of a drop-tail link, and whether it is impaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkParams {
    rate: Rate,
    /// Transmission time of a byte on an ordinary link in nanoseconds, if that is a whole number, as at most rates. `None` for a special
    /// link, and where delay and transmission added to an instant of a run could leave 64 bits.
    nanos_per_byte: Option<NonZeroU64>,
    /// Transmission time of a byte at any rate, for a multiplication where a division per packet would be expensive; `None` if its numbers
    /// are too large.
    fraction: Option<Fraction>,
    /// Propagation delay.
    pub delay: Span,
    /// Limit of the queue in packets, at least one. The next field: its limit in bytes, if that bounds it instead.
    pub limit_packets: u32,
    pub limit_bytes: Option<u64>,
    /// Whether more than its transmission time decides on a packet: random loss, outages, or a limit in bytes.
    pub is_special: bool,
}

/// A transmission time of `numerator / denominator` nanoseconds a byte. Packets take, to the nearest nanosecond, (2 * numerator * bytes +
/// denominator) / (2 * denominator).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    twice_numerator: u64,
    denominator: u64,
    /// 2^64 / (2 * denominator), rounded up.
    reciprocal: u64,
}

impl Fraction {
    /// Reduces a fraction; `None` where a product could leave 64 bits. The upper half of dividend * reciprocal is the quotient as long as
    /// dividend * divisor < 2^64, since reciprocal * divisor exceeds 2^64 by less than the divisor.
    fn reduced(numerator: u64, denominator: u64) -> Option<Fraction> {
        let (mut common, mut rest) = (numerator, denominator);
        while rest > 0 {
            (common, rest) = (rest, common % rest);
        }
        let (twice_numerator, denominator) = ((numerator / common).checked_mul(2)?, denominator / common);
        let divisor = denominator.checked_mul(2)?;
        let most = twice_numerator.checked_mul(u64::from(u32::MAX))?.checked_add(denominator)?;
        most.checked_mul(divisor)?;
        Some(Fraction { twice_numerator, denominator, reciprocal: u64::MAX / divisor + 1 })
    }

    #[inline]
    fn of(self, bytes: u32) -> Span {
        let dividend = u64::from(bytes) * self.twice_numerator + self.denominator;
        Span(((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64)
    }
}

impl LinkParams {
    pub fn new(config: &LinkConfig) -> LinkParams {
        const BITS_A_SECOND_AT_ONE_NANO_A_BYTE: u64 = 8_000_000_000;
        let bits_per_second = config.rate.bits_per_second();
        let (limit_packets, limit_bytes) = match config.queue {
            QueueLimit::Packets(limit) => (limit, None),
            QueueLimit::Bytes(limit) => (u32::MAX, Some(limit)),
        };
        /// Bound in nanoseconds on a packet's time at an ordinary link, where it may wait for all that the queue holds. Runs last 2e9 s at most,
        /// half of this.
        const LONG: u64 = 1 << 62;
        let longest = config.rate.span_of_bytes(u64::from(u32::MAX)).0;
        let longest = longest.saturating_mul(u64::from(limit_packets) + 1).saturating_add(config.delay.0);
        let is_special = config.loss.is_some() || config.outage.is_some() || limit_bytes.is_some();
        let is_whole = BITS_A_SECOND_AT_ONE_NANO_A_BYTE.is_multiple_of(bits_per_second);
        LinkParams {
            rate: config.rate,
            nanos_per_byte: NonZeroU64::new(BITS_A_SECOND_AT_ONE_NANO_A_BYTE / bits_per_second)
                .filter(|_| is_whole && !is_special && longest < LONG),
            fraction: Fraction::reduced(BITS_A_SECOND_AT_ONE_NANO_A_BYTE, bits_per_second),
            delay: config.delay,
            limit_packets,
            limit_bytes,
            is_special,
        }
    }

    /// Returns the transmission time of a packet of `bytes` bytes if that is all that the link needs to know, and a whole number of
    /// nanoseconds a byte.
    #[inline(always)]
    pub fn ordinary_time(&self, bytes: u32) -> Option<Span> {
        self.nanos_per_byte.map(|nanos| Span(u64::from(bytes) * nanos.get()))
    }

    /// Returns the transmission time of a packet of `bytes` bytes, to the nearest nanosecond.
    #[inline]
    pub fn transmission_time(&self, bytes: u32) -> Span {
        match self.fraction {
            Some(fraction) => fraction.of(bytes),
            None => self.rate.span_of_bytes(u64::from(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::tests::config;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_are_those_of_a_division(
            rate in prop_oneof![1u64..100_000_000_000, (1u64..100, 6u32..10).prop_map(|(k, n)| k * 10u64.pow(n))],
            bytes in prop_oneof![1u32..100_000, any::<u32>()],
        ) {
            let rate = Rate::new(rate).unwrap();
            let params = LinkParams::new(&LinkConfig { rate, ..config(QueueLimit::Packets(1)) });
            let divided = rate.span_of_bytes(u64::from(bytes));
            prop_assert_eq!(params.transmission_time(bytes), divided);
            prop_assert_eq!(params.ordinary_time(bytes).unwrap_or(divided), divided);
        }
    }

    /// 2^62 ns is the bound: a packet takes some 4.3 s at a nanosecond a byte.
    #[test]
    fn a_link_is_ordinary_if_no_time_at_it_leaves_64_bits() {
        let is_ordinary = |limit| {
            let rate = Rate::new(8_000_000_000).unwrap();
            LinkParams::new(&LinkConfig { rate, ..config(QueueLimit::Packets(limit)) })
                .ordinary_time(1)
                .is_some()
        };
        assert_eq!([1, 1 << 29, 1 << 30, u32::MAX].map(is_ordinary), [true, true, false, false]);
    }

    #[test]
    fn rates_that_people_use_need_no_division() {
        for rate in
            [1_544_000, 54_000_000, 96_300_000, 940_000_000, 2_500_000_000, 10_000_000_000, 100_000_000_000]
        {
            let params = LinkParams::new(&LinkConfig {
                rate: Rate::new(rate).unwrap(),
                ..config(QueueLimit::Packets(1))
            });
            assert!(params.fraction.is_some(), "{rate}");
        }
    }
}
