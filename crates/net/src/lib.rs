//! Wired links, their queues, errors and outages, as state machines: no clock, no event loop.

mod backlog;
pub mod config;
mod impairments;
pub mod link;
mod loss;
mod outage;
mod params;
pub mod queued_link;

pub use config::{
    ErrorModel, ErrorUnit, Errors, LinkConfig, Outage, OutagePackets, Position, QueueLimit, Repeat,
};
pub use link::{Link, LinkStats, Transit};
pub use loss::packet_loss;
pub use queued_link::QueuedLink;
