//! What becomes of a transmission, and when each station's slots count again after it.

use airfair_core::{Span, Time};

use super::{Bss, Delivery, Timeline};
use crate::phy::AfterCollision;

/// A frame lost in a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collided {
    sender: u32,
    end: Time,
    /// When its sender's slots count again.
    slots_from: Time,
}

impl<P: Copy> Bss<P> {
    /// Two or more stations transmit from `start` on: how long, and does a receiver make out one of them?
    pub(super) fn collide(&mut self, start: Time) {
        self.medium.collisions += 1;
        self.collided.clear();
        for &sender in &self.senders {
            let end = start + self.first_frame(sender);
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
        if self.capture_stream.chance(self.capture) {
            self.capture_one(start);
        }
        for frame in &self.collided {
            self.stations[frame.sender as usize].stats.collisions += 1;
        }
    }

    /// A receiver makes out one of the frames, each with the same chance.
    fn capture_one(&mut self, start: Time) {
        let count = self.collided.iter().filter(|frame| self.is_audible(frame)).count();
        if count == 0 {
            return;
        }
        let lucky = self.capture_stream.below(count as u64) as usize;
        let mut candidates = (0..self.collided.len()).filter(|&index| self.is_audible(&self.collided[index]));
        let Some(index) = candidates.nth(lucky) else { return };
        let captured = self.collided.remove(index);
        let timeline = self.exchange(captured.sender, start);
        self.due = timeline.data_end;
        self.timeline = Some(timeline);
    }

    /// A station that transmits cannot receive.
    fn is_audible(&self, frame: &Collided) -> bool {
        !self.senders.contains(&self.receiver(frame.sender))
    }

    /// What is on the air has ended, or nothing but its ACK is to come; the next contention begins.
    pub(super) fn finish(&mut self) {
        match self.timeline.take() {
            Some(timeline) => self.finish_exchange(timeline),
            None => self.finish_collision(),
        }
        self.contention.find_next();
        self.plan();
    }

    fn finish_exchange(&mut self, timeline: Timeline) {
        let Timeline { sender, start, rts, data_end, end, .. } = timeline;
        let receiver = self.receiver(sender);
        let alone = self.senders.len() == 1;
        let lost = self.is_lost(sender, receiver, data_end);
        let exchange_end = if lost { data_end } else { end };
        self.stations[sender as usize].stats.airtime += exchange_end - start;
        self.stations[receiver as usize].stats.airtime_as_receiver += exchange_end - start;
        if alone {
            self.medium.exchanges += 1;
            self.medium.busy += exchange_end - start;
            self.busy_until = end;
        } else {
            let busy_until = exchange_end.max(self.on_air_until);
            self.count_overlap(start, busy_until, exchange_end - start);
            self.busy_until = busy_until.max(end);
            self.fail_collided();
        }
        if lost {
            self.stations[sender as usize].stats.errors += 1;
            self.fail(sender, rts, data_end + self.phy.ack_retry);
        } else {
            self.succeed(sender, end);
        }
        // Those who heard it keep to the NAV, which may end a fraction of its unit off the ACK (9.3.2.4).
        let difs = self.phy.difs;
        self.contention.resume(self.busy_until.max(timeline.nav_end) + difs);
        if alone && lost {
            self.contention.set_apart(sender, data_end + self.phy.ack_retry);
            self.contention.set_apart(receiver, data_end + self.phy.eifs);
        } else if alone {
            self.contention.set_apart(sender, end + difs);
            self.contention.set_apart(receiver, end + difs);
        }
    }

    fn finish_collision(&mut self) {
        let start = self.collision_start;
        self.count_overlap(start, self.on_air_until, Span::ZERO);
        self.busy_until = self.on_air_until;
        self.fail_collided();
        let wait = match self.phy.access.after_collision {
            AfterCollision::Nobody => self.phy.difs,
            AfterCollision::Listeners | AfterCollision::Everybody => self.phy.eifs,
        };
        self.contention.resume(self.on_air_until + wait);
        for frame in &self.collided {
            self.contention.set_apart(frame.sender, frame.slots_from);
        }
    }

    /// Accounts for a collision from `start` until `end`, beside `others` of airtime.
    fn count_overlap(&mut self, start: Time, end: Time, others: Span) {
        let mut airtime = others;
        for frame in &self.collided {
            airtime += frame.end - start;
            self.stations[frame.sender as usize].stats.airtime += frame.end - start;
        }
        self.medium.busy += end - start;
        self.medium.overlap += airtime - (end - start);
    }

    fn fail_collided(&mut self) {
        for index in 0..self.collided.len() {
            let Collided { sender, slots_from, .. } = self.collided[index];
            self.fail(sender, false, slots_from);
        }
    }

    /// The frame has arrived and its ACK ends at `end`.
    fn succeed(&mut self, from: u32, end: Time) {
        let station = &mut self.stations[from as usize];
        station.integrate_occupancy(end);
        if let Some(frame) = station.queue.pop_front() {
            station.stats.delivered_frames += 1;
            station.stats.delivered_bytes += u64::from(frame.bytes);
            self.medium.delivered_frames += 1;
            self.delivery = Some(Delivery { from, to: frame.to, payload: frame.payload });
        }
        station.short_retries = 0;
        station.long_retries = 0;
        station.cw = self.phy.cw_min;
        self.last_sender = Some(from);
        self.back_off(from);
    }

    /// No answer came to `from`'s RTS or data frame; `after_cts`: to a data frame that followed a CTS
    /// (IEEE 802.11-2012, 9.3.3 and 9.3.4.4). It knows at `known`, or a little before.
    fn fail(&mut self, from: u32, after_cts: bool, known: Time) {
        let station = &mut self.stations[from as usize];
        let (retries, limit) = if after_cts {
            station.short_retries = 0;
            (&mut station.long_retries, self.long_retry_limit)
        } else {
            (&mut station.short_retries, self.short_retry_limit)
        };
        *retries += 1;
        if *retries < limit {
            station.stats.retries += 1;
            station.cw = self.phy.wider(station.cw);
        } else {
            *retries = 0;
            station.integrate_occupancy(known);
            station.stats.drops_retry += 1;
            self.failures.extend(station.queue.pop_front());
            station.cw = self.phy.cw_min;
        }
        self.back_off(from);
    }

    /// Every attempt ends with a backoff, whether or not another frame waits (9.3.4.3).
    fn back_off(&mut self, station: u32) {
        let slots = self.draw_backoff(station);
        let contending = !self.stations[station as usize].queue.is_empty();
        self.contention.back_off(station, slots, contending);
    }

    fn is_lost(&mut self, sender: u32, receiver: u32, data_end: Time) -> bool {
        let bytes = self.phy.framing.data(self.stations[sender as usize].queue[0].bytes);
        let by_sender = self.stations[sender as usize].errors.hits(data_end, bytes);
        let by_receiver = self.stations[receiver as usize].errors.hits(data_end, bytes);
        by_sender || by_receiver
    }

    fn receiver(&self, sender: u32) -> u32 {
        self.stations[sender as usize].queue[0].to
    }

    fn uses_rts(&self, sender: u32) -> bool {
        self.stations[sender as usize].queue[0].bytes >= self.rts_threshold
    }

    /// Duration of the frame that an exchange begins with.
    fn first_frame(&self, sender: u32) -> Span {
        let station = &self.stations[sender as usize];
        if self.uses_rts(sender) { self.rts } else { self.phy.data(station.queue[0].bytes, station.rate) }
    }
}
