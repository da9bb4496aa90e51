//! How many packets a queue holds, integrated over time.

use airfair_core::Time;

/// A step function of time and its integral; the mean over a window is a difference of two readings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Occupancy {
    level: u64,
    since: Time,
    /// Level times nanoseconds, up to `since`.
    integral: u128,
}

impl Occupancy {
    /// One more from `now` on.
    #[inline]
    pub fn enter(&mut self, now: Time) {
        self.advance(now);
        self.level += 1;
    }

    /// One fewer from `now` on.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        self.advance(now);
        self.level -= 1;
    }

    /// Packet-nanoseconds up to `now`.
    pub fn integral_at(&self, now: Time) -> u128 {
        self.integral + u128::from(self.level) * u128::from(now.since(self.since).0)
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        debug_assert!(now >= self.since, "changes come in order");
        self.integral = self.integral_at(now);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_the_area_under_the_level() {
        let mut held = Occupancy::default();
        held.enter(Time(10));
        held.enter(Time(15));
        held.leave(Time(20));
        assert_eq!(held.integral_at(Time(30)), 5 + 10 + 10);
    }
}
