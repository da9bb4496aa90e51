//! Wired links, their queues, loss and outages, as state machines: no clock, no event loop.

mod backlog;
pub mod config;
mod impairments;
pub mod link;
mod outage;
mod params;
pub mod queued_link;
mod tx_ring;

pub use config::{LinkConfig, LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat, TxRing};
pub use link::{Link, LinkStats, Transit};
pub use queued_link::QueuedLink;
