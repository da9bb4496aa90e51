//! Logs kept on request: the turns and frames on the air, the receivers of the frames that a station holds, and queueing delays.

use airfair_core::{Span, Time};

use super::GraphMedium;
use super::air::{Part, Transmission};
use super::exchange::Exchange;
use crate::mac::Payload;
use crate::mac::qos::{Announcer, Body};
use crate::medium::log::{BlockAck, FrameLog, Log, LoggedBody, LoggedFrame, Sent, Turn, TurnOutcome};
use crate::phy::edca::AccessCategory;
use crate::stats::QueueDelay;

impl<P: Payload> GraphMedium<P> {
    /// Logs every turn on the air from now on.
    pub fn log_turns(&mut self) {
        Log::at(&mut self.log).keep_turns();
    }

    /// Returns the turns since [`GraphMedium::log_turns`], in the order of their ends, without those on the air.
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

    /// Returns a time before which no frame that is logged after `now` begins.
    pub fn logs_from(&self, now: Time) -> Time {
        let frames = self.log.as_ref().and_then(|log| log.frames.as_ref());
        now.min(self.due).min(frames.and_then(FrameLog::first_on_air).unwrap_or(Time::NEVER))
    }

    /// Counts the receivers of the frames that `station` holds from now on. The station must hold none.
    pub fn watch_receivers(&mut self, station: u32) {
        let node = &mut self.nodes[station as usize];
        node.station.watch_receivers(node.stations as usize);
    }

    /// Writes the number of frames that `station` holds for each station of its network to `counts`. Call [`GraphMedium::watch_receivers`]
    /// at the start of the run.
    pub fn frames_for(&self, station: u32, counts: &mut [u32]) {
        self.nodes[station as usize].station.frames_for(counts);
    }

    /// Keeps the queueing delay of each frame that `station` sends from now on.
    pub fn log_queue_delays(&mut self, station: u32) {
        self.nodes[station as usize].station.queue_delays = Some(Vec::new());
    }

    /// Returns the queueing delays since [`GraphMedium::log_queue_delays`], in the order in which the frames were first sent.
    pub fn queue_delays(&self, station: u32) -> &[QueueDelay] {
        self.nodes[station as usize].station.queue_delays.as_deref().unwrap_or_default()
    }

    /// Logs the exchange of `station` that ends now, with an answer or without.
    pub(super) fn log(&mut self, now: Time, station: u32, outcome: TurnOutcome, is_answered: bool) {
        let GraphMedium { log, nodes, .. } = self;
        let Some(turns) = log.as_mut().and_then(|log| log.turns.as_mut()) else { return };
        let node = &mut nodes[station as usize];
        let Some(Exchange { plan, start, .. }) = node.exchange else { return };
        let to = node.on_channel(plan.receiver);
        let mpdus = node.station.mpdus_sent() as u16;
        let outbox = node.station.sending(plan.category).0;
        turns.push(Turn {
            from: station,
            to,
            start,
            end: now,
            bytes: plan.bytes,
            outcome,
            category: Some(plan.category),
            mpdus,
            arrived: node.arrived.count() as u16,
            rate: outbox.times.mode.rate(),
            answer: if is_answered { plan.answer } else { Span::ZERO },
            is_block_ack: is_answered && plan.body != Body::Single,
        });
    }

    /// Logs the frame of an announcer that ends now.
    pub(super) fn log_announcement(&mut self, now: Time, station: u32, number: u8) {
        let GraphMedium { log, nodes, .. } = self;
        let Some(turns) = log.as_mut().and_then(|log| log.turns.as_mut()) else { return };
        let node = &nodes[station as usize];
        let announcer = &node.announcers[usize::from(number)];
        let is_data = !announcer.kind().is_beacon();
        turns.push(Turn {
            from: station,
            to: station,
            start: Time(now.0 - announcer.airtime(node.rules.sifs).0),
            end: now,
            bytes: announcer.bytes,
            outcome: TurnOutcome::Lost,
            category: is_data.then_some(AccessCategory::BestEffort),
            mpdus: u16::from(is_data),
            arrived: 0,
            rate: announcer.rate,
            answer: Span::ZERO,
            is_block_ack: false,
        });
    }

    /// Logs a frame that begins.
    pub(super) fn log_start(&mut self, start: Time, transmission: &Transmission) {
        let GraphMedium { log, nodes, .. } = self;
        let Some(frames) = log.as_mut().and_then(|log| log.frames.as_mut()) else { return };
        let &Transmission { number, sender: from, receiver: to, part, end, nav_end, .. } = transmission;
        if let Part::Announcement(announcer) | Part::CtsToAnnounce(announcer) = part {
            let Announcer { announcement, rate, cts, .. } =
                nodes[from as usize].announcers[usize::from(announcer)];
            let (rate, body) = match (part, cts) {
                (Part::CtsToAnnounce(_), Some((_, rate))) => (rate, LoggedBody::Cts),
                _ => (rate, LoggedBody::Announcement(announcement)),
            };
            let (nav, sent) = (nav_end.since(end), Sent::Legacy(rate));
            return frames.begin(number, LoggedFrame { from, to, start, end, nav, sent, lost: false, body });
        }
        let is_answer = matches!(part, Part::Cts | Part::Answer);
        let node = &mut nodes[if is_answer { to } else { from } as usize];
        let Some(exchange) = &node.exchange else { return };
        let (category, body) = (exchange.plan.category, exchange.plan.body);
        let outbox = node.station.sending(category).0;
        let rates = outbox.times.rates;
        let (rate, body) = match (part, body) {
            (Part::Rts, _) => (rates.rts, LoggedBody::Rts),
            (Part::Cts | Part::CtsToSelf, _) => (rates.cts, LoggedBody::Cts),
            (Part::Answer, Body::Single) => (rates.answer, LoggedBody::Ack),
            (Part::Answer, _) => {
                let arrived = outbox.bitmap(&node.arrived);
                let (first, bits) = (outbox.window_start(), outbox.bitmap_bits());
                (rates.answer, LoggedBody::BlockAck(BlockAck { category, first, bits, arrived }))
            }
            (Part::Announcement(_) | Part::CtsToAnnounce(_), _) => return,
            (Part::Data, Body::Request) => {
                (rates.answer, LoggedBody::BlockAckRequest(category, outbox.window_start()))
            }
            (Part::Data, body) => {
                let is_aggregate = body == Body::Aggregate || outbox.times.always_delimited;
                let mode = outbox.times.mode;
                let category = mode.standard.has_qos().then_some(category);
                let body = LoggedBody::Data { category, is_aggregate, mpdus: outbox.logged() };
                let (nav, sent) = (nav_end.since(end), Sent::Mode(mode));
                let frame = LoggedFrame { from, to, start, end, nav, sent, lost: false, body };
                return frames.begin(number, frame);
            }
        };
        let (nav, sent) = (nav_end.since(end), Sent::Legacy(rate));
        frames.begin(number, LoggedFrame { from, to, start, end, nav, sent, lost: false, body });
    }

    /// Logs the fate of a frame that has ended; `arrives` if its receiver has decoded it.
    pub(super) fn log_end(&mut self, transmission: &Transmission, arrives: bool) {
        let GraphMedium { log, nodes, .. } = self;
        let Some(frames) = log.as_mut().and_then(|log| log.frames.as_mut()) else { return };
        let arrived = &nodes[transmission.sender as usize].arrived;
        frames.end(transmission.number, |frame| {
            frame.lost = !arrives;
            if let LoggedBody::Data { mpdus, .. } = &mut frame.body {
                // For a frame that was not decoded, nothing is known of its MPDUs: they count as lost.
                for (place, mpdu) in mpdus.iter_mut().enumerate() {
                    mpdu.lost = arrived.get(place) != Some(true);
                }
            }
        });
    }
}
