//! Westwood+ (Grieco & Mascolo, ACM CCR 34(2), 2004).
//!
//! The arithmetic is in whole milliseconds and whole bytes per millisecond. Unlike Westwood's, the estimate is not misled by ACK compression:
//! a sample is the data that arrived in a round trip of at least 50 ms.

use super::delivered::Delivered;
use super::{AckEvent, BuiltIn, Configured, CongestionControl, Loss, Reduction, Variant};
use crate::profile::{ByProfile, Ns2Agent};
use crate::settings::Recovery;
use crate::window::Window;
use airfair_core::{Span, Time};

/// The least time that a sample spans, in ms.
const SHORTEST_SAMPLE_MS: u64 = 50;
/// The round-trip time before the first sample: too long rather than too short.
const INITIAL_RTT_MS: u64 = 20_000;

/// ns-2's TCP/Linux has a recovery of its own. A Linux kernel recovers with SACK whatever the control.
pub(super) const RECOVERY: ByProfile<Recovery> =
    ByProfile { ns2: Recovery::Fack, rfc: Recovery::NewReno, linux: Recovery::Rack };

/// Bandwidth in bytes per millisecond, filtered twice with a gain of one eighth.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    delivered: Delivered,
    filtered_once: u64,
    bandwidth: u64,
    /// When the current sample began, in ms; `None` before the first ACK.
    sample_began: Option<u64>,
    /// Bytes of the current sample.
    sample_bytes: u64,
    rtt_ms: u64,
    /// `None` before the first ACK.
    shortest_rtt_ms: Option<u64>,
}

impl Default for WestwoodPlus {
    fn default() -> WestwoodPlus {
        WestwoodPlus {
            delivered: Delivered::default(),
            filtered_once: 0,
            bandwidth: 0,
            sample_began: None,
            sample_bytes: 0,
            rtt_ms: INITIAL_RTT_MS,
            shortest_rtt_ms: None,
        }
    }
}

fn whole_millis(nanos: u64) -> u64 {
    nanos / 1_000_000
}

impl WestwoodPlus {
    /// The bandwidth estimate in byte/s.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth as f64 * 1000.0
    }

    fn measure(&mut self, now: Time, bytes: u64) {
        let now = whole_millis(now.0);
        match self.sample_began {
            None => self.sample_began = Some(now),
            Some(began) => {
                let span = now - began;
                if self.rtt_ms > 0 && span > self.rtt_ms.max(SHORTEST_SAMPLE_MS) {
                    self.filter(self.sample_bytes / span);
                    self.sample_bytes = 0;
                    self.sample_began = Some(now);
                }
                self.sample_bytes += bytes;
            }
        }
        self.shortest_rtt_ms = Some(self.shortest_rtt_ms.map_or(self.rtt_ms, |rtt| rtt.min(self.rtt_ms)));
    }

    fn filter(&mut self, sample: u64) {
        if self.filtered_once == 0 && self.bandwidth == 0 {
            self.filtered_once = sample;
            self.bandwidth = sample;
        } else {
            self.filtered_once = (7 * self.filtered_once + sample) / 8;
            self.bandwidth = (7 * self.bandwidth + self.filtered_once) / 8;
        }
    }
}

impl BuiltIn for WestwoodPlus {
    const ABOUT: &'static str = "Westwood+: as Westwood, with the bandwidth sampled once a round trip (Grieco & Mascolo, ACM CCR 34(2), \
         2004) and the arithmetic of Linux's `tcp_westwood`, which ns-2's TCP/Linux runs.";
    const VARIANTS: &'static [Variant] = &[Variant::new("westwood-plus", RECOVERY)];
    const NS2_AGENT: Ns2Agent = Ns2Agent::Linux;

    fn new(_given: &Configured) -> WestwoodPlus {
        WestwoodPlus::default()
    }
}

impl CongestionControl for WestwoodPlus {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        self.rtt_ms = whole_millis(ack.srtt.unwrap_or(Span::ZERO).0);
        let bytes = self.delivered.on_ack(ack);
        self.measure(ack.now, bytes);
        if ack.may_grow {
            window.open(ack.acked);
        }
    }

    fn on_duplicate_ack(&mut self, _window: &mut Window, ack: &AckEvent) {
        let bytes = self.delivered.on_duplicate_ack(ack);
        self.measure(ack.now, bytes);
    }

    fn on_loss(&mut self, _window: &Window, loss: &Loss) -> Reduction {
        let bytes = self.bandwidth * self.shortest_rtt_ms.unwrap_or(INITIAL_RTT_MS);
        Reduction::to((bytes / u64::from(loss.segment_bytes)).max(2) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::delivered::tests::ack;
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;

    #[test]
    fn the_window_becomes_what_the_path_carries_in_the_shortest_round_trip() {
        let mut westwood = WestwoodPlus::default();
        let mut grown = window(Profile::Linux, 50.0, 2.0);
        for i in 0..5000 {
            westwood.on_ack(&mut grown, &ack(Span::from_millis(i), 1000, Span::from_millis(60 + i / 100)));
        }
        // 1000 bytes a ms; whole-number filters settle a little below.
        assert!((960_000.0..=1_000_000.0).contains(&westwood.bandwidth()), "{}", westwood.bandwidth());
        let loss = Loss { now: Time(0), base: 50.0, timeout: false, segment_bytes: 1000 };
        let cwnd = westwood.on_loss(&grown, &loss).cwnd;
        assert!((57.0..=60.0).contains(&cwnd), "{cwnd}");
    }

    #[test]
    fn samples_are_filtered_twice_with_a_gain_of_one_eighth() {
        // Linux's westwood_filter, (7 a + b) / 8 in whole numbers, by hand; the first sample is taken as it is.
        let mut westwood = WestwoodPlus::default();
        let estimates = [800, 1600, 0].map(|sample| {
            westwood.filter(sample);
            (westwood.filtered_once, westwood.bandwidth)
        });
        assert_eq!(estimates, [(800, 800), (900, 812), (787, 808)]);
        assert_eq!(westwood.bandwidth(), 808_000.0);
    }

    #[test]
    fn a_burst_of_acks_is_no_sample() {
        let mut westwood = WestwoodPlus::default();
        let mut window = window(Profile::Linux, 50.0, 2.0);
        for i in 0..500 {
            // Ten ACKs at once every 10 ms: 1000 bytes a ms on average.
            let now = Span::from_millis(10 * (i / 10));
            westwood.on_ack(&mut window, &ack(now, 1000, Span::from_millis(100)));
        }
        assert!(westwood.bandwidth() <= 1_000_000.0, "{}", westwood.bandwidth());
        assert!(westwood.bandwidth() > 800_000.0, "{}", westwood.bandwidth());
    }
}
