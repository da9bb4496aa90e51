//! DCTCP (RFC 8257).
//!
//! ECN is on, and the receiver [echoes each mark](crate::settings::EcnEcho::Each).

use super::{AckEvent, BuiltIn, Configured, CongestionControl, Loss, Reduction, Variant};
use crate::profile::ByProfile;
use crate::settings::EcnEcho;
use crate::window::Window;

/// Section 4.2: `g`, the weight of the latest window.
const GAIN: f64 = 1.0 / 16.0;

/// DCTCP's estimate of the marked share of the data, a moving average over windows.
#[derive(Clone, Debug)]
pub struct Dctcp {
    alpha: f64,
    /// Bytes acknowledged in the window under way, and those of them whose ACKs echoed a mark.
    acked: u64,
    marked: u64,
    /// The offset up to which bytes were counted, and the offset at which the window under way ends.
    counted_to: u64,
    window_ends: u64,
}

impl BuiltIn for Dctcp {
    const ABOUT: &'static str = "DCTCP: marks cut the window by half of the part of it that was marked (RFC 8257). Losses halve it. It \
         needs a queue that marks.";
    const VARIANTS: &'static [Variant] =
        &[Variant { echo: Some(EcnEcho::Each), ..Variant::new("dctcp", ByProfile::SELECTIVE) }];

    /// Section 3.3: alpha begins at one, so that the first mark halves the window.
    fn new(_given: &Configured) -> Dctcp {
        Dctcp { alpha: 1.0, acked: 0, marked: 0, counted_to: 0, window_ends: 0 }
    }
}

impl CongestionControl for Dctcp {
    /// Section 3.3, steps 1 to 7.
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        // All bytes acknowledged, also those that do not count for the window's growth.
        self.acked += ack.una - self.counted_to;
        self.counted_to = ack.una;
        if ack.una > self.window_ends {
            let part = self.marked as f64 / self.acked.max(1) as f64;
            self.alpha += GAIN * (part - self.alpha);
            self.window_ends = ack.nxt;
            (self.acked, self.marked) = (0, 0);
        }
        if ack.may_grow {
            window.open(ack.acked);
        }
    }

    fn on_marked(&mut self, bytes: u64) {
        self.marked += bytes;
    }

    /// Section 3.3, step 8. Linux rounds the reduction down.
    fn on_mark(&mut self, window: &Window, _loss: &Loss) -> Reduction {
        Reduction::to(window.rounded_up(window.cwnd * (1.0 - self.alpha / 2.0)))
    }

    /// Section 3.5.
    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        Reduction::to(window.rounded(loss.base / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::delivered::tests::ack;
    use super::*;
    use crate::profile::{self, Profile, TcpName};
    use crate::window::tests::window;
    use airfair_core::{Span, Time};
    use proptest::prelude::*;

    fn dctcp() -> Dctcp {
        Dctcp { alpha: 1.0, acked: 0, marked: 0, counted_to: 0, window_ends: 0 }
    }

    /// Acknowledges a window of ten segments one by one. The last `marked` ACKs echo a mark.
    fn round(dctcp: &mut Dctcp, number: u64, marked: u64) {
        let mut window = window(Profile::Rfc, 10.0, 2.0);
        for segment in 0..10 {
            let una = 1000 * (10 * number + segment + 1);
            if segment >= 10 - marked {
                dctcp.on_marked(1000);
            }
            let event = AckEvent { una, nxt: una + 10_000, ..ack(Span::ZERO, 1000, Span::ZERO) };
            dctcp.on_ack(&mut window, &event);
        }
    }

    fn loss() -> Loss {
        Loss { now: Time(0), base: 20.0, timeout: false, segment_bytes: 1000 }
    }

    #[test]
    fn the_first_mark_halves() {
        let window = window(Profile::Linux, 20.0, 2.0);
        assert_eq!(dctcp().on_mark(&window, &loss()), Reduction::to(10.0));
    }

    /// Alizadeh et al. 2010, section 3.1: with all of a window marked it is halved, with few marks little is taken.
    #[test]
    fn alpha_is_the_part_of_the_data_that_is_marked() {
        let mut dctcp = dctcp();
        (0..200).for_each(|number| round(&mut dctcp, number, 2));
        assert!((dctcp.alpha - 0.2).abs() < 0.01, "{}", dctcp.alpha);
        let cut = dctcp.on_mark(&window(Profile::Rfc, 20.0, 2.0), &loss()).cwnd;
        assert!((cut - 18.0).abs() < 0.1);
        let window = window(Profile::Linux, 20.0, 2.0);
        assert_eq!(dctcp.on_mark(&window, &loss()).cwnd, cut.ceil());
        assert_eq!(dctcp.on_loss(&window, &loss()), Reduction::to(10.0));
    }

    #[test]
    fn alpha_moves_by_a_sixteenth_of_the_way_in_a_window() {
        let mut dctcp = dctcp();
        round(&mut dctcp, 0, 0);
        assert_eq!(dctcp.alpha, 15.0 / 16.0);
        round(&mut dctcp, 1, 0);
        assert_eq!(dctcp.alpha, 15.0 / 16.0 * (15.0 / 16.0));
    }

    #[test]
    fn it_brings_ecn_and_a_receiver_that_echoes_each_mark() {
        for profile in Profile::ALL {
            let settings = profile::settings(profile, TcpName::named("dctcp"));
            assert_eq!((settings.ecn, settings.ecn_echo), (true, EcnEcho::Each));
        }
    }

    proptest! {
        #[test]
        fn alpha_is_a_part_whatever_is_marked(rounds in prop::collection::vec(0u64..=10, 1..100)) {
            let mut dctcp = dctcp();
            for (number, marked) in (0..).zip(rounds) {
                round(&mut dctcp, number, marked);
                prop_assert!((0.0..=1.0).contains(&dctcp.alpha));
                let window = window(Profile::Linux, 20.0, 2.0);
                let cwnd = dctcp.on_mark(&window, &loss()).cwnd;
                prop_assert!((10.0..=20.0).contains(&cwnd));
            }
        }
    }
}
