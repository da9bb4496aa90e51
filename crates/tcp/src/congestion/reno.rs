//! Reno (Jacobson 1988; RFC 5681, section 3.1 and equation 4).

use super::{AckEvent, BuiltIn, Configured, CongestionControl, Loss, Reduction, Variant};
use crate::profile::ByProfile;
use crate::settings::Recovery;
use crate::window::Window;

/// Additive increase by one segment a round trip, multiplicative decrease to one half. It has no state of its
/// own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl BuiltIn for Reno {
    const ABOUT: &'static str =
        "Reno's control: slow start, congestion avoidance and halving (Jacobson, SIGCOMM 1988; RFC 5681).";

    const VARIANTS: &'static [Variant] = &[
        Variant::new("reno", ByProfile::all(Recovery::Reno)),
        Variant::new("tahoe", ByProfile::all(Recovery::Tahoe)),
        Variant::new("newreno", ByProfile::all(Recovery::NewReno)),
        Variant::new("sack", ByProfile::SELECTIVE),
        // Jung & Park 2016, section 5.1.
        Variant { max_window: Some(10.0), ..Variant::new("reno-maxwin10", ByProfile::all(Recovery::Reno)) },
    ];

    fn new(_given: &Configured) -> Reno {
        Reno
    }
}

impl CongestionControl for Reno {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        if ack.may_grow {
            window.open(ack.acked);
        }
    }

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        Reduction::to(window.rounded(loss.base / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::window::tests::window;
    use airfair_core::Time;

    #[test]
    fn a_loss_leaves_one_half() {
        let loss = Loss { now: Time(0), base: 17.0, timeout: false, segment_bytes: 1000 };
        assert_eq!(Reno.on_loss(&window(Profile::Ns2, 17.0, 20.0), &loss), Reduction::to(8.5));
        assert_eq!(Reno.on_loss(&window(Profile::Linux, 17.0, 20.0), &loss), Reduction::to(8.0));
    }
}
