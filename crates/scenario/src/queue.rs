//! The length of a wired queue: packets, bytes, or the bandwidth-delay product of a time.

use airfair_core::{Rate, Span};
use airfair_net::{QueueLimit, TxRing};

use crate::expression::Got;
use crate::problem::{Problem, Result};
use crate::reading::{time, told, whole};
use crate::scope::{Readable, Scope};
use crate::units::{self, Dimension};
use crate::value::{QueueKind, RingKind, Scalar};

/// The limit of a queue, as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueLength {
    /// A number of packets or bytes.
    Limit(QueueLimit),
    /// A time above zero: the queue holds the bytes that the link transmits in it.
    Time(Span),
}

impl QueueLength {
    /// Returns the limit at `rate`. A bandwidth-delay product is counted in packets of `packet` bytes if that is
    /// given, or else in bytes; it is rounded up in both cases.
    pub fn limit(self, rate: Rate, packet: Option<u64>) -> Result<QueueLimit> {
        let time = match self {
            QueueLength::Limit(limit) => return Ok(limit),
            QueueLength::Time(time) => time,
        };
        // The product of bits per second and nanoseconds is exact.
        let product = u128::from(rate.bits_per_second()) * u128::from(time.0);
        let units = product.div_ceil(8_000_000_000 * u128::from(packet.unwrap_or(1)));
        let limit = match packet {
            Some(_) => u32::try_from(units).map(QueueLimit::Packets).ok(),
            None => u64::try_from(units).map(QueueLimit::Bytes).ok(),
        };
        limit.ok_or_else(too_long)
    }
}

impl Readable for QueueKind {
    type Out = QueueLength;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<QueueLength>> {
        let (number, dimension) = match scope.got(scalar)? {
            Got::Unset => return Ok(None),
            Got::Number(number, dimension) => (number, dimension.unwrap_or(Dimension::Pure)),
            // A parameter that may be packets, bytes or a time is declared as a word, so its value is read from the text.
            Got::Text(word) => units::literal(&word).unwrap_or_else(|| Err(no_queue(&Got::Text(word))))?,
            other => return Err(no_queue(&other)),
        };
        let length = match dimension {
            Dimension::Pure => u32::try_from(whole(scalar, number, dimension)?)
                .map(|packets| QueueLength::Limit(QueueLimit::Packets(packets)))
                .map_err(|_| too_long())?,
            Dimension::Size => QueueLength::Limit(QueueLimit::Bytes(whole(scalar, number, dimension)?)),
            Dimension::Time => QueueLength::Time(time(scalar, number)?),
            Dimension::Rate | Dimension::Length | Dimension::Level | Dimension::Power => {
                return Err(no_queue(&Got::Number(number, Some(dimension))));
            }
        };
        match length {
            QueueLength::Limit(QueueLimit::Packets(0) | QueueLimit::Bytes(0))
            | QueueLength::Time(Span::ZERO) => {
                Err(Problem::new("a queue must hold at least 1 packet, the one in transmission included"))
            }
            length => Ok(Some(length)),
        }
    }
}

/// The length of a transmit ring, as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RingLength {
    /// A bound that does not change.
    Fixed(QueueLength),
    /// A bound that adapts as Linux's byte queue limits do.
    Bql,
}

impl RingLength {
    /// Returns the ring at `rate`.
    pub fn ring(self, rate: Rate) -> Result<TxRing> {
        Ok(match self {
            RingLength::Bql => TxRing::Bql,
            RingLength::Fixed(length) => match length.limit(rate, None)? {
                QueueLimit::Packets(limit) => TxRing::Packets(limit),
                QueueLimit::Bytes(limit) => TxRing::Bytes(limit),
            },
        })
    }
}

impl Readable for RingKind {
    type Out = RingLength;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<RingLength>> {
        const BQL: &str = "bql";
        let is_word = match scalar {
            Scalar::Text(text) if text.trim() == BQL => scope.stands_for_itself(BQL),
            _ => false,
        };
        if is_word || matches!(scope.got(scalar), Ok(Got::Text(word)) if word == BQL) {
            return Ok(Some(RingLength::Bql));
        }
        Ok(QueueKind::read(scope, scalar)?.map(RingLength::Fixed))
    }
}

fn no_queue(got: &Got) -> Problem {
    let needed = "a queue's length in packets (`75`), bytes (`64 kB`) or time at the link's rate (`100 ms`)";
    Problem::new(format!("{} stands where {needed} is needed", told(got)))
}

fn too_long() -> Problem {
    Problem::new(format!("a queue holds at most {} packets", u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::tests::with_scope;

    fn read(text: &str) -> std::result::Result<QueueLength, String> {
        with_scope(|scope| {
            let length = QueueKind::read(&scope, &Scalar::Text(text.to_owned()));
            length.map(Option::unwrap).map_err(|problem| problem.to_string())
        })
    }

    fn packets(packets: u32) -> std::result::Result<QueueLength, String> {
        Ok(QueueLength::Limit(QueueLimit::Packets(packets)))
    }

    #[test]
    fn packets_bytes_and_times_are_told_apart() {
        assert_eq!(read("queue * 2"), packets(100));
        assert_eq!(read("64 kB"), Ok(QueueLength::Limit(QueueLimit::Bytes(64_000))));
        assert_eq!(read("100 ms"), Ok(QueueLength::Time(Span::from_millis(100))));
        assert_eq!(
            read("100 ms if tcp == 'vegas' else queue"),
            Ok(QueueLength::Time(Span::from_millis(100)))
        );
        assert_eq!(read("100 ms if tcp == 'reno' else queue"), packets(50));
    }

    #[test]
    fn a_word_may_be_a_quantity() {
        assert_eq!(read("'75'"), packets(75));
        assert_eq!(
            read("'100 ms' if tcp == 'vegas' else queue"),
            Ok(QueueLength::Time(Span::from_millis(100)))
        );
        assert!(read("tcp").unwrap_err().contains("the word 'vegas' stands where a queue's length"));
        assert!(read("'10 parsec'").unwrap_err().contains("unknown unit"));
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for (text, wanted) in [
            ("10 Mb/s", "10 Mb/s stands where a queue's length"),
            ("queue == 50", "true stands where"),
            ("0", "at least 1 packet"),
            ("0 B", "at least 1 packet"),
            ("0 ms", "at least 1 packet"),
            ("-1 ms", "cannot be negative"),
            ("2.5", "a whole number is needed"),
            ("1e12", "at most 4294967295 packets"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }

    #[test]
    fn a_ring_has_a_length_or_adapts() {
        let ring = |text: &str| {
            let rate = Rate::new(8_000_000).unwrap();
            let read = with_scope(|scope| RingKind::read(&scope, &Scalar::Text(text.to_owned())));
            read.unwrap().map(|length| length.ring(rate).unwrap())
        };
        assert_eq!(ring("bql"), Some(TxRing::Bql));
        assert_eq!(ring("'bql' if queue > 10 else 7"), Some(TxRing::Bql));
        assert_eq!(ring("queue"), Some(TxRing::Packets(50)));
        assert_eq!(ring("3 kB"), Some(TxRing::Bytes(3000)));
        assert_eq!(ring("2 ms"), Some(TxRing::Bytes(2000)));
        assert_eq!(ring("none"), None);
        let wrong = with_scope(|scope| RingKind::read(&scope, &Scalar::Text("tcp".to_owned())));
        assert!(wrong.unwrap_err().to_string().contains("stands where"));
    }

    #[test]
    fn a_bandwidth_delay_product_is_rounded_up() {
        let rate = Rate::new(10_000_000).unwrap();
        let time = |nanos| QueueLength::Time(Span(nanos));
        // At 10 Mb/s, 100 ms are 125,000 bytes.
        assert_eq!(time(100_000_000).limit(rate, None).unwrap(), QueueLimit::Bytes(125_000));
        assert_eq!(time(100_000_000).limit(rate, Some(1000)).unwrap(), QueueLimit::Packets(125));
        assert_eq!(time(100_000_001).limit(rate, Some(1000)).unwrap(), QueueLimit::Packets(126));
        assert_eq!(time(100_000_000).limit(rate, Some(1040)).unwrap(), QueueLimit::Packets(121));
        assert_eq!(time(1).limit(rate, Some(1000)).unwrap(), QueueLimit::Packets(1));
        let fast = Rate::new(1_000_000_000_000).unwrap();
        assert!(QueueLength::Time(Span::from_secs(1_000_000)).limit(fast, Some(1)).is_err());
    }
}
