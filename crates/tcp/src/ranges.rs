//! Disjoint, sorted byte ranges: data that arrived out of order, as a receiver holds them and as SACK blocks report them.
//!
//! They are kept in a sorted vector, which has as many entries as a window has holes, and keeps its capacity.

use crate::search::count_from_back;

/// Disjoint half-open ranges that do not touch each other, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges {
    spans: Vec<(u64, u64)>,
}

impl Ranges {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The number of ranges.
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The first range.
    #[inline]
    pub fn first(&self) -> Option<(u64, u64)> {
        self.spans.first().copied()
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.spans.iter().copied()
    }

    /// The range that contains `at`.
    #[inline]
    pub fn containing(&self, at: u64) -> Option<(u64, u64)> {
        let span = *self.spans.get(self.starting_by(at).checked_sub(1)?)?;
        (at < span.1).then_some(span)
    }

    /// The end of the range that contains `at`; `at` itself if there is none.
    #[inline]
    fn end_of(&self, at: u64) -> u64 {
        self.starting_by(at).checked_sub(1).map_or(at, |before| self.spans[before].1.max(at))
    }

    /// Adds `start..end` and returns its first byte that was new, if any was. Made for SACK blocks: many repeat what is known.
    #[inline(always)]
    pub fn learn(&mut self, start: u64, end: u64) -> Option<u64> {
        if let Some(last) = self.spans.last_mut()
            && (last.0..=last.1).contains(&start)
        {
            let known = last.1;
            last.1 = known.max(end);
            return (known < end).then_some(known);
        }
        let known = self.end_of(start);
        let news = known < end;
        if news {
            self.insert_anywhere(start, end);
        }
        news.then_some(known)
    }

    /// The first byte from `at` on that no range covers, if there is a range behind it.
    #[inline]
    pub fn gap_from(&self, at: u64) -> Option<u64> {
        let behind = self.starting_by(at);
        let start = behind.checked_sub(1).map_or(at, |before| self.spans[before].1.max(at));
        (behind < self.spans.len()).then_some(start)
    }

    /// The number of ranges that start at `at` or before.
    #[inline]
    fn starting_by(&self, at: u64) -> usize {
        count_from_back(&self.spans, |span| span.0 <= at)
    }

    /// The first part of `start..end` that a range covers.
    #[inline]
    pub fn first_within(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let span = self.spans.get(count_from_back(&self.spans, |span| span.1 <= start))?;
        (span.0 < end).then(|| (span.0.max(start), span.1.min(end)))
    }

    /// Adds `start..end` and joins ranges that then touch. Returns whether any byte of `start..end` was new.
    #[inline]
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        // Data behind a gap mostly arrive in order, so that the last range grows.
        match self.spans.last_mut() {
            Some(last) if start < end && (last.0..=last.1).contains(&start) => {
                let grows = end > last.1;
                last.1 = last.1.max(end);
                grows
            }
            _ => self.insert_anywhere(start, end),
        }
    }

    #[inline(never)]
    fn insert_anywhere(&mut self, start: u64, end: u64) -> bool {
        if start >= end {
            return false;
        }
        // The ranges that touch `start..end` are first..last.
        let last = count_from_back(&self.spans, |span| span.0 <= end);
        let first = count_from_back(&self.spans[..last], |span| span.1 < start);
        if first == last {
            self.spans.insert(first, (start, end));
            return true;
        }
        let joined = (start.min(self.spans[first].0), end.max(self.spans[last - 1].1));
        if last - first == 1 && joined == self.spans[first] {
            return false;
        }
        self.spans[first] = joined;
        self.spans.drain(first + 1..last);
        true
    }

    /// Removes and returns the last range.
    pub fn pop(&mut self) -> Option<(u64, u64)> {
        self.spans.pop()
    }

    /// Forgets every byte, but keeps the allocated memory.
    #[inline]
    pub fn clear(&mut self) {
        self.spans.clear();
    }

    /// Forgets every byte before `limit`.
    #[inline]
    pub fn remove_before(&mut self, limit: u64) {
        if self.spans.first().is_some_and(|first| first.0 < limit) {
            self.remove_some_before(limit);
        }
    }

    /// [`Ranges::remove_before`] where a range begins before `limit`.
    fn remove_some_before(&mut self, limit: u64) {
        let gone = self.spans.partition_point(|span| span.1 <= limit);
        self.spans.drain(..gone);
        if let Some(first) = self.spans.first_mut() {
            first.0 = first.0.max(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_that_touch_are_joined() {
        let mut ranges = Ranges::default();
        assert!(ranges.insert(10, 20));
        assert!(ranges.insert(30, 40));
        assert!(ranges.insert(20, 30));
        assert_eq!(ranges.spans, [(10, 40)]);
        assert!(!ranges.insert(15, 35));
        assert_eq!(ranges.containing(39), Some((10, 40)));
        assert_eq!(ranges.containing(40), None);
        assert_eq!([5, 10, 39, 40, 45].map(|at| ranges.end_of(at)), [5, 40, 40, 40, 45]);
        assert!(ranges.insert(50, 60));
        for (start, end, held) in [
            (0, 10, None),
            (0, 15, Some((10, 15))),
            (40, 50, None),
            (20, 55, Some((20, 40))),
            (40, 70, Some((50, 60))),
        ] {
            assert_eq!(ranges.first_within(start, end), held);
        }
    }

    proptest! {
        #[test]
        fn they_agree_with_a_set_of_bytes(
            inserts in prop::collection::vec((0u64..60, 0u64..12, any::<bool>()), 0..30),
            limit in 0u64..70,
        ) {
            let mut ranges = Ranges::default();
            let mut bytes = std::collections::BTreeSet::new();
            for (start, len, learns) in inserts {
                let first_new = (start..start + len).find(|byte| !bytes.contains(byte));
                bytes.extend(start..start + len);
                if learns {
                    prop_assert_eq!(ranges.learn(start, start + len), first_new);
                } else {
                    prop_assert_eq!(ranges.insert(start, start + len), first_new.is_some());
                }
            }
            let gap = (limit..).find(|byte| !bytes.contains(byte));
            prop_assert_eq!(ranges.gap_from(limit), gap.filter(|&gap| bytes.range(gap..).next().is_some()));
            ranges.remove_before(limit);
            bytes.retain(|&byte| byte >= limit);
            let listed: Vec<u64> = ranges.spans.iter().flat_map(|span| span.0..span.1).collect();
            prop_assert_eq!(listed, bytes.iter().copied().collect::<Vec<_>>());
            prop_assert!(ranges.spans.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
