//! Time spent waiting.

use crate::Undefined;
use crate::undefined::require_non_negative;

/// Returns the mean time in seconds that a packet waits in a queue, `waited / served`.
///
/// `waited` is the total time in seconds that the `served` packets, those that left the queue to be sent, had spent in it.
/// Dropped packets do not count, even if they had waited. It is the sojourn time of RFC 8289, section 3.1, of the packets
/// that got through. 0 or more; smaller is better.
///
/// # Errors
/// [`Undefined`] when no packet was served, or for a time that is negative or not finite.
pub fn queue_delay_mean(waited: f64, served: u64) -> Result<f64, Undefined> {
    require_non_negative(&[waited], "the time spent waiting")?;
    if served == 0 {
        return Err(Undefined::Nothing("packets that left the queue to be sent"));
    }
    Ok(waited / served as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // The packets waited 0.1 s, 0.2 s and not at all.
        assert_eq!(queue_delay_mean(0.3, 3), Ok(0.3 / 3.0));
        assert_eq!(queue_delay_mean(0.0, 1), Ok(0.0));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(
            queue_delay_mean(1.0, 0),
            Err(Undefined::Nothing("packets that left the queue to be sent"))
        );
        assert!(queue_delay_mean(-1.0, 1).is_err() && queue_delay_mean(f64::NAN, 1).is_err());
    }
}
