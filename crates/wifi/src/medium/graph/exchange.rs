//! Exchanges (RTS, CTS, data and answer, one SIFS after the other), and TXOPs of several exchanges.

use airfair_core::Time;

use super::GraphMedium;
use super::air::{Fate, Part, Start, Transmission};
use crate::mac::Payload;
use crate::mac::qos::{Plan, Prelude};
use crate::medium::TurnOutcome;
use crate::phy::edca::AccessCategory;
use crate::phy::mode::OLDEST;

/// The exchange under way of a station that has won access to the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub plan: Plan,
    /// When the first frame of the exchange began.
    pub start: Time,
    txop_start: Time,
    /// Whether a frame is on the air, or follows a SIFS after the last one.
    pub is_on_air: bool,
    /// Whether another transmission disturbed the receiver.
    collided: bool,
}

/// The ACK or block ack that ends an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Nobody sends an answer.
    None,
    Lost,
    Arrives,
}

impl<P: Payload> GraphMedium<P> {
    /// Begins what `station`, whose countdown has ended, sends: a beacon, a broadcast or an exchange. Returns `false` if it sends nothing.
    pub(super) fn win_access(&mut self, now: Time, station: u32) -> bool {
        self.attend(station);
        let Some(idle) = self.views[station as usize].idle else { return false };
        let beacon = self.winning_beacon(now, station, idle);
        let node = &mut self.nodes[station as usize];
        let category = node.station.win_access(now, idle, beacon.is_some(), &node.rules);
        node.announcers.iter_mut().for_each(|announcer| announcer.freeze(now, idle));
        node.access_at = Time::NEVER;
        self.views[station as usize].idle = None;
        if let Some(beacon) = beacon {
            node.announcers[usize::from(beacon)].take();
            self.announce(now, station, beacon);
            return true;
        }
        let Some(category) = category else { return false };
        if category == AccessCategory::BestEffort && node.station.takes_broadcast(now, category) {
            self.announce_broadcast(now, station);
            return true;
        }
        let plan = node.station.plan(now, category, &node.rules);
        self.note_departures(station);
        let Some(plan) = plan else { return false };
        self.begin(now, station, plan, now);
        true
    }

    fn begin(&mut self, now: Time, station: u32, plan: Plan, txop_start: Time) {
        let node = &mut self.nodes[station as usize];
        node.station.stats.attempts += 1;
        self.stats.attempts += 1;
        node.arrived.clear();
        node.exchange = Some(Exchange { plan, start: now, txop_start, is_on_air: true, collided: false });
        self.change_active(now, true);
        let sifs = self.nodes[station as usize].rules.sifs;
        let nav = sifs + plan.duration + sifs + plan.answer;
        match plan.prelude {
            Prelude::Nothing => self.send_data(now, station),
            Prelude::CtsToSelf(cts) => {
                let transmission = self.transmission(station, Part::CtsToSelf, now + cts + nav);
                self.transmit(now, transmission, cts);
            }
            Prelude::RtsCts(rts, cts) => {
                let transmission = self.transmission(station, Part::Rts, now + rts + sifs + cts + nav);
                self.transmit(now, transmission, rts);
            }
        }
    }

    /// Returns a frame of the exchange of `station`, which ends when it is [sent](GraphMedium::transmit).
    fn transmission(&self, station: u32, part: Part, nav_end: Time) -> Transmission {
        let node = &self.nodes[station as usize];
        let exchange = node.exchange.as_ref().expect("its exchange goes on");
        let receiver = node.on_channel(exchange.plan.receiver);
        let (sender, receiver) = match part {
            Part::Rts | Part::Data => (station, receiver),
            Part::Cts | Part::Answer => (receiver, station),
            Part::CtsToSelf | Part::CtsToAnnounce(_) | Part::Announcement(_) => (station, station),
        };
        let standard = match part {
            Part::Data => exchange.plan.standard,
            Part::Answer => exchange.plan.standard.older(OLDEST),
            _ => node.rules.common(),
        };
        Transmission { number: 0, sender, receiver, part, standard, end: Time::NEVER, nav_end }
    }

    pub(super) fn send_data(&mut self, now: Time, station: u32) {
        let node = &mut self.nodes[station as usize];
        let plan = node.exchange.as_ref().expect("its exchange goes on").plan;
        node.station.begin_data(&plan);
        let nav_end = now + plan.duration + node.rules.sifs + plan.answer;
        let transmission = self.transmission(station, Part::Data, nav_end);
        self.transmit(now, transmission, plan.duration);
    }

    /// Ends an RTS, a data frame or a block ack request. Returns whether any of it has a valid check sequence at its receiver.
    pub(super) fn end_of_request(&mut self, now: Time, transmission: &Transmission, fate: Fate) -> bool {
        let &Transmission { sender, receiver, part, nav_end, .. } = transmission;
        let node = &mut self.nodes[sender as usize];
        let rules = node.rules;
        let Some(exchange) = &mut node.exchange else { return false };
        exchange.collided |= fate == Fate::Collides;
        let plan = exchange.plan;
        // A station whose own exchange is on the air answers no other: both wait for the same SIFS.
        let is_free = !self.nodes[receiver as usize].exchange.as_ref().is_some_and(|own| own.is_on_air);
        let is_rts = part == Part::Rts;
        let is_valid = fate == Fate::Arrives
            && (is_rts || !is_free || self.receive_or_wait(now, sender, receiver, &plan));
        // A station sends no CTS while its NAV says that the air is busy (IEEE 802.11-2020, 10.3.2.9).
        if !is_valid || !is_free || is_rts && self.view(receiver).nav_until > now {
            self.leave_air(now, sender, Answer::None);
            let answer = if is_rts { plan.codings.cts } else { plan.codings.answer };
            self.timeouts.push((now + rules.answer_timeout(answer.0), sender));
            return is_valid;
        }
        let (part, duration) =
            if is_rts { (Part::Cts, plan.prelude.cts()) } else { (Part::Answer, plan.answer) };
        let start = now + rules.sifs;
        let nav_end = if is_rts { nav_end } else { start + duration };
        let response = self.transmission(sender, part, nav_end);
        self.starts.push((start, Start::Response(response, duration)));
        true
    }

    /// Receives a data frame or a block ack request. Returns `false` if no MPDU of it has a valid check sequence: then EIFS follows at the
    /// receiver (IEEE 802.11-2020, 10.3.7), and nobody answers.
    fn receive_or_wait(&mut self, now: Time, from: u32, to: u32, plan: &Plan) -> bool {
        let is_valid = self.receive(now, from, to, plan);
        if !is_valid {
            self.views[to as usize].note_garbled(now);
        }
        is_valid
    }

    /// Notes that the answer that `station` waits for, a CTS or another one, does not begin when it should.
    pub(super) fn miss_answer(&mut self, now: Time, station: u32, part: Part) {
        self.leave_air(now, station, Answer::None);
        let node = &self.nodes[station as usize];
        let Some(Exchange { plan, .. }) = &node.exchange else { return };
        let answer = if part == Part::Cts { plan.codings.cts } else { plan.codings.answer };
        let timeout = node.rules.answer_timeout(answer.0) - node.rules.sifs;
        self.timeouts.push((now + timeout, station));
    }

    pub(super) fn end_of_cts(&mut self, now: Time, station: u32, arrives: bool) {
        if arrives {
            self.starts.push((now + self.nodes[station as usize].rules.sifs, Start::Data(station)));
        } else {
            self.fail(now, station, Answer::None);
        }
    }

    pub(super) fn end_of_answer(&mut self, now: Time, station: u32, arrives: bool) {
        if !arrives {
            return self.fail(now, station, Answer::Lost);
        }
        self.leave_air(now, station, Answer::Arrives);
        let node = &mut self.nodes[station as usize];
        let Some(exchange) = &node.exchange else { return };
        let plan = exchange.plan;
        node.station.end_exchange(now, &plan, Some(&node.arrived), &node.rules);
        let used = now.since(exchange.txop_start) + node.rules.sifs;
        let txop = node.station.txop(plan.category);
        if txop > used && node.station.has_frames(plan.category) {
            self.starts.push((now + node.rules.sifs, Start::Next(station)));
        } else {
            // Countdowns go on for all that hear the answer, this station among them.
            self.end_turn(station);
        }
        self.note_departures(station);
    }

    /// Goes on with the TXOP of `station` by another exchange, if there is time for it.
    pub(super) fn go_on(&mut self, now: Time, station: u32) {
        let node = &mut self.nodes[station as usize];
        let Some(exchange) = &node.exchange else { return };
        let (category, txop_start) = (exchange.plan.category, exchange.txop_start);
        let left = node.station.txop(category) - now.since(txop_start);
        let plan = node.station.plan_next(now, category, left, &node.rules);
        self.note_departures(station);
        match plan {
            Some(plan) => self.begin(now, station, plan, txop_start),
            None => {
                self.end_turn(station);
                self.resume(now, station);
            }
        }
    }

    /// Ends the turn of `station` on the air, with success. The caller must let the station count down from now on.
    fn end_turn(&mut self, station: u32) {
        let node = &mut self.nodes[station as usize];
        if let Some(exchange) = node.exchange.take() {
            node.station.end_txop(exchange.plan.category);
        }
        self.update_contention(station);
        self.note_emptied(station);
    }

    /// Ends the exchange of `station` without success: no answer came, or one that the station could not decode.
    fn fail(&mut self, now: Time, station: u32, answer: Answer) {
        self.leave_air(now, station, answer);
        let node = &mut self.nodes[station as usize];
        let Some(exchange) = node.exchange.take() else { return };
        let counter = if exchange.collided {
            &mut node.station.stats.collisions
        } else {
            &mut node.station.stats.lossy_attempts
        };
        *counter += 1;
        node.station.end_exchange(now, &exchange.plan, None, &node.rules);
        self.note_departures(station);
        self.update_contention(station);
        self.resume(now, station);
        self.note_emptied(station);
    }

    /// Ends the waits of senders for answers, and of receivers for missing MPDUs.
    pub(super) fn end_waits(&mut self, now: Time) {
        while let Some(index) = self.timeouts.iter().position(|(at, _)| *at <= now) {
            let (_, station) = self.timeouts.remove(index);
            self.nodes[station as usize].timeout = now;
            self.fail(now, station, Answer::None);
        }
        self.end_reorder_waits(now);
    }

    /// Counts the airtime of an exchange whose last frame has ended.
    fn leave_air(&mut self, now: Time, station: u32, answer: Answer) {
        let node = &mut self.nodes[station as usize];
        let Some(exchange) = node.exchange.as_mut().filter(|exchange| exchange.is_on_air) else { return };
        exchange.is_on_air = false;
        let (start, Plan { receiver, category, .. }) = (exchange.start, exchange.plan);
        let outcome = match answer {
            _ if exchange.collided => TurnOutcome::Collided,
            Answer::Arrives => TurnOutcome::Acknowledged,
            Answer::None | Answer::Lost => TurnOutcome::Lost,
        };
        let airtime = now.since(start);
        node.station.stats.airtime += airtime;
        node.station.charge(now, category, receiver, airtime);
        let (first, receiver) = (node.first, node.on_channel(receiver));
        let other = &mut self.nodes[receiver as usize].station;
        if outcome != TurnOutcome::Collided {
            other.stats.airtime_as_receiver += airtime;
        }
        // Who gets none of the data does not know whose they were (ath9k's `ath_rx_count_airtime` counts frames that have arrived).
        if answer != Answer::None {
            other.charge(now, category, station - first, airtime);
        }
        self.change_active(now, false);
        self.log(now, station, outcome, answer != Answer::None);
    }
}
