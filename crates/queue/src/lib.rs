//! Queue disciplines and the middleboxes of an access point, as state machines: no clock, no event loop, no network.
//!
//! A [`Queue`] takes packets and hands them out; its [discipline] decides their order, drops and marks. [`Policer`] and
//! [`WindowControl`] hold no packets: a policer decides which packets pass an access point, a window control sets the
//! receive window of passing ACKs.

// A discipline's file refers to the crate by its name, so that the guide's example compiles here and as a doctest.
extern crate self as airfair_queue;

pub mod account;
pub mod config;
pub mod discipline;
mod fifo;
pub mod occupancy;
mod pi;
mod policer;
mod queue;
mod queued;
mod round_robin;
#[cfg(test)]
mod testing;
mod timestamped;
mod window_control;

pub use account::{DisciplineStats, QueueStats};
pub use config::{AIRTIME_WEIGHT, Discipline, FlowLabels, QueueConfig, QueueLimit};
pub use occupancy::Occupancy;
pub use policer::{Policer, PolicerConfig};
pub use queue::{InService, Queue};
pub use queued::Queued;
pub use window_control::{WindowControl, WindowControlConfig};

/// Compiles the guide's example.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-queue.md")]
struct Guide;
