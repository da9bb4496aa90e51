//! Data in the order of the stream, found by an offset without a search where it can be.

use airfair_core::Ring;

/// How many of `items` satisfy `before`. Those that do come first; mostly all but a few do.
#[inline]
pub(crate) fn count_from_back<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    const FEW: usize = 3;
    let mut count = items.len();
    for _ in 0..FEW {
        match items[..count].last() {
            Some(last) if !before(last) => count -= 1,
            _ => return count,
        }
    }
    items[..count].partition_point(before)
}

/// How many of `items`, whose keys ascend, have a key of at most `limit`. Mostly the items are segments of one length, so that a guess finds it.
#[inline]
pub(crate) fn count_up_to<T: Copy + Default>(items: &Ring<T>, limit: u64, key: impl Fn(&T) -> u64) -> usize {
    let Some(before_last) = items.len().checked_sub(1) else { return 0 };
    let (first, last) = (key(&items[0]), key(&items[before_last]));
    if limit < first {
        return 0;
    }
    if limit >= last {
        return items.len();
    }
    let guess = ((limit - first) * before_last as u64 / (last - first)) as usize;
    if key(&items[guess]) <= limit && limit < key(&items[guess + 1]) {
        return guess + 1;
    }
    // The first one does, the last one does not.
    let (mut does, mut does_not) = (0, before_last);
    while does_not - does > 1 {
        let middle = does.midpoint(does_not);
        *(if key(&items[middle]) <= limit { &mut does } else { &mut does_not }) = middle;
    }
    does_not
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_counts(lengths in prop::collection::vec(1u64..4, 0..30), (first, limit) in (0u64..9, 0u64..120)) {
            let keys: Vec<u64> = lengths.iter().scan(first, |at, length| { *at += length; Some(*at) }).collect();
            let mut items = Ring::default();
            keys.iter().for_each(|key| items.push(*key));
            let count = keys.iter().filter(|&&key| key <= limit).count();
            prop_assert_eq!(count_up_to(&items, limit, |&key| key), count);
            prop_assert_eq!(count_from_back(&keys, |&key| key <= limit), count);
        }
    }
}
