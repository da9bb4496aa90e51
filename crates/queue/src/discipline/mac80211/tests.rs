use crate::config::QueueLimit;
use crate::queue::Queue;
use crate::testing::{Packet, at, dropped, queue, weighted};
use airfair_core::schema::Value;
use airfair_core::{Rate, Span};

const QUANTUM: Span = Span::from_micros(256);

fn to(station: u32, flow: u64, number: u32) -> Packet {
    Packet { station, flow, ..Packet::new(number) }
}

fn mac80211(limit: u32) -> Queue<Packet> {
    queue(QueueLimit::Packets(limit), "mac80211", &[])
}

/// Dequeues all packets, and charges 256 us for each: a quantum.
fn served(queue: &mut Queue<Packet>) -> Vec<Packet> {
    let packets = std::iter::from_fn(|| {
        let packet = queue.dequeue(at(0))?;
        queue.charge(at(0), packet.station, QUANTUM);
        Some(packet)
    });
    packets.collect()
}

/// Station 0 has two flows of three packets, and station 1 one of six: each station has half of the turns, and so has each of the two flows.
/// The last one that became active is the first.
#[test]
fn stations_take_turns_and_within_them_flows() {
    let mut queue = mac80211(100);
    for number in 0..6 {
        queue.enqueue(at(0), to(0, 1 + u64::from(number >= 3), number), 0);
    }
    for number in 6..12 {
        queue.enqueue(at(0), to(1, 3, number), 0);
    }
    let order: Vec<u32> = served(&mut queue).iter().map(|packet| packet.number).collect();
    assert_eq!(order, [6, 0, 7, 3, 8, 1, 9, 4, 10, 2, 11, 5]);
}

#[test]
fn a_station_of_twice_the_weight_gets_twice_the_airtime() {
    let mut queue = weighted(QueueLimit::Packets(100), "mac80211", &[], vec![(0, 512)]);
    for number in 0..12 {
        queue.enqueue(at(0), to(number % 2, u64::from(number % 2), number), 0);
    }
    let order: Vec<u32> = served(&mut queue).iter().map(|packet| packet.station).collect();
    assert_eq!(order, [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1]);
}

/// Returns a queue in which stations 0 and 1 have had a packet each, of 400 us, and have three more.
fn two_busy_stations(order: &'static str) -> Queue<Packet> {
    let mut queue = queue(QueueLimit::Packets(100), "mac80211", &[("station_order", Value::Word(order))]);
    for number in 0..8 {
        queue.enqueue(at(0), to(number % 2, u64::from(number % 2), number), 0);
    }
    serve(&mut queue, 0, 400);
    serve(&mut queue, 0, 400);
    queue
}

/// Dequeues a packet, charges its station for this many microseconds, and returns the station.
fn serve(queue: &mut Queue<Packet>, now: u64, micros: u64) -> Option<u32> {
    let station = queue.dequeue(at(now))?.station;
    queue.charge(at(now), station, Span::from_micros(micros));
    Some(station)
}

/// Station 2 comes back again and again, and never uses up a quantum: Linux serves it next each time, the paper's order only the first time.
#[test]
fn a_station_that_is_not_in_debt_goes_first_whenever_it_becomes_active() {
    for (order, expected) in [("linux", [2, 1, 2, 0, 2, 1]), ("paper", [2, 0, 1, 1, 2, 2])] {
        let mut queue = two_busy_stations(order);
        let mut first = Vec::new();
        for number in 8..11 {
            queue.enqueue(at(0), to(2, 2, number), 0);
            first.extend(serve(&mut queue, 0, 50));
            first.extend(serve(&mut queue, 0, 400));
        }
        let rest = std::iter::from_fn(|| serve(&mut queue, 0, 400));
        let all: Vec<u32> = first.into_iter().chain(rest).collect();
        assert_eq!(all[..6], expected, "{order}: {all:?}");
        assert_eq!(all.len(), 9);
    }
}

/// Station 0 has had 1256 us of its 256. It comes back, and is served in its turn after four quanta.
#[test]
fn a_station_in_debt_goes_to_the_end_when_it_becomes_active() {
    let mut queue = mac80211(100);
    queue.enqueue(at(0), to(0, 0, 0), 0);
    assert_eq!(serve(&mut queue, 0, 1256), Some(0));
    for number in 1..8 {
        queue.enqueue(at(0), to(1, 1, number), 0);
    }
    queue.enqueue(at(0), to(0, 0, 8), 0);
    let order: Vec<u32> = std::iter::from_fn(|| serve(&mut queue, 0, 256)).collect();
    assert_eq!(order, [1, 1, 1, 1, 1, 0, 1, 1]);
}

/// Station 0 owes 1 ms, and has nothing to send for a while. If its turn comes up to 100 ms after its packet came, its debt shrinks as others have
/// turns, whenever that is; otherwise it stays.
#[test]
fn a_debt_is_worked_off_in_the_round_by_who_was_active() {
    let worked_off = [0, 1, 1, 1, 1, 1];
    for (turn, later, order) in
        [(100, 100, worked_off), (100, 300, worked_off), (101, 101, [1, 1, 1, 0, 1, 1])]
    {
        let patient = [("target", Value::Time(Span::from_secs(1)))];
        let mut queue = queue(QueueLimit::Packets(100), "mac80211", &patient);
        queue.enqueue(at(0), to(0, 0, 0), 0);
        assert_eq!(serve(&mut queue, 0, 1256), Some(0));
        for number in 1..12 {
            queue.enqueue(at(0), to(1, 1, number), 0);
        }
        for now in [turn, turn, later, later, later, later] {
            assert_eq!(serve(&mut queue, now, 256), Some(1));
        }
        queue.enqueue(at(later), to(0, 0, 12), 0);
        let rest: Vec<u32> = std::iter::from_fn(|| serve(&mut queue, later, 256)).collect();
        assert_eq!(rest, order, "{turn} and {later} ms");
    }
}

/// Returns whether station 0, whose packets came and left at these times, is in debt after 10 ms of its airtime at `charged` ms: when both have a
/// packet, station 0 last, the other one is served.
fn is_charged(order: &'static str, came_and_left: &[(u64, u64)], charged: u64) -> bool {
    let mut queue = queue(QueueLimit::Packets(100), "mac80211", &[("station_order", Value::Word(order))]);
    for now in 0..200 {
        for number in 0..came_and_left.iter().filter(|(came, _)| *came == now).count() {
            queue.enqueue(at(now), to(0, 0, number as u32), 1);
        }
        for _ in came_and_left.iter().filter(|(_, left)| *left == now) {
            assert!(queue.dequeue(at(now)).is_some());
        }
    }
    assert_eq!(queue.dequeue(at(200)), None);
    queue.charge(at(charged), 0, Span::from_millis(10));
    for station in [1, 0] {
        queue.enqueue(at(400), to(station, station.into(), 9), 1);
    }
    queue.dequeue(at(400)).is_some_and(|packet| packet.station == 1)
}

/// Linux charges up to 100 ms after the station came into the round, or was last served and had more; the paper's order always charges.
#[test]
fn airtime_is_charged_while_a_station_is_active() {
    let (once, thrice, again) = ([(150, 160)], [(100, 110), (100, 150), (100, 160)], [(0, 0), (150, 160)]);
    for (came_and_left, last) in [(once.as_slice(), 250), (&thrice, 250), (&again, 250)] {
        assert!(is_charged("linux", came_and_left, last), "{came_and_left:?}");
        assert!(!is_charged("linux", came_and_left, last + 1), "{came_and_left:?}");
    }
    assert!(is_charged("paper", &once, 300));
}

/// Station 0 sends for 10 s, and nothing is for it, while 1 has a packet every 10 ms. Then one comes for 0.
#[test]
fn who_only_sends_runs_up_no_debt() {
    for (order, next) in [("linux", 0), ("paper", 1)] {
        let mut queue = queue(QueueLimit::Packets(100), "mac80211", &[("station_order", Value::Word(order))]);
        for step in 1..=1000 {
            queue.enqueue(at(10 * step), to(1, 1, step as u32), 1);
            queue.charge(at(10 * step), 0, Span::from_millis(8));
            if step < 1000 {
                assert_eq!(serve(&mut queue, 10 * step, 256), Some(1));
            }
        }
        queue.enqueue(at(10_000), to(0, 0, 2000), 1);
        assert_eq!(serve(&mut queue, 10_000, 256), Some(next), "{order}");
    }
}

/// Of ten packets that may wait, station 1's only flow has six and station 0's two have two each: the eleventh drops half of the six.
#[test]
fn without_room_half_of_the_fattest_flow_is_dropped() {
    let mut queue = mac80211(10);
    for number in 0..4 {
        queue.enqueue(at(0), to(0, u64::from(number % 2), number), 0);
    }
    for number in 4..10 {
        assert_eq!(dropped(&mut queue), []);
        queue.enqueue(at(0), to(1, 2, number), 0);
    }
    queue.enqueue(at(0), to(0, 0, 10), 0);
    assert_eq!(dropped(&mut queue), [4, 5, 6]);
    assert_eq!((queue.packets(), queue.stats().dropped_full), (8, 3));
}

#[test]
fn at_least_one_packet_is_dropped_and_at_most_32() {
    for (limit, lost) in [(1, 1), (64, 32), (99, 32)] {
        let mut queue = mac80211(limit);
        for number in 0..limit {
            queue.enqueue(at(0), to(0, if limit == 1 { number.into() } else { 0 }, number), 0);
        }
        assert_eq!(dropped(&mut queue), []);
        queue.enqueue(at(0), to(0, u64::from(limit == 1), limit), 0);
        assert_eq!((dropped(&mut queue).len(), queue.packets()), (lost, limit + 1 - lost as u32));
    }
}

/// Of two packets that wait for longer than the target CoDel drops one, though only one waits behind it. A packet alone is left alone.
#[test]
fn codel_spares_only_a_packet_with_nothing_behind_it() {
    for (packets, drops) in [(1, false), (2, true)] {
        let mut queue = mac80211(10);
        for step in 0..50 {
            while queue.packets() < packets {
                queue.enqueue(at(40 * step), to(0, 0, 0), 0);
            }
            queue.dequeue(at(40 * (step + 1)));
        }
        assert_eq!(queue.stats().dropped() > 0, drops, "{packets}");
    }
}

/// Three packets of 1000 bytes take 4728 with their buffers.
#[test]
fn packets_take_memory_beyond_their_length() {
    for (memory, held) in [(4728, 3), (4727, 2)] {
        let mut queue =
            queue(QueueLimit::Packets(100), "mac80211", &[("memory_limit", Value::Bytes(memory))]);
        for number in 0..3 {
            queue.enqueue(at(0), to(0, 0, number), 0);
        }
        assert_eq!(queue.packets(), held, "{memory}");
    }
}

/// Returns when CoDel picks the first packet of station 0, of which one leaves each 10 ms, and whether it marks the packet instead of dropping it.
/// `rates` are the expected rates of stations in Mb/s.
fn first_pick(slow_station_codel: bool, rates: &[(u32, u64)]) -> (u64, bool) {
    let rule = [("slow_station_codel", Value::Flag(slow_station_codel))];
    let mut queue = queue(QueueLimit::Packets(1000), "mac80211", &rule);
    for &(station, mbps) in rates {
        queue.set_station_rate(station, Rate::new(mbps * 1_000_000).expect("above zero"));
    }
    for number in 0..100 {
        queue.enqueue(at(0), Packet { capable: true, ..to(0, 0, number) }, 0);
    }
    for now in (0..1000).step_by(10) {
        let marked = queue.dequeue(at(now)).is_some_and(|packet| packet.marked);
        if marked || queue.stats().dropped() > 0 {
            return (now, marked);
        }
    }
    panic!("nothing is picked");
}

/// The delay is above 20 ms from 20 ms on, so the first packet is picked an interval of 100 ms later; or above 50 ms, with an
/// interval of 300 ms.
#[test]
fn slow_stations_may_have_their_own_codel() {
    let [usual, slow] = [(120, true), (350, false)];
    assert_eq!(first_pick(false, &[(0, 5)]), usual);
    assert_eq!(first_pick(true, &[(0, 5)]), slow);
    assert_eq!(first_pick(true, &[(0, 6)]), usual, "not below the threshold");
    assert_eq!(first_pick(true, &[(0, 6), (1, 100)]), slow, "two stations: 12 Mb/s");
    assert_eq!(first_pick(true, &[(0, 5), (0, 6)]), usual, "one station whose rate has changed");
    assert_eq!(first_pick(true, &[(1, 1)]), usual, "an unknown rate");
}
