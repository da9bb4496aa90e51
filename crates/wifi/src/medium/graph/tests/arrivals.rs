//! Tests of scheduled arrivals.

use std::collections::VecDeque;

use airfair_core::Moment;

use super::*;
use crate::mac::ScheduledArrival;
use crate::stats::OccupancyIntegral;

/// What has happened in a medium: the arrivals, and all counts.
type Happened = (Vec<Arrival>, Vec<(StationStats, OccupancyIntegral)>, MediumStats);

/// Returns what happens in a medium with these frames, `scheduled` long before they come or enqueued when they do. Some have
/// another access category.
fn all_that_happens(
    config: &BssConfig,
    offered: &[(Time, u32, u32, u32)],
    hidden: bool,
    scheduled: bool,
) -> Happened {
    let mut config = config.clone();
    if hidden {
        hide_from_each_other(&mut config);
    }
    let mut medium = GraphMedium::new(&[&config], 5);
    let stations = config.stations.len() as u32;
    let mut to_come = VecDeque::new();
    for (number, &(due, from, to, bytes)) in (0..).zip(offered) {
        let category = (number % 7 == 3).then_some(AccessCategory::Voice);
        let payload = Numbered(number);
        let by_reference = Frame { to, bytes, payload: &payload };
        let is_late = !scheduled
            || medium.schedule_arrival(from, due, category, by_reference) == ScheduledArrival::OutOfOrder;
        if is_late {
            to_come.push_back((due, from, category, Frame { to, bytes, payload }));
        }
    }
    let mut arrivals = Vec::new();
    loop {
        let next: Vec<_> = (0..stations).map(|station| (medium.next_arrival(station), station)).collect();
        let (coming, first) = *next.iter().min().expect("a station");
        let enqueued = to_come.front().map_or(Time::NEVER, |(due, ..)| *due);
        let now = medium.next_deadline().min(coming.at).min(enqueued);
        let mut named = Vec::new();
        if now == Time::NEVER {
            break;
        } else if coming.at == now {
            medium.admit(now, first);
            named.push(first);
        } else if enqueued == now {
            let Some((_, from, category, frame)) = to_come.pop_front() else { break };
            medium.enqueue(now, from, category, frame);
        } else {
            let delivered = act_graph(&mut medium, now);
            arrivals.extend(delivered.into_iter().map(|it| (now, it.from, it.payload.0)));
        }
        named.extend(std::iter::from_fn(|| medium.poll_emptied()));
        for (before, station) in next {
            let is_new = before == Moment::NEVER && medium.next_arrival(station) != Moment::NEVER;
            assert!(!is_new || named.contains(&station), "nobody told that {station} has run empty");
        }
    }
    let end = offered.last().map_or(Time::ZERO, |&(due, ..)| due) + Span::from_secs(1);
    medium.settle(end);
    let counts = |station| (medium.station_stats(station), medium.occupancy(end, station));
    (arrivals, (0..stations).map(counts).collect(), *medium.medium_stats())
}

proptest! {
    #[test]
    fn a_frame_that_is_scheduled_is_one_that_is_enqueued_when_it_comes(
        (stations, frames) in (1u32..5).prop_flat_map(|stations| (Just(stations), offered(stations))),
        loss in 0.0f64..0.4,
        ampdu in prop::sample::select(vec![0u32, 4000, 65_535]),
        amsdu in prop::sample::select(vec![0u32, 3900]),
        limit in prop::sample::select(vec![
            QueueLimit::Packets(1),
            QueueLimit::Packets(5),
            QueueLimit::Packets(500),
            QueueLimit::Bytes(1800),
            QueueLimit::Bytes(9000),
        ]),
        driver in prop::sample::select(vec![1u32, 4, 500]),
        txop in prop::sample::select(vec![0u64, 3000]),
        hidden in prop::bool::ANY,
    ) {
        let mut config = lossy(stations as usize, loss, Aggregation { ampdu, amsdu, duration: None, window: 64 }, txop);
        for station in &mut config.stations {
            station.queue.limit = limit;
            station.qos.iter_mut().for_each(|qos| qos.driver = DriverQueue::Frames(driver));
        }
        let enqueued = all_that_happens(&config, &frames, hidden, false);
        prop_assert_eq!(all_that_happens(&config, &frames, hidden, true), enqueued);
    }
}

#[test]
fn a_frame_that_breaks_the_order_comes_behind_those_scheduled_for_its_moment() {
    let single = Aggregation { ampdu: 0, amsdu: 0, duration: None, window: 64 };
    let mut medium = GraphMedium::new(&[&lossy(2, 0.0, single, 0)], 5);
    let frame = |number| Frame { to: 0, bytes: 100, payload: Numbered(number) };
    medium.enqueue(Time::ZERO, 1, None, frame(0));
    let at = Time(1000);
    let mut schedule = |due, number| {
        medium.schedule_arrival(1, due, None, Frame { to: 0, bytes: 100, payload: &Numbered(number) })
    };
    assert_eq!(schedule(at, 1), ScheduledArrival::Behind);
    assert_eq!(schedule(Time(2000), 3), ScheduledArrival::Behind);
    assert_eq!(schedule(at, 2), ScheduledArrival::OutOfOrder);
    medium.enqueue(at, 1, None, frame(2));
    let mut arrivals = Vec::new();
    while medium.next_deadline() < Time::NEVER {
        let now = medium.next_deadline();
        arrivals.extend(act_graph(&mut medium, now).into_iter().map(|it| it.payload.0));
    }
    assert_eq!(arrivals, [0, 1, 2, 3]);
}
