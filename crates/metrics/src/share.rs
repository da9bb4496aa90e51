//! Shares of packets sent, delivered or offered.

use crate::Undefined;

/// Returns the real-time performance index, `PacketsDeliveredInTime / PacketsDelivered`.
///
/// Mamatas & Tsaoussidis, "Effort/Gains dynamics in heterogeneous networks", Section 3, where an application wants at least
/// one packet every 100 ms. A packet is the first arrival of a distinct segment at the sink, in order or not. It is in time if
/// it comes within the deadline after its flow's previous packet, so the very first packet of each flow does not count.
/// `delivered` is the number of packets that count. No unit; 0 to 1; larger is better.
///
/// # Errors
/// [`Undefined`] when no packet counts, or for more in time than delivered.
pub fn realtime_index(in_time: u64, delivered: u64) -> Result<f64, Undefined> {
    part(
        in_time,
        delivered,
        "packets delivered after the first of their flow",
        "the number of packets in time",
    )
}

/// Returns retransmissions over segments sent, retransmissions included.
///
/// No unit; 0 to 1; smaller is better.
///
/// # Errors
/// [`Undefined`] when nothing was sent, or for more retransmissions than segments.
pub fn rexmit_fraction(retransmissions: u64, segments: u64) -> Result<f64, Undefined> {
    part(retransmissions, segments, "segments sent", "the number of retransmissions")
}

/// Returns the loss rate of links: `lost / offered` packets, lost by errors or outages.
///
/// No unit; 0 to 1; smaller is better.
///
/// # Errors
/// [`Undefined`] when no packet was offered, or for more lost than offered: packets that have waited are lost behind the queue.
pub fn loss_rate(lost: u64, offered: u64) -> Result<f64, Undefined> {
    part_of_arrivals(
        lost,
        offered,
        "packets offered to links",
        "more packets were lost than came: some had come before",
    )
}

/// Returns the drop rate of a queue: `dropped / offered` packets.
///
/// No unit; 0 to 1; smaller is better.
///
/// # Errors
/// [`Undefined`] when no packet was offered, or for more dropped than offered, which is possible in a window: some disciplines
/// drop packets that have waited.
pub fn drop_rate(dropped: u64, offered: u64) -> Result<f64, Undefined> {
    part_of_arrivals(
        dropped,
        offered,
        "packets offered to the queue",
        "more packets were dropped than came: some had come before",
    )
}

/// Returns the mark rate of a queue: packets marked with Congestion Experienced (RFC 3168) over packets offered.
///
/// No unit; 0 to 1; neither end is better.
///
/// # Errors
/// [`Undefined`] when no packet was offered, or for more marked than offered: some disciplines mark packets that have waited.
pub fn mark_rate(marked: u64, offered: u64) -> Result<f64, Undefined> {
    part_of_arrivals(
        marked,
        offered,
        "packets offered to the queue",
        "more packets were marked than came: some had come before",
    )
}

/// Returns the drop rate of a token bucket: `dropped / offered` packets.
///
/// No unit; 0 to 1; neither end is better: a limiter limits by its drops.
///
/// # Errors
/// [`Undefined`] when no packet was offered, or for more dropped than offered.
pub fn limiter_drop_rate(dropped: u64, offered: u64) -> Result<f64, Undefined> {
    part(dropped, offered, "packets offered to the limiter", "the number of drops")
}

/// Returns `part / whole` of packets counted on arrival. The part may be larger than the whole, because
/// packets of the part may have come before the count began: `more` says so.
fn part_of_arrivals(
    part: u64,
    whole: u64,
    wholes: &'static str,
    more: &'static str,
) -> Result<f64, Undefined> {
    share(part, whole, wholes, Undefined::Inapplicable(more))
}

pub(crate) fn part(
    part: u64,
    whole: u64,
    wholes: &'static str,
    parts: &'static str,
) -> Result<f64, Undefined> {
    share(part, whole, wholes, Undefined::OutOfRange(parts))
}

fn share(part: u64, whole: u64, wholes: &'static str, if_more: Undefined) -> Result<f64, Undefined> {
    match whole {
        0 => Err(Undefined::Nothing(wholes)),
        _ if part > whole => Err(if_more),
        _ => Ok(part as f64 / whole as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(realtime_index(3, 4), Ok(0.75));
        assert_eq!(rexmit_fraction(1, 8), Ok(0.125));
        assert_eq!(loss_rate(1, 100), Ok(0.01));
        assert_eq!(drop_rate(1, 10), Ok(0.1));
        assert_eq!(mark_rate(1, 4), Ok(0.25));
        assert_eq!(limiter_drop_rate(1, 5), Ok(0.2));
    }

    #[test]
    fn undefined_input_is_an_error() {
        let nothing = "packets delivered after the first of their flow";
        assert_eq!(realtime_index(0, 0), Err(Undefined::Nothing(nothing)));
        assert_eq!(realtime_index(2, 1), Err(Undefined::OutOfRange("the number of packets in time")));
        assert_eq!(rexmit_fraction(0, 0), Err(Undefined::Nothing("segments sent")));
        assert_eq!(loss_rate(0, 0), Err(Undefined::Nothing("packets offered to links")));
        assert_eq!(limiter_drop_rate(0, 0), Err(Undefined::Nothing("packets offered to the limiter")));
        for dropped in [0, 1] {
            assert_eq!(drop_rate(dropped, 0), Err(Undefined::Nothing("packets offered to the queue")));
        }
    }

    #[test]
    fn packets_that_came_before_are_told() {
        let rates = [(drop_rate(42, 1), "dropped"), (mark_rate(42, 1), "marked"), (loss_rate(42, 1), "lost")];
        for (rate, done) in rates {
            let reason = rate.expect_err("more than came").to_string();
            assert_eq!(reason, format!("more packets were {done} than came: some had come before"));
        }
    }
}
