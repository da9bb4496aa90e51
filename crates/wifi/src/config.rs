//! What a BSS is built from. Station 0 is the access point.

use airfair_core::{Rate, Span};

/// One collision domain: an access point (station 0) and its stations.
#[derive(Clone, Debug, PartialEq)]
pub struct BssConfig {
    /// Timings, contention window and control-frame rates.
    pub phy: Phy,
    /// MSDUs of at least this many bytes are sent after an RTS/CTS exchange; 0: all; `None`: none.
    pub rts_threshold: Option<u32>,
    /// Attempts of a frame not longer than the RTS threshold, or of an RTS, before it is dropped.
    pub short_retry_limit: u32,
    /// Attempts of a data frame longer than the RTS threshold before it is dropped.
    pub long_retry_limit: u32,
    /// With two or more frames on the air: the chance that the receiver still decodes one of them.
    pub capture: f64,
    /// One entry a station; the first is the access point.
    pub stations: Vec<StationConfig>,
}

/// One station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Names its random stream.
    pub name: String,
    /// Rate of the data frames it sends.
    pub data_rate: Rate,
    /// Frames it holds at most, the one in service included.
    pub queue_frames: u32,
    /// Errors of frames to and from this station.
    pub errors: FrameErrors,
}

/// How frames are lost on the air without a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameErrors {
    /// Never.
    None,
    /// Each data frame with this probability.
    Constant(f64),
    /// Each bit independently with this probability.
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

/// PHY and MAC constants of a standard: data, not code.
#[derive(Clone, Debug, PartialEq)]
pub struct Phy {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space.
    pub sifs: Span,
    /// DCF interframe space.
    pub difs: Span,
    /// Silence after an undecodable frame before slots count again.
    pub eifs: Span,
    /// Smallest contention window: backoff is uniform on `0..=cw`.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Rate of RTS, CTS and ACK frames.
    pub control_rate: Rate,
}
