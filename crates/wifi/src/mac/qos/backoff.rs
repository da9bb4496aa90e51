//! The countdown of a backoff (IEEE 802.11-2020, 10.23.2.2 and 10.23.2.4).

use airfair_core::{Span, Time};

use super::QosRules;
use crate::phy::Countdown;

/// The backoff of an owner that contends for the air, or its absence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    slot: Span,
    countdown: Countdown,
    /// Slots that were left when the present idle period began, or when the last one ended; `None`: the owner may transmit without a
    /// backoff.
    slots: Option<u32>,
    /// Earliest transmission: a frame that came to an idle owner is not sent before it came.
    earliest: Time,
}

impl Backoff {
    /// Returns the absence of a backoff.
    pub fn none(rules: &QosRules) -> Backoff {
        Backoff { slot: rules.slot, countdown: rules.countdown, slots: None, earliest: Time::ZERO }
    }

    /// Whether there is no backoff.
    pub fn is_none(&self) -> bool {
        self.slots.is_none()
    }

    /// Begins a backoff of this number of slots.
    pub fn begin(&mut self, slots: u32) {
        (self.slots, self.earliest) = (Some(slots), Time::ZERO);
    }

    /// Ends the backoff: the owner transmits now.
    pub fn take(&mut self) {
        (self.slots, self.earliest) = (None, Time::ZERO);
    }

    /// Returns when the owner transmits if slots count from `origin` on and the air stays idle. With EDCA's countdown this is the beginning
    /// of a slot.
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

    /// Stops the countdown, whose slots have counted from `origin` on: the air falls busy at `now`. Returns `true` if the owner `contends`
    /// without a backoff, and so needs one from now on.
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

    /// Admits a frame that comes at `now` to an owner that had none. Slots count from `idle` on; `None`: the air is busy. Returns `true` if
    /// the owner needs a backoff.
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
