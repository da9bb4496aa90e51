//! The constant parameters of a direction of a link, shared by links that have the same.

use crate::config::{LinkConfig, QueueLimit};
use airfair_core::{Rate, Span};
use std::num::NonZeroU64;

/// Rate, delay and limit of a drop-tail link, and whether it is impaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkParams {
    rate: Rate,
    /// Most links take a whole number of nanoseconds for a byte, and a division per packet is expensive. Not for a special link, nor where
    /// delay and transmission added to an instant of a run could leave 64 bits.
    nanos_per_byte: Option<NonZeroU64>,
    /// Propagation delay.
    pub delay: Span,
    /// The queue is bounded in packets, of which there is room for one at least, or in bytes.
    pub limit_packets: u32,
    pub limit_bytes: Option<u64>,
    /// Whether there is more to a packet than its time: random loss, outages, a limit in bytes.
    pub is_special: bool,
}

impl LinkParams {
    pub fn new(config: &LinkConfig) -> LinkParams {
        const BITS_A_SECOND_AT_ONE_NANO_A_BYTE: u64 = 8_000_000_000;
        let bits_per_second = config.rate.bits_per_second();
        let is_whole = BITS_A_SECOND_AT_ONE_NANO_A_BYTE.is_multiple_of(bits_per_second);
        let nanos_per_byte = BITS_A_SECOND_AT_ONE_NANO_A_BYTE / bits_per_second;
        let (limit_packets, limit_bytes) = match config.queue {
            QueueLimit::Packets(limit) => (limit, None),
            QueueLimit::Bytes(limit) => (u32::MAX, Some(limit)),
        };
        /// Runs last 2e9 s at most, half of this.
        const LONG: u64 = 1 << 62;
        let longest = nanos_per_byte.saturating_mul(u64::from(u32::MAX)).saturating_add(config.delay.0);
        let is_special = config.loss.is_some() || config.outage.is_some() || limit_bytes.is_some();
        LinkParams {
            rate: config.rate,
            nanos_per_byte: NonZeroU64::new(nanos_per_byte)
                .filter(|_| is_whole && !is_special && longest < LONG),
            delay: config.delay,
            limit_packets,
            limit_bytes,
            is_special,
        }
    }

    /// Transmission time of a packet, if that is all that the link needs to know, and easily told.
    #[inline(always)]
    pub fn ordinary_time(&self, bytes: u32) -> Option<Span> {
        self.nanos_per_byte.map(|nanos| Span(u64::from(bytes) * nanos.get()))
    }

    /// Transmission time of a packet.
    #[inline]
    pub fn transmission_time(&self, bytes: u32) -> Span {
        self.ordinary_time(bytes).unwrap_or_else(|| self.divided(bytes))
    }

    #[inline(never)]
    fn divided(&self, bytes: u32) -> Span {
        self.rate.span_of_bytes(u64::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::tests::config;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_nanoseconds_make_no_difference(
            rate in prop_oneof![1u64..100_000_000_000, (0u32..4, 6u32..10).prop_map(|(k, n)| 2u64.pow(k) * 10u64.pow(n))],
            bytes in 1u32..100_000,
        ) {
            let rate = Rate::new(rate).unwrap();
            let params = LinkParams::new(&LinkConfig { rate, ..config(QueueLimit::Packets(1)) });
            prop_assert_eq!(params.transmission_time(bytes), rate.span_of_bytes(u64::from(bytes)));
        }
    }
}
