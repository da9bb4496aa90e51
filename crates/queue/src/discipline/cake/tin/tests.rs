use super::*;
use crate::testing::{Packet, at};
use airfair_core::Span;

const TURN: Turn = Turn { quantum: 300, isolates: [true, true] };

struct Run {
    tin: Tin<Packet>,
    law: Law,
    stream: Stream,
    account: Account<Packet>,
}

impl Run {
    fn new() -> Run {
        let law = Law::new(Span::from_millis(100), Span::from_millis(1), true);
        Run { tin: Tin::default(), law, stream: Stream::new(1, "test"), account: Account::default() }
    }

    /// A packet of this flow, from host 7.
    fn enqueue(&mut self, flow: u64) {
        let labels = FlowLabels { source: 7, destination: flow as u32, dscp: 0 };
        self.tin.enqueue(at(0), Packet { flow, ..Packet::new(0) }, &labels, &TURN);
    }

    fn dequeue(&mut self) -> Option<u64> {
        let packet = self.tin.dequeue(at(0), &TURN, &self.law, &mut self.stream, &mut self.account);
        packet.map(|packet| packet.flow)
    }

    /// Flows that count as busy, in all and of host 7.
    fn busy(&self) -> (u32, u32) {
        (self.tin.busy_flows, self.tin.busy_of[0].get(&7).copied().unwrap_or(0))
    }
}

/// Its first packet is more than a turn: it joins the round, where it counts once it has another one, until it has none again.
#[test]
fn a_flow_is_busy_while_it_has_more_than_a_turn() {
    let mut run = Run::new();
    run.enqueue(0);
    assert_eq!((run.dequeue(), run.busy()), (Some(0), (0, 0)));
    run.enqueue(1);
    assert_eq!((run.dequeue(), run.busy(), run.tin.flows[0].place), (Some(1), (0, 0), Place::Waiting));
    run.enqueue(0);
    assert_eq!((run.busy(), run.tin.flows[0].place), ((1, 1), Place::Busy));
    assert_eq!((run.dequeue(), run.dequeue()), (Some(0), None));
    assert_eq!((run.busy(), run.tin.flows[0].place), ((0, 0), Place::Idle));
}

#[test]
fn an_overflow_is_told_to_the_flow() {
    let mut run = Run::new();
    run.enqueue(0);
    let before = format!("{:?}", run.tin.flows[0].cobalt);
    assert!(run.tin.drop_head(at(50), 0, &run.law).is_some());
    assert_ne!(format!("{:?}", run.tin.flows[0].cobalt), before);
    assert_eq!(run.tin.occupancy(), Occupancy::default());
}

/// The flow that has been idle longest makes room; those that are busy or came back stay.
#[test]
fn state_of_idle_flows_is_kept_for_as_many_as_linux_has_queues() {
    let mut run = Run::new();
    for flow in 0..3 * QUEUES as u64 {
        run.enqueue(flow);
        assert_eq!((run.dequeue(), run.dequeue()), (Some(flow), None));
        assert_eq!(run.tin.numbers.len(), run.tin.flows.len());
        assert!(run.tin.flows.len() <= QUEUES);
    }
    assert!(!run.tin.numbers.contains_key(&(2 * QUEUES as u64 - 1)));
    assert!(run.tin.numbers.contains_key(&(2 * QUEUES as u64)));
}
