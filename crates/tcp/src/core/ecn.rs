//! The sender's part in explicit congestion notification (RFC 3168, section 6.1).

use super::{Core, Marked};
use crate::congestion::Engine;
use crate::segment::Ecn;
use crate::window::LEAST_SSTHRESH;
use airfair_core::Time;

/// A sender's memory of its answers to marks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// End of the data sent when a mark last cut the window: further marks on these data are answered.
    answered_to: u64,
    /// The window was cut, and the receiver does not know yet.
    owes_cwr: bool,
}

impl Core {
    /// An ACK of everything before `ack` echoes a mark: as a loss, with nothing to send again, once for the data outstanding at the
    /// last cut of whatever reason (section 6.1.2). A window that its control holds does not answer.
    pub fn on_echo(&mut self, now: Time, ack: u64) {
        if !self.is_news(ack) || self.window.is_held() {
            return;
        }
        let reduction = self.cut_by(now, false, Engine::on_mark);
        self.note_answer();
        // A window in bytes never falls below the least threshold (RFC 5681, equation 4; Linux).
        let least = if self.marked.is(Marked::IN_SEGMENTS) { 0.0 } else { LEAST_SSTHRESH };
        self.window.set(reduction.cwnd.max(least));
        if self.window.cwnd < 1.0 {
            // Nothing may go out before the timer fires.
            self.arm(now);
        }
    }

    /// Whether an echo with an ACK of everything before `ack` is of data for which neither a mark nor a loss was answered.
    pub fn is_news(&self, ack: u64) -> bool {
        self.settings.ecn && ack > self.recover.max(self.marks.answered_to)
    }

    /// A mark is answered for the data outstanding.
    pub fn note_answer(&mut self) {
        self.marks.answered_to = self.max_sent;
    }

    /// Whether a mark has cut the window for the data outstanding, so that a loss in it costs nothing more.
    pub fn has_answered(&self) -> bool {
        self.una < self.marks.answered_to
    }

    /// Every cut is to be told to the receiver, which may be echoing.
    pub fn owe_cwr(&mut self) {
        self.marks.owes_cwr = self.settings.ecn;
    }

    /// The ECN field and the CWR flag of a segment to be sent. One that is not eligible says neither; a window probe may not be
    /// marked (section 6.1.6).
    pub fn stamp(&mut self, syn: bool, retransmission: bool) -> (Ecn, bool) {
        let capable = if self.settings.ect1 { Ecn::Scalable } else { Ecn::Capable };
        let retransmissions = self.settings.ecn_retransmissions || self.settings.ect1;
        if syn || retransmission && !retransmissions {
            return (Ecn::NotCapable, false);
        }
        let ecn = if self.probes == 0 { capable } else { Ecn::NotCapable };
        (ecn, std::mem::take(&mut self.marks.owes_cwr))
    }
}
