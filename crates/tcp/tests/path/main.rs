//! One flow over a path of two drop-tail links: against ns-2, and through losses whose outcome is known.

mod bbr;
mod cubic;
mod fall_floyd;
mod ns2;
mod path;
