//! Logs kept on request: turns on the air, and every frame on it.

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
    /// When the first frame of the turn began.
    pub start: Time,
    /// When the last frame of the exchange ended, the receiver's ACK included.
    pub end: Time,
    /// Bytes of the MSDU, or of the PSDU with EDCA, even if only the RTS was sent.
    pub bytes: u32,
    /// Outcome of the turn.
    pub outcome: TurnOutcome,
    /// Access category of the data; `None` with DCF, and of a beacon.
    pub category: Option<AccessCategory>,
    /// Number of MPDUs with data: several in an A-MPDU. With EDCA there are none in a block ack request or a beacon, or where an RTS had
    /// no answer.
    pub mpdus: u16,
    /// Number of the MPDUs with data that have arrived; zero of a broadcast, which may have arrived at some stations.
    pub arrived: u16,
    /// Rate of the data.
    pub rate: Rate,
    /// Duration of the answer at the end of the turn; zero if there was none.
    pub answer: Span,
    /// Whether the answer is a block ack.
    pub is_block_ack: bool,
}

impl Turn {
    /// Returns when the answer began, if there was one.
    pub fn answered(&self) -> Option<Time> {
        (self.answer > Span::ZERO).then(|| Time(self.end.0 - self.answer.0))
    }

    /// Whether it is a beacon or a broadcast, which is for all stations, and no attempt.
    pub fn is_announcement(&self) -> bool {
        self.from == self.to
    }
}

/// Returns the airtime in seconds that an access point, station 0, owes for a station if it charges for all of its own attempts and for those of the
/// station whose data arrive.
#[cfg(test)]
pub(super) fn owed(turns: &[Turn], station: u32) -> f64 {
    let turns = turns.iter().filter(|turn| match turn.from {
        0 => turn.to == station,
        from => from == station && turn.arrived > 0,
    });
    turns.fold(Span::ZERO, |sum, turn| sum + turn.end.since(turn.start)).as_secs()
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
    /// Index of the station that sent the frame.
    pub from: u32,
    /// Index of the station that the frame is for.
    pub to: u32,
    /// When the preamble of the frame began.
    pub start: Time,
    /// When the frame ended.
    pub end: Time,
    /// Time after its end that the frame reserves: its Duration field.
    pub nav: Span,
    /// How the bits of the frame were sent.
    pub sent: Sent,
    /// Whether the receiver could not decode any of the frame.
    pub lost: bool,
    /// Type of the frame, and what it carries.
    pub body: LoggedBody<P>,
}

/// How the bits of a frame were sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sent {
    /// At a rate of 802.11, 802.11b, 802.11a or 802.11g.
    Legacy(Rate),
    /// In a mode, as data frames with EDCA are.
    Mode(Mode),
}

/// The type of a frame, and what it carries.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedBody<P: Copy> {
    /// A request to send.
    Rts,
    /// A clear to send: the answer to an RTS, or a CTS-to-self.
    Cts,
    /// An ACK, which answers a single MPDU.
    Ack,
    /// A block ack, which answers an A-MPDU or a request.
    BlockAck(BlockAck),
    /// A request for a block ack: the category, and the first sequence number that the receiver is to wait for.
    BlockAckRequest(AccessCategory, u64),
    /// A beacon or a broadcast, which is for all stations.
    Announcement(Announcement),
    /// Data.
    Data {
        /// Access category of the data; `None` with DCF, and to and from stations of 802.11b.
        category: Option<AccessCategory>,
        /// Whether the frame is an A-MPDU, of one MPDU or more.
        is_aggregate: bool,
        /// The MPDUs of the frame, one or more.
        mpdus: Vec<LoggedMpdu<P>>,
    },
}

/// A compressed block ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockAck {
    /// Access category of the MPDUs.
    pub category: AccessCategory,
    /// First sequence number of the bitmap.
    pub first: u64,
    /// Number of bits of the bitmap: 64, 256, 512 or 1024.
    pub bits: usize,
    /// Whether the MPDUs with the numbers from `first` on have arrived; the others have not.
    pub arrived: Vec<bool>,
}

/// An MPDU with data.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedMpdu<P: Copy> {
    /// Sequence number of the MPDU, which does not wrap here.
    pub number: u64,
    /// Whether the MPDU was sent before.
    pub retry: bool,
    /// Whether the receiver could not decode the MPDU.
    pub lost: bool,
    /// Bytes of the MPDU, header and check sequence included.
    pub bytes: u32,
    /// The MSDU of the MPDU, or those of its A-MSDU.
    pub msdus: Vec<Frame<P>>,
}

/// A log of the air, as detailed as requested.
#[derive(Debug)]
pub(crate) struct Log<P: Copy> {
    /// Every turn, if turns are logged.
    pub turns: Option<Vec<Turn>>,
    /// Every frame, if frames are logged.
    pub frames: Option<FrameLog<P>>,
}

/// The logged frames that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct FrameLog<P: Copy> {
    /// Frames in the order of their starts, each with its number as long as it is on the air.
    frames: VecDeque<(LoggedFrame<P>, Option<u64>)>,
    /// For each station with DCF, where the MAC has no sequence numbers here: the last sequence number, and which of the frames
    /// served had it.
    numbers: Vec<Option<(u64, u64)>>,
}

impl<P: Payload> Log<P> {
    /// Returns the log at a place where there may be none yet, and creates it if so.
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

    /// Returns the turns of a log, none if there is no log.
    pub fn turns_of(log: Option<&Log<P>>) -> &[Turn] {
        log.and_then(|log| log.turns.as_deref()).unwrap_or_default()
    }

    /// Removes the frames up to the first whose fate is not known, and hands them to `take`.
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

    /// Returns when the first frame on the air began.
    pub fn first_on_air(&self) -> Option<Time> {
        self.frames.iter().find(|(_, on_air)| on_air.is_some()).map(|(frame, _)| frame.start)
    }

    /// Ends the frame of this number: `tell` completes what is logged of it.
    pub fn end(&mut self, number: u64, tell: impl FnOnce(&mut LoggedFrame<P>)) {
        let found = self.frames.iter_mut().rev().find(|(_, on_air)| *on_air == Some(number));
        if let Some((frame, on_air)) = found {
            *on_air = None;
            tell(frame);
        }
    }

    /// Returns the sequence number of the data of `station`, and whether they were sent before. They are the `served`-th frame that
    /// the station serves.
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
