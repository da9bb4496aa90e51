use crate::config::QueueLimit;
use crate::queue::Queue;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::{Span, Time};

fn to(station: u32, number: u32) -> Packet {
    Packet { station, flow: u64::from(station), ..Packet::new(number) }
}

fn drr(limit: u32) -> Queue<Packet> {
    queue(QueueLimit::Packets(limit), "airtime_drr", &[])
}

/// Dequeues all packets, each charged with its station's time in microseconds. Returns the stations in the order of their packets.
fn served(queue: &mut Queue<Packet>, micros: &[u64]) -> Vec<u32> {
    let mut order = Vec::new();
    while let Some(packet) = queue.dequeue(at(0)) {
        queue.charge(at(0), packet.station, Span::from_micros(micros[packet.station as usize]));
        order.push(packet.station);
    }
    order
}

/// Station 0 takes 400 us for a packet, station 1 takes 100. Deficits in us, 300 at first: 0 is served once (-100), 1 three times
/// (0). Both are given 300: 0 (200) is served (-200), 1 (300) three times, and so on: 0 once or not, 1 three times.
#[test]
fn stations_share_airtime_and_not_packets() {
    let mut queue = drr(100);
    for number in 0..12 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    assert_eq!(served(&mut queue, &[400, 100]), [0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0]);
}

/// In the long run of a backlog, a station that takes 12 ms for each packet gets as much airtime as one that takes 1.5 ms.
#[test]
fn airtime_is_equal_in_the_long_run() {
    let mut queue = drr(3000);
    for number in 0..3000 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    let mut airtime = [0u64; 2];
    for _ in 0..900 {
        let station = queue.dequeue(at(0)).expect("a backlog").station;
        let used = [12_000, 1500][station as usize];
        queue.charge(at(0), station, Span::from_micros(used));
        airtime[station as usize] += used;
    }
    // No further apart than a packet of each and a quantum.
    assert!(airtime[0].abs_diff(airtime[1]) <= 12_000 + 1500 + 300, "{airtime:?}");
}

/// The driver holds two packets of 300 us of station 0: the station's turn is used up, and station 1 has a turn before it. What is
/// charged is no longer pending.
#[test]
fn airtime_that_the_driver_holds_counts_before_it_is_charged() {
    let mut queue = drr(100);
    for number in 0..8 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    let mut take = |pending: [u64; 2]| {
        for station in [0, 1] {
            queue.set_pending(station, Span::from_micros(pending[station as usize]));
        }
        queue.dequeue(at(0)).expect("a backlog").station
    };
    assert_eq!([take([0, 0]), take([300, 0]), take([300, 300]), take([600, 300])], [0, 1, 0, 1]);
    queue.charge(at(0), 0, Span::from_micros(600));
    queue.set_pending(0, Span::ZERO);
    queue.set_pending(1, Span::from_micros(600));
    assert_eq!(queue.dequeue(at(0)).map(|packet| packet.station), Some(0), "both have used as much");
}

/// Station 0 sends for 3 ms while both have packets: station 1 is given as many turns as that takes, ten of 300 us, before station 0
/// has one.
#[test]
fn what_a_station_sends_is_charged_as_well() {
    let mut queue = drr(100);
    for number in 0..40 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    queue.charge(at(0), 0, Span::from_millis(3));
    let order = served(&mut queue, &[300, 300]);
    // 300 - 3000 = -2700, positive after ten quanta. Station 1 starts with one: ten packets while 0 gets nine, and then 0's tenth.
    assert_eq!(order[..12], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
}

/// A station in debt without packets stays in turn, behind the new station 1, and works its debt off. The debt is as in the test above.
#[test]
fn a_debt_without_packets_is_worked_off_while_others_are_served() {
    let mut queue = drr(100);
    for number in 0..20 {
        queue.enqueue(at(0), to(1, number), 1);
    }
    queue.charge(at(0), 0, Span::from_millis(3));
    let mut order = Vec::new();
    for step in 0..14 {
        if step == 5 {
            queue.enqueue(at(0), to(0, 100), 1);
        }
        let station = queue.dequeue(at(0)).expect("a backlog").station;
        queue.charge(at(0), station, Span::from_micros(300));
        order.push(station);
    }
    assert_eq!(order, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1]);
}

#[test]
fn a_station_on_hold_is_passed_over() {
    let mut queue = drr(100);
    queue.hold(0, true);
    for number in 0..8 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    assert_eq!(served(&mut queue, &[300, 300]), [1; 4]);
    assert_eq!((queue.packets(), queue.stats().dropped()), (4, 0));
    queue.hold(0, false);
    assert_eq!(drained(&mut queue, at(0)), [0, 2, 4, 6]);
}

/// Station 0 is in debt by 3 ms, as above. It still is when both stations, which were on hold, may go on.
#[test]
fn no_turn_passes_while_all_packets_are_on_hold() {
    let mut queue = drr(100);
    for number in 0..40 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    queue.charge(at(0), 0, Span::from_millis(3));
    for station in 0..2 {
        queue.hold(station, true);
    }
    for _ in 0..20 {
        assert_eq!(queue.dequeue(at(0)), None);
    }
    for station in 0..2 {
        queue.hold(station, false);
    }
    assert_eq!(served(&mut queue, &[300, 300])[..12], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1]);
}

/// Station 0 is on hold, and station 1 has used 100 s: station 1 is next, after 333,333 quanta, which leave it 200 us. Meanwhile
/// station 0, not in debt, has got none: its 300 us are two packets of 200, as are the next 300 of station 1.
#[test]
fn a_station_on_hold_saves_no_airtime() {
    let mut queue = drr(100);
    for number in 0..20 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    queue.hold(0, true);
    queue.charge(at(0), 1, Span::from_secs(100));
    assert_eq!(queue.dequeue(at(0)), Some(to(1, 1)));
    queue.hold(0, false);
    assert_eq!(served(&mut queue, &[200, 200])[..6], [1, 0, 0, 1, 1, 0]);
}

/// Airtime used while nothing waited is no debt.
#[test]
fn an_idle_queue_forgives() {
    let mut queue = drr(100);
    queue.charge(at(0), 0, Span::from_secs(100));
    queue.enqueue(at(0), to(0, 0), 0);
    for number in 1..4 {
        queue.enqueue(at(0), to(1, number), 0);
    }
    assert_eq!(served(&mut queue, &[300, 300]), [0, 1, 1, 1]);
}

/// Both stations have used 100 s, a third of a million turns. The one with a little less is next.
#[test]
fn debts_of_all_are_passed_over_at_once() {
    let mut queue = drr(100);
    for station in 0..2 {
        queue.enqueue(at(0), to(station, station), 1);
    }
    queue.charge(at(0), 0, Span::from_secs(100));
    queue.charge(at(0), 1, Span::from_millis(99_999));
    assert_eq!(served(&mut queue, &[300, 300]), [1, 0]);
}

#[test]
fn a_station_that_becomes_active_goes_first_once() {
    let mut queue = drr(100);
    for number in 0..6 {
        queue.enqueue(at(0), to(number % 2, number), 1);
    }
    let mut order = Vec::new();
    for step in 0..8 {
        if step == 2 || step == 3 {
            queue.enqueue(at(0), to(2, 10 + step), 1);
        }
        let station = queue.dequeue(at(0)).expect("a backlog").station;
        queue.charge(at(0), station, Span::from_micros(300));
        order.push(station);
    }
    assert_eq!(order, [0, 1, 2, 0, 1, 2, 0, 1]);
}

#[test]
fn without_room_the_head_of_the_longest_queue_is_dropped() {
    let mut queue = drr(4);
    for (number, station) in [(0, 0), (1, 1), (2, 1)] {
        queue.enqueue(Time::ZERO, to(station, number), 1);
    }
    assert_eq!(dropped(&mut queue), []);
    queue.enqueue(Time::ZERO, to(0, 3), 1);
    assert_eq!(dropped(&mut queue), [1], "two each: of the one whose turn is further");
    queue.enqueue(Time::ZERO, to(2, 4), 1);
    assert_eq!(dropped(&mut queue), [0]);
    assert_eq!((queue.packets(), queue.stats().dropped_full), (3, 2));
}

/// Of four packets with room for three: as packets count, the station with three ACKs has the longest queue, though the other's one
/// packet has more bytes; as bytes count, it is the other way round.
#[test]
fn the_longest_queue_is_the_longest_in_what_the_limit_counts() {
    for (limit, first) in [(QueueLimit::Packets(3), 0), (QueueLimit::Bytes(1100), 3)] {
        let mut queue = queue(limit, "airtime_drr", &[]);
        for number in 0..3 {
            queue.enqueue(Time::ZERO, Packet { bytes: 40, ..to(0, number) }, 0);
        }
        queue.enqueue(Time::ZERO, to(1, 3), 0);
        assert_eq!(dropped(&mut queue), [first], "{limit:?}");
    }
}

/// Six stations with two packets each where there is room for eleven: whoever loses one or is served sends the next.
#[test]
fn stations_with_equally_long_queues_lose_alike() {
    let mut queue = drr(11);
    let mut lost = [0; 6];
    let mut sending: Vec<u32> = (0..12).map(|number| number % 6).collect();
    for number in 0..300 {
        for station in std::mem::take(&mut sending) {
            queue.enqueue(at(0), to(station, station), 0);
            for station in dropped(&mut queue) {
                lost[station as usize] += 1;
                sending.push(station);
            }
        }
        if number % 2 == 0 {
            let station = queue.dequeue(at(0)).expect("a backlog").station;
            queue.charge(at(0), station, Span::from_micros(1500));
            sending.push(station);
        }
    }
    let total: i32 = lost.iter().sum();
    assert!(total > 100 && lost.iter().all(|&count| (total / 12..total / 3).contains(&count)), "{lost:?}");
}
