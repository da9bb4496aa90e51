//! How much a queue holds, and how much it may.

use crate::config::QueueLimit;
use crate::queued::Queued;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of packets, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// How many.
    pub packets: u32,
    /// Their lengths, added up.
    pub bytes: u64,
}

impl Load {
    /// One packet's.
    #[inline]
    pub fn of(packet: &impl Queued) -> Load {
        Load { packets: 1, bytes: u64::from(packet.bytes()) }
    }
}

impl Add for Load {
    type Output = Load;
    #[inline]
    fn add(self, other: Load) -> Load {
        Load { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Load {
    #[inline]
    fn add_assign(&mut self, other: Load) {
        *self = *self + other;
    }
}

impl Sub for Load {
    type Output = Load;
    #[inline]
    fn sub(self, other: Load) -> Load {
        Load { packets: self.packets - other.packets, bytes: self.bytes - other.bytes }
    }
}

impl SubAssign for Load {
    #[inline]
    fn sub_assign(&mut self, other: Load) {
        *self = *self - other;
    }
}

impl QueueLimit {
    /// Whether so much may be held.
    #[inline]
    pub fn allows(self, load: Load) -> bool {
        match self {
            QueueLimit::Packets(limit) => load.packets <= limit,
            QueueLimit::Bytes(limit) => load.bytes <= limit,
        }
    }

    /// The load in the limit's unit.
    #[inline]
    pub fn units(self, load: Load) -> u64 {
        match self {
            QueueLimit::Packets(_) => u64::from(load.packets),
            QueueLimit::Bytes(_) => load.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_belongs_to_what_is_allowed() {
        let load = Load { packets: 3, bytes: 1500 };
        assert!(QueueLimit::Packets(3).allows(load) && !QueueLimit::Packets(2).allows(load));
        assert!(QueueLimit::Bytes(1500).allows(load) && !QueueLimit::Bytes(1499).allows(load));
        assert_eq!((QueueLimit::Packets(9).units(load), QueueLimit::Bytes(9).units(load)), (3, 1500));
    }
}
