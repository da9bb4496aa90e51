//! Scenarios: files in, plain data out.

pub mod resolved;
