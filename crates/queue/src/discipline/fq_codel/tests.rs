use crate::config::QueueLimit;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;

fn of(flow: u64, number: u32) -> Packet {
    Packet { flow, ..Packet::new(number) }
}

/// Quantum 1514, packets of 1000 bytes: each turn is two packets, the second on credit, until the debt takes a turn away. Flow 1 has
/// credits 1514, 514, -486: over to the old ones with 1028; flow 2 likewise. Then 1028, 28, -972 + 1514 = 542, -458, and so on.
#[test]
fn flows_take_turns_of_a_quantum() {
    let mut queue = queue(QueueLimit::Packets(100), "fq_codel", &[]);
    for number in 0..10 {
        queue.enqueue(at(0), of(1 + u64::from(number >= 5), number), 0);
    }
    assert_eq!(drained(&mut queue, at(0)), [0, 1, 5, 6, 2, 3, 7, 8, 4, 9]);
}

/// Two flows are in the midst of their packets when a third sends one: it goes first. It does so no more while it is among the old.
#[test]
fn a_flow_that_becomes_active_goes_first_once() {
    let mut queue = queue(QueueLimit::Packets(100), "fq_codel", &[]);
    for number in 0..10 {
        queue.enqueue(at(0), of(1 + u64::from(number >= 5), number), 0);
    }
    let mut order: Vec<u32> =
        (0..4).filter_map(|_| queue.dequeue(at(0))).map(|packet| packet.number).collect();
    queue.enqueue(at(0), of(3, 20), 0);
    order.extend(queue.dequeue(at(0)).map(|packet| packet.number));
    // The third flow has run empty, and is moved behind the others: its next packet waits for them.
    order.extend(queue.dequeue(at(0)).map(|packet| packet.number));
    queue.enqueue(at(0), of(3, 21), 0);
    order.extend(drained(&mut queue, at(0)));
    assert_eq!(order, [0, 1, 5, 6, 20, 2, 3, 7, 8, 21, 4, 9]);
}

/// Of a limit of ten, flow 1 has eight packets and flow 2 two: the eleventh drops half of flow 1's from its head.
#[test]
fn without_room_half_of_the_fattest_flow_is_dropped() {
    let mut queue = queue(QueueLimit::Packets(10), "fq_codel", &[]);
    for number in 0..8 {
        queue.enqueue(at(0), of(1, number), 0);
    }
    for number in 8..11 {
        assert_eq!(dropped(&mut queue), []);
        queue.enqueue(at(0), of(2, number), 0);
    }
    assert_eq!(dropped(&mut queue), [0, 1, 2, 3]);
    assert_eq!((queue.packets(), queue.bytes(), queue.stats().dropped_full), (7, 7000, 4));
}

#[test]
fn no_more_than_64_packets_are_dropped_at_once() {
    let mut queue = queue(QueueLimit::Packets(299), "fq_codel", &[]);
    for number in 0..300 {
        queue.enqueue(at(0), of(1, number), 0);
    }
    assert_eq!((dropped(&mut queue).len(), queue.packets()), (64, 236));
}

/// The fattest flow has most bytes, not most packets.
#[test]
fn bytes_make_a_flow_fat() {
    let mut queue = queue(QueueLimit::Packets(5), "fq_codel", &[]);
    for number in 0..5 {
        queue.enqueue(at(0), Packet { bytes: 100, ..of(1, number) }, 0);
    }
    queue.enqueue(at(0), of(2, 5), 0);
    assert_eq!(dropped(&mut queue), [5]);
}

/// Flow 1 has a queue and flow 2 none, as it sends one packet for every two that leave: CoDel drops flow 1's packets alone.
#[test]
fn each_flow_has_its_own_codel() {
    let mut queue = queue(QueueLimit::Packets(1000), "fq_codel", &[]);
    for number in 0..100 {
        queue.enqueue(at(0), of(1, number), 0);
    }
    let mut lost = Vec::new();
    for step in 0..40 {
        if step % 2 == 0 {
            queue.enqueue(at(10 * step), of(2, 1000 + step as u32), 0);
        }
        queue.dequeue(at(10 * step));
        while let Some(packet) = queue.poll_drop() {
            lost.push((10 * step, packet.flow));
        }
    }
    assert!(lost.len() > 2 && lost.iter().all(|&(_, flow)| flow == 1), "{lost:?}");
}

#[test]
fn one_queue_for_all_is_codel() {
    let one = [("flows", Value::Number(1.0))];
    let mut alone = queue(QueueLimit::Packets(1000), "codel", &[]);
    let mut queue = queue(QueueLimit::Packets(1000), "fq_codel", &one);
    for number in 0..100 {
        alone.enqueue(at(0), of(u64::from(number), number), 0);
        queue.enqueue(at(0), of(u64::from(number), number), 0);
    }
    for step in 0..60 {
        assert_eq!(alone.dequeue(at(10 * step)), queue.dequeue(at(10 * step)));
        assert_eq!(dropped(&mut alone), dropped(&mut queue));
    }
    assert!(alone.stats().discipline.dropped_early > 2);
}
