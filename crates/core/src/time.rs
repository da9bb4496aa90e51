//! Simulated time in whole nanoseconds: an instant ([`Time`]) and a length of time ([`Span`]).
//!
//! Time is never a float: sums of integers are the same on every machine and in every order.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// An instant, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A sum of lengths of time over many packets, in nanoseconds.
///
/// A run may last 2e9 s, so the waiting times of ten packets already exceed 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanSum(pub u128);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// An instant later than anything that happens: "no deadline".
    pub const NEVER: Time = Time(u64::MAX);

    /// Returns `self + span` where both are so short that 64 bits hold the sum. Unlike the operator, this does not
    /// saturate, which a packet's path does not need.
    #[inline(always)]
    pub fn plus(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }

    /// Returns the length of time since `earlier`; zero where `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the seconds since the start of the run.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// Returns a span of whole seconds.
    pub const fn from_secs(secs: u64) -> Span {
        Span(secs * NANOS_PER_SECOND)
    }

    /// Returns a span of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Span {
        Span(millis * 1_000_000)
    }

    /// Returns a span of whole microseconds.
    pub const fn from_micros(micros: u64) -> Span {
        Span(micros * 1_000)
    }

    /// Returns the span nearest to `secs` seconds. Negative values and NaN give zero.
    pub fn from_secs_f64(secs: f64) -> Span {
        Span((secs * NANOS_PER_SECOND as f64).round() as u64)
    }

    /// Returns the time that `packets` packets spend together in a span of this length.
    #[inline]
    pub fn times(self, packets: u32) -> SpanSum {
        SpanSum(u128::from(self.0) * u128::from(packets))
    }

    /// Returns the length in seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl SpanSum {
    /// Returns the sum of the times from these instants until `now`, which must not be before any of them.
    #[inline]
    pub fn since_each(instants: impl Iterator<Item = Time>, now: Time) -> SpanSum {
        let (mut number, mut sum) = (0_u64, 0);
        instants.for_each(|instant| {
            debug_assert!(instant <= now);
            number += 1;
            sum += u128::from(instant.0);
        });
        SpanSum(u128::from(now.0) * u128::from(number) - sum)
    }

    /// Returns the sum in seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

/// Adds a span. A sum that 64 bits cannot hold, 584 years, is [`Time::NEVER`]: no run lasts that long.
impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl AddAssign<Span> for SpanSum {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self += SpanSum::from(span);
    }
}

impl AddAssign for SpanSum {
    #[inline]
    fn add_assign(&mut self, other: SpanSum) {
        self.0 += other.0;
    }
}

impl Sub for SpanSum {
    type Output = SpanSum;
    fn sub(self, other: SpanSum) -> SpanSum {
        SpanSum(self.0 - other.0)
    }
}

impl From<Span> for SpanSum {
    #[inline]
    fn from(span: Span) -> SpanSum {
        SpanSum(u128::from(span.0))
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, factor: u64) -> Span {
        Span(self.0 * factor)
    }
}

impl Div<u64> for Span {
    type Output = Span;
    fn div(self, divisor: u64) -> Span {
        Span(self.0 / divisor)
    }
}

/// Returns the number of whole `other` that fit into `self`.
impl Div for Span {
    type Output = u64;
    fn div(self, other: Span) -> u64 {
        self.0 / other.0
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs_f64(0.000_025), Span::from_micros(25));
        assert_eq!(Span::from_secs_f64(1.5e-9), Span(2));
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::NAN), Span::ZERO);
    }

    #[test]
    fn sums_and_far_instants_stay_in_range() {
        let mut sum = Span(u64::MAX).times(u32::MAX);
        sum += Span(u64::MAX);
        assert_eq!(sum.0, u128::from(u64::MAX) << 32);
        assert_eq!((Time(5) + Span(u64::MAX), Time(u64::MAX - 1) + Span(1)), (Time::NEVER, Time::NEVER));
    }

    #[test]
    fn a_span_divides_by_a_span_in_whole_parts() {
        assert_eq!(Span::from_micros(59) / Span::from_micros(20), 2);
    }

    #[test]
    fn since_never_wraps() {
        assert_eq!(Time(5).since(Time(7)), Span::ZERO);
        assert_eq!(Time(7).since(Time(5)), Span(2));
    }
}
