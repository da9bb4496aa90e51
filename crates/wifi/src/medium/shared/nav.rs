//! NAV and EIFS of each station, where stations miss each other's control frames.
//!
//! Elsewhere all stations that take no part in an exchange hear all of it, so one NAV serves them all.

use airfair_core::Time;

use super::SharedMedium;
use crate::mac::{Exchange, Fate, Payload};

impl<P: Payload> SharedMedium<P> {
    /// Updates the NAV and EIFS of every station after an exchange. Those that take part may miss its last frame, the
    /// others hear or miss each frame.
    pub(super) fn update_navs(&mut self, exchange: &Exchange) {
        let &Exchange { sender, receiver, fate, data_end, .. } = exchange;
        let last = exchange.last_end(&self.rules);
        match fate {
            Fate::CtsLost | Fate::AckLost => self.stations[sender as usize].miss(last, &self.rules),
            Fate::RtsLost | Fate::DataLost => self.stations[receiver as usize].miss(last, &self.rules),
            Fate::Complete | Fate::RtsIgnored => {}
        }
        if fate == Fate::CtsLost {
            self.stations[receiver as usize].await_data(data_end, &self.rules);
        }
        let frames = self.stations[sender as usize].frames_of(exchange, &self.rules);
        for (index, station) in (0..).zip(&mut self.stations) {
            if ![sender, receiver].contains(&index) && !self.senders.contains(&index) {
                frames.iter().flatten().for_each(|frame| station.overhear(frame, &self.rules));
            }
        }
    }

    /// Lets slots count from `origin` on, except for stations whose NAV or EIFS ends later, and for those listed in
    /// `later`.
    pub(super) fn resume_each(&mut self, origin: Time, later: &[(u32, Time)]) {
        self.contention.resume(origin);
        for (index, station) in (0..).zip(&self.stations) {
            let own = later.iter().find(|(other, _)| *other == index).map_or(origin, |&(_, from)| from);
            self.contention.set_own_origin(index, own.max(station.deferred_until(&self.rules)));
        }
    }
}
