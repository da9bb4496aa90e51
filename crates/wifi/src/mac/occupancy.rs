//! The number of frames that a station holds, integrated over time.

use airfair_core::{SpanSum, Time};

use crate::stats::OccupancyIntegral;

/// Numbers of frames held and of frames in service, with their integrals over time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occupancy {
    held: Integral,
    in_service: Integral,
    service: Service,
    /// Time of the last change. This may be the end of an ACK that is still to come.
    changed: Time,
}

/// Which of the frames held are in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// The first frame, as soon as it is the first.
    First,
    /// As many as [`Occupancy::serve`] was last called with.
    Told,
}

/// A number of frames, integrated over time.
///
/// A change at an instant t from m to n frames adds (m - n) t to a balance; the balance and n times a later instant are the
/// integral up to there.
#[derive(Clone, Copy, Debug, Default)]
struct Integral {
    frames: u32,
    /// Number of frames before the last change that was no arrival. An arrival is never ahead of the clock, so nobody asks for the number before it.
    before: u32,
    balance: i128,
}

impl Integral {
    #[inline]
    fn add_one(&mut self, at: i128) {
        self.balance -= at;
        self.frames += 1;
    }

    #[inline]
    fn remove_one(&mut self, at: i128) {
        self.balance += at;
        self.frames -= 1;
    }

    #[inline]
    fn set(&mut self, at: i128, frames: u32) {
        self.balance += at * (i128::from(self.frames) - i128::from(frames));
        self.frames = frames;
    }
}

impl Occupancy {
    pub fn new(service: Service) -> Occupancy {
        let none = Integral::default();
        Occupancy { held: none, in_service: none, service, changed: Time::ZERO }
    }

    /// Counts a frame that enters at `now`, which is not ahead of the clock. If `now` is before the last change, the frame counts from that change
    /// on.
    #[inline]
    pub fn enter(&mut self, now: Time) {
        let at = self.hold(now);
        if self.service == Service::First && self.held.frames == 1 {
            self.in_service.add_one(at);
        }
    }

    /// Counts frames that enter at these times, none of which is before its predecessor. Which of the frames are in service must be
    /// [told](Service::Told).
    #[inline]
    pub fn enter_in_a_row(&mut self, times: impl Iterator<Item = Time>) {
        debug_assert_eq!(self.service, Service::Told);
        times.for_each(|time| {
            self.hold(time);
        });
    }

    /// Counts a frame that is held from `now`, or from the last change if that is later. Returns that instant.
    #[inline(always)]
    fn hold(&mut self, now: Time) -> i128 {
        self.changed = self.changed.max(now);
        let at = i128::from(self.changed.0);
        self.held.add_one(at);
        at
    }

    /// Counts a frame that leaves at `now`.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        let at = self.change(now);
        self.held.remove_one(at);
        if self.service == Service::First && self.held.frames == 0 {
            self.in_service.remove_one(at);
        }
    }

    /// Returns the number of frames held after the last change.
    #[inline]
    pub fn held(&self) -> u32 {
        self.held.frames
    }

    /// Sets the number of frames held from `now` on.
    #[inline]
    pub fn set(&mut self, now: Time, held: u32) {
        if held == self.held.frames + 1 {
            return self.enter(now);
        }
        let at = self.change(now);
        self.held.set(at, held);
        if self.service == Service::First {
            self.in_service.set(at, held.min(1));
        }
    }

    /// Sets the number of the held frames that are in service from `now` on.
    #[inline]
    pub fn serve(&mut self, now: Time, frames: u32) {
        let at = self.change(now);
        self.in_service.set(at, frames);
    }

    #[inline]
    fn change(&mut self, now: Time) -> i128 {
        if now > self.changed {
            self.changed = now;
            for integral in [&mut self.held, &mut self.in_service] {
                integral.before = integral.frames;
            }
        }
        i128::from(self.changed.0)
    }

    /// Returns the integrals up to `now`, which must not be before the last change but one.
    pub fn until(&self, now: Time) -> OccupancyIntegral {
        let ahead = i128::from(self.changed.since(now).0);
        let at = i128::from(self.changed.max(now).0);
        let up_to_now = |Integral { frames, before, balance }| {
            SpanSum((balance + i128::from(frames) * at - i128::from(before) * ahead) as u128)
        };
        let held = up_to_now(self.held);
        OccupancyIntegral { held, waiting: held - up_to_now(self.in_service) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::Span;
    use proptest::prelude::*;

    proptest! {
        /// The integrals equal sums over all instants. Frames leave at the end of an ACK, ahead of the clock; frames that
        /// come meanwhile count from then on.
        #[test]
        fn integrals_are_sums_over_time(steps in prop::collection::vec((0u64..5, 0u32..4, 0u64..3), 1..40)) {
            let mut occupancy = Occupancy::new(Service::First);
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

        /// Frames that enter in a row are frames that enter one after the other.
        #[test]
        fn a_row_is_its_frames(before in 0u64..5, mut times in prop::collection::vec(0u64..9, 0..6), after in 0u64..12) {
            times.sort_unstable();
            let times = || times.iter().copied().map(Time);
            let mut row = Occupancy::new(Service::Told);
            row.set(Time(before), 3);
            let mut single = row;
            row.enter_in_a_row(times());
            times().for_each(|time| single.enter(time));
            let until = |occupancy: Occupancy| {
                let found = occupancy.until(occupancy.changed.max(Time(after)));
                (occupancy.held(), occupancy.changed, found.held, found.waiting, occupancy.held.before)
            };
            prop_assert_eq!(until(row), until(single));
        }

        /// With [`Service::Told`], the frames held that are not in service wait.
        #[test]
        fn those_in_service_do_not_wait(steps in prop::collection::vec((0u64..5, 0u32..6, 0u32..6), 1..40)) {
            let mut occupancy = Occupancy::new(Service::Told);
            let (mut now, mut held, mut waiting) = (0, 0, 0);
            for (pause, frames, in_service) in steps {
                let before = occupancy;
                now += pause;
                held += pause * u64::from(before.held());
                waiting += pause * u64::from(before.held() - before.in_service.frames);
                let found = occupancy.until(Time(now));
                prop_assert_eq!((found.held, found.waiting), (Span(held).into(), Span(waiting).into()));
                occupancy.serve(Time(now), in_service.min(frames));
                occupancy.set(Time(now), frames);
            }
        }
    }
}
