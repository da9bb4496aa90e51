//! Collisions: two or more stations transmit at once, and a receiver may capture one of the frames.

use airfair_core::{Span, SpanSum, Time};

use super::SharedMedium;
use crate::mac::Payload;
use crate::phy::AfterCollision;

/// The last collision. If it has no frames, another transmission has begun since.
#[derive(Debug)]
pub(super) struct Collision {
    /// The frames that were lost.
    pub frames: Vec<Collided>,
    pub start: Time,
    pub end: Time,
}

/// A frame lost in a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collided {
    pub sender: u32,
    pub end: Time,
    /// When the sender's slots count again.
    slots_from: Time,
}

impl Collision {
    pub fn new(stations: usize) -> Collision {
        Collision { frames: Vec::with_capacity(stations), start: Time::ZERO, end: Time::ZERO }
    }
}

impl<P: Payload> SharedMedium<P> {
    /// Begins a collision of two or more stations that transmit from `start` on. Finds its end, and whether a
    /// receiver captures one of the frames.
    #[inline(never)]
    pub(super) fn collide(&mut self, start: Time) {
        self.stats.attempts += self.senders.len() as u64;
        self.stats.collisions += 1;
        let frames = &mut self.collision.frames;
        frames.clear();
        let mut last = start;
        frames.extend(self.senders.iter().map(|&sender| {
            let station = &mut self.stations[sender as usize];
            station.stats.attempts += 1;
            let (length, retry) = station.first_frame(&self.rules);
            let end = start.plus(length);
            last = last.max(end);
            Collided { sender, end, slots_from: end.plus(retry) }
        }));
        let phy = &self.rules.phy;
        let everybody_waits = phy.access.after_collision == AfterCollision::Everybody;
        let one_outlasts_others =
            everybody_waits && frames.iter().filter(|frame| frame.end == last).count() == 1;
        for frame in frames {
            let hears_another_end = frame.end < last || !one_outlasts_others;
            frame.slots_from = if everybody_waits && hears_another_end {
                last.plus(phy.eifs)
            } else {
                frame.slots_from.max(last.plus(phy.difs))
            };
        }
        (self.collision.start, self.collision.end) = (start, last);
        self.due = last;
        if self.capture_stream.chance(self.rules.mac.capture) {
            self.capture_one(start);
        }
        for frame in &self.collision.frames {
            self.stations[frame.sender as usize].stats.collisions += 1;
        }
    }

    /// Lets a receiver capture one of the frames, each with the same probability.
    fn capture_one(&mut self, start: Time) {
        let count = self.collision.frames.iter().filter(|frame| self.is_audible(frame)).count();
        if count == 0 {
            return;
        }
        let lucky = self.capture_stream.below(count as u64) as usize;
        let mut audible =
            (0..self.senders.len()).filter(|&index| self.is_audible(&self.collision.frames[index]));
        let Some(index) = audible.nth(lucky) else { return };
        let captured = self.collision.frames.remove(index);
        self.begin(captured.sender, start);
    }

    /// Whether the receiver of the frame can capture it: a station that transmits cannot receive.
    fn is_audible(&self, frame: &Collided) -> bool {
        !self.senders.contains(&self.stations[frame.sender as usize].receiver())
    }

    pub(super) fn finish_collision(&mut self, now: Time) {
        let end = self.collision.end;
        self.count_overlap(now, self.collision.start, end, Span::ZERO);
        self.busy_until = end;
        self.fail_collided(now);
        let phy = &self.rules.phy;
        let wait = match phy.access.after_collision {
            AfterCollision::Nobody => phy.difs,
            AfterCollision::Listeners | AfterCollision::Everybody => phy.eifs,
        };
        let frames = &self.collision.frames;
        if self.nav_per_station {
            let senders: Vec<_> = frames.iter().map(|frame| (frame.sender, frame.slots_from)).collect();
            return self.resume_each(end + wait, &senders);
        }
        self.contention.resume(end + wait);
        for frame in frames {
            self.contention.set_own_origin(frame.sender, frame.slots_from);
        }
    }

    /// Counts the airtime of a collision from `start` until `end`, beside `others` of airtime.
    pub(super) fn count_overlap(&mut self, now: Time, start: Time, end: Time, others: Span) {
        let mut airtime = SpanSum::from(others);
        for index in 0..self.collision.frames.len() {
            let Collided { sender, end, .. } = self.collision.frames[index];
            airtime += end - start;
            self.stations[sender as usize].stats.airtime += end - start;
            self.charge(now, sender, end - start, false);
        }
        self.stats.busy += end - start;
        self.stats.overlap += airtime - SpanSum::from(end - start);
    }

    pub(super) fn fail_collided(&mut self, now: Time) {
        for index in 0..self.collision.frames.len() {
            let Collided { sender, slots_from, .. } = self.collision.frames[index];
            self.fail(now, sender, false, slots_from);
        }
    }
}
