//! A retransmission timer that may ring before the timeout (RFC 8985, sections 6.3 and 7.2): for segments that are lost by then, or
//! for a probe. Arming it anew makes it ring for the timeout again.

use super::Core;
use crate::settings::Estimator;
use crate::timers::Timer;
use airfair_core::{Span, Time};

/// How long a receiver may delay an ACK (section 7.2: `TLP.max_ack_delay`; Linux's `TCP_RTO_MIN` in this place).
const MOST_ACK_DELAY: Span = Span::from_millis(200);
/// Linux's timers for what RFC 8985 finds out ring later by this (`TCP_TIMEOUT_MIN_US`): to tell a late ACK from a lost one takes that long on short paths.
const LINUX_DELAY: Span = Span::from_millis(2);

#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyTimer {
    /// When the timer was set to ring early, when it rings, and when the timeout is due.
    set: Time,
    rings: Time,
    timeout: Time,
    /// When a probe of the flight's end is due.
    pub probe: Time,
}

impl EarlyTimer {
    pub const OFF: EarlyTimer =
        EarlyTimer { set: Time::ZERO, rings: Time::NEVER, timeout: Time::NEVER, probe: Time::NEVER };
}

impl Core {
    /// Has the retransmission timer ring at `due`, if that is before the timeout.
    pub fn ring_early(&mut self, now: Time, due: Time) {
        let timeout = self.timers.due(Timer::Retransmission);
        if due <= timeout && due != Time::NEVER {
            self.early = EarlyTimer { set: now, rings: due, timeout, ..self.early };
            self.timers.set(Timer::Retransmission, due);
        }
    }

    /// Has the timer ring for the timeout again. Returns whether it was to ring early.
    pub fn ring_for_timeout(&mut self) -> bool {
        let early = self.rings_early();
        if early {
            self.timers.set(Timer::Retransmission, self.early.timeout);
        }
        self.early.rings = Time::NEVER;
        early
    }

    fn rings_early(&self) -> bool {
        self.early.rings != Time::NEVER && self.timers.due(Timer::Retransmission) == self.early.rings
    }

    /// Has the timer that is due ring on a [tick](crate::ticks) of the host's clock. Only then is it known that no ACK has moved it.
    /// Returns whether that tick is still to come.
    pub fn awaits_tick(&mut self, now: Time) -> bool {
        let due = self.timers.due(Timer::Retransmission);
        if due == self.tick {
            return false;
        }
        let early = self.rings_early();
        let wait = if early { due.since(self.early.set) } else { self.interval() };
        self.tick = self.rtt.ticks(&self.settings).ring(due, wait);
        self.timers.set(Timer::Retransmission, self.tick);
        if early {
            // The timeout is no earlier.
            let timeout = self.early.timeout.max(self.tick);
            self.early = EarlyTimer { rings: self.tick, timeout, ..self.early };
        }
        self.tick > now
    }

    /// To be called when the timer was armed anew, for the timeout.
    pub fn forget_early(&mut self) {
        self.early.rings = Time::NEVER;
    }

    /// To be called when segments go out after nothing was outstanding: the end of their flight is to be probed.
    pub fn await_probe(&mut self, now: Time) {
        self.early.probe = now + self.probe_timeout(self.end - self.una);
        let probes = self.settings.tail_loss_probe && !self.is_shut_out();
        if probes && self.una > 0 && self.una >= self.origin() {
            self.ring_early(now, self.probe_due());
        }
    }

    /// When the end of the flight is probed: at the timeout, if that comes first (section 7.2). The timer then starts anew.
    pub fn probe_due(&self) -> Time {
        self.early.probe.min(self.timers.due(Timer::Retransmission))
    }

    /// The wait before the end of a flight of this number of bytes is probed (section 7.2): two round trips, plus the longest delay of an ACK
    /// if a single segment is outstanding, otherwise plus [`Core::early_delay`].
    pub fn probe_timeout(&self, bytes: u64) -> Span {
        let Some(srtt) = self.srtt() else { return Span::from_secs(1) };
        let wait = srtt * 2 + if bytes <= self.segment() { MOST_ACK_DELAY } else { self.early_delay() };
        self.rtt.ticks(&self.settings).whole(wait)
    }

    /// How long the timer is set for segments that count as lost after `wait`.
    pub fn loss_timeout(&self, wait: Span) -> Span {
        self.rtt.ticks(&self.settings).whole(wait + self.early_delay())
    }

    /// By how much later than in RFC 8985 the timer rings, for a probe or for segments that count as lost by then.
    fn early_delay(&self) -> Span {
        if self.settings.rto_estimator == Estimator::Linux { LINUX_DELAY } else { Span::ZERO }
    }
}
