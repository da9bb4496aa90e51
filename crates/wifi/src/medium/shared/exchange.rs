//! Exchanges of a station that transmits alone or is captured: their fate and their end.

use airfair_core::{Span, Time};

use super::SharedMedium;
use super::airtime::CountedExchange;
use crate::mac::{Exchange, Fate, Payload};
use crate::phy::errors::FrameKind;

impl<P: Payload> SharedMedium<P> {
    /// Begins the exchange of the first frame of `station` at `start`, and draws its fate.
    pub(super) fn begin(&mut self, station: u32, start: Time) {
        let mut exchange = self.stations[station as usize].exchange(start);
        if self.loses_frames {
            exchange.fate = self.draw_fate(&exchange);
        }
        self.due = match exchange.fate {
            Fate::RtsIgnored | Fate::RtsLost | Fate::CtsLost => exchange.last_end(&self.rules),
            _ => exchange.data_end,
        };
        self.exchange = Some(exchange);
    }

    fn draw_fate(&mut self, exchange: &Exchange) -> Fate {
        let &Exchange { sender, receiver, start, rts, data_end, end, .. } = exchange;
        let framing = self.rules.phy.framing;
        if rts && self.nav_per_station {
            let [rts_end, cts_end] = Exchange::control_ends(start, &self.rules);
            if !self.stations[receiver as usize].answers_rts(rts_end) {
                return Fate::RtsIgnored;
            }
            if self.is_lost(FrameKind::Control, sender, receiver, rts_end, framing.rts) {
                return Fate::RtsLost;
            }
            if self.is_lost(FrameKind::Control, receiver, sender, cts_end, framing.cts) {
                return Fate::CtsLost;
            }
        }
        let bytes = framing.data(self.stations[sender as usize].frame().bytes);
        if self.is_lost(FrameKind::Data, sender, receiver, data_end, bytes) {
            Fate::DataLost
        } else if self.nav_per_station && self.is_lost(FrameKind::Control, receiver, sender, end, framing.ack)
        {
            Fate::AckLost
        } else {
            Fate::Complete
        }
    }

    /// Whether a frame that ends at `end` is lost.
    fn is_lost(&mut self, kind: FrameKind, from: u32, to: u32, end: Time, bytes: u32) -> bool {
        let by_sender = self.stations[from as usize].loses(|loss| loss.loses_sent(kind, end, bytes));
        let by_receiver = self.stations[to as usize].loses(|loss| loss.loses_received(kind, end, bytes));
        by_sender || by_receiver
    }

    /// Does all of the exchange that `sender` begins at `start`, whose ACK is still to come at `now`. Nothing can go wrong with it: one station
    /// transmits alone, no station loses frames, and all queues are drop-tail.
    #[inline(always)]
    pub(super) fn complete(&mut self, now: Time, sender: u32, start: Time) {
        let exchange = self.stations[sender as usize].exchange(start);
        let Exchange { receiver, end, .. } = exchange;
        let airtime = end - start;
        self.stations[receiver as usize].stats.airtime_as_receiver += airtime;
        self.stats.attempts += 1;
        self.stats.exchanges += 1;
        self.stats.delivered += 1;
        self.stats.busy += airtime;
        self.collision.frames.clear();
        self.busy_until = end;
        self.counted = CountedExchange { sender, end };
        self.delivered_from = Some(sender);
        let station = &mut self.stations[sender as usize];
        station.stats.attempts += 1;
        station.stats.airtime += airtime;
        station.note_arrival();
        let contending = station.succeed(now, end, end, &self.rules) == Some(true);
        let slots = station.draw_backoff(&self.rules);
        self.contention.back_off(sender, slots, contending);
        if !contending {
            self.note_emptied(sender);
        }
        let resumes = end.plus(self.rules.phy.difs);
        self.resume(&exchange, end, resumes, resumes);
    }

    /// Lets slots count again after an exchange of a station alone: its sender's and its receiver's from these instants on,
    /// and those of others DIFS after the air falls idle. Stations that heard the exchange obey its NAV, which may end a
    /// fraction of its unit off the ACK (9.3.2.4).
    #[inline(always)]
    fn resume(&mut self, exchange: &Exchange, idle: Time, sender: Time, receiver: Time) {
        self.contention.resume(idle.max(exchange.nav_end).plus(self.rules.phy.difs));
        self.contention.set_own_origin(exchange.sender, sender);
        self.contention.set_own_origin(exchange.receiver, receiver);
    }

    pub(super) fn finish_exchange(&mut self, now: Time, exchange: Exchange) {
        let Exchange { sender, receiver, start, rts, data_end, end, nav_end, fate } = exchange;
        let alone = self.senders.is_empty();
        let exchange_end = exchange.last_end(&self.rules);
        let airtime = exchange_end - start;
        self.stations[sender as usize].stats.airtime += airtime;
        self.stations[receiver as usize].stats.airtime_as_receiver += airtime;
        self.charge(now, sender, airtime, fate.brings_data());
        self.counted = CountedExchange { sender, end: exchange_end };
        // A lost data frame keeps the air for its ACK, where all stations have heard it.
        let quiet_until = if self.nav_per_station { exchange_end } else { end };
        if alone {
            self.stats.exchanges += 1;
            self.stats.busy += airtime;
            self.busy_until = quiet_until;
        } else {
            let busy_until = exchange_end.max(self.collision.end);
            self.count_overlap(now, start, busy_until, airtime);
            self.busy_until = busy_until.max(quiet_until);
            self.fail_collided(now);
        }
        if self.nav_per_station {
            self.update_navs(&exchange);
        }
        let sender_resumes = self.stations[sender as usize].resumes(&exchange, &self.rules);
        if fate.brings_data() {
            self.deliver(data_end, &exchange);
        }
        if fate == Fate::Complete {
            self.succeed(now, sender, end);
        } else {
            self.stations[sender as usize].stats.lossy_attempts += u64::from(fate != Fate::RtsIgnored);
            self.fail(now, sender, rts && fate.reaches_data(), sender_resumes);
        }
        let difs = self.rules.phy.difs;
        if self.nav_per_station {
            let origin = exchange_end.max(if alone { Time::ZERO } else { self.collision.end }) + difs;
            self.resume_each(origin, &[(sender, sender_resumes.max(origin))]);
        } else if alone {
            let receiver_waits = if fate == Fate::Complete { difs } else { self.rules.phy.eifs };
            self.resume(&exchange, self.busy_until, sender_resumes, exchange_end + receiver_waits);
        } else {
            self.contention.resume(self.busy_until.max(nav_end) + difs);
        }
    }

    /// Charges the airtime of a frame of `sender` to its two stations where their queues share the air: to the receiver only if
    /// the data arrive, because otherwise it does not know whose they were. Drop-tail would ignore it.
    pub(super) fn charge(&mut self, now: Time, sender: u32, airtime: Span, arrives: bool) {
        if self.charges_airtime {
            let receiver = self.stations[sender as usize].receiver();
            self.stations[sender as usize].interface.charge(now, receiver, airtime);
            if arrives {
                self.stations[receiver as usize].interface.charge(now, sender, airtime);
            }
        }
    }

    /// Delivers the data frame, which reaches its receiver at `data_end`, for the first time or again.
    fn deliver(&mut self, data_end: Time, exchange: &Exchange) {
        let &Exchange { sender: from, receiver: to, .. } = exchange;
        let station = &mut self.stations[from as usize];
        if !station.note_arrival() {
            return;
        }
        self.stats.delivered += 1;
        let bytes = station.frame().bytes;
        if self.loses_frames && self.is_lost_above(data_end, from, to, bytes) {
            self.stations[from as usize].stats.lost_errors += 1;
        } else {
            self.delivered_from = Some(from);
        }
    }

    /// Whether a delivered frame is lost above its receiver's MAC.
    fn is_lost_above(&mut self, data_end: Time, from: u32, to: u32, bytes: u32) -> bool {
        let bytes = self.rules.phy.framing.data(bytes);
        let by_sender = self.stations[from as usize].loses(|loss| loss.loses_sent_above_mac(data_end, bytes));
        let by_receiver = self.stations[to as usize].loses(|loss| loss.loses_above_mac(data_end, bytes));
        by_sender || by_receiver
    }

    /// Ends an exchange with success: the ACK of the frame in service arrives at `end`, and the next frame is served.
    fn succeed(&mut self, now: Time, from: u32, end: Time) {
        self.stations[from as usize].note_departure();
        let served = self.stations[from as usize].succeed(now, end, self.busy_until, &self.rules);
        match served {
            Some(true) => {}
            Some(false) => self.note_emptied(from),
            None => self.pending_dequeue = (end, from),
        }
        self.back_off(from, served == Some(true));
    }

    /// Ends an exchange of `from` without success, as the station knows at `known`; `after_cts`: a CTS had answered its
    /// RTS.
    #[inline(never)]
    pub(super) fn fail(&mut self, now: Time, from: u32, after_cts: bool, known: Time) {
        if self.stations[from as usize].tries_again(after_cts, &self.rules) {
            return self.back_off(from, true);
        }
        self.give_up(now, from, known);
    }

    /// Gives up the frame in service of `from`, as the station knows at `known`.
    #[inline(never)]
    fn give_up(&mut self, now: Time, from: u32, known: Time) {
        let station = &mut self.stations[from as usize];
        self.failures.extend(station.give_up(now, known, &self.rules));
        let contending = station.interface.head().is_some();
        if !contending {
            self.note_emptied(from);
        }
        self.back_off(from, contending);
    }
}
