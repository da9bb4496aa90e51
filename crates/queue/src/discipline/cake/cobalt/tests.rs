use super::*;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// Returns parameters with an interval of 100 ms, for packets that take a millisecond.
fn law() -> Law {
    Law::new(Span::from_millis(100), Span::from_millis(1), true)
}

/// Returns whether a packet that leaves now, having waited for this many milliseconds, is dropped.
fn drops(cobalt: &mut Cobalt, now: u64, waited: u64) -> bool {
    cobalt.drops(at(now), &law(), Span::from_millis(waited), 0, &mut Stream::new(1, "test"), || false)
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

/// A flow that sends again an interval later has an interval. One millisecond more, and the packet behind the first late one is dropped.
#[test]
fn a_silent_flow_has_no_interval() {
    for (now, first) in [(100, 200), (101, 102)] {
        let mut cobalt = Cobalt::default();
        assert!(!drops(&mut cobalt, 0, 0));
        assert_eq!((now..300).find(|&now| drops(&mut cobalt, now, 50)), Some(first));
    }
}

/// The target is five milliseconds, but at least one and a half packets; and the delay must exceed four packets.
#[test]
fn a_delay_of_a_few_packets_is_no_delay() {
    let above = |longest: u64, waited: u64| {
        let law = Law::new(Span::from_millis(100), Span::from_micros(longest), true);
        let mut cobalt = Cobalt::default();
        cobalt.drops(at(1000), &law, Span::from_micros(waited), 0, &mut Stream::new(1, "test"), || false);
        cobalt.dropping
    };
    assert_eq!([above(100, 5000), above(100, 5001)], [false, true]);
    assert_eq!([above(4000, 16_000), above(4000, 16_001)], [false, true]);
}

/// Both times for the longest packet of 1514 bytes at 10 Mb/s, 1 Mb/s, 250 kb/s and 100 kb/s, in microseconds.
#[test]
fn times_grow_with_the_transmission_of_a_packet() {
    let times = |longest| {
        let law = Law::new(Span::from_millis(100), Span::from_micros(longest), true);
        [law.target, law.interval].map(|time| time.0 / 1000)
    };
    assert_eq!(times(1_211), [5_000, 100_000]);
    assert_eq!(times(12_112), [18_168, 113_168]);
    assert_eq!(times(48_448), [72_672, 167_672]);
    // Twice the target is more than the round trip and the difference.
    assert_eq!(times(121_120), [181_680, 363_360]);
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
        let drops = cobalt.drops(at(1000), &law, wait, 0, &mut Stream::new(1, "test"), &mut mark);
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
                cobalt.drops(at(1000), &law, wait, 0, &mut stream, || {
                    marks += u32::from(capable);
                    capable
                })
            })
            .count();
        (marks, drops)
    };
    assert_eq!([signals(true), signals(false)], [(2, 0), (0, 10)]);
}

/// The probability goes up by 1/256 with each target's time of overflow, down by 1/4096 with each of emptiness.
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
    assert!(cobalt.drops(at(20_000), &law(), Span::ZERO, 0, &mut stream, || true), "marks do not help");
}

/// A flow that was never dropped from is at rest an interval after its packet; one in which BLUE is active when its probability is zero again.
#[test]
fn state_comes_to_rest() {
    let mut cobalt = Cobalt::default();
    assert!(cobalt.is_at_rest(at(0)));
    assert!(!drops(&mut cobalt, 10, 0));
    assert_eq!([109, 110].map(|now| cobalt.is_at_rest(at(now))), [false, true]);
    cobalt.full(at(200), &law());
    cobalt.full(at(206), &law());
    // 32 steps, at 212, 218, ... 398 ms.
    let rest = (207..500).find(|&now| {
        cobalt.empty(at(now), &law());
        cobalt.is_at_rest(at(now))
    });
    assert_eq!(rest, Some(398));
}

/// A delay of two packets of each of eight flows, 16 ms, is above the target and no reason to drop.
#[test]
fn a_delay_of_two_packets_of_each_flow_is_no_reason() {
    let first_drop = |waited, others| {
        let mut cobalt = Cobalt::default();
        let waited = Span::from_millis(waited);
        let mut drops =
            |now| cobalt.drops(at(now), &law(), waited, others, &mut Stream::new(1, "test"), || false);
        (0..1000).find(|&now| drops(now))
    };
    assert_eq!(
        [first_drop(16, 8), first_drop(17, 8).map(|_| 0), first_drop(16, 0).map(|_| 0)],
        [None, Some(0), Some(0)]
    );
}
