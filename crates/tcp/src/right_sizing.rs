//! A receive window that grows with the data that arrive: Dynamic Right-Sizing (Fisk & Feng, "Dynamic Right-Sizing in TCP", LACSI 2001), as
//! Linux has it (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`, `tcp_rcv_rtt_measure`). The data of a round trip raise a limit, and the window
//! follows it by two segments for each segment that arrives (`tcp_grow_window`).
//!
//! The application reads at once, so data that arrived in order have been read. The round trip is the shortest time in which a whole window
//! arrived, as in Linux without timestamps: an upper bound, which makes windows rather larger.

use crate::settings::Settings;
use airfair_core::{Span, Time};

/// Segments that are expected in the first round trip (`TCP_INIT_CWND`).
const FIRST: u64 = 10;

/// The window's growth on a segment.
const STEP: u32 = 2;
/// A quarter more than the first window is the first limit: Linux takes half of a buffer for overhead until it knows whole segments of
/// Ethernet, which leave five eighths for data.
const KNOWN: u32 = 4;

/// A receiver's estimate of the sender's window.
#[derive(Clone, Debug)]
pub(crate) struct RightSizing {
    /// Upper bound of the window, in segments.
    pub most: u32,
    limit: u32,
    segment: u64,
    round_trip: Option<Span>,
    /// The window under way has arrived once everything before `window_ends` has. Its first data came at `window_began`;
    /// [`Time::NEVER`] before any data.
    window_ends: u64,
    window_began: Time,
    /// Most bytes that arrived in a round trip; the offset and the time at which the round trip under way began.
    space: u64,
    from: u64,
    since: Time,
}

impl RightSizing {
    /// Returns `None` if the window is constant.
    pub fn new(settings: &Settings) -> Option<Box<RightSizing>> {
        let segment = u64::from(settings.segment_bytes);
        settings.first_window.map(|first| {
            Box::new(RightSizing {
                most: settings.receive_window,
                limit: first + first / KNOWN,
                segment,
                round_trip: None,
                window_ends: 0,
                window_began: Time::NEVER,
                space: FIRST.min(u64::from(settings.opening_window())) * segment,
                from: 0,
                since: Time::ZERO,
            })
        })
    }

    /// Bytes of a segment.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// Takes `segments` segments that arrive, after all data before `next`, and some beyond it, the last of which end at `last`. `window` is
    /// the window so far, in segments. Returns the window from now on.
    #[inline]
    pub fn on_data(
        &mut self,
        now: Time,
        next: u64,
        last: impl FnOnce() -> u64,
        window: u32,
        segments: u32,
    ) -> u32 {
        let may_measure = next >= self.window_ends
            || self.round_trip.is_some_and(|round_trip| now.since(self.since) >= round_trip);
        if may_measure || window < self.limit {
            self.grow(now, next, last(), window, segments)
        } else {
            window
        }
    }

    #[inline(never)]
    fn grow(&mut self, now: Time, next: u64, last: u64, window: u32, segments: u32) -> u32 {
        self.resize(now, next, last, window);
        (window + STEP * segments).min(self.limit.min(self.most)).max(window)
    }

    fn resize(&mut self, now: Time, next: u64, last: u64, window: u32) {
        if self.window_began == Time::NEVER || next >= self.window_ends {
            if self.window_began != Time::NEVER {
                let took = now.since(self.window_began);
                self.round_trip = Some(self.round_trip.map_or(took, |shortest| shortest.min(took)));
            }
            (self.window_ends, self.window_began) = (next + u64::from(window) * self.segment, now);
        }
        if self.round_trip.is_none_or(|round_trip| now.since(self.since) < round_trip) {
            return;
        }
        let arrived = next - self.from;
        (self.from, self.since) = (next, now);
        if arrived <= self.space {
            return;
        }
        // Room for twice what arrived, and in slow start for twice the growth that this round trip brought.
        let twice = 2 * u128::from(arrived);
        let growth = 2 * (twice * u128::from(arrived - self.space) / u128::from(self.space));
        self.space = arrived;
        let bytes = twice + growth + u128::from(last.saturating_sub(next));
        let segments = u32::try_from(bytes / u128::from(self.segment)).unwrap_or(u32::MAX);
        self.limit = self.limit.max(segments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};

    const RTT: Span = Span::from_millis(100);
    const SEGMENT: u64 = 1000;

    fn right_sizing(first: u32, most: u32) -> RightSizing {
        let linux = settings(Profile::Linux, TcpName::named("cubic"));
        let settings = Settings {
            segment_bytes: SEGMENT as u32,
            first_window: Some(first),
            receive_window: most,
            ..linux
        };
        *RightSizing::new(&settings).expect("the window grows")
    }

    /// The window after each of these round trips: this number of segments arrives in it, one every millisecond.
    fn windows(sizing: &mut RightSizing, first: u32, rounds: &[u64]) -> Vec<u32> {
        let (mut window, mut arrived) = (first, 0);
        let mut after = Vec::new();
        for (round, &segments) in (1..).zip(rounds) {
            for segment in 0..segments {
                arrived += SEGMENT;
                let now = Time::ZERO + RTT * round + Span::from_millis(segment);
                window = sizing.on_data(now, arrived, || arrived, window, 1);
            }
            after.push(window);
        }
        after
    }

    /// Slow start from ten segments never finds the window full, and neither does what follows.
    #[test]
    fn the_window_keeps_ahead_of_a_sender_in_slow_start() {
        let rounds = [10, 20, 40, 80, 80, 80, 80];
        let after = windows(&mut right_sizing(45, 10_000), 45, &rounds);
        for (window, next) in after.iter().zip(&rounds[1..]) {
            assert!(u64::from(*window) >= *next, "{after:?}");
        }
        assert!(after.windows(2).all(|pair| pair[0] <= pair[1]), "it never shrinks: {after:?}");
    }

    /// `tcp_rcvbuf_grow`: twice what arrived, and twice that times the growth.
    #[test]
    fn what_arrives_in_a_round_trip_decides() {
        let mut sizing = right_sizing(20, 10_000);
        let at = |millis: u64| Time::ZERO + Span::from_millis(millis);
        let mut limit = |millis, next, last| {
            sizing.on_data(at(millis), next, || last, 20, 1);
            sizing.limit
        };
        assert_eq!(limit(0, 1000, 1000), 25);
        assert_eq!(limit(100, 20_000, 20_000), 25, "a part of a window");
        // A window in 120 ms. 21 segments where ten were expected: 42, and 2 * 42 * 11 / 10.
        assert_eq!(limit(120, 21_000, 21_000), 134);
        // No more arrives, and then 42 with three beyond a gap.
        assert_eq!(limit(240, 41_000, 41_000), 134);
        assert_eq!(limit(360, 83_000, 86_000), 84 + 168 + 3);
    }

    /// `tcp_grow_window`.
    #[test]
    fn the_window_follows_its_limit_by_two_segments_for_each_that_arrives() {
        let mut sizing = right_sizing(20, 10_000);
        let mut window = 20;
        let after = [22, 24, 25, 25].map(|_| {
            window = sizing.on_data(Time::ZERO, 1000, || 1000, window, 1);
            window
        });
        assert_eq!(after, [22, 24, 25, 25]);
    }

    #[test]
    fn the_maximum_holds() {
        let after = windows(&mut right_sizing(45, 60), 45, &[10, 20, 40, 80, 100]);
        assert_eq!(after.last(), Some(&60));
    }
}
