//! Beacons and broadcasts of access points.

use airfair_core::Time;

use super::GraphMedium;
use super::air::{Part, Start, Transmission};
use super::node::Node;
use crate::mac::Payload;
use crate::mac::qos::{Announcer, Idle};
use crate::phy::errors::FrameKind;
use crate::phy::mode::Coding;

impl<P: Payload> GraphMedium<P> {
    pub(super) fn schedule_announcements(&mut self) {
        for (station, node) in (0..).zip(&self.nodes) {
            for (number, announcer) in (0..).zip(&node.announcers) {
                self.starts.push((announcer.next, Start::Announcement(station, number)));
            }
        }
    }

    /// Adds the beacon or broadcast of an announcer that is due at `now`.
    pub(super) fn add_announcement(&mut self, now: Time, station: u32, number: u8) {
        self.attend(station);
        let idle = self.view(station).idle.filter(|idle| idle.is_idle(now));
        let node = &mut self.nodes[station as usize];
        let announcer = &mut node.announcers[usize::from(number)];
        announcer.advance();
        self.starts.push((announcer.next, Start::Announcement(station, number)));
        if announcer.kind().is_beacon() {
            announcer.add_beacon(now, idle);
        } else if !node.station.add_broadcast(now, idle, &node.rules) {
            self.drop_broadcast(station);
        }
        self.update_access(station);
    }

    /// Counts a broadcast for which the access point has no room, and which all of its stations miss.
    fn drop_broadcast(&mut self, access_point: u32) {
        let Node { first, stations, .. } = self.nodes[access_point as usize];
        let (access_point, stations) =
            self.nodes[first as usize..][..stations as usize].split_first_mut().expect("an access point");
        access_point.station.stats.broadcasts_dropped += 1;
        stations.iter_mut().for_each(|node| node.station.stats.broadcasts_lost += 1);
    }

    /// Returns the announcer of `station` whose beacon is sent at `now`. What else the station would send now backs off, as after a
    /// collision.
    pub(super) fn winning_beacon(&self, now: Time, station: u32, idle: Idle) -> Option<u8> {
        let announcers = &self.nodes[station as usize].announcers;
        announcers.iter().position(|announcer| announcer.access_at(idle) <= now).map(|place| place as u8)
    }

    /// Begins a broadcast of `station`.
    pub(super) fn announce_broadcast(&mut self, now: Time, station: u32) {
        let mut announcers = self.nodes[station as usize].announcers.iter();
        if let Some(number) = announcers.position(|announcer| !announcer.kind().is_beacon()) {
            self.announce(now, station, number as u8);
        }
    }

    /// Begins a frame of an announcer, or the CTS before it.
    pub(super) fn announce(&mut self, now: Time, station: u32, number: u8) {
        let node = &self.nodes[station as usize];
        let announcer = &node.announcers[usize::from(number)];
        let (cts, standard) = (announcer.cts, node.rules.common());
        let nav_end = now + announcer.airtime(node.rules.sifs);
        self.change_active(now, true);
        let Some((cts, _)) = cts else { return self.send_announcement(now, station, number) };
        let (part, end) = (Part::CtsToAnnounce(number), now + cts);
        let frame =
            Transmission { number: 0, sender: station, receiver: station, part, standard, end, nav_end };
        self.transmit(now, frame, cts);
    }

    /// A frame of an announcer begins.
    pub(super) fn send_announcement(&mut self, now: Time, station: u32, number: u8) {
        let Announcer { duration, standard, .. } =
            self.nodes[station as usize].announcers[usize::from(number)];
        // The frame announces no NAV: its Duration field is zero (IEEE 802.11-2020, 9.2.5.6).
        let end = now + duration;
        let part = Part::Announcement(number);
        let frame =
            Transmission { number: 0, sender: station, receiver: station, part, standard, end, nav_end: end };
        self.transmit(now, frame, duration);
    }

    /// Whether noise or random loss destroys a broadcast at a station where no other frame disturbs it.
    pub(super) fn misses_broadcast(
        &mut self,
        now: Time,
        listener: u32,
        (sender, number): (u32, u8),
        disturbance: f64,
    ) -> bool {
        let announcer = &self.nodes[sender as usize].announcers[usize::from(number)];
        let (bytes, coding) = (announcer.bytes, Coding::of_rate(announcer.rate));
        let node = &mut self.nodes[listener as usize];
        let by_loss = node.station.loses(|loss| {
            loss.loses_received(FrameKind::Data, now, bytes) || loss.loses_above_mac(now, bytes)
        });
        let noise = node.noise.as_deref_mut();
        by_loss | noise.is_some_and(|noise| noise.destroys(now, false, (coding, bytes), disturbance))
    }

    /// Whether the frame of an announcer is a broadcast of the network of `listener`.
    pub(super) fn is_broadcast_for(&self, listener: u32, (sender, number): (u32, u8)) -> bool {
        let announcer = &self.nodes[sender as usize].announcers[usize::from(number)];
        !announcer.kind().is_beacon() && self.views[listener as usize].first == sender
    }

    /// Counts the end of an announcer's frame at another station, where it `arrives` or not, if it is a broadcast of that station's
    /// network.
    pub(super) fn count_broadcast(&mut self, listener: u32, announcer: (u32, u8), arrives: bool) {
        if !self.is_broadcast_for(listener, announcer) {
            return;
        }
        let stats = &mut self.nodes[listener as usize].station.stats;
        let counter = if arrives { &mut stats.broadcasts } else { &mut stats.broadcasts_lost };
        *counter += 1;
    }

    pub(super) fn end_of_announcement(&mut self, now: Time, station: u32, number: u8) {
        let node = &mut self.nodes[station as usize];
        let announcer = &node.announcers[usize::from(number)];
        node.station.stats.airtime += announcer.airtime(node.rules.sifs);
        self.log_announcement(now, station, number);
        self.change_active(now, false);
        self.update_access(station);
    }
}
