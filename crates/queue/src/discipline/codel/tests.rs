use crate::config::QueueLimit;
use crate::testing::{Packet, at, dropped, queue};
use airfair_core::schema::Value;
use airfair_core::{Span, Time};

/// Enqueues twenty packets at once and dequeues one at each of `times`, in milliseconds. Returns time and packet of each drop.
fn drops(times: &[u64], values: &[(&str, Value)]) -> Vec<(u64, u32)> {
    let mut queue = queue(QueueLimit::Packets(1000), "codel", values);
    for number in 0..60 {
        queue.enqueue(at(0), Packet::new(number), 0);
    }
    let mut all = Vec::new();
    for &time in times {
        queue.dequeue(at(time));
        all.extend(dropped(&mut queue).into_iter().map(|number| (time, number)));
    }
    all
}

/// One packet each 10 ms. The delay is 10 ms at the second, at 10 ms, when the interval starts; it ends at 110 ms, where the twelfth
/// (number 11) is dropped. Next: 110 + 100 = 210 ms; + 100/sqrt 2 = 280.7, so at 290; + 100/sqrt 3 = 338.4, so at 340; and
/// + 100/sqrt 4 = 388.4, so at 390. Each drop takes the packet after it at once, so numbers run ahead of times.
#[test]
fn drops_follow_the_square_root_law() {
    let times: Vec<u64> = (0..40).map(|i| 10 * i).collect();
    assert_eq!(drops(&times, &[]), [(110, 11), (210, 22), (290, 31), (340, 37), (390, 43)]);
}

/// As in the test above up to 110 ms. The next packet is dequeued at 400 ms: all drops due by then happen at once, for 210, 280.7, 338.4
/// and 388.4 ms.
#[test]
fn late_drops_are_made_up_for() {
    let mut times: Vec<u64> = (0..12).map(|i| 10 * i).collect();
    times.push(400);
    assert_eq!(drops(&times, &[]), [(110, 11), (400, 13), (400, 14), (400, 15), (400, 16)]);
}

/// Linux's `ce_threshold`: a delay beyond it marks each packet, once, also without `ecn`.
#[test]
fn packets_that_have_waited_beyond_the_threshold_are_marked() {
    let threshold = ("ce_threshold", Value::Time(Span::from_millis(2)));
    let others = [("ecn", Value::Flag(true)), ("interval", Value::Time(Span::from_secs(10)))];
    for (kind, other) in ["codel", "fq_codel"].into_iter().flat_map(|kind| others.map(|other| (kind, other)))
    {
        let mut queue = queue(QueueLimit::Packets(1000), kind, &[threshold, other]);
        for number in 0..200 {
            queue.enqueue(at(0), Packet { capable: number != 9, ..Packet::new(number) }, 0);
        }
        let left: Vec<_> = (0..200).filter_map(|millis| queue.dequeue(at(millis))).collect();
        let marked: Vec<_> = left.iter().filter(|packet| packet.marked).map(|packet| packet.number).collect();
        let beyond: Vec<_> = (3..200).filter(|number| *number != 9).collect();
        assert_eq!((left.len(), marked), (200, beyond), "{kind}");
        assert_eq!(queue.stats().discipline.marked, 196);
    }
}

#[test]
fn a_delay_below_the_target_is_left_alone() {
    let mut queue = queue(QueueLimit::Packets(1000), "codel", &[]);
    for number in 0..1000 {
        let now = u64::from(number);
        // Five wait, a millisecond each; less than the target when the sixth comes.
        queue.enqueue(at(now), Packet::new(number), 0);
        if number >= 4 {
            queue.dequeue(at(now));
        }
    }
    assert_eq!(queue.stats().dropped(), 0);
}

/// The last packet is never dropped for its delay: no more than one packet of the greatest length waits behind the
/// one before it.
#[test]
fn the_last_packets_worth_is_left_alone() {
    let mut queue = queue(QueueLimit::Packets(10), "codel", &[]);
    let mut number = 0;
    for step in 0..50u64 {
        while queue.packets() < 2 {
            queue.enqueue(at(40 * step), Packet::new(number), 0);
            number += 1;
        }
        queue.dequeue(at(40 * (step + 1)));
    }
    assert_eq!(queue.stats().dropped(), 0);
}

/// Two dropping states, as in the first test: the second begins soon after the first and takes up its rate.
#[test]
fn a_recent_drop_state_is_resumed() {
    let mut queue = queue(QueueLimit::Packets(1000), "codel", &[]);
    let mut number = 0;
    let mut lost: Vec<u64> = Vec::new();
    let mut fill = |queue: &mut crate::Queue<Packet>, now: Time, packets: u32| {
        for _ in 0..packets {
            queue.enqueue(now, Packet::new(number), 0);
            number += 1;
        }
    };
    fill(&mut queue, at(0), 60);
    for step in 0..40 {
        queue.dequeue(at(10 * step));
        lost.extend(dropped(&mut queue).iter().map(|_| 10 * step));
    }
    assert_eq!(lost, [110, 210, 290, 340, 390]);
    while queue.dequeue(at(399)).is_some() {
        lost.extend(dropped(&mut queue).iter().map(|_| 399));
    }
    let drained = queue.stats().dropped();
    lost.clear();
    fill(&mut queue, at(400), 60);
    for step in 40..60 {
        queue.dequeue(at(10 * step));
        lost.extend(dropped(&mut queue).iter().map(|_| 10 * step));
    }
    // Above the target from 410 on, so the first drop is at 510. There had been five drops, four since the state was entered with
    // one: the next are 100/sqrt 4 = 50 ms away, and then 100/sqrt 5 = 44.7 (604.7 is past the end).
    assert_eq!((drained, lost), (5, vec![510, 560]));
}

/// The third drop, at 280.7 ms, ends the first dropping state: behind the next packet waits only one. It counts all the same: the state had
/// three drops, two since it was entered with one, and the second state begins with 100/sqrt 2 ms and 100/sqrt 3 ms.
#[test]
fn the_drop_that_ends_the_state_counts() {
    let mut queue = queue(QueueLimit::Packets(1000), "codel", &[]);
    let mut lost = Vec::new();
    for step in 0..54 {
        let now = at(10 * step);
        let packets = match step {
            0 => 34,
            30 => 60,
            _ => 0,
        };
        (0..packets).for_each(|number| queue.enqueue(now, Packet::new(number), 0));
        queue.dequeue(now);
        lost.extend(dropped(&mut queue).iter().map(|_| 10 * step));
    }
    // The packet that was left is above the target again at 300.
    assert_eq!(lost, [110, 210, 290, 400, 480, 530]);
}

#[test]
fn with_ecn_capable_packets_are_marked_and_leave() {
    let mut queue = queue(QueueLimit::Packets(1000), "codel", &[("ecn", Value::Flag(true))]);
    for number in 0..60 {
        queue.enqueue(at(0), Packet { capable: number != 21, ..Packet::new(number) }, 0);
    }
    let mut marked = Vec::new();
    let mut lost = Vec::new();
    for step in 0..40 {
        marked
            .extend(queue.dequeue(at(10 * step)).filter(|packet| packet.marked).map(|packet| packet.number));
        lost.extend(dropped(&mut queue));
    }
    // At 110, 210, 290, 340 and 390 ms, of which number 21 is dropped.
    assert_eq!((marked, lost), (vec![11, 30, 35, 40], vec![21]));
    assert_eq!((queue.stats().discipline.marked, queue.stats().discipline.dropped_early), (4, 1));
}

#[test]
fn what_finds_no_room_is_dropped() {
    let mut queue = queue(QueueLimit::Packets(2), "codel", &[]);
    for number in 0..3 {
        queue.enqueue(at(0), Packet::new(number), 1);
    }
    assert_eq!((queue.packets(), queue.stats().dropped_full), (1, 2));
}
