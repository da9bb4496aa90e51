//! On request: turns on the air, and every frame on it.

use std::collections::VecDeque;

use airfair_core::{Rate, Span, Time};

use crate::config::Announcement;
use crate::mac::{Frame, Payload};
use crate::phy::edca::AccessCategory;
use crate::phy::mode::Mode;

/// One station's turn on the air: a frame exchange, or the frame that it lost in a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Index of the station that took the medium.
    pub from: u32,
    /// Index of the station that the frame is for; of a beacon or a broadcast, which is for all, the sender's.
    pub to: u32,
    /// When its first frame began.
    pub start: Time,
    /// When the last frame of the exchange ended, the receiver's ACK included.
    pub end: Time,
    /// Bytes of the MSDU, or of the PSDU where there is EDCA, also if only its RTS went out.
    pub bytes: u32,
    /// Its outcome.
    pub outcome: TurnOutcome,
    /// `None` where there is DCF, and of a beacon.
    pub category: Option<AccessCategory>,
    /// MPDUs with data: several in an A-MPDU; with EDCA none in a block ack request or a beacon, or where an RTS had no answer.
    pub mpdus: u16,
    /// Those of them that have arrived; of a broadcast none, as it may have arrived at some stations.
    pub arrived: u16,
    /// Rate of the data.
    pub rate: Rate,
    /// Duration of the answer at its end; zero if there was none.
    pub answer: Span,
    /// Whether that is a block ack.
    pub is_block_ack: bool,
}

impl Turn {
    /// When the answer began, if there was one.
    pub fn answered(&self) -> Option<Time> {
        (self.answer > Span::ZERO).then(|| Time(self.end.0 - self.answer.0))
    }
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

/// A frame on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedFrame<P: Copy> {
    /// Index of the station that sent it.
    pub from: u32,
    /// Index of the station that it is for.
    pub to: u32,
    /// When its preamble began.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// The time after its end that it reserves: its Duration field.
    pub nav: Span,
    /// How its bits were sent.
    pub sent: Sent,
    /// Whether its receiver could not decode any of it.
    pub lost: bool,
    /// Its type, and what it carries.
    pub body: LoggedBody<P>,
}

/// How the bits of a frame were sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sent {
    /// At a rate of 802.11, 802.11b, 802.11a or 802.11g.
    Legacy(Rate),
    /// In a mode.
    Mode(Mode),
}

/// The type of a frame, and what it carries.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedBody<P: Copy> {
    /// A request to send.
    Rts,
    /// The answer to it.
    Cts,
    /// The answer to a single MPDU.
    Ack,
    /// The answer to an A-MPDU or to a request.
    BlockAck(BlockAck),
    /// A request for a block ack: the category, and the first sequence number that the receiver is to wait for.
    BlockAckRequest(AccessCategory, u64),
    /// A beacon or a broadcast, which is for all stations.
    Announcement(Announcement),
    /// Data.
    Data {
        /// Of which access category; `None` where there is DCF, and to and from stations of 802.11b.
        category: Option<AccessCategory>,
        /// Whether it is an A-MPDU, of one MPDU or more.
        is_aggregate: bool,
        /// One or more.
        mpdus: Vec<LoggedMpdu<P>>,
    },
}

/// A compressed block ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockAck {
    /// The access category of the MPDUs.
    pub category: AccessCategory,
    /// The first sequence number of the bitmap.
    pub first: u64,
    /// Bits of the bitmap: 64 or 256.
    pub bits: usize,
    /// Whether the MPDUs with the numbers from `first` on have arrived; the others have not.
    pub arrived: Vec<bool>,
}

/// An MPDU with data.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedMpdu<P: Copy> {
    /// Its sequence number, which does not wrap here.
    pub number: u64,
    /// Whether it was sent before.
    pub retry: bool,
    /// Whether its receiver could not decode it.
    pub lost: bool,
    /// Header and check sequence included.
    pub bytes: u32,
    /// One MSDU, or those of an A-MSDU.
    pub msdus: Vec<Frame<P>>,
}

/// A log of the air, as detailed as requested.
#[derive(Debug)]
pub(crate) struct Log<P: Copy> {
    /// Every turn.
    pub turns: Option<Vec<Turn>>,
    /// Every frame.
    pub frames: Option<FrameLog<P>>,
}

/// The frames that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct FrameLog<P: Copy> {
    /// In the order of their starts; with each, its number as long as it is on the air.
    frames: VecDeque<(LoggedFrame<P>, Option<u64>)>,
    /// Where the MAC has no sequence numbers (DCF): the last one of each station, and which of the frames that it served that was.
    numbers: Vec<Option<(u64, u64)>>,
}

impl<P: Payload> Log<P> {
    /// The log at a place where there may be none yet.
    pub fn at(place: &mut Option<Box<Log<P>>>) -> &mut Log<P> {
        place.get_or_insert_with(|| Box::new(Log { turns: None, frames: None }))
    }

    /// Logs every turn from now on.
    pub fn keep_turns(&mut self) {
        self.turns = Some(Vec::new());
    }

    /// Logs every frame from now on.
    pub fn keep_frames(&mut self) {
        self.frames = Some(FrameLog { frames: VecDeque::new(), numbers: Vec::new() });
    }

    /// The turns of a log that there may be.
    pub fn turns_of(log: Option<&Log<P>>) -> &[Turn] {
        log.and_then(|log| log.turns.as_deref()).unwrap_or_default()
    }

    /// Removes the frames whose fate is known, up to the first whose is not.
    pub fn take_frames(log: Option<&mut Log<P>>, mut take: impl FnMut(LoggedFrame<P>)) {
        let Some(log) = log.and_then(|log| log.frames.as_mut()) else { return };
        while log.frames.front().is_some_and(|(_, on_air)| on_air.is_none()) {
            log.frames.pop_front().into_iter().for_each(|(frame, _)| take(frame));
        }
    }
}

impl<P: Payload> FrameLog<P> {
    /// Logs a frame whose fate is known.
    pub fn push(&mut self, frame: LoggedFrame<P>) {
        self.frames.push_back((frame, None));
    }

    /// Logs a frame that begins, under a number of its own.
    pub fn begin(&mut self, number: u64, frame: LoggedFrame<P>) {
        self.frames.push_back((frame, Some(number)));
    }

    /// When the first frame on the air began.
    pub fn first_on_air(&self) -> Option<Time> {
        self.frames.iter().find(|(_, on_air)| on_air.is_some()).map(|(frame, _)| frame.start)
    }

    /// The frame of this number has ended: the rest of it becomes known.
    pub fn end(&mut self, number: u64, tell: impl FnOnce(&mut LoggedFrame<P>)) {
        let found = self.frames.iter_mut().rev().find(|(_, on_air)| *on_air == Some(number));
        if let Some((frame, on_air)) = found {
            *on_air = None;
            tell(frame);
        }
    }

    /// The sequence number of the data of `station`, and whether they were sent before: it is the `served`-th frame that it serves.
    pub fn number(&mut self, station: u32, served: u64) -> (u64, bool) {
        if self.numbers.len() <= station as usize {
            self.numbers.resize(station as usize + 1, None);
        }
        let last = &mut self.numbers[station as usize];
        let (number, retry) = match *last {
            Some((number, before)) => (number + u64::from(before != served), before == served),
            None => (0, false),
        };
        *last = Some((number, served));
        (number, retry)
    }
}
