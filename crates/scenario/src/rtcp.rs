//! Lengths of the reports that the receiver of a video call sends, in bytes of RTCP.

/// Packets in one report at most, so that it fits a frame of Ethernet.
pub const MOST_REPORTED: u32 = 250;

/// The longest report: of [`MOST_REPORTED`] received packets, with lost ones before each.
pub const LONGEST: u32 = feedback(MOST_REPORTED, u64::MAX);

/// Bytes that the wire adds to each report: the headers of IPv4 and UDP, and SRTCP's index and authentication tag (RFC 3711, section 3.4).
pub const HEADERS: u32 = 20 + 8 + 4 + 10;

/// Returns the length of feedback on `packets` packets in a row, of which `received` have come, at most [`MOST_REPORTED`].
///
/// A header of 20 bytes, 2 bytes for the fates of 7 packets or for a run of packets of the same fate, 1 byte for the time of each that has come, in words
/// of 4 bytes: draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1. Times between packets of 64 ms and more, which take 2 bytes, are left out.
pub const fn feedback(received: u32, packets: u64) -> u32 {
    let (single, runs) = (packets.div_ceil(7), 2 * received as u64);
    let fates = if single < runs { single } else { runs };
    (20 + 2 * fates as u32 + received).next_multiple_of(4)
}

/// Returns the length of a request for the packets with these numbers, which are sorted, at most [`MOST_REPORTED`].
///
/// A header of 12 bytes, and 4 bytes for up to 17 packets in a row: RFC 4585, section 6.2.1.
pub fn request(numbers: &[u32]) -> u32 {
    let (mut words, mut covered) = (0, 0);
    for &number in numbers {
        if words == 0 || number >= covered {
            (words, covered) = (words + 1, number + 17);
        }
    }
    12 + 4 * words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_have_their_lengths() {
        assert_eq!((feedback(7, 7), feedback(8, 8)), (32, 32));
        // Long runs of lost packets take no more than the packets around them.
        assert_eq!(feedback(1, 10_000), 28);
        assert_eq!(request(&[1, 2, 17]), 16);
        assert_eq!(request(&[1, 2, 18]), 20);
    }

    #[test]
    fn the_longest_report_fits_a_frame_of_ethernet() {
        let scattered: Vec<u32> = (0..MOST_REPORTED).map(|number| 100 * number).collect();
        assert!(request(&scattered) <= LONGEST && LONGEST + HEADERS <= 1500, "{LONGEST}");
        assert!(feedback(MOST_REPORTED + 4, u64::MAX) > LONGEST);
    }
}
