//! The time average of a congestion window, without a series of its values.

use airfair_core::Time;

/// The time average of a step function, from its first value on.
#[derive(Clone, Debug)]
pub struct CwndAverage {
    /// Start of the average. A value noted earlier counts as if noted at this instant.
    from: Time,
    /// Time of the first value, no earlier than `from`.
    first: Time,
    /// Integral of the window in segments times seconds, up to the last change but one, or up to the last change if
    /// that replaced another at the same instant.
    integral: f64,
    before_last: Option<Change>,
    last: Option<Change>,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    at: Time,
    value: f64,
}

impl Change {
    /// Returns the value's contribution to the integral until `end`.
    fn until(&self, end: Time) -> f64 {
        self.value * (end.as_secs() - self.at.as_secs())
    }
}

impl CwndAverage {
    /// Returns an average from `from` on, without values yet.
    pub fn new(from: Time) -> CwndAverage {
        CwndAverage { from, first: Time::NEVER, integral: 0.0, before_last: None, last: None }
    }

    /// Notes the value at `now`, changed or not. Of several values at one instant the last counts.
    #[inline]
    pub fn note(&mut self, now: Time, value: f64) {
        let at = now.max(self.from);
        if self.last.is_none_or(|last| last.value != value || last.at == at) {
            self.change(Change { at, value });
        }
    }

    fn change(&mut self, change: Change) {
        if self.last.is_some_and(|last| last.at == change.at) {
            self.last = self.before_last.take();
        }
        match self.last {
            Some(last) if last.value == change.value => {}
            last => {
                if let (Some(before), Some(last)) = (self.before_last, last) {
                    self.integral += before.until(last.at);
                }
                self.first = self.first.min(change.at);
                self.before_last = last;
                self.last = Some(change);
            }
        }
    }

    /// Returns the average until `end`, which must be later than all values; `None` if there are no values.
    pub fn until(&self, end: Time) -> Option<f64> {
        let last = self.last?;
        let before = self.before_last.map_or(0.0, |before| before.until(last.at));
        let integral = self.integral + before + last.until(end);
        Some(integral / (end.as_secs() - self.first.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn average(from: u64, noted: &[(u64, f64)], end: u64) -> Option<f64> {
        let mut average = CwndAverage::new(Time(from * 1_000_000_000));
        noted.iter().for_each(|&(at, value)| average.note(Time(at * 1_000_000_000), value));
        average.until(Time(end * 1_000_000_000))
    }

    #[test]
    fn each_value_counts_until_the_next_one() {
        assert_eq!(average(0, &[(1, 2.0), (2, 5.0)], 5), Some(4.25));
        assert_eq!(average(0, &[(1, 2.0), (2, 5.0), (3, 5.0), (4, 5.0)], 5), Some(4.25));
        assert_eq!(average(0, &[(1, 4.0)], 3), Some(4.0));
        assert_eq!(average(0, &[], 3), None);
    }

    #[test]
    fn the_last_value_at_an_instant_is_the_one() {
        assert_eq!(average(0, &[(1, 2.0), (2, 9.0), (2, 7.0), (2, 5.0)], 5), Some(4.25));
        // Back to the value before: no change at all.
        assert_eq!(average(0, &[(0, 2.0), (1, 4.0), (2, 9.0), (2, 4.0), (3, 2.0)], 4), Some(3.0));
        assert_eq!(average(0, &[(1, 9.0), (1, 2.0), (2, 5.0)], 5), Some(4.25));
    }

    #[test]
    fn a_warm_up_leaves_its_last_value() {
        assert_eq!(average(10, &[(1, 9.0), (5, 2.0), (11, 5.0)], 14), Some(4.25));
    }
}
