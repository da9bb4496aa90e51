//! Frames on their way to an interface queue, which the medium knows of before they come.
//!
//! A frame that comes while its access category has others to send changes nothing on the air before its station builds its next PPDU,
//! or an exchange ends. So it needs no call of its own.

use airfair_core::{Moment, Time};

use super::GraphMedium;
use crate::mac::{Arrivals, Frame, Payload, QueuedFrame, ScheduledArrival};
use crate::phy::edca::AccessCategory;

impl<P: Payload> GraphMedium<P> {
    /// Whether arrivals can be scheduled at the interface queue of `station`: only if it is a drop-tail queue, and stays one.
    pub fn accepts_scheduled_arrivals(&self, station: u32) -> bool {
        !self.expects_changes && self.nodes[station as usize].station.accepts_scheduled_arrivals()
    }

    /// Allows calls of [`GraphMedium::change`] from now on. Arrivals cannot be scheduled then.
    pub fn expect_changes(&mut self) {
        self.expects_changes = true;
    }

    /// Schedules the arrival of a frame at `due`: see [`SharedMedium::schedule_arrival`](crate::SharedMedium::schedule_arrival).
    #[inline]
    pub fn schedule_arrival(
        &mut self,
        from: u32,
        due: Time,
        category: Option<AccessCategory>,
        frame: Frame<&P>,
    ) -> ScheduledArrival {
        let Frame { to, bytes, payload } = frame;
        let frame = QueuedFrame { frame: Frame { to, bytes, payload: *payload }, since: due };
        self.nodes[from as usize].station.schedule_arrival(category, frame)
    }

    /// See [`SharedMedium::arrivals`](crate::SharedMedium::arrivals).
    #[inline]
    pub fn arrivals(&mut self, from: u32, category: Option<AccessCategory>, to: u32) -> Arrivals<'_, P> {
        self.nodes[from as usize].station.arrivals(category, to)
    }

    /// Returns when the next scheduled frame comes to station `from`, if that must be [admitted](GraphMedium::admit); [`Moment::NEVER`]
    /// otherwise.
    pub fn next_arrival(&self, from: u32) -> Moment {
        self.nodes[from as usize].station.next_arrival()
    }

    /// Admits the next scheduled frame of station `from`, which comes at `now`.
    pub fn admit(&mut self, now: Time, from: u32) {
        if let Some((category, frame)) = self.nodes[from as usize].station.take_coming(now) {
            self.enqueue(now, from, Some(category), frame);
        }
    }

    /// Returns a station whose next scheduled frame must be [admitted](GraphMedium::admit) from now on.
    #[inline]
    pub fn poll_emptied(&mut self) -> Option<u32> {
        self.emptied.pop()
    }

    /// Counts the frames that have come before `now`.
    pub fn settle(&mut self, now: Time) {
        for station in 0..self.nodes.len() as u32 {
            self.nodes[station as usize].station.admit_until(Moment::from(now));
            self.note_departures(station);
        }
    }

    /// Notes that the exchange of `station` has ended: its next scheduled frame may have to be admitted.
    pub(super) fn note_emptied(&mut self, station: u32) {
        if self.nodes[station as usize].station.next_arrival() < Moment::NEVER {
            self.emptied.push(station);
        }
    }
}
