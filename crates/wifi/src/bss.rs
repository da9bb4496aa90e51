//! One BSS on one channel: every station hears every other. The whole medium is one state machine.
//!
//! An exchange takes one deadline, the end of its data frame: that the contention is over shows in hindsight, and
//! what follows the data frame (SIFS, ACK) is known when it is over.

mod outcome;

use std::collections::VecDeque;

use airfair_core::{Rate, Span, Stream, Time};

use crate::config::BssConfig;
use crate::contention::Contention;
use crate::errors::ErrorProcess;
use crate::phy::{FirstAccess, Phy};
use crate::stats::{MediumStats, StationStats};

use outcome::Collided;

/// An MSDU for a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<P: Copy> {
    /// Index of the receiving station.
    pub to: u32,
    /// Bytes of the MSDU: the IP packet.
    pub bytes: u32,
    /// What the caller wants back.
    pub payload: P,
}

/// A frame that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<P> {
    /// Index of the sending station.
    pub from: u32,
    /// Index of the receiving station.
    pub to: u32,
    /// The frame's payload.
    pub payload: P,
}

#[derive(Debug)]
struct Station<P: Copy> {
    queue: VecDeque<Frame<P>>,
    queue_limit: usize,
    /// Until when `occupancy` has been integrated.
    occupancy_until: Time,
    cw: u32,
    short_retries: u32,
    long_retries: u32,
    rate: Rate,
    /// Duration of the ACK that answers its data frames.
    ack: Span,
    /// What its data frames put into the NAV.
    data_nav: Span,
    stream: Stream,
    errors: ErrorProcess,
    stats: StationStats,
}

/// When the parts of an exchange end if nothing goes wrong.
#[derive(Clone, Copy, Debug)]
struct Timeline {
    sender: u32,
    start: Time,
    rts: bool,
    data_end: Time,
    end: Time,
    /// The longest NAV that it announces.
    nav_end: Time,
}

/// One BSS: an access point (station 0) and its stations.
///
/// Calls must have a `now` that does not decrease, and [`Bss::on_deadline`] must be called at every
/// [`Bss::next_deadline`]. A transmission that is due at `now` starts before a frame that is enqueued at `now`.
#[derive(Debug)]
pub struct Bss<P: Copy> {
    phy: Phy,
    rts: Span,
    cts: Span,
    rts_threshold: u32,
    short_retry_limit: u32,
    long_retry_limit: u32,
    capture: f64,
    capture_stream: Stream,
    stations: Vec<Station<P>>,
    contention: Contention,
    /// Of the next transmission, or the one on the air, where one station transmits alone or is captured.
    timeline: Option<Timeline>,
    /// Who transmits, while the air is busy.
    senders: Vec<u32>,
    /// The frames that are lost in the collision on the air, its start and its end.
    collided: Vec<Collided>,
    collision_start: Time,
    on_air_until: Time,
    /// Until when the last exchange, of which all is known, occupies the air, and its sender.
    busy_until: Time,
    last_sender: Option<u32>,
    due: Time,
    delivery: Option<Delivery<P>>,
    failures: Vec<Frame<P>>,
    medium: MediumStats,
}

impl<P: Copy> Bss<P> {
    /// The BSS at time zero, idle. Each station draws from its own random streams.
    pub fn new(config: &BssConfig, seed: u64) -> Bss<P> {
        let phy = config.phy.clone();
        let stations = config.stations.iter().map(|station| {
            let ack = phy.ack(station.data_rate);
            Station {
                queue: VecDeque::new(),
                queue_limit: station.queue_frames as usize,
                occupancy_until: Time::ZERO,
                cw: phy.cw_min,
                short_retries: 0,
                long_retries: 0,
                rate: station.data_rate,
                ack,
                data_nav: phy.nav(phy.sifs + ack),
                stream: Stream::new(seed, &format!("wlan station {}", station.name)),
                errors: ErrorProcess::new(
                    station.errors,
                    Stream::new(seed, &format!("wlan errors {}", station.name)),
                ),
                stats: StationStats::default(),
            }
        });
        let access_point = config.stations.first().map_or("", |station| &station.name);
        Bss {
            rts: phy.rts(),
            cts: phy.cts(),
            rts_threshold: config.rts_threshold.unwrap_or(u32::MAX),
            short_retry_limit: config.short_retry_limit,
            long_retry_limit: config.long_retry_limit,
            capture: config.capture,
            capture_stream: Stream::new(seed, &format!("wlan capture {access_point}")),
            stations: stations.collect(),
            contention: Contention::new(config.stations.len(), phy.slot),
            timeline: None,
            senders: Vec::with_capacity(config.stations.len()),
            collided: Vec::with_capacity(config.stations.len()),
            collision_start: Time::ZERO,
            on_air_until: Time::ZERO,
            busy_until: Time::ZERO,
            last_sender: None,
            due: Time::NEVER,
            delivery: None,
            failures: Vec::new(),
            medium: MediumStats::default(),
            phy,
        }
    }

    /// A frame for the interface queue of station `from`; `false` when the queue is full and drops it.
    ///
    /// # Panics
    /// When `from` is no station, or the frame's destination is none or is `from`.
    pub fn enqueue(&mut self, now: Time, from: u32, frame: Frame<P>) -> bool {
        assert!((frame.to as usize) < self.stations.len() && frame.to != from, "no way to {}", frame.to);
        self.start_what_is_due(now);
        let in_service = usize::from(self.last_sender == Some(from) && now < self.busy_until);
        let station = &mut self.stations[from as usize];
        station.stats.offered_frames += 1;
        station.stats.offered_bytes += u64::from(frame.bytes);
        if station.queue.len() + in_service >= station.queue_limit {
            station.stats.drops_queue += 1;
            return false;
        }
        station.integrate_occupancy(now);
        station.queue.push_back(frame);
        if station.queue.len() == 1 {
            self.seek_access(now, from);
        }
        true
    }

    /// When [`Bss::on_deadline`] is next due; [`Time::NEVER`] if the air stays idle.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.due
    }

    /// Processes what is due at `now`. Drain [`Bss::poll_delivery`] and, if you care, [`Bss::poll_failure`] after it;
    /// the next deadline forgets failures.
    pub fn on_deadline(&mut self, now: Time) {
        debug_assert_eq!(now, self.due);
        self.failures.clear();
        self.start_what_is_due(now);
        if self.due <= now {
            self.finish();
        }
    }

    /// A frame received at the last deadline.
    #[inline]
    pub fn poll_delivery(&mut self) -> Option<Delivery<P>> {
        self.delivery.take()
    }

    /// A frame given up at the last deadline because of a retry limit.
    pub fn poll_failure(&mut self) -> Option<Frame<P>> {
        self.failures.pop()
    }

    /// Frames that `station` holds, the one in service included. The frame delivered at the last deadline is no
    /// longer counted, though its ACK is still on the air.
    pub fn queue_frames(&self, station: u32) -> u32 {
        self.stations[station as usize].queue.len() as u32
    }

    /// Counts of `station`. Bring them up to date by [`Bss::settle`].
    pub fn station_stats(&self, station: u32) -> &StationStats {
        &self.stations[station as usize].stats
    }

    /// Counts of the medium. Exchanges are counted whole when their data frame ends.
    pub fn medium_stats(&self) -> &MediumStats {
        &self.medium
    }

    /// Brings the occupancy integrals up to `now`.
    pub fn settle(&mut self, now: Time) {
        self.stations.iter_mut().for_each(|station| station.integrate_occupancy(now));
    }

    /// A frame is first in its queue: when does it go? (IEEE 802.11-2012, 9.3.4.2)
    fn seek_access(&mut self, now: Time, from: u32) {
        let before = self.contention.next();
        if !self.contention.join_backoff(from, now) {
            if self.contention.is_busy() {
                let slots = self.draw_backoff(from);
                self.contention.back_off(from, slots, true);
                return;
            }
            let origin = self.contention.origin_of(from);
            let (start, slots) = match self.phy.access.first_access {
                FirstAccess::AfterIdle if now < self.busy_until => (origin, self.draw_backoff(from)),
                FirstAccess::AfterIdle => (origin.max(now), 0),
                FirstAccess::Backoff => (origin.max(now + self.phy.difs), self.draw_backoff(from)),
            };
            self.contention.count_down(from, start, slots);
        }
        if self.contention.next() != before {
            self.plan();
        }
    }

    /// Foresees the next transmission.
    fn plan(&mut self) {
        let next = self.contention.next();
        if next.at == Time::NEVER {
            self.due = Time::NEVER;
        } else if next.tied {
            self.due = next.at;
        } else {
            let timeline = self.exchange(next.station, next.at);
            self.due = timeline.data_end;
            self.timeline = Some(timeline);
        }
    }

    /// The exchange of `station`'s first frame if it starts at `start`.
    fn exchange(&self, station: u32, start: Time) -> Timeline {
        let phy = &self.phy;
        let sender = &self.stations[station as usize];
        let bytes = sender.queue[0].bytes;
        let data = phy.data(bytes, sender.rate);
        let tail = phy.sifs + sender.ack;
        let rts = bytes >= self.rts_threshold;
        let (data_end, nav_end) = if rts {
            let rts_end = start + self.rts;
            let cts_end = rts_end + phy.sifs + self.cts;
            let data_end = cts_end + phy.sifs + data;
            let rts_nav = phy.nav(phy.sifs + self.cts + phy.sifs + data + tail);
            let cts_nav = phy.nav(rts_nav - phy.sifs - self.cts);
            (data_end, (rts_end + rts_nav).max(cts_end + cts_nav))
        } else {
            (start + data, Time::ZERO)
        };
        let nav_end = nav_end.max(data_end + sender.data_nav);
        Timeline { sender: station, start, rts, data_end, end: data_end + tail, nav_end }
    }

    /// Starts a transmission that was to start at `now` or before.
    fn start_what_is_due(&mut self, now: Time) {
        let next = self.contention.next();
        if next.at > now {
            return;
        }
        self.contention.freeze(next.at, &mut self.senders);
        self.last_sender = None;
        for &sender in &self.senders {
            self.stations[sender as usize].stats.attempts += 1;
        }
        self.medium.attempts += self.senders.len() as u64;
        if self.senders.len() > 1 {
            self.collide(next.at);
        }
    }

    fn draw_backoff(&mut self, station: u32) -> u64 {
        let station = &mut self.stations[station as usize];
        station.stream.below(u64::from(station.cw) + u64::from(self.phy.access.backoff_includes_cw))
    }
}

impl<P: Copy> Station<P> {
    fn integrate_occupancy(&mut self, now: Time) {
        let held = self.queue.len() as u64;
        let span = now.since(self.occupancy_until).0;
        self.stats.occupancy += held * span;
        self.stats.waiting += held.saturating_sub(1) * span;
        self.occupancy_until = self.occupancy_until.max(now);
    }
}

#[cfg(test)]
mod tests;
