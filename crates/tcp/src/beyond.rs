//! The byte ranges beyond a gap that a receiver holds. Mostly there is one gap, and behind it one range, which needs no memory elsewhere.

use crate::ranges::Ranges;

/// Disjoint half-open ranges that do not touch each other, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beyond {
    /// The last range; empty if there is none.
    last: (u64, u64),
    /// The ranges before it.
    before: Ranges,
}

impl Beyond {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.last.0 == self.last.1
    }

    /// The number of ranges.
    #[inline]
    pub fn len(&self) -> usize {
        self.before.len() + usize::from(!self.is_empty())
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.before.iter().chain(self.last())
    }

    /// The first range.
    #[inline]
    pub fn first(&self) -> Option<(u64, u64)> {
        self.before.first().or(self.last())
    }

    /// The last range.
    #[inline]
    pub fn last(&self) -> Option<(u64, u64)> {
        (!self.is_empty()).then_some(self.last)
    }

    /// The range that contains `at`.
    #[inline]
    pub fn containing(&self, at: u64) -> Option<(u64, u64)> {
        self.last()
            .filter(|last| at >= last.0)
            .map_or_else(|| self.before.containing(at), |last| (at < last.1).then_some(last))
    }

    /// The first part of `start..end` that a range covers.
    #[inline]
    pub fn first_within(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let last = self.last().filter(|last| start < last.1 && last.0 < end);
        self.before.first_within(start, end).or(last.map(|last| (start.max(last.0), end.min(last.1))))
    }

    /// Adds `start..end` and joins ranges that then touch. Returns whether any byte of `start..end` was new.
    #[inline]
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        // Data behind a gap mostly arrive in order, so that the last range grows.
        if start < end && (self.last.0..=self.last.1).contains(&start) {
            let grows = end > self.last.1;
            self.last.1 = self.last.1.max(end);
            return grows;
        }
        self.insert_anywhere(start, end)
    }

    #[inline(never)]
    fn insert_anywhere(&mut self, start: u64, end: u64) -> bool {
        if start >= end {
            return false;
        }
        if self.is_empty() {
            self.last = (start, end);
            return true;
        }
        if end < self.last.0 {
            return self.before.insert(start, end);
        }
        if start > self.last.1 {
            self.before.insert(self.last.0, self.last.1);
            self.last = (start, end);
        } else {
            // It fills what was missing right before the last range.
            self.before.insert(start, end.max(self.last.1));
            self.last = self.before.pop().unwrap_or_default();
        }
        true
    }

    /// Forgets every byte before `limit`.
    #[inline]
    pub fn remove_before(&mut self, limit: u64) {
        self.before.remove_before(limit);
        self.last.0 = self.last.0.max(limit.min(self.last.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_ranges_of_a_vector(
            steps in prop::collection::vec((0u64..60, 0u64..12, prop::option::weighted(0.1, 0u64..30)), 0..40),
        ) {
            let (mut beyond, mut ranges) = (Beyond::default(), Ranges::default());
            for (start, len, limit) in steps {
                let end = start + len;
                prop_assert_eq!(beyond.first_within(start, end), ranges.first_within(start, end));
                prop_assert_eq!(beyond.insert(start, end), ranges.insert(start, end));
                if let Some(limit) = limit {
                    beyond.remove_before(limit);
                    ranges.remove_before(limit);
                }
                let listed: Vec<_> = ranges.iter().collect();
                prop_assert_eq!(beyond.iter().collect::<Vec<_>>(), &listed[..]);
                prop_assert_eq!((beyond.first(), beyond.last()), (listed.first().copied(), listed.last().copied()));
                prop_assert_eq!((beyond.len(), beyond.is_empty()), (listed.len(), listed.is_empty()));
                prop_assert_eq!(beyond.containing(start), ranges.containing(start));
            }
        }
    }
}
