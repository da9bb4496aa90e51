//! Arrivals at an interface queue, scheduled in the places where the frames wait.

use airfair_core::{Moment, Span, Time};

use super::Payload;
use super::drop_tail::DropTailQueue;
use super::qos::QosStation;
use crate::phy::edca::AccessCategory;

/// A station's interface queue, for frames that come to it and go to one receiver.
#[derive(Debug)]
pub struct Arrivals<'a, P: Payload> {
    queue: Queue<'a, P>,
    to: u32,
}

#[derive(Debug)]
enum Queue<'a, P: Payload> {
    DropTail(&'a mut DropTailQueue<P>),
    /// The queue of one access category of a QoS station.
    Qos(&'a mut QosStation<P>, AccessCategory),
}

impl<'a, P: Payload> Arrivals<'a, P> {
    #[inline]
    pub(crate) fn at(queue: &'a mut DropTailQueue<P>, to: u32) -> Arrivals<'a, P> {
        Arrivals { queue: Queue::DropTail(queue), to }
    }

    #[inline]
    pub(crate) fn at_category(
        station: &'a mut QosStation<P>,
        category: AccessCategory,
        to: u32,
    ) -> Arrivals<'a, P> {
        Arrivals { queue: Queue::Qos(station, category), to }
    }

    /// Schedules the arrival of a frame of `bytes` bytes at `due`. Returns the place of its payload, which the caller must write and whose
    /// phase must be that of `due`, and whether the frame is the first, as in [`ScheduledArrival::First`](super::ScheduledArrival::First).
    /// Returns `None` if the frame must be scheduled otherwise.
    #[inline(always)]
    pub fn room(&mut self, due: Moment, bytes: u32) -> Option<(&mut P, bool)> {
        self.reborrow().into_room(due, bytes)
    }

    /// Returns this queue for frames that arrive one after the other; `None` if it is a drop-tail queue that takes frames one by one.
    #[inline(always)]
    pub fn in_rows(&mut self) -> Option<RowArrivals<'_, P>> {
        match &mut self.queue {
            Queue::DropTail(_) => None,
            Queue::Qos(station, category) => Some(RowArrivals { station, category: *category, to: self.to }),
        }
    }

    /// Like [`Arrivals::room`], but for the last of the frames: consumes the handle.
    #[inline(always)]
    pub fn into_room(self, due: Moment, bytes: u32) -> Option<(&'a mut P, bool)> {
        match self.queue {
            Queue::DropTail(queue) => queue.room_for_arrival(due, self.to, bytes),
            Queue::Qos(station, category) => station.room_for_arrival(category, due, self.to, bytes),
        }
    }

    #[inline(always)]
    fn reborrow(&mut self) -> Arrivals<'_, P> {
        let queue = match &mut self.queue {
            Queue::DropTail(queue) => Queue::DropTail(queue),
            Queue::Qos(station, category) => Queue::Qos(station, *category),
        };
        Arrivals { queue, to: self.to }
    }
}

/// A station's interface queue, for many frames that come to it one after the other and go to one receiver.
#[derive(Debug)]
pub struct RowArrivals<'a, P: Payload> {
    station: &'a mut QosStation<P>,
    category: AccessCategory,
    to: u32,
}

impl<P: Payload> RowArrivals<'_, P> {
    /// Like [`Arrivals::room`], but for a frame that arrives at the instant of the frame scheduled last, behind it. Always finds room.
    #[inline(always)]
    pub fn room_behind(&mut self, due: Time, bytes: u32) -> &mut P {
        self.station.room_behind(due, self.to, bytes)
    }

    /// Schedules frames of `bytes` bytes with these payloads, at most `most`. The first arrives at `first`, and each of the others `step` after
    /// the one before. Returns the number of frames scheduled, and whether the first of them is the first as in [`Arrivals::room`]. If the number
    /// is zero, the frames must be scheduled otherwise.
    #[inline(always)]
    pub fn schedule(
        &mut self,
        first: Moment,
        step: Span,
        bytes: u32,
        most: usize,
        payloads: impl Iterator<Item = P>,
    ) -> (usize, bool) {
        self.station.schedule_row(self.category, first, step, (self.to, bytes), most, payloads)
    }
}
