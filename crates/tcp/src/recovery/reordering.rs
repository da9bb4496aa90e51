//! By how much a segment may be late before it counts as lost (RFC 8985, section 6.2, step 4: `RACK_update_reo_wnd`).

use crate::core::DUPLICATE_THRESHOLD;
use airfair_core::Span;

/// `RACK.reo_wnd_persist` after a report of a duplicate.
const PERSISTENCE: u32 = 16;

const MOST_DEGREE: u64 = 300;

/// The allowance for reordering. Reports of duplicates (RFC 2883) show that it is too short.
#[derive(Clone, Debug)]
pub(crate) struct Reordering {
    /// `RACK.reordering_seen`.
    pub seen: bool,
    /// The largest distance in segments by which a late segment was overtaken. Linux reports it, and does not wait longer because of it.
    degree: u64,
    /// `RACK.reo_wnd_mult`, in quarters of the shortest round trip, and the recoveries that it lasts.
    quarters: u32,
    lasts: u32,
    /// `RACK.dsack_round`: further reports before this is acknowledged are of the same round trip.
    round_end: Option<u64>,
}

impl Reordering {
    pub fn new() -> Reordering {
        Reordering { seen: false, degree: 0, quarters: 1, lasts: PERSISTENCE, round_end: None }
    }

    /// Notes a late segment that was overtaken by one `segments` segments behind it.
    pub fn see(&mut self, segments: u64) {
        self.seen = true;
        self.degree = self.degree.max(segments);
    }

    /// The known reordering of the path in segments: at least the number of duplicate ACKs that indicate a loss, and at most Linux's
    /// `tcp_max_reordering`.
    pub fn degree(&self) -> u64 {
        self.degree.clamp(u64::from(DUPLICATE_THRESHOLD), MOST_DEGREE)
    }

    /// Takes an ACK of everything before `una`. `reports`: it reports a duplicate; `ends_recovery`: it ends a recovery.
    pub fn on_ack(&mut self, una: u64, sent_to: u64, reports: bool, ends_recovery: bool) {
        self.round_end = self.round_end.filter(|end| una < *end);
        if reports && self.round_end.is_none() {
            self.round_end = Some(sent_to);
            self.quarters = self.quarters.saturating_add(1);
            self.lasts = PERSISTENCE;
        } else if ends_recovery {
            self.lasts = self.lasts.saturating_sub(1);
            if self.lasts == 0 {
                self.quarters = 1;
            }
        }
    }

    /// The allowance, at most a smoothed round trip. `certain`: without known reordering, no allowance is needed now.
    pub fn window(&self, certain: bool, least_rtt: Option<Span>, srtt: Option<Span>) -> Span {
        if certain && !self.seen {
            return Span::ZERO;
        }
        let quarters = Span((least_rtt.unwrap_or(Span::ZERO) / 4).0.saturating_mul(self.quarters.into()));
        srtt.map_or(quarters, |srtt| quarters.min(srtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn window(reordering: &Reordering) -> u64 {
        reordering.window(false, Some(RTT), Some(RTT)).0 / 1_000_000
    }

    #[test]
    fn each_round_trip_with_a_report_adds_a_quarter_for_sixteen_recoveries() {
        let mut reordering = Reordering::new();
        assert_eq!(window(&reordering), 25);
        // The second report is of the same round trip.
        for (una, sent_to, milliseconds) in
            [(1000, 5000, 50), (4000, 8000, 50), (5000, 9000, 75), (9000, 20_000, 100), (20_000, 30_000, 100)]
        {
            reordering.on_ack(una, sent_to, true, false);
            assert_eq!(window(&reordering), milliseconds, "{una}");
        }
        for recovery in 1..=16 {
            assert_eq!(window(&reordering), 100, "{recovery}");
            reordering.on_ack(100_000, 100_000, false, true);
        }
        assert_eq!(window(&reordering), 25);
    }

    #[test]
    fn where_a_loss_is_certain_only_a_path_that_reorders_is_waited_for() {
        let mut reordering = Reordering::new();
        assert_eq!(reordering.window(true, Some(RTT), None), Span::ZERO);
        reordering.seen = true;
        assert_eq!(reordering.window(true, Some(RTT), None), RTT / 4);
    }
}
