//! A signal-to-noise ratio over time.

use std::sync::Arc;

use airfair_core::{Span, Stream, Time, TwoState};

/// How a signal-to-noise ratio varies about its mean, or below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SnrVariation {
    /// At times the ratio is lower by `depth` dB. Both states last exponential times; the good one comes first.
    TwoState {
        /// How much lower the ratio is at times, in dB.
        depth: f64,
        /// Mean time at the full ratio.
        mean_good: Span,
        /// Mean time at the lower ratio.
        mean_bad: Span,
    },
    /// The ratio goes up or down by a step at every interval, with the same chance, and stays where a step would lead
    /// too far.
    RandomWalk {
        /// The furthest that the ratio gets from where it began, in dB.
        depth: f64,
        /// Size of a step, in dB.
        step: f64,
        /// Time from one step to the next.
        interval: Span,
    },
}

/// A point of a trace: the signal-to-noise ratio from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnrPoint {
    /// Time since the start of the run.
    pub from: Span,
    /// Signal-to-noise ratio, in dB.
    pub snr: f64,
}

/// A signal-to-noise ratio over time. It depends on nothing but its stream and the time: however often it is read, and
/// all copies agree.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    /// The ratio in dB that the signal varies about, or below; with a trace, the present ratio.
    snr: f64,
    variation: Option<Variation>,
    stream: Stream,
}

#[derive(Clone, Debug)]
enum Variation {
    TwoState {
        depth: f64,
        states: TwoState,
    },
    /// The next step is at `next`; `steps` up were made, of at most `most` either way.
    RandomWalk {
        step: f64,
        interval: Span,
        most: i32,
        steps: i32,
        next: Time,
    },
    /// The points from `next` on have not begun.
    Trace {
        points: Arc<[SnrPoint]>,
        next: usize,
    },
}

impl Signal {
    pub fn new(snr: f64, variation: Option<SnrVariation>, stream: Stream) -> Signal {
        let variation = variation.map(|variation| match variation {
            SnrVariation::TwoState { depth, mean_good, mean_bad } => {
                Variation::TwoState { depth, states: TwoState::new(mean_good, mean_bad) }
            }
            SnrVariation::RandomWalk { depth, step, interval } => {
                let most = (depth / step).floor() as i32;
                Variation::RandomWalk { step, interval, most, steps: 0, next: Time::ZERO + interval }
            }
        });
        Signal { snr, variation, stream }
    }

    /// Returns the signal of a trace, whose first point holds from the start of the run on.
    pub fn traced(points: &Arc<[SnrPoint]>, stream: Stream) -> Signal {
        let snr = points.first().map_or(0.0, |point| point.snr);
        Signal { snr, variation: Some(Variation::Trace { points: Arc::clone(points), next: 1 }), stream }
    }

    /// Replaces the ratio in dB that the signal varies about, or below. The variation goes on.
    pub fn set(&mut self, snr: f64) {
        self.snr = snr;
    }

    /// Returns the ratio in dB that the signal varies about, or below.
    pub fn usual(&self) -> f64 {
        self.snr
    }

    /// Returns the ratio in dB at `now`, which must not decrease from call to call.
    pub fn at(&mut self, now: Time) -> f64 {
        match &mut self.variation {
            None => self.snr,
            Some(Variation::TwoState { depth, states }) => {
                if states.is_bad(now, &mut self.stream) {
                    self.snr - *depth
                } else {
                    self.snr
                }
            }
            Some(Variation::RandomWalk { step, interval, most, steps, next }) => {
                while *next <= now {
                    let change = if self.stream.chance(0.5) { 1 } else { -1 };
                    *steps = (*steps + change).clamp(-*most, *most);
                    *next += *interval;
                }
                self.snr + f64::from(*steps) * *step
            }
            Some(Variation::Trace { points, next }) => {
                while let Some(point) = points.get(*next).filter(|point| Time::ZERO + point.from <= now) {
                    self.snr = point.snr;
                    *next += 1;
                }
                self.snr
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Span {
        Span::from_millis(count)
    }

    fn signal(variation: Option<SnrVariation>) -> Signal {
        Signal::new(20.0, variation, Stream::new(1, "signal"))
    }

    /// Returns the ratio at each millisecond.
    fn values(mut signal: Signal, count: u64) -> Vec<f64> {
        (0..count).map(|now| signal.at(Time::ZERO + ms(now))).collect()
    }

    #[test]
    fn a_constant_ratio_stays() {
        assert!(values(signal(None), 100).iter().all(|snr| *snr == 20.0));
    }

    #[test]
    fn two_states_have_their_shares_of_the_time() {
        let states = SnrVariation::TwoState { depth: 8.0, mean_good: ms(300), mean_bad: ms(100) };
        let values = values(signal(Some(states)), 1_000_000);
        let bad = values.iter().filter(|snr| **snr == 12.0).count();
        assert!(values.iter().all(|snr| [12.0, 20.0].contains(snr)) && values[0] == 20.0);
        // 2500 cycles: the share of bad time has a standard deviation of 0.25 * 0.75 * sqrt(2 / 2500) = 0.0053.
        assert!((bad as f64 / 1e6 - 0.25).abs() < 0.021, "{bad}");
    }

    #[test]
    fn a_walk_steps_at_its_interval_and_is_everywhere_equally_often() {
        let walk = SnrVariation::RandomWalk { depth: 3.2, step: 1.5, interval: ms(10) };
        let values = values(signal(Some(walk)), 2_000_000);
        assert!(values[..10].iter().all(|snr| *snr == 20.0) && values[10] != 20.0);
        for place in [17.0, 18.5, 20.0, 21.5, 23.0] {
            let share = values.iter().filter(|snr| **snr == place).count() as f64 / 2e6;
            assert!((share - 0.2).abs() < 0.02, "{place}: {share}");
        }
        let steps = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        // At either end every other step leads nowhere: 4 of 5 steps change the ratio.
        assert!((steps as f64 / 200_000.0 - 0.8).abs() < 0.01, "{steps}");
    }

    #[test]
    fn a_trace_is_obeyed_from_point_to_point() {
        let points = [(2, 20.0), (5, 12.0), (6, 30.0)].map(|(at, snr)| SnrPoint { from: ms(at), snr });
        let values = values(Signal::traced(&Arc::from(points), Stream::new(1, "signal")), 10);
        assert_eq!(values, [20.0, 20.0, 20.0, 20.0, 20.0, 12.0, 30.0, 30.0, 30.0, 30.0]);
    }

    #[test]
    fn it_does_not_matter_how_often_one_asks() {
        let walk = SnrVariation::RandomWalk { depth: 10.0, step: 1.0, interval: ms(3) };
        let states = SnrVariation::TwoState { depth: 8.0, mean_good: ms(30), mean_bad: ms(10) };
        for variation in [walk, states] {
            let all = values(signal(Some(variation)), 5000);
            let mut seldom = signal(Some(variation));
            for now in (0..5000).step_by(700) {
                assert_eq!(seldom.at(Time::ZERO + ms(now)), all[now as usize]);
            }
        }
    }
}
