//! Tests the disciplines against plain transliterations of their published pseudo-code, on recorded and on generated arrivals:
//! both drop the same packets at the same times, and all other packets wait equally long.

mod codel;
mod fq_codel;
mod red;
mod replay;
