//! A FIFO of small values in contiguous memory.

use std::ops::{Index, IndexMut};

/// A FIFO in a ring whose length is a power of two: a place in it is found by a mask, without a branch.
///
/// Values are numbered from 0 in the order in which they were added.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    /// Slots for values. Their number is zero or a power of two.
    slots: Vec<T>,
    /// Number of the first value held. The values held have the numbers `first..end`.
    first: u64,
    end: u64,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { slots: Vec::new(), first: 0, end: 0 }
    }
}

/// Accesses a value by its place behind the first one. In release builds the place is not checked against the number of values.
impl<T: Copy + Default> Index<usize> for Ring<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        self.at(self.first + index as u64)
    }
}

impl<T: Copy + Default> IndexMut<usize> for Ring<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.at_mut(self.first + index as u64)
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Returns the number of values held.
    #[inline]
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// Whether the ring holds no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.end == self.first
    }

    /// Returns the number of the first value, or of the next one added if the ring is empty.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number that the next value gets.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the first value.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.slots.get(self.place(self.first)) }
    }

    /// Returns the last value.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.slots.get(self.place(self.end - 1)) }
    }

    /// Returns the value with this number, which the ring must hold.
    #[inline]
    pub fn at(&self, number: u64) -> &T {
        debug_assert!((self.first..self.end).contains(&number));
        &self.slots[self.place(number)]
    }

    /// Returns the value with this number, which the ring must hold, for changes.
    #[inline]
    pub fn at_mut(&mut self, number: u64) -> &mut T {
        debug_assert!((self.first..self.end).contains(&number));
        let place = self.place(number);
        &mut self.slots[place]
    }

    /// Returns the values from this number on.
    #[inline]
    pub fn from(&self, number: u64) -> impl Iterator<Item = &T> {
        (number..self.end).map(|number| self.at(number))
    }

    /// Returns the values at the front that lie contiguously in memory: all values, or those before the ring wraps around.
    #[inline]
    pub fn run(&self) -> &[T] {
        self.pieces(self.first, self.len())[0]
    }

    /// Returns `values` values, beginning with number `first`. All must be in the ring. The second slice has those behind the point where the
    /// ring wraps around.
    #[inline]
    pub fn pieces(&self, first: u64, values: usize) -> [&[T]; 2] {
        debug_assert!(values == 0 || self.first <= first && first + values as u64 <= self.end);
        let (anew, behind) = self.slots.split_at(self.place(first).min(self.slots.len()));
        let until_end = values.min(behind.len());
        [&behind[..until_end], &anew[..values - until_end]]
    }

    /// Like [`Ring::pieces`], but for changes.
    #[inline]
    pub fn pieces_mut(&mut self, first: u64, values: usize) -> [&mut [T]; 2] {
        debug_assert!(values == 0 || self.first <= first && first + values as u64 <= self.end);
        let place = self.place(first).min(self.slots.len());
        let (anew, behind) = self.slots.split_at_mut(place);
        let until_end = values.min(behind.len());
        [&mut behind[..until_end], &mut anew[..values - until_end]]
    }

    /// Returns all values, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|index| &self[index])
    }

    /// Adds a value at the end.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        *self.room() = value;
    }

    /// Adds copies of values at the end.
    #[inline]
    pub fn append(&mut self, values: &[T]) {
        let [behind, anew] = self.rooms(values.len());
        let (first, last) = values.split_at(behind.len());
        behind.copy_from_slice(first);
        anew.copy_from_slice(last);
    }

    /// Adds room for this number of values at the end: two slices, since the ring may wrap around between them. The slots hold old values; the
    /// caller must overwrite all of them.
    #[inline]
    pub fn rooms(&mut self, values: usize) -> [&mut [T]; 2] {
        while self.slots.len() - self.len() < values {
            self.grow();
        }
        self.end += values as u64;
        self.pieces_mut(self.end - values as u64, values)
    }

    /// Counts `values` values as added and removed at once, so that later values get later numbers. If `values` is above zero, all values held
    /// before are removed, too.
    #[inline]
    pub fn skip(&mut self, values: u64) {
        self.end += values;
        if values > 0 {
            self.first = self.end;
        }
    }

    /// Removes the last `values` values. The ring must hold at least as many.
    #[inline]
    pub fn take_back(&mut self, values: usize) {
        debug_assert!(values <= self.len());
        self.end -= values as u64;
    }

    /// Adds room for a value at the end. The slot holds an old value; the caller must overwrite all of it.
    #[inline(always)]
    pub fn room(&mut self) -> &mut T {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let place = self.place(self.end);
        self.end += 1;
        &mut self.slots[place]
    }

    /// Removes this many values from the front. The ring must hold at least as many.
    #[inline(always)]
    pub fn pop(&mut self, values: usize) {
        debug_assert!(values <= self.len());
        self.first += values as u64;
    }

    /// Removes the values before this number.
    #[inline]
    pub fn pop_before(&mut self, number: u64) {
        debug_assert!((self.first..=self.end).contains(&number));
        self.first = number;
    }

    /// Numbers values from 0 again if the ring is empty. A ring that is often empty then uses few of its slots, which stay in the caches.
    #[inline]
    pub fn restart_if_empty(&mut self) {
        if self.is_empty() {
            (self.first, self.end) = (0, 0);
        }
    }

    /// Removes and returns the first value. The slot keeps it until another value is added.
    #[inline]
    pub fn take_front(&mut self) -> Option<&T> {
        if self.is_empty() {
            return None;
        }
        self.first += 1;
        self.slots.get(self.place(self.first - 1))
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.slots.len().wrapping_sub(1)
    }

    /// Doubles the ring. The value that needs room is not passed to this function: it would have to lie in memory each time.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        const FIRST_LENGTH: usize = 4;
        let mut slots: Vec<T> = self.iter().copied().collect();
        slots.resize((2 * self.slots.len()).max(FIRST_LENGTH), T::default());
        self.slots = slots;
        let first = self.place(self.first);
        self.slots.rotate_right(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_does_as_the_standard_librarys_queue(pushes in prop::collection::vec(0usize..5, 0..60)) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            for (number, pushes) in pushes.into_iter().enumerate() {
                if pushes == 0 {
                    let run = ring.run().len().min(number % 3 + 1);
                    prop_assert!(ring.run().iter().take(run).eq(queue.drain(..run).collect::<Vec<_>>().iter()));
                    ring.pop(run);
                }
                (0..pushes / 2).for_each(|_| {
                    ring.push(number);
                    queue.push_back(number);
                });
                let more = &[number, number + 1, number + 2][..number % 4];
                ring.append(more);
                ring.take_back(more.len() / 2);
                queue.extend(&more[..more.len().div_ceil(2)]);
                prop_assert_eq!((ring.len(), ring.is_empty(), ring.front()), (queue.len(), queue.is_empty(), queue.front()));
                prop_assert!(ring.iter().eq(&queue));
            }
        }

        #[test]
        fn values_keep_their_numbers(steps in prop::collection::vec((0u64..12, 0u64..12), 1..30), skips in 0u64..4) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            for (come, leave) in steps {
                if come == 0 && skips > 0 {
                    ring.skip(skips);
                    queue.clear();
                }
                for _ in 0..come {
                    queue.push_back(ring.end());
                    ring.push(ring.end());
                }
                let gone = leave.min(queue.len() as u64);
                queue.drain(..gone as usize);
                if gone == 1 {
                    ring.take_front();
                } else {
                    ring.pop_before(ring.first() + gone);
                }
                prop_assert_eq!((ring.front(), ring.back()), (queue.front(), queue.back()));
                prop_assert!(ring.from(ring.first()).eq(&queue));
                let in_pieces = |ring: &Ring<u64>, from| ring.pieces(from, (ring.end() - from) as usize).concat();
                prop_assert!((ring.first()..=ring.end()).all(|from| in_pieces(&ring, from).iter().eq(ring.from(from))));
                let [first, second] = ring.pieces_mut(ring.first(), ring.len());
                prop_assert!(first.iter().chain(second.iter()).eq(&queue));
                prop_assert!((ring.first()..ring.end()).all(|number| *ring.at(number) == number));
            }
        }
    }
}
