//! The engine for pages: built for `wasm32-unknown-unknown`, it answers JSON requests and needs nothing of its host.
//!
//! [`Desk`] answers requests; [`exports`] are the functions that WebAssembly exports.

mod desk;
pub mod exports;
mod fault;
mod request;
mod stops;
mod words;

pub use desk::Desk;
