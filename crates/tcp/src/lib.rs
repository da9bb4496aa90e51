//! One TCP endpoint as a state machine: no sockets, no clock, no simulator.

pub mod settings;

pub use settings::Settings;
