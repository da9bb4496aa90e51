//! What every part of the engine shares: time and the order within an instant, rates, random streams, parameters, counters, random loss.

pub mod counters;
pub mod loss;
pub mod moment;
pub mod parameter;
pub mod random;
pub mod rate;
pub mod time;

pub use loss::{LossModel, LossProbability, LossProcess, LossUnit};
pub use moment::{Draws, Moment, Phase};
pub use random::Stream;
pub use rate::Rate;
pub use time::{Span, SpanSum, Time};
