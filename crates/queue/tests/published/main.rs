//! The disciplines against plain transliterations of their published pseudo-code, on recorded and on generated arrivals: the same
//! packets are dropped at the same times, and the others wait as long.

mod codel;
mod fq_codel;
mod red;
mod replay;
