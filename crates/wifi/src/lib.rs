//! IEEE 802.11 DCF in one BSS, as a state machine: no clock, no event loop. Three layers:
//!
//! - [`phy`]: how long a frame lasts and whether noise destroys it. Data and pure functions.
//! - [`mac`]: one station, which knows itself alone: its queue, its backoff, its next frame, its answers.
//! - [`medium`]: who hears whom, who collides, which frame arrives.
//!
//! [`SharedMedium`] is the outside: frames go in by [`SharedMedium::enqueue`], time passes by
//! [`SharedMedium::on_deadline`], frames come out by [`SharedMedium::poll_delivery`]. A frame carries any [`Payload`].

pub mod bianchi;
pub mod config;
pub mod mac;
pub mod medium;
pub mod phy;
pub mod saturation;
pub mod stats;

pub use config::{
    Aggregation, Announcement, AnnouncementKind, BssConfig, ChannelSettings, DriverQueue, EdcaSettings,
    GenerationSettings, LinkSnr, MacSettings, Place, PlaceSettings, Protection, QOS_STANDARDS, QosConfig,
    QosSettings, Radio, RadioSettings, RateControl, Reception, SenseSettings, ShareSettings, SnrPoint,
    SnrVariationKind, StationConfig,
};
pub use mac::{Frame, Payload, ScheduledArrival};
pub use medium::{
    BlockAck, Delivery, GraphMedium, LoggedBody, LoggedFrame, LoggedMpdu, Medium, Sent, SharedMedium, Turn,
    TurnOutcome,
};
pub use phy::errors::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};
pub use phy::{
    AccessRules, AfterCollision, Countdown, FirstAccess, Framing, MOST_MSDU_BYTES, Phy, PhyError,
    PhySettings, Plcp, Preamble,
};
pub use stats::{MediumStats, OccupancyIntegral, QueueDelay, StationStats};
