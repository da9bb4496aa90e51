//! The number of frames that a station holds, integrated over time.

use airfair_core::{SpanSum, Time};

use crate::stats::OccupancyIntegral;

/// Frames held, and their integrals.
///
/// A change at an instant t from m to n frames adds (m - n) t to a balance; the balance and n times a later instant are the
/// integral up to there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occupancy {
    held: u32,
    /// The last change, which may be the end of an ACK that is still to come.
    changed: Time,
    /// Frames held before it.
    before: u32,
    balance: i128,
    /// The balance of a queue that holds one frame whenever this one holds any.
    in_service: i128,
}

impl Occupancy {
    /// A frame comes. A change before the last one counts from that on.
    #[inline]
    pub fn enter(&mut self, now: Time) {
        let at = self.change(now);
        self.balance -= at;
        if self.held == 0 {
            self.in_service -= at;
        }
        self.held += 1;
    }

    /// Frames come one after the other.
    #[inline]
    pub fn enter_in_a_row(&mut self, mut arrivals: impl Iterator<Item = Time>) {
        let Some(first) = arrivals.next() else { return };
        self.enter(first);
        // A copy stays in registers.
        let mut own = *self;
        for now in arrivals {
            own.balance -= own.change(now);
            own.held += 1;
        }
        *self = own;
    }

    /// A frame leaves.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        let at = self.change(now);
        self.balance += at;
        self.held -= 1;
        if self.held == 0 {
            self.in_service += at;
        }
    }

    /// Frames held after the last change.
    #[inline]
    pub fn held(&self) -> u32 {
        self.held
    }

    /// Now `held` frames are held.
    #[inline]
    pub fn set(&mut self, now: Time, held: u32) {
        if held == self.held + 1 {
            return self.enter(now);
        }
        let at = self.change(now);
        self.balance += at * (i128::from(self.held) - i128::from(held));
        self.in_service += at * (i128::from(self.held.min(1)) - i128::from(held.min(1)));
        self.held = held;
    }

    #[inline]
    fn change(&mut self, now: Time) -> i128 {
        if now > self.changed {
            (self.changed, self.before) = (now, self.held);
        }
        i128::from(self.changed.0)
    }

    /// The integrals up to `now`, which is no earlier than the last change but one.
    pub fn until(&self, now: Time) -> OccupancyIntegral {
        let ahead = i128::from(self.changed.since(now).0);
        let at = i128::from(self.changed.max(now).0);
        let up_to_now = |balance: i128, held: u32, before: u32| {
            SpanSum((balance + i128::from(held) * at - i128::from(before) * ahead) as u128)
        };
        let held = up_to_now(self.balance, self.held, self.before);
        let in_service = up_to_now(self.in_service, self.held.min(1), self.before.min(1));
        OccupancyIntegral { held, waiting: held - in_service }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a sum over all instants. Frames leave at the end of an ACK, ahead of the clock; frames that come meanwhile
        /// count from then on.
        #[test]
        fn integrals_are_sums_over_time(steps in prop::collection::vec((0u64..5, 0u32..4, 0u64..3), 1..40)) {
            let mut occupancy = Occupancy::default();
            let (mut now, mut held_at, mut held) = (0, vec![0u32; 1000], 0);
            for (pause, then, ahead) in steps {
                now += pause;
                let ahead = if then < held && occupancy.changed <= Time(now) { ahead } else { 0 };
                occupancy.set(Time(now + ahead), then);
                let from = occupancy.changed.0;
                held_at[from as usize..].fill(then);
                held = then;
                let sum = |count: fn(u32) -> u32| SpanSum(held_at[..now as usize].iter().map(|&held| u128::from(count(held))).sum());
                let found = occupancy.until(Time(now));
                prop_assert_eq!((found.held, found.waiting), (sum(|held| held), sum(|held| held.saturating_sub(1))));
            }
        }
    }
}
