//! A station on the air: its turns, and when its slots count.

use airfair_core::Time;

use super::GraphMedium;
use super::exchange::Exchange;
use super::noise::Noise;
use crate::mac::Payload;
use crate::mac::qos::{Announcer, Arrived, Idle, QosRules, QosStation};

/// A station.
#[derive(Debug)]
pub(super) struct Node<P: Payload> {
    pub station: QosStation<P>,
    /// Of an access point.
    pub announcers: Vec<Announcer>,
    /// Between it and its access point.
    pub noise: Option<Box<Noise>>,
    /// The first station of its network, and their number: the station itself knows no others.
    pub first: u32,
    pub stations: u32,
    pub rules: QosRules,
    /// The views by which it listens now, and when it does nothing.
    pub listens_by: u32,
    pub crowd: u32,
    /// Its access point sends broadcasts.
    pub gets_broadcasts: bool,
    /// Its own turn on the air.
    pub exchange: Option<Exchange>,
    /// Which MPDUs of its PPDU have arrived.
    pub arrived: Arrived,
    /// When it last gave up waiting for an answer.
    pub timeout: Time,
    /// When it transmits if the air stays idle.
    pub access_at: Time,
    contends: bool,
}

impl<P: Payload> Node<P> {
    /// One of the `stations` of a network that begins with the station `first`.
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

    /// The number on the channel of a station of its network.
    pub fn on_channel(&self, station: u32) -> u32 {
        self.first + station
    }

    /// Whether what is on the air changes it by itself, even where all stations hear the same.
    pub fn is_occupied(&self) -> bool {
        // Chance decides for each station whether it gets a frame.
        let draws = || self.gets_broadcasts || self.station.loss.is_some();
        self.exchange.is_some() || !self.contends && self.station.counts_down() || draws()
    }

    /// The air falls busy for it at `now`: its countdowns stand still.
    fn freeze(&mut self, now: Time, idle: Idle) {
        self.station.freeze(now, idle);
        self.announcers.iter_mut().for_each(|announcer| announcer.freeze(now, idle));
        self.access_at = Time::NEVER;
    }

    /// The air falls idle: it transmits no earlier than at the least of `access_from`, which takes note of it.
    pub fn set_access(&mut self, idle: Idle, access_from: &mut Time) {
        let announcers = self.announcers.iter().map(|announcer| announcer.access_at(idle));
        self.access_at = announcers.fold(self.station.access_at(idle), Time::min);
        *access_from = self.access_at.min(*access_from);
    }
}

impl<P: Payload> GraphMedium<P> {
    /// The air falls busy at `now` for one that listens.
    pub(super) fn suspend(&mut self, now: Time, listener: u32) {
        let Some(idle) = self.views[listener as usize].idle.take() else { return };
        if let Some(node) = self.nodes.get_mut(listener as usize) {
            node.freeze(now, idle);
        } else if !self.withdraw(listener) {
            // Otherwise their countdowns have not begun yet, and stand still as before.
            self.for_each_waiting(listener, |node, _| node.freeze(now, idle));
        }
    }

    /// The countdowns of a crowd do not begin before this instant.
    fn reserve(&mut self, until: Time, crowd: u32) {
        self.withdraw(crowd);
        self.reservations.push((until, crowd));
    }

    /// The reservation for a crowd ends; returns whether there was one.
    fn withdraw(&mut self, crowd: u32) -> bool {
        let place = self.reservations.iter().position(|(_, of)| *of == crowd);
        place.map(|place| self.reservations.swap_remove(place)).is_some()
    }

    /// No frame has begun before these reservations are over.
    pub(super) fn end_reservations(&mut self, now: Time) {
        while let Some(&(_, crowd)) = self.reservations.iter().find(|(at, _)| *at <= now) {
            self.withdraw(crowd);
            if let Some(idle) = self.views[crowd as usize].idle {
                self.for_each_waiting(crowd, |node, access_from| node.set_access(idle, access_from));
            }
        }
    }

    /// Those of a crowd that have something to send, and the earliest access.
    fn for_each_waiting(&mut self, crowd: u32, mut action: impl FnMut(&mut Node<P>, &mut Time)) {
        for &station in &self.contenders {
            let node = &mut self.nodes[station as usize];
            if node.listens_by == crowd {
                action(node, &mut self.access_from);
            }
        }
    }

    /// The slots of one that listens count from now on, if it neither hears nor does anything.
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

    /// The station has got a frame, or ended an exchange.
    pub(super) fn update_access(&mut self, station: u32) {
        let idle = self.view(station).idle;
        let node = &mut self.nodes[station as usize];
        let is_reserved = self.reservations.iter().any(|(_, of)| *of == node.listens_by);
        if let Some(idle) = idle.filter(|_| !is_reserved) {
            node.set_access(idle, &mut self.access_from);
        }
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
