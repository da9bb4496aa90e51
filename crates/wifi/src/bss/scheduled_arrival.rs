//! Scheduled arrivals: frames whose arrival is known in advance.
//!
//! A frame that arrives at a non-empty drop-tail queue waits or is dropped, which shows only when another frame
//! leaves. So a caller who knows arrival times need not return for each.

use airfair_core::{Moment, Time};

use super::interface::Interface;
use super::{Bss, Frame, Payload};

/// The result of [`Bss::schedule_arrival`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduledArrival {
    /// The frame is the first at an empty queue: the caller must [admit](Bss::admit) it.
    First,
    /// Other frames are there, or arrive before it.
    Behind,
    /// Another frame is scheduled later; this one must be enqueued when it arrives.
    OutOfOrder,
}

impl<P: Payload> Bss<P> {
    /// Whether arrivals can be [scheduled](Bss::schedule_arrival) at the interface queue of a station: it is
    /// drop-tail with a limit in frames.
    pub fn accepts_scheduled_arrivals(&self, station: u32) -> bool {
        self.stations[station as usize].interface.knows_next()
    }

    /// Schedules the arrival of a frame at the interface queue of station `from` at `due`. If the queue is empty
    /// then, the caller must [admit](Bss::admit) it at [`Bss::next_arrival`]; otherwise there is nothing to do.
    #[inline]
    pub fn schedule_arrival(&mut self, from: u32, due: Time, frame: Frame<P>) -> ScheduledArrival {
        debug_assert!((frame.to as usize) < self.stations.len() && frame.to != from);
        let Interface::DropTail(queue) = &mut self.stations[from as usize].interface else {
            return ScheduledArrival::OutOfOrder;
        };
        let first = queue.head().is_none()
            && queue
                .next_arrival()
                .is_none_or(|other| other.moment() > Moment::new(due, frame.payload.phase()));
        match queue.schedule_arrival(due, frame) {
            true if first => ScheduledArrival::First,
            true => ScheduledArrival::Behind,
            false => ScheduledArrival::OutOfOrder,
        }
    }

    /// The first scheduled arrival at the empty queue of station `from`; [`Moment::NEVER`] if there is none, or if
    /// the queue is not empty.
    #[inline]
    pub fn next_arrival(&self, from: u32) -> Moment {
        let station = &self.stations[from as usize];
        if station.interface.head().is_some() { Moment::NEVER } else { station.next_arrival() }
    }

    /// Admits the scheduled frame that is due to the queue of station `from`.
    pub fn admit(&mut self, now: Time, from: u32) {
        self.start(now);
        let station = &mut self.stations[from as usize];
        let idle = station.interface.head().is_none();
        let Moment { at, phase } = station.next_arrival();
        debug_assert!(at <= now, "an announced frame is due");
        station.admit(Moment::new(at, phase.next()));
        if idle {
            self.take_next(now, from);
        }
    }

    /// A station whose queue ran empty at the last deadline although arrivals are scheduled.
    #[inline]
    pub fn poll_emptied(&mut self) -> Option<u32> {
        self.emptied.pop()
    }

    /// The last frame has left the queue of a station: the caller must know if arrivals are scheduled.
    #[inline]
    pub(super) fn note_emptied(&mut self, station: u32) {
        if self.next_arrival(station) < Moment::NEVER {
            self.emptied.push(station);
        }
    }
}
