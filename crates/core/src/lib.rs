//! What every part of the engine shares: time and the order within an instant, rates, random streams, parameters, and how errors come and go.

pub mod errors;
pub mod moment;
pub mod parameter;
pub mod random;
pub mod rate;
pub mod time;

pub use errors::{TwoState, any_bit_in_error};
pub use moment::{Draws, Moment, Phase};
pub use random::Stream;
pub use rate::Rate;
pub use time::{Span, SpanSum, Time};
