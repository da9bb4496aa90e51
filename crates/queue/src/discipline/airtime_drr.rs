//! Deficit round robin over stations, in airtime (T. Høiland-Jørgensen, M. Kazior, D. Täht, P.
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

mod rounds;

use super::{Configured, Kind, Parameter, QueueDiscipline, Range, Setup, Value};
use crate::account::Account;
use crate::config::QueueLimit;
use crate::fifo::Fifo;
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Span, Time};

pub(super) use rounds::{Order, Rounds, StationQueue};

// ath9k's `ATH_AIRTIME_QUANTUM`.
pub(super) const QUANTUM: Parameter = Parameter {
    name: "quantum",
    kind: Kind::Time(Range::POSITIVE.at_most(1000.0)),
    default: Value::Time(Span::from_micros(300)),
    help: "airtime that a station may use in its turn",
};

/// Round robin over stations by airtime.
#[derive(Clone, Debug)]
pub struct AirtimeDrr<P> {
    limit: QueueLimit,
    rounds: Rounds<Fifo<P>>,
}

impl<P: Queued> StationQueue for Fifo<P> {
    #[inline]
    fn occupancy(&self) -> Occupancy {
        Fifo::occupancy(self)
    }
}

impl<P: Queued> AirtimeDrr<P> {
    /// Returns the index of the longest queue. Of equals, `max_by_key` finds the last.
    fn longest(&self) -> Option<u32> {
        let longest = self.rounds.queues().max_by_key(|(_, fifo)| {
            let held = fifo.occupancy();
            (self.limit.units(held), held.bytes)
        });
        longest.map(|(index, _)| index)
    }
}

impl<P: Queued> QueueDiscipline<P> for AirtimeDrr<P> {
    const NAME: &'static str = "airtime_drr";
    const ABOUT: &'static str = "Airtime fairness: stations in turn, by the airtime that they have taken (Høiland-Jørgensen et al., \
         USENIX ATC 2017, section 3.2).";
    const PARAMETERS: &'static [Parameter] = &[QUANTUM];
    const HOLDS_STATIONS: bool = true;

    fn new(given: &Configured, setup: &Setup) -> AirtimeDrr<P> {
        let rounds = Rounds::new(given.time(&QUANTUM), &setup.config.weights, Order::Paper);
        AirtimeDrr { limit: setup.limit(), rounds }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
        self.rounds.enqueue(now, packet.station(), in_service, |fifo| fifo.push(packet));
        while !self.limit.allows(self.rounds.occupancy() + in_service) {
            let dropped = self.longest().and_then(|index| self.rounds.change(index, Fifo::pop));
            let Some(packet) = dropped else { break };
            account.drop_full(packet);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _account: &mut Account<P>) -> Option<P> {
        self.rounds.dequeue(now, Fifo::pop)
    }

    fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.rounds.charge(now, station, airtime);
    }

    fn set_pending(&mut self, station: u32, airtime: Span) {
        self.rounds.set_pending(station, airtime);
    }

    fn hold(&mut self, station: u32, held: bool) {
        self.rounds.hold(station, held);
    }

    fn occupancy(&self) -> Occupancy {
        self.rounds.occupancy()
    }

    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool {
        self.limit = setup.limit();
        self.rounds.set_shares(given.time(&QUANTUM), &setup.config.weights);
        true
    }

    fn drain(&mut self) -> Vec<P> {
        self.rounds.drain(|fifo| fifo.drain().collect())
    }
}

#[cfg(test)]
mod tests;
