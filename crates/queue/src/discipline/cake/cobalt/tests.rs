use super::*;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// An interval of 100 ms, and packets that take a millisecond.
fn law() -> Law {
    Law::new(Span::from_millis(100), Span::from_millis(1), true)
}

/// Whether a packet that leaves now, having waited for this many milliseconds, is dropped.
fn drops(cobalt: &mut Cobalt, now: u64, waited: u64) -> bool {
    cobalt.drops(at(now), &law(), Span::from_millis(waited), 1, &mut Stream::new(1, "test"), || false)
}

/// Above the target from 6 ms on: at 106, 176.7, 234.4 and 284.4 ms. Below it the count of 5 becomes 4 at 329.1 ms, and 3 at 379.1 ms.
/// When packets wait again, the next drop is 100/sqrt(3) ms away, where CoDel would begin with 100 ms.
#[test]
fn the_pace_goes_down_as_it_went_up() {
    let mut cobalt = Cobalt::default();
    let times: Vec<u64> = (0..300).filter(|&now| drops(&mut cobalt, now, now)).collect();
    assert_eq!(times, [106, 177, 235, 285]);
    assert_eq!(cobalt.count, 5);
    for now in 300..400 {
        assert!(!drops(&mut cobalt, now, 0));
    }
    assert_eq!(cobalt.count, 3, "{cobalt:?}");
    let times: Vec<u64> = (400..600).filter(|&now| drops(&mut cobalt, now, now)).collect();
    // 457.7, and then 50, 44.7 and 40.8 ms on.
    assert_eq!(times, [458, 508, 553, 594]);
}

/// Five milliseconds, but one and a half packets at least; and four packets, or two for each busy flow.
#[test]
fn a_delay_of_a_few_packets_is_no_delay() {
    let above = |longest: u64, waited: u64, busy: u32| {
        let law = Law::new(Span::from_millis(100), Span::from_micros(longest), true);
        let mut cobalt = Cobalt::default();
        let (waited, mut stream) = (Span::from_micros(waited), Stream::new(1, "test"));
        cobalt.drops(at(1000), &law, waited, busy, &mut stream, || false);
        cobalt.dropping
    };
    assert_eq!([above(100, 5000, 1), above(100, 5001, 1)], [false, true]);
    assert_eq!([above(4000, 16_000, 1), above(4000, 16_001, 1)], [false, true]);
    assert_eq!([above(4000, 24_000, 3), above(4000, 24_001, 3)], [false, true]);
}

#[test]
fn a_mark_saves_the_packet_if_ecn_is_on() {
    for ecn in [true, false] {
        let law = Law { ecn, ..law() };
        let mut cobalt = Cobalt { count: 1, dropping: true, ..Cobalt::default() };
        let mut marked = 0;
        let wait = Span::from_secs(1);
        let mut mark = || {
            marked += 1;
            true
        };
        let drops = cobalt.drops(at(1000), &law, wait, 1, &mut Stream::new(1, "test"), &mut mark);
        assert_eq!((drops, marked), (!ecn, i32::from(ecn)));
    }
}

/// A mark that is overdue is made up for once; drops are all made up for.
#[test]
fn marks_do_not_come_in_bursts() {
    let signals = |capable: bool| {
        let mut cobalt = Cobalt { count: 1, dropping: true, ..Cobalt::default() };
        let (law, wait) = (law(), Span::from_secs(1));
        let mut stream = Stream::new(1, "test");
        let mut marks = 0;
        let drops = (0..10)
            .filter(|_| {
                cobalt.drops(at(1000), &law, wait, 1, &mut stream, || {
                    marks += u32::from(capable);
                    capable
                })
            })
            .count();
        (marks, drops)
    };
    assert_eq!([signals(true), signals(false)], [(2, 0), (0, 10)]);
}

/// 1/256 up with each target's time of overflow, 1/4096 down with each of emptiness.
#[test]
fn blue_goes_up_quickly_and_down_slowly() {
    let mut cobalt = Cobalt::default();
    for now in 1..=60 {
        cobalt.full(at(now), &law());
    }
    // At 6, 12, ... 60 ms.
    assert_eq!(cobalt.probability * 256.0, 10.0);
    let mut slow = Cobalt::default();
    let long_packets = Law::new(Span::from_millis(100), Span::from_millis(10), true);
    (1..=60).for_each(|now| slow.full(at(now), &long_packets));
    // One and a half packets: at 16, 32 and 48 ms.
    assert_eq!(slow.probability * 256.0, 3.0);
    for now in 61..=120 {
        cobalt.empty(at(now), &law());
    }
    assert_eq!(cobalt.probability * 4096.0, 150.0);
    for now in 1..10_000 {
        cobalt.full(at(200 + now), &law());
    }
    assert_eq!(cobalt.probability, 1.0);
    let mut stream = Stream::new(1, "test");
    assert!(cobalt.drops(at(20_000), &law(), Span::ZERO, 1, &mut stream, || true), "marks do not help");
}
