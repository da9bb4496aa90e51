//! The queue of Linux's mac80211 (T. Høiland-Jørgensen et al., "Ending the Anomaly: Achieving Low Latency and Airtime
//! Fairness in WiFi", USENIX ATC 2017, section 3).
//!
//! A station's turn is a share of airtime as in [`airtime_drr`](super::AirtimeDrr), in proportion to its weight. A
//! station that becomes active comes first unless it is in debt, as in Linux since 2020 (`__ieee80211_schedule_txq` and
//! `ieee80211_next_txq` in `net/mac80211/tx.c`). Its airtime is charged up to 100 ms after it became active, or was
//! served last and had more (`ieee80211_sta_register_airtime` in `sta_info.c`): a station that only sends runs up no
//! debt. `station_order = "paper"` has the order of 2017, and charges always. A station's flows take turns in bytes as in
//! [`fq_codel`](super::FqCoDel). The limit of packets is the queue's own (Linux: 8192); a second limit is of memory. When
//! either is exceeded, half of the packets of the flow with most bytes are dropped from its head, at most 32, at least
//! one (`include/net/fq_impl.h`).
//!
//! Choices:
//!
//! * *Each station has queues of its own*, where Linux hashes the flows of all stations onto 4096 queues, and sends
//!   a flow that meets another station's flow there to a queue that its station has for this.
//! * *A packet's memory* is its length and that of Linux's buffers without data, 576 bytes. Drivers that receive
//!   into larger buffers reach the limit with fewer packets.
//! * *A driver takes packet after packet* of the station in turn until that is in debt, has no packets, or is on hold for
//!   its airtime queue limit; Linux's drivers differ in how many they take in a turn.
//! * *`slow_station_codel`* takes the expected rates and the number of stations at the moment when a packet leaves; Linux
//!   those at the last change of the station's rate. Stations whose rate has not been reported are neither slow nor
//!   counted.

use super::airtime_drr::{self, Order, Rounds, StationQueue};
use super::codel::{self, ControlLaw};
use super::fq_codel::{self, FlowSettings, Flows};
use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::{AIRTIME_WEIGHT, QueueLimit};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Time};

// `net/mac80211/sta_info.c`.
const TARGET: Parameter = Parameter { default: Value::Time(Span::from_millis(20)), ..codel::TARGET };
const INTERVAL: Parameter = codel::INTERVAL;
const ECN: Parameter = fq_codel::ECN;
// `include/net/fq_impl.h` and `net/mac80211/tx.c`.
const QUANTUM: Parameter = Parameter { default: Value::Bytes(300), ..fq_codel::QUANTUM };
const FLOWS: Parameter = Parameter { default: Value::Number(4096.0), ..fq_codel::FLOWS };
const MEMORY_LIMIT: Parameter = Parameter {
    name: "memory_limit",
    kind: Kind::Bytes(Range::POSITIVE),
    default: Value::Bytes(16 << 20),
    help: "memory that packets may take, 576 bytes beside the length of each; Linux has 4 MiB for devices without VHT",
};
// `IEEE80211_DEFAULT_AIRTIME_WEIGHT`, in microseconds.
const AIRTIME_QUANTUM: Parameter = Parameter {
    name: "airtime_quantum",
    default: Value::Time(Span::from_micros(AIRTIME_WEIGHT as u64)),
    ..airtime_drr::QUANTUM
};
const STATION_ORDER: Parameter = Parameter {
    name: "station_order",
    kind: Kind::Word(Order::WORDS),
    default: Value::Word(Order::Linux.word()),
    help: "stations that become active come first unless they are in debt, and are charged for airtime only up to 100 ms after they had packets, \
           as in Linux; or they come first once and are always charged, as in the paper of 2017",
};
// Commit 4876376988081d636a4c4e5f03a5556386b49087 removed the rule.
const SLOW_STATION_CODEL: Parameter = Parameter {
    name: "slow_station_codel",
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "stations with an expected rate below 6 Mb/s times the number of stations have a target of 50 ms, an interval \
           of 300 ms and no marks: a rule that Linux has given up",
};

const AIRTIME_FAIRNESS: Parameter = Parameter {
    name: "airtime_fairness",
    kind: Kind::Flag,
    default: Value::Flag(true),
    help: "whether an exchange is charged with its airtime; otherwise each counts as one `airtime_quantum`, so that stations take turns",
};

/// Control law of slow stations. [`SLOW_RATE`] is the rate, in bit/s, below which a station is slow when it is the only one.
const SLOW: ControlLaw = ControlLaw {
    target: Span::from_millis(50),
    interval: Span::from_millis(300),
    ecn: false,
    ce_threshold: None,
    spares_longest: false,
};
const SLOW_RATE: u64 = 6_000_000;

/// Bytes of a buffer without its data: Linux's `SKB_TRUESIZE(0)` with 64 bits and cache lines of 64 bytes.
const OVERHEAD: u64 = 576;

/// The queue of mac80211.
#[derive(Clone, Debug)]
pub struct Mac80211<P> {
    limit: QueueLimit,
    memory_limit: u64,
    settings: FlowSettings,
    /// Settings of slow stations, if they have a control law of their own.
    slow_settings: Option<FlowSettings>,
    /// Boxed, because the largest discipline determines the size of every queue, and most are of another kind.
    rounds: Box<Rounds<Station<P>>>,
    /// Fixed charge of an exchange; `None` if its airtime is charged.
    charge: Option<Span>,
    /// Number of stations with a known rate.
    rates: u64,
}

#[derive(Clone, Debug)]
struct Station<P> {
    flows: Flows<P>,
    /// Expected rate of the station; `None` if none has been reported.
    rate: Option<Rate>,
}

impl<P> Default for Station<P> {
    fn default() -> Station<P> {
        Station { flows: Flows::default(), rate: None }
    }
}

impl<P: Queued> StationQueue for Station<P> {
    #[inline]
    fn occupancy(&self) -> Occupancy {
        self.flows.occupancy()
    }
}

/// Returns the fixed charge of an exchange; `None` if its airtime is charged.
fn fixed_charge(given: &Configured) -> Option<Span> {
    (!given.flag(&AIRTIME_FAIRNESS)).then(|| given.time(&AIRTIME_QUANTUM))
}

fn order(given: &Configured) -> Order {
    Order::from_word(given.word(&STATION_ORDER)).unwrap_or(Order::Linux)
}

/// Returns the control law of stations that are not slow. Linux leaves the longest packet (`codel_params.mtu`) at 0.
fn law(given: &Configured) -> ControlLaw {
    ControlLaw { spares_longest: false, ..ControlLaw::given(given, None) }
}

/// Returns the settings of slow stations, if they have a control law of their own.
fn slow(given: &Configured, settings: FlowSettings) -> Option<FlowSettings> {
    given.flag(&SLOW_STATION_CODEL).then(|| settings.with_law(SLOW))
}

impl<P: Queued> Mac80211<P> {
    fn allows(&self, held: Occupancy, in_service: Occupancy) -> bool {
        let memory = held.bytes + OVERHEAD * u64::from(held.packets);
        self.limit.allows(held + in_service) && memory <= self.memory_limit
    }

    /// Makes room: drops packets of the fattest flow. Returns false if nothing is left to drop.
    fn drop_batch(&mut self, account: &mut Account<P>) -> bool {
        let stations = self.rounds.queues();
        let fattest = stations.filter_map(|(index, station)| Some((station.flows.fattest()?, index))).max();
        let Some(((_, flow), index)) = fattest else { return false };
        let batch = |packets: u32| (packets / 2).clamp(1, 32);
        self.rounds.change(index, |station| station.flows.drop_batch(flow, batch, account));
        true
    }
}

impl<P: Queued> QueueDiscipline<P> for Mac80211<P> {
    const NAME: &'static str = "mac80211";
    const ABOUT: &'static str = "The queue of Linux's mac80211: FQ-CoDel for each station, and above it airtime fairness among stations \
         (Høiland-Jørgensen et al., USENIX ATC 2017, section 3).";
    const PARAMETERS: &'static [Parameter] = &[
        TARGET,
        INTERVAL,
        QUANTUM,
        FLOWS,
        ECN,
        MEMORY_LIMIT,
        AIRTIME_FAIRNESS,
        AIRTIME_QUANTUM,
        STATION_ORDER,
        SLOW_STATION_CODEL,
    ];
    const HOLDS_STATIONS: bool = true;

    fn new(given: &Configured, setup: &Setup) -> Mac80211<P> {
        let settings = FlowSettings::given(given, law(given), setup);
        Mac80211 {
            limit: setup.limit(),
            memory_limit: given.bytes(&MEMORY_LIMIT),
            settings,
            slow_settings: slow(given, settings),
            rounds: Box::new(Rounds::new(given.time(&AIRTIME_QUANTUM), &setup.config.weights, order(given))),
            charge: fixed_charge(given),
            rates: 0,
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        let settings = &self.settings;
        self.rounds.enqueue(now, packet.station(), in_service, |to| to.flows.enqueue(now, packet, settings));
        while !self.allows(self.rounds.occupancy(), in_service) {
            if !self.drop_batch(account) {
                break;
            }
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
        let below = SLOW_RATE * self.rates;
        self.rounds.dequeue(now, |station| {
            let is_slow = station.rate.is_some_and(|rate| rate.bits_per_second() < below);
            let slow = self.slow_settings.as_ref().filter(|_| is_slow);
            station.flows.dequeue(now, slow.unwrap_or(&self.settings), account)
        })
    }

    fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.rounds.charge(now, station, self.charge.unwrap_or(airtime));
    }

    fn set_pending(&mut self, station: u32, airtime: Span) {
        if self.charge.is_none() {
            self.rounds.set_pending(station, airtime);
        }
    }

    fn hold(&mut self, station: u32, held: bool) {
        self.rounds.hold(station, held);
    }

    fn set_station_rate(&mut self, station: u32, rate: Rate) {
        let index = self.rounds.index_of(station);
        let before = self.rounds.change(index, |station| station.rate.replace(rate));
        self.rates += u64::from(before.is_none());
    }

    fn occupancy(&self) -> Occupancy {
        self.rounds.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        let Some(settings) = self.settings.adopt(given, law(given)) else { return false };
        (self.limit, self.memory_limit) = (setup.limit(), given.bytes(&MEMORY_LIMIT));
        (self.settings, self.slow_settings) = (settings, slow(given, settings));
        self.charge = fixed_charge(given);
        self.rounds.set_order(order(given));
        self.rounds.set_shares(given.time(&AIRTIME_QUANTUM), &setup.config.weights);
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.rounds.drain(|station| station.flows.drain())
    }
}

#[cfg(test)]
mod tests;
