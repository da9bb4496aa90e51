//! A station on the air: its turns, and when its slots count.

use airfair_core::Time;

use super::GraphMedium;
use super::exchange::Exchange;
use super::noise::Noise;
use crate::mac::Payload;
use crate::mac::qos::{Announcer, Arrived, Idle, QosRules, QosStation};

/// A station on the channel.
#[derive(Debug)]
pub(super) struct Node<P: Payload> {
    pub station: QosStation<P>,
    /// Announcers of beacons and broadcasts, if the station is an access point.
    pub announcers: Vec<Announcer>,
    /// Noise between the station and its access point.
    pub noise: Option<Box<Noise>>,
    /// Index on the channel of the first station of the network, its access point. The station itself knows no
    /// others.
    pub first: u32,
    /// Number of stations of the network.
    pub stations: u32,
    pub rules: QosRules,
    /// The view by which the station listens now.
    pub listens_by: u32,
    /// The view by which the station listens when it does nothing.
    pub crowd: u32,
    /// Whether the access point of the network sends broadcasts.
    pub gets_broadcasts: bool,
    /// The station's own exchange.
    pub exchange: Option<Exchange>,
    /// Which MPDUs of the station's PPDU have arrived.
    pub arrived: Arrived,
    /// When the station last gave up waiting for an answer.
    pub timeout: Time,
    /// When the station transmits if the air stays idle.
    pub access_at: Time,
    /// Whether the station has something to send.
    contends: bool,
}

impl<P: Payload> Node<P> {
    /// Returns one of the `stations` stations of a network that begins with the station `first`.
    pub fn new(
        station: QosStation<P>,
        noise: Option<Box<Noise>>,
        (first, stations): (u32, u32),
        rules: QosRules,
    ) -> Node<P> {
        Node {
            station,
            announcers: Vec::new(),
            noise,
            first,
            stations,
            rules,
            listens_by: 0,
            crowd: 0,
            gets_broadcasts: false,
            exchange: None,
            arrived: Arrived::default(),
            timeout: Time::ZERO,
            access_at: Time::NEVER,
            contends: false,
        }
    }

    /// Returns the index on the channel of a station of the network.
    pub fn on_channel(&self, station: u32) -> u32 {
        self.first + station
    }

    /// Whether what is on the air changes the station by itself, even where all stations hear the same.
    pub fn is_occupied(&self) -> bool {
        // Chance decides for each station whether it gets a frame.
        let draws = || self.gets_broadcasts || self.station.loss.is_some();
        self.exchange.is_some() || !self.contends && self.station.counts_down() || draws()
    }

    /// Stops the station's countdowns: the air falls busy for it at `now`.
    fn freeze(&mut self, now: Time, idle: Idle) {
        self.station.freeze(now, idle);
        self.announcers.iter_mut().for_each(|announcer| announcer.freeze(now, idle));
        self.access_at = Time::NEVER;
    }

    /// Sets when the station transmits: the air is `idle`. Lowers `access_from` to that time.
    pub fn set_access(&mut self, idle: Idle, access_from: &mut Time) {
        let announcers = self.announcers.iter().map(|announcer| announcer.access_at(idle));
        self.access_at = announcers.fold(self.station.access_at(idle), Time::min);
        *access_from = self.access_at.min(*access_from);
    }
}

impl<P: Payload> GraphMedium<P> {
    /// Stops the countdowns of a listener, a station or a crowd, for which the air falls busy at `now`.
    pub(super) fn suspend(&mut self, now: Time, listener: u32) {
        let Some(idle) = self.views[listener as usize].idle.take() else { return };
        if let Some(node) = self.nodes.get_mut(listener as usize) {
            node.freeze(now, idle);
        } else if !self.withdraw(listener) {
            // With a reservation, the countdowns of the crowd have not begun yet, and stand still as before.
            self.for_each_waiting(listener, |node, _| node.freeze(now, idle));
        }
    }

    /// Reserves the air for a crowd: its countdowns do not begin before `until`.
    fn reserve(&mut self, until: Time, crowd: u32) {
        self.withdraw(crowd);
        self.reservations.push((until, crowd));
    }

    /// Ends the reservation for a crowd. Returns whether there was one.
    fn withdraw(&mut self, crowd: u32) -> bool {
        let place = self.reservations.iter().position(|(_, of)| *of == crowd);
        place.map(|place| self.reservations.swap_remove(place)).is_some()
    }

    /// Ends the reservations that are over at `now`, before which no frame has begun: countdowns begin.
    pub(super) fn end_reservations(&mut self, now: Time) {
        while let Some(&(_, crowd)) = self.reservations.iter().find(|(at, _)| *at <= now) {
            self.withdraw(crowd);
            if let Some(idle) = self.views[crowd as usize].idle {
                self.for_each_waiting(crowd, |node, access_from| node.set_access(idle, access_from));
            }
        }
    }

    /// Calls `action` for each station of a crowd that has something to send, with the earliest access of all.
    fn for_each_waiting(&mut self, crowd: u32, mut action: impl FnMut(&mut Node<P>, &mut Time)) {
        for &station in &self.contenders {
            let node = &mut self.nodes[station as usize];
            if node.listens_by == crowd {
                action(node, &mut self.access_from);
            }
        }
    }

    /// Lets the slots of a listener, a station or a crowd, count from now on, if the air is not busy for it
    /// and it has no exchange under way.
    pub(super) fn resume(&mut self, now: Time, listener: u32) {
        let view = &mut self.views[listener as usize];
        let Some(node) = self.nodes.get_mut(listener as usize) else {
            let falls_idle = view.idle.is_none();
            view.begin_idle(Time::ZERO);
            let Some(idle) = view.idle else { return };
            match idle.since {
                Some(since) if since > now && falls_idle => self.reserve(since, listener),
                _ => {
                    self.withdraw(listener);
                    self.for_each_waiting(listener, |node, access_from| node.set_access(idle, access_from));
                }
            }
            return;
        };
        if node.exchange.is_some() {
            return;
        }
        view.begin_idle(node.timeout);
        node.access_at = Time::NEVER;
        if let Some(idle) = view.idle.filter(|_| node.contends) {
            node.set_access(idle, &mut self.access_from);
        }
    }

    /// Updates when a station transmits, which has got a frame or ended an exchange.
    pub(super) fn update_access(&mut self, station: u32) {
        let idle = self.view(station).idle;
        let node = &mut self.nodes[station as usize];
        let is_reserved = self.reservations.iter().any(|(_, of)| *of == node.listens_by);
        if let Some(idle) = idle.filter(|_| !is_reserved) {
            node.set_access(idle, &mut self.access_from);
        }
        self.update_contention(station);
    }

    /// Updates whether a station contends, which has got a frame or ended an exchange.
    pub(super) fn update_contention(&mut self, station: u32) {
        let node = &mut self.nodes[station as usize];
        let contends = node.station.contends() || node.announcers.iter().any(Announcer::contends);
        if contends && !node.contends {
            self.contenders.push(station);
        } else if !contends && node.contends {
            self.contenders.retain(|&other| other != station);
        }
        self.nodes[station as usize].contends = contends;
        self.attend_if_occupied(station);
    }
}
