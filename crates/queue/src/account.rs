//! The packets that a queue drops and marks, counted.

use crate::queued::Queued;
use airfair_core::counters;
use std::collections::VecDeque;

counters! {
    /// Counts since the start of the run. `offered - dropped_full - dropped_early` packets were dequeued or are held.
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
    /// Packets dropped for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_full + self.discipline.dropped_early
    }
}

/// Where a discipline says what it drops and marks.
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
    /// `packet` is dropped because there is no room for it or for another.
    #[inline]
    pub fn drop_full(&mut self, packet: P) {
        self.stats.dropped_full += 1;
        self.dropped.push_back(packet);
    }

    /// `packet` is dropped for another reason.
    #[inline]
    pub fn drop_early(&mut self, packet: P) {
        self.stats.discipline.dropped_early += 1;
        self.dropped.push_back(packet);
    }

    /// Marks `packet`; false if it cannot be.
    #[inline]
    pub fn mark(&mut self, packet: &mut P) -> bool {
        let marked = packet.mark();
        self.stats.discipline.marked += u64::from(marked);
        marked
    }

    /// What has been counted.
    pub fn stats(&self) -> &QueueStats {
        &self.stats
    }

    /// Another packet comes.
    #[inline]
    pub(crate) fn offer(&mut self) {
        self.stats.offered += 1;
    }

    /// Forgets the packets dropped, not their number.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if !self.dropped.is_empty() {
            self.dropped.clear();
        }
    }

    /// A packet dropped since, in the order of the drops.
    #[inline]
    pub fn poll_drop(&mut self) -> Option<P> {
        self.dropped.pop_front()
    }
}
