//! The deadlines of all components: one slot for each, the earliest first.
//!
//! A winner tree with four children to a node: an update replays one path from leaf to root and stops as soon as
//! nothing changes; it never allocates after construction. Of equal deadlines the lowest slot comes first.

use airfair_core::{Moment, Time};
use std::hint::select_unpredictable;

const CHILDREN: usize = 4;
/// Index of the root. With the root here, a node's children start at a multiple of [`CHILDREN`], so they share few cache
/// lines.
const ROOT: usize = 3;

/// A deadline: a [`Time`], or a [`Moment`] where the order within instants matters.
pub trait Deadline: Copy + Ord {
    /// A deadline later than any event.
    const NEVER: Self;
}

impl Deadline for Time {
    const NEVER: Time = Time::NEVER;
}

impl Deadline for Moment {
    const NEVER: Moment = Moment::NEVER;
}

/// The deadlines of a fixed number of components.
#[derive(Clone, Debug)]
pub struct Schedule<D = Time> {
    nodes: Vec<Entry<D>>,
    /// Index of the first leaf.
    leaves: usize,
    /// A copy of the entry at the root.
    first: Entry<D>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry<D> {
    deadline: D,
    slot: u32,
}

fn first_child(node: usize) -> usize {
    CHILDREN * (node - 2)
}

fn parent(node: usize) -> usize {
    node / CHILDREN + 2
}

impl<D: Deadline> Schedule<D> {
    /// Returns a schedule with slots `0..slots`, none with a deadline.
    pub fn new(slots: usize) -> Schedule<D> {
        // A single slot is the root.
        let mut leaves = ROOT;
        let mut width = 1;
        while width < slots {
            leaves = first_child(leaves);
            width *= CHILDREN;
        }
        // The last level has whole groups of siblings, and no groups without any slot: it is most of the tree.
        let used = slots.max(1).next_multiple_of(CHILDREN);
        let mut nodes = vec![Entry { deadline: D::NEVER, slot: 0 }; leaves + used];
        for (slot, leaf) in nodes[leaves..].iter_mut().enumerate() {
            leaf.slot = slot as u32;
        }
        for node in (ROOT..leaves).rev() {
            if let Some(&first) = nodes.get(first_child(node)) {
                nodes[node] = first;
            }
        }
        Schedule { first: nodes[ROOT], nodes, leaves }
    }

    /// Returns the earliest deadline and its slot.
    #[inline]
    pub fn first(&self) -> (D, usize) {
        (self.first.deadline, self.first.slot as usize)
    }

    /// Returns the deadline of a slot.
    #[inline]
    pub fn deadline(&self, slot: usize) -> D {
        self.nodes[self.leaves + slot].deadline
    }

    /// Returns the earliest deadline of all slots but this one.
    #[inline(never)]
    pub fn first_beside(&self, slot: usize) -> D {
        let mut node = self.leaves + slot;
        let mut least = D::NEVER;
        while node > ROOT {
            let start = node & !(CHILDREN - 1);
            for sibling in start..start + CHILDREN {
                if sibling != node {
                    least = least.min(self.nodes[sibling].deadline);
                }
            }
            node = parent(node);
        }
        least
    }

    /// Gives a slot a new deadline; [`Deadline::NEVER`] for none. A schedule of one slot, such as that of one medium, has no
    /// tree to update.
    #[inline(never)]
    pub fn set(&mut self, slot: usize, deadline: D) {
        let leaf = self.leaves + slot;
        if self.nodes[leaf].deadline != deadline {
            self.nodes[leaf].deadline = deadline;
            if leaf == ROOT {
                self.first.deadline = deadline;
            } else {
                self.replay(leaf);
            }
        }
    }

    /// Replays the path from a leaf that has changed.
    #[inline(never)]
    fn replay(&mut self, leaf: usize) {
        let mut node = leaf;
        while node > ROOT {
            let winner = self.winner_beside(node);
            node = parent(node);
            if self.nodes[node] == winner {
                return;
            }
            self.nodes[node] = winner;
        }
        self.first = self.nodes[ROOT];
    }

    /// Returns the earliest of a node and its siblings. The winner is unpredictable, so no branch may depend on it.
    #[inline]
    fn winner_beside(&self, node: usize) -> Entry<D> {
        let start = node & !(CHILDREN - 1);
        let children: &[Entry<D>; CHILDREN] =
            self.nodes[start..start + CHILDREN].try_into().expect("nodes come in groups of four");
        let earlier = |left: usize, right: usize| {
            select_unpredictable(children[right].deadline < children[left].deadline, right, left)
        };
        children[earlier(earlier(0, 1), earlier(2, 3))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_deadlines_go_to_the_lowest_slot() {
        let mut schedule = Schedule::new(5);
        schedule.set(3, Time(7));
        schedule.set(1, Time(7));
        assert_eq!(schedule.first(), (Time(7), 1));
        schedule.set(1, Time::NEVER);
        assert_eq!(schedule.first(), (Time(7), 3));
    }

    proptest! {
        #[test]
        fn the_first_is_the_least(slots in 1usize..90, updates in prop::collection::vec((0usize..90, 0u64..50), 1..200)) {
            let mut schedule = Schedule::new(slots);
            let mut plain = vec![Time::NEVER; slots];
            for (slot, deadline) in updates {
                let slot = slot % slots;
                let deadline = if deadline == 0 { Time::NEVER } else { Time(deadline) };
                schedule.set(slot, deadline);
                plain[slot] = deadline;
                let least = *plain.iter().min().unwrap();
                let (first, winner) = schedule.first();
                prop_assert_eq!(first, least);
                prop_assert_eq!(winner, plain.iter().position(|&d| d == least).unwrap());
                plain.swap_remove(slot);
                let beside = plain.iter().min().copied().unwrap_or(Time::NEVER);
                prop_assert_eq!(schedule.first_beside(slot), beside);
                plain.push(deadline);
                plain.swap(slot, slots - 1);
            }
        }
    }
}
