//! Westwood (Mascolo, Casetti, Gerla, Sanadidi & Wang, MobiCom 2001).

use super::delivered::Delivered;
use super::westwood_plus::RECOVERY;
use super::{AckEvent, BuiltIn, Configured, CongestionControl, Loss, Reduction, Variant};
use crate::profile::Ns2Agent;
use crate::window::Window;
use airfair_core::{Span, Time};

/// The low-pass filter's time constant (section 2.2: tau = 0.5 s).
const TIME_CONSTANT: f64 = 0.5;

/// Bandwidth estimated with a first-order low-pass filter over the samples that single ACKs give.
///
/// The paper adds virtual samples of zero where no ACK comes for half a time constant; as the filter's gain
/// follows the true interval between ACKs, a late ACK brings its own low sample with the weight of that
/// silence, and none are added.
#[derive(Clone, Debug, Default)]
pub struct Westwood {
    delivered: Delivered,
    /// Bytes since the last sample (several ACKs may come at one instant).
    pending: u64,
    last_ack: Option<Time>,
    /// Byte/s.
    last_sample: f64,
    /// Byte/s.
    bandwidth: f64,
    shortest_rtt: Option<Span>,
}

impl Westwood {
    /// The bandwidth estimate in byte/s.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    fn measure(&mut self, now: Time, bytes: u64) {
        self.pending += bytes;
        let Some(last) = self.last_ack else {
            self.last_ack = Some(now);
            self.pending = 0;
            return;
        };
        let interval = now.since(last).as_secs();
        if interval == 0.0 {
            return;
        }
        let sample = self.pending as f64 / interval;
        // Equation 3: the bilinear transform of a first-order filter, for samples that are not equally
        // spaced.
        let ratio = 2.0 * TIME_CONSTANT / interval;
        self.bandwidth =
            ((ratio - 1.0) * self.bandwidth + sample + self.last_sample).max(0.0) / (ratio + 1.0);
        self.last_sample = sample;
        self.last_ack = Some(now);
        self.pending = 0;
    }
}

impl BuiltIn for Westwood {
    const ABOUT: &'static str = "Westwood: a loss sets the threshold to the bandwidth, estimated from every ACK, times the shortest round \
         trip (Mascolo et al., MobiCom 2001).";
    const VARIANTS: &'static [Variant] = &[
        // ns-2's module of that name is Westwood+.
        Variant { in_ns2: Some("westwood-plus"), ..Variant::new("westwood", RECOVERY) },
    ];
    const NS2_AGENT: Ns2Agent = Ns2Agent::Linux;

    fn new(_given: &Configured) -> Westwood {
        Westwood::default()
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        if let Some(rtt) = ack.srtt {
            self.shortest_rtt = Some(self.shortest_rtt.map_or(rtt, |shortest| shortest.min(rtt)));
        }
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

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        let rtt = self.shortest_rtt.map_or(0.0, Span::as_secs);
        let ssthresh = (self.bandwidth * rtt / f64::from(loss.segment_bytes)).max(2.0);
        // Fig. 4: a window that is smaller already stays.
        Reduction { cwnd: ssthresh.min(window.cwnd.max(2.0)), ..Reduction::to(ssthresh) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::delivered::tests::ack;
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;

    #[test]
    fn the_threshold_is_what_the_path_carries_in_the_shortest_round_trip() {
        let mut westwood = Westwood::default();
        let mut grown = window(Profile::Rfc, 50.0, 2.0);
        // One segment of 1000 bytes each ms is 1 MB/s; at 20 ms that is 20 segments.
        for i in 0..5000 {
            westwood.on_ack(&mut grown, &ack(Span::from_millis(i), 1000, Span::from_millis(20 + i / 100)));
        }
        assert!((westwood.bandwidth() - 1e6).abs() < 1e4, "{}", westwood.bandwidth());
        let loss = Loss { now: Time(0), base: 50.0, timeout: false, segment_bytes: 1000 };
        let reduction = westwood.on_loss(&grown, &loss);
        assert!((reduction.ssthresh - 20.0).abs() < 0.5, "{reduction:?}");
    }

    #[test]
    fn the_estimate_follows_a_slower_path_within_some_time_constants() {
        let mut westwood = Westwood::default();
        let mut window = window(Profile::Rfc, 50.0, 2.0);
        let mut now = Span::ZERO;
        for i in 0..2000 {
            now += Span::from_millis(if i < 1000 { 1 } else { 4 });
            westwood.on_ack(&mut window, &ack(now, 1000, Span::from_millis(20)));
        }
        assert!((westwood.bandwidth() - 0.25e6).abs() < 1e4, "{}", westwood.bandwidth());
    }
}
