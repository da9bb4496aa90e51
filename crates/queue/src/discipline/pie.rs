//! PIE (RFC 8033).
//!
//! The queueing delay comes from timestamps, the second of the two ways of section 4.3 and Linux's default: the delay is that of the
//! packet dequeued last, and zero once the queue is empty. Of the enhancements in section 5 there are ECN (5.1), de-randomization (5.4)
//! and the cap of steps (5.5). The estimate of the departure rate (5.2) has no use beside timestamps. PIE is always active (5.3 is left
//! out, as in Linux); the burst allowance begins full.
//!
//! Choices where the RFC is silent: updates are due at multiples of `tupdate` from the queue's start, and one that falls on the instant
//! of an arrival or a departure comes first; `MEAN_PKTSIZE`, two of which are left alone, is 1024 bytes.
//!
//! Linux departs from the RFC, and from this. At a delay above 250 ms each update raises the probability by 2 % more. The burst allowance is
//! used up only while packets leave. A packet is spared if the latest delay is short, not that of the last update, and where less than two MTUs wait,
//! not two mean packets.

mod controller;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::pi;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use airfair_core::{Span, Time};
use controller::{Controller, Settings};

// RFC 8033, sections 4.2 and 4.4, for the defaults of these and the next.
const PI: pi::Declared = pi::Declared {
    target: pi::target(
        Span::from_millis(15),
        "the delay in the queue that the controller holds; the RFC's QDELAY_REF",
    ),
    tupdate: pi::tupdate(Span::from_millis(15), "time from one update of the drop probability to the next"),
    alpha: pi::alpha(
        0.125,
        "what each second of delay above the target adds to the drop probability with each update, in Hz",
    ),
    beta: pi::beta(
        1.25,
        "what each second by which the delay has grown since the last update adds to it, in Hz",
    ),
};
const MAX_BURST: Parameter = Parameter {
    name: "max_burst",
    kind: Kind::Time(Range::NOT_NEGATIVE),
    default: Value::Time(Span::from_millis(150)),
    help: "how long packets pass unharmed when congestion begins",
};
// Off in Linux's pie; the RFC has it among its enhancements.
const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "packets capable of ECN are marked instead of dropped",
};
const ECN_THRESHOLD: Parameter = Parameter {
    name: "ecn_threshold",
    kind: Kind::Fraction,
    default: Value::Number(0.1),
    help: "drop probability from which such packets are dropped all the same; the RFC's mark_ecnth (section 5.1)",
};
// On in Linux.
const DERANDOMIZE: Parameter = Parameter {
    name: "derandomize",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "drops are neither close together nor far apart (section 5.4)",
};

/// A packet of mean length, in bytes.
const MEAN_PKTSIZE: u64 = 1024;

/// Proportional integral controller enhanced.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    limit: QueueLimit,
    ecn: bool,
    /// Drop probability from which packets with ECN are dropped, too.
    ecn_threshold: f64,
    fifo: Fifo<Timestamped<P>>,
    /// Queueing delay of the packet dequeued last; zero once the queue is empty.
    delay: Span,
    controller: Controller,
}

fn settings(given: &Configured) -> Settings {
    Settings { pi: PI.read(given), max_burst: given.time(&MAX_BURST), derandomize: given.flag(&DERANDOMIZE) }
}

impl<P: Queued> QueueDiscipline<P> for Pie<P> {
    const NAME: &'static str = "pie";
    const ABOUT: &'static str = "PIE, proportional integral controller enhanced: packets are dropped with a probability that holds the \
         delay in the queue at a target (RFC 8033).";
    const PARAMETERS: &'static [Parameter] =
        &[PI.target, PI.tupdate, PI.alpha, PI.beta, MAX_BURST, ECN, ECN_THRESHOLD, DERANDOMIZE];

    fn new(given: &Configured, setup: &Setup) -> Pie<P> {
        Pie {
            limit: setup.limit(),
            ecn: given.flag(&ECN),
            ecn_threshold: given.number(&ECN_THRESHOLD),
            fifo: Fifo::default(),
            delay: Span::ZERO,
            controller: Controller::new(settings(given), setup.at, setup.stream()),
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.controller.catch_up(now, self.delay);
        let waiting = self.fifo.occupancy();
        if !self.limit.allows(waiting + in_service + Occupancy::of(&packet)) {
            self.controller.overflow();
            account.drop_full(packet);
            return;
        }
        let picked = waiting.bytes > 2 * MEAN_PKTSIZE && self.controller.picks();
        let may_mark = self.ecn && self.controller.probability() < self.ecn_threshold;
        if picked && !(may_mark && account.mark(&mut packet)) {
            account.drop_early(packet);
        } else {
            self.fifo.push(Timestamped { packet, arrived: now });
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _account: &mut Account<P>) -> Option<P> {
        self.controller.catch_up(now, self.delay);
        let head = self.fifo.pop()?;
        self.delay = if self.fifo.occupancy().packets == 0 { Span::ZERO } else { head.sojourn(now) };
        Some(head.packet)
    }

    fn occupancy(&self) -> Occupancy {
        self.fifo.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        (self.limit, self.ecn, self.ecn_threshold) =
            (setup.limit(), given.flag(&ECN), given.number(&ECN_THRESHOLD));
        self.controller.catch_up(setup.at, self.delay);
        self.controller.adopt(settings(given));
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.fifo.drain().map(|stamped| stamped.packet).collect()
    }
}

#[cfg(test)]
mod tests;
