//! The congestion window and its threshold, and the two ways in which an ACK opens it.

use crate::congestion::float::float;
use crate::settings::{Growth, Settings, WindowUnit};
use std::num::NonZeroU32;

/// The state that a congestion control governs, in segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: f64,
    /// The slow-start threshold.
    pub ssthresh: f64,
    /// The congestion window never opens beyond this.
    pub maximum: f64,
    /// How an ACK opens the window, and by how much at most in slow start.
    growth: Growth,
    growth_limit: Option<NonZeroU32>,
    /// Payload bytes of a segment.
    pub(crate) segment_bytes: u32,
    /// Bytes acknowledged towards the next segment in congestion avoidance ([`Growth::PerByte`]).
    acknowledged: f64,
    unit: WindowUnit,
    /// Data that were outstanding at a timeout are being retransmitted. ACKs then cover data that had arrived before, and show little
    /// of the path's capacity: in slow start each opens the window by one segment (RFC 3465, section 2.3). Where
    /// [data count once](Settings::counts_data_once) there is no such limit (Linux's `tcp_slow_start`).
    pub(crate) after_timeout: bool,
    /// See [`Window::hold`].
    held: bool,
}

/// The least slow-start threshold, in segments (RFC 5681, equation 4).
pub(crate) const LEAST_SSTHRESH: f64 = 2.0;

/// Upper bound of the window, in segments. A window beyond the receive window is of no use, but ns-2's grows on. So does one whose growth
/// is bounded by its use, as in Linux: in slow start by twice what is outstanding (`tcp_is_cwnd_limited`).
pub(crate) fn maximum(settings: &Settings) -> f64 {
    let most = settings.max_window.unwrap_or(f64::INFINITY);
    let follows_use = settings.grow_only_when_limited && settings.grow_to_twice_used;
    match settings.growth {
        Growth::PerByte if !follows_use => most.min(f64::from(settings.receive_window)),
        Growth::PerByte | Growth::PerAck => most,
    }
}

/// The slow-start threshold of a new connection.
pub(crate) fn initial_ssthresh(settings: &Settings) -> f64 {
    settings.initial_ssthresh.unwrap_or(f64::from(settings.receive_window))
}

impl Window {
    pub(crate) fn new(settings: &Settings) -> Window {
        Window {
            cwnd: settings.at_most_max_window(settings.initial_window),
            ssthresh: initial_ssthresh(settings),
            maximum: maximum(settings),
            growth: settings.growth,
            growth_limit: settings.growth_limit.and_then(NonZeroU32::new),
            segment_bytes: settings.segment_bytes.max(1),
            acknowledged: 0.0,
            unit: settings.window_unit,
            after_timeout: false,
            held: false,
        }
    }

    /// From now on the control alone moves the window, by what it does on ACKs and by its answers to losses: idle restarts, marks and
    /// the ends of recoveries leave it alone, and nothing counts as a cut.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// Whether the control [holds](Window::hold) the window.
    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// The engine sets the window, not the control: without effect on a held one.
    #[inline]
    pub(crate) fn set(&mut self, cwnd: f64) {
        if !self.held {
            self.cwnd = cwnd;
        }
    }

    /// Payload bytes of a segment.
    #[inline]
    pub(crate) fn segment(&self) -> u64 {
        u64::from(self.segment_bytes)
    }

    /// Whether the window is below the threshold, or at it where the window counts bytes.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        match self.growth {
            Growth::PerAck => self.cwnd < self.ssthresh,
            // At the threshold RFC 5681 leaves the choice. Linux does not slow-start there (`tcp_in_slow_start`). Without a limit for each
            // ACK the step is zero there, so only an ACK after a timeout differs from Linux. Prague compares by itself.
            Growth::PerByte => self.cwnd <= self.ssthresh,
        }
    }

    /// Slow start or congestion avoidance (RFC 5681, section 3.1) for an ACK of `bytes`.
    #[inline(always)]
    pub fn open(&mut self, bytes: u64) {
        self.open_adding(1.0, bytes);
    }

    /// Like [`Window::open`], with an additive increase of `increase` segments a round trip in congestion avoidance, where Reno's is one.
    #[inline(always)]
    pub fn open_adding(&mut self, increase: f64, bytes: u64) {
        match self.growth {
            Growth::PerAck => {
                self.cwnd += if self.in_slow_start() { 1.0 } else { increase / self.cwnd };
            }
            Growth::PerByte => self.open_by(float(bytes), increase),
        }
        self.bound();
    }

    /// [`Window::open_adding`] where windows grow by bytes.
    #[inline(always)]
    fn open_by(&mut self, bytes: f64, increase: f64) {
        if self.in_slow_start() {
            self.start_by(bytes, increase);
        } else {
            self.avoid(bytes, increase);
        }
    }

    /// [`Window::open_by`] in slow start. What the ACK covers beyond its end counts for congestion avoidance.
    #[inline(never)]
    fn start_by(&mut self, bytes: f64, increase: f64) {
        let opened = self.slow_start_step(bytes / f64::from(self.segment_bytes));
        if opened > 0.0 {
            self.acknowledged = 0.0;
            self.cwnd += opened;
        }
        if !self.is_used_up(opened) {
            self.avoid(bytes - opened * f64::from(self.segment_bytes), increase);
        }
    }

    /// How far an ACK of this many segments opens the window in slow start, counted in bytes.
    fn slow_start_step(&self, segments: f64) -> f64 {
        match self.growth_limit {
            _ if self.after_timeout => segments.min(1.0),
            Some(limit) => segments.min(f64::from(limit.get())),
            // Slow start ends at the threshold; bytes that the ACK covers beyond it count for congestion avoidance.
            None => segments.min(self.ssthresh - self.cwnd),
        }
    }

    /// Whether an ACK that opened the window by this much in slow start has nothing left for congestion avoidance.
    fn is_used_up(&self, opened: f64) -> bool {
        opened > 0.0 && (self.after_timeout || self.growth_limit.is_some())
    }

    /// Opens the window below the threshold for an ACK of `bytes`, `divisor` times more slowly than Reno. Returns the segments that
    /// are left for congestion avoidance.
    pub(crate) fn start_slowly(&mut self, bytes: u64, divisor: f64) -> f64 {
        let segments = self.counted(bytes);
        let step = match self.growth {
            Growth::PerAck => segments,
            Growth::PerByte => self.slow_start_step(segments),
        };
        self.cwnd += step / divisor;
        let left = if self.is_used_up(step) { 0.0 } else { segments - step };
        self.bound();
        left
    }

    /// The number of segments that an ACK of `bytes` counts as.
    pub(crate) fn counted(&self, bytes: u64) -> f64 {
        match self.growth {
            Growth::PerAck => 1.0,
            Growth::PerByte => float(bytes) / f64::from(self.segment_bytes),
        }
    }

    /// Congestion avoidance: `increase` segments more for every window acknowledged.
    #[inline(always)]
    fn avoid(&mut self, bytes: f64, increase: f64) {
        self.acknowledged += bytes;
        let needed = self.cwnd * f64::from(self.segment_bytes);
        if self.acknowledged >= needed {
            self.acknowledged -= needed;
            self.cwnd += increase;
        }
    }

    /// Bounds the window by its maximum. ns-2 compares the window's whole part with it, so a window of 10.9 passes a maximum
    /// of 10; but no more than the whole part is ever outstanding.
    #[inline]
    pub(crate) fn bound(&mut self) {
        let passes = if self.unit == WindowUnit::Segment { self.maximum + 1.0 } else { self.maximum };
        if self.cwnd >= passes {
            self.cwnd = self.maximum;
        }
    }

    /// Sets the threshold, at least two segments.
    pub(crate) fn set_ssthresh(&mut self, ssthresh: f64) {
        let is_whole = self.unit == WindowUnit::Segment;
        let ssthresh = if is_whole { (ssthresh.max(0.0) as u64) as f64 } else { ssthresh };
        self.ssthresh = ssthresh.max(LEAST_SSTHRESH);
    }

    /// The window that a control wants after a cut. Where windows are whole numbers, it is rounded down, and at least two segments.
    #[inline]
    pub fn rounded(&self, segments: f64) -> f64 {
        if self.unit == WindowUnit::WholeSegment { segments.floor().max(LEAST_SSTHRESH) } else { segments }
    }

    /// A part of the window, rounded down where windows are whole numbers.
    pub(crate) fn floored(&self, segments: f64) -> f64 {
        if self.unit == WindowUnit::WholeSegment { segments.floor() } else { segments }
    }

    /// Like [`Window::rounded`], but rounded up: for a control that rounds down what it takes away.
    pub fn rounded_up(&self, segments: f64) -> f64 {
        if self.unit == WindowUnit::WholeSegment { segments.ceil().max(LEAST_SSTHRESH) } else { segments }
    }

    /// Counts `bytes` towards the next segment without opening the window.
    pub(crate) fn count(&mut self, bytes: u64) {
        self.acknowledged += bytes as f64;
    }

    /// A loss ends the count towards the next segment.
    pub(crate) fn forget_acknowledged(&mut self) {
        self.acknowledged = 0.0;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};

    /// A window of `cwnd` with this threshold, in a profile.
    pub(crate) fn window(profile: Profile, cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, ..Window::new(&settings(profile, TcpName::named("reno"))) }
    }

    #[test]
    fn slow_start_doubles_and_congestion_avoidance_adds_one_a_round_trip() {
        for profile in [Profile::Ns2, Profile::Rfc, Profile::Linux] {
            let mut window = window(profile, 4.0, 8.0);
            let bytes = window.segment();
            for _ in 0..4 {
                window.open(bytes);
            }
            assert_eq!(window.cwnd, 8.0, "{profile:?}");
            for _ in 0..10 {
                window.open(bytes);
            }
            assert!((9.0..=10.0).contains(&window.cwnd), "{profile:?}: {}", window.cwnd);
        }
    }

    #[test]
    fn an_ack_of_two_segments_opens_by_what_the_growth_counts() {
        let opened = |profile| {
            let mut window = window(profile, 4.0, 100.0);
            window.open(2 * window.segment());
            window.cwnd
        };
        assert_eq!([opened(Profile::Ns2), opened(Profile::Rfc), opened(Profile::Linux)], [5.0, 5.0, 6.0]);
    }

    #[test]
    fn one_ack_of_many_segments_does_not_carry_slow_start_past_the_threshold() {
        let mut window = window(Profile::Linux, 4.0, 8.0);
        window.open(100 * window.segment());
        assert_eq!(window.cwnd, 9.0);
    }

    #[test]
    fn after_a_timeout_an_ack_opens_by_one_segment_whatever_it_covers() {
        let mut window = window(Profile::Linux, 1.0, 50.0);
        window.after_timeout = true;
        window.open(100 * window.segment());
        assert_eq!(window.cwnd, 2.0);
    }

    #[test]
    fn counted_bytes_open_the_window_with_the_next_ack() {
        let mut window = window(Profile::Linux, 4.0, 2.0);
        let segment = window.segment();
        window.count(2 * segment);
        window.count(segment);
        assert_eq!(window.cwnd, 4.0);
        window.open(segment);
        assert_eq!(window.cwnd, 5.0);
    }

    #[test]
    fn the_threshold_is_whole_where_the_window_counts_segments() {
        let mut segments = window(Profile::Ns2, 9.0, 20.0);
        segments.set_ssthresh(4.5);
        assert_eq!(segments.ssthresh, 4.0);
        let mut bytes = window(Profile::Rfc, 9.0, 20.0);
        bytes.set_ssthresh(4.5);
        assert_eq!(bytes.ssthresh, 4.5);
        bytes.set_ssthresh(0.5);
        assert_eq!(bytes.ssthresh, 2.0);
    }

    /// As Linux's `tcp_reno_ssthresh`.
    #[test]
    fn what_a_control_leaves_is_whole_where_the_window_counts_whole_segments() {
        let whole = window(Profile::Linux, 9.0, 20.0);
        assert_eq!([9.9, 4.0, 1.5].map(|segments| whole.rounded(segments)), [9.0, 4.0, 2.0]);
        let bytes = window(Profile::Rfc, 9.0, 20.0);
        assert_eq!([9.9, 1.5].map(|segments| bytes.rounded(segments)), [9.9, 1.5]);
    }

    #[test]
    fn a_receive_window_bounds_what_does_not_follow_its_use() {
        let most = |profile, follows| {
            let named = settings(profile, TcpName::named("reno"));
            maximum(&Settings { grow_to_twice_used: follows, ..named })
        };
        assert_eq!([false, true].map(|follows| most(Profile::Linux, follows)), [2715.0, f64::INFINITY]);
        // It opens whatever is used.
        assert_eq!(most(Profile::Rfc, true), 44.0);
        assert_eq!(most(Profile::Ns2, false), f64::INFINITY);
    }

    #[test]
    fn the_maximum_holds() {
        let mut window = window(Profile::Ns2, 10.0, 2.0);
        window.maximum = 10.0;
        for _ in 0..100 {
            window.open(1000);
            assert!(window.cwnd < 11.0);
        }
    }
}
