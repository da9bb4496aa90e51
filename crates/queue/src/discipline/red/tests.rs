use crate::config::{Discipline, QueueLimit};
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;

/// With these values the average is the number of waiting packets, the thresholds are 1 and 3, and halfway between them the base
/// probability is a half.
const PLAIN: &[(&str, Value)] = &[
    ("min_threshold", Value::Number(1.0)),
    ("max_threshold", Value::Number(3.0)),
    ("max_p", Value::Number(1.0)),
    ("weight", Value::Number(1.0)),
    ("wait", Value::Flag(false)),
    ("gentle", Value::Flag(false)),
];

fn with(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    [PLAIN, more].concat()
}

/// While two wait, p_b = (2 - 1) / (5 - 1) = 0.25. After a packet is picked, the next has a count of 1 and p_a = 0.25 / 0.75, then
/// 0.25 / 0.5, then 1: the distance is 1, 2 or 3, each as likely, and 198 packets see 99 picked with a standard deviation of 4.1.
#[test]
fn packets_are_dropped_at_least_as_often_as_the_count_forces() {
    let mut queue = queue(QueueLimit::Packets(100), "red", &with(&[("max_threshold", Value::Number(5.0))]));
    let mut outcomes = Vec::new();
    for number in 0..200 {
        queue.enqueue(at(0), Packet::new(number), 1);
        outcomes.push(dropped(&mut queue).is_empty());
        if queue.packets() > 2 {
            queue.dequeue(at(0));
        }
    }
    assert_eq!(outcomes[..2], [true, true], "nothing, and then one waited: the probability was zero");
    let first = outcomes.iter().position(|&passed| !passed).expect("some are dropped");
    assert!(first <= 5, "at the threshold a count of none comes first");
    assert!(outcomes[first..].windows(3).all(|three| three.contains(&false)), "{outcomes:?}");
    let early = queue.stats().discipline.dropped_early;
    assert!((83..=115).contains(&early), "{early}");
}

#[test]
fn at_the_maximum_threshold_nothing_passes() {
    let mut queue = queue(QueueLimit::Packets(100), "red", &with(&[("max_p", Value::Number(1e-12))]));
    let mut lost = Vec::new();
    for number in 0..6 {
        queue.enqueue(at(0), Packet::new(number), 1);
        lost.extend(dropped(&mut queue));
    }
    assert_eq!((lost, queue.packets(), queue.stats().discipline.dropped_early), (vec![3, 4, 5], 3, 3));
}

/// The limit of four counts the one in service.
#[test]
fn what_finds_no_room_is_dropped_whatever_the_average() {
    let slow = with(&[("weight", Value::Number(1e-9))]);
    let mut queue = queue(QueueLimit::Packets(4), "red", &slow);
    for number in 0..5 {
        queue.enqueue(at(0), Packet::new(number), 1);
    }
    assert_eq!((queue.stats().dropped_full, queue.stats().discipline.dropped_early), (2, 0));
    assert_eq!(drained(&mut queue, at(0)), [0, 1, 2]);
}

#[test]
fn capable_packets_are_marked_where_others_are_dropped() {
    let gentle = with(&[("ecn", Value::Flag(true)), ("gentle", Value::Flag(true))]);
    let mut queue = queue(QueueLimit::Packets(100), "red", &gentle);
    let mut outcomes = Vec::new();
    for number in 0..9 {
        let capable = number != 4;
        queue.enqueue(at(0), Packet { capable, ..Packet::new(number) }, 1);
        outcomes.extend(dropped(&mut queue));
    }
    // From an average of three on every packet is picked, from six on (twice the maximum) dropped, capable or not.
    assert_eq!(outcomes, [4, 7, 8]);
    let marked: Vec<bool> = std::iter::from_fn(|| queue.dequeue(at(0))).map(|packet| packet.marked).collect();
    assert_eq!((&marked[..2], &marked[3..]), (&[false, false][..], &[true; 3][..]));
    assert_eq!(queue.stats().discipline.marked, marked.iter().filter(|&&marked| marked).count() as u64);
}

#[test]
fn thresholds_that_contradict_each_other_are_refused() {
    let mut red = Discipline::named("red").expect("there is one");
    let min_above_max = [("min_threshold", Value::Number(6.0)), ("max_threshold", Value::Number(2.0))];
    let refused = red.set(&min_above_max).expect_err("contradiction");
    assert_eq!(refused.to_string(), "min_threshold: min_threshold, 6, is above max_threshold, 2");
    let refused = red.set(&[("min_threshold", Value::Number(0.0))]).expect_err("no threshold");
    assert_eq!(refused.to_string(), "min_threshold: 0 is out of range: a number above 0 is allowed");
    assert_eq!(Some(red), Discipline::named("red"));
}
