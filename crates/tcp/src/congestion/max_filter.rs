//! The maximum of the values of the last rounds.

use super::float::larger;

/// The greatest value of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Best {
    round: u64,
    value: f64,
}

/// The exact maximum over a window of rounds, by one value for each round.
#[derive(Clone, Debug)]
pub(crate) struct MaxFilter {
    bests: Vec<Best>,
    /// The place of the round with the latest value.
    place: usize,
    max: f64,
    /// The round of the latest value.
    round: u64,
}

impl MaxFilter {
    /// A filter over the last `rounds` rounds, the current one included.
    pub fn new(rounds: u64) -> MaxFilter {
        MaxFilter { bests: vec![Best::default(); rounds as usize], place: 0, max: 0.0, round: 0 }
    }

    /// The maximum at the latest update; zero before the first.
    #[inline]
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The round of the latest value.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.bests.fill(Best::default());
        self.max = 0.0;
    }

    /// Takes a value of `round`, which must not be earlier than that of the value before.
    #[inline]
    pub fn update(&mut self, round: u64, value: f64) {
        let best = &mut self.bests[self.place];
        if best.round != round {
            self.update_anew(round, value);
        } else if value > best.value {
            best.value = value;
            self.max = larger(self.max, value);
        }
    }

    /// [`MaxFilter::update`] for the first value of a round.
    fn update_anew(&mut self, round: u64, value: f64) {
        let rounds = self.bests.len() as u64;
        self.place = (round % rounds) as usize;
        let gone = std::mem::replace(&mut self.bests[self.place], Best { round, value });
        // A round later, nothing but the value in this place becomes too old.
        let is_next = round == self.round + 1 && gone.value < self.max;
        if is_next || round == self.round {
            (self.round, self.max) = (round, larger(self.max, value));
        } else {
            self.round = round;
            let recent = self.bests.iter().filter(|best| best.round + rounds > round);
            self.max = recent.fold(0.0, |max, best| max.max(best.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_maximum_of_the_last_rounds(
            rounds in 1u64..12,
            values in prop::collection::vec((0u64..3, 1.0f64..100.0), 1..200),
        ) {
            let mut filter = MaxFilter::new(rounds);
            let (mut round, mut all) = (0, Vec::new());
            for (later, value) in values {
                round += later;
                filter.update(round, value);
                all.push((round, value));
                let recent = all.iter().filter(|(earlier, _)| earlier + rounds > round);
                let max = recent.fold(0.0f64, |max, (_, value)| max.max(*value));
                prop_assert_eq!(filter.max(), max);
            }
        }
    }
}
