//! Frames that are told of before they come.
//!
//! What a frame does to a drop-tail queue that holds others is to wait, or to be dropped, and that shows when one of those leaves.
//! So whoever knows when frames come need not return for each.

use airfair_core::{Moment, Time};

use super::interface::Interface;
use super::{Bss, Frame, Payload};

/// What became of a frame that was [announced](Bss::announce).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// It is the first to come, and nobody is there yet: the caller has to see to it.
    First,
    /// Others are there, or come before it.
    Behind,
    /// Another comes later that was announced before; it has to be enqueued when it comes.
    OutOfOrder,
}

impl<P: Payload> Bss<P> {
    /// Whether frames can be [announced](Bss::announce) to the interface queue of a station: it is drop-tail with a limit in frames.
    pub fn serves_in_order(&self, station: u32) -> bool {
        self.stations[station as usize].interface.foresees_next()
    }

    /// A frame will come to the interface queue of station `from` at `due`. If others are there then, it comes without further
    /// ado; if not, the caller has to [admit](Bss::admit) it at [`Bss::next_coming`].
    #[inline]
    pub fn announce(&mut self, from: u32, due: Time, frame: Frame<P>) -> Announced {
        debug_assert!((frame.to as usize) < self.stations.len() && frame.to != from);
        let Interface::InOrder(queue) = &mut self.stations[from as usize].interface else {
            return Announced::OutOfOrder;
        };
        let first = queue.head().is_none()
            && queue.coming().is_none_or(|other| other.moment() > Moment::new(due, frame.payload.phase()));
        match queue.announce(due, frame) {
            true if first => Announced::First,
            true => Announced::Behind,
            false => Announced::OutOfOrder,
        }
    }

    /// When the first announced frame comes to the empty queue of station `from`; [`Moment::NEVER`] if there is none, or if others
    /// are there.
    #[inline]
    pub fn next_coming(&self, from: u32) -> Moment {
        let station = &self.stations[from as usize];
        if station.interface.head().is_some() { Moment::NEVER } else { station.next_coming() }
    }

    /// An announced frame that is due comes to the queue of station `from`.
    pub fn admit(&mut self, now: Time, from: u32) {
        self.start(now);
        let station = &mut self.stations[from as usize];
        let idle = station.interface.head().is_none();
        let Moment { at, phase } = station.next_coming();
        debug_assert!(at <= now, "an announced frame is due");
        station.admit(Moment::new(at, phase.next()));
        if idle {
            self.take_next(now, from);
        }
    }

    /// A station whose queue has run empty at the last deadline, though frames are to come.
    #[inline]
    pub fn poll_run_empty(&mut self) -> Option<u32> {
        self.run_empty.pop()
    }

    /// The last frame has left the queue of a station: whoever has announced others has to know.
    #[inline]
    pub(super) fn note_run_empty(&mut self, station: u32) {
        if self.next_coming(station) < Moment::NEVER {
            self.run_empty.push(station);
        }
    }
}
