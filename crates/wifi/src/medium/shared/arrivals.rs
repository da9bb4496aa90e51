//! Scheduled arrivals: frames whose arrival at a drop-tail queue is known in advance.

use airfair_core::{Moment, Phase, Time};

use super::SharedMedium;
use crate::mac::{Arrivals, Frame, Payload, ScheduledArrival};

impl<P: Payload> SharedMedium<P> {
    /// Whether arrivals can be [scheduled](SharedMedium::schedule_arrival) at the interface queue of a station: it is drop-tail with a
    /// limit in frames, and departures are not watched.
    pub fn accepts_scheduled_arrivals(&self, station: u32) -> bool {
        let station = &self.stations[station as usize];
        station.interface.knows_next() && !station.tells_departures()
    }

    /// Schedules the arrival of a frame at the interface queue of station `from` at `due`. If the queue is empty
    /// then, the caller must [admit](SharedMedium::admit) it at [`SharedMedium::next_arrival`]; otherwise there is nothing
    /// to do.
    #[inline]
    pub fn schedule_arrival(&mut self, from: u32, due: Time, frame: Frame<&P>) -> ScheduledArrival {
        debug_assert!((frame.to as usize) < self.stations.len() && frame.to != from);
        let station = &mut self.stations[from as usize];
        if due == self.acted_at && station.interface.head().is_some() {
            // The frame answers another one: all that has come to the queue at this instant was there before.
            station.admit(Moment::new(due, Phase::LAST));
        }
        station.interface.schedule_arrival(due, frame)
    }

    /// Returns the interface queue of station `from`, for [scheduled arrivals](SharedMedium::schedule_arrival) of frames to one receiver;
    /// `None` if it has a discipline.
    #[inline]
    pub fn arrivals(&mut self, from: u32, to: u32) -> Option<Arrivals<'_, P>> {
        debug_assert!((to as usize) < self.stations.len() && to != from);
        self.stations[from as usize].interface.drop_tail().map(|queue| Arrivals::at(queue, to))
    }

    /// Returns the first scheduled arrival at the empty queue of station `from`; [`Moment::NEVER`] if there is none, or if the queue is not
    /// empty.
    #[inline]
    pub fn next_arrival(&self, from: u32) -> Moment {
        let interface = &self.stations[from as usize].interface;
        if interface.head().is_some() { Moment::NEVER } else { interface.next_arrival() }
    }

    /// Admits the scheduled frame that is due to the queue of station `from`.
    pub fn admit(&mut self, now: Time, from: u32) {
        self.start(now);
        let station = &mut self.stations[from as usize];
        let idle = station.interface.head().is_none();
        let Moment { at, phase } = station.interface.next_arrival();
        debug_assert!(at <= now, "a scheduled frame is due");
        station.admit(Moment::new(at, phase.next()));
        if idle {
            self.take_next(now, from);
        }
    }

    /// Returns a station whose queue ran empty at the last deadline although arrivals are scheduled.
    #[inline]
    pub fn poll_emptied(&mut self) -> Option<u32> {
        self.emptied.pop()
    }

    /// Notes that the queue of a station may be empty: the caller must know if arrivals are scheduled.
    #[inline]
    pub(super) fn note_emptied(&mut self, station: u32) {
        if self.next_arrival(station) < Moment::NEVER {
            self.emptied.push(station);
        }
    }
}
