//! Wired links and their queues.

pub mod link;

pub use link::{LinkConfig, QueueLimit};
