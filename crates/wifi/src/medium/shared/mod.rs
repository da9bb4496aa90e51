//! One channel on which every station hears every other. The whole medium is one state machine.
//!
//! An exchange takes one deadline, the end of its data frame. The contention before it needs none, and the rest of
//! the exchange (SIFS, ACK) is known by then. A collision mostly takes one, too: its end.

mod airtime;
mod arrivals;
mod change;
mod collision;
mod contention;
mod exchange;
mod log;
mod nav;
mod wheel;

use airfair_core::{Rate, Stream, Time};

use super::log::Log;
use super::{Brought, Delivery, Frames};
use crate::config::BssConfig;
use crate::mac::{Exchange, Frame, Payload, Rules, Station};
use crate::stats::{MediumStats, StationStats};

use airtime::CountedExchange;
use change::Change;
use collision::Collision;
use contention::Contention;

/// The stations of a BSS, of which the first is the access point, and the air between them.
///
/// Calls must have a `now` that does not decrease, and [`SharedMedium::on_deadline`] must be called at every
/// [`SharedMedium::next_deadline`]. A transmission that is due at `now` starts before a frame that is enqueued at `now`.
#[derive(Debug)]
pub struct SharedMedium<P: Payload> {
    rules: Rules,
    capture_stream: Stream,
    stations: Vec<Station<P>>,
    /// Whether any station loses frames at random, or did before a change: a frame that arrived then, and lost its ACK, is sent again.
    loses_frames: bool,
    /// Whether any station's queue has a discipline, which may charge receivers for airtime.
    charges_airtime: bool,
    /// Stations whose departures are watched.
    watched: Vec<u32>,
    /// Whether no station `loses_frames`, has a queue with a discipline or is watched, nothing is logged, and no change of settings waits.
    is_plain: bool,
    /// Whether stations miss each other's control frames, so that each has a NAV of its own.
    nav_per_station: bool,
    contention: Contention,
    /// The exchange on the air, if one station transmits alone or is captured.
    exchange: Option<Exchange>,
    /// The stations that transmit at the same time, while the air is busy; empty if one transmits alone.
    senders: Vec<u32>,
    /// The collision on the air.
    collision: Collision,
    /// End of the last exchange, whose outcome is known.
    busy_until: Time,
    counted: CountedExchange,
    due: Time,
    /// End of the exchange that has just delivered data, and the station whose next frame leaves its queue then; [`Time::NEVER`] if none does.
    pending_dequeue: (Time, u32),
    /// The sender of the frame received at the last deadline.
    delivered_from: Option<u32>,
    /// The last deadline.
    acted_at: Time,
    failures: Vec<Frame<P>>,
    emptied: Vec<u32>,
    stats: MediumStats,
    /// Log of turns or frames on the air, if requested. Boxed, because few runs need it.
    log: Option<Box<Log<P>>>,
    /// Settings that hold when the transmission on the air has ended.
    change: Option<Box<Change>>,
}

impl<P: Payload> SharedMedium<P> {
    /// Returns the medium at time zero, idle. Each station draws from its own random streams.
    pub fn new(config: &BssConfig, seed: u64) -> SharedMedium<P> {
        let rules = Rules::new(config.phy.clone(), config.mac);
        let name = config.stations.first().map_or("", |station| &station.name);
        let stations = (0..).zip(config.stations.iter().zip(rates_by_receiver(config)));
        let stations =
            stations.map(|(index, (station, rates))| Station::new(index, station, rates, &rules, seed));
        let stations: Vec<Station<P>> = stations.collect();
        let mut medium = SharedMedium {
            capture_stream: Stream::new(seed, &format!("wlan capture {name}")),
            loses_frames: false,
            charges_airtime: false,
            watched: Vec::new(),
            is_plain: false,
            nav_per_station: false,
            contention: Contention::new(
                stations.len(),
                rules.phy.slot,
                u64::from(rules.phy.cw_min.max(rules.phy.cw_max)),
            ),
            exchange: None,
            senders: Vec::with_capacity(stations.len()),
            collision: Collision::new(stations.len()),
            stations,
            busy_until: Time::ZERO,
            counted: CountedExchange::default(),
            due: Time::NEVER,
            pending_dequeue: (Time::NEVER, 0),
            delivered_from: None,
            acted_at: Time::NEVER,
            failures: Vec::new(),
            emptied: Vec::new(),
            stats: MediumStats::default(),
            log: None,
            change: None,
            rules,
        };
        medium.classify();
        medium
    }

    /// Notes which of the rarer paths the stations need.
    fn classify(&mut self) {
        let stations = &self.stations;
        self.loses_frames |= stations.iter().any(|station| station.loss.is_some());
        self.charges_airtime = !stations.iter().all(|station| station.interface.knows_next());
        self.is_plain =
            !self.loses_frames && !self.charges_airtime && self.watched.is_empty() && self.log.is_none();
        self.nav_per_station = stations.iter().any(Station::misses_control);
    }

    /// Adds a frame to the interface queue of station `from`. Returns `false` if the queue drops it, or another frame for it.
    ///
    /// # Panics
    /// If `from` is no station, or the frame's destination is no station or is `from`.
    pub fn enqueue(&mut self, now: Time, from: u32, frame: Frame<P>) -> bool {
        assert!((frame.to as usize) < self.stations.len() && frame.to != from, "no way to {}", frame.to);
        self.start(now);
        let station = &mut self.stations[from as usize];
        let idle = station.interface.head().is_none()
            && (self.pending_dequeue.0 == Time::NEVER || self.pending_dequeue.1 != from);
        let accepted = station.enqueue(now, frame);
        if idle {
            self.take_next(now, from);
        }
        accepted
    }

    /// Returns when [`SharedMedium::on_deadline`] is next due; [`Time::NEVER`] if the air stays idle.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        self.due.min(self.pending_dequeue.0)
    }

    /// Processes the events due at `now`. Returns what they have brought. Read [`SharedMedium::poll_failure`] before the next call, too.
    pub fn on_deadline(&mut self, now: Time) -> Brought {
        debug_assert!(now <= self.next_deadline());
        self.acted_at = now;
        self.delivered_from = None;
        self.failures.clear();
        self.emptied.clear();
        self.dequeue_if_due(now);
        let is_over = self.exchange_at_once(now) || self.act_otherwise(now);
        if is_over {
            self.contention.find_next();
            self.plan();
        }
        let frames = if self.delivered_from.is_some() { Frames::One } else { Frames::None };
        Brought { frames, emptied: !self.emptied.is_empty() }
    }

    /// Returns the frame received at the last deadline, once.
    #[inline]
    pub fn poll_delivery(&mut self) -> Option<Delivery<&P>> {
        let from = self.delivered_from.take()?;
        let Frame { to, payload, .. } = self.stations[from as usize].interface.delivered()?;
        Some(Delivery { from, to: *to, payload })
    }

    /// Keeps the frames that leave `station` from now on, for [`SharedMedium::poll_departure`]. Nothing may have happened yet.
    pub fn watch_departures(&mut self, station: u32) {
        self.stations[station as usize].watch_departures();
        self.watched.push(station);
        self.classify();
    }

    /// Whether the departures of any station are [watched](SharedMedium::watch_departures).
    pub fn is_watched(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Returns a frame that has left a watched station: it has reached its receiver, or was dropped.
    pub fn poll_departure(&mut self) -> Option<P> {
        self.watched.iter().find_map(|&station| self.stations[station as usize].poll_departure())
    }

    /// Returns a frame given up at the last deadline because of a retry limit.
    pub fn poll_failure(&mut self) -> Option<Frame<P>> {
        self.failures.pop()
    }

    /// Returns the number of frames that `station` holds, the one in service included. The frame delivered at the last deadline no longer
    /// counts, though its ACK is still on the air.
    pub fn queue_frames(&self, station: u32) -> u32 {
        self.stations[station as usize].interface.held()
    }

    /// Returns the counts of `station`. Call [`SharedMedium::settle`] first.
    pub fn station_stats(&self, station: u32) -> StationStats {
        self.stations[station as usize].stats()
    }

    /// Returns the counts of the medium. Exchanges count whole when their data frame ends.
    pub fn medium_stats(&self) -> &MediumStats {
        &self.stats
    }

    /// Brings everything up to `now`: scheduled arrivals, and transmissions that started before.
    pub fn settle(&mut self, now: Time) {
        self.stations.iter_mut().for_each(|station| station.settle(now));
        self.start(Time(now.0.saturating_sub(1)));
    }

    #[inline(never)]
    fn start(&mut self, now: Time) {
        self.dequeue_if_due(now);
        self.start_due_transmission(now);
    }

    /// Takes the next frame from the queue of `station`, after the one before has been served.
    fn take_next(&mut self, now: Time, station: u32) {
        if self.stations[station as usize].serve(now, &self.rules) {
            self.contend(now, station);
        }
    }

    #[inline]
    fn dequeue_if_due(&mut self, now: Time) {
        let (at, station) = self.pending_dequeue;
        if at <= now {
            self.pending_dequeue.0 = Time::NEVER;
            self.take_next(at, station);
        }
    }

    /// Starts the contention of a station's first frame (IEEE 802.11-2012, 9.3.4.2).
    fn contend(&mut self, now: Time, from: u32) {
        let before = self.contention.next();
        if !self.contention.join_backoff(from, now) {
            if self.contention.is_busy() {
                return self.back_off(from, true);
            }
            let origin = self.contention.origin_of(from);
            let station = &mut self.stations[from as usize];
            let (start, slots) = station.first_access(now, self.busy_until, origin, &self.rules);
            self.contention.count_down(from, start, slots);
        }
        if self.contention.next() != before {
            self.plan();
        }
    }

    /// Draws a backoff after an attempt, also if no other frame waits; `contending` if one does (9.3.4.3).
    #[inline(always)]
    fn back_off(&mut self, station: u32, contending: bool) {
        let slots = self.stations[station as usize].draw_backoff(&self.rules);
        self.contention.back_off(station, slots, contending);
    }

    /// Plans the next transmission, and the deadline up to which nothing has to be done about it.
    #[inline(always)]
    fn plan(&mut self) {
        let next = self.contention.next();
        let station = &self.stations[next.station as usize];
        self.due = if next.at == Time::NEVER || self.nav_per_station {
            next.at
        } else if next.tied {
            // A collision ends no earlier than any of its frames, unless a receiver captures one.
            let captures = self.rules.mac.capture > 0.0;
            if captures { next.at } else { next.at + station.first_frame(&self.rules).0 }
        } else {
            next.at.plus(station.until_data_end())
        };
    }

    /// Does all of the next exchange if nothing can go wrong with it and its data frame ends by `now`. Returns `false` if not.
    #[inline(always)]
    fn exchange_at_once(&mut self, now: Time) -> bool {
        if !self.is_plain || self.due > now {
            return false;
        }
        let Some((sender, start)) = self.contention.freeze_for_one(&mut self.senders) else { return false };
        self.complete(now, sender, start);
        true
    }

    /// Starts the next transmission, or ends the one on the air, whatever is due. Returns whether it has ended.
    #[inline(never)]
    fn act_otherwise(&mut self, now: Time) -> bool {
        self.start_due_transmission(now);
        let ends = self.due <= now;
        if ends {
            self.finish(now);
        }
        ends
    }

    /// Starts the next transmission if it is due at `now` or before.
    fn start_due_transmission(&mut self, now: Time) {
        let next = self.contention.next();
        if next.at > now {
            return;
        }
        match self.contention.freeze(&mut self.senders) {
            Some(sender) => {
                self.collision.frames.clear();
                self.stats.attempts += 1;
                self.stations[sender as usize].stats.attempts += 1;
                self.begin(sender, next.at);
            }
            None => self.collide(next.at),
        }
    }

    /// Ends the transmission on the air, whose ACK may still be to come.
    fn finish(&mut self, now: Time) {
        if self.log.is_some() {
            self.log();
        }
        match self.exchange.take() {
            Some(exchange) => self.finish_exchange(now, exchange),
            None => self.finish_collision(now),
        }
        if let Some(change) = self.change.take() {
            self.take(&change);
        }
    }
}

/// Returns for each station the rates of its data frames by receiver, none where all are alike. Only the access point has any.
fn rates_by_receiver(config: &BssConfig) -> impl Iterator<Item = Vec<Rate>> {
    let mut rates: Vec<_> = config.stations.iter().map(|station| station.ap_data_rate).collect();
    config.stations.iter().map(move |station| {
        let mut rates = std::mem::take(&mut rates);
        if rates.iter().all(|&rate| rate == station.data_rate) {
            rates.clear();
        }
        rates
    })
}

#[cfg(test)]
mod tests;
