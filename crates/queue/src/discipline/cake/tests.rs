use super::{Settings, Setup};
use crate::config::{Discipline, FlowLabels, QueueConfig, QueueLimit};
use crate::queue::Queue;
use crate::testing::{Packet, at, drained, dropped, queue};
use airfair_core::schema::Value;
use airfair_core::{Rate, Time};
use std::sync::Arc;

const ROOM: QueueLimit = QueueLimit::Packets(100_000);

/// Returns a queue at 8 Mb/s for flows with these labels: source, destination and code point.
fn labelled(flows: &[(u32, u32, u8)], values: &[(&str, Value)]) -> Queue<Packet> {
    let mut discipline = Discipline::named("cake").expect("it is in the list");
    discipline.set(values).expect("allowed");
    let labels: Arc<[FlowLabels]> =
        flows.iter().map(|&(source, destination, dscp)| FlowLabels { source, destination, dscp }).collect();
    discipline.set_labels(&labels);
    let rate = Rate::new(8_000_000).expect("above zero");
    Queue::new(&QueueConfig { limit: ROOM, discipline, rate, weights: Vec::new() }, 1, "test")
}

/// Returns a packet of the flow with this number.
fn of(flow: u64, number: u32) -> Packet {
    Packet { flow: flow << 33 | 1, ..Packet::new(number) }
}

/// Returns the packets of each flow among those sent, one a millisecond, while all flows have more.
fn shares(queue: &mut Queue<Packet>, flows: usize, sent: u64) -> Vec<usize> {
    for number in 0..2000 {
        for flow in 0..flows as u64 {
            queue.enqueue(at(0), Packet { capable: true, ..of(flow, number) }, 0);
        }
    }
    let mut counts = vec![0; flows];
    for step in 0..sent {
        let packet = queue.dequeue(at(step)).expect("a backlog");
        counts[(packet.flow >> 33) as usize] += 1;
    }
    counts
}

/// Three flows of host 1 and one of host 2; in the other direction likewise. Half of the packets is for each host.
#[test]
fn hosts_have_equal_shares() {
    let isolation = |word| [("isolation", Value::Word(word))];
    let sources = [(1, 10, 0), (1, 11, 0), (1, 12, 0), (2, 13, 0)];
    let destinations = sources.map(|(source, destination, dscp)| (destination, source, dscp));
    for flows in [sources, destinations] {
        let hosts = shares(&mut labelled(&flows, &isolation("triple-isolate")), 4, 600);
        assert!(hosts[..3].iter().all(|&count| count.abs_diff(100) <= 3), "{hosts:?}");
        let equal = shares(&mut labelled(&flows, &isolation("flows")), 4, 600);
        assert!(equal.iter().all(|&count| count.abs_diff(150) <= 3), "{equal:?}");
    }
    let one_server = [(1, 10, 0), (1, 10, 0), (1, 10, 0), (2, 10, 0)];
    for (word, wanted) in
        [("triple-isolate", [150; 4]), ("dual-dsthost", [150; 4]), ("dual-srchost", [100, 100, 100, 300])]
    {
        let found = shares(&mut labelled(&one_server, &isolation(word)), 4, 600);
        assert!(
            found.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(wanted) <= 3),
            "{word}: {found:?}"
        );
    }
    // Both ends count: two flows from host 1, of which one goes to a host that two more flows go to.
    let mixed = [(1, 10, 0), (1, 11, 0), (2, 11, 0), (3, 11, 0)];
    let found = shares(&mut labelled(&mixed, &[]), 4, 700);
    // A half of a quantum for the first, and a third for each of those to host 11.
    assert!(
        found[0].abs_diff(233) <= 4 && found[1..].iter().all(|count| count.abs_diff(156) <= 4),
        "{found:?}"
    );
}

/// A flow of host 1, and 160 of host 2 with turns of 1.875 bytes. These send a packet each before they count as busy, and then all at the same
/// time.
#[test]
fn hosts_have_equal_shares_however_many_flows_they_have() {
    let flows: Vec<_> = (0..161).map(|flow| (1 + flow.min(1), 10 + flow, 0)).collect();
    let mut queue = labelled(&flows, &[]);
    for flow in 0..161 {
        for number in 0..if flow == 0 { 10_000 } else { 50 } {
            queue.enqueue(at(0), Packet { capable: true, ..of(flow, number) }, 0);
        }
    }
    let first =
        (0..10_000).filter(|&step| queue.dequeue(at(step)).is_some_and(|packet| packet.flow == 1)).count();
    assert!((4800..=5000).contains(&first), "{first} of 10,000");
}

/// Voice has a quarter of the rate, video half of it, bulk a sixteenth, and best effort the rest.
#[test]
fn tins_have_their_shares_in_the_order_of_priority() {
    let flows = [(1, 5, 46), (2, 6, 34), (3, 7, 8), (4, 8, 0)];
    let found = shares(&mut labelled(&flows, &[]), 4, 1600);
    let wanted = [400, 800, 100, 300];
    assert!(found.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(wanted) <= 4), "{found:?}");
    let one = [("diffserv", Value::Word("besteffort"))];
    let found = shares(&mut labelled(&flows, &one), 4, 1600);
    assert!(found.iter().all(|count| count.abs_diff(400) <= 4), "{found:?}");
}

/// A tin that has had more than its share while no other wanted it is in no debt, and one that was empty has nothing saved.
#[test]
fn a_share_is_neither_saved_nor_owed() {
    let mut queue = labelled(&[(1, 5, 46), (2, 6, 0)], &[]);
    for number in 0..100 {
        queue.enqueue(at(0), of(0, number), 0);
    }
    assert!((0..100).all(|step| queue.dequeue(at(step)).is_some_and(|packet| packet.number == step as u32)));
    for number in 0..40 {
        queue.enqueue(at(100), of(0, number), 0);
        queue.enqueue(at(100), of(1, number), 0);
    }
    let voice =
        (0..40).filter(|step| queue.dequeue(at(100 + step)).is_some_and(|packet| packet.flow >> 33 == 0));
    assert!((10..=11).contains(&voice.count()));
}

#[test]
fn a_flow_that_sends_little_goes_first() {
    let mut queue = labelled(&[(1, 5, 0), (2, 6, 0)], &[]);
    for number in 0..10 {
        queue.enqueue(at(0), of(0, number), 0);
    }
    let mut order: Vec<u32> =
        (0..2).filter_map(|_| queue.dequeue(at(0))).map(|packet| packet.number).collect();
    for number in [20, 21] {
        queue.enqueue(at(0), of(1, number), 0);
        order.extend(queue.dequeue(at(0)).map(|packet| packet.number));
    }
    // A quantum of 300 bytes, and a debt of 700 after the first packet: the second one takes turns.
    assert_eq!(order[..3], [0, 1, 20]);
}

/// A call of 200 bytes each 20 ms, alone in its tin, beside a backlog in another tin. It falls idle after each packet, so that the tenth goes before
/// a burst that comes behind it.
#[test]
fn a_flow_falls_idle_while_other_tins_send() {
    let mut queue = labelled(&[(1, 5, 46), (2, 6, 46), (3, 7, 0)], &[]);
    (0..1000).for_each(|number| queue.enqueue(at(0), of(2, number), 0));
    let call = |number| Packet { bytes: 200, ..of(0, number) };
    for number in 0..9 {
        queue.enqueue(at(20 * u64::from(number)), call(number), 0);
        for step in 0..20 {
            queue.dequeue(at(20 * u64::from(number) + step));
        }
    }
    queue.enqueue(at(180), call(9), 0);
    (0..5).for_each(|number| queue.enqueue(at(180), of(1, number), 0));
    assert_eq!(queue.dequeue(at(180)), Some(call(9)));
}

/// As in COBALT's own test, with whole packets of 10 ms: those due are dropped as they would leave.
#[test]
fn cobalt_drops_from_the_head() {
    let mut queue = queue(ROOM, "cake", &[]);
    for number in 0..60 {
        queue.enqueue(at(0), Packet::new(number), 0);
    }
    let mut drops = Vec::new();
    for step in 0..39 {
        queue.dequeue(at(10 * step));
        drops.extend(dropped(&mut queue).into_iter().map(|number| (10 * step, number)));
    }
    assert_eq!(drops, [(110, 11), (190, 20), (240, 26), (290, 32), (340, 38), (380, 43)]);
}

#[test]
fn the_last_packet_of_a_flow_is_not_dropped() {
    let mut queue = queue(ROOM, "cake", &[]);
    for step in 0..100 {
        queue.enqueue(at(1000 * step), Packet::new(0), 0);
        assert!(queue.dequeue(at(1000 * step + 999)).is_some());
    }
    assert_eq!(queue.stats().dropped(), 0);
}

/// Flow 0 has most bytes, and loses its first packet for each that arrives.
#[test]
fn without_room_the_longest_flow_loses_its_first_packet() {
    let mut queue = queue(QueueLimit::Packets(10), "cake", &[]);
    for number in 0..8 {
        queue.enqueue(at(0), of(0, number), 0);
    }
    for number in 8..12 {
        queue.enqueue(at(0), of(1, number), 0);
    }
    assert_eq!(dropped(&mut queue), [1]);
    assert_eq!((queue.packets(), queue.stats().dropped_full), (10, 2));
    let mut left = drained(&mut queue, Time::ZERO);
    left.sort_unstable();
    assert_eq!(left, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

/// Flows come and go: a queue of 1024 is used again, and no packet is lost or overtaken.
#[test]
fn idle_flows_leave_their_queues_to_others() {
    let mut queue = queue(ROOM, "cake", &[]);
    for number in 0..5000u32 {
        let now = at(u64::from(number));
        queue.enqueue(now, of(u64::from(number), number), 0);
        assert_eq!(drained(&mut queue, now), [number]);
        queue.enqueue(now, of(7, number), 0);
        assert_eq!(drained(&mut queue, now), [number]);
    }
    assert!(queue.is_empty() && queue.stats().dropped() == 0);
}

/// The delay of a backlog grows by 10 ms with each packet. COBALT's time begins with the first packet above the target and above four
/// transmissions of the longest packet: 5 ms and 6.1 ms for best effort, 5 and 12.1 for video, 9.1 and 24.2 for voice, 36.3 and 96.9 for bulk.
/// The first drop is an interval later: after 100, 100, 104.1 and 131.3 ms.
#[test]
fn tins_have_times_of_their_share_of_the_rate() {
    let first_drop = |dscp| {
        let mut queue = labelled(&[(1, 2, dscp)], &[]);
        (0..100).for_each(|number| queue.enqueue(at(0), of(0, number), 0));
        (0..).map(|step| 10 * step).find(|&now| {
            queue.dequeue(at(now));
            !dropped(&mut queue).is_empty()
        })
    };
    assert_eq!([0, 34, 46, 8].map(first_drop), [110, 120, 140, 240].map(Some));
}

/// The quantum is a 4096th of the bytes that a tin's share of 100 Mb/s carries in a second, from 300 to 1514.
#[test]
fn tins_have_quanta_of_their_share_of_the_rate() {
    let rate = Rate::new(100_000_000).expect("above zero");
    let discipline = Discipline::named("cake").expect("it is in the list");
    let config = QueueConfig { limit: ROOM, discipline, rate, weights: Vec::new() };
    let setup = Setup { config: &config, seed: 1, name: "test", at: Time::ZERO };
    let settings = Settings::given(config.discipline.given(), &setup);
    let quanta: Vec<i64> = settings.rules.iter().map(|rules| rules.quantum).collect();
    assert_eq!(quanta, [1514, 300, 1514, 762]);
}

/// Ten flows with a packet each 10 ms: a packet above 6.1 ms begins COBALT's time, as if it were alone.
#[test]
fn the_number_of_flows_makes_no_delay_acceptable() {
    let mut queue = queue(ROOM, "cake", &[]);
    // A first packet without delay for each.
    (0..10).for_each(|flow| queue.enqueue(at(0), of(flow, 0), 0));
    drained(&mut queue, at(0));
    for number in 0..400 {
        queue.enqueue(at(0), of(u64::from(number % 10), number), 0);
    }
    let first = (0..400).find(|&now| {
        queue.dequeue(at(now));
        !dropped(&mut queue).is_empty()
    });
    assert!(first.is_some_and(|now| (107..=117).contains(&now)), "{first:?}");
}

/// A flow that has flooded the queue loses packets without a delay, until BLUE has forgotten it: with its probability of up to 1, after up
/// to 4096 targets in which others are served.
#[test]
fn a_flood_is_forgotten_in_time() {
    let lost_after = |seconds: u64| {
        let mut queue = queue(QueueLimit::Packets(50), "cake", &[]);
        for now in 0..1000 {
            (0..10).for_each(|number| queue.enqueue(at(now), of(0, number), 0));
            queue.dequeue(at(now));
        }
        while queue.dequeue(at(1000)).is_some() {}
        for step in 0..100 * seconds {
            queue.enqueue(at(1000 + 10 * step), of(1, 0), 0);
            queue.dequeue(at(1000 + 10 * step));
        }
        let before = queue.stats().dropped();
        for step in 0..40 {
            let now = 1000 * (1 + seconds) + 100 * step;
            (0..5).for_each(|number| queue.enqueue(at(now), of(0, number), 0));
            while queue.dequeue(at(now)).is_some() {}
        }
        queue.stats().dropped() - before
    };
    assert!(lost_after(1) > 50, "{}", lost_after(1));
    assert_eq!(lost_after(60), 0);
}

/// Returns a queue whose shaper lets a packet out every 2 ms, on a link that takes one every millisecond.
fn shaped(values: &[(&str, Value)]) -> Queue<Packet> {
    let bandwidth = ("bandwidth", Value::Rate(Rate::new(4_000_000).expect("above zero")));
    queue(ROOM, "cake", &[&[bandwidth], values].concat())
}

/// Returns the milliseconds at which packets leave a queue that is asked again whenever it is ready, but not before `free`.
fn departures(queue: &mut Queue<Packet>, free: u64) -> Vec<u64> {
    let mut times = Vec::new();
    while !queue.is_empty() {
        let now = queue.ready_at().max(at(free));
        queue.dequeue(now).expect("it is ready");
        times.push(now.0 / 1_000_000);
    }
    times
}

#[test]
fn a_shaper_holds_packets_back() {
    let mut queue = shaped(&[]);
    (0..3).for_each(|number| queue.enqueue(at(10), Packet::new(number), 0));
    assert!(queue.dequeue(at(10)).is_some());
    assert_eq!((queue.dequeue(at(10)), queue.dequeue(at(11))), (None, None), "one packet each 2 ms");
    assert_eq!(departures(&mut queue, 0), [12, 14]);
    // The last packet still has its time, also for one that comes when the queue is empty.
    queue.enqueue(at(15), Packet::new(3), 0);
    assert_eq!(departures(&mut queue, 0), [16]);
    // And time in which nothing waited is lost.
    (4..6).for_each(|number| queue.enqueue(at(100), Packet::new(number), 0));
    assert_eq!(departures(&mut queue, 0), [100, 102]);
}

/// The link is busy with other things until 15 ms: the packets due meanwhile leave at once then.
#[test]
fn packets_that_leave_late_are_caught_up_with() {
    let mut queue = shaped(&[]);
    (0..10).for_each(|number| queue.enqueue(at(10), Packet::new(number), 0));
    assert_eq!(departures(&mut queue, 15), [15, 15, 15, 16, 18, 20, 22, 24, 26, 28]);
}

/// A rate that changes counts from the next packet on; without a shaper nothing holds packets back.
#[test]
fn a_shaper_changes_under_the_packets_held() {
    let mut queue = shaped(&[]);
    (0..9).for_each(|number| queue.enqueue(at(0), Packet::new(number), 0));
    queue.dequeue(at(0));
    let config = |bandwidth: Option<u64>| {
        let mut discipline = Discipline::named("cake").expect("it is in the list");
        if let Some(rate) = bandwidth.and_then(Rate::new) {
            discipline.set(&[("bandwidth", Value::Rate(rate))]).expect("allowed");
        }
        QueueConfig {
            limit: ROOM,
            discipline,
            rate: Rate::new(8_000_000).expect("above zero"),
            weights: Vec::new(),
        }
    };
    queue.change(at(1), &config(Some(1_000_000)), 0, 1, "test");
    assert!(queue.dequeue(at(2)).is_some());
    assert_eq!(queue.ready_at(), at(10));
    queue.change(at(3), &config(None), 0, 1, "test");
    assert!(queue.dequeue(at(3)).is_some());
}

/// Of a queue with room for ten packets, each that is dropped takes its time at the shaper with `ingress`, but no more than half of the time of one
/// that leaves.
#[test]
fn dropped_packets_count_as_sent_with_ingress() {
    let second = |ingress: bool, more: u32| {
        let bandwidth = ("bandwidth", Value::Rate(Rate::new(4_000_000).expect("above zero")));
        let values = [bandwidth, ("ingress", Value::Flag(ingress))];
        let mut queue = queue(QueueLimit::Packets(10), "cake", &values);
        (0..10 + more).for_each(|number| queue.enqueue(at(0), of(u64::from(number % 3), number), 0));
        queue.dequeue(queue.ready_at()).expect("it is ready");
        queue.ready_at().0 as f64 / 1e6
    };
    assert_eq!([second(false, 5), second(true, 0), second(true, 5)], [2.0, 2.0, 3.0]);
}

/// With `ingress` each packet that a flow loses uses up a part of its turn, as if it had been sent.
#[test]
fn a_flow_pays_for_what_it_loses_with_ingress() {
    let sent = |ingress| {
        let mut queue = shaped(&[("ingress", Value::Flag(ingress))]);
        let mut sent = [0_u32; 2];
        // Flow 0 sends twice as fast as the shaper, and flow 1 as fast as its half.
        for now in 0..20_000 {
            queue.enqueue(at(now), of(0, 0), 0);
            if now % 4 == 0 {
                queue.enqueue(at(now), of(1, 0), 0);
            }
            while let Some(packet) = queue.dequeue(at(now)) {
                sent[(packet.flow >> 33) as usize] += 1;
            }
        }
        sent
    };
    let [without, with] = [sent(false), sent(true)];
    assert!(without[0].abs_diff(without[1]) < 200, "{without:?}");
    assert!(with[0] + 500 < with[1], "{with:?}");
}
