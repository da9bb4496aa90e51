//! The air between stations: which stations hear each other, which frames collide, and which arrive.
//!
//! A medium owns its stations and asks each for its next exchange; it alone sees them all. It lets countdowns run,
//! decides the fate of each transmission and tells every station which frames it heard. It knows neither how a station
//! orders its frames nor when it gives one up. In [`SharedMedium`] every station hears every other, and DCF is the access
//! method; [`GraphMedium`] has EDCA, aggregates, and stations that are hidden from each other.

mod any;
pub mod graph;
mod log;
pub mod shared;

pub use any::Medium;
pub use graph::{GraphMedium, Row};
pub use log::{BlockAck, LoggedBody, LoggedFrame, LoggedMpdu, Sent, Turn, TurnOutcome};
pub use shared::SharedMedium;

/// What the events of a deadline have brought, to be read before the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brought {
    /// Frames that have arrived.
    pub frames: Frames,
    /// Whether [`Medium::poll_emptied`] names a station.
    pub emptied: bool,
}

/// How many frames have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// No frame.
    None,
    /// One frame, for [`Medium::poll_delivery`].
    One,
    /// One or more frames, which can be [taken](Medium::take_row) in rows.
    Row,
}

/// A frame that has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery<P> {
    /// Index of the sending station.
    pub from: u32,
    /// Index of the receiving station.
    pub to: u32,
    /// The frame's payload.
    pub payload: P,
}

impl<P: Copy> Delivery<&P> {
    /// Returns the delivery with a copy of the payload instead of a reference to it.
    pub fn copied(self) -> Delivery<P> {
        let Delivery { from, to, payload: &payload } = self;
        Delivery { from, to, payload }
    }
}
