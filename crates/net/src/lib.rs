//! Wired links, their queues, errors and outages, as state machines: no clock, no event loop.

pub mod config;
mod held;
mod impairments;
pub mod link;
mod loss;
mod outage;
pub mod queued_link;
mod shape;

pub use config::{
    ErrorModel, ErrorUnit, Errors, LinkConfig, Outage, OutagePackets, Position, QueueLimit, Repeat,
};
pub use link::{Link, LinkStats, Passage};
pub use loss::packet_loss;
pub use queued_link::QueuedLink;
