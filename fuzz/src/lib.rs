//! Random scenarios, and the invariants that must hold for each of them.
//!
//! A [case] is the text of a scenario file with a seed. [`generate`] makes them: noise, spoilt files, packaged scenarios
//! with random settings, random networks. [`check`](check::check) reads one, and runs it if it is valid and small.
//! proptest shrinks a failing case, which then goes into the [corpus]. Every `make test` checks the corpus.

pub mod case;
pub mod check;
pub mod corpus;
pub mod generate;
pub mod hunt;
mod invariants;
pub mod keys;
mod reading;
mod running;
