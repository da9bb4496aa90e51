//! Settings that change while the medium is in use.

use airfair_core::Time;

use super::{SharedMedium, rates_by_receiver};
use crate::config::BssConfig;
use crate::mac::Payload;

/// Settings that hold from an instant on.
#[derive(Debug)]
pub(super) struct Change {
    to: BssConfig,
    at: Time,
    seed: u64,
}

impl<P: Payload> SharedMedium<P> {
    /// Prepares the access point's queue for a change of its discipline. Nothing may have happened yet.
    pub fn expect_changes(&mut self, config: &BssConfig, seed: u64) {
        let stations = self.stations.len();
        if let [access_point, ..] = self.stations.as_mut_slice() {
            access_point.expect_changes(&config.stations[0], stations, seed);
        }
        self.classify();
    }

    /// Changes the settings of medium access, and the rates, losses and queues of stations, to those of `to`, which has the same
    /// stations and the same PHY. A transmission under way ends as it was begun; the next one is as `to` says.
    pub fn change(&mut self, now: Time, to: &BssConfig, seed: u64) {
        self.settle(now);
        for (station, config) in self.stations.iter_mut().zip(&to.stations) {
            station.change_queue(now, config, seed);
        }
        let change = Change { to: to.clone(), at: now, seed };
        if self.contention.is_busy() {
            self.change = Some(Box::new(change));
            // The end of a plain exchange looks for no change.
            self.is_plain = false;
        } else {
            self.take(&change);
            self.plan();
        }
    }

    /// Adopts the settings, which hold from now on; the air must be idle. The next transmission must be planned again.
    pub(super) fn take(&mut self, change: &Change) {
        let Change { to, at, seed } = change;
        self.rules.mac = to.mac;
        let configs = to.stations.iter().zip(rates_by_receiver(to));
        for (station, (config, rates)) in self.stations.iter_mut().zip(configs) {
            station.change(config, rates, &self.rules, *at, *seed);
        }
        self.classify();
    }
}
