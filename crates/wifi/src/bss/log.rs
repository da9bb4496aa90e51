//! On request: who was on the air when, and for whom a station holds frames.

use airfair_core::Time;

use super::exchange::Fate;
use super::{Bss, Payload};

/// One station's turn on the air: a frame exchange, or the frame that it lost in a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Index of the station that took the medium.
    pub from: u32,
    /// Index of the station that its frame is for.
    pub to: u32,
    /// When its first frame began.
    pub start: Time,
    /// When the last frame of the exchange ended, the receiver's ACK included.
    pub end: Time,
    /// Bytes of the MSDU.
    pub bytes: u32,
    /// What came of it.
    pub outcome: TurnOutcome,
}

/// What came of a turn on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The frame arrived and its sender knows.
    Acknowledged,
    /// A frame of the exchange was lost to errors, or not answered.
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

impl<P: Payload> Bss<P> {
    /// Keeps every turn on the air from now on.
    pub fn log_turns(&mut self) {
        self.turns = Some(Vec::new());
    }

    /// The turns since [`Bss::log_turns`], in the order of their ends of data; what is on the air is not among them.
    pub fn take_turns(&mut self) -> Vec<Turn> {
        self.turns.take().unwrap_or_default()
    }

    /// How many turns are kept.
    pub fn turns_kept(&self) -> usize {
        self.turns.as_ref().map_or(0, Vec::len)
    }

    /// Keeps count of the receivers of the frames that `station` holds, from now on: it must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        let stations = self.stations.len();
        self.stations[station as usize].interface.watch_receivers(stations);
    }

    /// How many of the frames that `station` holds are for each station, the one in service included. To be watched by
    /// [`Bss::watch_receivers`].
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        self.stations[station as usize].interface.frames_for(counts);
    }

    /// What is on the air is over, all but its ACK.
    #[inline(never)]
    pub(super) fn log(&mut self) {
        let exchange = self.timeline.map(|timeline| {
            let outcome = match timeline.fate {
                Fate::Complete => TurnOutcome::Acknowledged,
                _ => TurnOutcome::Lost,
            };
            (timeline.sender, timeline.start, self.last_end(&timeline), outcome)
        });
        // Those of the last collision stay listed while later exchanges go alone.
        let collided = if self.senders.len() > 1 { self.collided.as_slice() } else { &[] };
        let collided = collided
            .iter()
            .map(|frame| (frame.sender, self.collision_start, frame.end, TurnOutcome::Collided));
        let Some(turns) = &mut self.turns else { return };
        turns.extend(exchange.into_iter().chain(collided).map(|(from, start, end, outcome)| {
            let frame = self.stations[from as usize].frame();
            Turn { from, to: frame.to, start, end, bytes: frame.bytes, outcome }
        }));
    }
}
