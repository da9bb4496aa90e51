//! Items at the front of a slice that are alike.

/// Returns the items at the front of `items` that have the same key as the very first one.
///
/// Like the first chunk of [`slice::chunk_by`], but it computes the key of each item once.
#[inline]
pub fn alike<T, K: PartialEq>(items: &[T], key: impl Fn(&T) -> K) -> &[T] {
    let Some(first) = items.first().map(&key) else { return items };
    &items[..items.iter().take_while(|item| key(item) == first).count()]
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn the_first_run_ends_at_the_first_other_key() {
        assert_eq!(alike(&[2, 4, 6, 1, 8], |item| item % 2), [2, 4, 6]);
        assert_eq!(alike(&[1], |item| item % 2), [1]);
        assert_eq!(alike(&[], |item: &u32| item % 2), []);
    }
}
