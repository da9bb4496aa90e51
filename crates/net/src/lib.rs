//! Wired links and their queues, as state machines: no clock, no event loop.

pub mod config;
pub mod link;

pub use config::{LinkConfig, QueueLimit};
pub use link::{Link, LinkStats, Passage};
