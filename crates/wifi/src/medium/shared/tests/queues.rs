//! Tests of the queues of stations: when the next frame leaves them, and their calls.

use super::*;
use crate::mac::{Interface, ScheduledArrival};
use crate::medium::log::owed;
use proptest::prelude::*;

/// Returns the deliveries of a station with this queue: arrival and number of its frames.
fn deliveries(config: &BssConfig, in_order: bool, pauses: &[(u64, u32)]) -> Vec<(Time, u32)> {
    let mut bss = SharedMedium::new(config, 5);
    for (station, config) in bss.stations.iter_mut().zip(&config.stations) {
        if !in_order {
            station.interface = Interface::disciplined(&config.queue, 5, &config.name);
        }
        assert_eq!(station.interface.knows_next(), in_order);
        bss.is_plain = in_order && bss.is_plain;
    }
    let mut found = Vec::new();
    let mut now = START;
    let mut run_until = |bss: &mut SharedMedium<u32>, until: Time| {
        while bss.next_deadline() < until {
            let at = bss.next_deadline();
            bss.on_deadline(at);
            found.extend(bss.poll_delivery().map(|delivery| (at, *delivery.payload)));
        }
    };
    for (number, &(pause, from)) in (0..).zip(pauses) {
        now += us(pause);
        run_until(&mut bss, now);
        bss.enqueue(now, from, Frame { to: if from == 0 { 1 } else { 0 }, bytes: 1500, payload: number });
    }
    run_until(&mut bss, Time::NEVER);
    found
}

fn by_reference<P: Payload>(frame: &Frame<P>) -> Frame<&P> {
    Frame { to: frame.to, bytes: frame.bytes, payload: &frame.payload }
}

proptest! {
    /// It does not matter whether the next frame leaves a drop-tail queue when its predecessor arrives or when its ACK
    /// ends.
    #[test]
    fn a_first_come_first_served_queue_may_be_asked_early(
        limit in 1u32..6, errs in any::<bool>(), pauses in prop::collection::vec((0u64..4000, 0u32..4), 1..100)
    ) {
        let mut config = ieee80211b();
        for station in &mut config.stations {
            station.queue = queue(limit);
            station.loss = errs.then(|| FrameLoss::of(LossModel::bernoulli(0.4)));
        }
        config.mac.short_retry_limit = 3;
        prop_assert_eq!(deliveries(&config, true, &pauses), deliveries(&config, false, &pauses));
    }
}

/// Frames that arrive while the ACK is on the air may still go first: flow 1 is new, flow 0 has had its turn.
#[test]
fn the_next_frame_leaves_its_queue_when_the_ack_ends() {
    let order = |after_ack: bool| {
        let mut config = ieee80211b();
        config.stations[1].queue.discipline = Discipline::named("fq_codel").unwrap();
        let mut bss = SharedMedium::new(&config, 1);
        for _ in 0..4 {
            bss.enqueue(START, 1, frame(0, 0));
        }
        next_delivery(&mut bss);
        let ack_end = next_delivery(&mut bss).0 + us(10 + 248);
        let arrival = if after_ack { ack_end } else { ack_end - Span(1) };
        bss.enqueue(arrival, 1, frame(0, 1));
        [(); 3].map(|()| next_arrival(&mut bss).payload)
    };
    assert_eq!(order(false), [1, 0, 0]);
    assert_eq!(order(true), [0, 1, 0], "the next frame has left as another comes");
}

fn next_arrival(bss: &mut SharedMedium<u32>) -> Delivery<u32> {
    loop {
        bss.on_deadline(bss.next_deadline());
        if let Some(delivery) = bss.poll_delivery() {
            return delivery.copied();
        }
    }
}

/// The access point sends frames of 1500 bytes to station 1. Either its frames to station 2 have 300 bytes, or they have
/// 1500 bytes, too, and station 1 sends frames of 100 bytes. Both stations get equal airtime instead of equal numbers of
/// frames.
#[test]
fn airtime_is_charged_to_stations_in_both_directions() {
    let airtimes = |discipline: &str, first_sends: bool| {
        let mut config = ieee80211b();
        config.stations[0].queue.discipline = Discipline::named(discipline).unwrap();
        let mut bss: SharedMedium<u32> = SharedMedium::new(&config, 1);
        let down = |to| Frame { to, bytes: if to == 1 || first_sends { 1500 } else { 300 }, payload: to };
        for _ in 0..20 {
            bss.enqueue(START, 0, down(1));
            bss.enqueue(START, 0, down(2));
        }
        let up = Frame { to: 0, bytes: 100, payload: 0 };
        if first_sends {
            bss.enqueue(START, 1, up);
        }
        for _ in 0..3000 {
            let Delivery { from, payload: to, .. } = next_arrival(&mut bss);
            let now = bss.contention.origin_of(0);
            let next = if from == 0 { down(to) } else { up };
            bss.enqueue(now, from, next);
        }
        let stats = [1, 2].map(|station| bss.station_stats(station));
        stats.map(|stats| (stats.airtime_as_receiver + stats.airtime).as_secs())
    };
    let ratio = |[first, second]: [f64; 2]| first / second;
    for first_sends in [false, true] {
        assert!(ratio(airtimes("drop_tail", first_sends)) > 1.3);
        // The queue is charged for collisions of the access point's frames as well, which these counts leave out.
        let ratio = ratio(airtimes("airtime_drr", first_sends));
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}, first_sends {first_sends}");
    }
}

/// The access point always has frames for both stations. Half of the frames to station 1 and from it are lost, and it sends 250 a second. It owes airtime
/// for all attempts of the access point, and for those of its frames that arrive: both stations get the same.
#[test]
fn an_access_point_charges_nobody_for_frames_that_it_does_not_get() {
    let mut config = ieee80211b();
    config.stations[0].queue.discipline = Discipline::named("airtime_drr").unwrap();
    config.stations[1].loss = Some(FrameLoss::of(LossModel::bernoulli(0.5)));
    let mut bss = SharedMedium::new(&config, 1);
    bss.log_turns();
    for millisecond in 0..30_000u64 {
        let now = START + Span::from_millis(millisecond);
        while bss.next_deadline() < now {
            let due = bss.next_deadline();
            bss.on_deadline(due);
            bss.poll_delivery();
        }
        bss.enqueue(now, 0, frame(1, 0));
        bss.enqueue(now, 0, frame(2, 0));
        if millisecond % 4 == 0 {
            bss.enqueue(now, 1, frame(0, 0));
        }
    }
    let ratio = owed(bss.turns(), 1) / owed(bss.turns(), 2);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}

/// Returns the deliveries and all counts of a BSS with frames that arrive at these times. Arrivals are scheduled long
/// before, or frames are enqueued on arrival.
fn all_that_happens(
    config: &BssConfig,
    arrivals: &[(Time, u32)],
    announced: bool,
) -> (Vec<(Time, u32)>, Vec<StationStats>, MediumStats) {
    let mut bss = SharedMedium::new(config, 5);
    let frame = |from, number| Frame { to: if from == 0 { 1 } else { 0 }, bytes: 1500, payload: number };
    let mut found = Vec::new();
    let mut to_come = (0..).zip(arrivals).peekable();
    if announced {
        for (number, &(due, from)) in to_come.by_ref() {
            assert_ne!(
                bss.schedule_arrival(from, due, by_reference(&frame(from, number))),
                ScheduledArrival::OutOfOrder
            );
        }
    }
    loop {
        let coming = (0..4).map(|from| (bss.next_arrival(from), from)).min().expect("four stations");
        let enqueued = to_come.peek().map_or(Time::NEVER, |&(_, &(due, _))| due);
        let now = bss.next_deadline().min(coming.0.at).min(enqueued);
        if now == Time::NEVER {
            break;
        } else if coming.0.at == now {
            bss.admit(now, coming.1);
        } else if enqueued == now {
            let (number, &(_, from)) = to_come.next().expect("it was there");
            bss.enqueue(now, from, frame(from, number));
        } else {
            bss.on_deadline(now);
            found.extend(bss.poll_delivery().map(|delivery| (now, *delivery.payload)));
        }
    }
    let end = arrivals.last().map_or(START, |&(due, _)| due) + Span::from_secs(1);
    bss.settle(end);
    (found, (0..4).map(|station| bss.station_stats(station)).collect(), *bss.medium_stats())
}

proptest! {
    #[test]
    fn an_announced_frame_is_one_that_is_enqueued_when_it_comes(
        limit in 1u32..6, errs in any::<bool>(), pauses in prop::collection::vec((1u64..4000, 0u32..4), 1..100)
    ) {
        let mut config = ieee80211b();
        for station in &mut config.stations {
            station.queue = queue(limit);
            station.loss = errs.then(|| FrameLoss::of(LossModel::bernoulli(0.4)));
        }
        config.mac.short_retry_limit = 3;
        let mut now = START;
        let arrivals: Vec<_> = pauses.iter().map(|&(pause, from)| { now += us(pause); (now, from) }).collect();
        let enqueued = all_that_happens(&config, &arrivals, false);
        prop_assert_eq!(all_that_happens(&config, &arrivals, true), enqueued);
    }
}

#[test]
fn a_queue_that_runs_empty_is_named_if_frames_are_to_come() {
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    assert_eq!(bss.schedule_arrival(1, START, by_reference(&frame(0, 0))), ScheduledArrival::First);
    bss.admit(START, 1);
    assert_eq!(bss.next_arrival(1), Moment::NEVER);
    let later = START + us(5000);
    assert_eq!(bss.schedule_arrival(1, later, by_reference(&frame(0, 1))), ScheduledArrival::Behind);
    assert_eq!(
        bss.schedule_arrival(1, START + us(4000), by_reference(&frame(0, 2))),
        ScheduledArrival::OutOfOrder
    );
    next_delivery(&mut bss);
    assert_eq!((bss.poll_emptied(), bss.next_arrival(1)), (Some(1), Moment::from(later)));
}

/// A payload whose frame arrives in this phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Phased(Phase);

impl Payload for Phased {
    fn phase(&self) -> Phase {
        self.0
    }

    fn flow(&self) -> u64 {
        0
    }

    fn mark(&mut self) -> bool {
        false
    }
}

#[test]
fn a_queue_of_any_discipline_says_whether_it_takes_a_frame() {
    let mut config = ieee80211b();
    config.stations[1].queue = QueueConfig { discipline: Discipline::named("fq_codel").unwrap(), ..queue(3) };
    let mut bss = SharedMedium::new(&config, 1);
    assert_eq!([0, 1, 2, 3].map(|number| bss.enqueue(START, 1, frame(0, number))), [true, true, true, false]);
    assert_eq!((bss.queue_frames(1), bss.station_stats(1).queue.dropped()), (3, 1));
}

#[test]
fn frames_of_one_instant_come_in_the_order_of_their_phases() {
    let phases = [1, 2, 3, 4].map(|bits: u64| Phase::FIRST.after(bits << 48));
    let frame = |number: usize| Frame { to: 0, bytes: 100, payload: Phased(phases[number]) };
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    assert_eq!(bss.schedule_arrival(1, START, by_reference(&frame(3))), ScheduledArrival::First);
    assert_eq!(bss.schedule_arrival(1, START, by_reference(&frame(0))), ScheduledArrival::First);
    assert_eq!(bss.schedule_arrival(1, START, by_reference(&frame(1))), ScheduledArrival::Behind);
    assert_eq!(bss.next_arrival(1), Moment::new(START, phases[0]));
    bss.admit(START, 1);
    bss.enqueue(START, 1, frame(2));
    for phase in phases {
        let delivery = loop {
            bss.on_deadline(bss.next_deadline());
            if let Some(delivery) = bss.poll_delivery() {
                break delivery.copied();
            }
        };
        assert_eq!(delivery.payload, Phased(phase));
    }
}

#[test]
fn what_answers_a_frame_comes_behind_all_that_has_come_at_that_instant() {
    let phases = [1, 2, 3].map(|bits: u64| Phase::FIRST.after(bits << 48));
    let [answers, waits, comes] = phases;
    let frame = |from: u32, phase| Frame { to: 1 - from, bytes: 100, payload: Phased(phase) };
    // Returns when the first frame from station 0 reaches station 1, which has some of its own, and what comes from
    // there.
    let deliveries = |comes_at: Option<Time>| {
        let mut bss = SharedMedium::new(&ieee80211b(), 1);
        for _ in 0..20 {
            bss.enqueue(START, 1, frame(1, waits));
        }
        bss.enqueue(START, 0, frame(0, waits));
        if let Some(at) = comes_at {
            assert_eq!(bss.schedule_arrival(1, at, by_reference(&frame(1, comes))), ScheduledArrival::Behind);
        }
        let (mut reached, mut from_there) = (Time::NEVER, Vec::new());
        while bss.next_deadline() < Time::NEVER {
            let now = bss.next_deadline();
            bss.on_deadline(now);
            match bss.poll_delivery().map(|delivery| delivery.copied()) {
                Some(Delivery { to: 1, .. }) => {
                    reached = now;
                    if comes_at.is_some() {
                        let answer = frame(1, answers);
                        if bss.schedule_arrival(1, now, by_reference(&answer)) == ScheduledArrival::OutOfOrder
                        {
                            bss.enqueue(now, 1, answer);
                        }
                    }
                }
                Some(delivery) => from_there.push(delivery.payload.0),
                None => {}
            }
        }
        (reached, from_there)
    };
    let (reached, _) = deliveries(None);
    let (again, from_there) = deliveries(Some(reached));
    assert_eq!((again, from_there.len()), (reached, 22));
    assert_eq!(from_there[19..], [waits, comes, answers]);
}
