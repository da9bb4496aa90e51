//! Segments in the order of the stream, found by an offset: mostly they are of one length, so that the place is known without a search.

use std::collections::VecDeque;

/// How many of `items`, whose keys ascend, have a key of at most `limit`.
#[inline]
pub(crate) fn count_up_to<T>(items: &VecDeque<T>, limit: u64, key: impl Fn(&T) -> u64) -> usize {
    let (Some(first), Some(last)) = (items.front(), items.back()) else { return 0 };
    let (first, last) = (key(first), key(last));
    if limit < first {
        return 0;
    }
    if limit >= last {
        return items.len();
    }
    let guess = ((limit - first) * (items.len() as u64 - 1) / (last - first)) as usize;
    if key(&items[guess]) <= limit && limit < key(&items[guess + 1]) {
        return guess + 1;
    }
    items.partition_point(|item| key(item) <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_counts(lengths in prop::collection::vec(1u64..4, 0..30), (first, limit) in (0u64..9, 0u64..120)) {
            let keys: Vec<u64> = lengths.iter().scan(first, |at, length| { *at += length; Some(*at) }).collect();
            let items: VecDeque<u64> = keys.iter().copied().collect();
            prop_assert_eq!(count_up_to(&items, limit, |&key| key), keys.iter().filter(|&&key| key <= limit).count());
        }
    }
}
