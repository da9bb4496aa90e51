//! Logs kept on request: the turns and frames on the air, the receivers of the frames that a station holds, and queueing
//! delays.

use airfair_core::{Span, Time};

use super::SharedMedium;
use crate::mac::{AirFrame, Exchange, Fate, Frame, Payload, Rules, Station};
use crate::medium::log::{FrameLog, Log, LoggedBody, LoggedFrame, LoggedMpdu, Sent, Turn, TurnOutcome};
use crate::stats::QueueDelay;

impl<P: Payload> SharedMedium<P> {
    /// Logs every turn on the air from now on.
    pub fn log_turns(&mut self) {
        Log::at(&mut self.log).keep_turns();
        self.classify();
    }

    /// Returns the turns since [`SharedMedium::log_turns`], in the order of the ends of their data, without the one on the
    /// air.
    pub fn turns(&self) -> &[Turn] {
        Log::turns_of(self.log.as_deref())
    }

    /// Logs every frame on the air from now on.
    pub fn log_frames(&mut self) {
        Log::at(&mut self.log).keep_frames();
        self.classify();
    }

    /// Removes the frames of finished exchanges from the log, in the order of their starts. The last one's ACK may still be
    /// on the air.
    pub fn take_frames(&mut self, take: impl FnMut(LoggedFrame<P>)) {
        Log::take_frames(self.log.as_deref_mut(), take);
    }

    /// Returns a time before which no frame that is logged after `now` begins.
    pub fn logs_from(&self, now: Time) -> Time {
        let exchange = self.exchange.map_or(Time::NEVER, |exchange| exchange.start);
        let collides = self.contention.is_busy() && !self.collision.frames.is_empty();
        let collision = if collides { self.collision.start } else { Time::NEVER };
        now.min(self.contention.next().at).min(exchange).min(collision)
    }

    /// Counts the receivers of the frames that `station` holds from now on. The station must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        let stations = self.stations.len();
        self.stations[station as usize].interface.watch_receivers(stations);
    }

    /// Writes the number of frames that `station` holds for each station, the one in service included, to `counts`. Call
    /// [`SharedMedium::watch_receivers`] at the start of the run.
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        self.stations[station as usize].interface.frames_for(counts);
    }

    /// Keeps the queueing delay of each frame that `station` serves from now on.
    pub fn log_queue_delays(&mut self, station: u32) {
        self.stations[station as usize].queue_delays = Some(Vec::new());
    }

    /// Returns the queueing delays since [`SharedMedium::log_queue_delays`], in the order in which the frames were served.
    pub fn queue_delays(&self, station: u32) -> &[QueueDelay] {
        self.stations[station as usize].queue_delays.as_deref().unwrap_or_default()
    }

    /// Logs the transmission that ends now, whose ACK may still be to come.
    #[inline(never)]
    pub(super) fn log(&mut self) {
        let SharedMedium { log, exchange, collision, stations, rules, .. } = self;
        let Some(log) = log else { return };
        if let Some(turns) = &mut log.turns {
            let exchange = exchange.map(|exchange| {
                let outcome = match exchange.fate {
                    Fate::Complete => TurnOutcome::Acknowledged,
                    _ => TurnOutcome::Lost,
                };
                let ends = (exchange.start, exchange.last_end(rules));
                (exchange.sender, ends, outcome, exchange.fate.brings_data())
            });
            let collided = collision.frames.iter();
            let collided = collided
                .map(|frame| (frame.sender, (collision.start, frame.end), TurnOutcome::Collided, false));
            let all = exchange.into_iter().chain(collided);
            turns.extend(all.map(|(from, (start, end), outcome, arrives)| {
                let station = &stations[from as usize];
                let &Frame { to, bytes, .. } = station.frame();
                let (rate, answer) = (station.rate(), if arrives { station.ack() } else { Span::ZERO });
                let (mpdus, arrived) = (1, u16::from(arrives));
                let (category, is_block_ack) = (None, false);
                Turn {
                    from,
                    to,
                    start,
                    end,
                    bytes,
                    outcome,
                    category,
                    mpdus,
                    arrived,
                    rate,
                    answer,
                    is_block_ack,
                }
            }));
        }
        if let Some(frames) = &mut log.frames {
            // Frames that collide begin together, before the rest of an exchange of which one is captured.
            for frame in &collision.frames {
                let station = &stations[frame.sender as usize];
                let mut lost = station.exchange(collision.start);
                lost.fate = if lost.rts { Fate::RtsLost } else { Fate::DataLost };
                log_exchange(frames, station, &lost, rules);
            }
            if let Some(exchange) = exchange {
                log_exchange(frames, &stations[exchange.sender as usize], exchange, rules);
            }
        }
    }
}

/// Logs the frames of an exchange of `station` that were on the air.
fn log_exchange<P: Payload>(log: &mut FrameLog<P>, station: &Station<P>, exchange: &Exchange, rules: &Rules) {
    let &Exchange { sender, receiver, fate, .. } = exchange;
    let phy = &rules.phy;
    let rates = [phy.rts_rate, station.rate()].map(|rate| [rate, phy.response_rate(rate)]);
    let fatal = [Fate::RtsLost, Fate::CtsLost, Fate::DataLost, Fate::AckLost];
    let mut start = exchange.start;
    for (part, frame) in station.frames_of(exchange, rules).into_iter().enumerate() {
        let Some(AirFrame { end, nav_end, bytes, .. }) = frame else { continue };
        let lost = fate == fatal[part];
        let body = match part {
            0 => LoggedBody::Rts,
            1 => LoggedBody::Cts,
            2 => {
                let (number, retry) = log.number(sender, station.stats.served);
                let msdus = vec![*station.frame()];
                let mpdus = vec![LoggedMpdu { number, retry, lost, bytes, msdus }];
                LoggedBody::Data { category: None, is_aggregate: false, mpdus }
            }
            _ => LoggedBody::Ack,
        };
        let is_answer = part % 2 == 1;
        let (from, to) = if is_answer { (receiver, sender) } else { (sender, receiver) };
        let sent = Sent::Legacy(rates[part / 2][usize::from(is_answer)]);
        log.push(LoggedFrame { from, to, start, end, nav: nav_end.since(end), sent, lost, body });
        start = end + phy.sifs;
    }
}
