//! The configuration of a BSS. Station 0 is the access point.

pub use crate::phy::Phy;
use crate::phy::errors::FrameLoss;
use airfair_core::schema::{Kind, Range};
use airfair_core::{Rate, settings};
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
