//! Packets lost to errors: independent ones, of packets or of bits, at rates that may change between two states.

use crate::config::{ErrorModel, ErrorUnit, Errors};
use airfair_core::{Stream, Time, TwoState, any_bit_in_error};

/// Draws which packets are lost, in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct Losses {
    good: Chance,
    /// The other state's, if there are two.
    bad: Option<(Chance, TwoState, Stream)>,
    draws: Stream,
}

impl Losses {
    /// The two directions of a link go through its states together, and draw for their own packets.
    pub fn new(errors: &Errors, link: &str, direction: &str, seed: u64) -> Losses {
        let chance = |probability| Chance { probability, of: errors.of, memo: (0, 0.0) };
        let (good, bad) = match errors.model {
            ErrorModel::Constant(probability) => (chance(probability), None),
            ErrorModel::OnOff { good, bad, mean_good, mean_bad } => {
                let stream = Stream::new(seed, &format!("link {link} states"));
                (chance(good), Some((chance(bad), TwoState::new(mean_good, mean_bad), stream)))
            }
        };
        Losses { good, bad, draws: Stream::new(seed, &format!("link {direction} errors")) }
    }

    /// Whether a packet of `bytes` on the wire is lost at `at`, no earlier than the one before.
    pub fn hits(&mut self, at: Time, bytes: u32) -> bool {
        let is_bad = self.bad.as_mut().is_some_and(|(_, states, sojourns)| states.is_bad(at, sojourns));
        let chance = match &mut self.bad {
            Some((bad, ..)) if is_bad => bad,
            _ => &mut self.good,
        };
        self.draws.chance(chance.of_packet(bytes))
    }
}

/// The probability that a packet of `bytes` on the wire is lost, if this is the one that a unit is in error.
pub fn packet_loss(probability: f64, of: ErrorUnit, bytes: u32) -> f64 {
    match of {
        ErrorUnit::Packet => probability,
        ErrorUnit::Bit => any_bit_in_error(probability, bytes),
    }
}

/// The chance of a packet to be lost in one state.
#[derive(Clone, Debug)]
struct Chance {
    probability: f64,
    of: ErrorUnit,
    /// That of the last length seen: flows repeat the same few.
    memo: (u32, f64),
}

impl Chance {
    fn of_packet(&mut self, bytes: u32) -> f64 {
        if self.memo.0 != bytes {
            self.memo = (bytes, packet_loss(self.probability, self.of, bytes));
        }
        self.memo.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Position;
    use airfair_core::Span;

    fn losses(model: ErrorModel, of: ErrorUnit, direction: &str) -> Losses {
        Losses::new(&Errors { model, of, position: Position::BeforeQueue }, "a-b", direction, 3)
    }

    /// The share of packets of 125 bytes, one a millisecond, that are lost.
    fn share(model: ErrorModel, of: ErrorUnit, packets: u64) -> f64 {
        let mut losses = losses(model, of, "a-b");
        let lost = (0..packets).filter(|i| losses.hits(Time(i * 1_000_000), 125)).count();
        lost as f64 / packets as f64
    }

    #[test]
    fn a_packet_is_lost_whole_or_for_its_bits() {
        assert_eq!(packet_loss(0.3, ErrorUnit::Packet, 1500), 0.3);
        assert_eq!(packet_loss(1e-4, ErrorUnit::Bit, 125), any_bit_in_error(1e-4, 125));
    }

    /// Bounds of four standard deviations.
    #[test]
    fn long_run_rates_are_those_asked_for() {
        assert_eq!(share(ErrorModel::Constant(0.0), ErrorUnit::Packet, 1000), 0.0);
        assert_eq!(share(ErrorModel::Constant(1.0), ErrorUnit::Packet, 1000), 1.0);
        assert!((share(ErrorModel::Constant(0.1), ErrorUnit::Packet, 100_000) - 0.1).abs() < 0.0038);
        assert!((share(ErrorModel::Constant(1e-4), ErrorUnit::Bit, 100_000) - 0.0952).abs() < 0.0038);
    }

    /// A quarter of the time bad: the share of the losses is 0.75 * 0.08 + 0.25 * 0.8 = 0.26. Over 10,000 cycles of
    /// 120 ms the share of bad time has a standard deviation of 0.25 * 0.75 * sqrt(2 / 10,000) = 0.0027.
    #[test]
    fn the_two_states_share_the_time_as_their_means_do() {
        let model = ErrorModel::OnOff {
            good: 0.08,
            bad: 0.8,
            mean_good: Span::from_millis(90),
            mean_bad: Span::from_millis(30),
        };
        let found = share(model, ErrorUnit::Packet, 1_200_000);
        assert!((found - 0.26).abs() < 0.009, "{found}");
    }

    #[test]
    fn directions_share_the_states_and_not_the_draws() {
        let model = ErrorModel::OnOff {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_millis(50),
            mean_bad: Span::from_millis(50),
        };
        let ask = |model, direction: &str| {
            let mut losses = losses(model, ErrorUnit::Packet, direction);
            (0..1000).map(|i| losses.hits(Time(i * 5_000_000), 100)).collect::<Vec<_>>()
        };
        assert_eq!(ask(model, "a-b"), ask(model, "b-a"), "in the states alone nothing is left to chance");
        assert_ne!(ask(ErrorModel::Constant(0.5), "a-b"), ask(ErrorModel::Constant(0.5), "b-a"));
    }

    #[test]
    fn the_good_state_comes_first() {
        let model = ErrorModel::OnOff {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_secs(1_000_000),
            mean_bad: Span::from_secs(1),
        };
        assert_eq!(share(model, ErrorUnit::Packet, 1000), 0.0);
    }
}
