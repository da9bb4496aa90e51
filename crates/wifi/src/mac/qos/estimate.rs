//! The airtime that a packet is expected to take, by which drivers' queues are limited.

use airfair_core::{Rate, Span};

use crate::phy::edca::AccessCategory;
use crate::phy::mode::{Mode, Standard};

/// Bytes that mac80211 adds to a packet: the QoS and LLC headers that it has in its queue, and 38 bytes for Ethernet.
const HEADERS: u32 = 26 + 8 + 38;
/// Bits of the packet by whose duration mac80211 guesses the length of aggregates.
const AVERAGE_PACKET: u64 = 8 * 1024;
/// Shortest airtime of a packet.
const LEAST: Span = Span::from_micros(4);

/// How the airtime of a packet follows from its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub rate: Rate,
    headers: u32,
    overhead: Span,
    least: Span,
}

impl Estimate {
    /// Returns the estimate that counts a packet's bits at the data rate, as in ath9k's table of the bytes that 4 ms carry.
    pub fn of_bits(mode: &Mode) -> Estimate {
        Estimate { rate: mode.rate(), headers: 0, overhead: Span::ZERO, least: Span::ZERO }
    }

    /// Returns mac80211's estimate for its airtime queue limit: headers count, and so does a part of the overhead. In 802.11b, a and g,
    /// and in the category voice, that is the overhead of a whole frame. Elsewhere it is the part of a frame in an aggregate whose
    /// length follows from the rate (`ieee80211_calc_expected_tx_airtime`, Linux's `net/mac80211/airtime.c`; Felix Fietkau, ISC
    /// licence).
    pub fn of_mac80211(mode: &Mode, category: AccessCategory) -> Estimate {
        let rate = mode.rate();
        let overhead = match mode.standard {
            Standard::B => mode.ppdu(0) + Span::from_micros(10),
            Standard::A | Standard::G => Span::from_micros(36),
            _ => Span::from_micros(36 + 4 * u64::from(mode.nss)),
        };
        let aggregates = !mode.standard.has_rates() && category != AccessCategory::Voice;
        let packet = rate.span_of_bits(AVERAGE_PACKET);
        let shift = match packet.0 / 1000 {
            _ if !aggregates => 0,
            401.. => 1,
            251.. => 2,
            151.. => 3,
            71.. => 4,
            21.. => 5,
            _ if mode.standard != Standard::Ax => 5,
            _ => 6,
        };
        Estimate { rate, headers: HEADERS, overhead: Span(overhead.0 >> shift), least: LEAST }
    }

    /// Returns the estimated airtime of a packet of this number of bytes.
    pub fn airtime(&self, bytes: u32) -> Span {
        let bits = 8 * u64::from(bytes + self.headers);
        (self.rate.span_of_bits(bits) + self.overhead).max(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Preamble;
    use crate::phy::mode::{Timing, Width};

    fn mode(standard: Standard, nss: u8, mcs: u8) -> Mode {
        let guard_interval = Span(if standard == Standard::N { 400 } else { 800 });
        let band = standard.bands()[0];
        let (width, timing, dsss_preamble) = (Width::Mhz20, Timing::Standard, Preamble::Long);
        Mode { standard, band, width, nss, mcs, guard_interval, timing, dsss_preamble }
    }

    /// A packet of 1500 bytes counts as 1572 bytes. Airtimes by hand, in microseconds: MCS 0 of 802.11n at 7.2 Mb/s takes 1741.3 and
    /// half of 36 + 4; MCS 15 at 144.4 Mb/s takes 87.1 and 44 / 32.
    #[test]
    fn mac80211_adds_headers_and_a_part_of_the_overhead() {
        let close = |mode: &Mode, category, expected: f64| {
            let found = Estimate::of_mac80211(mode, category).airtime(1500).as_secs() * 1e6;
            assert!((found - expected).abs() < 0.01, "{found} us instead of {expected}");
        };
        let (slow, fast) = (mode(Standard::N, 1, 0), mode(Standard::N, 2, 7));
        close(&slow, AccessCategory::BestEffort, 1741.29 + 20.0);
        close(&fast, AccessCategory::BestEffort, 87.06 + 1.375);
        // 802.11ax with MCS 11 and one stream: 143.38 Mb/s, 57 us for 1024 bytes.
        close(&mode(Standard::Ax, 1, 11), AccessCategory::Video, 87.71 + 1.25);
        // With four streams 573.53 Mb/s, 14 us for 1024 bytes. Linux 6.18 expects longer aggregates of 802.11ax alone, not of 802.11be.
        close(&mode(Standard::Ax, 4, 11), AccessCategory::BestEffort, 21.93 + 52.0 / 64.0);
        close(&mode(Standard::Be, 4, 11), AccessCategory::BestEffort, 21.93 + 52.0 / 32.0);
    }

    #[test]
    fn voice_and_old_standards_have_the_whole_overhead() {
        let bits = |mode: &Mode| Estimate::of_bits(mode).airtime(1500 + HEADERS);
        for (mode, overhead) in [(mode(Standard::N, 2, 7), 44), (mode(Standard::A, 1, 7), 36)] {
            let voice = Estimate::of_mac80211(&mode, AccessCategory::Voice);
            assert_eq!(voice.airtime(1500), bits(&mode) + Span::from_micros(overhead));
        }
    }
}
