//! Rate control from the fates of frames: minstrel_ht of Linux's mac80211, as its documentation and the messages of its changes describe it.
//!
//! Minstrel keeps the share of MPDUs that arrive for each mode, as a moving average (EWMA) over windows of 50 ms, and sends in the mode that
//! promises the most throughput. After failures it falls back: to the second best mode, then to the one that is most likely to arrive. From
//! time to time it probes another mode with a single MPDU. Of six probes three go to the next faster mode, two to a random faster one, and
//! one to a slower one ("mac80211: minstrel_ht: significantly redesign the rate probing strategy", Linux 5.12).
//!
//! Linux groups modes by width, streams and guard interval; here a link has one group. Since 5.5 Linux averages with another filter; this is
//! the average that it had before, with the same weight.

use airfair_core::{Span, Stream, Time};

use super::{Choice, MPDU_BYTES, best};
use crate::mac::qos::LinkTimes;

/// Interval at which the statistics are renewed.
const WINDOW: Span = Span::from_millis(50);
/// Shortest time between probes.
const BETWEEN_PROBES: Span = Span::from_millis(20);
/// Weight of the past in a moving average.
const PAST: f64 = 0.75;
/// Share of arriving MPDUs below which a mode promises no throughput.
const LEAST: f64 = 0.1;
/// Share of arriving MPDUs above which more success is not worth more: a reliable slow mode shall not beat a faster one that is good enough.
const MOST: f64 = 0.9;
/// Share of arriving MPDUs above which MPDUs in a mode are likely to arrive.
const LIKELY: f64 = 0.75;
/// Failures in a row in the best mode, and then in the second best, before the next stage.
const STAGE: u32 = 2;

#[derive(Debug)]
pub(crate) struct Minstrel {
    modes: Vec<ModeStats>,
    best: usize,
    second: usize,
    /// The mode with the most throughput among those likely to arrive; if there are none, the one most likely to arrive.
    safest: usize,
    /// PPDUs in a row without an answer.
    failures: u32,
    next_window: Time,
    next_probe: Time,
    /// Number of the next probe.
    probes: usize,
    /// Mean number of MPDUs in a PPDU.
    length: f64,
    /// MPDUs sent in the current window.
    mpdus: u32,
    /// PPDUs sent in the current window.
    ppdus: u32,
    stream: Stream,
}

#[derive(Clone, Copy, Debug)]
struct ModeStats {
    /// Seconds that an MPDU takes.
    mpdu: f64,
    /// Seconds that an exchange takes without its MPDUs.
    around: f64,
    /// MPDUs sent in the current window.
    sent: u32,
    /// MPDUs sent in the current window and acknowledged.
    acknowledged: u32,
    /// Share of the mode's MPDUs that are acknowledged, as a moving average; `None`: the mode was never tried.
    success: Option<f64>,
}

/// Which modes a probe tries.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// The next mode faster than the best.
    Next,
    /// A random mode faster than the best.
    Jump,
    /// A random mode between the slower of the second best and the safest, and the best.
    Slower,
}

const PROBES: [Probe; 6] = [Probe::Next, Probe::Jump, Probe::Next, Probe::Jump, Probe::Next, Probe::Slower];

impl Minstrel {
    pub fn new(modes: &[LinkTimes], stream: Stream) -> Minstrel {
        let stats = |times: &LinkTimes| {
            let mpdu = times.mode.rate().span_of_bits(8 * u64::from(MPDU_BYTES));
            let around = times.mode.ppdu(0) + times.block_ack;
            let (mpdu, around) = (mpdu.as_secs(), around.as_secs());
            ModeStats { mpdu, around, sent: 0, acknowledged: 0, success: None }
        };
        Minstrel {
            modes: modes.iter().map(stats).collect(),
            best: 0,
            second: 0,
            safest: 0,
            failures: 0,
            next_window: Time::ZERO,
            next_probe: Time::ZERO,
            probes: 0,
            length: 1.0,
            mpdus: 0,
            ppdus: 0,
            stream,
        }
    }

    /// Returns the place of the mode with the most throughput.
    pub fn best(&self) -> usize {
        self.best
    }

    pub fn choose(&mut self, now: Time, may_probe: bool) -> Choice {
        if now >= self.next_window {
            self.next_window = now + WINDOW;
            self.end_window();
        }
        if may_probe && self.failures == 0 && now >= self.next_probe {
            self.next_probe = now + BETWEEN_PROBES;
            if let Some(mode) = self.probe() {
                return Choice { mode, is_probe: true };
            }
        }
        let mode = match self.failures / STAGE {
            0 => self.best,
            1 => self.second,
            _ => self.safest,
        };
        Choice { mode, is_probe: false }
    }

    pub fn report(&mut self, mode: usize, sent: u32, acknowledged: Option<u32>) {
        let stats = &mut self.modes[mode];
        stats.sent += sent;
        stats.acknowledged += acknowledged.unwrap_or(0);
        self.mpdus += sent;
        self.ppdus += 1;
        self.failures = if acknowledged.is_some() { 0 } else { self.failures + 1 };
    }

    /// Renews the averages, and the choice of the best, the second best and the safest mode.
    fn end_window(&mut self) {
        if self.ppdus > 0 {
            let length = f64::from(self.mpdus) / f64::from(self.ppdus);
            self.length = average(Some(self.length), length);
            (self.mpdus, self.ppdus) = (0, 0);
        }
        for stats in self.modes.iter_mut().filter(|stats| stats.sent > 0) {
            let share = f64::from(stats.acknowledged) / f64::from(stats.sent);
            stats.success = Some(average(stats.success, share));
            (stats.sent, stats.acknowledged) = (0, 0);
        }
        let length = self.length;
        let throughput = |stats: &ModeStats| stats.throughput(length);
        self.best = best(self.modes.iter().map(throughput)).unwrap_or(0);
        let others = self.modes.iter().enumerate();
        let others = others.map(|(mode, stats)| if mode == self.best { 0.0 } else { throughput(stats) });
        self.second = best(others).unwrap_or(self.best);
        let is_likely = |stats: &&ModeStats| stats.success.is_some_and(|success| success > LIKELY);
        let likely = self.modes.iter().map(|stats| if is_likely(&stats) { throughput(stats) } else { 0.0 });
        let surest = || best(self.modes.iter().map(|stats| stats.success.unwrap_or(0.0)));
        self.safest = best(likely).or_else(surest).unwrap_or(0);
    }

    /// Returns the mode of the next probe, if there is one to try.
    fn probe(&mut self) -> Option<usize> {
        let kind = PROBES[self.probes % PROBES.len()];
        self.probes += 1;
        let faster = self.best + 1..self.modes.len();
        let slower = self.second.min(self.safest) + 1..self.best;
        match kind {
            Probe::Next => faster.into_iter().next(),
            Probe::Jump => self.any(faster),
            Probe::Slower => self.any(slower),
        }
    }

    fn any(&mut self, of: std::ops::Range<usize>) -> Option<usize> {
        let count = of.len() as u64;
        (count > 0).then(|| of.start + self.stream.below(count) as usize)
    }
}

impl ModeStats {
    /// Returns the expected rate of acknowledged MPDUs, in MPDUs a second, with PPDUs of `length` MPDUs.
    fn throughput(&self, length: f64) -> f64 {
        match self.success {
            Some(success) if success >= LEAST => success.min(MOST) / (self.mpdu + self.around / length),
            _ => 0.0,
        }
    }
}

/// Returns the moving average `before` after another `value`.
fn average(before: Option<f64>, value: f64) -> f64 {
    before.map_or(value, |before| PAST * before + (1.0 - PAST) * value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Aggregation, RateControl};
    use crate::mac::qos::{Link, Links};
    use crate::phy::mode::{Band, Mode, Standard, Timing, Width};
    use crate::phy::{Phy, Preamble};
    use airfair_core::Rate;

    fn minstrel() -> Minstrel {
        let mode = Mode {
            standard: Standard::Ax,
            band: Band::Ghz5,
            width: Width::Mhz20,
            nss: 1,
            mcs: 11,
            guard_interval: Span(800),
            timing: Timing::Standard,
            dsss_preamble: Preamble::Long,
        };
        let aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
        let link = Link { mode, aggregation, rate_control: RateControl::Minstrel, signal: None };
        let phy = Phy::ieee80211a(Rate::from_hundred_kbps(240));
        Minstrel::new(Links::new(&[link], &phy).modes(0), Stream::new(1, "test"))
    }

    /// Sends `count` PPDUs of 20 MPDUs, one each millisecond from `start` on (in nanoseconds), and probes of one. Those in modes up to
    /// `works` arrive. Returns the choices.
    fn run(minstrel: &mut Minstrel, start: u64, count: u64, works: usize) -> Vec<Choice> {
        let one = |number| {
            let choice = minstrel.choose(Time(start + number * 1_000_000), true);
            let sent = if choice.is_probe { 1 } else { 20 };
            minstrel.report(choice.mode, sent, (choice.mode <= works).then_some(sent));
            choice
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn it_climbs_to_the_fastest_mode_that_works_and_comes_down_again() {
        let mut minstrel = minstrel();
        let first = run(&mut minstrel, 0, 1000, 7);
        assert_eq!(first[1], Choice { mode: 0, is_probe: false });
        assert_eq!(minstrel.best(), 7);
        run(&mut minstrel, 1_000_000_000, 1000, 3);
        assert_eq!(minstrel.best(), 3);
        run(&mut minstrel, 2_000_000_000, 1000, 11);
        assert_eq!(minstrel.best(), 11);
    }

    #[test]
    fn it_probes_faster_modes_five_times_out_of_six_and_no_more_than_fifty_times_a_second() {
        let mut minstrel = minstrel();
        run(&mut minstrel, 0, 1000, 7);
        let choices = run(&mut minstrel, 1_000_000_000, 3000, 7);
        let probes: Vec<usize> =
            choices.iter().filter(|choice| choice.is_probe).map(|choice| choice.mode).collect();
        let next = probes.iter().filter(|mode| **mode == 8).count();
        let further = probes.iter().filter(|mode| **mode > 8).count();
        let slower = probes.iter().filter(|mode| **mode < 7).count();
        assert!((100..=150).contains(&probes.len()), "{}", probes.len());
        assert_eq!(next + further + slower, probes.len());
        assert!(next > probes.len() / 2 && further > probes.len() / 5, "{probes:?}");
    }

    #[test]
    fn after_failures_it_falls_back_stage_by_stage() {
        let mut minstrel = minstrel();
        run(&mut minstrel, 0, 1000, 7);
        let (best, second, safest) = (minstrel.best, minstrel.second, minstrel.safest);
        assert!(best > second);
        let modes: Vec<usize> = (0..6)
            .map(|_| {
                let choice = minstrel.choose(Time(999_000_000), true);
                minstrel.report(choice.mode, 20, None);
                choice.mode
            })
            .collect();
        assert_eq!(modes, [best, best, second, second, safest, safest]);
    }
}
