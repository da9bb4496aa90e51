//! CoDel's state for one queue, and its control law (RFC 8289, section 5).

use crate::account::Account;
use crate::fifo::Fifo;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use airfair_core::{Span, Time};

/// CoDel's parameters, which all queues of a discipline share.
#[derive(Clone, Copy, Debug)]
pub(in crate::discipline) struct ControlLaw {
    pub target: Span,
    pub interval: Span,
    pub ecn: bool,
    /// Sojourn time above which packets are marked, whatever the rest of the law says; `None` for no such marks.
    pub ce_threshold: Option<Span>,
    /// Whether a packet is spared if no more bytes wait behind it than the longest packet has. Otherwise only a packet behind which nothing
    /// waits is spared.
    pub spares_longest: bool,
}

/// CoDel's state, by the names of the RFC's variables.
#[derive(Clone, Debug, Default)]
pub(in crate::discipline) struct Controller {
    /// When drops may start if the delay stays above the target; `None` while it is below.
    first_above_time: Option<Time>,
    drop_next: Time,
    /// Number of packets dropped since the dropping state was entered.
    count: u32,
    last_count: u32,
    dropping: bool,
}

/// Number of intervals within which a dropping state that has ended is resumed.
const RECENT: u64 = 16;

impl ControlLaw {
    /// Returns when the next drop is due after drop number `count` at `at`.
    fn next(&self, at: Time, count: u32) -> Time {
        at + Span((self.interval.0 as f64 / f64::from(count).sqrt()).round() as u64)
    }
}

impl Controller {
    /// Returns the next packet to serve, and drops packets before it. `longest` is the length of the longest packet so far.
    pub fn dequeue<P: Queued>(
        &mut self,
        now: Time,
        law: &ControlLaw,
        longest: u32,
        fifo: &mut Fifo<Timestamped<P>>,
        account: &mut Account<P>,
    ) -> Option<P> {
        let (mut head, mut ok_to_drop) = self.pop(now, law, longest, fifo)?;
        let mut marked = false;
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if law.ecn && account.mark(&mut head.packet) {
                    marked = true;
                    self.schedule(law);
                    break;
                }
                account.drop_early(head.packet);
                (head, ok_to_drop) = self.pop(now, law, longest, fifo)?;
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.schedule(law);
                }
            }
        } else if ok_to_drop {
            let next = if law.ecn && account.mark(&mut head.packet) {
                marked = true;
                Some(head)
            } else {
                account.drop_early(head.packet);
                self.pop(now, law, longest, fifo).map(|(next, _)| next)
            };
            self.start_dropping(now, law);
            head = next?;
        }
        if !marked && law.ce_threshold.is_some_and(|threshold| head.sojourn(now) > threshold) {
            account.mark(&mut head.packet);
        }
        Some(head.packet)
    }

    /// Schedules the next drop. The interval to it starts when the present one was due.
    fn schedule(&mut self, law: &ControlLaw) {
        self.drop_next = law.next(self.drop_next, self.count);
    }

    /// Enters the dropping state. It starts at the rate of drops that controlled the queue last time, if that was recent.
    fn start_dropping(&mut self, now: Time, law: &ControlLaw) {
        self.dropping = true;
        let delta = self.count - self.last_count;
        let recent = now.since(self.drop_next) < law.interval * RECENT;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = law.next(now, self.count);
        self.last_count = self.count;
    }

    /// Removes the head of the queue. Also returns whether it may be dropped: the delay has been above the target for an interval, and more
    /// waits behind the packet than the law spares.
    fn pop<P: Queued>(
        &mut self,
        now: Time,
        law: &ControlLaw,
        longest: u32,
        fifo: &mut Fifo<Timestamped<P>>,
    ) -> Option<(Timestamped<P>, bool)> {
        let Some(head) = fifo.pop() else {
            self.first_above_time = None;
            self.dropping = false;
            return None;
        };
        let spared = if law.spares_longest { longest } else { 0 };
        if head.sojourn(now) < law.target || fifo.occupancy().bytes <= u64::from(spared) {
            self.first_above_time = None;
            return Some((head, false));
        }
        let since = *self.first_above_time.get_or_insert(now + law.interval);
        // `interval` is above zero: a delay that has just exceeded the target is not due yet.
        Some((head, now >= since))
    }
}
