use crate::config::QueueLimit;
use crate::queue::Queue;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;

const ROOM: QueueLimit = QueueLimit::Packets(1000);

/// Returns a queue with turns of one packet of 1000 bytes, and a first turn of two.
fn small_turns() -> Queue<Packet> {
    queue(ROOM, "fq", &[("quantum", Value::Bytes(1000)), ("initial_quantum", Value::Bytes(2000))])
}

/// Enqueues eight packets, which go before those that come behind them, and all of these in turn.
fn come_first(queue: &mut Queue<Packet>, millis: u64) {
    come(queue, millis, 99, 0..8);
}

/// Returns the numbers of all packets that leave at a time in milliseconds, without the first eight.
fn in_turn(queue: &mut Queue<Packet>, millis: u64) -> Vec<u32> {
    drained(queue, at(millis)).split_off(8)
}

/// Enqueues packets of a flow at a time in milliseconds, numbered by the flow and their place.
fn come(queue: &mut Queue<Packet>, millis: u64, flow: u32, places: std::ops::Range<u32>) {
    for place in places {
        queue.enqueue(at(millis), Packet { flow: u64::from(flow), ..Packet::new(100 * flow + place) }, 0);
    }
}

#[test]
fn flows_take_turns_after_a_longer_first_one() {
    let mut queue = small_turns();
    come_first(&mut queue, 0);
    come(&mut queue, 0, 1, 0..4);
    come(&mut queue, 0, 2, 0..4);
    assert_eq!(in_turn(&mut queue, 0), [100, 101, 200, 201, 102, 202, 103, 203]);
}

/// tc-fq(8): 3028 and 15140 bytes: ten packets of an Ethernet, then two.
#[test]
fn the_usual_turns_are_ten_packets_and_then_two() {
    let mut queue = queue(ROOM, "fq", &[]);
    come_first(&mut queue, 0);
    for flow in [1, 2] {
        for place in 0..14 {
            let packet = Packet { flow: u64::from(flow), bytes: 1514, ..Packet::new(100 * flow + place) };
            queue.enqueue(at(0), packet, 0);
        }
    }
    let flows: Vec<u32> = in_turn(&mut queue, 0).iter().map(|number| number / 100).collect();
    let turns: Vec<_> = flows.chunk_by(|one, other| one == other).map(|turn| (turn[0], turn.len())).collect();
    assert_eq!(turns, [(1, 10), (2, 10), (1, 2), (2, 2), (1, 2), (2, 2)]);
}

#[test]
fn a_flow_that_comes_later_goes_before_those_that_had_a_turn() {
    let mut queue = small_turns();
    come_first(&mut queue, 0);
    come(&mut queue, 0, 1, 0..5);
    (0..8).for_each(|_| assert!(queue.dequeue(at(0)).is_some()));
    assert_eq!([0; 3].map(|_| queue.dequeue(at(0)).map(|packet| packet.number)), [100, 101, 102].map(Some));
    come(&mut queue, 0, 2, 0..1);
    assert_eq!(drained(&mut queue, at(0)), [200, 103, 104]);
}

/// A flow has 200 bytes of its first turn left when it falls idle, which it does where another flow sends on. Within 40 ms it has no more, and after
/// that a turn as all flows have, however long it was silent.
#[test]
fn credit_comes_back_with_time() {
    for (millis, others, first) in [(30, 3, 1), (50, 3, 2), (100_000, 3, 2), (100_000, 0, 1)] {
        let mut queue = small_turns();
        let short = |number| Packet { flow: 1, bytes: 600, ..Packet::new(number) };
        come_first(&mut queue, 0);
        (0..3).for_each(|number| queue.enqueue(at(0), short(number), 0));
        come(&mut queue, 0, 2, 0..others);
        assert_eq!(in_turn(&mut queue, 0)[..3], [0, 1, 2]);
        come_first(&mut queue, millis);
        (3..12).for_each(|number| queue.enqueue(at(millis), short(number), 0));
        queue.enqueue(at(millis), Packet { flow: 3, ..Packet::new(300) }, 0);
        let turn = in_turn(&mut queue, millis).iter().take_while(|number| **number != 300).count();
        assert_eq!(turn, first, "after {millis} ms, with {others} packets behind it");
    }
}

#[test]
fn what_comes_beyond_a_limit_is_dropped() {
    let mut queue = queue(QueueLimit::Packets(13), "fq", &[("flow_limit", Value::Number(3.0))]);
    come_first(&mut queue, 0);
    come(&mut queue, 0, 1, 0..4);
    assert_eq!(dropped(&mut queue), [103]);
    come(&mut queue, 0, 2, 0..2);
    assert_eq!(dropped(&mut queue), [0; 0]);
    come(&mut queue, 0, 3, 0..1);
    assert_eq!(dropped(&mut queue), [300]);
    let stats = queue.stats();
    assert_eq!((stats.dropped_full, stats.discipline.dropped_early), (1, 1));
}

/// Many short flows, one after the other: beyond 2048 those of the last 3 s are known.
#[test]
fn flows_that_are_gone_are_forgotten_once_there_are_many() {
    let mut queue = small_turns();
    for flow in 0..10_000 {
        let now = u64::from(flow) * 10;
        come_first(&mut queue, now);
        // More than its first turn, so that turns pass.
        come(&mut queue, now, flow, 0..3);
        assert_eq!(in_turn(&mut queue, now).len(), 3);
    }
    assert_eq!(format!("{queue:?}").matches("Flow {").count(), 2048);
}

/// Eight packets find no flow with packets. The others wait in their flows, and so does the last one, although the eight have gone.
#[test]
fn a_short_queue_is_first_in_first_out() {
    let mut queue = small_turns();
    for place in 0..7 {
        come(&mut queue, 0, 1, place..place + 1);
        come(&mut queue, 0, 2, place..place + 1);
    }
    let left = [0; 9].map(|_| queue.dequeue(at(0)).map(|packet| packet.number));
    assert_eq!(left, [100, 200, 101, 201, 102, 202, 103, 203, 104].map(Some));
    come(&mut queue, 0, 3, 0..1);
    assert_eq!(drained(&mut queue, at(0)), [105, 204, 205, 300, 106, 206]);
    // Nothing waits any more: the next eight leave in the order of their arrival again.
    come(&mut queue, 0, 2, 7..11);
    come(&mut queue, 0, 1, 7..11);
    assert_eq!(drained(&mut queue, at(0)), [207, 208, 209, 210, 107, 108, 109, 110]);
}
