//! Achievement: the share of the network's capacity that a TCP achieves.
//!
//! Lee, Bae, Koo & Chung, "Measuring achievement of TCP schemes over heterogeneous wireless networks", 2008, Section 3.
//! The achieved goodput is the pair (g, b): a goodput, and the objective that it is measured against.

use crate::Undefined;
use crate::average::mean;
use crate::throughput::throughput;
use crate::undefined::require_non_negative;

/// Returns g, the first half of achieved goodput, in bit/s: `8 acked_bytes / seconds`.
///
/// `acked_bytes` is payload acknowledged at the sender, each byte once and without headers. Section 3.1. 0 to b where
/// the measured time starts with the connection; larger is better.
///
/// # Errors
/// [`Undefined`] for a time that is not above zero.
pub fn achieved_goodput(acked_bytes: u64, seconds: f64) -> Result<f64, Undefined> {
    throughput(acked_bytes, seconds)
}

/// Returns b, the second half of achieved goodput, in bit/s: the least of the rates of the links on the path.
///
/// Section 3.1, "end-to-end bottleneck link bandwidth". Above 0; neither end is better.
///
/// # Errors
/// [`Undefined`] for no links, or a rate that is not above zero.
pub fn bottleneck_rate(link_rates: &[f64]) -> Result<f64, Undefined> {
    if link_rates.is_empty() {
        return Err(Undefined::Nothing("links on the way"));
    }
    require_non_negative(link_rates, "a link's rate")?;
    let least = link_rates.iter().copied().fold(f64::INFINITY, f64::min);
    if least == 0.0 { Err(Undefined::Zero("the bottleneck's rate")) } else { Ok(least) }
}

/// Returns the achieved goodput index of one network, `a = g / b`.
///
/// Equation (1). No unit; 0 to 1 where the measured time starts with the connection; larger is better.
///
/// # Errors
/// [`Undefined`] for a bottleneck of no rate, or a value that is negative or not finite.
pub fn agi(goodput: f64, bottleneck: f64) -> Result<f64, Undefined> {
    require_non_negative(&[goodput], "the goodput")?;
    require_non_negative(&[bottleneck], "the bottleneck's rate")?;
    if bottleneck == 0.0 {
        return Err(Undefined::Zero("the bottleneck's rate"));
    }
    Ok(goodput / bottleneck)
}

/// Returns the normalised achieved goodput index of a set of networks, `(a_1 + ... + a_n) / n`.
///
/// Equation (2). No unit; 0 to 1 as [`agi`]; larger is better. For a single network it is that network's index.
///
/// # Errors
/// [`Undefined`] for an empty set, or an index that is negative or not finite.
pub fn nagi(indices: &[f64]) -> Result<f64, Undefined> {
    if indices.is_empty() {
        return Err(Undefined::Nothing("networks in the set"));
    }
    require_non_negative(indices, "an achieved goodput index")?;
    mean(indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // The paper's example is a 10 Mb/s link before one of 2 Mb/s; 1.5 Mb/s is achieved.
        assert_eq!(bottleneck_rate(&[10e6, 2e6]), Ok(2e6));
        assert_eq!(achieved_goodput(18_750_000, 100.0), Ok(1.5e6));
        assert_eq!(agi(1.5e6, 2e6), Ok(0.75));
        assert_eq!(nagi(&[0.75, 0.25, 0.5]), Ok(0.5));
        assert_eq!(nagi(&[0.75]), Ok(0.75));
    }

    #[test]
    fn undefined_input_is_an_error() {
        assert_eq!(bottleneck_rate(&[]), Err(Undefined::Nothing("links on the way")));
        assert_eq!(bottleneck_rate(&[1.0, 0.0]), Err(Undefined::Zero("the bottleneck's rate")));
        assert!(bottleneck_rate(&[f64::NAN]).is_err());
        assert!(achieved_goodput(1, 0.0).is_err());
        assert_eq!(agi(1.0, 0.0), Err(Undefined::Zero("the bottleneck's rate")));
        assert!(agi(-1.0, 1.0).is_err() && agi(1.0, f64::INFINITY).is_err());
        assert_eq!(nagi(&[]), Err(Undefined::Nothing("networks in the set")));
        assert!(nagi(&[0.5, f64::NAN]).is_err());
    }
}
