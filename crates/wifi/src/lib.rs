//! IEEE 802.11 as a state machine: no clock, no event loop. DCF, and EDCA with aggregates (802.11n and later). There are three layers:
//!
//! - [`phy`]: how long a frame lasts and whether noise destroys it. Data and pure functions.
//! - [`mac`]: one station, which knows itself alone: its queues, its backoffs, its next frame, its answers.
//! - [`medium`]: who hears whom, who collides, which frame arrives.
//!
//! A [`Medium`] is the interface of the crate: frames enter by [`Medium::enqueue`], time passes by [`Medium::on_deadline`], and frames leave
//! by [`Medium::poll_delivery`]. It is a [`SharedMedium`], in which every station hears every other and contention is arithmetic (DCF), or a
//! [`GraphMedium`], in which each frame on the air is a transmission of its own (EDCA, several networks, hidden stations). A frame carries
//! any [`Payload`].
//!
//! A clause without an edition is that of IEEE 802.11-2020 in `mac::qos`, `medium::graph`, `phy::dsss`, `phy::edca` and `phy::mode`, and that
//! of IEEE 802.11-2012 elsewhere.

pub mod bianchi;
pub mod config;
pub mod mac;
pub mod medium;
pub mod phy;
pub mod saturation;
pub mod stats;

pub use config::{
    Aggregation, Announcement, AnnouncementKind, BssConfig, ChannelSettings, DriverQueue, EdcaSettings,
    FADING, GenerationSettings, LinkSnr, MacSettings, Place, PlaceSettings, Protection, QOS_STANDARDS,
    QosConfig, QosSettings, Radio, RadioSettings, RateControl, Reception, SenseSettings, ShareSettings,
    SnrPoint, SnrVariationKind, StationConfig,
};
pub use mac::{Arrivals, Frame, Payload, QueuedFrame, RowArrivals, ScheduledArrival};
pub use medium::{
    BlockAck, Brought, Delivery, Frames, GraphMedium, LoggedBody, LoggedFrame, LoggedMpdu, Medium, Row, Sent,
    SharedMedium, Turn, TurnOutcome,
};
pub use phy::errors::{FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames};
pub use phy::{
    AccessRules, AfterCollision, Countdown, FirstAccess, Framing, MOST_MSDU_BYTES, Phy, PhyError,
    PhySettings, Plcp, Preamble,
};
pub use stats::{MediumStats, OccupancyIntegral, QueueDelay, StationStats};
