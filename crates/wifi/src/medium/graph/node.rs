//! A station on the air: what it hears, and when its slots count.

use airfair_core::Time;

use super::GraphMedium;
use super::exchange::Exchange;
use super::hearing::{Ears, Sensitivity};
use super::noise::Noise;
use crate::mac::Payload;
use crate::mac::qos::{Announcer, Idle, QosRules, QosStation};
use crate::phy::mode::Standard;

/// A station and its view of the air.
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
    /// The newest that it decodes.
    pub standard: Standard,
    pub ears: Ears,
    pub transmitting: bool,
    /// It has transmitted since the air was last quiet: it hears energy, but no frame that it could decode.
    pub is_deaf: bool,
    /// Its own turn on the air.
    pub exchange: Option<Exchange>,
    /// Power of other frames over that of the data frame that it has received last.
    pub disturbance: f64,
    /// For each MPDU of its PPDU, whether it has arrived.
    pub arrived: Vec<bool>,
    /// The last end of a frame that it heard or sent, of its NAV, and of its EIFS less DIFS.
    quiet_since: Time,
    pub nav_until: Time,
    pub eifs_until: Time,
    /// When it last gave up waiting for an answer.
    pub timeout: Time,
    /// The idle period under way: its slots count.
    pub idle: Option<Idle>,
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
        sensitivity: Sensitivity,
    ) -> Node<P> {
        Node {
            standard: station.standard(),
            station,
            announcers: Vec::new(),
            noise,
            first,
            stations,
            rules,
            ears: Ears::new(sensitivity),
            transmitting: false,
            is_deaf: false,
            exchange: None,
            disturbance: 0.0,
            arrived: Vec::new(),
            quiet_since: Time::ZERO,
            nav_until: Time::ZERO,
            eifs_until: Time::ZERO,
            timeout: Time::ZERO,
            idle: Some(Idle::ALWAYS),
            access_at: Time::NEVER,
            contends: false,
        }
    }

    /// The number on the channel of a station of its network.
    pub fn on_channel(&self, station: u32) -> u32 {
        self.first + station
    }

    /// Whether it senses the air busy, or makes it so.
    pub fn is_busy(&self) -> bool {
        self.transmitting || self.ears.sense()
    }

    /// The air falls busy for it at `now`: its countdowns stand still.
    pub fn suspend(&mut self, now: Time) {
        if let Some(idle) = self.idle.take() {
            self.station.freeze(now, idle);
            self.announcers.iter_mut().for_each(|announcer| announcer.freeze(now, idle));
            self.access_at = Time::NEVER;
        }
    }

    /// The end of a frame may have left the air quiet, which was busy for it.
    pub fn note_quiet(&mut self, now: Time) {
        if !self.is_busy() {
            self.quiet_since = now;
            self.is_deaf = false;
        }
    }

    /// Its slots count from now on, if it neither hears nor does anything.
    pub fn resume(&mut self) {
        if !self.is_busy() && self.exchange.is_none() {
            let since = self.quiet_since.max(self.nav_until);
            let idle =
                Idle { since: Some(since), aifs_from: since.max(self.eifs_until), timeout: self.timeout };
            self.idle = Some(idle);
            self.access_at = if self.contends { self.next_access(idle) } else { Time::NEVER };
        }
    }

    fn next_access(&self, idle: Idle) -> Time {
        let announcers = self.announcers.iter().map(|announcer| announcer.access_at(idle));
        announcers.fold(self.station.access_at(idle), Time::min)
    }
}

impl<P: Payload> GraphMedium<P> {
    /// The station has got a frame, or ended an exchange.
    pub(super) fn update_access(&mut self, station: u32) {
        let node = &mut self.nodes[station as usize];
        if let Some(idle) = node.idle {
            node.access_at = node.next_access(idle);
        }
        let contends = node.station.contends() || node.announcers.iter().any(Announcer::contends);
        if contends && !node.contends {
            self.contenders.push(station);
        } else if !contends && node.contends {
            self.contenders.retain(|&other| other != station);
        }
        self.nodes[station as usize].contends = contends;
    }
}
