//! Proportional Rate Reduction (RFC 9937): how much may go out on each ACK of a fast recovery, or after a mark, so that the data in the network
//! come down to the target evenly, instead of by a silence for part of a round trip.
//!
//! Names are the RFC's (section 6). In a recovery the congestion window is the target all the while. What the RFC sets it to in between is kept
//! as an allowance, which ACKs raise and segments use up.

/// The state of a reduction, in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prr {
    /// `prr_delivered`, `prr_out` and `RecoverFS`.
    delivered: u64,
    out: u64,
    flight: u64,
    /// Bytes that may still go out.
    allowance: u64,
}

/// An ACK in recovery that shows data to be delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub bytes: u64,
    /// Bytes in the network once the ACK is processed.
    pub inflight: u64,
    /// The ACK advances, and shows no further loss.
    pub safe: bool,
}

impl Prr {
    /// A reduction that begins. `flight`: bytes that were outstanding and not SACKed before the ACK that began it.
    pub fn beginning(flight: u64) -> Prr {
        Prr { flight: flight.max(1), ..Prr::default() }
    }

    /// Sets the allowance on an ACK, with `target` bytes to come down to. The proportional part is counted in whole segments, as in the
    /// RFC's examples and in Linux.
    pub fn on_delivery(&mut self, delivery: Delivery, target: u64, segment: u64) {
        let Delivery { bytes, inflight, safe } = delivery;
        self.delivered += bytes;
        self.allowance = if inflight > target {
            let share = u128::from(self.delivered) * u128::from(target);
            let segments = share.div_ceil(u128::from(self.flight) * u128::from(segment)) as u64;
            (segments * segment).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(bytes);
            (limit + if safe { segment } else { 0 }).min(target - inflight)
        };
    }

    /// Bytes that have gone out.
    pub fn out(&self) -> u64 {
        self.out
    }

    /// Bytes that may still go out.
    pub fn allowance(&self) -> u64 {
        self.allowance
    }

    pub fn has_room(&self, segment: u64) -> bool {
        self.allowance >= segment
    }

    /// Uses up the allowance for `bytes` that go out. The fast retransmission goes out whatever the allowance.
    pub fn on_send(&mut self, bytes: u64) {
        self.out += bytes;
        self.allowance = self.allowance.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    /// What goes out, in segments, on each of these ACKs of a segment: the segments in flight when it has been taken in (before what it
    /// lets out), and whether it is safe.
    fn sent(prr: &mut Prr, target: u64, acks: &[(u64, bool)]) -> Vec<u64> {
        let mut sent = Vec::new();
        for &(inflight, safe) in acks {
            let delivery = Delivery { bytes: SEGMENT, inflight: inflight * SEGMENT, safe };
            prr.on_delivery(delivery, target * SEGMENT, SEGMENT);
            let mut count = 0;
            // The fast retransmission.
            while prr.has_room(SEGMENT) || prr.out == 0 {
                prr.on_send(SEGMENT);
                count += 1;
            }
            sent.push(count);
        }
        sent
    }

    /// RFC 9937, section 7, the first example: of 20 segments one is lost, and ten are to be left.
    #[test]
    fn a_single_loss_lets_every_other_ack_send() {
        // The third duplicate ACK and the sixteen after it; two more segments went out before, by limited transmit.
        let mut inflight = 19;
        let mut prr = Prr::beginning(20 * SEGMENT);
        let mut out = Vec::new();
        for _ in 3..=19 {
            inflight -= 1;
            let count = sent(&mut prr, 10, &[(inflight, false)])[0];
            inflight += count;
            out.push(count);
        }
        assert_eq!(out, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
        assert_eq!(inflight, 10);
    }

    /// The second example: of 20 segments the first fifteen are lost, and the rest is less than the target. Each ACK lets one segment
    /// out, and one more when the data in front come in and no more are lost.
    #[test]
    fn a_burst_of_losses_is_mended_as_fast_as_acks_come_and_then_as_in_slow_start() {
        let mut prr = Prr::beginning(20 * SEGMENT);
        assert_eq!(sent(&mut prr, 10, &[(4, false), (4, false), (4, false), (4, false), (4, false)]), [1; 5]);
        assert_eq!(sent(&mut prr, 10, &[(4, true), (5, true), (6, false), (6, true)]), [2, 2, 1, 2]);
        // Up to the target, and no further.
        assert_eq!(sent(&mut prr, 10, &[(9, true), (10, true)]), [1, 0]);
    }

    /// What one ACK was to let out and the application had not written is let out later.
    #[test]
    fn what_was_not_sent_is_caught_up_with() {
        let mut prr = Prr::beginning(20 * SEGMENT);
        for inflight in [9, 8, 7, 6] {
            prr.on_delivery(
                Delivery { bytes: SEGMENT, inflight: inflight * SEGMENT, safe: false },
                10_000,
                SEGMENT,
            );
        }
        assert_eq!(prr.allowance, 4000);
    }

    /// RFC 9937, section 5: what is sent in recovery is no more than what is delivered while less than the target is in flight.
    #[test]
    fn acks_that_show_further_losses_let_out_what_was_delivered_at_most() {
        let mut prr = Prr::beginning(100 * SEGMENT);
        let out: u64 = sent(&mut prr, 50, &[(30, false); 40]).iter().sum();
        assert_eq!(out, 40);
    }
}
