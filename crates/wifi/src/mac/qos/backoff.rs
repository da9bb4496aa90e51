//! The countdown of a backoff (IEEE 802.11-2020, 10.23.2.2 and 10.23.2.4).

use airfair_core::{Span, Time};

use super::QosRules;
use crate::phy::Countdown;

/// A backoff, or its absence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    slot: Span,
    countdown: Countdown,
    /// Slots that were left when the present idle period began, or when the last one ended; `None`: its owner may transmit without
    /// a backoff.
    slots: Option<u32>,
    /// A frame that came to an idle owner is sent no sooner than it came.
    earliest: Time,
}

impl Backoff {
    /// There is none.
    pub fn none(rules: &QosRules) -> Backoff {
        Backoff { slot: rules.slot, countdown: rules.countdown, slots: None, earliest: Time::ZERO }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.slots.is_none()
    }

    /// Begins to count down this number of slots.
    pub fn begin(&mut self, slots: u32) {
        (self.slots, self.earliest) = (Some(slots), Time::ZERO);
    }

    /// Its owner transmits now.
    pub fn take(&mut self) {
        (self.slots, self.earliest) = (None, Time::ZERO);
    }

    /// When its owner transmits if slots count from `origin` on and the air stays idle: with EDCA's countdown at the beginning of a slot.
    pub fn end(&self, origin: Time) -> Time {
        let at = origin + self.slot * u64::from(self.slots.unwrap_or(0));
        if self.earliest <= at {
            at
        } else if self.countdown == Countdown::Edca {
            origin + self.slot * self.earliest.since(origin).0.div_ceil(self.slot.0)
        } else {
            self.earliest
        }
    }

    /// The air falls busy at `now`, and slots have counted from `origin` on. `true`: its owner, who `contends` without a backoff, needs one
    /// from now on.
    #[must_use]
    pub fn freeze(&mut self, now: Time, origin: Time, contends: bool) -> bool {
        let Some(slots) = self.slots else { return contends };
        if now < origin && slots > 0 {
            return false;
        }
        let over = now.since(origin) / self.slot;
        let begun = u64::from(self.countdown == Countdown::Edca && now >= origin);
        let left = u64::from(slots).saturating_sub(over + begun) as u32;
        self.slots = (left > 0 || contends).then_some(left);
        false
    }

    /// A frame comes at `now` to an owner that had none; slots count from `idle` on, if the air is idle. `true`: it needs a backoff.
    #[must_use]
    pub fn admit(&mut self, now: Time, idle: Option<Time>) -> bool {
        match (idle, self.slots) {
            (Some(origin), Some(slots)) if origin + self.slot * u64::from(slots) > now => {}
            (Some(_), _) => (self.slots, self.earliest) = (None, now),
            (None, slots) => return slots.is_none(),
        }
        false
    }
}
