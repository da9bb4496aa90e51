//! The simulated network of a scenario, and its event loops.
//!
//! Components (links, media, TCP endpoints) are state machines that do not know each other; this crate moves packets
//! between them. Two [engines](Engine) do so, with the same results; read `plain.rs` first. The crate uses no clock, file,
//! thread or environment variable.

mod calendar;
pub mod changeable;
mod channel;
mod cwnd_average;
mod deadline_monitor;
mod delay_line;
pub mod driven;
pub mod engine;
pub mod external;
mod fast;
mod flow;
mod flow_schedule;
mod gcc;
mod links;
mod lookahead;
mod network;
mod packet;
mod pages;
mod plain;
#[cfg(test)]
mod random_networks;
pub mod record;
mod route;
mod rows;
pub mod schedule;
mod scheduled_arrivals;
pub mod session;
mod tcp;
mod timing;
pub mod trace;
mod tracer;
mod traffic;
mod udp;
pub mod video;
mod video_call;
mod web;
mod wires;

pub use airfair_wifi::{QueueDelay, Turn, TurnOutcome};
pub use changeable::{CHANGEABLE, Changeable};
pub use driven::Driven;
pub use engine::{Engine, Recordings, Run};
pub use external::ForeignPacket;
pub use flow::Side;
pub use packet::{Body, FlowEnd, Packet};
pub use record::Record;
pub use session::Session;
pub use trace::{Quantity, Series};
pub use video_call::MediaPacket;
