//! On request: all turns on the air, the receivers of the frames that a station holds, and queueing delays.

use airfair_core::Time;

use super::SharedMedium;
use crate::mac::{Fate, Payload};
use crate::stats::QueueDelay;

/// One station's turn on the air: a frame exchange, or the frame that it lost in a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Index of the station that took the medium.
    pub from: u32,
    /// Index of the station that the frame is for.
    pub to: u32,
    /// When its first frame began.
    pub start: Time,
    /// When the last frame of the exchange ended, the receiver's ACK included.
    pub end: Time,
    /// Bytes of the MSDU.
    pub bytes: u32,
    /// Its outcome.
    pub outcome: TurnOutcome,
}

/// The outcome of a turn on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The frame arrived and its sender knows.
    Acknowledged,
    /// A frame of the exchange was lost at random, or not answered.
    Lost,
    /// Another station transmitted at the same time.
    Collided,
}

impl TurnOutcome {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            TurnOutcome::Acknowledged => "acknowledged",
            TurnOutcome::Lost => "lost",
            TurnOutcome::Collided => "collided",
        }
    }
}

impl<P: Payload> SharedMedium<P> {
    /// Logs every turn on the air from now on.
    pub fn log_turns(&mut self) {
        self.turns = Some(Vec::new());
    }

    /// The turns since [`SharedMedium::log_turns`], in the order of their ends of data, without the one on the air.
    pub fn turns(&self) -> &[Turn] {
        self.turns.as_deref().unwrap_or_default()
    }

    /// Counts the receivers of the frames that `station` holds from now on: it must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        let stations = self.stations.len();
        self.stations[station as usize].interface.watch_receivers(stations);
    }

    /// Number of frames that `station` holds for each station, the one in service included. Call
    /// [`SharedMedium::watch_receivers`] at the start of the run.
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        self.stations[station as usize].interface.frames_for(counts);
    }

    /// Keeps the queueing delay of each frame that `station` serves from now on.
    pub fn log_queue_delays(&mut self, station: u32) {
        self.stations[station as usize].queue_delays = Some(Vec::new());
    }

    /// Queueing delays since [`SharedMedium::log_queue_delays`], in the order in which the frames were served.
    pub fn queue_delays(&self, station: u32) -> &[QueueDelay] {
        self.stations[station as usize].queue_delays.as_deref().unwrap_or_default()
    }

    /// Logs the transmission that ends now, but for its ACK.
    #[inline(never)]
    pub(super) fn log(&mut self) {
        let exchange = self.exchange.map(|exchange| {
            let outcome = match exchange.fate {
                Fate::Complete => TurnOutcome::Acknowledged,
                _ => TurnOutcome::Lost,
            };
            (exchange.sender, exchange.start, exchange.last_end(&self.rules), outcome)
        });
        let collided = self.collision.frames.iter();
        let collided =
            collided.map(|frame| (frame.sender, self.collision.start, frame.end, TurnOutcome::Collided));
        let Some(turns) = &mut self.turns else { return };
        turns.extend(exchange.into_iter().chain(collided).map(|(from, start, end, outcome)| {
            let frame = self.stations[from as usize].frame();
            Turn { from, to: frame.to, start, end, bytes: frame.bytes, outcome }
        }));
    }
}
