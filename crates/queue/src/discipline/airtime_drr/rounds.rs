//! Deficit round robin over stations, in airtime. The queue of a station may be of any kind.

use crate::config::AIRTIME_WEIGHT;
use crate::occupancy::Occupancy;
use crate::round_robin::RoundRobin;
use airfair_core::{Span, Time, words};
use std::collections::BTreeMap;

/// How long a station counts as active (`ieee80211_sta_keep_active` of `net/mac80211`): see [`Order::Linux`].
const ACTIVE: Span = Span::from_millis(100);

words! {
    /// The place of stations that become active.
    pub(in crate::discipline) enum Order {
        /// Before all others. Who is in debt then goes to the end, as everybody in debt does. A station is active up to 100 ms after it came into the
        /// round with a packet, or was served last and had more: only then its airtime is charged, and only if it is active when its last packet
        /// has left does it stay in the round, until its debt is worked off. Otherwise the debt waits for its next packet.
        Linux = "linux",
        /// Before all others but new ones, once; a station in debt stays in the round. A round in which nothing waits forgives.
        Paper = "paper",
    }
}

/// The queue of a station.
pub(in crate::discipline) trait StationQueue: Default {
    fn occupancy(&self) -> Occupancy;
}

/// Stations in turn.
#[derive(Clone, Debug)]
pub(in crate::discipline) struct Rounds<Q> {
    order: Order,
    /// Of a station with the usual weight; in nanoseconds, like the deficits.
    quantum: i64,
    /// For each station, its index in `stations`.
    index: BTreeMap<u32, u32>,
    stations: Vec<Station<Q>>,
    /// Indices of stations that have packets or debts.
    turns: RoundRobin,
    held: Occupancy,
    /// Packets of stations that are not on hold.
    ready: u32,
}

#[derive(Clone, Debug)]
struct Station<Q> {
    queue: Q,
    on_hold: bool,
    weight: u16,
    /// Airtime that it gets in a turn.
    quantum: i64,
    /// Airtime that it may still use in its turn.
    deficit: i64,
    /// Airtime of its packets that the driver holds, as far as the driver tells: part of its turn that is not charged yet.
    pending: i64,
    /// Whether it is in `turns`.
    in_turn: bool,
    /// Whether a packet of it has left, and nobody has looked at it since.
    served: bool,
    /// See [`Order::Linux`].
    active_until: Time,
}

impl<Q: StationQueue> Station<Q> {
    /// Packets that may be dequeued.
    fn ready(&self) -> u32 {
        if self.on_hold { 0 } else { self.queue.occupancy().packets }
    }

    /// Sets its quantum, where stations with the usual weight have this one; its present turn is longer or shorter as well.
    fn set_quantum(&mut self, usual: i64) {
        let quantum = (usual * i64::from(self.weight) / i64::from(AIRTIME_WEIGHT)).max(1);
        self.deficit += quantum - self.quantum;
        self.quantum = quantum;
    }

    /// Airtime that is left of its turn.
    #[inline]
    fn left(&self) -> i64 {
        self.deficit - self.pending
    }

    /// Gets a quantum in each of `turns`, until it is out of debt.
    fn pass(&mut self, turns: i64) {
        let left = self.left();
        if left <= 0 {
            self.deficit += turns.min(-left / self.quantum + 1) * self.quantum;
        }
    }
}

/// A quantum in nanoseconds, above zero.
fn nanos(quantum: Span) -> i64 {
    quantum.0.max(1) as i64
}

impl<Q: StationQueue> Rounds<Q> {
    pub fn new(quantum: Span, weights: &[(u32, u16)], order: Order) -> Rounds<Q> {
        let mut rounds = Rounds {
            order,
            quantum: nanos(quantum),
            index: BTreeMap::new(),
            stations: Vec::new(),
            turns: RoundRobin::default(),
            held: Occupancy::default(),
            ready: 0,
        };
        rounds.set_shares(quantum, weights);
        rounds
    }

    /// Packets and bytes in all queues.
    #[inline]
    pub fn occupancy(&self) -> Occupancy {
        self.held
    }

    /// The queues of stations in turn, with their indices, from the first to the last.
    pub fn queues(&self) -> impl Iterator<Item = (u32, &Q)> {
        self.turns.iter().map(|index| (index, &self.stations[index as usize].queue))
    }

    /// The index of a station, for [`change`](Rounds::change).
    pub fn index_of(&mut self, station: u32) -> u32 {
        *self.index.entry(station).or_insert_with(|| {
            let quantum = self.quantum;
            let queue = Q::default();
            let weight = AIRTIME_WEIGHT;
            let deficit = quantum;
            let (on_hold, pending, in_turn, served, active_until) = (false, 0, false, false, Time::ZERO);
            let station =
                Station { queue, on_hold, weight, quantum, deficit, pending, in_turn, served, active_until };
            self.stations.push(station);
            self.stations.len() as u32 - 1
        })
    }

    /// Changes the queue at `index`.
    #[inline]
    pub fn change<R>(&mut self, index: u32, change: impl FnOnce(&mut Q) -> R) -> R {
        let station = &mut self.stations[index as usize];
        let (held, ready) = (station.queue.occupancy(), station.ready());
        let result = change(&mut station.queue);
        self.held = self.held - held + station.queue.occupancy();
        self.ready = self.ready - ready + station.ready();
        result
    }

    /// A packet for `station` arrives, which `push` puts into its queue.
    #[inline]
    pub fn enqueue(&mut self, now: Time, station: u32, in_service: Occupancy, push: impl FnOnce(&mut Q)) {
        if self.order == Order::Paper && self.held.packets == 0 && in_service.packets == 0 {
            self.settle();
        }
        let index = self.index_of(station);
        self.give_back(now, index);
        self.change(index, push);
        let station = &mut self.stations[index as usize];
        if !station.in_turn {
            (station.in_turn, station.active_until) = (true, now + ACTIVE);
            match self.order {
                Order::Linux => self.turns.push_first(index),
                Order::Paper => self.turns.push_new(index),
            }
        }
    }

    /// The next packet, taken by `pop` from the queue of the station whose turn it is. `None` if nothing waits but
    /// packets on hold.
    #[inline]
    pub fn dequeue<P>(&mut self, now: Time, mut pop: impl FnMut(&mut Q) -> Option<P>) -> Option<P> {
        // Stations in debt that are passed one by one before the round is skipped ahead.
        let mut patience = 0;
        loop {
            let index = self.turns.first()?;
            if self.give_back(now, index) {
                continue;
            }
            if self.ready == 0 {
                return None;
            }
            let station = &mut self.stations[index as usize];
            if self.order == Order::Linux && station.queue.occupancy().packets == 0 {
                if station.left() <= 0 {
                    station.deficit += station.quantum;
                    self.turns.rotate();
                } else {
                    station.in_turn = false;
                    self.turns.remove_first();
                }
            } else if station.left() <= 0 {
                if patience == 0 {
                    patience = self.turns.len();
                    self.skip_idle_turns();
                    continue;
                }
                patience -= 1;
                station.deficit += station.quantum;
                self.turns.rotate();
            } else if station.queue.occupancy().packets == 0 {
                station.in_turn = !self.turns.retire_first();
            } else if station.on_hold {
                self.turns.rotate();
            } else if let Some(packet) = self.change(index, &mut pop) {
                let station = &mut self.stations[index as usize];
                station.served = true;
                if station.queue.occupancy().packets > 0 {
                    station.active_until = now + ACTIVE;
                }
                return Some(packet);
            }
        }
    }

    /// With Linux's order, whether the station at `index` was served and has no more packets: it leaves the round, or goes to its end.
    #[inline]
    fn give_back(&mut self, now: Time, index: u32) -> bool {
        let station = &mut self.stations[index as usize];
        let was_served = std::mem::take(&mut station.served);
        if !was_served || self.order == Order::Paper || station.queue.occupancy().packets > 0 {
            return false;
        }
        station.in_turn = station.left() <= 0 && now <= station.active_until;
        self.turns.remove(index);
        if station.in_turn {
            self.turns.push_old(index);
        }
        true
    }

    /// Charges `station` for `airtime`.
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        let index = self.index_of(station);
        let station = &mut self.stations[index as usize];
        if self.order == Order::Linux && now > station.active_until {
            return;
        }
        station.deficit -= airtime.0 as i64;
        if self.order == Order::Paper && station.left() <= 0 && !station.in_turn {
            station.in_turn = true;
            self.turns.push_old(index);
        }
    }

    /// The driver holds packets of `station` that take this `airtime`.
    pub fn set_pending(&mut self, station: u32, airtime: Span) {
        let index = self.index_of(station);
        self.stations[index as usize].pending = airtime.0 as i64;
    }

    /// Holds the packets of `station` back, or no longer.
    pub fn hold(&mut self, station: u32, held: bool) {
        let index = self.index_of(station);
        let station = &mut self.stations[index as usize];
        self.ready -= station.ready();
        station.on_hold = held;
        self.ready += station.ready();
    }

    /// The airtime of stations with the usual weight, and the weights of all others, from the present turns on.
    pub fn set_shares(&mut self, quantum: Span, weights: &[(u32, u16)]) {
        self.quantum = nanos(quantum);
        self.stations.iter_mut().for_each(|station| station.weight = AIRTIME_WEIGHT);
        for &(station, weight) in weights {
            let index = self.index_of(station);
            self.stations[index as usize].weight = weight;
        }
        self.stations.iter_mut().for_each(|station| station.set_quantum(self.quantum));
    }

    /// Stations that become active take this place from now on.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// Removes all packets with `take`, station by station in the order of their turns.
    pub fn drain<P>(&mut self, take: impl Fn(&mut Q) -> Vec<P>) -> Vec<P> {
        let turns: Vec<_> = self.turns.iter().collect();
        turns.into_iter().flat_map(|index| self.change(index, &take)).collect()
    }

    /// Advances the round until no station is in debt.
    fn settle(&mut self) {
        for index in self.turns.drain() {
            let station = &mut self.stations[index as usize];
            station.in_turn = false;
            station.pass(i64::MAX);
        }
    }

    /// Skips turns in which every station is on hold or stays in debt.
    fn skip_idle_turns(&mut self) {
        let stations = self.turns.iter().map(|index| &self.stations[index as usize]);
        let debts = stations.filter(|station| !station.on_hold);
        let turns = debts.map(|station| (-station.left()).max(0) / station.quantum).min().unwrap_or(0);
        if turns == 0 {
            return;
        }
        self.turns.demote_new();
        for index in self.turns.iter() {
            self.stations[index as usize].pass(turns);
        }
    }
}
