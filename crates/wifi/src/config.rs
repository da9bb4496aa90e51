//! What a BSS is built from. Station 0 is the access point.

use airfair_core::{Rate, Span};

pub use crate::phy::Phy;

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
    /// With two or more frames on the air: the chance that a receiver still decodes one of them.
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
    /// Frames it holds at most, the one in service included; at least 1.
    pub queue_frames: u32,
    /// Errors of data frames to and from this station.
    pub errors: FrameErrors,
}

/// How frames are lost on the air without a collision. Only data frames are hit; the MAC sends them again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameErrors {
    /// Never.
    None,
    /// Each data frame with this probability.
    Constant(f64),
    /// Each bit of a data frame, headers included, independently with this probability.
    PerBit(f64),
    /// Two states with exponential sojourn times, each with its own data-frame error probability.
    TwoState {
        /// Frame error probability in the good state.
        good: f64,
        /// Frame error probability in the bad state.
        bad: f64,
        /// Mean time in the good state.
        mean_good: Span,
        /// Mean time in the bad state.
        mean_bad: Span,
    },
}
