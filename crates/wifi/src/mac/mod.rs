//! Medium access of one station: its queue, its backoff, the frames that it sends and those that it answers.
//!
//! A [`Station`] knows itself and the [`Rules`] that all stations share. It knows no other station's state, not who else
//! waits for the air, and not when the air falls idle: the medium tells it when it may count slots, which frames it
//! hears and whether its own were answered. An access point is a station whose host forwards packets.

mod drop_tail;
mod exchange;
mod frame;
mod interface;
mod occupancy;
mod rules;
mod station;

pub(crate) use exchange::{Exchange, Fate};
pub use frame::{Frame, Payload};
#[cfg(test)]
pub(crate) use interface::Interface;
pub use interface::ScheduledArrival;
pub(crate) use rules::Rules;
pub(crate) use station::Station;
