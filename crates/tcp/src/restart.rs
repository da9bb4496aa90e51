//! The effect of an idle period on the window, where the retransmission timer has no part in it: RFC 5681, RFC
//! 2861, RFC 7661.

use crate::congestion::float::float;
use crate::settings::{Restart, Settings};
use crate::ticks::Ticks;
use crate::window::Window;
use airfair_core::{Ring, Span, Time};

/// RFC 7661, section 4.4: how long an unvalidated window is preserved.
const NON_VALIDATED_PERIOD: Span = Span::from_secs(300);
/// RFC 7661, section 4.1: a capacity sample spans a second at least.
const LEAST_SAMPLE: Span = Span::from_secs(1);

/// Watches how much of its window a sender uses.
#[derive(Clone, Debug)]
pub(crate) struct IdleWatch {
    last_sent: Time,
    /// Congestion window validation, for RFC 7661 alone: the data acknowledged in a round trip.
    pipe: Option<Box<Pipe>>,
}

/// RFC 7661's `pipeACK`: the most data that were acknowledged in a recent round trip. Every ACK ends a round trip.
#[derive(Clone, Debug, Default)]
struct Pipe {
    /// The times of the ACKs of the last round trip and the bytes that each acknowledged, except for the latest ACK.
    recent: Ring<(Time, u64)>,
    recent_bytes: u64,
    /// The latest ACK. ACKs that share an aggregate come at the same instant, and count as one.
    latest: (Time, u64),
    /// The smoothed round trip at the latest ACK.
    srtt: Span,
    /// When the first ACK came, and whether a round trip has passed since.
    began: Option<Time>,
    measures: bool,
    /// Most bytes acknowledged in a round trip of the sampling period under way, and of the period before; zero before the first
    /// round trip ends.
    current: u64,
    previous: u64,
    period_began: Time,
    /// Since when the window has not been validated.
    unvalidated_since: Option<Time>,
}

impl IdleWatch {
    pub fn new(settings: &Settings) -> IdleWatch {
        IdleWatch { last_sent: Time::ZERO, pipe: (settings.restart == Restart::Rfc7661).then(Box::default) }
    }

    #[inline]
    pub fn on_send(&mut self, now: Time) {
        self.last_sent = now;
    }

    /// When a segment last went out.
    pub fn last_sent(&self) -> Time {
        self.last_sent
    }

    #[inline]
    pub fn on_ack(&mut self, now: Time, bytes: u64, srtt: Option<Span>) {
        if let Some(pipe) = &mut self.pipe {
            pipe.on_ack(now, bytes, srtt.unwrap_or(LEAST_SAMPLE));
        }
    }

    /// [`IdleWatch::on_ack`] and [`IdleWatch::validated`] for an ACK at the instant of the one before, with the same round trip.
    #[inline]
    pub fn validated_by_next(&mut self, bytes: u64, window: &Window) -> bool {
        let Some(pipe) = &mut self.pipe else { return true };
        pipe.add(bytes);
        pipe.validates(self.last_sent, window)
    }

    /// RFC 7661, section 4.2: whether at least half of the window is used.
    #[inline]
    pub fn validated(&mut self, window: &Window) -> bool {
        let Some(pipe) = &mut self.pipe else { return true };
        pipe.validates(self.last_sent, window)
    }

    /// RFC 7661, section 4.4.1: after a loss in the non-validated phase only the part that was used counts.
    pub fn loss_base(&self, base: f64, segment: u64) -> f64 {
        match &self.pipe {
            Some(pipe) if pipe.unvalidated_since.is_some() => base.max(pipe.bytes() as f64 / segment as f64),
            _ => base,
        }
    }

    /// The application sends after a pause, with nothing outstanding. `ticks` are those of the host's clock.
    pub fn on_resume(
        &mut self,
        settings: &Settings,
        now: Time,
        ticks: Ticks,
        rto: Span,
        window: &mut Window,
    ) {
        let restart_window = settings.at_most_max_window(settings.restart_window);
        let idle = now.since(self.last_sent);
        match settings.restart {
            Restart::None | Restart::IdleTimeout | Restart::IdleTimeoutIsLoss => {}
            Restart::Rfc5681 => {
                if idle >= rto {
                    window.cwnd = window.cwnd.min(restart_window);
                }
            }
            // Linux leaves a control with a rate of its own alone (`tcp_slow_start_after_idle_check`).
            Restart::Rfc2861 if settings.control.paces() => {}
            Restart::Rfc2861 => decay(ticks.between(self.last_sent, now), rto, restart_window, window),
            Restart::Rfc7661 => {
                let Some(pipe) = &mut self.pipe else { return };
                let since = pipe.unvalidated_since.unwrap_or(self.last_sent);
                if now.since(since) >= NON_VALIDATED_PERIOD {
                    // Section 4.4.3.
                    window.ssthresh = window.ssthresh.max(0.75 * window.cwnd);
                    window.cwnd = (window.cwnd / 2.0).max(restart_window);
                    pipe.unvalidated_since = Some(now);
                } else if idle >= rto {
                    pipe.unvalidated_since = Some(since);
                }
            }
        }
    }
}

/// RFC 2861 as Linux has it (`tcp_cwnd_restart`): the window halves for each timeout that an idle period outlasts, and the threshold remembers. In
/// the RFC a period of just a timeout counts, too.
fn decay(idle: Span, rto: Span, restart_window: f64, window: &mut Window) {
    if idle <= rto {
        return;
    }
    if !window.in_slow_start() {
        let three_quarters = window.floored(window.cwnd / 2.0) + window.floored(window.cwnd / 4.0);
        window.ssthresh = window.ssthresh.max(three_quarters);
    }
    let floor = window.cwnd.min(restart_window);
    let mut left = idle;
    while left > rto && window.cwnd > floor {
        window.cwnd = window.floored(window.cwnd / 2.0);
        left = left - rto;
    }
    window.cwnd = window.cwnd.max(floor);
}

impl Pipe {
    /// `pipeACK` in bytes; zero while it is unknown.
    #[inline]
    fn bytes(&self) -> u64 {
        self.current.max(self.previous)
    }

    #[inline]
    fn on_ack(&mut self, now: Time, bytes: u64, srtt: Span) {
        if (now, srtt) == (self.latest.0, self.srtt) {
            self.add(bytes);
        } else {
            self.on_later_ack(now, bytes, srtt);
        }
    }

    /// Adds the bytes of another ACK at the instant of the latest one.
    #[inline]
    fn add(&mut self, bytes: u64) {
        self.latest.1 += bytes;
        if self.measures {
            self.current = self.current.max(self.recent_bytes + self.latest.1);
        }
    }

    /// Takes an ACK that comes later than the latest one, or with another round trip.
    #[inline(never)]
    fn on_later_ack(&mut self, now: Time, bytes: u64, srtt: Span) {
        let before = std::mem::replace(&mut self.latest, (now, 0));
        if before.0 == now {
            self.latest = before;
        } else if before.1 > 0 {
            self.recent.push(before);
            self.recent_bytes += before.1;
        }
        while let Some(&(at, old)) = self.recent.front()
            && now.since(at) >= srtt
        {
            self.recent_bytes -= old;
            self.recent.pop(1);
        }
        self.srtt = srtt;
        self.measures = now.since(*self.began.get_or_insert(now)) >= srtt;
        self.add(bytes);
        if now.since(self.period_began) >= (srtt * 3).max(LEAST_SAMPLE) {
            self.previous = std::mem::take(&mut self.current);
            self.period_began = now;
        }
    }

    #[inline]
    fn validates(&mut self, now: Time, window: &Window) -> bool {
        let bytes = self.bytes();
        let window = window.cwnd * f64::from(window.segment_bytes);
        let validated = bytes == 0 || float(bytes) >= window / 2.0;
        if validated {
            self.unvalidated_since = None;
        } else {
            self.unvalidated_since.get_or_insert(now);
        }
        validated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::window::tests::window;

    const RTO: Span = Span::from_secs(1);

    /// The window after an idle period of `idle` seconds.
    fn resumed(restart: Restart, idle: u64) -> Window {
        let settings =
            Settings { restart, restart_window: 4.0, ..settings(Profile::Rfc, TcpName::named("reno")) };
        let mut watch = IdleWatch::new(&settings);
        watch.on_send(Time(0));
        let mut window = window(Profile::Rfc, 32.0, 8.0);
        watch.on_resume(&settings, Time(0) + Span::from_secs(idle), Ticks::default(), RTO, &mut window);
        window
    }

    #[test]
    fn rfc5681_falls_back_after_an_rto() {
        assert_eq!(resumed(Restart::Rfc5681, 0).cwnd, 32.0);
        assert_eq!(resumed(Restart::Rfc5681, 1).cwnd, 4.0);
    }

    #[test]
    fn rfc2861_halves_for_each_rto_that_is_outlasted_and_remembers() {
        let window = resumed(Restart::Rfc2861, 3);
        assert_eq!((window.cwnd, window.ssthresh), (8.0, 24.0));
        assert_eq!(resumed(Restart::Rfc2861, 60).cwnd, 4.0);
        let window = resumed(Restart::Rfc2861, 1);
        assert_eq!((window.cwnd, window.ssthresh), (32.0, 8.0));
    }

    /// `tcp_cwnd_restart`: idle times are in jiffies of 4 ms, and windows in whole segments.
    #[test]
    fn in_linux_rfc2861_counts_in_whole_ticks_and_segments() {
        let settings = settings(Profile::Linux, TcpName::named("cubic"));
        let resumed = |phase, idle| {
            let mut window = window(Profile::Linux, 45.0, 8.0);
            let (ticks, idle) = (Ticks::new(&settings, Span::from_millis(phase)), Span::from_millis(idle));
            IdleWatch::new(&settings).on_resume(&settings, Time(0) + idle, ticks, RTO, &mut window);
            (window.cwnd, window.ssthresh)
        };
        assert_eq!([2003, 2004].map(|idle| resumed(0, idle)), [(22.0, 33.0), (11.0, 33.0)]);
        assert_eq!([2000, 2001].map(|idle| resumed(3, idle)), [(22.0, 33.0), (11.0, 33.0)]);
        assert_eq!([1003, 1004].map(|idle| resumed(0, idle)), [(45.0, 8.0), (22.0, 33.0)]);
    }

    #[test]
    fn in_linux_a_control_with_a_rate_of_its_own_keeps_its_window() {
        let settings = settings(Profile::Linux, TcpName::named("prague"));
        assert_eq!(settings.restart, Restart::Rfc2861);
        let mut window = window(Profile::Linux, 32.0, 8.0);
        IdleWatch::new(&settings).on_resume(
            &settings,
            Time(0) + RTO * 10,
            Ticks::default(),
            RTO,
            &mut window,
        );
        assert_eq!((window.cwnd, window.ssthresh), (32.0, 8.0));
    }

    #[test]
    fn rfc7661_keeps_the_window_for_five_minutes() {
        assert_eq!(resumed(Restart::Rfc7661, 299).cwnd, 32.0);
        let window = resumed(Restart::Rfc7661, 300);
        assert_eq!((window.cwnd, window.ssthresh), (16.0, 24.0));
    }

    #[test]
    fn rfc7661_calls_no_window_used_that_is_not_half_used() {
        let settings =
            Settings { restart: Restart::Rfc7661, ..settings(Profile::Rfc, TcpName::named("reno")) };
        let mut watch = IdleWatch::new(&settings);
        let window = window(Profile::Rfc, 32.0, 8.0);
        let rtt = Span::from_millis(100);
        for round in 1..40u64 {
            watch.on_ack(Time(0) + rtt * round, 4000, Some(rtt));
        }
        assert!(!watch.validated(&window));
        for round in 40..80u64 {
            watch.on_ack(Time(0) + rtt * round, 30_000, Some(rtt));
        }
        assert!(watch.validated(&window));
    }

    /// Section 4.2: `pipeACK` is undefined, and the window may grow, until a round trip has been measured.
    #[test]
    fn rfc7661_measures_a_whole_round_trip_first() {
        let settings =
            Settings { restart: Restart::Rfc7661, ..settings(Profile::Rfc, TcpName::named("reno")) };
        let mut watch = IdleWatch::new(&settings);
        let window = window(Profile::Rfc, 32.0, 64.0);
        let rtt = Span::from_millis(100);
        for ack in 0..10 {
            watch.on_ack(Time(0) + rtt + Span::from_millis(10) * ack, 1000, Some(rtt));
            assert!(watch.validated(&window), "{ack}");
        }
        watch.on_ack(Time(0) + rtt * 2, 1000, Some(rtt));
        assert!(!watch.validated(&window));
    }

    /// Whatever the spacing of ACKs, a sender that sends what they allow uses half of its window in each round trip of slow start.
    #[test]
    fn rfc7661_finds_the_window_of_a_slow_start_used() {
        let settings =
            Settings { restart: Restart::Rfc7661, ..settings(Profile::Rfc, TcpName::named("reno")) };
        let mut watch = IdleWatch::new(&settings);
        let mut window = window(Profile::Rfc, 4.0, 1000.0);
        let segment = window.segment();
        let rtt = Span::from_millis(100);
        let mut flight = 4;
        for round in 1..=6u64 {
            for ack in 0..flight {
                let now = Time(0) + rtt * round + Span(ack * 90_000_000 / flight);
                watch.on_ack(now, segment, Some(rtt));
                assert!(watch.validated(&window), "{round}: {ack} of {flight}");
                window.cwnd += 1.0;
            }
            flight *= 2;
        }
        assert_eq!(window.cwnd, 256.0);
    }

    #[test]
    fn nothing_else_touches_the_window() {
        for restart in [Restart::None, Restart::IdleTimeout, Restart::IdleTimeoutIsLoss] {
            assert_eq!(resumed(restart, 1000).cwnd, 32.0);
        }
    }
}
