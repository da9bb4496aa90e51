//! When flows act.
//!
//! The timers of a flow move with almost every packet, and most are put off before they are due. So flows form blocks, and only the blocks
//! take part in a [`Schedule`]. A deadline that is not the first of its block costs no more than to be written down.

use crate::schedule::Schedule;
use airfair_core::Time;

/// Flows of a block: their deadlines fill four cache lines.
const BLOCK: usize = 32;

/// The deadlines of all flows.
#[derive(Clone, Debug)]
pub struct FlowSchedule {
    deadlines: Vec<Time>,
    /// For each block an instant no later than the deadlines of its flows.
    blocks: Schedule,
}

impl FlowSchedule {
    /// Returns a schedule of this number of flows, none with a deadline.
    pub fn new(flows: usize) -> FlowSchedule {
        FlowSchedule { deadlines: vec![Time::NEVER; flows], blocks: Schedule::new(flows.div_ceil(BLOCK)) }
    }

    /// Returns an instant before which no flow acts.
    #[inline]
    pub fn first(&self) -> Time {
        self.blocks.first().0
    }

    /// Gives a flow a new deadline; [`Time::NEVER`] for none.
    #[inline]
    pub fn set(&mut self, flow: usize, deadline: Time) {
        self.deadlines[flow] = deadline;
        let block = flow / BLOCK;
        if deadline < self.blocks.deadline(block) {
            self.blocks.set(block, deadline);
        }
    }

    /// Calls `act` for each flow that is due before `until`, block by block. `act` returns the flow's next deadline. If that is before `until`
    /// too, this stops after the flow's block.
    pub fn act(&mut self, until: Time, mut act: impl FnMut(usize) -> Time) {
        loop {
            let (at, block) = self.blocks.first();
            if at >= until {
                return;
            }
            let start = block * BLOCK;
            let end = self.deadlines.len().min(start + BLOCK);
            let mut first = Time::NEVER;
            for (place, deadline) in self.deadlines[start..end].iter_mut().enumerate() {
                if *deadline < until {
                    *deadline = act(start + place);
                }
                first = first.min(*deadline);
            }
            self.blocks.set(block, first);
            if first < until {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Flows act no later than they are due, whatever others do, and only those that are due before the given instant.
        #[test]
        fn flows_act_when_they_are_due(
            flows in 1usize..200,
            steps in prop::collection::vec((0usize..200, 1u64..50, 0u64..9, 1u64..99), 1..300),
        ) {
            let mut schedule = FlowSchedule::new(flows);
            let mut due = vec![Time::NEVER; flows];
            for (flow, after, ahead, again) in steps {
                let now = due.iter().min().copied().filter(|first| *first < Time::NEVER).unwrap_or(Time::ZERO);
                let flow = flow % flows;
                due[flow] = Time(now.0 + after);
                schedule.set(flow, due[flow]);
                let until = Time(now.0 + ahead + 1);
                while schedule.first() <= now {
                    schedule.act(until, |flow| {
                        assert!(due[flow] < until);
                        due[flow] = Time(until.0 + again);
                        due[flow]
                    });
                }
                prop_assert!(due.iter().all(|due| schedule.first() <= *due));
                prop_assert!(due.iter().all(|due| *due > now));
            }
        }
    }
}
