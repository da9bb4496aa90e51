//! The amount that ACKs deliver at once beyond the bandwidth (Linux's `bbr_update_ack_aggregation`). Hosts and networks that bundle segments
//! or ACKs can leave a sender without ACKs for longer than a window of two BDPs lasts.

use super::float::{larger, seconds, smaller};
use airfair_core::{Span, Time};

/// Round trips of each half of the time over which the maximum is taken (`bbr_extra_acked_win_rtts`).
const ROUNDS: u32 = 5;
/// Upper bound of the allowance: what the bandwidth carries in this time (`bbr_extra_acked_max_us`).
const LONGEST: Span = Span::from_millis(100);

/// An epoch in which more is delivered than the bandwidth carries, and the bytes delivered in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aggregation {
    began: Time,
    acked: f64,
    /// The largest excess over the bandwidth in the current half of the time, and in the half before.
    most: [f64; 2],
    rounds: u32,
}

impl Aggregation {
    /// Takes an ACK that delivers `acked` bytes, at a bandwidth in byte/s. `round`: a round trip begins. The excess counts up to `most` bytes.
    pub fn on_ack(&mut self, now: Time, acked: f64, bandwidth: f64, round: bool, most: f64) {
        if acked <= 0.0 {
            return;
        }
        if round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.most) = (0, [0.0, self.most[0]]);
            }
        }
        let mut expected = bandwidth * seconds(now.since(self.began));
        if self.acked <= expected {
            (self.acked, self.began, expected) = (0.0, now, 0.0);
        }
        self.acked += acked;
        self.most[0] = larger(self.most[0], smaller(self.acked - expected, most));
    }

    /// Bytes by which the window may exceed its usual target.
    pub fn allowance(&self, bandwidth: f64) -> f64 {
        smaller(larger(self.most[0], self.most[1]), bandwidth * seconds(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANDWIDTH: f64 = 1e6;
    const MS: Span = Span::from_millis(1);

    /// ACKs, each given by its bytes and its milliseconds after the one before.
    fn told(aggregation: &mut Aggregation, now: &mut Time, acks: &[(u64, f64)]) -> f64 {
        for (millis, acked) in acks {
            *now += MS * *millis;
            aggregation.on_ack(*now, *acked, BANDWIDTH, false, 1e9);
        }
        aggregation.allowance(BANDWIDTH)
    }

    #[test]
    fn the_most_beyond_the_bandwidth_counts() {
        let (mut aggregation, mut now) = (Aggregation::default(), Time::ZERO);
        assert_eq!(told(&mut aggregation, &mut now, &[(2, 2000.0), (2, 2000.0)]), 2000.0);
        // After 10 ms of silence all at once, and then more at the bandwidth.
        assert_eq!(told(&mut aggregation, &mut now, &[(10, 10_000.0)]), 10_000.0);
        assert_eq!(told(&mut aggregation, &mut now, &[(1, 3000.0)]), 12_000.0);
        assert_eq!(told(&mut aggregation, &mut now, &[(50, 2000.0)]), 12_000.0);
    }

    #[test]
    fn it_is_bounded_by_a_tenth_of_a_second_and_by_the_window() {
        let mut aggregation = Aggregation::default();
        aggregation.on_ack(Time::ZERO + MS, 5e5, BANDWIDTH, false, 3e5);
        assert_eq!(aggregation.allowance(BANDWIDTH), 1e5);
        assert_eq!(aggregation.allowance(1e7), 3e5);
    }

    #[test]
    fn it_is_forgotten_after_five_to_ten_round_trips() {
        let (mut aggregation, mut now) = (Aggregation::default(), Time::ZERO);
        told(&mut aggregation, &mut now, &[(2, 50_000.0)]);
        let kept = (1..20).take_while(|_| {
            now += MS * 100;
            aggregation.on_ack(now, 1000.0, BANDWIDTH, true, 1e9);
            aggregation.allowance(BANDWIDTH) == 50_000.0
        });
        assert_eq!(kept.count(), 9);
    }
}
