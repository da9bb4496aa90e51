//! The sender's part in explicit congestion notification (RFC 3168, section 6.1).

use super::{Core, LastCut, Marked};
use crate::congestion::Engine;
use crate::prr::{Delivery, Prr};
use crate::segment::{ACE, Ack, Ecn, FIRST_ACE};
use crate::settings::{EcnEcho, Recovery};
use crate::window::LEAST_SSTHRESH;
use airfair_core::Time;

/// A sender's memory of its answers to marks.
#[derive(Debug)]
pub(crate) struct Marks {
    /// End of the data sent when a mark last cut the window: further marks on these data need no answer.
    answered_to: u64,
    /// While a mark brings the window down evenly ([`Settings::prr`](crate::Settings::prr)).
    reduction: Option<Box<Prr>>,
    /// The window was cut, and the receiver does not know yet.
    owes_cwr: bool,
    /// The latest known value of the receiver's counter of marks, modulo 8.
    ace: u8,
    /// The number of duplicate ACKs when that counter was last read.
    duplicates: u32,
    /// The share of segments that were marked recently.
    share: f64,
    /// Marked bytes that the ACK at hand reports; those that ACKs have reported since the last ACK of new data; and those reported before it of
    /// which the control was not told, because no ACK has acknowledged that many bytes.
    reported: u64,
    untold: u64,
    ahead: u64,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            answered_to: 0,
            reduction: None,
            owes_cwr: false,
            ace: FIRST_ACE,
            duplicates: 0,
            share: 0.0,
            reported: 0,
            untold: 0,
            ahead: 0,
        }
    }
}

/// The weight of the latest ACK in the share of marks.
const SHARE_GAIN: f64 = 1.0 / 16.0;

/// The number of marked segments among `acked`, by a counter that moved on by `delta` modulo 8: of the possible numbers the one nearest to
/// the recent `share`. That is the likely case under the prevailing conditions (RFC 9768, section 3.2.2.5.2).
fn marked_of(acked: u64, delta: u64, share: f64) -> u64 {
    let cycle = u64::from(ACE) + 1;
    let likely = share * acked as f64;
    let cycles = ((likely - delta as f64) / cycle as f64).max(0.0);
    let most = acked.saturating_sub(delta) / cycle;
    delta + cycle * ((cycles + 0.5) as u64).min(most)
}

impl Core {
    /// Answers a mark that an ACK of everything before `ack` echoes: like a loss, with nothing to retransmit, and once for the data outstanding
    /// at the last cut of whatever reason (section 6.1.2). A window that its control holds is not cut. Returns whether it answered.
    pub fn on_echo(&mut self, now: Time, ack: u64) -> bool {
        if !self.is_news(ack) || self.window.is_held() || !self.control.heeds_marks(now) {
            return false;
        }
        let before = self.window_bytes();
        let reduction = self.cut_by(now, false, Engine::on_mark);
        self.confirm_cut();
        self.note_answer();
        if self.settings.prr && !self.settings.control.paces() {
            self.marks.reduction = Some(Box::new(Prr::beginning(before)));
            self.marked.set(Marked::REDUCES, true);
            return true;
        }
        // A window in bytes never falls below the least threshold (RFC 5681, equation 4; Linux).
        let least = if self.marked.is(Marked::IN_SEGMENTS) { 0.0 } else { LEAST_SSTHRESH };
        self.window.set(reduction.cwnd.max(least));
        if self.window.cwnd < 1.0 {
            // Nothing may go out before the timer fires.
            self.arm(now);
        }
        true
    }

    /// Whether the window comes down because of a mark.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.marked.is(Marked::REDUCES)
    }

    /// The reduction, if there is one, as it stands. A recovery of the same data goes on with it: it answers no congestion of its own (RFC 9937,
    /// section 6.1; Linux's `tcp_enter_recovery`).
    pub fn reduction(&self) -> Option<Prr> {
        let mut evenly = self.marks.reduction.as_deref()?.clone();
        evenly.on_send(self.sent_since_answer() - evenly.out());
        Some(evenly)
    }

    /// Bytes that were sent since the last answer to a mark.
    fn sent_since_answer(&self) -> u64 {
        self.max_sent - self.marks.answered_to
    }

    /// Ends the reduction, if there is one, at its target.
    pub fn end_reduction(&mut self) {
        if self.drop_reduction() {
            self.window.set(self.window.ssthresh);
        }
    }

    /// Ends the reduction, if there is one, and leaves the window where it is. Returns whether there was one.
    pub fn drop_reduction(&mut self) -> bool {
        self.marked.set(Marked::REDUCES, false);
        self.marks.reduction.take().is_some()
    }

    /// Before an ACK of everything before `offset` is processed: ends the reduction if data that were sent after its beginning have arrived, and
    /// CWR with them (Linux's `tcp_fastretrans_alert`).
    pub fn end_reduction_by(&mut self, offset: u64) {
        if offset > self.marks.answered_to {
            self.end_reduction();
        }
    }

    /// Takes the window down by an ACK that shows `delivered` bytes to have arrived and leaves `in_network` bytes in the network. A segment goes
    /// out with the first such ACK, if no other does (Linux's `tcp_cwnd_reduction`).
    pub fn reduce(&mut self, delivered: u64, in_network: u64, advances: bool) {
        let (segment, sent) = (self.segment(), self.sent_since_answer());
        let target = (self.window.ssthresh * segment as f64) as u64;
        let Some(evenly) = self.marks.reduction.as_mut().filter(|_| delivered > 0) else { return };
        evenly.on_send(sent - evenly.out());
        let delivery = Delivery { bytes: delivered, inflight: in_network, safe: advances };
        evenly.on_delivery(delivery, target, segment);
        let least = if sent == 0 { segment } else { 0 };
        let room = evenly.allowance().max(least);
        self.window.cwnd = (self.segments(in_network) + room / segment) as f64;
    }

    /// Reads what an ACK of everything before `offset` reports of marks, before the ACK is processed. `delivered`: bytes that it shows to have
    /// arrived. Returns whether it reports any mark.
    pub fn read_echo(&mut self, offset: u64, ack: &Ack, delivered: u64) -> bool {
        if !self.settings.ecn {
            return false;
        }
        self.marks.reported = 0;
        if !self.counts_marks() {
            if ack.ece {
                self.marks.reported = delivered;
                self.marks.untold += delivered;
            }
            return ack.ece;
        }
        if offset < self.una || offset == self.una && ack.sack.is_empty() {
            // A later ACK may have overtaken this one. The next ACK has the counter as well.
            return false;
        }
        let acked = self.delivered_since(offset, delivered);
        let Marks { ace, share, .. } = &mut self.marks;
        let delta = u64::from(ack.ace.wrapping_sub(*ace) & ACE);
        let marked = marked_of(acked, delta, *share);
        *ace = ack.ace;
        if acked > 0 {
            *share += SHARE_GAIN * ((marked as f64 / acked as f64).min(1.0) - *share);
        }
        self.marks.reported = marked * self.segment();
        self.marks.untold += self.marks.reported;
        marked > 0
    }

    /// The number of segments that have arrived since the counter of marks was last read, at an ACK of everything before `offset` that shows
    /// `delivered` bytes to have arrived, newly SACKed ones included (RFC 9768, appendix A.2). Without SACK each duplicate ACK since then stands
    /// for a segment, and one more segment has filled the gap.
    fn delivered_since(&mut self, offset: u64, delivered: u64) -> u64 {
        let segments = delivered / self.segment();
        if self.settings.recovery.uses_sack() {
            return segments;
        }
        let all = self.dupacks;
        let read = if all < self.marks.duplicates { 0 } else { self.marks.duplicates };
        // NewReno goes on to count after a partial ACK.
        let is_partial = self.settings.recovery == Recovery::NewReno
            && self.last_cut == LastCut::FastRetransmit
            && offset < self.recover;
        self.marks.duplicates = if is_partial { all } else { 0 };
        segments.max(1) + u64::from(all - read)
    }

    /// Whether the receiver counts marks, so that the sender has to read the counter of every ACK.
    pub fn counts_marks(&self) -> bool {
        self.settings.ecn && self.settings.ecn_echo == EcnEcho::Accurate
    }

    /// Marked bytes that the ACK at hand reports; without a counter, all bytes that it acknowledges if it echoes a mark.
    pub fn reported(&self, echoes: bool, acked: u64) -> u64 {
        match self.counts_marks() {
            true => self.marks.reported,
            false if echoes => acked,
            false => 0,
        }
    }

    /// At an ACK of new data of this number of bytes: tells the control of marks. Returns whether the window may not grow, as that ACK, or one since the
    /// last such one, reports a mark, or because a mark brings the window down.
    #[inline]
    pub fn hear_of_marks(&mut self, ece: bool, bytes: u64) -> bool {
        let marked = if self.counts_marks() { self.marks.untold > 0 } else { ece };
        if marked || self.marks.untold | self.marks.ahead > 0 {
            self.tell_marked(bytes);
        }
        marked || self.is_reducing()
    }

    /// Tells the control of the marks among `bytes` that an ACK acknowledges. Data that arrived ahead of a gap count as marked if the ACKs of
    /// that time said so, whatever the ACK says that acknowledges them (Linux: `delivered_ce`).
    #[inline(never)]
    fn tell_marked(&mut self, bytes: u64) {
        let flight = self.flight();
        let Marks { untold, ahead, .. } = &mut self.marks;
        let all = *untold + *ahead;
        let told = all.min(bytes);
        (*untold, *ahead) = (0, (all - told).min(flight));
        if told > 0 {
            self.control.on_marked(told);
        }
    }

    /// Like [`Core::tell_marked`], for a partial ACK of this number of bytes.
    pub fn tell_partly_marked(&mut self, bytes: u64) {
        if self.settings.recovery != Recovery::SackPipe {
            self.tell_marked(bytes);
        } else if !self.counts_marks() {
            // ns-2's DCTCP is not told of marks by partial ACKs.
            self.marks.untold = 0;
        }
    }

    /// Whether a mark that an ACK of everything before `ack` echoes is on data for which neither a mark nor a loss was answered.
    pub fn is_news(&self, ack: u64) -> bool {
        self.settings.ecn && ack > self.recover.max(self.marks.answered_to)
    }

    /// End of the data that were outstanding when a mark was last answered.
    pub fn answered_to(&self) -> u64 {
        self.marks.answered_to
    }

    /// Notes that a mark was answered for the data outstanding.
    pub fn note_answer(&mut self) {
        self.marks.answered_to = self.max_sent;
    }

    /// Whether a mark has cut the window for the data outstanding, so that a loss in it costs nothing more.
    pub fn has_answered(&self) -> bool {
        self.una < self.marks.answered_to || self.is_reducing()
    }

    /// Notes that the receiver, which may be echoing, has to be told of a cut. A receiver that counts marks has not (RFC 9768, section 3.2.2).
    pub fn owe_cwr(&mut self) {
        self.marks.owes_cwr = self.settings.ecn && self.settings.ecn_echo != EcnEcho::Accurate;
    }

    /// The ECN field and the CWR flag of a segment to be sent. Segments that may not be marked have neither; a window probe is one of them
    /// (section 6.1.6).
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
