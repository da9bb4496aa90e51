//! IEEE 802.11 DCF in one BSS, as a state machine: no clock, no event loop.
//!
//! [`Bss`] is the whole medium: frames go in by [`Bss::enqueue`], time passes by [`Bss::on_deadline`], frames come
//! out by [`Bss::delivery`]. The parameters of a standard are data: [`Phy`].

pub mod bianchi;
pub mod bss;
pub mod config;
mod contention;
pub mod phy;
pub mod saturation;
pub mod stats;
mod wheel;

pub use bss::{Bss, Delivery, Frame, Payload, ScheduledArrival, Turn, TurnOutcome};
pub use config::{BssConfig, MacSettings, StationConfig};
pub use phy::errors::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};
pub use phy::{
    AccessRules, AfterCollision, FirstAccess, Framing, MOST_MSDU_BYTES, Phy, PhyError, PhySettings, Plcp,
    Preamble,
};
pub use stats::{MediumStats, OccupancyIntegral, StationStats};
