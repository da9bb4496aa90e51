use crate::config::QueueLimit;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;

/// With these values the average is the number of waiting packets. Above one, packets are compared; from four on, they are
/// dropped.
const PLAIN: &[(&str, Value)] = &[
    ("min_threshold", Value::Number(1.0)),
    ("max_threshold", Value::Number(4.0)),
    ("max_p", Value::Number(1e-12)),
    ("weight", Value::Number(1.0)),
];

fn of(flow: u64, number: u32) -> Packet {
    Packet { flow, ..Packet::new(number) }
}

#[test]
fn two_packets_of_one_flow_are_dropped_together() {
    let mut queue = queue(QueueLimit::Packets(10), "choke", PLAIN);
    queue.enqueue(at(0), of(1, 0), 1);
    queue.enqueue(at(0), of(1, 1), 1);
    assert_eq!(dropped(&mut queue), [], "none and one waited: nothing was compared");
    queue.enqueue(at(0), of(1, 2), 1);
    let lost = dropped(&mut queue);
    assert!(lost == [0, 2] || lost == [1, 2], "the drawn one first, and the arriving one: {lost:?}");
    assert_eq!((queue.packets(), queue.bytes(), queue.stats().discipline.dropped_early), (1, 1000, 2));
}

#[test]
fn a_packet_of_a_flow_that_does_not_wait_passes_up_to_the_maximum() {
    let mut queue = queue(QueueLimit::Packets(10), "choke", PLAIN);
    for number in 0..6 {
        queue.enqueue(at(0), of(u64::from(number), number), 1);
    }
    assert_eq!(queue.stats().discipline.dropped_early, 2);
    assert_eq!(drained(&mut queue, at(0)), [0, 1, 2, 3]);
}

#[test]
fn without_room_the_arriving_packet_is_dropped() {
    let never = [PLAIN, &[("weight", Value::Number(1e-9))]].concat();
    let mut queue = queue(QueueLimit::Packets(2), "choke", &never);
    for number in 0..3 {
        queue.enqueue(at(0), of(1, number), 0);
    }
    assert_eq!((dropped(&mut queue), queue.stats().dropped_full), (vec![2], 1));
}

/// Three flows take turns, one of which sends four packets to each of the others' one, into a queue that is served at half of the
/// rate: the greedy one loses the larger share of its packets.
#[test]
fn the_flow_that_holds_most_of_the_queue_loses_most() {
    let thresholds = [("min_threshold", Value::Number(5.0)), ("max_threshold", Value::Number(50.0))];
    let mut queue = queue(QueueLimit::Packets(100), "choke", &[PLAIN, &thresholds].concat());
    let mut lost = [0; 3];
    let flows = [0, 0, 1, 0, 0, 2];
    for number in 0..6000u32 {
        queue.enqueue(at(0), of(flows[number as usize % 6], number), 1);
        while let Some(packet) = queue.poll_drop() {
            lost[packet.flow as usize] += 1;
        }
        if number % 2 == 0 {
            queue.dequeue(at(0));
        }
    }
    let share = |flow: usize, sent: u32| f64::from(lost[flow]) / f64::from(sent);
    assert!(share(0, 4000) > 1.5 * share(1, 1000) && share(0, 4000) > 1.5 * share(2, 1000), "{lost:?}");
}
