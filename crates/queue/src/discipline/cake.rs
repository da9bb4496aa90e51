//! CAKE (T. Høiland-Jørgensen, D. Täht and J. Morton, "Piece of CAKE: A comprehensive queue management solution for home gateways", IEEE
//! LANMAN 2018; tc-cake(8)).
//!
//! * *Tins* are chosen by DSCP ([diffserv]). Of the tins that have not had more than their share of the rate, the one of highest priority
//!   goes first; if all have, the one whose next packet is due first.
//! * *Flows* of a tin take turns by deficit round robin (DRR++), and flows that send little come first. The quantum of a flow is divided
//!   by the number of busy flows of its source or of its destination, whichever is more (`triple-isolate`), so that hosts get equal
//!   shares. Two of the other isolations count only sources or only destinations: where all data come from one host, that source has all
//!   flows, and its count prefers none.
//! * *[COBALT](cobalt)* in each flow: CoDel that marks or drops, and BLUE that drops where a flow fills the queue all the same.
//! * *Without room* the flow with most bytes loses its first packet; of equals in one tin the one whose turn is furthest.
//! * *The shaper* hands packets out no faster than at `bandwidth`. A tin's share of that rate sets the quantum of flows there and COBALT's times.
//!   With `ingress` dropped packets count as sent, by the shaper, in the share of their tin and in the turn of their flow, and COBALT waits for two
//!   packets of each busy flow. However many are dropped, two thirds of the rate are left for packets that leave.
//!
//! Differences from Linux:
//!
//! * *Without `bandwidth`* the rate of the link or station stands for it; Linux then knows no rate, and its tins have no shares.
//! * The line's own overhead (`overhead`, `mpu`, `atm`, `ptm`) is left out, because lines of a scenario have none.
//! * *Each flow has a queue of its own*; Linux hashes flows onto 1024 queues, in sets of eight, which keeps most apart. With 1024 flows
//!   in a tin a new one replaces one that has no packets.
//! * Flows' hosts and code points are those of the scenario, without address translation. ACKs have the code point of their flow.
//! * The default tins are `diffserv4`, and `diffserv3` in Linux.
//! * Left out: `diffserv8`, `precedence`, the isolations by hosts without flows, ACK filtering, `wash`, and the memory limit.

mod cobalt;
mod diffserv;
mod shaper;
mod tin;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value, Words};
use crate::account::Account;
use crate::config::{FlowLabels, QueueLimit};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Stream, Time};
use cobalt::Law;
use shaper::Shaper;
use std::sync::Arc;
use tin::{Rules, Share, Tin};

const DIFFSERV: Parameter = Parameter {
    name: "diffserv",
    kind: Kind::Word(Words::of(&["besteffort", "diffserv3", "diffserv4"])),
    default: Value::Word("diffserv4"),
    help: "the tins that flows are sorted into by their `dscp`: one; bulk, best effort and voice, as Linux does by default; or bulk, best effort, \
           video and voice",
};
const ISOLATION: Parameter = Parameter {
    name: "isolation",
    kind: Kind::Word(Words::of(&["flows", "dual-srchost", "dual-dsthost", "triple-isolate"])),
    default: Value::Word("triple-isolate"),
    help: "who has equal shares: flows; or hosts, and flows within them, where hosts are sources, destinations, or of either the one with more flows",
};
// tc-cake(8): `rtt`, from which both times of COBALT follow.
const RTT: Parameter = Parameter {
    name: "rtt",
    kind: Kind::Time(Range::POSITIVE.at_most(1000.0)),
    default: Value::Time(Span::from_millis(100)),
    help: "a round trip of most connections: COBALT's interval; a twentieth of it is the target. Both are longer in a tin whose share of the rate \
           is low",
};
const ECN: Parameter = Parameter {
    name: "ecn",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "packets capable of ECN are marked instead of dropped by CoDel; always so in Linux",
};

const BANDWIDTH: Parameter = Parameter {
    name: "bandwidth",
    kind: Kind::Rate,
    default: Value::None,
    help: "the shaper's rate, a little below that of the line behind it, so that packets wait here and not there; without it they leave as fast as \
           the link takes them. On links alone",
};
const INGRESS: Parameter = Parameter {
    name: "ingress",
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "dropped packets count as sent: they have crossed the line already, where that is before the queue, as for a shaper of downloads at home",
};

/// Bounds on the quantum in bytes: a turn has at most the bytes of an Ethernet frame, and fewer at low rates.
const MOST_QUANTUM: u64 = 1514;
const LEAST_QUANTUM: u64 = 300;

/// CAKE.
#[derive(Clone, Debug)]
pub struct Cake<P> {
    limit: QueueLimit,
    held: Occupancy,
    /// Boxed, because the largest discipline determines the size of every queue.
    state: Box<State<P>>,
}

#[derive(Clone, Debug)]
struct State<P> {
    settings: Settings,
    /// Tins in the order of priority, the lowest first.
    tins: Vec<Tin<P>>,
    shaper: Shaper,
    stream: Stream,
}

#[derive(Clone, Debug)]
struct Settings {
    diffserv: &'static [diffserv::Class],
    /// Parameters of each tin.
    rules: Vec<Rules>,
    /// The rate that tins share and the shaper counts by: `bandwidth`, or the link's rate if that is not set.
    rate: Rate,
    shapes: bool,
    labels: Arc<[FlowLabels]>,
}

impl Settings {
    fn given(given: &Configured, setup: &Setup) -> Settings {
        let bandwidth = given.rate_if_set(&BANDWIDTH);
        let rate = bandwidth.unwrap_or(setup.rate());
        let ingress = given.flag(&INGRESS);
        let diffserv = diffserv::classes(given.word(&DIFFSERV));
        let isolates = match given.word(&ISOLATION) {
            "flows" => [false, false],
            "dual-srchost" => [true, false],
            "dual-dsthost" => [false, true],
            _ => [true, true],
        };
        let rules = diffserv.iter().map(|class| {
            let quantum = (rate.bits_per_second() / 8 / class.divisor) >> 12;
            let longest = rate.span_of_bytes(MOST_QUANTUM * class.divisor);
            Rules {
                quantum: quantum.clamp(LEAST_QUANTUM, MOST_QUANTUM) as i64,
                isolates,
                share: Share { rate, divisor: class.divisor },
                law: Law::new(given.time(&RTT), longest, given.flag(&ECN)),
                ingress,
            }
        });
        Settings {
            diffserv,
            rules: rules.collect(),
            rate,
            shapes: bandwidth.is_some(),
            labels: Arc::clone(setup.config.discipline.labels()),
        }
    }
}

impl<P: Queued> Cake<P> {
    /// Returns the tin that sends next, if it has packets: flows whose last packet has gone have their turn all the same, as in Linux
    /// (`cake_dequeue`), and so fall idle while other tins send.
    fn next_tin(&mut self, now: Time) -> Option<usize> {
        let with_turns = self.state.tins.iter().enumerate().filter(|(_, tin)| tin.has_turns());
        // Of the tins within their share the last, which has the highest priority; else the one whose next packet is due first.
        with_turns
            .min_by_key(|(place, tin)| (tin.next.max(now), std::cmp::Reverse(*place)))
            .map(|(place, _)| place)
    }

    fn drop_longest(&mut self, now: Time, account: &mut Account<P>) -> bool {
        let tins = self.state.tins.iter().enumerate();
        let longest = tins.filter_map(|(place, tin)| Some((tin.longest()?, place))).max();
        let Some(((_, flow), place)) = longest else { return false };
        let State { settings, tins, shaper, .. } = &mut *self.state;
        let rules = &settings.rules[place];
        let Some(dropped) = tins[place].drop_head(now, flow, rules) else { return false };
        self.held -= Occupancy::of(&dropped);
        if rules.ingress {
            shaper.discard(settings.rate.span_of_bytes(u64::from(dropped.bytes())));
        }
        account.drop_full(dropped);
        true
    }
}

impl<P: Queued> QueueDiscipline<P> for Cake<P> {
    const NAME: &'static str = "cake";
    const ABOUT: &'static str = "CAKE: flows in turn within hosts, hosts within tins, and each flow controlled by COBALT \
         (Høiland-Jørgensen, Täht & Morton, IEEE LANMAN 2018).";
    const PARAMETERS: &'static [Parameter] = &[BANDWIDTH, DIFFSERV, ISOLATION, RTT, ECN, INGRESS];
    const SHAPER: Option<&'static Parameter> = Some(&BANDWIDTH);

    fn new(given: &Configured, setup: &Setup) -> Cake<P> {
        let settings = Settings::given(given, setup);
        let tins = settings.diffserv.iter().map(|_| Tin::default()).collect();
        let state = Box::new(State { settings, tins, shaper: Shaper::default(), stream: setup.stream() });
        Cake { limit: setup.limit(), held: Occupancy::default(), state }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        let State { settings, tins, shaper, .. } = &mut *self.state;
        if self.held.packets == 0 {
            shaper.begin(now);
        }
        let labels = FlowLabels::of(&settings.labels, packet.flow(), packet.station());
        let place = diffserv::place(settings.diffserv, labels.dscp);
        tins[place].enqueue(now, packet, &labels, &settings.rules[place]);
        self.held += Occupancy::of(&packet);
        while !self.limit.allows(self.held + in_service) && self.drop_longest(now, account) {}
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        if now < self.ready_at() {
            return None;
        }
        while self.held.packets > 0 {
            let place = self.next_tin(now)?;
            let State { settings, tins, shaper, stream } = &mut *self.state;
            let (tin, rules) = (&mut tins[place], &settings.rules[place]);
            let before = tin.occupancy();
            let packet = tin.dequeue(now, rules, stream, account);
            let gone = before - tin.occupancy();
            self.held -= gone;
            let sent = packet.as_ref().map_or(0, |packet| u64::from(packet.bytes()));
            if rules.ingress {
                shaper.discard(settings.rate.span_of_bytes(gone.bytes - sent));
            }
            if packet.is_some() {
                shaper.send(settings.rate.span_of_bytes(sent));
                return packet;
            }
        }
        None
    }

    fn ready_at(&self) -> Time {
        if self.state.settings.shapes { self.state.shaper.ready_at() } else { Time::ZERO }
    }

    fn occupancy(&self) -> Occupancy {
        self.held
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        let settings = Settings::given(given, setup);
        // With another set of tins, flows would belong to other tins.
        let same = settings.diffserv == self.state.settings.diffserv;
        if same {
            self.limit = setup.limit();
            self.state.settings = settings;
        }
        same
    }

    fn drain(&mut self) -> Vec<P> {
        self.held = Occupancy::default();
        self.state.tins.iter_mut().rev().flat_map(Tin::drain).collect()
    }
}

#[cfg(test)]
mod tests;
