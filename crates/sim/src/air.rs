//! A wireless network in the world: its medium, and the hosts' stacks between the medium and what lies above.

use crate::packet::Packet;
use crate::record::StationCounts;
use airfair_core::{Span, Time};
use airfair_scenario::resolved::Wlan;
use airfair_wifi::{Bss, Frame, StationStats};

/// A BSS and the delay of its hosts' stacks.
#[derive(Debug)]
pub struct Air {
    /// The medium.
    pub bss: Bss<Packet>,
    stack_delay: Span,
    stations: u32,
}

impl Air {
    /// A silent medium.
    pub fn new(wlan: &Wlan, seed: u64) -> Air {
        Air {
            bss: Bss::new(&wlan.bss, seed),
            stack_delay: wlan.host_delay,
            stations: wlan.bss.stations.len() as u32,
        }
    }

    /// Time that a packet spends in a host's stack, between the medium and what lies above, either way.
    #[inline]
    pub fn stack_delay(&self) -> Span {
        self.stack_delay
    }

    /// Counts of each station at `now`.
    pub fn counts(&mut self, now: Time) -> Vec<StationCounts> {
        self.bss.settle(now);
        (0..self.stations).map(|station| station_counts(self.bss.station_stats(station))).collect()
    }

    /// Time that the medium was busy so far.
    pub fn busy(&self) -> Span {
        self.bss.medium_stats().busy
    }

    /// Puts a packet into the interface queue of station `from`; the queue counts what it drops.
    #[inline]
    pub fn enqueue(&mut self, now: Time, from: u32, to: u32, packet: Packet) {
        self.bss.enqueue(now, from, Frame { to, bytes: packet.bytes, payload: packet });
    }
}

fn station_counts(stats: &StationStats) -> StationCounts {
    StationCounts {
        offered: stats.offered_frames,
        dropped_full: stats.drops_queue,
        dropped_retries: stats.drops_retry,
        delivered: stats.delivered_frames,
        delivered_bytes: stats.delivered_bytes,
        attempts: stats.attempts,
        collisions: stats.collisions,
        retries: stats.retries,
        airtime: stats.airtime,
        held_integral: stats.occupancy,
        waiting_integral: stats.waiting,
    }
}
