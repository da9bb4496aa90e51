//! Airtime and queue lengths up to an instant.
//!
//! An exchange counts whole when its data frame ends, though its ACK is still to come. A reading subtracts the part
//! after the instant and adds the part of an exchange under way, so that a window never holds more airtime than time.

use airfair_core::{Span, Time};

use super::SharedMedium;
use crate::mac::Payload;
use crate::stats::OccupancyIntegral;

/// The exchange whose airtime was counted last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountedExchange {
    pub sender: u32,
    /// When the last frame of the exchange ends.
    pub end: Time,
}

impl<P: Payload> SharedMedium<P> {
    /// Returns the airtime of the attempts of `station` until `now`. [Settle](SharedMedium::settle) at `now` first.
    pub fn airtime(&self, now: Time, station: u32) -> Span {
        let airtime = self.stations[station as usize].stats.airtime;
        if self.contention.is_busy() {
            airtime + self.under_way(now, station)
        } else {
            airtime - self.counted_ahead(now, station)
        }
    }

    /// Returns the time with at least one exchange on the air until `now`. [Settle](SharedMedium::settle) at `now`
    /// first.
    pub fn busy(&self, now: Time) -> Span {
        if self.contention.is_busy() {
            let start = self.exchange.map_or(self.collision.start, |exchange| exchange.start);
            self.stats.busy + now.since(start)
        } else {
            self.stats.busy - self.counted.end.max(self.collision.end).since(now)
        }
    }

    /// Returns the number of frames that `station` has held, integrated over time until `now`.
    /// [Settle](SharedMedium::settle) at `now` first.
    pub fn occupancy(&self, now: Time, station: u32) -> OccupancyIntegral {
        self.stations[station as usize].occupancy(now)
    }

    /// Returns the airtime of `station` in the transmission on the air, which is not counted yet.
    fn under_way(&self, now: Time, station: u32) -> Span {
        let exchange = self.exchange.filter(|exchange| exchange.sender == station);
        let exchange = exchange.map(|exchange| exchange.last_end(&self.rules).min(now).since(exchange.start));
        let mut collided = self.collided_of(station);
        let collided = collided.next().map(|end| end.min(now).since(self.collision.start));
        exchange.or(collided).unwrap_or(Span::ZERO)
    }

    /// Returns the airtime counted for `station` that lies after `now`: an ACK, or a frame that outlasts the captured
    /// one.
    fn counted_ahead(&self, now: Time, station: u32) -> Span {
        let exchange = (self.counted.sender == station).then_some(self.counted.end);
        let ends = exchange.into_iter().chain(self.collided_of(station));
        ends.map(|end| end.since(now)).max().unwrap_or(Span::ZERO)
    }

    /// Returns the end of the frame that `station` lost in the last collision, if nobody has been on the air since.
    fn collided_of(&self, station: u32) -> impl Iterator<Item = Time> {
        let frames = self.collision.frames.iter();
        frames.filter(move |frame| frame.sender == station).map(|frame| frame.end)
    }
}
