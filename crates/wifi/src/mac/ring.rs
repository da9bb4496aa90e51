//! A queue whose items have successive numbers and stay where they are written.

/// Items with the numbers from `first` to `end`, in a ring of places.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// None yet, or a power of two of them. A place keeps its item after that has left, until another takes it.
    places: Vec<T>,
    first: u64,
    end: u64,
}

impl<T: Copy> Ring<T> {
    pub const fn new() -> Ring<T> {
        Ring { places: Vec::new(), first: 0, end: 0 }
    }

    /// The number of the first item, or of the next one if there is none.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The number that the next item gets.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.places.len().wrapping_sub(1)
    }

    /// The item with this number, which must be here.
    #[inline]
    pub fn at(&self, number: u64) -> &T {
        debug_assert!((self.first..self.end).contains(&number));
        &self.places[self.place(number)]
    }

    #[inline]
    pub fn at_mut(&mut self, number: u64) -> &mut T {
        debug_assert!((self.first..self.end).contains(&number));
        let place = self.place(number);
        &mut self.places[place]
    }

    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.places.get(self.place(self.first)) }
    }

    #[inline]
    pub fn back(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.places.get(self.place(self.end - 1)) }
    }

    /// The items from this number on.
    #[inline]
    pub fn from(&self, number: u64) -> impl Iterator<Item = &T> {
        (number..self.end).map(|number| self.at(number))
    }

    /// Room for another item, which is the caller's to write: it may have any values. `None`: there is no place left.
    #[inline]
    pub fn room(&mut self) -> Option<&mut T> {
        if self.end - self.first == self.places.len() as u64 {
            return None;
        }
        self.end += 1;
        let place = self.place(self.end - 1);
        Some(&mut self.places[place])
    }

    /// The same, with more places if there are too few: such an item fills them.
    #[inline]
    pub fn room_for(&mut self, item: impl FnOnce() -> T) -> &mut T {
        if self.end - self.first == self.places.len() as u64 {
            self.double(item());
        }
        self.end += 1;
        let place = self.place(self.end - 1);
        &mut self.places[place]
    }

    #[inline]
    pub fn push(&mut self, item: T) {
        *self.room_for(|| item) = item;
    }

    #[cold]
    #[inline(never)]
    fn double(&mut self, item: T) {
        let mut places = vec![item; (2 * self.places.len()).max(8)];
        for number in self.first..self.end {
            let place = number as usize & (places.len() - 1);
            places[place] = *self.at(number);
        }
        self.places = places;
    }

    /// The first item leaves; it is there until another comes.
    #[inline]
    pub fn take_front(&mut self) -> Option<&T> {
        if self.is_empty() {
            return None;
        }
        self.first += 1;
        self.places.get(self.place(self.first - 1))
    }

    /// The items before this number leave.
    #[inline]
    pub fn leave_until(&mut self, number: u64) {
        debug_assert!((self.first..=self.end).contains(&number));
        self.first = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Against a queue that moves its items.
        #[test]
        fn items_keep_their_numbers(steps in prop::collection::vec((0u64..12, 0u64..12), 1..30)) {
            let (mut ring, mut queue) = (Ring::new(), VecDeque::new());
            for (come, leave) in steps {
                for _ in 0..come {
                    queue.push_back(ring.end());
                    let item = ring.end();
                    match ring.room() {
                        Some(room) => *room = item,
                        None => ring.push(item),
                    }
                }
                let gone = (leave as usize).min(queue.len());
                queue.drain(..gone);
                ring.leave_until(ring.first() + gone as u64);
                prop_assert_eq!((ring.front(), ring.back()), (queue.front(), queue.back()));
                prop_assert!(ring.from(ring.first()).eq(&queue));
                prop_assert!((ring.first()..ring.end()).all(|number| *ring.at(number) == number));
            }
        }
    }
}
