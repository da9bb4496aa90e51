//! The queues that flows are hashed onto. Most are never used: each is created when its first packet arrives.

use crate::discipline::codel::Controller;
use crate::fifo::Fifo;
use crate::queued::Queued;
use crate::timestamped::Timestamped;
use std::cmp::Reverse;

/// A queue that flows are hashed onto, and its state in the round robin.
#[derive(Clone, Debug)]
pub(super) struct Bucket<P> {
    /// Number of the bucket among all possible buckets.
    number: u32,
    pub fifo: Fifo<Timestamped<P>>,
    pub controller: Controller,
    /// Bytes that the bucket may still send in its turn.
    pub credits: i64,
    /// Whether the bucket is in the round robin.
    pub active: bool,
}

/// The hash of flows onto numbers of buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    /// Number of possible buckets.
    pub flows: u32,
    pub salt: u64,
}

impl Hash {
    /// Hashes a flow onto the number of a bucket: SplitMix64's mixing function (Steele, Lea & Flood 2014), scaled to
    /// the number of buckets.
    fn number(self, flow: u64) -> u32 {
        let mut bits = flow ^ self.salt;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((u128::from(bits) * u128::from(self.flows)) >> 64) as u32
    }
}

/// The buckets in use.
#[derive(Clone, Debug)]
pub(super) struct Buckets<P> {
    /// For each number of a bucket, one more than its index in `made`, or zero. Created with the first packet.
    index: Vec<u32>,
    made: Vec<Bucket<P>>,
}

impl<P> Default for Buckets<P> {
    fn default() -> Buckets<P> {
        Buckets { index: Vec::new(), made: Vec::new() }
    }
}

impl<P: Queued> Buckets<P> {
    /// Returns the index of the bucket for `flow`, which is created if there is none.
    pub fn of(&mut self, flow: u64, hash: Hash) -> u32 {
        if self.index.is_empty() {
            self.index.resize(hash.flows as usize, 0);
        }
        let number = hash.number(flow);
        let slot = &mut self.index[number as usize];
        if *slot == 0 {
            self.made.push(Bucket {
                number,
                fifo: Fifo::default(),
                controller: Controller::default(),
                credits: 0,
                active: false,
            });
            *slot = self.made.len() as u32;
        }
        *slot - 1
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut Bucket<P> {
        &mut self.made[index as usize]
    }

    /// Returns the rank of a bucket: by bytes, then by packets, then by the lower number.
    pub fn fatness(&self, index: u32) -> (u64, u32, Reverse<u32>) {
        let bucket = &self.made[index as usize];
        let held = bucket.fifo.occupancy();
        (held.bytes, held.packets, Reverse(bucket.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Packet;

    /// 1024 queues and 20,480 flows: 20 in each, with a standard deviation of 4.5; six of them around it.
    #[test]
    fn the_hash_spreads_flows_evenly_and_differently_for_each_seed() {
        for salt in [0, 1, 0x1234_5678_9abc_def0] {
            let hash = Hash { flows: 1024, salt };
            let mut flows = vec![0; 1024];
            for flow in 0..20_480u64 {
                flows[hash.number(flow) as usize] += 1;
            }
            assert!(flows.iter().all(|&flows| flows <= 47), "{:?}", flows.iter().max());
        }
        let number = |salt| Hash { flows: 1024, salt }.number(7);
        assert_ne!(number(1), number(2));
    }

    #[test]
    fn a_bucket_is_made_when_it_is_needed() {
        let mut buckets = Buckets::<Packet>::default();
        let hash = Hash { flows: 1024, salt: 1 };
        assert_eq!((buckets.index.len(), buckets.made.len()), (0, 0));
        assert_eq!([5, 9, 5].map(|flow| buckets.of(flow, hash)), [0, 1, 0]);
        assert_eq!(buckets.made.len(), 2);
    }
}
