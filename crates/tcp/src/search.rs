//! Searches for data in the order of the stream.

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

/// How many of `items`, whose keys ascend, have a key of at most `limit`.
pub(crate) fn count_up_to<T: Copy + Default>(items: &Ring<T>, limit: u64, key: impl Fn(&T) -> u64) -> usize {
    // All items before the first number have such a key, those from the second on have not.
    let (mut count, mut end) = (0, items.len());
    while count < end {
        let middle = count.midpoint(end);
        if key(&items[middle]) <= limit {
            count = middle + 1;
        } else {
            end = middle;
        }
    }
    count
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
