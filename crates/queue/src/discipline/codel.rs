//! CoDel (RFC 8289): the pseudo-code of its section 5, with its parameters.
//!
//! Choices where the pseudo-code is silent: `maxpacket_` is the longest packet so far; packets that arrive at a full
//! queue are dropped; with `ecn` an ECN-capable packet is marked instead of dropped, and leaves at once (as in
//! Linux).

mod controller;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use airfair_core::{Span, Time};

pub(super) use controller::{ControlLaw, Controller};

// RFC 8289, section 4.4.
pub(super) const TARGET: Parameter = Parameter {
    name: "target",
    kind: Kind::Time(Range::NOT_NEGATIVE),
    default: Value::Time(Span::from_millis(5)),
    help: "delay in the queue that is acceptable if it stays",
};
// RFC 8289, section 4.3.
pub(super) const INTERVAL: Parameter = Parameter {
    name: "interval",
    kind: Kind::Time(Range::POSITIVE),
    default: Value::Time(Span::from_millis(100)),
    help: "how long the delay may be above the target: a round trip of most connections",
};
// Off in Linux's codel, as the RFC does not have it.
const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "packets capable of ECN are marked instead of dropped",
};

// As in Linux's codel and fq_codel.
pub(super) const CE_THRESHOLD: Parameter = Parameter {
    name: "ce_threshold",
    kind: Kind::Time(Range::NOT_NEGATIVE),
    default: Value::None,
    help: "packets capable of ECN that have waited longer are marked at once, as DCTCP wants it; none: no such marks",
};

/// Controlled delay.
#[derive(Clone, Debug)]
pub struct CoDel<P> {
    limit: QueueLimit,
    law: ControlLaw,
    fifo: Fifo<Timestamped<P>>,
    controller: Controller,
    longest: u32,
}

impl ControlLaw {
    /// Returns the RFC's law with the parameters that every discipline with CoDel has, and this threshold.
    pub fn given(given: &Configured, ce_threshold: Option<Span>) -> ControlLaw {
        ControlLaw {
            target: given.time(&TARGET),
            interval: given.time(&INTERVAL),
            ecn: given.flag(&ECN),
            ce_threshold,
            spares_longest: true,
        }
    }
}

/// Returns the control law of a queue with this discipline.
fn law(given: &Configured) -> ControlLaw {
    ControlLaw::given(given, given.time_if_set(&CE_THRESHOLD))
}

impl<P: Queued> QueueDiscipline<P> for CoDel<P> {
    const NAME: &'static str = "codel";
    const ABOUT: &'static str = "CoDel, controlled delay: packets are dropped once the delay in the queue has stayed above a target for \
         an interval (RFC 8289).";
    const PARAMETERS: &'static [Parameter] = &[TARGET, INTERVAL, ECN, CE_THRESHOLD];

    fn new(given: &Configured, setup: &Setup) -> CoDel<P> {
        CoDel {
            limit: setup.limit(),
            law: law(given),
            fifo: Fifo::default(),
            controller: Controller::default(),
            longest: 0,
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.longest = self.longest.max(packet.bytes());
        if self.limit.allows(self.fifo.occupancy() + in_service + Occupancy::of(&packet)) {
            self.fifo.push(Timestamped { packet, arrived: now });
        } else {
            account.drop_full(packet);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        self.controller.dequeue(now, &self.law, self.longest, &mut self.fifo, account)
    }

    fn occupancy(&self) -> Occupancy {
        self.fifo.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.limit = setup.limit();
        self.law = law(given);
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.fifo.drain().map(|stamped| stamped.packet).collect()
    }
}

#[cfg(test)]
mod tests;
