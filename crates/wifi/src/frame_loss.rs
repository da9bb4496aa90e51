//! Random loss of a station's frames, without a collision.

use airfair_core::{LossProcess, Stream, Time};

use crate::config::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};

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

    /// Whether the station can lose frames other than data on the air.
    pub fn hits_control(&self) -> bool {
        self.config.position == FrameLossPosition::Mac && self.config.frames == LossyFrames::All
    }

    /// Whether a frame of `bytes`, headers included, that the station receives until `now` is lost on the air.
    #[inline]
    pub fn loses_received(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.config.position == FrameLossPosition::Mac
            && (kind == FrameKind::Data || self.config.frames == LossyFrames::All)
            && self.process.loses(now, bytes)
    }

    /// The same for a frame that the station sends.
    #[inline]
    pub fn loses_sent(&mut self, kind: FrameKind, now: Time, bytes: u32) -> bool {
        self.config.direction == FrameLossDirection::Both && self.loses_received(kind, now, bytes)
    }

    /// Whether a data frame that the station has received at `now`, and acknowledged, is lost above its MAC.
    #[inline]
    pub fn loses_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.config.position == FrameLossPosition::AboveMac && self.process.loses(now, bytes)
    }

    /// The same for a frame that the station has sent.
    #[inline]
    pub fn loses_sent_above_mac(&mut self, now: Time, bytes: u32) -> bool {
        self.config.direction == FrameLossDirection::Both && self.loses_above_mac(now, bytes)
    }
}
