//! NAV and EIFS of each station, where stations miss each other's control frames.
//!
//! Elsewhere all stations that take no part in an exchange hear all of it, so one NAV serves them all.

use airfair_core::Time;

use super::exchange::{Exchange, Fate, Reservation};
use super::{Bss, Payload};
use crate::phy::errors::FrameKind;

/// A frame that other stations overhear.
struct Overheard {
    kind: FrameKind,
    bytes: u32,
    reservation: Reservation,
}

impl<P: Payload> Bss<P> {
    /// Updates every station's NAV and EIFS after an exchange.
    pub(super) fn update_navs(&mut self, timeline: &Exchange, receiver: u32) {
        let &Exchange { sender, fate, data_end, .. } = timeline;
        let last = self.last_end(timeline);
        match fate {
            Fate::CtsLost | Fate::AckLost => self.miss(sender, last),
            Fate::RtsLost | Fate::DataLost => self.miss(receiver, last),
            Fate::Complete | Fate::RtsIgnored => {}
        }
        if let (Fate::CtsLost, Some(patience)) = (fate, self.phy.access.cts_patience) {
            let nav_until = &mut self.stations[receiver as usize].nav_until;
            *nav_until = (*nav_until).max(data_end + patience);
        }
        self.overhear(timeline, receiver);
    }

    /// Slots count from `origin` on, except for stations whose NAV or EIFS ends later, and for those listed in
    /// `later`.
    pub(super) fn resume_each(&mut self, origin: Time, later: &[(u32, Time)]) {
        self.contention.resume(origin);
        for (index, station) in (0..).zip(&self.stations) {
            let own = later.iter().find(|(other, _)| *other == index).map_or(origin, |&(_, from)| from);
            let deferred = (station.nav_until + self.phy.difs).max(station.eifs_until);
            self.contention.set_own_origin(index, own.max(deferred));
        }
    }

    /// Stations that take no part hear each frame, or miss it.
    fn overhear(&mut self, timeline: &Exchange, receiver: u32) {
        let frames = self.frames_of(timeline);
        for station in 0..self.stations.len() as u32 {
            if station == receiver || self.senders.contains(&station) {
                continue;
            }
            for frame in frames.iter().flatten() {
                let Reservation { end, nav_end } = frame.reservation;
                let own = &mut self.stations[station as usize];
                if own.loses_received(frame.kind, end, frame.bytes) {
                    self.miss(station, end);
                } else {
                    own.eifs_until = Time::ZERO;
                    own.nav_until = own.nav_until.max(nav_end);
                }
            }
        }
    }

    /// `station` hears the end of a frame that it cannot decode.
    fn miss(&mut self, station: u32, end: Time) {
        let own = &mut self.stations[station as usize];
        let resumes = end + self.phy.eifs;
        if self.phy.access.eifs_is_nav {
            own.nav_until = own.nav_until.max(resumes - self.phy.difs);
        } else {
            own.eifs_until = resumes;
        }
    }

    /// The frames of an exchange that were on the air.
    fn frames_of(&self, timeline: &Exchange) -> [Option<Overheard>; 4] {
        let &Exchange { sender, start, rts, data_end, end, fate, .. } = timeline;
        let framing = &self.phy.framing;
        let sending = &self.stations[sender as usize];
        let bytes = sending.frame().bytes;
        let control = |bytes, reservation| Overheard { kind: FrameKind::Control, bytes, reservation };
        let rest = sending.data + self.phy.sifs + sending.ack;
        let before_data = rts.then(|| self.reservations(start, rest));
        let data = Reservation { end: data_end, nav_end: data_end + sending.data_nav };
        let ack = Reservation { end, nav_end: end };
        let answered = !matches!(fate, Fate::RtsIgnored | Fate::RtsLost);
        [
            before_data.map(|[rts, _]| control(framing.rts, rts)),
            before_data.filter(|_| answered).map(|[_, cts]| control(framing.cts, cts)),
            fate.reaches_data().then(|| Overheard {
                kind: FrameKind::Data,
                bytes: framing.data(bytes),
                reservation: data,
            }),
            fate.brings_data().then(|| control(framing.ack, ack)),
        ]
    }
}
