//! Reno's fast recovery with Vegas' earlier retransmission checks (Brakmo & Peterson 1995, section 3.1): a
//! duplicate ACK already retransmits if a fine-grained timeout says that the segment is late, and so do the
//! first ACKs after a retransmission.
//!
//! The details are those of ns-2's Agent/TCP/Vegas: the window is cut by a quarter (by half for a segment
//! that was sent before, to two from three or less) and only if it was not cut since the lost segment went
//! out; no limited transmit; the inflated window is deflated by an ACK that more than three duplicates
//! preceded.

use crate::core::{Arrival, Core, DUPLICATE_THRESHOLD, LastCut, Pending};
use crate::outstanding::Sent;
use crate::rtt::RttEstimator;
use airfair_core::{Span, Time};

/// After leaving slow start by a loss, Vegas has no use for a threshold.
const NO_SLOW_START: f64 = 2.0;

/// Vegas' fine-grained timeout and its cuts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VegasChecks {
    fine: FineTimeout,
    /// When the window was last cut.
    cut_at: Option<Time>,
    /// The window without inflation, as the last cut left it.
    cut_to: f64,
    /// The number of further ACKs that check for another late segment.
    worried: u32,
}

/// SRTT with a gain of an eighth, deviation with a gain of a quarter; in nanoseconds, scaled by eight and
/// four.
#[derive(Clone, Copy, Debug, Default)]
struct FineTimeout {
    srtt8: i64,
    deviation4: i64,
    timeout: i64,
}

impl FineTimeout {
    fn start(rtt: Span) -> FineTimeout {
        let (srtt8, deviation4) = (8 * rtt.0 as i64, rtt.0 as i64);
        FineTimeout { srtt8, deviation4, timeout: (srtt8 / 4 + deviation4) / 2 }
    }

    fn sample(&mut self, rtt: Span) {
        let error = rtt.0 as i64 - self.srtt8 / 8;
        self.srtt8 += error;
        self.deviation4 += error.abs() - self.deviation4 / 4;
        let timeout = (self.srtt8 / 4 + self.deviation4) / 2;
        self.timeout = timeout + timeout / 16;
    }

    /// Lengthens the timeout after a retransmission.
    fn stretch(&mut self, transmissions: u32) {
        self.timeout += if transmissions > 1 { self.timeout } else { self.timeout / 8 };
    }

    fn is_late(&self, sent: Option<Sent>, now: Time) -> bool {
        sent.is_some_and(|sent| sent.at.is_none_or(|at| now.since(at).0 as i64 >= self.timeout))
    }
}

impl VegasChecks {
    #[inline(always)]
    pub fn on_ack(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        if self.fine.timeout == 0 {
            self.cut_at = core.outstanding.started();
            self.fine = FineTimeout::start(self.cut_at.map_or(Span(1), |started| ack.now.since(started)));
        }
        if ack.ack > core.una {
            self.on_new(core, ack);
        } else if ack.ack == core.una {
            self.on_duplicate(core, ack);
        }
        core.budget = super::reno::budget(core);
    }

    /// See [`Recovery::rests`](super::Recovery::rests).
    pub fn rests(&self, core: &Core) -> bool {
        self.fine.timeout > 0 && self.worried == 0 && core.dupacks <= DUPLICATE_THRESHOLD
    }

    /// Takes the round trip of a segment that was sent once and is now acknowledged.
    pub fn on_round_trip(&mut self, rtt: Span) {
        if rtt > Span::ZERO {
            self.fine.sample(rtt);
        }
    }

    fn on_new(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        core.before_first_ack();
        if core.dupacks > DUPLICATE_THRESHOLD && core.window.cwnd > self.cut_to {
            core.window.set(self.cut_to);
            core.window.set_ssthresh(NO_SLOW_START);
        }
        let first = core.una == 0;
        let accepted = core.accept_untold(ack, true);
        core.tell(ack.now, accepted);
        if first {
            core.after_first_ack(ack);
        } else if let Some(rtt) = accepted.rtt {
            self.on_round_trip(rtt);
        }
        if self.worried > 0 {
            self.worried -= 1;
            if self.fine.is_late(core.outstanding.first(core.una), ack.now) {
                core.dupacks = DUPLICATE_THRESHOLD;
                core.pending = Pending::First;
            } else {
                self.worried = 0;
            }
        }
    }

    fn on_duplicate(&mut self, core: &mut Core, ack: &Arrival<'_>) {
        core.tell_duplicate(ack.now, None);
        core.dupacks += 1;
        let first = core.outstanding.first(core.una).filter(|_| core.una < core.max_sent);
        if self.fine.is_late(first, ack.now) || core.dupacks == DUPLICATE_THRESHOLD {
            if core.una > core.recover || core.last_cut != LastCut::Timeout {
                self.retransmit(core, ack.now, first);
            }
        } else if core.dupacks > DUPLICATE_THRESHOLD {
            core.window.set(core.window.cwnd + 1.0);
        }
    }

    fn retransmit(&mut self, core: &mut Core, now: Time, first: Option<Sent>) {
        let Some(first) = first else { return };
        self.worried = core.segments(core.nxt.saturating_sub(core.una)).saturating_add(1).min(2) as u32;
        self.fine.stretch(first.transmissions);
        if self.cut_at < first.at {
            self.cut(core, now, first);
        }
        core.begin_recovery(now);
        // The retransmission timer backs off as well.
        core.update_rtt(RttEstimator::back_off);
        core.arm(now);
        core.pending = Pending::First;
        if first.transmissions == 1 {
            core.dupacks = DUPLICATE_THRESHOLD;
        }
    }

    fn cut(&mut self, core: &mut Core, now: Time, first: Sent) {
        self.cut_at = Some(now);
        if core.window.is_held() || core.has_answered() {
            self.cut_to = core.window.cwnd;
            core.window.set(self.cut_to + f64::from(core.dupacks));
            return;
        }
        let window = core.segments(core.usable());
        let left = match window {
            0..=3 => 2,
            _ if first.transmissions > 1 => window / 2,
            _ => window - window / 4,
        };
        self.cut_to = left as f64;
        core.window.cwnd = self.cut_to + f64::from(core.dupacks);
        core.owe_cwr();
        core.stats.window_cuts += 1;
    }

    pub fn on_timeout(&mut self, core: &mut Core, now: Time) {
        core.dupacks = 0;
        self.cut_to = 0.0;
        self.cut_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks};
    use std::sync::Arc;

    #[test]
    fn the_fine_timeout_starts_at_one_and_a_half_round_trips_and_closes_in() {
        let mut fine = FineTimeout::start(Span::from_millis(100));
        assert_eq!(fine.timeout, 150_000_000);
        for _ in 0..100 {
            fine.sample(Span::from_millis(100));
        }
        assert!((106_000_000..108_000_000).contains(&fine.timeout), "{}", fine.timeout);
    }

    #[test]
    fn a_retransmission_stretches_the_fine_timeout_and_the_second_doubles_it() {
        let mut fine = FineTimeout { timeout: 800, ..FineTimeout::default() };
        fine.stretch(1);
        assert_eq!(fine.timeout, 900);
        fine.stretch(2);
        assert_eq!(fine.timeout, 1800);
    }

    /// A sender with a window of `window` segments and four duplicate ACKs.
    fn core(window: f64) -> Core {
        let mut core = Core::new(Arc::new(settings(Profile::Ns2, TcpName::named("vegas"))));
        (core.window.cwnd, core.dupacks) = (window, 4);
        core
    }

    #[test]
    fn the_window_is_cut_by_a_quarter_or_by_half_for_a_segment_sent_before() {
        for (window, transmissions, left) in [(8.0, 1, 6.0), (8.0, 2, 4.0), (3.0, 1, 2.0), (4.0, 1, 3.0)] {
            let (mut core, mut checks) = (core(window), VegasChecks::default());
            checks.cut(&mut core, Time(9), Sent { at: Some(Time(1)), transmissions });
            assert_eq!((checks.cut_to, checks.cut_at), (left, Some(Time(9))), "{window} {transmissions}");
            assert_eq!((core.window.cwnd, core.stats.window_cuts), (left + 4.0, 1));
        }
    }

    /// The window is deflated after more than three duplicates, if they had inflated it.
    #[test]
    fn a_new_ack_takes_back_the_inflation() {
        let after = |dupacks, cut_to| {
            let mut core = core(12.0);
            let segment = core.segment();
            (core.dupacks, core.max_sent, core.nxt, core.window.ssthresh) =
                (dupacks, 10 * segment, 10 * segment, 20.0);
            let mut checks = VegasChecks { cut_to, ..VegasChecks::default() };
            let raw = Ack {
                ack: 0,
                window: 20,
                sack: SackBlocks::NONE,
                echo: Time(0),
                syn: true,
                ece: false,
                ace: 0,
            };
            checks.on_ack(&mut core, &Arrival { now: Time(1), ack: 5 * segment, echo: Time(0), raw: &raw });
            (core.una == 5 * segment, core.window.ssthresh)
        };
        assert_eq!(after(4, 6.0), (true, NO_SLOW_START));
        assert_eq!(after(3, 6.0), (true, 20.0));
        assert_eq!(after(4, 12.0), (true, 20.0));
    }

    /// The round trip of the first ACK only starts the estimate.
    #[test]
    fn the_fine_timeout_samples_from_the_second_ack_on() {
        let (mut core, mut checks) = (core(4.0), VegasChecks::default());
        let segment = core.segment();
        (core.dupacks, core.end) = (0, 10 * segment);
        let raw =
            Ack { ack: 0, window: 20, sack: SackBlocks::NONE, echo: Time(0), syn: true, ece: false, ace: 0 };
        for sent in [0, 1000, 2000] {
            let seq = core.advance();
            core.emit(Time(sent), seq);
        }
        for (segments, timeout) in [(2, 3000), (3, 3320)] {
            let now = Time(1000 * segments);
            checks.on_ack(&mut core, &Arrival { now, ack: segments * segment, echo: Time(0), raw: &raw });
            assert_eq!(checks.fine.timeout, timeout);
        }
    }
}
