//! What a BSS is built from. Station 0 is the access point.

pub use crate::phy::Phy;
use airfair_core::{Rate, Span};
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
    /// Rate of the data frames that the access point sends to it; of no effect at the access point.
    pub ap_data_rate: Rate,
    /// Its interface queue; the limit counts the frame in service.
    pub queue: QueueConfig,
    /// With what probability frames to it and from it are in error. A frame is lost if its sender's errors or its receiver's
    /// hit it.
    pub errors: FrameErrors,
    /// Which frames, and what then becomes of them.
    pub error_scope: ErrorScope,
}

/// Which frames a station's errors hit, and where they are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorScope {
    /// Where a frame in error is lost.
    pub position: ErrorPosition,
    /// Which kinds of frame are hit.
    pub frames: ErrorFrames,
    /// Which way they go.
    pub direction: ErrorDirection,
}

/// Where a frame in error is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorPosition {
    /// On the air: nobody answers it, and the MAC sends it again.
    #[default]
    Mac,
    /// On its way up from the MAC, which has acknowledged it: the transport has to notice. Only data frames get so far.
    AboveMac,
}

/// Which kinds of frame are hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorFrames {
    /// Data frames.
    #[default]
    Data,
    /// RTS, CTS, data and ACK frames, each by itself. The station misses other stations' frames as well, and waits EIFS
    /// after those instead of keeping to their NAV: ns-2's error model of an interface.
    All,
}

/// Which way the frames go that are hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorDirection {
    /// To the station and from it.
    #[default]
    Both,
    /// To it: what it receives (ns-2's `IncomingErrProc`).
    To,
}

/// How often frames are lost on the air without a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameErrors {
    /// Never.
    None,
    /// Each frame with this probability.
    Constant(f64),
    /// Each bit of a frame, headers included, independently with this probability.
    PerBit(f64),
    /// Two states with exponential sojourn times, each with its own frame error probability.
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
