//! Occupancy and limits of queues.

use crate::config::QueueLimit;
use crate::queued::Queued;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of packets, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Number of packets.
    pub packets: u32,
    /// Sum of the lengths of the packets.
    pub bytes: u64,
}

impl Occupancy {
    /// Returns the occupancy of one packet.
    #[inline]
    pub fn of(packet: &impl Queued) -> Occupancy {
        Occupancy { packets: 1, bytes: u64::from(packet.bytes()) }
    }
}

impl Add for Occupancy {
    type Output = Occupancy;
    #[inline]
    fn add(self, other: Occupancy) -> Occupancy {
        Occupancy { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Occupancy {
    #[inline]
    fn add_assign(&mut self, other: Occupancy) {
        *self = *self + other;
    }
}

impl Sub for Occupancy {
    type Output = Occupancy;
    #[inline]
    fn sub(self, other: Occupancy) -> Occupancy {
        Occupancy { packets: self.packets - other.packets, bytes: self.bytes - other.bytes }
    }
}

impl SubAssign for Occupancy {
    #[inline]
    fn sub_assign(&mut self, other: Occupancy) {
        *self = *self - other;
    }
}

impl QueueLimit {
    /// Whether the limit allows this occupancy.
    #[inline]
    pub fn allows(self, occupancy: Occupancy) -> bool {
        match self {
            QueueLimit::Packets(limit) => occupancy.packets <= limit,
            QueueLimit::Bytes(limit) => occupancy.bytes <= limit,
        }
    }

    /// Returns the occupancy in the limit's unit.
    #[inline]
    pub fn units(self, occupancy: Occupancy) -> u64 {
        match self {
            QueueLimit::Packets(_) => u64::from(occupancy.packets),
            QueueLimit::Bytes(_) => occupancy.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_belongs_to_what_is_allowed() {
        let occupancy = Occupancy { packets: 3, bytes: 1500 };
        assert!(QueueLimit::Packets(3).allows(occupancy) && !QueueLimit::Packets(2).allows(occupancy));
        assert!(QueueLimit::Bytes(1500).allows(occupancy) && !QueueLimit::Bytes(1499).allows(occupancy));
        assert_eq!(
            (QueueLimit::Packets(9).units(occupancy), QueueLimit::Bytes(9).units(occupancy)),
            (3, 1500)
        );
    }
}
