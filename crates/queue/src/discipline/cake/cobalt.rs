//! COBALT, the controller of a flow: CoDel and BLUE alternate (J. Palmei, S. Gupta, P. Imputato, J. Morton, M. P. Tahiliani, S. Avallone and D.
//! Täht, "Design and evaluation of COBALT queue discipline", IEEE LANMAN 2019; W. Feng, K. G. Shin, D. D. Kandlur and D. Saha, "The BLUE active
//! queue management algorithms", IEEE/ACM Transactions on Networking 10(4), 2002).
//!
//! Differences from RFC 8289's CoDel: the first signal comes an interval after the delay has exceeded the target. If a flow's very
//! first packet is late, or the first after a silence of more than an interval, the next late one has the signal (Linux's `cobalt_should_drop`).
//! The count does not start anew but goes down again at the pace at which it went up. A flow's last packet may be marked but is not dropped.
//!
//! Difference from Linux: there a queue that has had no signal since it was set up has its first one with the packet behind the first late one in any
//! case, because its inverse square root begins at zero (`cobalt_vars_init`). So slow start ends earlier on a router that has just been set up: the
//! first 2 s of four CUBIC flows over 20 Mb/s and 80 ms have a mean delay of 1.5 ms and 7.5 Mb/s that way, and 29 ms and 14.4 Mb/s here. From second
//! 10 on the two are alike.

use airfair_core::{Span, Stream, Time};

/// Parameters that all flows of a tin share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    target: Span,
    interval: Span,
    /// Transmission time of the longest packet.
    longest: Span,
    ecn: bool,
}

/// Steps of BLUE's probability: up when the queue is full, down when it is empty, as in Linux.
const INCREMENT: f64 = 1.0 / 256.0;
const DECREMENT: f64 = 1.0 / 4096.0;

impl Law {
    /// Returns the parameters of a tin. The target is a twentieth of the round trip `rtt`, and at least one and a half transmissions of the
    /// longest packet; the interval is the round trip plus the excess of the target over a twentieth of it, and at least twice the target.
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

/// COBALT's state for a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Cobalt {
    count: u32,
    drop_next: Time,
    dropping: bool,
    /// BLUE's drop probability. The next field: when it changed last.
    probability: f64,
    changed: Time,
}

impl Cobalt {
    /// Whether a packet that has waited for `waited` is dropped. A delay of two packets of each of `others` flows is no reason. `mark` marks the packet
    /// if it is ECN-capable, and returns whether it did.
    pub fn drops(
        &mut self,
        now: Time,
        law: &Law,
        waited: Span,
        others: u32,
        stream: &mut Stream,
        mark: impl FnOnce() -> bool,
    ) -> bool {
        let due = self.count > 0 && now >= self.drop_next;
        let was_silent = self.count == 0 && now > self.drop_next;
        let above = waited > law.target && waited > law.longest * u64::from(others).saturating_mul(2).max(4);
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
        } else if (was_silent || now > self.drop_next) && !drops {
            self.drop_next = now;
        }
        drops
    }

    /// Takes the count down at the pace at which it would have gone up.
    fn relax(&mut self, now: Time, law: &Law) {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = law.next(self.drop_next, self.count);
        }
    }

    /// Notes that the queue was full and the flow's first packet was dropped.
    pub fn full(&mut self, now: Time, law: &Law) {
        if now.since(self.changed) > law.target {
            self.probability = (self.probability + INCREMENT).min(1.0);
            self.changed = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Notes that it was the flow's turn and it had no packets.
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

    /// Whether the state is as good as new.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0.0 && self.count == 0 && now >= self.drop_next
    }
}

#[cfg(test)]
mod tests;
