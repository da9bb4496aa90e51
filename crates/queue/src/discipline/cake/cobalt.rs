//! COBALT, the controller of a flow: CoDel and BLUE alternate (J. Palmei, S. Gupta, P. Imputato, J. Morton, M. P. Tahiliani, S. Avallone and D.
//! Täht, "Design and evaluation of COBALT queue discipline", IEEE LANMAN 2019; W. Feng, K. G. Shin, D. D. Kandlur and D. Saha, "The BLUE active
//! queue management algorithms", IEEE/ACM Transactions on Networking 10(4), 2002).
//!
//! Beside RFC 8289's CoDel: the first signal comes an interval after the delay has exceeded the target, the count does not start anew but
//! goes down again at the pace at which it went up, and a flow's last packet may be marked but is not dropped.

use airfair_core::{Span, Stream, Time};

/// Parameters that all flows of a tin share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    target: Span,
    interval: Span,
    /// Transmission of the longest packet.
    longest: Span,
    ecn: bool,
}

/// BLUE's steps: up when the queue is full, down when it is empty, as in Linux.
const INCREMENT: f64 = 1.0 / 256.0;
const DECREMENT: f64 = 1.0 / 4096.0;

impl Law {
    /// The target is a twentieth of the round trip `rtt`, and at least one and a half transmissions of the longest packet; the interval is
    /// the round trip and what the target is longer, and at least twice the target.
    pub fn new(rtt: Span, longest: Span, ecn: bool) -> Law {
        let usual = Span(rtt.0 / 20);
        let target = usual.max(Span(longest.0 * 3 / 2));
        let interval = (rtt + (target - usual)).max(target * 2);
        Law { target, interval, longest, ecn }
    }

    fn next(&self, at: Time, count: u32) -> Time {
        at + Span((self.interval.0 as f64 / f64::from(count.max(1)).sqrt()).round() as u64)
    }
}

/// The state of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Cobalt {
    count: u32,
    drop_next: Time,
    dropping: bool,
    /// BLUE's probability, and when it changed last.
    probability: f64,
    changed: Time,
}

impl Cobalt {
    /// Whether a packet that has waited for this time is dropped. `mark` marks it if it may be.
    pub fn drops(
        &mut self,
        now: Time,
        law: &Law,
        waited: Span,
        stream: &mut Stream,
        mark: impl FnOnce() -> bool,
    ) -> bool {
        let due = self.count > 0 && now >= self.drop_next;
        let above = waited > law.target && waited > law.longest * 4;
        if above && !self.dropping {
            self.drop_next = law.next(now, self.count);
            self.count = self.count.max(1);
        }
        self.dropping = above;
        let mut drops = false;
        if due && above {
            drops = !(law.ecn && mark());
            self.count = self.count.saturating_add(1);
            self.drop_next = law.next(self.drop_next, self.count);
        } else if due {
            self.relax(now, law);
        }
        drops |= stream.chance(self.probability);
        if self.count == 0 {
            self.drop_next = now + law.interval;
        } else if now > self.drop_next && !drops {
            self.drop_next = now;
        }
        drops
    }

    /// The count goes down at the pace at which it would have gone up.
    fn relax(&mut self, now: Time, law: &Law) {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = law.next(self.drop_next, self.count);
        }
    }

    /// The queue was full, and the flow's first packet was dropped.
    pub fn full(&mut self, now: Time, law: &Law) {
        if now.since(self.changed) > law.target {
            self.probability = (self.probability + INCREMENT).min(1.0);
            self.changed = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// It was the flow's turn, and it had no packets.
    pub fn empty(&mut self, now: Time, law: &Law) {
        if self.probability > 0.0 && now.since(self.changed) > law.target {
            self.probability = (self.probability - DECREMENT).max(0.0);
            self.changed = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = law.next(self.drop_next, self.count);
        }
    }

    /// Whether nothing is left of what has been: it is as good as new.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.drop_next
    }
}

#[cfg(test)]
mod tests;
