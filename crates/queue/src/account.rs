//! Counts of the packets that a queue drops and marks.

use crate::queued::Queued;
use airfair_core::counters;
use std::collections::VecDeque;

counters! {
    /// Counts of a queue since the start of the run. `offered - dropped_full - dropped_early` packets were dequeued or
    /// are held.
    pub struct QueueStats {
        /// Packets offered to the queue.
        offered: u64 = "packet",
        /// Packets dropped because the queue was full.
        dropped_full: u64 = "packet",
        /// Decisions of the discipline.
        discipline: DisciplineStats = "packet",
    }

    /// Packets that a discipline dropped or marked although there was room.
    pub struct DisciplineStats {
        /// Packets that the queue's discipline dropped although there was room.
        dropped_early: u64 = "packet",
        /// Packets that the queue's discipline marked with Congestion Experienced (RFC 3168).
        marked: u64 = "packet",
    }
}

impl QueueStats {
    /// Returns the number of packets dropped for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_full + self.discipline.dropped_early
    }
}

/// Takes the packets that a discipline drops, and counts drops and marks.
#[derive(Clone, Debug)]
pub struct Account<P> {
    stats: QueueStats,
    dropped: VecDeque<P>,
}

impl<P> Default for Account<P> {
    fn default() -> Account<P> {
        Account { stats: QueueStats::default(), dropped: VecDeque::new() }
    }
}

impl<P: Queued> Account<P> {
    /// Drops `packet` because there is no room for it, or to make room for another.
    #[inline]
    pub fn drop_full(&mut self, packet: P) {
        self.stats.dropped_full += 1;
        self.dropped.push_back(packet);
    }

    /// Drops `packet` for another reason.
    #[inline]
    pub fn drop_early(&mut self, packet: P) {
        self.stats.discipline.dropped_early += 1;
        self.dropped.push_back(packet);
    }

    /// Marks `packet`. Returns `false` if it is not ECN-capable.
    #[inline]
    pub fn mark(&mut self, packet: &mut P) -> bool {
        let marked = packet.mark();
        self.stats.discipline.marked += u64::from(marked);
        marked
    }

    /// Returns the counts since the start of the run.
    pub fn stats(&self) -> &QueueStats {
        &self.stats
    }

    /// Counts `packets` packets as offered.
    #[inline]
    pub(crate) fn offer(&mut self, packets: u64) {
        self.stats.offered += packets;
    }

    /// Counts `packets` packets as dropped because there is no room for them.
    #[inline]
    pub(crate) fn refuse(&mut self, packets: u64) {
        self.stats.dropped_full += packets;
    }

    /// Forgets the dropped packets, which stay counted.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if !self.dropped.is_empty() {
            self.dropped.clear();
        }
    }

    /// Returns the next packet dropped by the last call to the queue, in the order of the drops.
    #[inline]
    pub fn poll_drop(&mut self) -> Option<P> {
        self.dropped.pop_front()
    }
}
