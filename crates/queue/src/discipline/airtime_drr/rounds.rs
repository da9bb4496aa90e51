//! Deficit round robin over stations, in airtime. The queue of a station may be of any kind.

use crate::config::AIRTIME_WEIGHT;
use crate::occupancy::Occupancy;
use crate::round_robin::RoundRobin;
use airfair_core::{Span, Time, words};
use std::collections::BTreeMap;

/// How long a station counts as active (`ieee80211_sta_keep_active` of `net/mac80211`): see [`Order::Linux`].
const ACTIVE: Span = Span::from_millis(100);

words! {
    /// The place in the round of stations that become active.
    pub(in crate::discipline) enum Order {
        /// Stations that become active come before all others. A station in debt then goes to the end, as every station in debt does. A station is
        /// active up to 100 ms after it came into the round with a packet, or was served last and had more. Only while it is active is its airtime
        /// charged, and only if it is active when its last packet has left does it stay in the round, until its debt is worked off. Otherwise the
        /// debt waits for its next packet.
        Linux = "linux",
        /// Stations that become active come before all others but new ones, once. A station in debt stays in the round. All debts are forgiven once
        /// nothing waits and nothing is in service.
        Paper = "paper",
    }
}

/// The queue of a station.
pub(in crate::discipline) trait StationQueue: Default {
    fn occupancy(&self) -> Occupancy;
}

/// Deficit round robin over stations with queues of type `Q`.
#[derive(Clone, Debug)]
pub(in crate::discipline) struct Rounds<Q> {
    order: Order,
    /// Quantum of a station with the usual weight, in nanoseconds, like the deficits.
    quantum: i64,
    /// For each station, its index in `stations`.
    index: BTreeMap<u32, u32>,
    stations: Vec<Station<Q>>,
    /// Indices of stations that have packets or debts.
    turns: RoundRobin,
    held: Occupancy,
    /// Number of packets of stations that are not on hold.
    ready: u32,
}

#[derive(Clone, Debug)]
struct Station<Q> {
    queue: Q,
    on_hold: bool,
    weight: u16,
    /// Airtime that the station gets in a turn, in nanoseconds.
    quantum: i64,
    /// Airtime that the station may still use in its turn, in nanoseconds.
    deficit: i64,
    /// Airtime of the station's packets that the driver holds, as far as the driver reports it, in nanoseconds: a part of the turn that is not
    /// charged yet.
    pending: i64,
    /// Whether the station is in [`Rounds::turns`].
    in_turn: bool,
    /// Whether a packet of the station has left since [`Rounds::give_back`] was last called for the station.
    served: bool,
    /// Until when the station counts as active: see [`Order::Linux`].
    active_until: Time,
}

impl<Q: StationQueue> Station<Q> {
    /// Returns the number of packets that may be dequeued.
    fn ready(&self) -> u32 {
        if self.on_hold { 0 } else { self.queue.occupancy().packets }
    }

    /// Sets the station's quantum from that of stations with the usual weight. The station's present turn becomes longer or shorter as well.
    fn set_quantum(&mut self, usual: i64) {
        let quantum = (usual * i64::from(self.weight) / i64::from(AIRTIME_WEIGHT)).max(1);
        self.deficit += quantum - self.quantum;
        self.quantum = quantum;
    }

    /// Returns the airtime that is left of the station's turn, in nanoseconds; zero or less if it is in debt.
    #[inline]
    fn left(&self) -> i64 {
        self.deficit - self.pending
    }

    /// Adds a quantum for each of `turns` turns, until the station is out of debt.
    fn pass(&mut self, turns: i64) {
        let left = self.left();
        if left <= 0 {
            self.deficit += turns.min(-left / self.quantum + 1) * self.quantum;
        }
    }
}

/// Returns a quantum in nanoseconds, at least 1.
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

    /// Returns the packets and bytes in all queues.
    #[inline]
    pub fn occupancy(&self) -> Occupancy {
        self.held
    }

    /// Returns the queues of stations in the round, with their indices, in the order of their turns.
    pub fn queues(&self) -> impl Iterator<Item = (u32, &Q)> {
        self.turns.iter().map(|index| (index, &self.stations[index as usize].queue))
    }

    /// Returns the index of a station, for [`change`](Rounds::change).
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

    /// Handles the arrival of a packet for `station`, which `push` puts into its queue.
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

    /// Returns the next packet, taken by `pop` from the queue of the station whose turn it is. `None` if nothing waits but packets on hold.
    #[inline]
    pub fn dequeue<P>(&mut self, now: Time, mut pop: impl FnMut(&mut Q) -> Option<P>) -> Option<P> {
        // Number of stations in debt that are still passed one by one before turns are skipped.
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

    /// With Linux's order, takes the turn from the station at `index` if it was served and has no more packets: it leaves the round, or goes to the
    /// end. Returns whether it did.
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

    /// Sets the airtime of the packets of `station` that the driver holds.
    pub fn set_pending(&mut self, station: u32, airtime: Span) {
        let index = self.index_of(station);
        self.stations[index as usize].pending = airtime.0 as i64;
    }

    /// Holds the packets of `station` back, or releases them.
    pub fn hold(&mut self, station: u32, held: bool) {
        let index = self.index_of(station);
        let station = &mut self.stations[index as usize];
        self.ready -= station.ready();
        station.on_hold = held;
        self.ready += station.ready();
    }

    /// Sets the airtime of a turn for stations with the usual weight, and the weights of all others, from the present turns on.
    pub fn set_shares(&mut self, quantum: Span, weights: &[(u32, u16)]) {
        self.quantum = nanos(quantum);
        self.stations.iter_mut().for_each(|station| station.weight = AIRTIME_WEIGHT);
        for &(station, weight) in weights {
            let index = self.index_of(station);
            self.stations[index as usize].weight = weight;
        }
        self.stations.iter_mut().for_each(|station| station.set_quantum(self.quantum));
    }

    /// Sets the place in the round of stations that become active from now on.
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
