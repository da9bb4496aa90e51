//! FQ-CoDel, flow queueing with CoDel (RFC 8290).
//!
//! Flows are hashed onto queues, which are served by deficit round robin in bytes. The RFC's default limit is 10240 packets; here it is
//! the queue's own, in its unit. When it is exceeded, half of the packets of the queue with most bytes are dropped
//! from its head, at most 64, at least one (section 4.1); of equals the queue with most packets, then the one with
//! the lowest number. Linux stops at half of the bytes, and adds the number of dropped packets to CoDel's count for that queue (`fq_codel_drop`).
//!
//! Choices where the RFC is silent: the hash is a seeded mixing function; CoDel compares the bytes waiting in the
//! flow's own queue with the longest packet of any flow. Linux compares those of all flows together (`fq_codel_dequeue` passes the backlog of the
//! whole queue to `codel_dequeue`): while other flows have packets, CoDel drops there even the only packet of a flow. So where many flows have a
//! packet or two each, Linux drops more of them, and its queue is shorter. A new flow without packets stays for a turn among the old ones, as section
//! 4.2 has it; Linux, in mac80211 as well, lets it go at once if there is no old one.

mod buckets;
mod flows;

use super::codel::{CE_THRESHOLD, ControlLaw, INTERVAL, TARGET};
use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::Time;

pub(super) use flows::{FlowSettings, Flows};

// RFC 8290, sections 5.2.4 to 5.2.6.
pub(super) const QUANTUM: Parameter = Parameter {
    name: "quantum",
    kind: Kind::Bytes(Range::POSITIVE.at_most(1_000_000_000.0)),
    default: Value::Bytes(1514),
    help: "bytes that a flow may send in its turn",
};
pub(super) const FLOWS: Parameter = Parameter {
    name: "flows",
    kind: Kind::Number(Range::between(1.0, 65_536.0)),
    default: Value::Number(1024.0),
    help: "number of queues that flows are hashed onto; a fraction is cut off",
};
pub(super) const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "packets capable of ECN are marked instead of dropped by CoDel",
};

/// Flow queueing with CoDel.
#[derive(Clone, Debug)]
pub struct FqCoDel<P> {
    limit: QueueLimit,
    settings: FlowSettings,
    flows: Flows<P>,
}

/// Returns the control law of each flow.
fn law(given: &Configured) -> ControlLaw {
    ControlLaw::given(given, given.time_if_set(&CE_THRESHOLD))
}

/// Returns the number of packets dropped at once when there is no room, from a queue of `packets` packets (RFC 8290, section 4.1).
fn batch(packets: u32) -> u32 {
    packets.div_ceil(2).min(64)
}

impl<P: Queued> QueueDiscipline<P> for FqCoDel<P> {
    const NAME: &'static str = "fq_codel";
    const ABOUT: &'static str = "FQ-CoDel: flows in turn, each controlled by CoDel; flows that have just become active come first (RFC \
         8290).";
    const PARAMETERS: &'static [Parameter] = &[TARGET, INTERVAL, QUANTUM, FLOWS, ECN, CE_THRESHOLD];

    fn new(given: &Configured, setup: &Setup) -> FqCoDel<P> {
        FqCoDel {
            limit: setup.limit(),
            settings: FlowSettings::given(given, law(given), setup),
            flows: Flows::default(),
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.flows.enqueue(now, packet, &self.settings);
        while !self.limit.allows(self.flows.occupancy() + in_service) {
            let Some((_, fattest)) = self.flows.fattest() else { break };
            self.flows.drop_batch(fattest, batch, account);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        self.flows.dequeue(now, &self.settings, account)
    }

    fn occupancy(&self) -> Occupancy {
        self.flows.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        let Some(settings) = self.settings.adopt(given, law(given)) else { return false };
        (self.limit, self.settings) = (setup.limit(), settings);
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.flows.drain()
    }
}

#[cfg(test)]
mod tests;
