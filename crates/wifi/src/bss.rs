//! One BSS on one channel: every station hears every other. The whole medium is one state machine.
//!
//! An exchange takes one deadline, the end of its data frame. The contention before it needs none, and the rest of
//! the exchange (SIFS, ACK) is known by then.

mod airtime;
mod drop_tail;
mod exchange;
mod interface;
mod log;
mod nav;
mod outcome;
mod scheduled_arrival;
mod station;
mod success;

use airfair_core::{Moment, Phase, Span, Stream, Time};

use crate::config::{BssConfig, MacSettings};
use crate::contention::Contention;
use crate::phy::{FirstAccess, Phy};
use crate::stats::{MediumStats, StationStats};

use airtime::CountedExchange;
use exchange::Exchange;
use outcome::Collided;
pub use scheduled_arrival::ScheduledArrival;
use station::Station;

pub use log::{Turn, TurnOutcome};

/// An MSDU for a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<P: Copy> {
    /// Index of the receiving station.
    pub to: u32,
    /// Bytes of the MSDU: the IP packet.
    pub bytes: u32,
    /// Data that the caller gets back.
    pub payload: P,
}

/// Properties of a frame's payload that queues use.
pub trait Payload: Copy {
    /// The frame's phase on arrival at a queue: the order of frames that arrive at the same instant.
    fn phase(&self) -> Phase;

    /// The same for all packets of one direction of a connection, and for no others.
    fn flow(&self) -> u64;

    /// Sets Congestion Experienced; returns false if the transport is not ECN-capable.
    fn mark(&mut self) -> bool;
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

/// One BSS: an access point (station 0) and its stations.
///
/// Calls must have a `now` that does not decrease, and [`Bss::on_deadline`] must be called at every
/// [`Bss::next_deadline`]. A transmission that is due at `now` starts before a frame that is enqueued at `now`.
#[derive(Debug)]
pub struct Bss<P: Payload> {
    phy: Phy,
    rts: Span,
    cts: Span,
    mac: MacSettings,
    capture_stream: Stream,
    stations: Vec<Station<P>>,
    /// Whether any station loses frames at random.
    loses_frames: bool,
    /// Whether the access point's queue has a discipline.
    charges_airtime: bool,
    /// Whether stations miss each other's control frames, so that each has a NAV of its own.
    nav_per_station: bool,
    contention: Contention,
    /// The next exchange or the one on the air, if one station transmits alone or is captured.
    timeline: Option<Exchange>,
    /// The stations that transmit, while the air is busy.
    senders: Vec<u32>,
    /// The frames lost in the collision on the air, its start and its end.
    collided: Vec<Collided>,
    collision_start: Time,
    on_air_until: Time,
    /// End of the last exchange, whose outcome is known.
    busy_until: Time,
    counted: CountedExchange,
    due: Time,
    /// End of the exchange that has just delivered data, and the station whose next frame leaves its queue then.
    pending_dequeue: Option<(Time, u32)>,
    delivery: Option<Delivery<P>>,
    failures: Vec<Frame<P>>,
    emptied: Vec<u32>,
    medium: MediumStats,
    /// Every turn on the air, if requested.
    turns: Option<Vec<Turn>>,
}

impl<P: Payload> Bss<P> {
    /// The BSS at time zero, idle. Each station draws from its own random streams.
    pub fn new(config: &BssConfig, seed: u64) -> Bss<P> {
        let phy = config.phy.clone();
        let stations = config.stations.iter().map(|station| Station::new(station, &phy, seed));
        let mut stations: Vec<_> = stations.collect();
        if let Some(access_point) = stations.first_mut() {
            access_point.send_at(config.stations.iter().map(|station| station.ap_data_rate).collect());
        }
        let access_point = config.stations.first().map_or("", |station| &station.name);
        Bss {
            rts: phy.rts(),
            cts: phy.cts(),
            mac: config.mac,
            capture_stream: Stream::new(seed, &format!("wlan capture {access_point}")),
            loses_frames: config.stations.iter().any(|station| station.loss.is_some()),
            charges_airtime: stations.first().is_some_and(|station| !station.interface.knows_next()),
            nav_per_station: stations
                .iter()
                .any(|station| station.loss.as_ref().is_some_and(|loss| loss.hits_control())),
            stations,
            contention: Contention::new(
                config.stations.len(),
                phy.slot,
                u64::from(phy.cw_min.max(phy.cw_max)),
            ),
            timeline: None,
            senders: Vec::with_capacity(config.stations.len()),
            collided: Vec::with_capacity(config.stations.len()),
            collision_start: Time::ZERO,
            on_air_until: Time::ZERO,
            busy_until: Time::ZERO,
            counted: CountedExchange::default(),
            due: Time::NEVER,
            pending_dequeue: None,
            delivery: None,
            failures: Vec::new(),
            emptied: Vec::new(),
            medium: MediumStats::default(),
            turns: None,
            phy,
        }
    }

    /// Adds a frame to the interface queue of station `from`; `false` if the queue drops it, or another for it.
    ///
    /// # Panics
    /// If `from` is no station, or the frame's destination is no station or is `from`.
    pub fn enqueue(&mut self, now: Time, from: u32, frame: Frame<P>) -> bool {
        assert!((frame.to as usize) < self.stations.len() && frame.to != from, "no way to {}", frame.to);
        self.start(now);
        let station = &mut self.stations[from as usize];
        station.admit(Moment::new(now, frame.payload.phase().next()));
        let idle = station.interface.head().is_none()
            && self.pending_dequeue.is_none_or(|(_, station)| station != from);
        let accepted = station.enqueue(now, frame);
        if idle {
            self.take_next(now, from);
        }
        accepted
    }

    /// When [`Bss::on_deadline`] is next due; [`Time::NEVER`] if the air stays idle.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.pending_dequeue.map_or(self.due, |(at, _)| self.due.min(at))
    }

    /// Processes the events due at `now`. Read [`Bss::delivery`] and [`Bss::poll_failure`] before the next deadline,
    /// which clears them.
    pub fn on_deadline(&mut self, now: Time) {
        debug_assert!(now <= self.next_deadline());
        self.delivery = None;
        self.failures.clear();
        self.emptied.clear();
        self.dequeue_if_due(now);
        self.start_due_transmission(now);
        if self.due <= now {
            self.finish(now);
        }
    }

    /// The frame received at the last deadline.
    #[inline]
    pub fn delivery(&self) -> Option<&Delivery<P>> {
        self.delivery.as_ref()
    }

    /// A frame given up at the last deadline because of a retry limit.
    pub fn poll_failure(&mut self) -> Option<Frame<P>> {
        self.failures.pop()
    }

    /// Frames that `station` holds, the one in service included. The frame delivered at the last deadline no longer
    /// counts, though its ACK is still on the air.
    pub fn queue_frames(&self, station: u32) -> u32 {
        self.stations[station as usize].interface.held()
    }

    /// Counts of `station`. Call [`Bss::settle`] first.
    pub fn station_stats(&self, station: u32) -> StationStats {
        let station = &self.stations[station as usize];
        StationStats { queue: *station.interface.stats(), ..station.stats }
    }

    /// Counts of the medium. Exchanges count whole when their data frame ends.
    pub fn medium_stats(&self) -> &MediumStats {
        &self.medium
    }

    /// Brings everything up to `now`: scheduled arrivals, transmissions that started before, and the occupancy
    /// integrals.
    pub fn settle(&mut self, now: Time) {
        for station in &mut self.stations {
            station.admit(Moment::from(now));
            station.integrate_occupancy(now);
        }
        self.start(Time(now.0.saturating_sub(1)));
    }

    #[inline(never)]
    fn start(&mut self, now: Time) {
        self.dequeue_if_due(now);
        self.start_due_transmission(now);
    }

    /// The frame before has been served: the next one leaves the queue of `station`.
    fn take_next(&mut self, now: Time, station: u32) {
        let taker = &mut self.stations[station as usize];
        taker.integrate_occupancy(now);
        if taker.take_next(now, &self.phy) {
            self.contend(now, station);
        }
    }

    #[inline]
    fn dequeue_if_due(&mut self, now: Time) {
        if let Some((at, station)) = self.pending_dequeue
            && at <= now
        {
            self.pending_dequeue = None;
            self.take_next(at, station);
        }
    }

    /// Starts the contention of a station's first frame (IEEE 802.11-2012, 9.3.4.2).
    fn contend(&mut self, now: Time, from: u32) {
        let before = self.contention.next();
        if !self.contention.join_backoff(from, now) {
            if self.contention.is_busy() {
                let slots = self.draw_backoff(from);
                self.contention.back_off(from, slots, true);
                return;
            }
            let origin = self.contention.origin_of(from);
            let (start, slots) = match self.phy.access.first_access {
                FirstAccess::AfterIdle
                    if now < self.busy_until.max(self.stations[from as usize].nav_until) =>
                {
                    (origin, self.draw_backoff(from))
                }
                FirstAccess::AfterIdle => (origin.max(now), 0),
                FirstAccess::Backoff => (origin.max(now + self.phy.difs), self.draw_backoff(from)),
            };
            self.contention.count_down(from, start, slots);
        }
        if self.contention.next() != before {
            self.plan();
        }
    }

    /// Plans the next transmission, and the deadline up to which nothing has to be done about it.
    #[inline(always)]
    fn plan(&mut self) {
        let next = self.contention.next();
        if next.at == Time::NEVER {
            self.due = Time::NEVER;
        } else if next.tied || self.nav_per_station {
            self.due = next.at;
        } else {
            let timeline = self.exchange(next.station, next.at);
            self.due = timeline.data_end;
            self.timeline = Some(timeline);
        }
    }

    /// Starts the next transmission if it is due at `now` or before.
    #[inline(always)]
    fn start_due_transmission(&mut self, now: Time) {
        let next = self.contention.next();
        if next.at > now {
            return;
        }
        self.contention.freeze(next.at, &mut self.senders);
        self.medium.attempts += self.senders.len() as u64;
        let &[sender] = self.senders.as_slice() else { return self.collide(next.at) };
        self.stations[sender as usize].stats.attempts += 1;
        if self.timeline.is_none() || self.loses_frames {
            self.begin(sender, next.at);
        }
    }

    #[inline]
    fn draw_backoff(&mut self, station: u32) -> u64 {
        let station = &mut self.stations[station as usize];
        station.stream.below(u64::from(station.cw) + u64::from(self.phy.access.backoff_includes_cw))
    }
}

#[cfg(test)]
mod tests;
