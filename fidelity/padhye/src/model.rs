//! The full model of Padhye, Firoiu, Towsley & Kurose, "Modeling TCP throughput: a simple model and its empirical
//! validation", SIGCOMM 1998, equation 32.

/// What the model takes.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Round-trip time in s.
    pub rtt: f64,
    /// First retransmission timeout in s (T0).
    pub timeout: f64,
    /// Segments acknowledged by one ACK (b).
    pub segments_per_ack: f64,
    /// The receiver's window in segments (Wmax).
    pub max_window: f64,
}

impl Path {
    /// Segments sent per second, retransmissions included, where a fraction `loss` of the segments that could be
    /// lost first in their round is.
    pub fn send_rate(&self, loss: f64) -> f64 {
        let b = self.segments_per_ack;
        let unlimited = expected_window(loss, b);
        let (window, round_trips) = if unlimited < self.max_window {
            (unlimited, b / 2.0 * unlimited + 1.0)
        } else {
            let window = self.max_window;
            (window, b / 8.0 * window + (1.0 - loss) / (loss * window) + 2.0)
        };
        let by_timeout = timeout_probability(loss, window);
        let segments = (1.0 - loss) / loss + window + by_timeout / (1.0 - loss);
        let time = self.rtt * round_trips + by_timeout * backoff(loss) * self.timeout / (1.0 - loss);
        segments / time
    }
}

/// Window at the end of a period between losses, in segments (equation 13).
fn expected_window(loss: f64, b: f64) -> f64 {
    let c = (2.0 + b) / (3.0 * b);
    c + libm::sqrt(8.0 * (1.0 - loss) / (3.0 * b * loss) + c * c)
}

/// Probability that a loss with this window leads to a timeout: Q (equation 22).
fn timeout_probability(loss: f64, window: f64) -> f64 {
    let kept = 1.0 - loss;
    let three = kept * kept * kept;
    let first = 1.0 - three;
    let second = 1.0 + three * (1.0 - libm::pow(kept, window - 3.0));
    (first * second / (1.0 - libm::pow(kept, window))).min(1.0)
}

/// Factor by which consecutive timeouts lengthen the first one: f (equation 29).
fn backoff(loss: f64) -> f64 {
    let terms = [1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    terms.iter().rev().fold(0.0, |sum, term| sum * loss + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Path = Path { rtt: 0.1, timeout: 0.2, segments_per_ack: 1.0, max_window: 1e9 };

    #[test]
    fn rare_loss_gives_the_square_root_law() {
        // The model tends to sqrt(3 / (2 b p)) / RTT (equation 20).
        let loss = 1e-7;
        let law = libm::sqrt(3.0 / (2.0 * loss)) / PATH.rtt;
        assert!((PATH.send_rate(loss) / law - 1.0).abs() < 0.002);
    }

    #[test]
    fn a_small_window_limits_the_rate() {
        let limited = Path { max_window: 20.0, ..PATH };
        let ceiling = limited.max_window / limited.rtt;
        assert!((limited.send_rate(1e-7) / ceiling - 1.0).abs() < 0.001);
        assert!(limited.send_rate(0.01) < ceiling);
    }

    #[test]
    fn consecutive_timeouts_double_up_to_64_times() {
        assert_eq!(backoff(0.0), 1.0);
        // 1 + p + 2p^2 + 4p^3 + 8p^4 + 16p^5 + 32p^6 at p = 1/2.
        assert!((backoff(0.5) - 4.0).abs() < 1e-12);
    }
}
