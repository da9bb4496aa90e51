//! Frames that are told of before they come.
//!
//! What a frame does to a drop-tail queue that holds others is to wait, or to be dropped, and that shows when one of those leaves.
//! So whoever knows when frames come need not return for each.

use airfair_core::{Moment, Time};

use super::interface::Interface;
use super::{Bss, Frame, Payload};

/// What became of a frame that was [scheduled](Bss::schedule_arrival).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduledArrival {
    /// It is the first to come, and nobody is there yet: the caller has to see to it.
    First,
    /// Others are there, or come before it.
    Behind,
    /// Another comes later that was announced before; it has to be enqueued when it comes.
    OutOfOrder,
}

impl<P: Payload> Bss<P> {
    /// Whether frames can be [scheduled](Bss::schedule_arrival) to the interface queue of a station: it is drop-tail with a limit in frames.
    pub fn accepts_scheduled_arrivals(&self, station: u32) -> bool {
        self.stations[station as usize].interface.knows_next()
    }

    /// A frame will come to the interface queue of station `from` at `due`. If others are there then, it comes without further
    /// ado; if not, the caller has to [admit](Bss::admit) it at [`Bss::next_arrival`].
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

    /// When the first announced frame comes to the empty queue of station `from`; [`Moment::NEVER`] if there is none, or if others
    /// are there.
    #[inline]
    pub fn next_arrival(&self, from: u32) -> Moment {
        let station = &self.stations[from as usize];
        if station.interface.head().is_some() { Moment::NEVER } else { station.next_arrival() }
    }

    /// An announced frame that is due comes to the queue of station `from`.
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

    /// A station whose queue has run empty at the last deadline, though frames are to come.
    #[inline]
    pub fn poll_emptied(&mut self) -> Option<u32> {
        self.emptied.pop()
    }

    /// The last frame has left the queue of a station: whoever has announced others has to know.
    #[inline]
    pub(super) fn note_emptied(&mut self, station: u32) {
        if self.next_arrival(station) < Moment::NEVER {
            self.emptied.push(station);
        }
    }
}
