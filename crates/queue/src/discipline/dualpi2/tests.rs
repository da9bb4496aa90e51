use crate::config::QueueLimit;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;
use airfair_core::{Span, Time};

const ROOM: QueueLimit = QueueLimit::Packets(100_000);

fn low(number: u32) -> Packet {
    Packet { capable: true, scalable: true, ..Packet::new(number) }
}

fn marked(queue: &mut crate::Queue<Packet>, now: Time, packets: u32) -> u32 {
    (0..packets).filter_map(|_| queue.dequeue(now)).map(|packet| u32::from(packet.marked)).sum()
}

/// One Classic packet is served, and then the low-latency packets that share 90 % with it.
#[test]
fn the_classic_queue_has_its_share_of_the_bytes() {
    for (share, rounds) in [(0.1, 9), (0.25, 3)] {
        let mut queue = queue(ROOM, "dualpi2", &[("classic_share", Value::Number(share))]);
        for number in 0..100 {
            queue.enqueue(at(0), Packet::new(number), 0);
            queue.enqueue(at(0), low(1000 + number), 0);
        }
        let order: Vec<u32> = drained(&mut queue, at(0));
        let classic: Vec<usize> = (0..200).filter(|&place| order[place] < 1000).collect();
        assert_eq!(classic[..4], [1, 2 + rounds, 3 + 2 * rounds, 4 + 3 * rounds], "{order:?}");
    }
}

/// Low-latency packets that find the other queue backlogged go first: it is as if one from there had just been served.
#[test]
fn low_latency_packets_overtake_the_classic_queue() {
    let mut queue = queue(ROOM, "dualpi2", &[]);
    for number in 0..20 {
        queue.enqueue(at(0), Packet::new(number), 0);
    }
    let mut order = Vec::new();
    for step in 0..2 {
        order.extend(queue.dequeue(at(step)).map(|packet| packet.number));
        queue.enqueue(at(step), low(100 + step as u32), 0);
        queue.enqueue(at(step), low(200 + step as u32), 0);
        order.extend((0..2).filter_map(|_| queue.dequeue(at(step))).map(|packet| packet.number));
    }
    assert_eq!(order, [0, 100, 200, 1, 101, 201]);
}

/// The step marks a low-latency packet that has waited for a millisecond, and has another behind it.
#[test]
fn the_step_marks_low_latency_packets_alone() {
    let mut queue = queue(ROOM, "dualpi2", &[]);
    for (from, wait, marks) in [(10, 999_999, 0), (11, 1_000_000, 4)] {
        for number in 0..5 {
            queue.enqueue(at(from), low(number), 0);
        }
        let now = at(from) + Span(wait);
        assert_eq!(marked(&mut queue, now, 5), marks);
        assert!(queue.is_empty());
    }
    for number in 0..5 {
        queue.enqueue(at(12), Packet { capable: true, ..Packet::new(number) }, 0);
    }
    assert_eq!(marked(&mut queue, at(15), 5), 0);
}

/// Returns a queue with this p' until 32 ms: its one update so far finds a delay that has grown by 16 ms.
fn held_at(probability: f64) -> crate::Queue<Packet> {
    let beta = probability / 0.016;
    let mut queue = queue(
        ROOM,
        "dualpi2",
        &[
            ("alpha", Value::Number(0.0)),
            ("beta", Value::Number(beta)),
            ("tupdate", Value::Time(Span::from_millis(16))),
            ("step", Value::Time(Span::from_secs(10))),
        ],
    );
    queue.enqueue(at(0), Packet::new(0), 0);
    queue.dequeue(at(16));
    dropped(&mut queue);
    queue
}

/// Returns shares, each of 20,000 packets: marks of low-latency packets, marks of ECN-capable Classic packets, drops of each of these,
/// and drops of Classic packets that are not capable.
fn shares(probability: f64) -> [f64; 5] {
    const MANY: u32 = 20_000;
    let kinds = [(true, true), (true, false), (false, false)];
    let fates = kinds.map(|(capable, scalable)| {
        let mut queue = held_at(probability);
        let before = queue.stats().dropped();
        for number in 0..MANY {
            queue.enqueue(at(17), Packet { capable, scalable, ..Packet::new(number) }, 0);
        }
        let mut marks = 0;
        while let Some(packet) = queue.dequeue(at(17)) {
            marks += u32::from(packet.marked);
        }
        [f64::from(marks) / f64::from(MANY), (queue.stats().dropped() - before) as f64 / f64::from(MANY)]
    });
    [fates[0][0], fates[1][0], fates[0][1], fates[1][1], fates[2][1]]
}

/// k p' and p'^2 with k = 2; from p' = 1/2 on all packets are dropped with p'^2, and low-latency packets that are not are marked.
#[test]
fn marks_are_coupled_until_the_overload() {
    for (probability, wanted) in [
        (0.1, [0.2, 0.01, 0.0, 0.0, 0.01]),
        (0.4, [0.8, 0.16, 0.0, 0.0, 0.16]),
        (0.499, [0.998, 0.249, 0.0, 0.0, 0.249]),
        (0.501, [0.749, 0.0, 0.251, 0.251, 0.251]),
        (0.8, [0.36, 0.0, 0.64, 0.64, 0.64]),
    ] {
        let found = shares(probability);
        // Four standard deviations of a share are below 0.015.
        let near = found.iter().zip(wanted).all(|(found, wanted): (&f64, f64)| {
            (found - wanted).abs() < if wanted == 0.0 { 1e-12 } else { 0.015 }
        });
        assert!(near, "p' = {probability}: {found:?}, not {wanted:?}");
    }
}

/// Of packets that share both queues, all but the last two find two of the longest ones behind them. Each of those is picked, as p' is 1.
#[test]
fn less_than_two_packets_are_no_queue() {
    for longest in [1000, 1500] {
        let mut queue = held_at(1.0);
        queue.enqueue(at(17), Packet { bytes: longest, ..low(0) }, 0);
        for number in 1..10 {
            let packet = if number % 2 == 0 { low(number) } else { Packet::new(number) };
            queue.enqueue(at(17), packet, 0);
        }
        let left = drained(&mut queue, at(17));
        // Of 1000 bytes each: two of them are one and a third of the longest, three are two.
        assert_eq!(left.len(), if longest == 1000 { 2 } else { 3 }, "{left:?}");
        assert_eq!(queue.stats().discipline.marked, 0);
    }
}

/// A quarter of the Classic packets is dropped, and a tenth of what is sent is Classic all the same.
#[test]
fn what_is_dropped_is_no_part_of_the_share() {
    let mut queue = held_at(0.499);
    for number in 0..80_000 {
        queue.enqueue(at(17), low(number), 0);
        if number < 15_000 {
            queue.enqueue(at(17), Packet::new(number), 0);
        }
    }
    let sent = (0..40_000).filter_map(|_| queue.dequeue(at(17)));
    let classic = sent.filter(|packet| !packet.scalable).count();
    assert!(classic.abs_diff(4000) <= 2, "{classic} of 40,000");
}

#[test]
fn both_queues_share_the_limit() {
    let mut queue = queue(QueueLimit::Packets(3), "dualpi2", &[]);
    queue.enqueue(at(0), Packet::new(0), 1);
    queue.enqueue(at(0), low(1), 1);
    queue.enqueue(at(0), low(2), 1);
    assert_eq!((dropped(&mut queue), queue.stats().dropped_full, queue.packets()), (vec![2], 1, 2));
    assert_eq!(drained(&mut queue, at(0)), [1, 0]);
}
