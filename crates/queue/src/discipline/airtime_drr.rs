//! Airtime fairness: deficit round robin over stations, in airtime (T. Høiland-Jørgensen, M. Kazior, D. Täht, P.
//! Hurtig and A. Brunstrom, "Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi", USENIX ATC
//! 2017, section 3.2 and algorithm 3; in Linux's ath9k, and from there in mac80211).
//!
//! Each station has a queue and a deficit. The first station in turn is served while its deficit is above zero;
//! otherwise it gets a quantum and goes to the end of the round. Airtime is charged afterwards, when it is known: of
//! all attempts, and of frames from the station as well as to it. Stations that have just become active come first,
//! once.
//!
//! Choices:
//!
//! * *The queue of a station is first in, first out*, where the paper has FQ-CoDel. Then the only differences from
//!   drop-tail are whose turn it is, and whose packets are dropped; [CoDel](super::CoDel) and
//!   [FQ-CoDel](super::FqCoDel) show the effect of shorter queues.
//! * *When there is no room*, packets are dropped from the head of the longest queue; of equals the one with most
//!   bytes, then the one whose turn is furthest. A fixed preference would starve a station: with two packets of room
//!   for each of sixty stations, most are equal. The longest queue is the longest in the limit's unit: mac80211
//!   (`net/fq.h`) compares bytes under a limit of 8192 packets, which it rarely reaches; under a limit of a hundred,
//!   a station whose debt keeps its ACKs waiting would hold the whole buffer, and every data packet of the others
//!   would be the first to go.
//! * *A station in debt stays in turn without packets*, as in ath9k, and gets its quanta as turns pass; so a debt is
//!   a lead of the others, not a permanent penalty. Turns that take no time, because all stations are in debt, are
//!   skipped by arithmetic.
//! * *Only the caller charges*: a station that is never charged keeps its turn until its queue is empty.
//! * *A station on hold* is passed over. It keeps a deficit above zero, and gets quanta as long as it is in debt. No
//!   turn passes while all packets are for stations on hold.
//! * *When nothing waits and nothing is in service*, turns take no time: the next arrival finds no debts.

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use crate::round_robin::RoundRobin;
use airfair_core::{Span, Time};
use std::collections::BTreeMap;

// ath9k's `ATH_AIRTIME_QUANTUM`.
const QUANTUM: Parameter = Parameter {
    name: "quantum",
    kind: Kind::Time(Range::POSITIVE.at_most(1000.0)),
    default: Value::Time(Span::from_micros(300)),
    help: "airtime that a station may use in its turn",
};

/// Round robin over stations by airtime.
#[derive(Clone, Debug)]
pub struct AirtimeDrr<P> {
    limit: QueueLimit,
    /// In nanoseconds, like the deficits.
    quantum: i64,
    /// For each station, its index in `stations`.
    index: BTreeMap<u32, u32>,
    stations: Vec<Station<P>>,
    /// Indices of stations that have packets or debts.
    turns: RoundRobin,
    held: Occupancy,
    /// Packets of stations that are not on hold.
    ready: u32,
}

#[derive(Clone, Debug)]
struct Station<P> {
    fifo: Fifo<P>,
    on_hold: bool,
    /// Airtime that it may still use in its turn.
    deficit: i64,
    /// Whether it is in `turns`.
    in_turn: bool,
}

impl<P: Queued> Station<P> {
    /// Packets that may be dequeued.
    fn ready(&self) -> u32 {
        if self.on_hold { 0 } else { self.fifo.occupancy().packets }
    }

    /// Gets a quantum in each of `turns`, until it is out of debt.
    fn pass(&mut self, turns: i64, quantum: i64) {
        if self.deficit <= 0 {
            self.deficit += turns.min(-self.deficit / quantum + 1) * quantum;
        }
    }
}

impl<P: Queued> AirtimeDrr<P> {
    fn index_of(&mut self, number: u32) -> u32 {
        *self.index.entry(number).or_insert_with(|| {
            let station =
                Station { fifo: Fifo::default(), on_hold: false, deficit: self.quantum, in_turn: false };
            self.stations.push(station);
            self.stations.len() as u32 - 1
        })
    }

    /// Makes room: drops the head of the longest queue; of equals, `max_by_key` finds the last.
    fn drop_longest(&mut self, account: &mut Account<P>) {
        let longest = self.turns.iter().max_by_key(|&index| {
            let held = self.stations[index as usize].fifo.occupancy();
            (self.limit.units(held), held.bytes)
        });
        if let Some(packet) = longest.and_then(|index| self.pop(index)) {
            account.drop_full(packet);
        }
    }

    fn pop(&mut self, index: u32) -> Option<P> {
        let station = &mut self.stations[index as usize];
        let packet = station.fifo.pop()?;
        self.held -= Occupancy::of(&packet);
        self.ready -= u32::from(!station.on_hold);
        Some(packet)
    }

    /// Advances the round until no station is in debt.
    fn settle(&mut self) {
        for index in self.turns.drain() {
            let station = &mut self.stations[index as usize];
            station.in_turn = false;
            station.pass(i64::MAX, self.quantum);
        }
    }

    /// Skips turns in which every station is on hold or stays in debt.
    fn skip_idle_turns(&mut self) {
        let stations = self.turns.iter().map(|index| &self.stations[index as usize]);
        let debts = stations.filter(|station| !station.on_hold).map(|station| -station.deficit);
        let turns = debts.min().map_or(0, |least| least.max(0) / self.quantum);
        if turns == 0 {
            return;
        }
        self.turns.demote_new();
        for index in self.turns.iter() {
            self.stations[index as usize].pass(turns, self.quantum);
        }
    }
}

impl<P: Queued> QueueDiscipline<P> for AirtimeDrr<P> {
    const NAME: &'static str = "airtime_drr";
    const PARAMETERS: &'static [Parameter] = &[QUANTUM];

    fn new(given: &Configured, setup: &Setup) -> AirtimeDrr<P> {
        AirtimeDrr {
            limit: setup.limit(),
            quantum: given.time(&QUANTUM).0.max(1) as i64,
            index: BTreeMap::new(),
            stations: Vec::new(),
            turns: RoundRobin::default(),
            held: Occupancy::default(),
            ready: 0,
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, _now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        if self.held.packets == 0 && in_service.packets == 0 {
            self.settle();
        }
        let index = self.index_of(packet.station());
        let station = &mut self.stations[index as usize];
        station.fifo.push(packet);
        self.held += Occupancy::of(&packet);
        self.ready += u32::from(!station.on_hold);
        if !station.in_turn {
            station.in_turn = true;
            self.turns.push_new(index);
        }
        while self.held.packets > 0 && !self.limit.allows(self.held + in_service) {
            self.drop_longest(account);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, _now: Time, _account: &mut Account<P>) -> Option<P> {
        if self.ready == 0 {
            return None;
        }
        // Stations in debt that are passed one by one before the round is skipped ahead.
        let mut patience = 0;
        loop {
            let index = self.turns.first()?;
            let station = &mut self.stations[index as usize];
            if station.deficit <= 0 {
                if patience == 0 {
                    patience = self.turns.len();
                    self.skip_idle_turns();
                    continue;
                }
                patience -= 1;
                station.deficit += self.quantum;
                self.turns.rotate();
                continue;
            }
            if station.fifo.is_empty() {
                station.in_turn = !self.turns.retire_first();
            } else if station.on_hold {
                self.turns.rotate();
            } else {
                return self.pop(index);
            }
        }
    }

    fn charge(&mut self, _now: Time, station: u32, airtime: Span) {
        let index = self.index_of(station);
        let station = &mut self.stations[index as usize];
        station.deficit -= airtime.0 as i64;
        if station.deficit <= 0 && !station.in_turn {
            station.in_turn = true;
            self.turns.push_old(index);
        }
    }

    fn hold(&mut self, station: u32, held: bool) {
        let index = self.index_of(station);
        let station = &mut self.stations[index as usize];
        self.ready -= station.ready();
        station.on_hold = held;
        self.ready += station.ready();
    }

    fn occupancy(&self) -> Occupancy {
        self.held
    }

    fn set_limit(&mut self, limit: QueueLimit) {
        self.limit = limit;
    }
}

#[cfg(test)]
mod tests;
