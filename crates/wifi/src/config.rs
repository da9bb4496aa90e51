//! The configuration of a BSS. Station 0 is the access point.

pub use crate::phy::Phy;
use airfair_core::schema::{Kind, Range};
use airfair_core::{LossModel, Rate, settings, words};
pub use airfair_queue::{Discipline, QueueConfig, QueueLimit};

/// One collision domain: an access point (station 0) and its stations.
#[derive(Clone, Debug, PartialEq)]
pub struct BssConfig {
    /// Timings, contention window, control-frame rates and access rules.
    pub phy: Phy,
    /// Settings of medium access.
    pub mac: MacSettings,
    /// One entry a station; the first is the access point.
    pub stations: Vec<StationConfig>,
}

/// Attempts of a frame.
const ATTEMPTS: Kind = Kind::Count(Range::between(1.0, 255.0), "attempts");

settings! {
    /// Settings of medium access, the same for all stations.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MacSettings[usual] {
        /// MSDUs of at least this size follow an RTS/CTS exchange, with zero all of them; by default none.
        "rts_threshold" rts_threshold: Option<u32>, Kind::Bytes(Range::between(0.0, u32::MAX as f64)), [None];
        /// Attempts of an RTS, or of a data frame without RTS, before the frame is dropped (IEEE 802.11-2012,
        /// dot11ShortRetryLimit).
        "short_retry_limit" short_retry_limit: u32, ATTEMPTS, [7];
        /// Attempts of a data frame that follows an RTS/CTS exchange before it is dropped (IEEE 802.11-2012, dot11LongRetryLimit).
        "long_retry_limit" long_retry_limit: u32, ATTEMPTS, [4];
        /// The chance that a receiver decodes one of several colliding frames.
        "capture" capture: f64, Kind::Fraction, [0.0];
    }
}

impl MacSettings {
    /// Whether an MSDU of `bytes` follows an RTS/CTS exchange.
    #[inline]
    pub(crate) fn uses_rts(&self, bytes: u32) -> bool {
        self.rts_threshold.is_some_and(|threshold| bytes >= threshold)
    }
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

words! {
    /// Where a frame is lost.
    pub enum FrameLossPosition {
        /// On the air: nobody answers it, and the MAC sends it again.
        Mac = "mac",
        /// On its way up from the MAC, which has acknowledged it: the transport has to notice. Only data frames get so far.
        AboveMac = "above-mac",
    }
}

words! {
    /// Which kinds of frame can be lost.
    pub enum LossyFrames {
        /// Data frames.
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
        /// To it: the frames that it receives (ns-2's `IncomingErrProc`).
        To = "to",
    }
}
