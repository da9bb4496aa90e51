//! A frame exchange: the ends of its parts, and which of them is lost.

use airfair_core::{Span, Time};

use super::{Bss, Payload};
use crate::phy::errors::FrameKind;

/// The ends of the parts of an exchange if none is lost, and its fate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub sender: u32,
    pub start: Time,
    pub rts: bool,
    pub data_end: Time,
    pub end: Time,
    /// The end of the longest NAV that it announces.
    pub nav_end: Time,
    /// Known once the exchange has begun.
    pub fate: Fate,
}

/// The fate of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Every frame of it arrives.
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

    /// Whether there is a data frame.
    pub fn reaches_data(self) -> bool {
        self.brings_data() || self == Fate::DataLost
    }
}

/// A frame that reserves the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub end: Time,
    /// End of its NAV.
    pub nav_end: Time,
}

impl<P: Payload> Bss<P> {
    /// The exchange of `station`'s first frame if it starts at `start`.
    #[inline(always)]
    pub(super) fn exchange(&self, station: u32, start: Time) -> Exchange {
        let phy = &self.phy;
        let sender = &self.stations[station as usize];
        let bytes = sender.frame().bytes;
        let data = sender.data;
        let tail = phy.sifs + sender.ack;
        let rts = self.mac.uses_rts(bytes);
        let (data_end, nav_end) = if rts {
            let [rts, cts] = self.reservations(start, data + tail);
            (cts.end + phy.sifs + data, rts.nav_end.max(cts.nav_end))
        } else {
            (start + data, Time::ZERO)
        };
        let nav_end = nav_end.max(data_end + sender.data_nav);
        Exchange {
            sender: station,
            start,
            rts,
            data_end,
            end: data_end + tail,
            nav_end,
            fate: Fate::Complete,
        }
    }

    /// The RTS at `start` and its CTS, before a data frame and its ACK that last `rest`.
    pub(super) fn reservations(&self, start: Time, rest: Span) -> [Reservation; 2] {
        let phy = &self.phy;
        let rts_end = start + self.rts;
        let cts_end = rts_end + phy.sifs + self.cts;
        let rts_nav = phy.nav(phy.sifs + self.cts + phy.sifs + rest);
        let cts_nav = phy.nav(rts_nav - phy.sifs - self.cts);
        let reservation = |end, nav| Reservation { end, nav_end: end + nav };
        [reservation(rts_end, rts_nav), reservation(cts_end, cts_nav)]
    }

    /// Begins the exchange of `station`'s first frame at `start`, and draws its fate. A planned exchange that cannot
    /// lose frames does without.
    pub(super) fn begin(&mut self, station: u32, start: Time) {
        let mut timeline = self.timeline.unwrap_or_else(|| self.exchange(station, start));
        timeline.fate = self.draw_fate(&timeline);
        self.due = match timeline.fate {
            Fate::RtsIgnored | Fate::RtsLost | Fate::CtsLost => self.last_end(&timeline),
            _ => timeline.data_end,
        };
        self.timeline = Some(timeline);
    }

    fn draw_fate(&mut self, timeline: &Exchange) -> Fate {
        let &Exchange { sender, start, rts, data_end, end, .. } = timeline;
        let &super::Frame { to: receiver, bytes, .. } = self.stations[sender as usize].frame();
        let framing = self.phy.framing;
        if rts && self.nav_per_station {
            let rts_end = start + self.rts;
            let cts_end = rts_end + self.phy.sifs + self.cts;
            if self.stations[receiver as usize].nav_until > rts_end {
                return Fate::RtsIgnored;
            }
            if self.is_lost(FrameKind::Control, sender, receiver, rts_end, framing.rts) {
                return Fate::RtsLost;
            }
            if self.is_lost(FrameKind::Control, receiver, sender, cts_end, framing.cts) {
                return Fate::CtsLost;
            }
        }
        if self.is_lost(FrameKind::Data, sender, receiver, data_end, framing.data(bytes)) {
            Fate::DataLost
        } else if self.nav_per_station && self.is_lost(FrameKind::Control, receiver, sender, end, framing.ack)
        {
            Fate::AckLost
        } else {
            Fate::Complete
        }
    }

    /// Whether a frame that ends at `end` is lost.
    fn is_lost(&mut self, kind: FrameKind, from: u32, to: u32, end: Time, bytes: u32) -> bool {
        let by_sender = self.stations[from as usize].loses_sent(kind, end, bytes);
        let by_receiver = self.stations[to as usize].loses_received(kind, end, bytes);
        by_sender || by_receiver
    }

    /// When the last frame of an exchange ends.
    pub(super) fn last_end(&self, timeline: &Exchange) -> Time {
        match timeline.fate {
            Fate::RtsIgnored | Fate::RtsLost => timeline.start + self.rts,
            Fate::CtsLost => timeline.start + self.rts + self.phy.sifs + self.cts,
            Fate::DataLost => timeline.data_end,
            Fate::Complete | Fate::AckLost => timeline.end,
        }
    }

    /// When the slots of an exchange's sender count again, unless its NAV or an EIFS defers them, as after a CTS or
    /// an ACK that it cannot decode. A sender that hears no answer waits for its timeout.
    pub(super) fn sender_resumes(&self, timeline: &Exchange) -> Time {
        let last = self.last_end(timeline);
        match timeline.fate {
            Fate::RtsIgnored | Fate::RtsLost => last + self.phy.cts_retry,
            Fate::DataLost => last + self.phy.ack_retry,
            Fate::CtsLost | Fate::AckLost | Fate::Complete => last + self.phy.difs,
        }
    }
}
