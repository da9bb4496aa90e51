//! Queue disciplines and policers as state machines: no clock, no event loop, no network.
//!
//! A [`Queue`] is given packets and asked for them; what it holds, drops and marks is its [discipline]'s to say, of
//! which each has a file. [`Policer`] and [`WindowControl`] hold no packets: they say what an access point lets pass, and what
//! window it writes into passing acknowledgements.

// A discipline's file names the crate as a program would, so that the guide's is both.
extern crate self as airfair_queue;

pub mod account;
pub mod config;
pub mod discipline;
mod fifo;
pub mod occupancy;
mod policer;
mod queue;
mod queued;
mod round_robin;
#[cfg(test)]
mod testing;
mod timestamped;
mod window_control;

pub use account::{DisciplineStats, QueueStats};
pub use config::{Discipline, QueueConfig, QueueLimit};
pub use policer::{Policer, PolicerConfig};
pub use queue::Queue;
pub use queued::Queued;
pub use window_control::{WindowControl, WindowControlConfig};

/// The guide's file is compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-queue.md")]
struct Guide;
