//! Settings that change while the medium is in use.

use airfair_core::Time;

use super::GraphMedium;
use crate::config::{BssConfig, LinkSnr};
use crate::mac::Payload;

impl<P: Payload> GraphMedium<P> {
    /// Changes the threshold and retry limit of medium access, and the EDCA parameters, signals, losses and queues of stations, to those of
    /// `to`. It has the same stations as the network whose access point is the station `first`. An exchange under way ends as it was begun.
    pub fn change(&mut self, now: Time, first: u32, to: &BssConfig) {
        for (station, config) in (first..).zip(&to.stations) {
            let node = &mut self.nodes[station as usize];
            node.rules.take(&to.mac);
            node.station.change(now, config);
            self.note_departures(station);
            self.update_access(station);
            if let Some(snr) = config.qos.as_ref().and_then(|qos| qos.snr) {
                self.change_snr(first, station, snr);
            }
        }
        self.plan();
    }

    fn change_snr(&mut self, access_point: u32, station: u32, snr: LinkSnr) {
        let node = &mut self.nodes[station as usize];
        node.noise.iter_mut().for_each(|noise| noise.change(snr));
        node.station.set_snr(0, snr.up);
        self.nodes[access_point as usize].station.set_snr(station - access_point, snr.down);
    }
}
