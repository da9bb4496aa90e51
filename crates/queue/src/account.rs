//! What became of the packets that a queue was given.

use crate::queued::Queued;
use std::collections::VecDeque;

/// Counts since the start of the run, in packets: `offered - dropped_full - dropped_early` were taken out or are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Given to the queue.
    pub offered: u64,
    /// Dropped because there was no room.
    pub dropped_full: u64,
    /// Dropped by the discipline though there was room.
    pub dropped_early: u64,
    /// Marked with Congestion Experienced.
    pub marked: u64,
}

impl QueueStats {
    /// Dropped, for whatever reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_full + self.dropped_early
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
        self.stats.dropped_early += 1;
        self.dropped.push_back(packet);
    }

    /// Marks `packet`; false if it cannot be.
    #[inline]
    pub fn mark(&mut self, packet: &mut P) -> bool {
        let marked = packet.mark();
        self.stats.marked += u64::from(marked);
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
