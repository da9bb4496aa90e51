use crate::config::QueueLimit;
use crate::testing::{Packet, at, dropped, queue};
use airfair_core::schema::Value;
use airfair_core::{Span, Time};

const INDEPENDENT: (&str, Value) = ("derandomize", Value::Flag(false));

fn enqueue_many(queue: &mut crate::Queue<Packet>, now: Time, packets: u32) -> usize {
    (0..packets)
        .map(|number| {
            queue.enqueue(now, Packet { capable: number % 2 == 0, ..Packet::new(number) }, 1);
            dropped(queue).len()
        })
        .sum()
}

/// Returns a queue three seconds after a burst of a hundred packets, of which one is sent each 100 ms: it has a delay of seconds and a
/// probability of one.
fn congested(values: &[(&str, Value)]) -> crate::Queue<Packet> {
    let mut queue = queue(QueueLimit::Packets(1000), "pie", values);
    assert_eq!(enqueue_many(&mut queue, at(0), 100), 0, "no update yet");
    for step in 1..=30 {
        queue.dequeue(at(100 * step));
    }
    queue
}

#[test]
fn packets_are_dropped_as_they_arrive() {
    let mut queue = congested(&[INDEPENDENT]);
    assert_eq!(enqueue_many(&mut queue, at(3001), 50), 50);
    assert_eq!((queue.packets(), queue.stats().discipline.dropped_early), (70, 50));
}

/// The packet that leaves at 15 ms, the instant of the first update, is no part of it. At 30 ms the delay is the 29 ms of the last one.
#[test]
fn the_delay_is_that_of_the_packet_that_left_last() {
    let at_once = [("max_burst", Value::Time(Span::ZERO)), ("alpha", Value::Number(1000.0))];
    for time in [29, 30] {
        let mut queue = queue(QueueLimit::Packets(10_000), "pie", &at_once);
        enqueue_many(&mut queue, at(0), 100);
        queue.dequeue(at(15));
        queue.dequeue(at(29));
        // (1000 x 14 ms + 1.25 x 29 ms) / 2048 = 0.69 %: of 5000 packets, one of every 123 + 145.
        let drops = enqueue_many(&mut queue, at(time), 5000);
        assert!(if time < 30 { drops == 0 } else { (8..35).contains(&drops) }, "{drops} at {time} ms");
    }
}

/// The last packet leaves no delay behind, although it waited for a second.
#[test]
fn an_empty_queue_has_no_delay() {
    let mut queue =
        queue(QueueLimit::Packets(1000), "pie", &[INDEPENDENT, ("max_burst", Value::Time(Span::ZERO))]);
    enqueue_many(&mut queue, at(0), 1);
    queue.dequeue(at(1000));
    assert_eq!(enqueue_many(&mut queue, at(20_000), 500), 0);
}

/// Packets that find no more than 2048 bytes, two packets of 1000, are left alone.
#[test]
fn two_mean_packets_are_left_alone() {
    let mut queue = congested(&[INDEPENDENT]);
    for step in 0..70 {
        assert!(queue.dequeue(at(3000 + step)).is_some());
    }
    assert_eq!(enqueue_many(&mut queue, at(3071), 50), 47);
    assert_eq!(queue.packets(), 3);
}

/// As many packets arrive as leave, and each waits for 30 ms: the probability grows by 0.002 / 2 with each update. Up to 10 %,
/// ECN-capable packets are marked.
#[test]
fn capable_packets_are_marked_up_to_a_probability() {
    let fates = |threshold| {
        let values = [("ecn", Value::Flag(true)), ("ecn_threshold", Value::Number(threshold)), INDEPENDENT];
        let mut queue = queue(QueueLimit::Packets(1000), "pie", &values);
        enqueue_many(&mut queue, at(0), 31);
        let marks = |queue: &crate::Queue<Packet>| queue.stats().discipline.marked;
        let (mut fates, mut marked) = (Vec::new(), 0);
        for step in 1..4000 {
            queue.dequeue(at(step));
            while queue.packets() < 31 {
                let drops = enqueue_many(&mut queue, at(step), 1);
                fates.extend((drops > 0).then_some('d').or((marks(&queue) > marked).then_some('m')));
                marked = marks(&queue);
            }
        }
        fates.into_iter().collect::<String>()
    };
    let some = fates(0.1);
    let marks = some.trim_end_matches('d');
    assert!(marks.len() > 20 && !marks.contains('d') && some.len() > marks.len() + 50, "{some}");
    assert!(!fates(1.0).contains('d') && !fates(0.0).contains('m'));
}

#[test]
fn what_finds_no_room_is_dropped() {
    let mut queue = queue(QueueLimit::Packets(2), "pie", &[]);
    for number in 0..3 {
        queue.enqueue(at(0), Packet::new(number), 1);
    }
    assert_eq!((queue.packets(), queue.stats().dropped_full), (1, 2));
}

/// 256 ms above the target give 1/8. Five packets bring the accumulated probability to 0.63, and a sixth without room back to zero: none is
/// dropped early.
#[test]
fn after_a_packet_without_room_drops_keep_their_distance() {
    let values = [
        ("alpha", Value::Number(1000.0)),
        ("tupdate", Value::Time(Span::from_secs(1))),
        ("max_burst", Value::Time(Span::ZERO)),
    ];
    let mut queue = queue(QueueLimit::Packets(105), "pie", &values);
    enqueue_many(&mut queue, at(0), 100);
    queue.dequeue(at(271));
    for step in 0..100 {
        let now = at(1001 + step);
        enqueue_many(&mut queue, now, 6);
        (0..5).for_each(|_| assert!(queue.dequeue(now).is_some()));
    }
    assert_eq!((queue.stats().dropped_full, queue.stats().discipline.dropped_early), (100, 0));
}
