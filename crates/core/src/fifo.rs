//! A FIFO of small values that are added and removed many at a time.

/// A FIFO in two batches: values go from one and come to the other, and when all have gone, the batches change roles. Unlike in a
/// [`Ring`](crate::Ring), a place needs no mask.
#[derive(Clone, Debug, Default)]
pub struct Fifo<T> {
    /// The batch at the front. Its first `gone` values have been removed.
    going: Batch<T>,
    gone: usize,
    coming: Batch<T>,
    /// Number of values in earlier batches.
    earlier: u64,
}

/// Values in the first `len` slots.
#[derive(Clone, Debug, Default)]
struct Batch<T> {
    slots: Vec<T>,
    len: usize,
}

impl<T: Copy + Default> Batch<T> {
    #[inline]
    fn values(&self) -> &[T] {
        &self.slots[..self.len]
    }

    #[inline(always)]
    fn room(&mut self) -> &mut T {
        let place = self.len;
        if place >= self.slots.len() {
            return self.more_room();
        }
        self.len += 1;
        &mut self.slots[place]
    }

    /// Doubles the slots, and adds room for a value. The value is not passed to this function: it would have to lie in memory each time.
    #[cold]
    #[inline(never)]
    fn more_room(&mut self) -> &mut T {
        const FIRST_LENGTH: usize = 4;
        self.slots.resize((2 * self.len).max(FIRST_LENGTH), T::default());
        self.len += 1;
        &mut self.slots[self.len - 1]
    }

    /// Inserts a value before the last `after` values.
    fn insert(&mut self, value: &T, after: usize) {
        let last = self.len;
        *self.room() = *value;
        self.slots.copy_within(last - after..last, last - after + 1);
        self.slots[last - after] = *value;
    }
}

impl<T: Copy + Default> Fifo<T> {
    /// Returns the first value.
    #[inline]
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// Returns the last value.
    #[inline]
    pub fn last(&self) -> Option<&T> {
        self.coming.values().last().or_else(|| self.rest().last())
    }

    /// Returns all values, from the first to the last.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.rest().iter().chain(self.coming.values())
    }

    /// Returns the number of values held.
    #[inline]
    pub fn len(&self) -> usize {
        self.rest().len() + self.coming.len
    }

    /// Whether the FIFO holds no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of values removed so far.
    #[inline]
    pub fn removed(&self) -> u64 {
        self.earlier + self.gone as u64
    }

    /// The values that are left of the batch at the front.
    #[inline]
    fn rest(&self) -> &[T] {
        &self.going.values()[self.gone..]
    }

    /// Returns values at the front that lie in one piece: at least one unless the FIFO is empty.
    #[inline]
    pub fn front(&mut self) -> &[T] {
        if self.gone == self.going.len {
            std::mem::swap(&mut self.going, &mut self.coming);
            self.earlier += self.gone as u64;
            (self.gone, self.coming.len) = (0, 0);
        }
        self.rest()
    }

    /// Removes this many values at the [front](Fifo::front).
    #[inline]
    pub fn remove(&mut self, values: usize) {
        let front = self.front();
        debug_assert!(values <= front.len());
        self.gone += values;
    }

    /// Adds room for a value at the end. The slot holds an old value; the caller must overwrite all of it.
    #[inline(always)]
    pub fn room(&mut self) -> &mut T {
        self.coming.room()
    }

    /// Inserts a value before those at the end that come after it, and returns the number of these. The values must be in order: none before
    /// these comes after it.
    #[inline(never)]
    pub fn insert(&mut self, value: &T, comes_after: impl Fn(&T) -> bool) -> usize {
        let coming = last_ones(self.coming.values(), &comes_after);
        let going = if coming == self.coming.len { last_ones(self.rest(), comes_after) } else { 0 };
        if going > 0 {
            self.going.insert(value, going)
        } else {
            self.coming.insert(value, coming)
        }
        going + coming
    }
}

/// Returns the number of values at the end that `fits` accepts, where none is accepted before one that is not. Mostly they are few: the search
/// looks one, two, four, ... values back, and bisects from there.
fn last_ones<T>(values: &[T], fits: impl Fn(&T) -> bool) -> usize {
    let mut back = 1;
    while back < values.len() && fits(&values[values.len() - back]) {
        back *= 2;
    }
    let last = &values[values.len().saturating_sub(back)..];
    last.len() - last.partition_point(|value| !fits(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_sorts_by_insertion(values in prop::collection::vec(0usize..40, 0..60), removals in 0usize..9) {
            let mut fifo: Fifo<usize> = Fifo::default();
            let mut sorted: Vec<usize> = Vec::new();
            for (number, value) in values.into_iter().enumerate() {
                if number % 5 < removals / 2 && !sorted.is_empty() {
                    prop_assert_eq!(fifo.front().first(), sorted.first());
                    fifo.remove(1);
                    sorted.remove(0);
                }
                let after = sorted.iter().filter(|&&other| other > value).count();
                prop_assert_eq!(fifo.insert(&value, |&other| other > value), after);
                sorted.insert(sorted.len() - after, value);
                prop_assert!(fifo.iter().eq(&sorted));
            }
        }

        #[test]
        fn values_go_in_the_order_in_which_they_came(steps in prop::collection::vec((0u64..12, 0usize..12), 1..60)) {
            let (mut fifo, mut queue, mut number) = (Fifo::default(), VecDeque::new(), 0);
            for (come, go) in steps {
                for _ in 0..come {
                    *fifo.room() = number;
                    queue.push_back(number);
                    number += 1;
                }
                let gone = go.min(fifo.front().len());
                prop_assert!(gone > 0 || go == 0 || queue.is_empty());
                prop_assert!(fifo.front().iter().take(gone).eq(queue.drain(..gone).collect::<Vec<_>>().iter()));
                fifo.remove(gone);
                prop_assert!(fifo.iter().eq(&queue));
                prop_assert_eq!((fifo.first(), fifo.last(), fifo.is_empty()), (queue.front(), queue.back(), queue.is_empty()));
                prop_assert_eq!((fifo.len(), fifo.removed()), (queue.len(), number - queue.len() as u64));
            }
        }
    }
}
