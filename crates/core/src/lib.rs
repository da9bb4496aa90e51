//! Types that the crates of the engine share: time and the order within an instant, rates, random streams,
//! the schema that declares settings, counters, random loss, FIFOs, and prefetching.

pub mod alike;
pub mod counters;
pub mod fifo;
pub mod loss;
pub mod moment;
pub mod prefetch;
pub mod random;
pub mod rate;
pub mod ring;
pub mod schema;
pub mod time;

pub use alike::alike;
pub use fifo::Fifo;
pub use loss::{LossModel, LossProbability, LossProcess, LossUnit, TwoState};
pub use moment::{Draws, Moment, Phase};
pub use prefetch::prefetch;
pub use random::Stream;
pub use rate::Rate;
pub use ring::Ring;
pub use time::{Span, SpanSum, Time};
