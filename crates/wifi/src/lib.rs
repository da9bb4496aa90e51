//! IEEE 802.11 DCF in one BSS, as a state machine: no clock, no event loop.

pub mod config;

pub use config::BssConfig;
