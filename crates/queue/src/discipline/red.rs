//! RED: S. Floyd and V. Jacobson, "Random early detection gateways for congestion avoidance",
//! IEEE/ACM Transactions on Networking 1(4), 1993; gentle: S. Floyd, "Recommendation on using the 'gentle_' variant
//! of RED", 2000.
//!
//! The average is that of the waiting packets, as in ns-2 and in kernels, without the packet in service. It decays
//! while queue and server idle. The limit counts the packet in service, as for every discipline.
//!
//! # Beside ns-2.35's `queue/red.cc`
//!
//! The help of each parameter has its name in ns-2. Differences with equal parameters:
//!
//! * *Limit.* ns-2's RED lets `limit_` packets wait beside the one in transmission; a limit of L here is `limit_` L -
//!   1 there (its DropTail counts as we do). With `queue_in_bytes_` it accepts while fewer than `limit_ *
//!   mean_pktsize_` bytes wait, and so may exceed that by a packet.
//! * *The lottery.* With `lottery = ns2` it is that of red.cc: no packet is picked while at most one packet waits (in
//!   bytes: one byte), the first packet after that always passes and counts as one, and a packet that finds no room
//!   restarts the count. The paper has none of these; they spare short queues, and are worth some per cent of
//!   goodput.
//! * *Idle time.* ns-2 counts whole packets, and the arriving one with them.
//! * *Automatic weight.* ns-2's `q_weight_ -1`, its default, is the weight here as long as three times the link's
//!   delay and a packet's transmission stay below 100 ms; beyond that it is smaller, which can be set.
//! * *ECN.* ns-2's `use_mark_p_` drops where the probability exceeds `mark_p_` = 0.1; here an ECN-capable packet is
//!   marked wherever the lottery picks it, and dropped where the average leaves no lottery (RFC 3168, section 7).

mod early;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value, Words};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::Time;
use std::mem::discriminant;

pub use early::automatic_minimum;
use early::{EarlyDetection, Settings, Verdict};

pub(super) const MIN_THRESHOLD: Parameter = Parameter {
    name: "min_threshold",
    kind: Kind::Number(Range::POSITIVE),
    default: Value::Automatic,
    help: "average queue from which packets are picked, in packets (of mean_packet if the limit is in bytes); ns-2's thresh_. \
           Unset: 5, or half of 5 ms at the link's rate, or a third of max_threshold if that is less",
};
pub(super) const MAX_THRESHOLD: Parameter = Parameter {
    name: "max_threshold",
    kind: Kind::Number(Range::POSITIVE),
    default: Value::Automatic,
    help: "average queue at which the probability is max_p, in the same; ns-2's maxthresh_. Unset: three times the minimum",
};
// 1 / linterm_ of ns-2.35; the paper's own simulations have 0.02.
pub(super) const MAX_P: Parameter = Parameter {
    name: "max_p",
    kind: Kind::Number(Range::POSITIVE.at_most(1.0)),
    default: Value::Number(0.1),
    help: "probability at max_threshold; ns-2's 1 / linterm_",
};
pub(super) const WEIGHT: Parameter = Parameter {
    name: "weight",
    kind: Kind::Number(Range::POSITIVE.at_most(1.0)),
    default: Value::Automatic,
    help: "weight of a new sample in the average; ns-2's q_weight_ (the paper: 0.002). Unset: a time constant of one second",
};
// ns-2.35's mean_pktsize_.
pub(super) const MEAN_PACKET: Parameter = Parameter {
    name: "mean_packet",
    kind: Kind::Bytes(Range::POSITIVE),
    default: Value::Bytes(500),
    help: "typical length of a packet, for idle time, automatic thresholds, and thresholds in bytes; ns-2's mean_pktsize_",
};
const GENTLE: Parameter = Parameter {
    name: "gentle",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "the probability rises from max_p to 1 between max_threshold and twice that, instead of at once; ns-2's gentle_",
};
pub(super) const WAIT: Parameter = Parameter {
    name: "wait",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "after a packet is picked, the next 1 / probability pass; ns-2's wait_ (the paper: false)",
};
const LOTTERY: Parameter = Parameter {
    name: "lottery",
    kind: Kind::Word(Words::of(&[PAPER, NS2])),
    default: Value::Word(PAPER),
    help: "packets that may be picked. paper: all that arrive with the average between the thresholds; ns2: as red.cc, none while at \
           most one waits, nor the first one after that, and the count starts anew with one for which there is no room",
};
const PAPER: &str = "paper";
const NS2: &str = "ns2";
const BYTE_MODE: Parameter = Parameter {
    name: "byte_mode",
    kind: Kind::Flag,
    // RFC 7141, section 2.2: the length of a packet should not affect whether it is picked.
    default: Value::Flag(false),
    help: "long packets are picked more often than short ones; ns-2's bytes_",
};
const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "packets capable of ECN are marked instead of dropped early; ns-2's setbit_",
};

/// Returns the settings that RED and CHOKe share, with RED's other settings as CHOKe has them.
fn settings(given: &Configured) -> Settings {
    Settings {
        min_threshold: given.number_if_set(&MIN_THRESHOLD),
        max_threshold: given.number_if_set(&MAX_THRESHOLD),
        max_p: given.number(&MAX_P),
        weight: given.number_if_set(&WEIGHT),
        mean_packet: given.bytes(&MEAN_PACKET),
        gentle: false,
        wait: given.flag(&WAIT),
        byte_mode: false,
        spares_short_queues: false,
    }
}

/// Returns the settings of RED.
fn red_settings(given: &Configured) -> Settings {
    Settings {
        gentle: given.flag(&GENTLE),
        byte_mode: given.flag(&BYTE_MODE),
        spares_short_queues: given.word(&LOTTERY) == NS2,
        ..settings(given)
    }
}

/// Returns the contradiction between the thresholds, if there is one.
pub(super) fn thresholds_contradict(given: &Configured) -> Option<(&'static str, String)> {
    let (min, max) = (given.number_if_set(&MIN_THRESHOLD)?, given.number_if_set(&MAX_THRESHOLD)?);
    (min > max).then(|| (MIN_THRESHOLD.name, format!("min_threshold, {min}, is above max_threshold, {max}")))
}

/// Random early detection.
#[derive(Clone, Debug)]
pub struct Red<P> {
    limit: QueueLimit,
    ecn: bool,
    pub(super) fifo: Fifo<P>,
    /// Boxed, because the largest discipline determines the size of every queue.
    pub(super) early: Box<EarlyDetection>,
}

impl<P> Red<P> {
    fn with(settings: Settings, ecn: bool, setup: &Setup) -> Red<P> {
        Red {
            limit: setup.limit(),
            ecn,
            fifo: Fifo::default(),
            early: Box::new(EarlyDetection::new(settings, setup.limit(), setup.rate(), setup.stream())),
        }
    }

    /// Continues with other settings. Returns `false` if the unit of the limit changes: an average in packets is none
    /// in bytes.
    fn adopt_settings(&mut self, settings: Settings, ecn: bool, setup: &Setup) -> bool {
        let same_unit = discriminant(&self.limit) == discriminant(&setup.limit());
        if same_unit {
            (self.limit, self.ecn) = (setup.limit(), ecn);
            self.early.adopt(settings, setup.limit(), setup.rate());
        }
        same_unit
    }

    /// Returns the average queue length, in the limit's unit.
    pub fn average(&self) -> f64 {
        self.early.average()
    }

    /// Returns the probability with which the last arriving packet was to be dropped or marked early.
    pub fn probability(&self) -> f64 {
        self.early.probability()
    }
}

impl<P: Queued> Red<P> {
    /// Returns RED as CHOKe uses it behind its comparison: without the gentle slope, byte mode, ns-2's lottery and ECN.
    pub(super) fn plain(given: &Configured, setup: &Setup) -> Red<P> {
        Red::with(settings(given), false, setup)
    }

    /// Continues with other settings, of RED as CHOKe uses it: see [`Red::plain`].
    pub(super) fn adopt_plain(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.adopt_settings(settings(given), false, setup)
    }

    /// Adds an arrival to the average.
    #[inline]
    pub(super) fn measure(&mut self, now: Time) {
        self.early.measure(now, self.fifo.occupancy());
    }

    /// Enqueues, marks or drops the packet that was measured last.
    #[inline]
    pub(super) fn decide(&mut self, mut packet: P, in_service: Occupancy, account: &mut Account<P>) {
        let arriving = Occupancy::of(&packet);
        let verdict = self.early.judge(arriving, self.fifo.occupancy());
        if !self.limit.allows(self.fifo.occupancy() + in_service + arriving) {
            self.early.overflow();
            account.drop_full(packet);
            return;
        }
        let passes = match verdict {
            Verdict::Pass => true,
            Verdict::Notify => self.ecn && account.mark(&mut packet),
            Verdict::Drop => false,
        };
        if passes {
            self.fifo.push(packet);
        } else {
            account.drop_early(packet);
        }
    }
}

impl<P: Queued> QueueDiscipline<P> for Red<P> {
    const NAME: &'static str = "red";
    const ABOUT: &'static str = "RED, random early detection: packets are dropped or marked with a probability that grows with the \
         average queue (Floyd & Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993).";
    const PARAMETERS: &'static [Parameter] =
        &[MIN_THRESHOLD, MAX_THRESHOLD, MAX_P, WEIGHT, MEAN_PACKET, GENTLE, WAIT, LOTTERY, BYTE_MODE, ECN];

    fn new(given: &Configured, setup: &Setup) -> Red<P> {
        Red::with(red_settings(given), given.flag(&ECN), setup)
    }

    fn contradiction(given: &Configured) -> Option<(&'static str, String)> {
        thresholds_contradict(given)
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.measure(now);
        self.decide(packet, in_service, account);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _account: &mut Account<P>) -> Option<P> {
        let packet = self.fifo.pop();
        if packet.is_none() {
            self.early.idle(now);
        }
        packet
    }

    fn occupancy(&self) -> Occupancy {
        self.fifo.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.adopt_settings(red_settings(given), given.flag(&ECN), setup)
    }

    fn drain(&mut self) -> Vec<P> {
        self.fifo.drain().collect()
    }
}

#[cfg(test)]
mod tests;
