//! packetdrill's scripts, played against our own TCP endpoints.
//!
//! packetdrill (Cardwell et al., "packetdrill: Scriptable Network Stack Testing, from Sockets to Packets", USENIX ATC 2013) tests a
//! kernel's TCP: a script injects segments and calls at given times, and states the segments that must be sent and what `tcp_info`
//! must report. [`judge`] plays the same scripts against the [`Sender`](airfair_tcp::Sender) and [`Receiver`](airfair_tcp::Receiver)
//! that the engine runs, on a clock of its own. A script that needs what is not modelled is skipped as a whole, with the reason.
//!
//! Scripts are not trusted: nothing in them is executed. `script` reads them, `packet` the segments, `code` the assertions;
//! `shell` knows the commands that real scripts have; `host` puts the endpoints behind a port, and `runner` moves time.

mod code;
mod cursor;
mod host;
mod packet;
mod runner;
mod script;
mod shell;

pub use cursor::Fault;
pub use runner::{Verdict, judge};
