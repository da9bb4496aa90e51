//! What a de-jitter buffer makes of delays.

use crate::Undefined;
use crate::emodel::burst_ratio;
use crate::undefined::{require_finite, require_non_negative};

/// One frame of a call: when it was sent, and how long it was on its way; `None`: it did not arrive.
pub type VoiceFrame = (f64, Option<f64>);

/// What a listener gets of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// From the sending of a frame until it is played, in seconds.
    pub delay: f64,
    /// Share of frames that are not there when they are to be played, from 0 to 1.
    pub loss: f64,
    /// How bursty these are: see [`burst_ratio`].
    pub burst_ratio: f64,
}

/// What a de-jitter buffer of fixed length plays of the frames that reach it.
///
/// It plays each frame at the same time after it was sent: the least delay of any frame that arrived, and the `length` of the
/// buffer on top. A later one counts as lost, like one that never comes. Delay variation is so relative to the least delay, as
/// the IP packet delay variation of ITU-T Recommendation Y.1541. Frames that would be played after `end` are left out. The times
/// of `frames` are in seconds and in order.
///
/// # Errors
/// [`Undefined`] when no frame arrives or none is played by the `end`, or for a time that is not finite or a negative length.
pub fn fixed_playout(frames: &[VoiceFrame], length: f64, end: f64) -> Result<Heard, Undefined> {
    require_non_negative(&[length], "the length of the buffer")?;
    let delays: Vec<f64> = frames.iter().filter_map(|&(_, delay)| delay).collect();
    require_non_negative(&delays, "a delay")?;
    require_finite(&frames.iter().map(|&(sent, _)| sent).collect::<Vec<_>>(), "a time")?;
    if delays.is_empty() {
        return Err(Undefined::Nothing("voice frames that arrived"));
    }
    let delay = delays.iter().copied().fold(f64::INFINITY, f64::min) + length;
    let played = frames.iter().filter(|&&(sent, _)| sent + delay <= end);
    let lost: Vec<bool> = played.map(|&(_, taken)| taken.is_none_or(|taken| taken > delay)).collect();
    if lost.is_empty() {
        return Err(Undefined::Nothing("voice frames to be played before the end of the run"));
    }
    let count = lost.iter().filter(|&&lost| lost).count();
    Ok(Heard { delay, loss: count as f64 / lost.len() as f64, burst_ratio: burst_ratio(&lost) })
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

    #[test]
    fn undefined_input_is_an_error() {
        let nothing = Err(Undefined::Nothing("voice frames that arrived"));
        assert_eq!(fixed_playout(&[], 0.02, 1.0), nothing);
        assert_eq!(fixed_playout(&[(0.0, None)], 0.02, 1.0), nothing);
        assert!(fixed_playout(&[(1.0, Some(0.1))], 0.02, 1.0).is_err(), "played after the end");
        assert!(fixed_playout(&[(0.0, Some(-0.1))], 0.02, 1.0).is_err());
        assert!(fixed_playout(&[(0.0, Some(0.1))], f64::NAN, 1.0).is_err());
    }
}
