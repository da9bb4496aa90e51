//! Medium access of one station: its queue, its backoff, the frames that it sends and those that it answers.
//!
//! A station knows itself and the rules that all stations share. It does not know the state of any other, who else waits
//! for the air, or when the air falls idle: the medium counts its slots, and tells it which frames it hears and whether
//! its own were answered. An access point is a station like any other; its host forwards packets.

mod arrivals;
mod drop_tail;
mod exchange;
mod frame;
mod interface;
mod occupancy;
pub(crate) mod qos;
mod rules;
mod station;

pub use arrivals::{Arrivals, RowArrivals};
pub(crate) use exchange::{AirFrame, Exchange, Fate};
pub use frame::{Frame, Payload};
#[cfg(test)]
pub(crate) use interface::Interface;
pub use interface::{QueuedFrame, ScheduledArrival};
pub(crate) use rules::Rules;
pub(crate) use station::Station;
