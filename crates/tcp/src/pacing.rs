//! Pacing: segments leave in bursts, and a burst begins no earlier than its predecessor would end at the pacing rate.
//!
//! [`Settings::pacing_quantum`] sets the length of a burst. Without it a burst is what the rate carries in a millisecond, at least two
//! segments (one below 1.2 Mb/s) and at most 64 KiB (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.2). With
//! [`Settings::tso`] it is as long as the segments that Linux hands to a device to cut up, and what the window did not allow at once begins
//! another burst.

use crate::settings::{Pacing, Settings};
use crate::window::Window;
use airfair_core::{Rate, Span, Time};

/// The rate in bit/s below which a burst is one segment.
const SLOW: u64 = 1_200_000;
/// The time in s whose data make a burst.
const BURST: f64 = 0.001;
const LONGEST_BURST: u64 = 65_536;
/// With `tso` a burst is the data of this time in s (`sk_pacing_shift`; [`Settings::small_queue_time`] at a Wi-Fi station), plus the longest burst,
/// shifted right by the shortest round trip in units of 2^9 us (`tcp_tso_rtt_log`).
pub(crate) const OFFLOADED: f64 = 1.0 / 1024.0;
const RTT_SHIFT: u32 = 9;

/// Linux's factors in slow start and beyond (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`; Linux, `Documentation/networking/ip-sysctl`).
const SLOW_START: f64 = 2.0;
const AVOIDANCE: f64 = 1.2;

/// Decides when the next segment may go out.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// The pacing rate; `None` while there is no round trip to derive it from, and nothing waits.
    rate: Option<Rate>,
    /// When the next burst may begin.
    next: Time,
    /// Bytes that the burst under way may still have, and those of a whole one.
    left: u64,
    burst: u64,
    segment: u64,
    /// The time that a whole segment takes at the pacing rate.
    segment_takes: Span,
    /// Segments of a burst, where the settings fix them.
    quantum: Option<u32>,
    /// [`Settings::pacing_credit`], and the delay of the burst under way behind its earliest start, as far as it was not made up for.
    credits: bool,
    credit: Span,
    /// [`Settings::tso`], when the burst under way began, and the fewest segments that a burst has at low rates.
    tso: bool,
    began: Time,
    fewest: u64,
    /// Number of segments that are still sent without pacing.
    unpaced: u32,
    /// Makes [`Pacer::forgets`] false, so that tests can compare both ways.
    #[cfg(test)]
    pub restless: bool,
}

impl Pacer {
    pub fn new(settings: &Settings) -> Pacer {
        let segment = u64::from(settings.segment_bytes.max(1));
        Pacer {
            rate: None,
            next: Time::ZERO,
            left: 0,
            burst: 0,
            segment,
            segment_takes: Span::ZERO,
            quantum: settings.pacing_quantum,
            credits: settings.pacing_credit,
            credit: Span::ZERO,
            tso: settings.tso,
            began: Time::ZERO,
            fewest: if settings.tso && !settings.control.paces() { 2 } else { 1 },
            unpaced: settings.unpaced_segments.unwrap_or(0),
            #[cfg(test)]
            restless: false,
        }
    }

    /// Bytes of a burst.
    pub fn burst(&self) -> u64 {
        self.burst
    }

    /// Sets the rate from now on; with [`Settings::tso`] the data of `offloaded` s make a burst. One that has begun keeps its schedule.
    #[inline]
    pub fn set_rate(&mut self, rate: Option<Rate>, offloaded: f64) {
        if rate == self.rate {
            return;
        }
        self.rate = rate;
        self.segment_takes = rate.map_or(Span::ZERO, |rate| rate.span_of_bytes(self.segment));
        let bits = rate.map_or(0, Rate::bits_per_second);
        let segments = match self.quantum {
            Some(quantum) => u64::from(quantum),
            None if bits < SLOW => self.fewest,
            None if self.tso => offload(rate, offloaded, None, self.segment),
            None => {
                let bytes = rate.map_or(0, |rate| carried(rate, BURST));
                (bytes.min(LONGEST_BURST) / self.segment).max(2)
            }
        };
        self.burst = segments * self.segment;
    }

    /// Whether a segment may go out now. Begins the next burst if that is due.
    #[inline]
    pub fn allows(&mut self, now: Time) -> bool {
        if now >= self.next {
            self.begin_burst(now);
        } else if self.tso && now > self.began {
            self.left = 0;
        }
        self.left > 0 || self.rate.is_none() || self.unpaced > 0
    }

    #[inline]
    fn begin_burst(&mut self, now: Time) {
        self.credit = now.since(self.next);
        (self.next, self.left, self.began) = (now, self.burst, now);
    }

    /// Whether no segment may go out now. Unlike [`Pacer::allows`], it begins no burst.
    #[inline]
    pub fn forbids(&self, now: Time) -> bool {
        let ends = self.tso && now > self.began;
        now < self.next && (self.left == 0 || ends) && self.rate.is_some() && self.unpaced == 0
    }

    /// The offset up to which whole segments may go out now, the first of them at `seq`, once [`Pacer::allows`] has allowed it.
    #[inline]
    pub fn end_of_burst(&self, seq: u64) -> u64 {
        match self.rate {
            None => u64::MAX,
            Some(_) if self.unpaced > 0 => seq + u64::from(self.unpaced) * self.segment,
            // A segment may begin as long as any of the burst is left.
            Some(_) => seq + self.left + self.segment - 1,
        }
    }

    /// Whether calls of [`Pacer::allows`] leave no trace. They do where a late burst earns credit, and where segments are grouped (`tso`).
    pub fn forgets(&self) -> bool {
        #[cfg(test)]
        if self.restless {
            return false;
        }
        self.is_plain()
    }

    /// Whether a burst does not depend on when it was asked for.
    #[inline]
    fn is_plain(&self) -> bool {
        !self.credits && !self.tso
    }

    /// When the next burst may begin.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Takes a segment of `bytes` that goes out, also one that was not held back.
    #[inline]
    pub fn on_send(&mut self, now: Time, bytes: u64) {
        if self.unpaced > 0 {
            self.unpaced -= 1;
            return;
        }
        let Some(rate) = self.rate else { return };
        if self.is_plain() && now >= self.next {
            // A retransmission that is not held back begins a burst as if [`Pacer::allows`] had been called.
            self.begin_burst(now);
        }
        let mut takes = if bytes == self.segment { self.segment_takes } else { rate.span_of_bytes(bytes) };
        if self.credits {
            let saved = self.credit.min(Span(takes.0 / 2));
            (takes, self.credit) = (Span(takes.0 - saved.0), Span(self.credit.0 - saved.0));
        }
        self.next = self.next.max(now) + takes;
        self.left = self.left.saturating_sub(bytes);
    }

    /// Ends the burst under way where a device cuts up bursts (`tso`): the next segment begins another one.
    pub fn end_offloaded(&mut self) {
        if self.tso {
            self.left = 0;
        }
    }
}

/// The bytes that are sent at this rate in a time in s.
pub(crate) fn carried(rate: Rate, time: f64) -> u64 {
    (rate.bits_per_second() as f64 / 8.0 * time) as u64
}

/// The number of segments in a burst with [`Settings::tso`] at this pacing rate, where the data of `time` s make a burst (`tcp_tso_autosize`);
/// without a rate the most that a burst may have.
pub(crate) fn offload(rate: Option<Rate>, time: f64, least_rtt: Option<Span>, segment: u64) -> u64 {
    let Some(rate) = rate else { return (LONGEST_BURST / segment).max(2) };
    let shift = least_rtt.map_or(u64::MAX, |rtt| (rtt.0 / 1000) >> RTT_SHIFT);
    let more = u32::try_from(shift).ok().and_then(|shift| LONGEST_BURST.checked_shr(shift)).unwrap_or(0);
    let bytes = carried(rate, time).saturating_add(more);
    (bytes.min(LONGEST_BURST) / segment).max(2)
}

/// The pacing rate of a control that does not bring its own. After a cut more bytes may be `outstanding` than the window allows, and Linux
/// paces by the larger of both (`tcp_update_pacing_rate`).
pub(crate) fn usual_rate(
    pacing: Pacing,
    srtt: Option<Span>,
    &Window { cwnd, ssthresh, segment_bytes, .. }: &Window,
    outstanding: u64,
) -> Option<Rate> {
    let factor = match pacing {
        Pacing::Off => return None,
        Pacing::Linux if cwnd < ssthresh / 2.0 => SLOW_START,
        Pacing::Linux => AVOIDANCE,
    };
    // A window below a segment sends one when a timer fires.
    let bytes = (cwnd.max(1.0) * f64::from(segment_bytes)).max(outstanding as f64);
    Rate::new((factor * 8.0 * bytes / srtt?.as_secs()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::window::tests::window;

    fn pacer(quantum: Option<u32>, rate: u64) -> Pacer {
        let reno = settings(Profile::Ns2, TcpName::named("reno"));
        let mut pacer = Pacer::new(&Settings { pacing_quantum: quantum, ..reno });
        pacer.set_rate(Rate::new(rate), OFFLOADED);
        pacer
    }

    /// When `count` segments of 1000 bytes go out of a sender that always has some, in microseconds.
    fn departures(pacer: &mut Pacer, count: usize) -> Vec<u64> {
        let mut now = Time::ZERO;
        let mut departures = Vec::new();
        while departures.len() < count {
            if pacer.allows(now) {
                pacer.on_send(now, 1000);
                departures.push(now.0 / 1000);
            } else {
                now = pacer.next();
            }
        }
        departures
    }

    #[test]
    fn bursts_leave_at_the_rate() {
        // 8 Mb/s: a segment takes 1 ms.
        assert_eq!(departures(&mut pacer(Some(1), 8_000_000), 4), [0, 1000, 2000, 3000]);
        assert_eq!(departures(&mut pacer(Some(3), 8_000_000), 7), [0, 0, 0, 3000, 3000, 3000, 6000]);
    }

    /// draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.2: `BBRSetSendQuantum`.
    #[test]
    fn a_burst_is_a_millisecond_of_the_rate() {
        for (rate, burst) in [
            (1_199_999, 1_000),
            (1_200_000, 2_000),
            (20_000_000, 2_000),
            (40_000_000, 5_000),
            (100_000_000, 12_000),
            (10_000_000_000, 65_000),
        ] {
            assert_eq!(pacer(None, rate).burst(), burst, "{rate}");
        }
    }

    /// Linux's `tcp_update_skb_after_send` and `fq`.
    #[test]
    fn the_first_segments_may_go_unpaced() {
        let linux = settings(Profile::Linux, TcpName::named("reno"));
        let mut pacer = Pacer::new(&Settings { pacing_quantum: Some(1), segment_bytes: 1000, ..linux });
        pacer.set_rate(Rate::new(8_000_000), OFFLOADED);
        let out = departures(&mut pacer, 13);
        assert_eq!(out[..11], [0; 11]);
        assert_eq!(out[11..], [1000, 2000]);
    }

    /// `tcp_tso_autosize`.
    #[test]
    fn offloaded_bursts_follow_the_rate_and_short_round_trips() {
        let segments =
            |rate, rtt: Option<u64>| offload(Rate::new(rate), OFFLOADED, rtt.map(Span::from_micros), 1448);
        assert_eq!([1, 20, 100, 1000].map(|rate| segments(rate * 1_000_000, None)), [2, 2, 8, 45]);
        // 64 KiB, halved for each 512 us.
        for (rtt, wanted) in [(100, 45), (1023, 31), (1024, 19), (2500, 11), (10_000, 8)] {
            assert_eq!(segments(100_000_000, Some(rtt)), wanted, "{rtt}");
        }
        assert_eq!(offload(None, OFFLOADED, None, 1448), 45);
    }

    /// What the window does not allow at once makes no part of a burst.
    #[test]
    fn offloaded_bursts_are_of_one_instant() {
        let cubic = settings(Profile::Linux, TcpName::named("cubic"));
        let mut pacer = Pacer::new(&Settings { segment_bytes: 1000, unpaced_segments: None, ..cubic });
        pacer.set_rate(Rate::new(24_576_000), OFFLOADED);
        assert_eq!(pacer.burst(), 3000);
        assert!(pacer.allows(Time::ZERO));
        pacer.on_send(Time::ZERO, 1000);
        assert!(pacer.allows(Time::ZERO));
        assert!(!pacer.allows(Time(1)));
        assert!(pacer.allows(pacer.next()));
    }

    #[test]
    fn what_is_forbidden_would_not_be_allowed() {
        let cubic = settings(Profile::Linux, TcpName::named("cubic"));
        for tso in [false, true] {
            let mut pacer =
                Pacer::new(&Settings { segment_bytes: 1000, tso, pacing_quantum: Some(3), ..cubic.clone() });
            let mut forbidden = 0;
            for step in 0..100 {
                // 8 Mb/s, once the first segments have gone out.
                pacer.set_rate(Rate::new(8_000_000).filter(|_| step > 0), OFFLOADED);
                let now = Time::ZERO + Span::from_micros(300 * step);
                let forbids = pacer.forbids(now);
                assert_eq!(forbids, !pacer.allows(now), "{tso} {step}");
                if !forbids {
                    pacer.on_send(now, 1000);
                }
                forbidden += u32::from(forbids);
            }
            assert!((30..70).contains(&forbidden), "{forbidden}");
        }
    }

    #[test]
    fn time_that_passed_without_a_segment_is_not_made_up_for() {
        let mut pacer = pacer(Some(2), 8_000_000);
        departures(&mut pacer, 2);
        let late = Time::ZERO + Span::from_millis(100);
        for _ in 0..2 {
            assert!(pacer.allows(late));
            pacer.on_send(late, 1000);
        }
        assert!(!pacer.allows(late));
        assert_eq!(pacer.next(), late + Span::from_millis(2));
    }

    /// Linux's `tcp_update_skb_after_send`.
    #[test]
    fn a_late_burst_may_shorten_the_wait_after_it_by_half() {
        let ms = |tenths: u64| Time::ZERO + Span::from_micros(100 * tenths);
        for (late, next) in [(20, 40), (25, 40), (30, 40), (31, 41), (1000, 1010)] {
            let mut pacer = pacer(Some(2), 8_000_000);
            pacer.credits = true;
            departures(&mut pacer, 2);
            for _ in 0..2 {
                assert!(pacer.allows(ms(late)));
                pacer.on_send(ms(late), 1000);
            }
            assert_eq!(pacer.next(), ms(next), "{late}");
        }
    }

    #[test]
    fn a_segment_that_does_not_wait_delays_those_that_do() {
        let mut pacer = pacer(Some(1), 8_000_000);
        departures(&mut pacer, 1);
        pacer.on_send(Time::ZERO, 1000);
        assert_eq!(pacer.next(), Time::ZERO + Span::from_millis(2));
    }

    #[test]
    fn linux_paces_at_twice_the_window_in_slow_start_and_at_six_fifths_after() {
        let rate = |pacing, srtt, ssthresh, outstanding| {
            let mut window = window(Profile::Linux, 10.0, ssthresh);
            window.segment_bytes = 1000;
            usual_rate(pacing, srtt, &window, outstanding).map(Rate::bits_per_second)
        };
        let srtt = Some(Span::from_millis(100));
        // 10 segments of 1000 bytes in 100 ms are 800 kb/s.
        assert_eq!(rate(Pacing::Linux, srtt, 21.0, 10_000), Some(1_600_000));
        assert_eq!(rate(Pacing::Linux, srtt, 20.0, 10_000), Some(960_000));
        // After a cut.
        assert_eq!(rate(Pacing::Linux, srtt, 20.0, 30_000), Some(2_880_000));
        assert_eq!(rate(Pacing::Linux, None, 20.0, 0), None);
        assert_eq!(rate(Pacing::Off, srtt, 20.0, 0), None);
    }
}
