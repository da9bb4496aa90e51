//! De-jitter buffers: from the delays of frames to the frames that are played.

use std::collections::VecDeque;

use crate::Undefined;
use crate::emodel::burst_ratio;
use crate::undefined::{require_finite, require_non_negative};

/// One frame of a call: the time when it was sent in seconds, and its delay in seconds, `None` if it did not arrive.
pub type VoiceFrame = (f64, Option<f64>);

/// A call as its listener hears it, over the frames that are sent in the measured window and played by the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Time from the sending of a frame until it is played, in seconds; the mean if it changes.
    pub delay: f64,
    /// Share of frames that have not arrived when they are to be played, from 0 to 1.
    pub loss: f64,
    /// Burst ratio of the lost frames: see [`burst_ratio`].
    pub burst_ratio: f64,
}

/// Returns how a call sounds behind a de-jitter buffer of fixed length.
///
/// The buffer plays each frame at the same time after it was sent: the least delay of any frame that arrived, plus the `length` of
/// the buffer. A later frame counts as lost, like one that never arrives. So delay variation is relative to the least delay, as is
/// the IP packet delay variation of ITU-T Recommendation Y.1541. Frames that would be played after `end` are left out. The times
/// of `frames` are in seconds and ascending.
///
/// # Errors
/// [`Undefined`] when no frame arrives or none is played by the `end`, or for a time that is not finite or a negative length.
pub fn fixed_playout(frames: &[VoiceFrame], length: f64, end: f64) -> Result<Heard, Undefined> {
    require_non_negative(&[length], "the length of the buffer")?;
    let delay = arrived(frames)?.into_iter().fold(f64::INFINITY, f64::min) + length;
    let heard = heard(frames.iter().map(|&frame| Due { frame, delay }), end)?;
    Ok(Heard { delay, ..heard })
}

/// Returns how a call sounds behind a de-jitter buffer that adapts. The buffer only learns from the first `warmup` frames, which
/// do not count.
///
/// The buffer delays frames by as much as NetEQ, the buffer of WebRTC, aims at (`modules/audio_coding/neteq`, `DelayManager` with
/// its defaults of 2022). A frame's lateness is its delay over the least of the frames sent in the 2 s before it. The greatest
/// lateness of each half second is entered into a histogram of 100 steps of 20 ms, in which each new entry multiplies the weight
/// of the older ones by 0.983. The aim is the end of the step that holds the 95 % quantile of the histogram, and 80 ms until there
/// is an entry. A frame is played that long after the fastest of those 2 s would be, as known from what has arrived when the frame
/// before it is played; a frame that arrives later counts as lost. NetEQ reaches its aim by stretching and shortening speech; here
/// the aim holds at once. NetEQ's other aim, for frames out of order, is left out.
///
/// Frames that would be played after `end` are left out. The times of `frames` are in seconds and ascending.
///
/// # Errors
/// As [`fixed_playout`].
pub fn adaptive_playout(frames: &[VoiceFrame], warmup: usize, end: f64) -> Result<Heard, Undefined> {
    arrived(frames)?;
    let mut arrivals: Vec<(f64, f64)> =
        frames.iter().filter_map(|&(sent, delay)| Some((sent + delay?, delay?))).collect();
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut arrivals = arrivals.into_iter().peekable();
    let mut buffer = Adaptive::new();
    let mut played_before = f64::NEG_INFINITY;
    let due = frames.iter().map(|&frame| {
        while let Some((at, delay)) = arrivals.next_if(|&(at, _)| at <= played_before) {
            buffer.on_arrival(at, delay);
        }
        // The first frame starts the buffer: it is played after the delay that the buffer aims at.
        if let Some((at, delay)) = arrivals.next_if(|_| buffer.recent.is_empty()) {
            buffer.on_arrival(at, delay);
        }
        let delay = buffer.least() + buffer.aim;
        played_before = frame.0 + delay;
        Due { frame, delay }
    });
    heard(due.skip(warmup), end)
}

/// A frame, and how long after it was sent it is to be played.
struct Due {
    frame: VoiceFrame,
    delay: f64,
}

/// Returns the delays of the frames that arrived.
fn arrived(frames: &[VoiceFrame]) -> Result<Vec<f64>, Undefined> {
    let delays: Vec<f64> = frames.iter().filter_map(|&(_, delay)| delay).collect();
    require_non_negative(&delays, "a delay")?;
    require_finite(&frames.iter().map(|&(sent, _)| sent).collect::<Vec<_>>(), "a time")?;
    if delays.is_empty() { Err(Undefined::Nothing("voice frames that arrived")) } else { Ok(delays) }
}

fn heard(due: impl Iterator<Item = Due>, end: f64) -> Result<Heard, Undefined> {
    let played: Vec<Due> = due.filter(|due| due.frame.0 + due.delay <= end).collect();
    if played.is_empty() {
        return Err(Undefined::Nothing("voice frames to be played before the end of the run"));
    }
    let lost: Vec<bool> =
        played.iter().map(|due| due.frame.1.is_none_or(|delay| delay > due.delay)).collect();
    let count = lost.iter().filter(|&&lost| lost).count() as f64;
    let all = played.len() as f64;
    let delay = played.iter().map(|due| due.delay).sum::<f64>() / all;
    Ok(Heard { delay, loss: count / all, burst_ratio: burst_ratio(&lost) })
}

/// Seconds over which the fastest frame is found to which a frame's lateness is relative.
const HISTORY: f64 = 2.0;
/// Seconds from one entry of the histogram to the next.
const INTERVAL: f64 = 0.5;
/// Width of a step of the histogram, in seconds.
const STEP: f64 = 0.02;
const STEPS: usize = 100;
/// Factor by which the weight of the earlier entries of the histogram shrinks with a new one.
const FORGET: f64 = 0.983;
/// The first entries weigh more: the factor of entry n is `1 - START / n` until that exceeds [`FORGET`]. So the first two forget all before
/// them: `Histogram::Add` of NetEQ sets the factor for the next entry.
const START: f64 = 2.0;
const QUANTILE: f64 = 0.95;
/// Aim until there is an entry, in seconds.
const FIRST_AIM: f64 = 0.08;

/// A de-jitter buffer that adapts: see [`adaptive_playout`].
struct Adaptive {
    /// Sending times and delays of the frames that may be the fastest of the last 2 s: each is slower than the one before.
    recent: VecDeque<(f64, f64)>,
    /// Start of the current interval, and the greatest lateness in it.
    interval: Option<(f64, f64)>,
    histogram: [f64; STEPS],
    entries: u32,
    aim: f64,
}

impl Adaptive {
    fn new() -> Adaptive {
        let (recent, interval) = (VecDeque::new(), None);
        Adaptive { recent, interval, histogram: [0.0; STEPS], entries: 0, aim: FIRST_AIM }
    }

    /// Returns the least delay of the last 2 s.
    fn least(&self) -> f64 {
        self.recent.front().map_or(0.0, |&(_, delay)| delay)
    }

    fn on_arrival(&mut self, at: f64, delay: f64) {
        let sent = at - delay;
        while self.recent.front().is_some_and(|&(earlier, _)| earlier < sent - HISTORY) {
            self.recent.pop_front();
        }
        while self.recent.back().is_some_and(|&(_, slower)| slower >= delay) {
            self.recent.pop_back();
        }
        self.recent.push_back((sent, delay));
        let late = delay - self.least();
        let (since, greatest) = *self.interval.get_or_insert((at, 0.0));
        if at - since > INTERVAL {
            self.enter(greatest);
            self.interval = Some((at, late));
        } else {
            self.interval = Some((since, greatest.max(late)));
        }
    }

    fn enter(&mut self, late: f64) {
        let entered = (late / STEP) as usize;
        // NetEQ ignores delays beyond the last step of the histogram.
        if entered >= STEPS {
            return;
        }
        self.entries += 1;
        let kept = (1.0 - START / f64::from(self.entries)).clamp(0.0, FORGET);
        self.histogram.iter_mut().for_each(|weight| *weight *= kept);
        self.histogram[entered] += 1.0 - kept;
        let mut above = 1.0;
        let quantile = self.histogram.iter().position(|weight| {
            above -= weight;
            above <= 1.0 - QUANTILE
        });
        self.aim = (quantile.unwrap_or(STEPS - 1) + 1) as f64 * STEP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // The least delay is 10 ms; with 20 ms of buffer a frame that takes longer than 30 ms is late.
        let delays = [Some(0.010), Some(0.030), Some(0.031), None, Some(0.025)];
        let frames: Vec<_> = (0..5).map(|i| f64::from(i) * 0.02).zip(delays).collect();
        let heard = fixed_playout(&frames, 0.02, 1.0).unwrap();
        assert_eq!((heard.delay, heard.loss), (0.03, 0.4));
        assert!((heard.burst_ratio - 2.0 * 0.6).abs() < 1e-12, "{heard:?}");
        // At 0.1 s the last of the five, sent at 0.08 s, is not due yet.
        assert_eq!(fixed_playout(&frames, 0.02, 0.1).unwrap().loss, 0.5);
        assert_eq!(fixed_playout(&frames, 1.0, 9.0).unwrap().loss, 0.2);
    }

    /// Returns a frame every 20 ms for 60 s, each with a delay of 10 ms plus `late` of its number.
    fn talk(late: impl Fn(u32) -> f64) -> Vec<VoiceFrame> {
        (0..3000).map(|frame| (f64::from(frame) * 0.02, Some(0.01 + late(frame)))).collect()
    }

    #[test]
    fn a_buffer_that_adapts_is_as_long_as_most_half_seconds_need() {
        let of = |frames: &[VoiceFrame]| {
            let heard = adaptive_playout(frames, 1000, 70.0).unwrap();
            ((heard.delay * 1e6).round() / 1e6, heard.loss)
        };
        assert_eq!(of(&talk(|_| 0.0)), (0.03, 0.0), "the first step");
        let every_second = talk(|frame| if frame % 2 == 0 { 0.065 } else { 0.0 });
        assert_eq!(of(&every_second), (0.09, 0.0), "up to the end of a step");
        // A frame is late in one of 4 half seconds, and then in one of all 120.
        assert_eq!(of(&talk(|frame| if frame % 100 == 99 { 0.11 } else { 0.0 })), (0.13, 0.0));
        let seldom = of(&talk(|frame| if frame == 1499 { 0.11 } else { 0.0 }));
        assert_eq!(seldom, (0.03, 1.0 / 2000.0));
        // Delay that all frames have does not count: after 2 s a new route is the fastest.
        assert_eq!(of(&talk(|frame| if frame < 100 { 0.0 } else { 0.5 })), (0.53, 0.0));
        assert_eq!(
            of(&talk(|frame| if frame == 50 { 3.0 } else { 0.0 })),
            (0.03, 0.0),
            "beyond the last step"
        );
    }

    #[test]
    fn a_buffer_that_adapts_learns_from_what_has_come() {
        let frames = talk(|frame| if frame >= 1000 && frame % 10 == 0 { 0.15 } else { 0.0 });
        let (before, after) = (
            adaptive_playout(&frames[..1000], 500, 70.0).unwrap(),
            adaptive_playout(&frames, 2000, 70.0).unwrap(),
        );
        let even = adaptive_playout(&talk(|_| 0.0)[..1000], 500, 70.0).unwrap();
        assert_eq!(before, even, "what comes later changes nothing");
        assert_eq!((before.loss, after.loss), (0.0, 0.0));
        assert!((after.delay - 0.17).abs() < 1e-9, "{after:?}");
        // In between, frames are late until half seconds with late frames have 5 % of the weight.
        let between = adaptive_playout(&frames[..1100], 1000, 70.0).unwrap();
        assert!((0.01..0.1).contains(&between.loss), "{between:?}");
        // The buffer holds 80 ms until half a second has passed.
        let start = adaptive_playout(&frames[..25], 0, 70.0).unwrap();
        assert!((start.delay - 0.09).abs() < 1e-9, "{start:?}");
    }

    #[test]
    fn the_first_entries_weigh_more() {
        // The aim after each of 15 entries. Only entry `late` is late.
        let aims = |late: usize| {
            let mut buffer = Adaptive::new();
            let aim = |number| {
                buffer.enter(if number == late { 0.11 } else { 0.0 });
                buffer.aim
            };
            (1..=15).map(aim).collect::<Vec<_>>()
        };
        // The second entry forgets the first. The fifth has a weight of 2/5, and of 2/5 (1 - 2/6) (1 - 2/7) ... = 8 / (n (n - 1)) after n
        // entries: 5.1 % after 13, and 4.4 % after 14.
        let late_until = |from: usize, until: usize| {
            (1..=15).map(|n| if (from..=until).contains(&n) { 0.12 } else { 0.02 }).collect::<Vec<_>>()
        };
        assert_eq!(aims(1), late_until(1, 1));
        assert_eq!(aims(5), late_until(5, 13));
    }

    #[test]
    fn undefined_input_is_an_error() {
        let nothing = Err(Undefined::Nothing("voice frames that arrived"));
        assert_eq!(fixed_playout(&[], 0.02, 1.0), nothing);
        assert_eq!(fixed_playout(&[(0.0, None)], 0.02, 1.0), nothing);
        assert!(fixed_playout(&[(1.0, Some(0.1))], 0.02, 1.0).is_err(), "played after the end");
        assert!(fixed_playout(&[(0.0, Some(-0.1))], 0.02, 1.0).is_err());
        assert!(fixed_playout(&[(0.0, Some(0.1))], f64::NAN, 1.0).is_err());
        assert_eq!(adaptive_playout(&[(0.0, None)], 0, 1.0), nothing);
        assert!(adaptive_playout(&[(0.0, Some(0.1))], 1, 1.0).is_err(), "none is measured");
        assert!(adaptive_playout(&[(0.0, Some(f64::NAN))], 0, 1.0).is_err());
        assert!(adaptive_playout(&[(f64::INFINITY, Some(0.1))], 0, 1.0).is_err());
    }
}
