//! Fixed cases, the cases that the fuzzer has found, and the keys of results, in one program: each takes long, so they run side by side.

mod corpus;
mod fixed;
mod keys;
