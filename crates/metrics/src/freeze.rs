//! Freezes of a picture.

use crate::Undefined;
use std::collections::VecDeque;

/// Frames over whose durations the average is taken.
const FRAMES: usize = 30;
/// Durations without which there is no average yet: libwebrtc, `kMinFrameSamplesToDetectFreeze`.
const LEAST: usize = 5;
/// A freeze lasts at least [`TIMES`] times the average duration, and at least [`LONGER`] seconds more than it.
const TIMES: f64 = 3.0;
const LONGER: f64 = 0.15;

/// Returns the share of the time from `from` to `end` in which the picture is frozen; from 0 to 1. `shown` has the times at which frames are shown,
/// in order; all times are in seconds.
///
/// W3C, "Identifiers for WebRTC's Statistics API", `freezeCount` and `totalFreezesDuration`: a frame is frozen if the next one comes no sooner than
/// three times the average duration of the last 30 frames, and 150 ms longer than it. The whole duration counts. W3C leaves open the rest. The average
/// needs five durations. As in libwebrtc (`VideoQualityObserver`), the frame's own duration is one of them. The last frame lasts until `end`, and
/// nothing is frozen before the first frame.
///
/// # Errors
/// When no frame is shown before `end`, or times are not finite or not in order.
///
/// ```
/// let mut shown: Vec<f64> = (0..30).map(|frame| f64::from(frame) / 30.0).collect();
/// shown.push(1.5);
/// let ratio = airfair_metrics::freeze_ratio(&shown, 0.0, 1.5).unwrap();
/// assert!((ratio - (1.5 - 29.0 / 30.0) / 1.5).abs() < 1e-12);
/// ```
pub fn freeze_ratio(shown: &[f64], from: f64, end: f64) -> Result<f64, Undefined> {
    if !shown.iter().chain([&from, &end]).all(|time| time.is_finite()) || !shown.is_sorted() {
        return Err(Undefined::OutOfRange("a time of a frame"));
    }
    let first =
        shown.first().filter(|first| **first < end).ok_or(Undefined::Nothing("frames that are shown"))?;
    let (mut last, mut frozen) = (VecDeque::new(), 0.0);
    let nexts = shown[1..].iter().copied().take_while(|next| *next < end).chain([end]);
    for (shown, next) in shown.iter().zip(nexts) {
        let duration = next - shown;
        last.push_back(duration);
        if last.len() > FRAMES {
            last.pop_front();
        }
        let average = last.iter().sum::<f64>() / last.len() as f64;
        if last.len() >= LEAST && duration >= (TIMES * average).max(average + LONGER) {
            frozen += (next - shown.max(from)).max(0.0);
        }
    }
    let time = end - from.max(*first);
    if time > 0.0 { Ok(frozen / time) } else { Err(Undefined::Nothing("time in which frames are shown")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames every 40 ms from 0 on, without those for which `is_missing`.
    fn shown(frames: u32, is_missing: impl Fn(u32) -> bool) -> Vec<f64> {
        (0..frames).filter(|frame| !is_missing(*frame)).map(|frame| 0.04 * f64::from(frame)).collect()
    }

    fn close(found: Result<f64, Undefined>, expected: f64) {
        let found = found.expect("a ratio");
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn a_gap_freezes_the_picture_from_150_ms_above_the_average_on() {
        // The gap is a thirtieth of the average itself: 40 + 150 x 30 / 29 ms freeze, and a little less does not.
        let gap = |more: f64| {
            let frame = |number: i32| 0.04 * f64::from(number) + if number > 50 { more } else { 0.0 };
            (0..100).map(frame).collect::<Vec<_>>()
        };
        close(freeze_ratio(&gap(0.1552), 0.0, 4.1552), 0.1952 / 4.1552);
        close(freeze_ratio(&gap(0.155), 0.0, 4.155), 0.0);
        close(freeze_ratio(&shown(100, |_| false), 0.0, 4.0), 0.0);
        // Four frames are missing: 200 ms is above 3 x 45 and 45 + 150 ms. With three it is not.
        close(freeze_ratio(&shown(100, |frame| (50..54).contains(&frame)), 0.0, 4.0), 0.2 / 4.0);
        close(freeze_ratio(&shown(100, |frame| (50..53).contains(&frame)), 0.0, 4.0), 0.0);
        // With 5 frames a second, three times the average is more: 600 ms.
        let slow = |without: u32| -> Vec<f64> {
            (0..40)
                .filter(|frame| !(20..20 + without).contains(frame))
                .map(|frame| 0.2 * f64::from(frame))
                .collect()
        };
        close(freeze_ratio(&slow(1), 0.0, 8.0), 0.0);
        close(freeze_ratio(&slow(3), 0.0, 8.0), 0.8 / 8.0);
    }

    #[test]
    fn only_the_measured_window_counts() {
        let frames = shown(100, |frame| (50..75).contains(&frame));
        // From 1.96 s to 3 s.
        close(freeze_ratio(&frames, 0.0, 4.0), 1.04 / 4.0);
        close(freeze_ratio(&frames, 2.5, 4.0), 0.5 / 1.5);
        close(freeze_ratio(&frames, 0.0, 2.5), 0.54 / 2.5);
        close(freeze_ratio(&frames, 3.0, 4.0), 0.0);
    }

    #[test]
    fn the_last_frame_lasts_until_the_end() {
        close(freeze_ratio(&shown(50, |_| false), 0.0, 3.96), 2.0 / 3.96);
    }

    #[test]
    fn without_frames_there_is_no_ratio() {
        let nothing = Err(Undefined::Nothing("frames that are shown"));
        assert_eq!(freeze_ratio(&[], 0.0, 1.0), nothing);
        assert_eq!(freeze_ratio(&[2.0], 0.0, 1.0), nothing);
        assert!(freeze_ratio(&[1.0, 0.5], 0.0, 2.0).is_err());
        assert!(freeze_ratio(&[f64::NAN], 0.0, 2.0).is_err());
        assert!(freeze_ratio(&[0.0], 2.0, 2.0).is_err());
    }
}
