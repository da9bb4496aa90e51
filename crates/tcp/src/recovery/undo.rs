//! Evidence that a cut was needless: a timestamp (Eifel: RFC 3522), or reports that each retransmission was a duplicate (RFC 3708, as in
//! Linux's `tcp_try_undo_dsack`).

use crate::settings::Settings;
use airfair_core::Time;

/// The kinds of evidence that count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    timestamps: bool,
    reports: bool,
    /// F-RTO has evidence of its own, about timeouts alone.
    frto: bool,
}

impl Evidence {
    pub fn new(settings: &Settings) -> Evidence {
        Evidence {
            timestamps: settings.undo && settings.timestamps,
            reports: settings.undo && settings.dsack,
            frto: settings.frto,
        }
    }

    /// Watches a cut from this window and threshold, with `start..end` outstanding; `None` if no evidence counts. `resent`: the times of
    /// retransmissions for an earlier cut that may still arrive. Without them the ACK of such a retransmission, which is older than the first
    /// retransmission for this cut, would seem to answer an original.
    pub fn watch(
        self,
        before: Option<(f64, f64)>,
        start: u64,
        end: u64,
        resent: impl Iterator<Item = Time>,
    ) -> Option<Undo> {
        let watches = self.timestamps || self.reports || self.frto;
        watches.then(|| {
            let mut undo = Undo { evidence: self, before, start, end, resent_at: None, unreported: 0 };
            for at in resent {
                undo.on_resend(at);
                undo.resent_at = undo.resent_at.map(|first| first.min(at));
            }
            undo
        })
    }
}

/// A cut that may be found to have been needless.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    evidence: Evidence,
    /// Window and threshold [before](crate::core::Core::before_cut) the cut.
    pub before: Option<(f64, f64)>,
    /// The data outstanding at the cut (`undo_marker` is their start).
    start: u64,
    end: u64,
    /// When the first retransmission went out (`retrans_stamp`); `None` once a timestamp has been judged.
    resent_at: Option<Time>,
    /// Retransmissions that no report shows to be duplicates (`undo_retrans`).
    unreported: u64,
}

impl Undo {
    /// Notes a retransmission.
    pub fn on_resend(&mut self, now: Time) {
        if self.unreported == 0 && self.evidence.timestamps {
            self.resent_at.get_or_insert(now);
        }
        self.unreported += 1;
    }

    /// Whether a timeout at `una` belongs to this cut: not all that was outstanding at the cut is acknowledged.
    pub fn includes(&self, una: u64) -> bool {
        una < self.end
    }

    /// Judges by the timestamp of an ACK of new data: the first one after a retransmission shows whether it answers the original (RFC 3522,
    /// section 3.2). Returns `None` if there is nothing to judge.
    pub fn by_timestamp(&mut self, echo: Time) -> Option<bool> {
        self.resent_at.take().map(|at| echo < at)
    }

    /// Whether the timestamp of the next ACK of new data is [judged](Undo::by_timestamp).
    pub fn awaits_timestamp(&self) -> bool {
        self.resent_at.is_some()
    }

    /// Whether no evidence is awaited any more.
    pub fn is_judged(&self) -> bool {
        let Evidence { timestamps, reports, frto } = self.evidence;
        timestamps && !reports && !frto && self.unreported > 0 && self.resent_at.is_none()
    }

    /// Takes a report that `segments` segments up to `end` arrived twice. Returns whether by now all retransmitted segments did.
    pub fn by_report(&mut self, segments: u64, end: u64) -> bool {
        if !self.evidence.reports || self.unreported == 0 || end <= self.start {
            return false;
        }
        self.unreported = self.unreported.saturating_sub(segments);
        self.unreported == 0
    }
}
