//! Effort and gains: how much data a transport sends for the data that it delivers.
//!
//! Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3. Throughput is all that the
//! senders hand to the network, Goodput the useful part of it, Throughput_max the capacity of the network.

use crate::Undefined;
use crate::throughput::throughput;
use crate::undefined::{require_finite, require_non_negative};

/// Returns the system goodput in bit/s, `8 original_bytes / seconds`.
///
/// `original_bytes` is the payload that got through, each byte once: no retransmissions, no headers. Here it is the
/// payload that the senders have seen acknowledged. "Goodput = Original_Data / Connection_time". 0 or more; larger is better.
///
/// # Errors
/// [`Undefined`] for a time that is not above zero.
pub fn goodput(original_bytes: u64, seconds: f64) -> Result<f64, Undefined> {
    throughput(original_bytes, seconds)
}

/// Returns the paper's BytesSent: `payload_bytes + segments header_bytes`.
///
/// Segments are counted when a sender hands them out, first transmissions, retransmissions and SYNs alike, whether or not
/// they arrive. `header_bytes` are the TCP and IP headers of each segment, 40 without options. System Throughput is
/// [`throughput`] of the result.
pub fn bytes_sent(payload_bytes: u64, segments: u64, header_bytes: u64) -> u64 {
    payload_bytes + segments * header_bytes
}

/// Returns the extra energy expenditure, `a (Throughput - Goodput) / Throughput_max + b (Throughput_max - Throughput) /
/// Throughput_max`.
///
/// All rates are in one unit. `a` weighs sending in vain, `b` idling; the paper has a = 1 and b = 0.3. No unit; smaller is
/// better; 0 to max(a, b) while Goodput <= Throughput <= Throughput_max. If cross traffic makes the Throughput of all flows
/// larger than the one bottleneck's Throughput_max, the result may be outside this range on either side.
///
/// # Errors
/// [`Undefined`] for a Throughput_max of zero, or a value that is negative or not finite.
pub fn eee(throughput: f64, goodput: f64, throughput_max: f64, a: f64, b: f64) -> Result<f64, Undefined> {
    check(throughput, goodput, throughput_max, a, b)?;
    Ok(a * ((throughput - goodput) / throughput_max) + b * ((throughput_max - throughput) / throughput_max))
}

/// Returns unexploited available resources, `1 - (a Throughput / Throughput_max + b Goodput / Throughput)`.
///
/// All rates are in one unit; the paper has a = b = 0.5. If nothing is sent, Goodput / Throughput counts as 0 and the index
/// is 1, the "major penalty" that the paper asks for. No unit; smaller is better; 0 to 1 for a + b = 1 while Goodput <=
/// Throughput <= Throughput_max, below 0 if cross traffic makes Throughput larger.
///
/// # Errors
/// [`Undefined`] for a Throughput_max of zero, a Goodput without Throughput, or a value that is negative or not finite.
pub fn uar(throughput: f64, goodput: f64, throughput_max: f64, a: f64, b: f64) -> Result<f64, Undefined> {
    check(throughput, goodput, throughput_max, a, b)?;
    if throughput == 0.0 {
        return if goodput == 0.0 { Ok(1.0) } else { Err(Undefined::Zero("the throughput")) };
    }
    Ok(1.0 - (a * (throughput / throughput_max) + b * (goodput / throughput)))
}

/// Returns the overhead, `(BytesSent - OriginalBytes) / BytesSent = 1 - Goodput / Throughput`.
///
/// The share of all bytes sent that is spent on retransmissions, losses and headers. No unit; 0 to 1 while Goodput is at most
/// Throughput; smaller is better.
///
/// # Errors
/// [`Undefined`] for no throughput, or a value that is negative or not finite.
pub fn overhead(throughput: f64, goodput: f64) -> Result<f64, Undefined> {
    require_non_negative(&[throughput], "the throughput")?;
    require_non_negative(&[goodput], "the goodput")?;
    if throughput == 0.0 {
        return Err(Undefined::Zero("the throughput"));
    }
    Ok(1.0 - goodput / throughput)
}

fn check(throughput: f64, goodput: f64, throughput_max: f64, a: f64, b: f64) -> Result<(), Undefined> {
    require_non_negative(&[throughput], "the throughput")?;
    require_non_negative(&[goodput], "the goodput")?;
    require_non_negative(&[throughput_max], "the maximum throughput")?;
    require_finite(&[a, b], "a coefficient")?;
    if throughput_max == 0.0 { Err(Undefined::Zero("the maximum throughput")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_values_of_eee() {
        let eee = |throughput, goodput| eee(throughput, goodput, 100.0, 1.0, 0.3).unwrap();
        // If nothing is sent, idling costs 0.3. If all that is sent at full rate arrives, nothing is wasted.
        assert_eq!(eee(0.0, 0.0), 0.3);
        assert_eq!(eee(100.0, 100.0), 0.0);
        // The paper prints 0.993 for Throughput 99 and Goodput 1, which is 0.98 + 0.003 = 0.983 by its own formula.
        assert!((eee(99.0, 1.0) - 0.983).abs() < 1e-12);
        // With nothing delivered, the result is 0.993.
        assert!((eee(99.0, 0.0) - 0.993).abs() < 1e-12);
    }

    #[test]
    fn uar_by_hand() {
        let uar = |throughput, goodput| uar(throughput, goodput, 10e6, 0.5, 0.5).unwrap();
        assert_eq!(uar(0.0, 0.0), 1.0);
        assert_eq!(uar(10e6, 10e6), 0.0);
        // 1 - (0.5 x 0.8 + 0.5 x 0.75)
        assert!((uar(8e6, 6e6) - 0.225).abs() < 1e-12);
        assert!(uar(20e6, 19e6) < 0.0, "cross traffic lifts the throughput above the one bottleneck's rate");
    }

    #[test]
    fn bytes_and_overhead_by_hand() {
        // Ten segments of 1000 bytes, two of which are retransmitted once, and a SYN.
        let sent = bytes_sent(12_000, 13, 40);
        assert_eq!(sent, 12_520);
        assert_eq!(goodput(10_000, 8.0), Ok(10_000.0));
        let (throughput, goodput) = (throughput(sent, 8.0).unwrap(), goodput(10_000, 8.0).unwrap());
        assert!((overhead(throughput, goodput).unwrap() - 2_520.0 / 12_520.0).abs() < 1e-12);
    }

    #[test]
    fn undefined_input_is_an_error() {
        let no_maximum = Err(Undefined::Zero("the maximum throughput"));
        assert_eq!(eee(1.0, 1.0, 0.0, 1.0, 0.3), no_maximum);
        assert_eq!(uar(1.0, 1.0, 0.0, 0.5, 0.5), no_maximum);
        assert_eq!(uar(0.0, 1.0, 1.0, 0.5, 0.5), Err(Undefined::Zero("the throughput")));
        assert_eq!(overhead(0.0, 0.0), Err(Undefined::Zero("the throughput")));
        assert!(eee(f64::NAN, 0.0, 1.0, 1.0, 0.3).is_err());
        assert!(eee(1.0, -1.0, 1.0, 1.0, 0.3).is_err());
        assert!(uar(1.0, 1.0, 1.0, f64::INFINITY, 0.5).is_err());
        assert!(goodput(1, 0.0).is_err());
    }

    proptest! {
        #[test]
        fn in_range_below_the_maximum(maximum in 1.0f64..1e9, sent in 0.0f64..=1.0, useful in 0.0f64..=1.0) {
            let throughput = maximum * sent;
            let goodput = throughput * useful;
            let near = -1e-12..=1.0 + 1e-12;
            prop_assert!(near.contains(&eee(throughput, goodput, maximum, 1.0, 0.3).unwrap()));
            prop_assert!(near.contains(&uar(throughput, goodput, maximum, 0.5, 0.5).unwrap()));
        }
    }
}
