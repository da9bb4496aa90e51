//! DualPI2 (RFC 9332), including the overload behaviour of section A.2.
//!
//! Packets that say ECT(1) or CE wait in the low-latency queue (L), all others in the Classic one (C). A PI controller moves the base
//! probability p' with the delay. Classic packets are marked or dropped with probability p'^2. Low-latency packets are marked with
//! probability k p', or if they have waited for the step and others wait behind them. From k p' = 1 on, marks no longer control: packets of
//! either queue are dropped with probability p'^2, Classic ones with ECN, too, and low-latency packets that pass are marked.
//!
//! Defaults are those of Linux's dualpi2; appendix A has 15 ms, 0.15 Hz and 3 Hz for `tupdate`, `alpha` and `beta`. Choices where the RFC
//! leaves them open:
//!
//! * *Scheduler.* The low-latency queue has priority, and the Classic one its share of the bytes while both have packets: after a packet
//!   of it there is one for each 9 of the other (10 %), if all are alike. What is dropped is no part of a share. A queue that was empty comes
//!   back as after such a packet.
//! * *Likelihoods* are drawn at random, as in Linux; appendix A's `recur` spaces picks evenly, which in a simulation would fall in step
//!   with the flows.
//! * *Delay.* That of the packet that has waited longest in either queue, as in Linux; appendix A takes the Classic queue's, so that
//!   unresponsive low-latency traffic would have no limit but the queue's.
//! * *Drops and marks* happen as packets leave. Both queues share the limit, and a packet that finds no room is dropped.
//! * *The step* marks no packet behind which no other low-latency one waits. Linux's marks that, too (`min_qlen_step` is 0): there one that waits for
//!   a Classic packet on the link is marked where that takes longer than the step, at 12 Mb/s and below.
//! * *Less than two of the longest packets so far*, in both queues together, are no queue, as in Linux: the packet before them is neither
//!   dropped nor marked, except by the step.
//! * Updates are due at multiples of `tupdate` from the queue's start, and come before an arrival or a departure of the same instant.

mod controller;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::pi;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use airfair_core::{Span, Stream, Time};
use controller::Controller;

const PI: pi::Declared = pi::Declared {
    target: pi::target(Span::from_millis(15), "the delay of Classic packets that the controller holds"),
    tupdate: pi::tupdate(Span::from_millis(16), "time from one update of the probability p' to the next"),
    alpha: pi::alpha(0.16, "what each second of delay above the target adds to p' with each update, in Hz"),
    beta: pi::beta(
        3.2,
        "what each second by which the delay has grown since the last update adds to it, in Hz",
    ),
};
const COUPLING: Parameter = Parameter {
    name: "coupling",
    kind: Kind::Number(Range::between(1.0, 100.0)),
    default: Value::Number(2.0),
    help: "the RFC's k: low-latency packets are marked with k p', Classic ones with p'^2",
};
const STEP: Parameter = Parameter {
    name: "step",
    kind: Kind::Time(Range::NOT_NEGATIVE),
    default: Value::Time(Span::from_millis(1)),
    help: "low-latency packets that have waited for this time are marked if others wait behind them",
};
const CLASSIC_SHARE: Parameter = Parameter {
    name: "classic_share",
    kind: Kind::Number(Range::PROPER_FRACTION),
    default: Value::Number(0.1),
    help: "the least share of Classic packets while both queues have some",
};

/// DualPI2's parameters, without the controller's.
#[derive(Clone, Copy, Debug)]
struct Rules {
    coupling: f64,
    step: Span,
    classic_share: f64,
}

/// The coupled dual queue.
#[derive(Clone, Debug)]
pub struct DualPi2<P> {
    limit: QueueLimit,
    rules: Rules,
    low_latency: Fifo<Timestamped<P>>,
    classic: Fifo<Timestamped<P>>,
    /// Bytes that the Classic queue may send before the other is served again. Below zero, bytes that the other may send.
    credit: f64,
    longest: u32,
    controller: Controller,
    stream: Stream,
}

/// What happens to a packet that would leave.
enum Verdict {
    Pass,
    Mark,
    Drop,
}

fn rules(given: &Configured) -> Rules {
    Rules {
        coupling: given.number(&COUPLING),
        step: given.time(&STEP),
        classic_share: given.number(&CLASSIC_SHARE),
    }
}

impl<P: Queued> DualPi2<P> {
    fn catch_up(&mut self, now: Time) {
        let heads = [self.low_latency.get(0), self.classic.get(0)];
        let oldest = heads.into_iter().flatten().map(|head| head.arrived).min();
        self.controller.catch_up(now, oldest);
    }

    /// Removes the next packet by the scheduler. Also returns whether it is a low-latency one, and the credit once it is sent.
    fn pop(&mut self) -> Option<(Timestamped<P>, bool, f64)> {
        let [low_latency, classic] =
            [&self.low_latency, &self.classic].map(|fifo| fifo.occupancy().packets > 0);
        let is_low = low_latency && !(classic && self.credit > 0.0);
        let fifo = if is_low { &mut self.low_latency } else { &mut self.classic };
        let head = fifo.pop()?;
        let bytes = f64::from(head.bytes());
        let share = self.rules.classic_share;
        let credit = match (low_latency && classic, is_low) {
            (false, _) => (share - 1.0) * bytes,
            (true, true) => self.credit + share * bytes,
            (true, false) => self.credit + (share - 1.0) * bytes,
        };
        Some((head, is_low, credit))
    }

    /// Returns the probability p', or zero while hardly anything waits.
    fn probability(&self) -> f64 {
        let stands = self.occupancy().bytes >= 2 * u64::from(self.longest);
        if stands { self.controller.probability() } else { 0.0 }
    }

    fn judge_low_latency(&mut self, waited: Span) -> Verdict {
        let base = self.probability();
        let coupled = self.rules.coupling * base;
        if coupled >= 1.0 {
            return if self.stream.chance(base * base) { Verdict::Drop } else { Verdict::Mark };
        }
        let above_step = waited >= self.rules.step && self.low_latency.occupancy().packets > 0;
        if above_step || self.stream.chance(coupled) { Verdict::Mark } else { Verdict::Pass }
    }

    fn judge_classic(&mut self) -> Verdict {
        let base = self.probability();
        if !self.stream.chance(base * base) {
            Verdict::Pass
        } else if self.rules.coupling * base < 1.0 {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}

impl<P: Queued> QueueDiscipline<P> for DualPi2<P> {
    const NAME: &'static str = "dualpi2";
    const ABOUT: &'static str = "DualPI2: a queue of low latency for L4S and one for all other traffic, coupled so that flows of both get \
         alike rates (RFC 9332, with the AQMs of its appendix A).";
    const PARAMETERS: &'static [Parameter] =
        &[PI.target, PI.tupdate, PI.alpha, PI.beta, COUPLING, STEP, CLASSIC_SHARE];

    fn new(given: &Configured, setup: &Setup) -> DualPi2<P> {
        DualPi2 {
            limit: setup.limit(),
            rules: rules(given),
            low_latency: Fifo::default(),
            classic: Fifo::default(),
            credit: 0.0,
            longest: 0,
            controller: Controller::new(PI.read(given), setup.at),
            stream: setup.stream(),
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.catch_up(now);
        self.longest = self.longest.max(packet.bytes());
        if !self.limit.allows(self.occupancy() + in_service + Occupancy::of(&packet)) {
            account.drop_full(packet);
            return;
        }
        let fifo = if packet.is_scalable() { &mut self.low_latency } else { &mut self.classic };
        fifo.push(Timestamped { packet, arrived: now });
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        self.catch_up(now);
        loop {
            let (head, is_low, credit) = self.pop()?;
            let verdict =
                if is_low { self.judge_low_latency(head.sojourn(now)) } else { self.judge_classic() };
            let mut packet = head.packet;
            let passes = match verdict {
                Verdict::Pass => true,
                Verdict::Mark => account.mark(&mut packet),
                Verdict::Drop => false,
            };
            if passes {
                self.credit = credit;
                return Some(packet);
            }
            account.drop_early(packet);
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.low_latency.occupancy() + self.classic.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.catch_up(setup.at);
        (self.limit, self.rules) = (setup.limit(), rules(given));
        self.controller.adopt(PI.read(given));
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.low_latency.drain().chain(self.classic.drain()).map(|stamped| stamped.packet).collect()
    }
}

#[cfg(test)]
mod tests;
