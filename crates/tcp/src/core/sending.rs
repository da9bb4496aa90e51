//! Which segments go out, and what a sender records of each.
//!
//! Mostly they are whole, new and in order. Then one offset, determined after each input, says how far they may go. All other segments are
//! irregular, and chosen by the recovery.

use super::{Core, Marked, Pending, UNTIMED};
use crate::segment::{Ecn, Flags, Segment};
use crate::settings::{Recovery, Restart};
use crate::timers::Timer;
use airfair_core::Time;

impl Core {
    /// The offset at or before which whole segments have to end to fit the window.
    #[inline(always)]
    pub(super) fn window_end(&self) -> u64 {
        if self.marked.is(Marked::IN_SEGMENTS) {
            // See `fits`.
            self.una + self.usable_segments() * self.segment() + self.segment() - 1
        } else {
            self.una + self.usable_bytes()
        }
    }

    /// After an input: determines whether only whole new segments may go out, and how far. The window alone decides.
    #[inline(always)]
    pub fn settle(&mut self) {
        let in_order = self.nxt == self.max_sent && self.max_sent >= self.segment();
        let next_end = self.nxt + self.segment();
        if self.pending == Pending::New && self.budget == 0 && in_order && next_end <= self.end {
            // Nothing else goes out, so the window does not matter: limited transmit's segment is an ordinary one.
            self.pending = Pending::Nothing;
            self.marked.set(Marked::IRREGULAR, false);
            self.whole_to = next_end;
            return;
        }
        if !in_order || self.pending != Pending::Nothing {
            return self.settle_irregular();
        }
        self.marked.set(Marked::IRREGULAR, false);
        self.whole_to = 0;
        if self.budget == 0 {
            return;
        }
        let mut end = self.window_end();
        if self.budget < u32::MAX {
            end = end.min(self.nxt + u64::from(self.budget) * self.segment());
        }
        let reaches_end = end >= self.end && self.nxt < self.end;
        self.marked.set(Marked::IRREGULAR, reaches_end);
        // The last segment may be short. Where segments are counted, one place counts them all.
        if !reaches_end || self.budget == u32::MAX {
            self.whole_to = end.min(self.end);
        }
    }

    /// [`Core::settle`] after an ACK that [was expected](Core::expects): as before the ACK, whole new segments go out in order.
    #[inline(always)]
    pub fn settle_in_order(&mut self) {
        self.budget = u32::MAX;
        self.settle_to(self.window_end());
    }

    /// [`Core::settle_in_order`] after an ACK of `acked` bytes that [was like the last](Core::is_like_last). `cwnd` is the congestion window before
    /// that ACK. If it is still the same, the end of the window has moved by `acked`.
    #[inline(always)]
    pub(super) fn settle_next(&mut self, acked: u64, cwnd: f64) {
        self.settle_to(if self.window.cwnd == cwnd { self.whole_to + acked } else { self.window_end() });
    }

    /// Lets whole new segments go out up to this offset, and settles the last ones before the end of the data.
    #[inline(always)]
    fn settle_to(&mut self, offset: u64) {
        self.whole_to = offset;
        if offset >= self.end {
            self.settle();
        }
    }

    /// After an input: lets no segment go out without asking the recovery, the jitter and the pacer.
    #[inline(always)]
    pub fn settle_irregular(&mut self) {
        self.marked.set(Marked::IRREGULAR, true);
        self.whole_to = 0;
    }

    /// Whether the next segment is a whole new one that nothing holds back.
    #[inline(always)]
    pub fn has_whole(&self) -> bool {
        self.nxt + self.segment() <= self.whole_to
    }

    /// Hands out the segment of which [`Core::has_whole`] tells. It lies behind the SYN, if there is one.
    #[inline(always)]
    pub fn emit_whole(&mut self, now: Time) -> Segment {
        let seq = self.nxt;
        self.nxt = seq + self.segment();
        self.hand_out(now, seq, self.window.segment_bytes, false);
        let (ecn, flags) = if self.marked.is(Marked::OBSERVED | Marked::PUSHES) {
            self.note_whole(now, seq)
        } else {
            (Ecn::NotCapable, Flags::NONE)
        };
        let (seq, len) = (seq - self.origin(), self.window.segment_bytes);
        Segment { seq, len, syn: false, retransmission: false, ecn, flags, sent_at: now }
    }

    /// Hands out the segment at `seq`.
    #[inline(always)]
    pub fn emit(&mut self, now: Time, seq: u64) -> Segment {
        let (syn, retransmission) = (seq < self.origin(), seq < self.max_sent);
        let bytes = self.len_at(seq) as u32;
        self.hand_out(now, seq, bytes, retransmission);
        let (ecn, cwr) = if self.marked.is(Marked::OBSERVED) {
            self.note_sent(now, seq, bytes, syn, retransmission)
        } else {
            (Ecn::NotCapable, false)
        };
        let len = if syn { 0 } else { bytes };
        if retransmission {
            self.stats.retransmissions += 1;
            self.resent_bytes += u64::from(len);
        }
        let push = self.marked.is(Marked::PUSHES) && seq + u64::from(bytes) == self.end;
        let seq = seq.saturating_sub(self.origin());
        Segment { seq, len, syn, retransmission, ecn, flags: Flags::new(cwr, push), sent_at: now }
    }

    /// Notes that the segment of `bytes` at `seq` goes out.
    #[inline(always)]
    fn hand_out(&mut self, now: Time, seq: u64, bytes: u32, retransmission: bool) {
        debug_assert!(self.una == self.max_sent || self.timers.is_running(Timer::Retransmission));
        if self.una == self.max_sent {
            self.start_timer(now);
        }
        self.segments += 1;
        self.idle.on_send(now);
        if !retransmission {
            self.max_sent = seq + u64::from(bytes);
            if self.timed == UNTIMED {
                (self.timed, self.timed_at) = (seq, now);
            }
        }
    }

    /// Starts the timer with the first segment outstanding. A timer that also runs while idle is left alone.
    #[cold]
    fn start_timer(&mut self, now: Time) {
        let runs = self.timers.is_running(Timer::Retransmission);
        if !runs || self.settings.restart != Restart::IdleTimeoutIsLoss {
            self.arm(now);
        }
        if self.settings.recovery == Recovery::Rack {
            self.await_probe(now);
        }
    }

    /// Records a whole new segment where segments are followed; then determines how far others may go out. Returns the ECN field and the
    /// flags of the segment.
    #[inline(never)]
    fn note_whole(&mut self, now: Time, seq: u64) -> (Ecn, Flags) {
        let (ecn, cwr) = if self.marked.is(Marked::OBSERVED) {
            self.note_sent(now, seq, self.window.segment_bytes, false, false)
        } else {
            (Ecn::NotCapable, false)
        };
        if self.marked.is(Marked::PACED) && !self.has_whole() {
            self.pace_in_order(now);
        }
        let push = self.marked.is(Marked::PUSHES) && self.pushes_whole();
        (ecn, Flags::new(cwr, push))
    }

    /// Records a segment where segments are followed. Returns the ECN field and the CWR flag of the segment.
    #[inline]
    fn note_sent(&mut self, now: Time, seq: u64, bytes: u32, syn: bool, retransmission: bool) -> (Ecn, bool) {
        let payload = if syn { 0 } else { bytes };
        if self.marked.is(Marked::MEASURES) {
            self.outstanding.record(now, seq, seq + u64::from(bytes), retransmission, !syn);
            self.control.on_send(now, payload);
        }
        if let Some(paced) = &mut self.paced {
            paced.pacer.on_send(now, u64::from(payload));
        }
        if self.marked.is(Marked::ECN) { self.stamp(syn, retransmission) } else { (Ecn::NotCapable, false) }
    }
}
