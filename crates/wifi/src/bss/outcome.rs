//! The outcome of a transmission, and when each station's slots count again after it.

use airfair_core::{Moment, Span, SpanSum, Time};

use super::airtime::CountedExchange;
use super::exchange::{Exchange, Fate};
use super::{Bss, Payload};
use crate::phy::AfterCollision;

/// A frame lost in a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collided {
    pub sender: u32,
    pub end: Time,
    /// When its sender's slots count again.
    slots_from: Time,
}

impl<P: Payload> Bss<P> {
    /// Two or more stations transmit from `start` on: finds the end, and whether a receiver captures one of the
    /// frames.
    #[inline(never)]
    pub(super) fn collide(&mut self, start: Time) {
        self.medium.collisions += 1;
        self.collided.clear();
        for &sender in &self.senders {
            let end = start + self.first_frame(sender);
            self.stations[sender as usize].stats.attempts += 1;
            self.collided.push(Collided { sender, end, slots_from: end });
        }
        let last = self.collided.iter().map(|frame| frame.end).max().unwrap_or(start);
        let longest = self.collided.iter().filter(|frame| frame.end == last).count();
        for index in 0..self.collided.len() {
            let Collided { sender, end, .. } = self.collided[index];
            let retry = if self.uses_rts(sender) { self.phy.cts_retry } else { self.phy.ack_retry };
            let hears_another_end = end < last || longest > 1;
            self.collided[index].slots_from = match self.phy.access.after_collision {
                AfterCollision::Everybody if hears_another_end => last + self.phy.eifs,
                _ => (end + retry).max(last + self.phy.difs),
            };
        }
        self.timeline = None;
        self.collision_start = start;
        self.on_air_until = last;
        self.due = last;
        if self.capture_stream.chance(self.mac.capture) {
            self.capture_one(start);
        }
        for frame in &self.collided {
            self.stations[frame.sender as usize].stats.collisions += 1;
        }
    }

    /// A receiver captures one of the frames, each with the same probability.
    fn capture_one(&mut self, start: Time) {
        let count = self.collided.iter().filter(|frame| self.is_audible(frame)).count();
        if count == 0 {
            return;
        }
        let lucky = self.capture_stream.below(count as u64) as usize;
        let mut candidates = (0..self.collided.len()).filter(|&index| self.is_audible(&self.collided[index]));
        let Some(index) = candidates.nth(lucky) else { return };
        let captured = self.collided.remove(index);
        self.begin(captured.sender, start);
    }

    /// A station that transmits cannot receive.
    fn is_audible(&self, frame: &Collided) -> bool {
        !self.senders.contains(&self.receiver(frame.sender))
    }

    /// The transmission on the air has ended, but for its ACK; the next contention begins.
    pub(super) fn finish(&mut self, now: Time) {
        if self.turns.is_some() {
            self.log();
        }
        match self.timeline.take() {
            Some(timeline) if self.is_plain(&timeline) => self.complete(now, &timeline),
            Some(timeline) => self.finish_exchange(now, timeline),
            None => self.finish_collision(now),
        }
        self.contention.find_next();
        self.plan();
    }

    #[inline(never)]
    fn finish_exchange(&mut self, now: Time, timeline: Exchange) {
        let Exchange { sender, start, rts, data_end, end, fate, .. } = timeline;
        let receiver = self.receiver(sender);
        let alone = self.senders.len() == 1;
        let exchange_end = self.last_end(&timeline);
        self.stations[sender as usize].stats.airtime += exchange_end - start;
        self.stations[receiver as usize].stats.airtime_as_receiver += exchange_end - start;
        self.charge(now, sender, exchange_end - start);
        self.counted = CountedExchange { sender, end: exchange_end };
        // A lost data frame keeps the air for its ACK, where all stations have heard it.
        let quiet_until = if self.nav_per_station { exchange_end } else { end };
        if alone {
            self.medium.exchanges += 1;
            self.medium.busy += exchange_end - start;
            self.busy_until = quiet_until;
        } else {
            let busy_until = exchange_end.max(self.on_air_until);
            self.count_overlap(now, start, busy_until, exchange_end - start);
            self.busy_until = busy_until.max(quiet_until);
            self.fail_collided(now);
        }
        if self.nav_per_station {
            self.update_navs(&timeline, receiver);
        }
        let sender_resumes = self.sender_resumes(&timeline);
        if fate.brings_data() {
            self.deliver(data_end, sender);
        }
        if fate == Fate::Complete {
            self.succeed(now, sender, end);
        } else {
            self.stations[sender as usize].stats.lossy_attempts += u64::from(fate != Fate::RtsIgnored);
            self.fail(now, sender, rts && fate.reaches_data(), sender_resumes);
        }
        let difs = self.phy.difs;
        if self.nav_per_station {
            let origin = exchange_end.max(if alone { Time::ZERO } else { self.on_air_until }) + difs;
            return self.resume_each(origin, &[(sender, sender_resumes.max(origin))]);
        }
        // Stations that heard the exchange obey its NAV, which may end a fraction of its unit off the ACK (9.3.2.4).
        self.contention.resume(self.busy_until.max(timeline.nav_end) + difs);
        if alone {
            // The data frame was lost: one that arrives in an exchange like this is plain.
            self.contention.set_own_origin(sender, sender_resumes);
            self.contention.set_own_origin(receiver, data_end + self.phy.eifs);
        }
    }

    #[inline(never)]
    fn finish_collision(&mut self, now: Time) {
        let start = self.collision_start;
        self.count_overlap(now, start, self.on_air_until, Span::ZERO);
        self.busy_until = self.on_air_until;
        self.fail_collided(now);
        let wait = match self.phy.access.after_collision {
            AfterCollision::Nobody => self.phy.difs,
            AfterCollision::Listeners | AfterCollision::Everybody => self.phy.eifs,
        };
        let origin = self.on_air_until + wait;
        if self.nav_per_station {
            let senders: Vec<_> =
                self.collided.iter().map(|frame| (frame.sender, frame.slots_from)).collect();
            return self.resume_each(origin, &senders);
        }
        self.contention.resume(origin);
        for frame in &self.collided {
            self.contention.set_own_origin(frame.sender, frame.slots_from);
        }
    }

    /// Accounts for a collision from `start` until `end`, beside `others` of airtime.
    fn count_overlap(&mut self, now: Time, start: Time, end: Time, others: Span) {
        let mut airtime = SpanSum::from(others);
        for index in 0..self.collided.len() {
            let Collided { sender, end, .. } = self.collided[index];
            airtime += end - start;
            self.stations[sender as usize].stats.airtime += end - start;
            self.charge(now, sender, end - start);
        }
        self.medium.busy += end - start;
        self.medium.overlap += airtime - SpanSum::from(end - start);
    }

    fn fail_collided(&mut self, now: Time) {
        for index in 0..self.collided.len() {
            let Collided { sender, slots_from, .. } = self.collided[index];
            self.fail(now, sender, false, slots_from);
        }
    }

    /// `from`'s RTS or data frame was not answered; `after_cts`: the data frame followed a CTS (IEEE 802.11-2012,
    /// 9.3.3 and 9.3.4.4). The station knows at `known`, or a little before.
    #[inline(never)]
    fn fail(&mut self, now: Time, from: u32, after_cts: bool, known: Time) {
        let station = &mut self.stations[from as usize];
        let (retries, limit) = if after_cts {
            station.short_retries = 0;
            (&mut station.long_retries, self.mac.long_retry_limit)
        } else {
            (&mut station.short_retries, self.mac.short_retry_limit)
        };
        *retries += 1;
        if *retries < limit {
            station.stats.retries += 1;
            station.cw = self.phy.wider(station.cw);
        } else {
            *retries = 0;
            station.admit(Moment::from(now + Span(1)));
            station.integrate_occupancy(known);
            if !station.arrived {
                station.stats.dropped_retries += 1;
                self.failures.push(*station.frame());
            }
            station.cw = self.phy.cw_min;
            station.interface.release();
            if !station.take_next(now, &self.phy) {
                self.note_emptied(from);
            }
        }
        let contending = self.stations[from as usize].interface.head().is_some();
        self.back_off(from, contending);
    }

    /// Every attempt ends with a backoff, also if no other frame waits; `contending` if one does (9.3.4.3).
    #[inline(always)]
    pub(super) fn back_off(&mut self, station: u32, contending: bool) {
        let slots = self.draw_backoff(station);
        self.contention.back_off(station, slots, contending);
    }

    /// Charges a station in the access point's queue for the `airtime` of a frame of `sender` to or from it.
    /// Drop-tail would ignore it.
    #[inline]
    pub(super) fn charge(&mut self, now: Time, sender: u32, airtime: Span) {
        if self.charges_airtime {
            self.charge_disciplined(now, sender, airtime);
        }
    }

    fn charge_disciplined(&mut self, now: Time, sender: u32, airtime: Span) {
        let receiver = self.receiver(sender);
        let station = match (sender, receiver) {
            (0, station) | (station, 0) => station,
            _ => return,
        };
        self.stations[0].interface.charge(now, station, airtime);
    }

    pub(super) fn receiver(&self, sender: u32) -> u32 {
        self.stations[sender as usize].frame().to
    }

    fn uses_rts(&self, sender: u32) -> bool {
        self.mac.uses_rts(self.stations[sender as usize].frame().bytes)
    }

    /// Duration of the first frame of an exchange.
    fn first_frame(&self, sender: u32) -> Span {
        if self.uses_rts(sender) { self.rts } else { self.stations[sender as usize].data }
    }
}
