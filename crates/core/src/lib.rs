//! What every part of the engine shares: time, rates and random streams.

pub mod random;
pub mod rate;
pub mod time;

pub use random::Stream;
pub use rate::Rate;
pub use time::{Span, Time};
