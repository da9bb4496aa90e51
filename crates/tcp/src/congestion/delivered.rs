//! The number of bytes that an ACK shows to have arrived, in whatever order.

use super::AckEvent;

/// The `AckedCount` procedure of Westwood (Mascolo et al. 2001, Fig. 3): a duplicate ACK stands for one
/// segment that arrived out of order, and the cumulative ACK that later covers it must not count it again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    /// Bytes that duplicate ACKs stood for and no cumulative ACK has covered yet.
    accounted: u64,
}

impl Delivered {
    /// Bytes that a duplicate ACK stands for.
    pub fn on_duplicate_ack(&mut self, ack: &AckEvent) -> u64 {
        let segment = u64::from(ack.segment_bytes);
        self.accounted += segment;
        segment
    }

    /// Bytes that an ACK of new data stands for.
    pub fn on_ack(&mut self, ack: &AckEvent) -> u64 {
        let segment = u64::from(ack.segment_bytes);
        if ack.acked <= segment {
            return ack.acked;
        }
        if self.accounted >= ack.acked {
            self.accounted -= ack.acked;
            segment
        } else {
            ack.acked - std::mem::take(&mut self.accounted)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use airfair_core::{Span, Time};

    /// An ACK of `acked` bytes in segments of 1000.
    pub(crate) fn ack(now: Span, acked: u64, srtt: Span) -> AckEvent {
        AckEvent {
            now: Time(now.0),
            una: 0,
            nxt: 0,
            acked,
            segment_bytes: 1000,
            rtt: None,
            srtt: Some(srtt),
            may_grow: true,
            found_limited: false,
            paced: false,
        }
    }

    #[test]
    fn what_duplicates_stood_for_is_not_counted_again() {
        let mut delivered = Delivered::default();
        let event = |acked| ack(Span::ZERO, acked, Span::ZERO);
        let duplicates: u64 = (0..4).map(|_| delivered.on_duplicate_ack(&event(0))).sum();
        assert_eq!((duplicates, delivered.on_ack(&event(5000))), (4000, 1000));
        assert_eq!(delivered.on_ack(&event(2000)), 2000);
    }
}
