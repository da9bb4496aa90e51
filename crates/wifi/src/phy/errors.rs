//! Random loss of a station's frames, without a collision.

use airfair_core::{LossModel, LossProcess, Stream, Time, words};

/// Random loss of frames that a station sends or receives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLoss {
    /// Which frames are lost; bits include the MAC header.
    pub model: LossModel,
    /// Where frames are lost.
    pub position: FrameLossPosition,
    /// Which kinds of frame can be lost.
    pub frames: LossyFrames,
    /// Which direction can be lossy.
    pub direction: FrameLossDirection,
}

impl FrameLoss {
    /// Returns the loss of data frames on the air, in both directions.
    pub const fn of(model: LossModel) -> FrameLoss {
        FrameLoss {
            model,
            position: FrameLossPosition::Mac,
            frames: LossyFrames::Data,
            direction: FrameLossDirection::Both,
        }
    }
}

words! {
    /// Where a frame is lost.
    pub enum FrameLossPosition {
        /// On the air: nobody answers the frame, and the MAC retransmits it.
        Mac = "mac",
        /// On the way up from the MAC, which has acknowledged the frame: the transport has to notice. Only data frames get
        /// so far.
        AboveMac = "above-mac",
    }
}

words! {
    /// Which kinds of frame can be lost.
    pub enum LossyFrames {
        /// Only data frames.
        Data = "data",
        /// RTS, CTS, data and ACK frames, each by itself. The station misses other stations' frames as well, and waits EIFS
        /// after those instead of obeying their NAV: ns-2's error model of an interface.
        All = "all",
    }
}

words! {
    /// Which direction is lossy.
    pub enum FrameLossDirection {
        /// To the station and from it.
        Both = "both",
        /// To the station: the frames that it receives (ns-2's `IncomingErrProc`).
        To = "to",
    }
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A data frame.
    Data,
    /// An RTS, a CTS or an ACK.
    Control,
}

/// Draws which of a station's frames are lost. Calls come in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct FrameLossProcess {
    config: FrameLoss,
    process: LossProcess,
}

impl FrameLossProcess {
    pub fn new(config: FrameLoss, stream: Stream) -> FrameLossProcess {
        FrameLossProcess { config, process: LossProcess::new(config.model, stream) }
    }

    /// Returns the loss model from which the process draws.
    pub fn config(&self) -> FrameLoss {
        self.config
    }

    /// Whether the station can lose frames other than data on the air.
    pub fn hits_control(&self) -> bool {
        self.config.position == FrameLossPosition::Mac && self.config.frames == LossyFrames::All
    }

    /// Whether a frame of `bytes` bytes, headers included, that the station receives until `now` is lost on the air.
    #[inline]
    pub fn loses_received(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.config.position == FrameLossPosition::Mac
            && (kind == FrameKind::Data || self.config.frames == LossyFrames::All)
            && self.process.loses(now, bytes)
    }

    /// Like [`FrameLossProcess::loses_received`], for a frame that the station sends.
    #[inline]
    pub fn loses_sent(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.config.direction == FrameLossDirection::Both && self.loses_received(kind, now, bytes)
    }

    /// Whether a data frame that the station has received at `now`, and acknowledged, is lost above its MAC.
    #[inline]
    pub fn loses_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.config.position == FrameLossPosition::AboveMac && self.process.loses(now, bytes)
    }

    /// Like [`FrameLossProcess::loses_above_mac`], for a frame that the station has sent.
    #[inline]
    pub fn loses_sent_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.config.direction == FrameLossDirection::Both && self.loses_above_mac(now, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_the_station_sends_are_lost_in_both_directions_alone() {
        use FrameLossDirection::{Both, To};
        for (direction, lost) in [(Both, true), (To, false)] {
            let config = FrameLoss { direction, ..FrameLoss::of(LossModel::bernoulli(1.0)) };
            let mut loss = FrameLossProcess::new(config, Stream::new(1, "loss"));
            assert_eq!(loss.loses_sent(FrameKind::Data, Time(1), 1500), lost);
            assert!(loss.loses_received(FrameKind::Data, Time(2), 1500));
        }
    }

    #[test]
    fn control_frames_are_lost_only_on_the_air_and_where_all_frames_are() {
        use FrameLossPosition::{AboveMac, Mac};
        for (position, frames, hits) in [
            (Mac, LossyFrames::All, true),
            (Mac, LossyFrames::Data, false),
            (AboveMac, LossyFrames::All, false),
            (AboveMac, LossyFrames::Data, false),
        ] {
            let config = FrameLoss { position, frames, ..FrameLoss::of(LossModel::bernoulli(1.0)) };
            let mut loss = FrameLossProcess::new(config, Stream::new(1, "loss"));
            assert_eq!(loss.hits_control(), hits, "{position:?} {frames:?}");
            assert_eq!(loss.loses_received(FrameKind::Control, Time(1), 14), hits);
            assert_eq!(loss.loses_received(FrameKind::Data, Time(2), 1500), position == Mac);
            assert_eq!(loss.loses_above_mac(Time(3), 1500), position == AboveMac);
        }
    }
}
