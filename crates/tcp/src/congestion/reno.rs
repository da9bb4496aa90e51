//! Reno: slow start, congestion avoidance and halving (Jacobson 1988; RFC 5681, section 3.1 and equation 4).

use super::{AckEvent, CongestionControl, Loss, Reduction};
use crate::window::Window;

/// Additive increase by one segment a round trip, multiplicative decrease to one half. It has no state of its
/// own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        if ack.may_grow {
            window.open(ack.acked);
        }
    }

    fn on_loss(&mut self, _window: &Window, loss: &Loss) -> Reduction {
        Reduction::to(loss.base / 2.0)
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
    }
}
