//! On request: all turns on the air, the receivers of the frames that a station holds, and queueing delays.

use airfair_core::Time;

use super::GraphMedium;
use crate::mac::Payload;
use crate::medium::log::{Log, LoggedFrame, Turn, TurnOutcome};
use crate::stats::QueueDelay;

impl<P: Payload> GraphMedium<P> {
    /// Logs every turn on the air from now on.
    pub fn log_turns(&mut self) {
        Log::at(&mut self.log).keep_turns();
    }

    /// The turns since [`GraphMedium::log_turns`], in the order of their ends, without those on the air.
    pub fn turns(&self) -> &[Turn] {
        Log::turns_of(self.log.as_deref())
    }

    /// Logs every frame on the air from now on.
    pub fn log_frames(&mut self) {
        Log::at(&mut self.log).keep_frames();
    }

    /// Removes the frames whose fate is known from the log, in the order of their starts, up to the first one still on the air.
    pub fn take_frames(&mut self, take: impl FnMut(LoggedFrame<P>)) {
        Log::take_frames(self.log.as_deref_mut(), take);
    }

    /// Counts the receivers of the frames that `station` holds from now on: it must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        let stations = self.nodes.len();
        self.nodes[station as usize].station.watch_receivers(stations);
    }

    /// Number of frames that `station` holds for each station. Call [`GraphMedium::watch_receivers`] at the start of the run.
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        self.nodes[station as usize].station.frames_for(counts);
    }

    /// Keeps the queueing delay of each frame that `station` sends from now on.
    pub fn log_queue_delays(&mut self, station: u32) {
        self.nodes[station as usize].station.queue_delays = Some(Vec::new());
    }

    /// Queueing delays since [`GraphMedium::log_queue_delays`], in the order in which the frames were first sent.
    pub fn queue_delays(&self, station: u32) -> &[QueueDelay] {
        self.nodes[station as usize].station.queue_delays.as_deref().unwrap_or_default()
    }

    /// Logs the exchange of `station` that ends now.
    pub(super) fn log(&mut self, now: Time, station: u32, outcome: TurnOutcome) {
        let Some(turns) = self.log.as_mut().and_then(|log| log.turns.as_mut()) else { return };
        let Some(exchange) = &self.nodes[station as usize].exchange else { return };
        turns.push(Turn {
            from: station,
            to: exchange.plan.receiver,
            start: exchange.start,
            end: now,
            bytes: exchange.plan.bytes,
            outcome,
        });
    }
}
