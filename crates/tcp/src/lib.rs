//! One TCP endpoint as a state machine: no sockets, no clock, no simulator.
//!
//! A [`Sender`] and a [`Receiver`] are plain structs. The caller feeds inputs (`write`, `on_ack`,
//! `on_segment`, `on_timer`) and after each of them drains `poll_transmit`; `next_deadline` says when
//! `on_timer` is due. Time is whatever the caller says it is.
//!
//! Loss [recovery] and [congestion] control are two independent choices; everything else that differs
//! between stacks is a plain [setting](settings). A [profile] names a set of settings.

mod beyond;
pub mod congestion;
mod core;
mod delivery;
mod gro;
mod info;
mod outstanding;
mod paced;
mod pacing;
pub mod profile;
mod prr;
mod ranges;
mod receiver;
pub mod recovery;
mod restart;
pub mod right_sizing;
mod rtt;
mod scoreboard;
mod search;
mod segment;
mod sender;
pub mod settings;
mod small_queue;
mod ticks;
mod timers;
mod window;

pub use congestion::CongestionControl;
pub use info::{Info, Phase};
pub use profile::{Profile, TcpName};
pub use receiver::{Receiver, ReceiverStats};
pub use segment::{ACE, Ack, Ecn, FIRST_ACE, Flags, SackBlocks, Segment};
pub use sender::{Sender, SenderStats};
pub use settings::Settings;
pub use window::Window;

/// The guide's program is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-congestion-control.md")]
struct Guide;
