//! Arrivals at an interface queue that are scheduled where they wait.

use airfair_core::Moment;

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
    /// The queue of this access category.
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

    /// Schedules the arrival of a frame of these bytes at `due`. Its payload, of this moment's phase, is the caller's to write where the
    /// frame waits; says whether the frame is the first, as in [`ScheduledArrival`](super::ScheduledArrival). `None`: the frame must be
    /// scheduled otherwise.
    #[inline(always)]
    pub fn room(&mut self, due: Moment, bytes: u32) -> Option<(&mut P, bool)> {
        self.reborrow().into_room(due, bytes)
    }

    /// The same for the last of these frames.
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
