//! The simulated world of a scenario, and its event loop.
//!
//! Components (links, media, TCP endpoints) are state machines that do not know each other; this crate moves packets
//! between them. It reads no clock, file, thread or environment.

mod cwnd_average;
mod deadline_monitor;
mod delay_line;
mod flow;
mod links;
mod lookahead;
mod network;
mod packet;
pub mod record;
#[cfg(test)]
mod reference;
mod route;
pub mod schedule;
mod scheduled_arrivals;
pub mod session;
mod tcp;
mod timing;
pub mod trace;
mod tracer;
mod traffic;
mod udp;
mod wlan;
mod world;

pub use airfair_wifi::{Turn, TurnOutcome};
pub use record::Record;
pub use session::Session;
pub use trace::{Quantity, Series};
pub use world::World;
