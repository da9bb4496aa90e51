//! A queue of any discipline.

use crate::account::{Account, QueueStats};
use crate::config::{QueueConfig, QueueLimit};
use crate::discipline::{AnyDiscipline, Setup};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Time};

/// Waiting packets, and the discipline that orders and drops them. Calls come in the order of time.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    discipline: AnyDiscipline<P>,
    account: Account<P>,
    /// Bytes of the packet dequeued last (the one in service, if any).
    last_dequeued_bytes: u32,
}

impl<P: Queued> Queue<P> {
    /// An empty queue of the component `name` in the run with this `seed`.
    pub fn new(config: &QueueConfig, seed: u64, name: &str) -> Queue<P> {
        let discipline = AnyDiscipline::new(&Setup { config, seed, name });
        Queue { discipline, account: Account::default(), last_dequeued_bytes: 0 }
    }

    /// Enqueues `packet`, or drops it, or others for it. `in_service` packets have been dequeued and still count
    /// against the limit: none, the one in transmission, or at a wireless interface also the one before it, whose
    /// acknowledgement is on the air, and those that its driver holds. Each of them counts by the bytes of the packet dequeued last.
    #[inline]
    pub fn enqueue(&mut self, now: Time, packet: P, in_service: u32) {
        self.account.clear();
        self.account.offer();
        let bytes = u64::from(in_service) * u64::from(self.last_dequeued_bytes);
        self.discipline.enqueue(now, packet, Occupancy { packets: in_service, bytes }, &mut self.account);
    }

    /// The next packet to serve. Call it whenever the server is free. `None`: no packet waits, or only packets for
    /// stations [on hold](Queue::hold).
    #[inline]
    pub fn dequeue(&mut self, now: Time) -> Option<P> {
        self.account.clear();
        let packet = self.discipline.dequeue(now, &mut self.account)?;
        self.last_dequeued_bytes = packet.bytes();
        Some(packet)
    }

    /// A packet that the last [`enqueue`](Queue::enqueue) or [`dequeue`](Queue::dequeue) dropped, in the order of the drops.
    #[inline]
    pub fn poll_drop(&mut self) -> Option<P> {
        self.account.poll_drop()
    }

    /// Charges `station` for the `airtime` of packets to or from it. Disciplines that do not share the air ignore it.
    #[inline]
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.discipline.charge(now, station, airtime);
    }

    /// Holds `station` back, or lets it go on: [`dequeue`](Queue::dequeue) hands out none of its packets meanwhile. A
    /// driver with queues of its own does so while it has enough airtime queued for the station. Disciplines that do
    /// not share the air ignore it.
    pub fn hold(&mut self, station: u32, held: bool) {
        self.discipline.hold(station, held);
    }

    /// Sets the airtime of `station` in proportion to other stations'; 256 if nobody does. Disciplines that do not
    /// share the air ignore it.
    pub fn set_station_weight(&mut self, station: u32, weight: u16) {
        self.discipline.set_station_weight(station, weight);
    }

    /// Tells the rate that `station` can expect, now and whenever it changes. Most disciplines ignore it.
    pub fn set_station_rate(&mut self, station: u32, rate: Rate) {
        self.discipline.set_station_rate(station, rate);
    }

    /// The limit for packets that arrive from now on, in the same unit; packets held beyond it stay.
    pub fn set_limit(&mut self, limit: QueueLimit) {
        self.discipline.set_limit(limit);
    }

    /// Number of waiting packets.
    #[inline]
    pub fn packets(&self) -> u32 {
        self.discipline.occupancy().packets
    }

    /// Their bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.discipline.occupancy().bytes
    }

    /// Whether no packet waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets() == 0
    }

    /// Counts since the start of the run.
    pub fn stats(&self) -> &QueueStats {
        self.account.stats()
    }
}
