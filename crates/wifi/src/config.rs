//! The configuration of a BSS. Station 0 is the access point.

pub use crate::phy::Phy;
use airfair_core::{LossModel, Rate};
pub use airfair_queue::{Discipline, QueueConfig, QueueLimit};

/// One collision domain: an access point (station 0) and its stations.
#[derive(Clone, Debug, PartialEq)]
pub struct BssConfig {
    /// Timings, contention window, control-frame rates and access rules.
    pub phy: Phy,
    /// MSDUs of at least this many bytes are sent after an RTS/CTS exchange; 0: all; `None`: none.
    pub rts_threshold: Option<u32>,
    /// Attempts of an RTS, or of a data frame without RTS, before the frame is dropped; at least 1.
    pub short_retry_limit: u32,
    /// Attempts of a data frame that follows an RTS/CTS exchange before it is dropped; at least 1.
    pub long_retry_limit: u32,
    /// Capture probability: that a receiver decodes one of two or more frames on the air.
    pub capture: f64,
    /// One entry a station; the first is the access point.
    pub stations: Vec<StationConfig>,
}

/// One station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Names its random streams; unique in the BSS.
    pub name: String,
    /// Rate of the data frames it sends.
    pub data_rate: Rate,
    /// Rate of the data frames that the access point sends to it; of no effect at the access point.
    pub ap_data_rate: Rate,
    /// Its interface queue; the limit counts the frame in service.
    pub queue: QueueConfig,
    /// Frames to it and from it that are lost at random, without a collision. A frame is lost if its sender's loss or its receiver's
    /// hits it.
    pub loss: Option<FrameLoss>,
}

/// Random loss of frames that a station sends or receives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLoss {
    /// Which frames are lost; bits include the MAC header.
    pub model: LossModel,
    /// Where they are lost.
    pub position: FrameLossPosition,
    /// Which kinds of frame can be lost.
    pub frames: LossyFrames,
    /// Which direction can be lossy.
    pub direction: FrameLossDirection,
}

impl FrameLoss {
    /// Data frames both ways, lost on the air.
    pub const fn of(model: LossModel) -> FrameLoss {
        FrameLoss {
            model,
            position: FrameLossPosition::Mac,
            frames: LossyFrames::Data,
            direction: FrameLossDirection::Both,
        }
    }
}

/// Where a frame is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameLossPosition {
    /// On the air: nobody answers it, and the MAC sends it again.
    #[default]
    Mac,
    /// On its way up from the MAC, which has acknowledged it: the transport has to notice. Only data frames get so far.
    AboveMac,
}

/// Which kinds of frame can be lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossyFrames {
    /// Data frames.
    #[default]
    Data,
    /// RTS, CTS, data and ACK frames, each by itself. The station misses other stations' frames as well, and waits EIFS
    /// after those instead of obeying their NAV: ns-2's error model of an interface.
    All,
}

/// Which direction is lossy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameLossDirection {
    /// To the station and from it.
    #[default]
    Both,
    /// To it: the frames that it receives (ns-2's `IncomingErrProc`).
    To,
}
