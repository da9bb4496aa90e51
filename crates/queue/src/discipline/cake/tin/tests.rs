use super::*;
use crate::testing::{Packet, at};
use airfair_core::Span;

struct Run {
    tin: Tin<Packet>,
    rules: Rules,
    stream: Stream,
    account: Account<Packet>,
    now: Time,
}

impl Run {
    fn new() -> Run {
        let law = Law::new(Span::from_millis(100), Span::from_millis(1), true);
        let share = Share { rate: Rate::new(8_000_000).expect("above zero"), divisor: 1 };
        Run {
            tin: Tin::default(),
            rules: Rules { quantum: 300, isolates: [true, true], share, law, ingress: false },
            stream: Stream::new(1, "test"),
            account: Account::default(),
            now: Time::ZERO,
        }
    }

    /// Enqueues a packet of this flow, from host 7.
    fn enqueue(&mut self, flow: u64) {
        let labels = FlowLabels { source: 7, destination: flow as u32, dscp: 0 };
        self.tin.enqueue(self.now, Packet { flow, ..Packet::new(0) }, &labels, &self.rules);
    }

    fn dequeue(&mut self) -> Option<u64> {
        let packet = self.tin.dequeue(self.now, &self.rules, &mut self.stream, &mut self.account);
        packet.map(|packet| packet.flow)
    }

    /// Returns the number of flows of host 7 that count as busy.
    fn busy(&self) -> u32 {
        self.tin.busy_of[0].get(&7).copied().unwrap_or(0)
    }
}

/// A flow's first packet is more than a turn: the flow joins the round, where it counts once it has another packet, until it has none again.
#[test]
fn a_flow_is_busy_while_it_has_more_than_a_turn() {
    let mut run = Run::new();
    run.enqueue(0);
    assert_eq!((run.dequeue(), run.busy()), (Some(0), 0));
    run.enqueue(1);
    assert_eq!((run.dequeue(), run.busy(), run.tin.flows[0].place), (Some(1), 0, Place::Waiting));
    run.enqueue(0);
    assert_eq!((run.busy(), run.tin.flows[0].place), (1, Place::Busy));
    assert_eq!((run.dequeue(), run.dequeue()), (Some(0), None));
    assert_eq!((run.busy(), run.tin.flows[0].place), (0, Place::Idle));
}

#[test]
fn an_overflow_is_told_to_the_flow() {
    let mut run = Run::new();
    run.enqueue(0);
    let before = format!("{:?}", run.tin.flows[0].cobalt);
    assert!(run.tin.drop_head(at(50), 0, &run.rules).is_some());
    assert_ne!(format!("{:?}", run.tin.flows[0].cobalt), before);
    assert_eq!(run.tin.occupancy(), Occupancy::default());
}

/// An idle flow makes room; those that are busy or came back stay. At an instant none comes to rest.
#[test]
fn idle_flows_are_kept_for_as_many_as_linux_has_queues() {
    let mut run = Run::new();
    for flow in 0..3 * QUEUES as u64 {
        run.enqueue(flow);
        assert_eq!((run.dequeue(), run.dequeue()), (Some(flow), None));
        assert_eq!(run.tin.numbers.len() + run.tin.free.len(), run.tin.flows.len());
        assert!(run.tin.flows.len() <= QUEUES);
    }
    assert_eq!(run.tin.numbers.len(), QUEUES);
    assert!(run.tin.numbers.contains_key(&(3 * QUEUES as u64 - 1)));
}

/// BLUE's probability of flow 0 goes down with each packet of flow 1 that leaves later than the target, and stays while none leaves. Then the
/// flow is forgotten.
#[test]
fn the_state_of_idle_flows_decays_while_others_are_served() {
    let mut run = Run::new();
    run.now = at(1000);
    run.enqueue(0);
    assert!(run.tin.drop_head(run.now, 0, &run.rules).is_some());
    for later in [10, 3_600_000] {
        run.now += Span::from_millis(later);
        run.enqueue(1);
        assert_eq!(run.dequeue(), Some(1));
    }
    let mut served = 2;
    while run.tin.numbers.contains_key(&0) {
        run.now += Span::from_millis(10);
        run.enqueue(1);
        assert_eq!(run.dequeue(), Some(1));
        served += 1;
    }
    // 1/256 in steps of 1/4096, of which the first is when its turn comes.
    assert_eq!(served, 16);
}

/// Eight flows with a packet each millisecond, which waits for 14 ms: less than two packets of each flow take. With `ingress` that is no reason to
/// drop any.
#[test]
fn many_busy_flows_may_wait_longer_with_ingress() {
    let dropped = |ingress| {
        let mut run = Run::new();
        run.rules.ingress = ingress;
        for now in 0..1000 {
            run.now = at(now);
            (0..8).for_each(|flow| run.enqueue(flow));
            if now >= 14 {
                (0..8).for_each(|_| assert!(run.dequeue().is_some()));
            }
        }
        run.account.stats().dropped()
    };
    assert!(dropped(false) > 0);
    assert_eq!(dropped(true), 0);
}

#[test]
fn an_overflow_counts_in_the_share_of_the_tin_with_ingress() {
    let next = |ingress| {
        let mut run = Run::new();
        (run.now, run.rules.ingress) = (at(50), ingress);
        run.enqueue(0);
        assert!(run.tin.drop_head(run.now, 0, &run.rules).is_some());
        run.tin.next
    };
    assert_eq!([next(false), next(true)], [at(50), at(51)]);
}
