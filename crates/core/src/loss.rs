//! Random loss, on links as on the air: independent losses, or bursts from a two-state process, of packets or of bits.

use crate::random::Stream;
use crate::time::{Span, Time};
use crate::words;

/// How packets or frames are lost at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossModel {
    /// The probability that a unit is lost.
    pub probability: LossProbability,
    /// The unit that the probability refers to.
    pub of: LossUnit,
}

/// The probability that a unit is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossProbability {
    /// Constant: each loss is independent of all others (Bernoulli).
    Constant(f64),
    /// Two states with exponential sojourn times; the good one comes first (Gilbert 1960, Elliott 1963, in continuous time).
    GilbertElliott {
        /// Probability in the good state.
        good: f64,
        /// Probability in the bad state.
        bad: f64,
        /// Mean time in the good state.
        mean_good: Span,
        /// Mean time in the bad state.
        mean_bad: Span,
    },
}

words! {
    /// The unit that a loss probability refers to.
    pub enum LossUnit {
        /// A packet or frame of any length.
        Packet = "packet",
        /// A bit: a packet is lost if at least one of its bits on the wire or on the air is in error.
        Bit = "bit",
    }
}

impl LossModel {
    /// Returns a model that loses each packet with this probability, independently of all others.
    pub const fn bernoulli(probability: f64) -> LossModel {
        LossModel { probability: LossProbability::Constant(probability), of: LossUnit::Packet }
    }
}

impl LossUnit {
    /// Returns the probability that a packet of `bytes` bytes is lost if each unit is lost with this `probability`.
    pub fn packet_loss(self, probability: f64, bytes: u32) -> f64 {
        match self {
            LossUnit::Packet => probability,
            LossUnit::Bit => any_bit_in_error(probability, bytes),
        }
    }
}

/// Draws which packets are lost. Calls come in the order of time.
#[derive(Clone, Debug)]
pub struct LossProcess {
    model: LossModel,
    states: Option<TwoState>,
    /// Draws the sojourn times; `None` if `draws` does.
    sojourns: Option<Stream>,
    draws: Stream,
    /// For each state, the length of the last packet and the probability of its loss: flows repeat the same few lengths.
    memo: [(u32, f64); 2],
}

impl LossProcess {
    /// Returns a process that takes all its random numbers from `draws`.
    pub fn new(model: LossModel, draws: Stream) -> LossProcess {
        let states = match model.probability {
            LossProbability::Constant(_) => None,
            LossProbability::GilbertElliott { mean_good, mean_bad, .. } => {
                Some(TwoState::new(mean_good, mean_bad))
            }
        };
        LossProcess { model, states, sojourns: None, draws, memo: [(u32::MAX, 0.0); 2] }
    }

    /// Takes the sojourn times from a stream of their own: processes with equal streams change state together.
    #[must_use]
    pub fn with_sojourns(self, sojourns: Stream) -> LossProcess {
        LossProcess { sojourns: Some(sojourns), ..self }
    }

    /// Whether a packet of `bytes`, headers included, is lost at `now`.
    #[inline]
    pub fn loses(&mut self, now: Time, bytes: u32) -> bool {
        let (state, probability) = match self.model.probability {
            LossProbability::Constant(probability) => (0, probability),
            LossProbability::GilbertElliott { good, bad, .. } => {
                if self.is_bad(now) {
                    (1, bad)
                } else {
                    (0, good)
                }
            }
        };
        let memo = &mut self.memo[state];
        if memo.0 != bytes {
            *memo = (bytes, self.model.of.packet_loss(probability, bytes));
        }
        self.draws.chance(memo.1)
    }

    fn is_bad(&mut self, now: Time) -> bool {
        let stream = self.sojourns.as_mut().unwrap_or(&mut self.draws);
        self.states.as_mut().is_some_and(|states| states.is_bad(now, stream))
    }
}

/// A process that alternates between a good and a bad state. How long each lasts is distributed exponentially.
#[derive(Clone, Debug)]
pub struct TwoState {
    bad: bool,
    until: Time,
    mean_good: Span,
    mean_bad: Span,
}

impl TwoState {
    /// Returns a process that starts in the good state at time zero.
    pub fn new(mean_good: Span, mean_bad: Span) -> TwoState {
        // A bad sojourn of zero length, so that the first draw starts a good one.
        TwoState { bad: true, until: Time::ZERO, mean_good, mean_bad }
    }

    /// Whether the process is in the bad state at `now`, which must not decrease from call to call.
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

/// Returns the probability that at least one bit of `bytes` bytes is in error, if each is with this `probability`: 1 - (1 -
/// p)^(8 bytes), exact for small p too.
fn any_bit_in_error(probability: f64, bytes: u32) -> f64 {
    -libm::expm1(8.0 * f64::from(bytes) * libm::log1p(-probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURSTS: LossProbability = LossProbability::GilbertElliott {
        good: 0.08,
        bad: 0.8,
        mean_good: Span::from_millis(90),
        mean_bad: Span::from_millis(30),
    };

    /// Returns whether each of a number of packets is lost: 125 bytes each, one a millisecond.
    fn losses(process: LossProcess, packets: u64) -> Vec<bool> {
        let mut process = process;
        (0..packets).map(|i| process.loses(Time(i * 1_000_000), 125)).collect()
    }

    fn share(model: LossModel, packets: u64) -> f64 {
        let lost = losses(LossProcess::new(model, Stream::new(3, "losses")), packets);
        lost.iter().filter(|&&lost| lost).count() as f64 / packets as f64
    }

    #[test]
    fn bits_add_up() {
        // 1 - (1 - 1e-4)^1000 = 0.095167106441... and 1 - (1 - 1e-12)^8000 = 7.999999968...e-9 in decimal arithmetic.
        assert!((any_bit_in_error(1e-4, 125) - 0.095_167_106_441).abs() < 1e-12);
        assert!((any_bit_in_error(1e-12, 1000) - 8e-9).abs() < 1e-16);
        assert_eq!(any_bit_in_error(1.0, 1), 1.0);
        assert_eq!(any_bit_in_error(0.0, 1500), 0.0);
        assert_eq!(LossUnit::Packet.packet_loss(0.3, 1500), 0.3);
    }

    /// Bounds of four standard deviations.
    #[test]
    fn long_run_rates_are_those_asked_for() {
        assert_eq!(share(LossModel::bernoulli(0.0), 1000), 0.0);
        assert_eq!(share(LossModel::bernoulli(1.0), 1000), 1.0);
        assert!((share(LossModel::bernoulli(0.1), 100_000) - 0.1).abs() < 0.0038);
        let per_bit = LossModel { of: LossUnit::Bit, ..LossModel::bernoulli(1e-4) };
        assert!((share(per_bit, 100_000) - 0.0952).abs() < 0.0038);
    }

    /// A quarter of the time bad: the share of the losses is 0.75 * 0.08 + 0.25 * 0.8 = 0.26. Over 10,000 cycles of
    /// 120 ms the share of bad time has a standard deviation of 0.25 * 0.75 * sqrt(2 / 10,000) = 0.0027.
    #[test]
    fn the_two_states_share_the_time_as_their_means_do() {
        let found = share(LossModel { probability: BURSTS, of: LossUnit::Packet }, 1_200_000);
        assert!((found - 0.26).abs() < 0.009, "{found}");
    }

    /// The bits of 125 bytes, 1000 of them, hit with 1e-4 in the bad state only: 0.25 * 0.0952.
    #[test]
    fn the_states_may_be_of_bits() {
        let LossProbability::GilbertElliott { mean_good, mean_bad, .. } = BURSTS else { unreachable!() };
        let bits = LossProbability::GilbertElliott { good: 0.0, bad: 1e-4, mean_good, mean_bad };
        let found = share(LossModel { probability: bits, of: LossUnit::Bit }, 1_200_000);
        assert!((found - 0.0238).abs() < 0.0016, "{found}");
    }

    #[test]
    fn equal_sojourns_give_equal_states_and_other_draws() {
        let certain = LossProbability::GilbertElliott {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_millis(50),
            mean_bad: Span::from_millis(50),
        };
        let ask = |probability, draws| {
            let model = LossModel { probability, of: LossUnit::Packet };
            let process = LossProcess::new(model, Stream::new(3, draws));
            losses(process.with_sojourns(Stream::new(3, "states")), 2000)
        };
        assert_eq!(ask(certain, "a-b"), ask(certain, "b-a"), "in the states alone nothing is left to chance");
        assert_ne!(ask(BURSTS, "a-b"), ask(BURSTS, "b-a"));
    }

    #[test]
    fn the_good_state_comes_first() {
        let never_bad = LossProbability::GilbertElliott {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_secs(1_000_000),
            mean_bad: Span::from_secs(1),
        };
        assert_eq!(share(LossModel { probability: never_bad, of: LossUnit::Packet }, 1000), 0.0);
    }

    #[test]
    fn states_of_no_length_do_not_stop_time() {
        let mut states = TwoState::new(Span::ZERO, Span::ZERO);
        states.is_bad(Time(1000), &mut Stream::new(1, "states"));
        assert!(states.until > Time(1000));
    }
}
