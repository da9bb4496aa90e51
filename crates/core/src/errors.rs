//! How errors come and go on any medium: two states that last random times, bits that add up to packets.

use crate::random::Stream;
use crate::time::{Span, Time};

/// A process of two states that last exponential times, the good one first (Gilbert 1960, Elliott 1963, in continuous time).
#[derive(Clone, Debug)]
pub struct TwoState {
    bad: bool,
    until: Time,
    mean_good: Span,
    mean_bad: Span,
}

impl TwoState {
    /// Starts in the good state at time zero.
    pub fn new(mean_good: Span, mean_bad: Span) -> TwoState {
        // A sojourn of no length in the bad state, so that the first draw starts a good one.
        TwoState { bad: true, until: Time::ZERO, mean_good, mean_bad }
    }

    /// Whether it is in the bad state at `now`, no earlier than when it was asked last; sojourns are drawn from `stream`.
    pub fn is_bad(&mut self, now: Time, stream: &mut Stream) -> bool {
        while self.until <= now {
            self.bad = !self.bad;
            let mean = if self.bad { self.mean_bad } else { self.mean_good };
            // At least a nanosecond, so that mean sojourns of zero do not stop time.
            let sojourn = stream.exponential(mean.0 as f64).round() as u64;
            self.until = Time(self.until.0.saturating_add(sojourn.max(1)));
        }
        self.bad
    }
}

/// The probability that one of `bytes` bytes' bits is in error, if a bit is with this `probability`:
/// 1 - (1 - p)^(8 bytes), exact for small p too.
pub fn any_bit_in_error(probability: f64, bytes: u32) -> f64 {
    -libm::expm1(8.0 * f64::from(bytes) * libm::log1p(-probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_add_up() {
        // 1 - (1 - 1e-4)^1000 = 0.095167106441... and 1 - (1 - 1e-12)^8000 = 7.999999968...e-9 in decimal arithmetic.
        assert!((any_bit_in_error(1e-4, 125) - 0.095_167_106_441).abs() < 1e-12);
        assert!((any_bit_in_error(1e-12, 1000) - 8e-9).abs() < 1e-16);
        assert_eq!(any_bit_in_error(1.0, 1), 1.0);
        assert_eq!(any_bit_in_error(0.0, 1500), 0.0);
    }

    /// A quarter of the time bad; over 10,000 cycles of 120 ms the share has a standard deviation of
    /// 0.25 * 0.75 * sqrt(2 / 10,000) = 0.0027.
    #[test]
    fn the_states_share_the_time_as_their_means_do() {
        let mut states = TwoState::new(Span::from_millis(90), Span::from_millis(30));
        let mut stream = Stream::new(3, "states");
        assert!(!states.is_bad(Time::ZERO, &mut stream), "the good state comes first");
        let bad = (0..1_200_000u64).filter(|i| states.is_bad(Time(i * 1_000_000), &mut stream)).count();
        assert!((bad as f64 / 1.2e6 - 0.25).abs() < 0.011, "{bad}");
    }

    #[test]
    fn states_of_no_length_do_not_stop_time() {
        let mut states = TwoState::new(Span::ZERO, Span::ZERO);
        states.is_bad(Time(1000), &mut Stream::new(1, "states"));
        assert!(states.until > Time(1000));
    }
}
