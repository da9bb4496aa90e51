//! The order of turns in a deficit round robin that serves new queues first (RFC 8290, sections 4.1.1 and 4.2).

use std::collections::VecDeque;

/// Queues by index, in the order of their turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundRobin {
    /// Queues that have become active; in `old`, queues that have had a turn.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

impl RoundRobin {
    pub fn first(&self) -> Option<u32> {
        self.new.front().or(self.old.front()).copied()
    }

    pub fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }

    /// Returns all queues, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.new.iter().chain(&self.old).copied()
    }

    /// Removes and returns all queues, from the first to the last.
    pub fn drain(&mut self) -> impl Iterator<Item = u32> {
        self.new.drain(..).chain(self.old.drain(..))
    }

    /// Adds a new queue behind the other new ones.
    pub fn push_new(&mut self, index: u32) {
        self.new.push_back(index);
    }

    /// Adds a queue before all others, and makes all queues old ones.
    pub fn push_first(&mut self, index: u32) {
        self.new.push_front(index);
        self.demote_new();
    }

    /// Removes the first queue.
    pub fn remove_first(&mut self) {
        self.new.pop_front().or_else(|| self.old.pop_front());
    }

    /// Removes a queue, wherever it is.
    pub fn remove(&mut self, index: u32) {
        self.new.retain(|&other| other != index);
        self.old.retain(|&other| other != index);
    }

    /// Adds a queue behind all others.
    pub fn push_old(&mut self, index: u32) {
        self.old.push_back(index);
    }

    /// Moves the first queue to the end.
    pub fn rotate(&mut self) {
        if let Some(index) = self.new.pop_front().or_else(|| self.old.pop_front()) {
            self.old.push_back(index);
        }
    }

    /// Moves or removes the first queue, which is empty. Returns whether it leaves the round: a new queue stays among
    /// the old ones for a turn, so that a flow with few packets does not always come first.
    pub fn retire_first(&mut self) -> bool {
        let newcomer = !self.new.is_empty();
        if newcomer {
            self.rotate();
        } else {
            self.old.pop_front();
        }
        !newcomer
    }

    /// Makes all new queues old ones.
    pub fn demote_new(&mut self) {
        while let Some(index) = self.new.pop_back() {
            self.old.push_front(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RoundRobin;

    fn order(turns: &RoundRobin) -> Vec<u32> {
        turns.iter().collect()
    }

    #[test]
    fn newcomers_come_first_and_once() {
        let mut turns = RoundRobin::default();
        turns.push_old(0);
        turns.push_new(1);
        turns.push_new(2);
        assert_eq!((turns.first(), turns.len(), order(&turns)), (Some(1), 3, vec![1, 2, 0]));
        turns.rotate();
        assert_eq!(order(&turns), [2, 0, 1]);
        assert!(!turns.retire_first(), "a newcomer stays");
        assert_eq!(order(&turns), [0, 1, 2]);
        assert!(turns.retire_first());
        assert_eq!(order(&turns), [1, 2]);
    }

    #[test]
    fn a_queue_may_come_before_all() {
        let mut turns = RoundRobin::default();
        turns.push_old(0);
        turns.push_first(1);
        turns.push_first(2);
        assert_eq!(order(&turns), [2, 1, 0]);
        turns.push_new(3);
        turns.remove(1);
        assert_eq!(order(&turns), [3, 2, 0]);
        turns.remove(3);
        turns.remove_first();
        assert_eq!(order(&turns), [0]);
    }

    #[test]
    fn aging_keeps_the_order() {
        let mut turns = RoundRobin::default();
        for index in 0..4 {
            if index < 2 { turns.push_old(index) } else { turns.push_new(index) }
        }
        let before = order(&turns);
        turns.demote_new();
        assert_eq!(order(&turns), before);
        assert!(turns.retire_first(), "nobody is new");
        assert_eq!(turns.drain().collect::<Vec<_>>(), [3, 0, 1]);
        assert_eq!(turns.first(), None);
    }
}
