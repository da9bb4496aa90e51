//! NewReno: a partial ACK keeps fast recovery going and retransmits the next hole (RFC 6582).

use super::reno;
use crate::core::{Accepted, Arrival, Core, DUPLICATE_THRESHOLD, LastCut, Pending};
use airfair_core::Time;

/// Whether the recovery under way has seen a partial ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewReno {
    had_partial: bool,
}

impl NewReno {
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if ack.ack > core.una {
            if core.last_cut != LastCut::FastRetransmit || ack.ack >= core.recover {
                self.on_full(core, ack);
            } else {
                self.on_partial(core, ack);
            }
        } else if ack.ack == core.una {
            return on_duplicate(core, ack.now);
        }
        core.budget = budget(core);
    }

    /// See [`Recovery::rests`](super::Recovery::rests).
    pub fn rests(self) -> bool {
        !self.had_partial
    }

    fn on_full(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        let ends_recovery = core.last_cut == LastCut::FastRetransmit;
        if ends_recovery {
            core.last_cut = LastCut::Recovered;
            if core.settings.recovery_exit_deflates {
                let outstanding = core.segments(core.max_sent - ack.ack).max(1) + 1;
                core.window.set(core.window.ssthresh.min(outstanding as f64));
            }
        }
        core.inflation = 0;
        self.had_partial = false;
        let acked = ack.ack - core.una;
        // The segment that was missing, and what arrived after the duplicate ACKs.
        let counted =
            if core.settings.counts_deliveries { u64::from(core.dupacks) * core.segment() } else { 0 };
        let fresh = acked.saturating_sub(counted).max(acked.min(core.segment()));
        let tells = |accepted| Accepted { acked: fresh, ..accepted };
        core.accept_fresh(ack, core.may_grow(ends_recovery), tells);
    }

    /// RFC 6582, section 3.2, step 3: deflate by the data acknowledged, add back one segment, send the next
    /// hole.
    fn on_partial(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if !self.had_partial || !core.settings.impatient {
            self.had_partial = true;
            core.arm(ack.now);
        }
        let acked = core.segments(ack.ack - core.una);
        let inflation = u64::from(core.inflation);
        if inflation > acked {
            core.inflation -= acked as u32 - 1;
        } else {
            core.window.set((core.window.cwnd - (acked - inflation) as f64).max(1.0));
            core.inflation = 1;
        }
        core.accept_partial(ack, None);
        core.pending = Pending::First;
        debug_assert!(core.dupacks >= DUPLICATE_THRESHOLD, "recovery lasts while duplicates are counted");
    }
}

#[inline]
pub(super) fn on_duplicate(core: &mut Core, now: Time) {
    reno::count_duplicate(core, now);
    core.budget = budget(core);
}

/// Like Reno's, and bounded while duplicates are counted.
fn budget(core: &Core) -> u32 {
    match reno::budget(core) {
        u32::MAX if core.dupacks > 0 => core.settings.recovery_burst.unwrap_or(u32::MAX),
        budget => budget,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks};
    use crate::settings::Settings;
    use airfair_core::Time;
    use std::sync::Arc;

    const ACK: Ack =
        Ack { ack: 0, window: 20, sack: SackBlocks::NONE, echo: Time::ZERO, syn: true, ece: false, ace: 0 };

    /// The state after an ACK of everything before `ack`, in a recovery that began with ten segments of 1000 bytes outstanding.
    fn acked(ack: u64, cwnd: f64, inflation: u32) -> Core {
        let settings = Settings { segment_bytes: 1000, ..settings(Profile::Rfc, TcpName::named("newreno")) };
        let mut core = Core::new(Arc::new(settings));
        (core.nxt, core.max_sent, core.end, core.recover) = (10_000, 10_000, 20_000, 10_000);
        (core.window.cwnd, core.window.ssthresh, core.inflation) = (cwnd, 8.0, inflation);
        (core.last_cut, core.dupacks) = (LastCut::FastRetransmit, DUPLICATE_THRESHOLD);
        NewReno::default().on_ack(&mut core, &Arrival { now: Time(1), ack, echo: Time(0), raw: &ACK });
        core
    }

    /// RFC 6582, section 3.2, step 3: the new data acknowledged leave the window, and one segment comes back.
    #[test]
    fn a_partial_ack_deflates_the_window_by_the_data_it_covers() {
        let window = |core: Core| (core.window.cwnd, core.inflation);
        assert_eq!(window(acked(2000, 8.0, 5)), (8.0, 4));
        assert_eq!(window(acked(6000, 8.0, 3)), (5.0, 1));
        assert_eq!(window(acked(9000, 2.0, 3)), (1.0, 1));
    }

    #[test]
    fn the_end_of_a_recovery_leaves_a_window_of_the_data_outstanding_and_one_segment() {
        let core = acked(10_000, 8.0, 5);
        assert_eq!((core.window.cwnd, core.inflation, core.last_cut), (2.0, 0, LastCut::Recovered));
    }
}
