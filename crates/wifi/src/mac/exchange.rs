//! A frame exchange as its sender plans it: [RTS, CTS,] data, ACK.

use airfair_core::{Span, Time};

use super::{Payload, Rules, Station};
use crate::phy::errors::FrameKind;

/// A frame exchange: the ends of its parts if no frame is lost, and its fate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub sender: u32,
    pub receiver: u32,
    pub start: Time,
    pub rts: bool,
    pub data_end: Time,
    pub end: Time,
    /// Latest end of a NAV that a frame of the exchange announces.
    pub nav_end: Time,
    /// Fate of the exchange: [`Fate::Complete`] until it has begun.
    pub fate: Fate,
}

/// The fate of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Every frame of the exchange arrives.
    Complete,
    /// The receiver of the RTS must not answer: its NAV says that the air is busy (IEEE 802.11-2012, 9.3.2.6).
    RtsIgnored,
    RtsLost,
    CtsLost,
    DataLost,
    /// The data has arrived, but its sender does not know.
    AckLost,
}

impl Fate {
    /// Whether the data frame reaches its receiver.
    pub fn brings_data(self) -> bool {
        matches!(self, Fate::Complete | Fate::AckLost)
    }

    /// Whether the data frame is sent.
    pub fn reaches_data(self) -> bool {
        self.brings_data() || self == Fate::DataLost
    }
}

/// A frame on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AirFrame {
    pub kind: FrameKind,
    /// Length of the frame in bytes, headers included.
    pub bytes: u32,
    pub end: Time,
    /// End of the NAV that the frame announces.
    pub nav_end: Time,
}

impl Exchange {
    /// Returns the ends of the RTS and the CTS of an exchange that starts at `start`.
    pub fn control_ends(start: Time, rules: &Rules) -> [Time; 2] {
        let rts_end = start + rules.rts;
        [rts_end, rts_end + rules.phy.sifs + rules.cts]
    }

    /// Returns when the last frame that is sent ends.
    pub fn last_end(&self, rules: &Rules) -> Time {
        let [rts_end, cts_end] = Exchange::control_ends(self.start, rules);
        match self.fate {
            Fate::RtsIgnored | Fate::RtsLost => rts_end,
            Fate::CtsLost => cts_end,
            Fate::DataLost => self.data_end,
            Fate::Complete | Fate::AckLost => self.end,
        }
    }
}

/// The ends of an exchange's parts if no frame is lost, from the start of the exchange.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    data: Span,
    exchange: Span,
    /// Latest end of a NAV.
    nav: Span,
}

impl<P: Payload> Station<P> {
    /// Returns the ends of the exchange of the frame in service.
    pub(super) fn ends(&self, rules: &Rules) -> Ends {
        let tail = rules.phy.sifs + self.ack;
        let (before_data, nav) = if self.rts {
            let [rts, cts] = reservations(Time::ZERO, self.data + tail, rules);
            (cts.end - Time::ZERO + rules.phy.sifs, rts.nav_end.max(cts.nav_end) - Time::ZERO)
        } else {
            (Span::ZERO, Span::ZERO)
        };
        let data = before_data + self.data;
        Ends { data, exchange: data + tail, nav: nav.max(data + self.data_nav) }
    }

    /// Returns the time from the start of the exchange of the frame in service to the end of its data frame.
    #[inline]
    pub fn until_data_end(&self) -> Span {
        self.ends.data
    }

    /// Returns the exchange of the frame in service if it starts at `start` and no frame is lost.
    #[inline(always)]
    pub fn exchange(&self, start: Time) -> Exchange {
        Exchange {
            sender: self.index,
            receiver: self.to,
            start,
            rts: self.rts,
            data_end: start.plus(self.ends.data),
            end: start.plus(self.ends.exchange),
            nav_end: start.plus(self.ends.nav),
            fate: Fate::Complete,
        }
    }

    /// Returns the duration of the first frame of an exchange, and the time after its end at which the station takes it for
    /// unanswered.
    pub fn first_frame(&self, rules: &Rules) -> (Span, Span) {
        if self.rts { (rules.rts, rules.phy.cts_retry) } else { (self.data, self.ack_retry) }
    }

    /// Returns when the station's slots count again after its `exchange`, unless its NAV or an EIFS defers them, as after a
    /// CTS or an ACK that it cannot decode. A sender that hears no answer waits for its timeout.
    pub fn resumes(&self, exchange: &Exchange, rules: &Rules) -> Time {
        let phy = &rules.phy;
        exchange.last_end(rules)
            + match exchange.fate {
                Fate::RtsIgnored | Fate::RtsLost => phy.cts_retry,
                Fate::DataLost => self.ack_retry,
                Fate::CtsLost | Fate::AckLost | Fate::Complete => phy.difs,
            }
    }

    /// Returns the frames of the station's `exchange` that were on the air: RTS, CTS, data and ACK.
    pub fn frames_of(&self, exchange: &Exchange, rules: &Rules) -> [Option<AirFrame>; 4] {
        let &Exchange { start, rts, data_end, end, fate, .. } = exchange;
        let before_data = rts.then(|| reservations(start, self.data + rules.phy.sifs + self.ack, rules));
        let answered = !matches!(fate, Fate::RtsIgnored | Fate::RtsLost);
        let data = AirFrame {
            kind: FrameKind::Data,
            bytes: rules.phy.framing.data(self.bytes),
            end: data_end,
            nav_end: data_end + self.data_nav,
        };
        let ack = AirFrame { kind: FrameKind::Control, bytes: rules.phy.framing.ack, end, nav_end: end };
        [
            before_data.map(|[rts, _]| rts),
            before_data.filter(|_| answered).map(|[_, cts]| cts),
            fate.reaches_data().then_some(data),
            fate.brings_data().then_some(ack),
        ]
    }
}

/// Returns the RTS that begins at `start` and its CTS. What follows the SIFS after the CTS, a data frame with its ACK, lasts
/// `rest`.
fn reservations(start: Time, rest: Span, rules: &Rules) -> [AirFrame; 2] {
    let Rules { phy, cts, .. } = rules;
    let [rts_end, cts_end] = Exchange::control_ends(start, rules);
    let rts_nav = phy.nav(phy.sifs + *cts + phy.sifs + rest);
    let cts_nav = phy.nav(rts_nav - phy.sifs - *cts);
    let frame = |bytes, end, nav| AirFrame { kind: FrameKind::Control, bytes, end, nav_end: end + nav };
    [frame(phy.framing.rts, rts_end, rts_nav), frame(phy.framing.cts, cts_end, cts_nav)]
}
