//! A FIFO of packets.

use crate::occupancy::Occupancy;
use crate::queued::Queued;
use std::collections::VecDeque;

/// A FIFO that counts its packets and bytes.
#[derive(Clone, Debug)]
pub(crate) struct Fifo<P> {
    packets: VecDeque<P>,
    bytes: u64,
}

impl<P> Default for Fifo<P> {
    fn default() -> Fifo<P> {
        Fifo { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<P: Queued> Fifo<P> {
    #[inline]
    pub fn push(&mut self, packet: P) {
        self.bytes += u64::from(packet.bytes());
        self.packets.push_back(packet);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes());
        Some(packet)
    }

    /// Removes the packet that `index` others are ahead of, and closes the gap.
    pub fn remove(&mut self, index: usize) -> Option<P> {
        let packet = self.packets.remove(index)?;
        self.bytes -= u64::from(packet.bytes());
        Some(packet)
    }

    /// Removes and returns all packets.
    pub fn drain(&mut self) -> impl Iterator<Item = P> + use<P> {
        std::mem::take(self).packets.into_iter()
    }

    /// Returns the packet that `index` others are ahead of.
    pub fn get(&self, index: usize) -> Option<&P> {
        self.packets.get(index)
    }

    #[inline]
    pub fn occupancy(&self) -> Occupancy {
        Occupancy { packets: self.packets.len() as u32, bytes: self.bytes }
    }
}
