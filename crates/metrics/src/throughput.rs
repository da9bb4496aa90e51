//! Throughput.

use crate::Undefined;

/// Returns the throughput in bit/s, `8 bytes / seconds`: bytes counted in a measured window, over its length.
///
/// 0 or more; larger is better. The metric decides which bytes count (acknowledged payload, with headers, ...).
///
/// # Errors
/// [`Undefined`] for a window that is not above zero.
pub fn throughput(bytes: u64, seconds: f64) -> Result<f64, Undefined> {
    if seconds == 0.0 {
        return Err(Undefined::Zero("the measured time"));
    }
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(Undefined::OutOfRange("the measured time"));
    }
    Ok(bytes as f64 * 8.0 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(throughput(1_000_000, 40.0), Ok(200_000.0));
        assert_eq!(throughput(0, 40.0), Ok(0.0));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(throughput(1, 0.0), Err(Undefined::Zero("the measured time")));
        assert_eq!(throughput(1, -1.0), Err(Undefined::OutOfRange("the measured time")));
        assert!(throughput(1, f64::NAN).is_err());
    }
}
