//! Tests links calculated by hand, and invariants of every link.

use super::*;
use crate::config::{LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat};
use airfair_core::{LossModel, LossProbability, LossUnit, Rate, Span};
use proptest::prelude::*;

pub(crate) const END: Time = Time(10_000_000);

/// Returns the configuration of a link at 1 Gb/s, where a byte takes 8 ns, with a delay of 1 us.
pub(crate) fn config(queue: QueueLimit) -> LinkConfig {
    LinkConfig {
        name: "a-b".into(),
        rate: Rate::new(1_000_000_000).unwrap(),
        delay: Span(1000),
        queue,
        discipline: None,
        tx_ring: None,
        loss: None,
        outage: None,
    }
}

fn built(config: &LinkConfig) -> Link {
    let [forward, _] = Link::pair(config, config, 1, END);
    forward
}

fn link(queue: QueueLimit) -> Link {
    built(&config(queue))
}

fn lossy(probability: f64, position: LossPosition) -> Link {
    let loss = LinkLoss { model: LossModel::bernoulli(probability), position };
    built(&LinkConfig { loss: Some(Box::new(loss)), ..config(QueueLimit::Packets(2)) })
}

/// Returns a link that is down from 2000 ns up to 5000 ns.
fn interrupted(packets: OutagePackets) -> Link {
    let outage =
        Outage { start: Span(2000), spread: Span::ZERO, duration: Span(3000), repeat: Repeat::Once, packets };
    built(&LinkConfig { outage: Some(Box::new(outage)), ..config(QueueLimit::Packets(3)) })
}

fn transit(departs: u64, arrives: u64) -> Option<Transit> {
    Some(Transit { departs: Time(departs), arrives: Some(Time(arrives)), phase: Phase::FIRST })
}

fn lost(departs: u64) -> Option<Transit> {
    Some(Transit { departs: Time(departs), arrives: None, phase: Phase::FIRST })
}

#[test]
fn a_packet_takes_its_transmission_time_and_the_delay() {
    let mut link = link(QueueLimit::Packets(10));
    assert_eq!(link.offer(Time(0), 100), transit(800, 1800));
    assert_eq!(link.offer(Time(0), 50), transit(1200, 2200));
    assert_eq!(link.offer(Time(5000), 50), transit(5400, 6400));
}

#[test]
fn links_that_are_alike_fit_a_cache_line_each() {
    // Debug builds also keep the last arrival.
    assert_eq!(size_of::<Link>(), if cfg!(debug_assertions) { 128 } else { 64 });
    let [first, mut second] = [link(QueueLimit::Packets(10)), link(QueueLimit::Packets(10))];
    let mut other = link(QueueLimit::Packets(11));
    second.share_params_with(&first);
    other.share_params_with(&first);
    assert!(Arc::ptr_eq(&first.params, &second.params) && !Arc::ptr_eq(&first.params, &other.params));
}

#[test]
fn the_limit_counts_the_packet_in_transmission() {
    let mut link = link(QueueLimit::Packets(2));
    assert!(link.offer(Time(0), 100).is_some());
    assert!(link.offer(Time(0), 100).is_some());
    assert_eq!(link.offer(Time(799), 100), None);
    assert!(link.offer(Time(800), 100).is_some(), "the first packet has just left");
    let expected = LinkStats { offered: 4, dropped: 1, ..LinkStats::default() };
    assert_eq!(link.stats(), expected);
}

#[test]
fn a_byte_limit_counts_bytes() {
    let mut link = link(QueueLimit::Bytes(150));
    assert!(link.offer(Time(0), 100).is_some());
    assert_eq!(link.offer(Time(0), 51), None);
    assert!(link.offer(Time(0), 50).is_some());
}

#[test]
fn the_queue_is_integrated_up_to_the_reading() {
    let mut link = link(QueueLimit::Packets(9));
    link.offer(Time(0), 100);
    link.offer(Time(0), 100);
    assert_eq!(link.queue_integral(Time(1200)).0, 800 * 2 + 400);
    assert_eq!(link.queue_packets(Time(1200)), 1);
}

/// A packet in transmission counts by the part that has been sent; waiting packets do not count.
#[test]
fn the_transmitter_is_busy_for_what_it_has_sent() {
    let mut link = link(QueueLimit::Packets(9));
    link.offer(Time(100), 100);
    link.offer(Time(100), 100);
    let busy = [100, 500, 900, 1200, 1700, 9000].map(|now| link.busy(Time(now)).0);
    assert_eq!(busy, [0, 400, 800, 1100, 1600, 1600]);
}

/// At 1 bit/s a packet of 65,535 B takes 524,280 s: 40,000 of these would leave after 664 years, and their sojourns add up to
/// many times 2^64 ns.
#[test]
fn sums_over_the_longest_queues_do_not_overflow() {
    let slow = LinkConfig { rate: Rate::new(1).unwrap(), ..config(QueueLimit::Packets(u32::MAX)) };
    let [mut link, _] = Link::pair(&slow, &slow, 1, END);
    for _ in 0..40_000 {
        assert!(link.offer(Time(0), 65_535).is_some());
    }
    let end = Time::ZERO + Span::from_secs(2_000_000_000);
    let left = 2_000_000_000u64 / 524_280;
    let integral = |packets: u128| {
        let gone = u128::from(left) * (u128::from(left) + 1) / 2 * 524_280;
        gone + (packets - u128::from(left)) * 2_000_000_000
    };
    assert_eq!(link.queue_integral(end).0, integral(40_000) * 1_000_000_000);
    assert_eq!(link.queue_packets(end), 40_000 - left as usize);
    assert_eq!(link.busy(end), Span::from_secs(2_000_000_000));
}

#[test]
fn what_is_lost_before_the_queue_takes_nothing() {
    let mut link = lossy(1.0, LossPosition::BeforeQueue);
    assert_eq!([link.offer(Time(0), 100), link.offer(Time(0), 100), link.offer(Time(0), 100)], [None; 3]);
    assert_eq!(link.queue_packets(Time(0)), 0);
    assert_eq!(link.stats(), LinkStats { offered: 3, lost_errors: 3, ..LinkStats::default() });
}

#[test]
fn what_is_lost_after_the_queue_takes_its_room_and_its_time() {
    let mut link = lossy(1.0, LossPosition::AfterQueue);
    assert_eq!(link.offer(Time(0), 100), lost(800));
    assert_eq!(link.offer(Time(0), 100), lost(1600));
    assert_eq!(link.offer(Time(799), 100), None, "the queue is full");
    let expected = LinkStats { offered: 3, dropped: 1, lost_errors: 2, ..LinkStats::default() };
    assert_eq!(link.stats(), expected);
    assert_eq!(link.queue_integral(Time(1600)).0, 800 + 1600);
}

#[test]
fn while_it_is_down_arrivals_are_lost_and_the_queue_is_sent() {
    let mut link = interrupted(OutagePackets::Lost(LossPosition::BeforeQueue));
    assert_eq!(link.offer(Time(1999), 100), transit(2799, 3799));
    assert_eq!(link.offer(Time(2000), 100), None);
    assert_eq!(link.offer(Time(4999), 100), None);
    assert_eq!(link.offer(Time(5000), 100), transit(5800, 6800));
    assert_eq!((link.stats().lost_outage, link.stats().dropped), (2, 0));
}

#[test]
fn what_is_on_the_wire_while_it_is_down_is_lost() {
    let mut link = interrupted(OutagePackets::Lost(LossPosition::AfterQueue));
    assert_eq!(link.offer(Time(200), 100), transit(1000, 2000));
    assert_eq!(link.offer(Time(201), 100), lost(1800));
    assert_eq!(link.offer(Time(4999), 100), lost(5799));
    assert_eq!(link.offer(Time(4999), 100), transit(6599, 7599));
    assert_eq!(link.stats().lost_outage, 2);
}

#[test]
fn what_is_held_starts_again_when_it_is_up() {
    let mut link = interrupted(OutagePackets::Held);
    assert_eq!(link.offer(Time(1200), 100), transit(2000, 3000));
    assert_eq!(link.offer(Time(1200), 100), transit(5800, 6800));
    assert_eq!(link.offer(Time(2500), 100), transit(6600, 7600));
    assert_eq!(link.offer(Time(3000), 100), transit(7400, 8400));
    assert_eq!(link.offer(Time(3000), 100), None, "three are held");
    assert_eq!((link.stats().lost_outage, link.stats().dropped), (0, 1));
}

#[test]
fn one_direction_may_err_alone() {
    let loss = LinkLoss { model: LossModel::bernoulli(1.0), position: LossPosition::BeforeQueue };
    let fine = config(QueueLimit::Packets(2));
    let bad = LinkConfig { loss: Some(Box::new(loss)), ..fine.clone() };
    let [mut forward, mut backward] = Link::pair(&fine, &bad, 1, END);
    assert!(forward.offer(Time(0), 100).is_some());
    assert_eq!(backward.offer(Time(0), 100), None);
}

fn position() -> impl Strategy<Value = LossPosition> {
    prop_oneof![Just(LossPosition::BeforeQueue), Just(LossPosition::AfterQueue)]
}

pub(crate) fn loss() -> impl Strategy<Value = LinkLoss> {
    let unit = prop_oneof![Just(LossUnit::Packet), Just(LossUnit::Bit)];
    let bursts =
        (0.0..0.5f64, 0.0..1.0f64, 1u64..5000, 1u64..5000).prop_map(|(good, bad, mean_good, mean_bad)| {
            let (mean_good, mean_bad) = (Span(mean_good), Span(mean_bad));
            LossProbability::GilbertElliott { good, bad, mean_good, mean_bad }
        });
    let probability = prop_oneof![(0.0..0.9f64).prop_map(LossProbability::Constant), bursts];
    (probability, unit, position())
        .prop_map(|(probability, of, position)| LinkLoss { model: LossModel { probability, of }, position })
}

pub(crate) fn outage() -> impl Strategy<Value = Outage> {
    let packets = prop_oneof![Just(OutagePackets::Held), position().prop_map(OutagePackets::Lost)];
    (0u64..5000, 0u64..5000, 1u64..3000, 1u64..5000, 0u8..3, packets).prop_map(
        |(start, spread, duration, rest, repeat, packets)| {
            let period = Span(duration + rest);
            let repeat = [Repeat::Once, Repeat::Periodic(period), Repeat::Random(period)][repeat as usize];
            Outage { start: Span(start), spread: Span(spread), duration: Span(duration), repeat, packets }
        },
    )
}

pub(crate) fn arrivals() -> impl Strategy<Value = Vec<(u64, u32)>> {
    prop::collection::vec((0u64..2000, 1u32..200), 1..60)
}

/// The first packet begins a busy period; a packet that arrives as it leaves may come just before or just after.
#[test]
fn at_the_instant_of_a_departure_the_phase_decides_who_gets_in() {
    let [early, middle, late] = [1, 2, 3].map(|bits: u64| Phase::FIRST.after(bits << 48));
    for (phase, gets_in) in [(early, false), (middle, true), (late, true)] {
        let mut link = link(QueueLimit::Packets(1));
        let transit = link.offer(Moment::new(Time(0), middle), 100).unwrap();
        assert_eq!((transit.departs, transit.phase), (Time(800), middle));
        assert_eq!(link.offer(Moment::new(Time(800), phase), 100).is_some(), gets_in);
    }
}

/// A packet that arrives as the last one leaves begins the next busy period if it comes after the departure; else it is part of the present
/// one.
#[test]
fn packets_leave_in_the_phase_of_their_busy_period() {
    let [early, middle, late] = [1, 2, 3].map(|bits: u64| Phase::FIRST.after(bits << 48));
    for (phase, leaves) in [(early, middle), (middle, middle), (late, late)] {
        let mut link = link(QueueLimit::Packets(2));
        link.offer(Moment::new(Time(0), middle), 100);
        let transit = link.offer(Moment::new(Time(800), phase), 100).unwrap();
        assert_eq!((transit.departs, transit.phase), (Time(1600), leaves));
    }
}

proptest! {
    /// The transmitter is never early, never idle while it holds packets, and the limit holds at every arrival; also where the caller asks for
    /// the transmission time beforehand.
    #[test]
    fn packets_leave_in_order_at_the_rate(limit in 1u32..6, arrivals in arrivals()) {
        let mut link = link(QueueLimit::Packets(limit));
        let mut other = link.clone();
        let mut now = Time::ZERO;
        let mut free = Time::ZERO;
        let mut accepted = 0;
        for (gap, bytes) in arrivals {
            now += Span(gap);
            let held = link.queue_packets(now);
            let transit = link.offer(now, bytes);
            let carried = other.carry_alike(Moment::from(now), other.time_of(bytes).unwrap());
            prop_assert_eq!(carried, transit.map(|transit| Moment::from(transit.arrives.unwrap())));
            prop_assert_eq!(transit.is_none(), held >= limit as usize);
            if let Some(transit) = transit {
                accepted += 1;
                free = free.max(now) + Span(8 * u64::from(bytes));
                prop_assert_eq!(transit, Transit { departs: free, arrives: Some(free + Span(1000)), phase: Phase::FIRST });
            }
        }
        prop_assert_eq!(link.stats().offered - link.stats().dropped, accepted);
        prop_assert_eq!(other.stats(), link.stats());
    }

    /// Packets that come at once, and the answers to them, which come one transmission time or more apart.
    #[test]
    fn a_row_does_as_its_packets(limit in 1u32..20, rows in prop::collection::vec((0u64..40_000, 0u32..20, 1u64..400), 1..9)) {
        let link = link(QueueLimit::Packets(limit));
        let (span, [mut one, mut row, mut answers, mut apart]) = (link.time_of(100).unwrap(), std::array::from_fn(|_| link.clone()));
        let (mut now, mut answered, mut bits) = (Time::ZERO, Time::ZERO, 0);
        for (pause, packets, bytes) in rows {
            now += Span(pause);
            bits += 1 << 48;
            let at = Moment::new(now, Phase::of_flow(3 << 48).after(bits));
            let held = one.queue_packets(at);
            let first = row.carries_row(at, span, packets);
            prop_assert_eq!(first.is_some(), held == 0 && packets <= limit);
            let arrivals: Vec<_> = (0..packets).map(|_| one.carry_alike(at, span)).collect();
            match first {
                Some(first) if packets > 0 => {
                    row.carry_row(at, span, packets);
                    let expected = (0..u64::from(packets)).map(|behind| Some(Moment::new(first.at + span * behind, first.phase)));
                    prop_assert!(arrivals.iter().copied().eq(expected));
                    let short = answers.time_of(bytes.min(100) as u32).unwrap();
                    if apart.carries_row(first, short, 1).is_some() {
                        arrivals.iter().flatten().for_each(|&arrival| {
                            answers.carry_alike(arrival, short);
                        });
                        let last = arrivals.last().copied().flatten().unwrap();
                        apart.carry_apart(last, short, packets);
                        answered = last.at;
                    }
                }
                _ => (0..packets).for_each(|_| { row.carry_alike(at, span); }),
            }
            let state = |link: &mut Link, from: Time| {
                let later = [0, 300, 900, 5_000].map(|later| from + Span(later));
                (link.stats(), later.map(|at| (link.queue_packets(at), link.queue_integral(at), link.busy(at))))
            };
            prop_assert_eq!(state(&mut one, now), state(&mut row, now));
            prop_assert_eq!(state(&mut answers, answered), state(&mut apart, answered));
        }
    }

    /// With any loss, packets leave and arrive in order and never early, the limit holds, and each packet is counted
    /// once.
    #[test]
    fn loss_and_outages_keep_the_order_and_the_count(
        limit in 1u32..6, seed in 0u64..1000, arrivals in arrivals(),
        loss in prop::option::of(loss()), outage in prop::option::of(outage()),
    ) {
        let config = LinkConfig {
            loss: loss.map(Box::new),
            outage: outage.map(Box::new),
            ..config(QueueLimit::Packets(limit))
        };
        let [mut link, _] = Link::pair(&config, &config, seed, END);
        let (mut now, mut free) = (Time::ZERO, Time::ZERO);
        let (mut transmission, mut arrived) = (Span::ZERO, 0);
        for (gap, bytes) in arrivals {
            now += Span(gap);
            let held = link.queue_packets(now);
            let before = link.stats();
            let transit = link.offer(now, bytes);
            let lost_on_arrival = transit.is_none() && link.stats().dropped == before.dropped;
            prop_assert_eq!(link.stats().dropped > before.dropped, held >= limit as usize && !lost_on_arrival);
            if let Some(Transit { departs, arrives, .. }) = transit {
                prop_assert!(held < limit as usize);
                prop_assert!(departs >= free.max(now) + Span(8 * u64::from(bytes)));
                prop_assert!(arrives.is_none_or(|arrives| arrives == departs + Span(1000)));
                free = departs;
                transmission += Span(8 * u64::from(bytes));
                prop_assert!(link.busy(now) <= now - Time::ZERO, "it sends for longer than it is there");
                arrived += u64::from(arrives.is_some());
            }
        }
        let LinkStats { offered, dropped, lost_errors, lost_outage, .. } = link.stats();
        prop_assert_eq!(link.busy(free), transmission);
        prop_assert_eq!(offered, arrived + dropped + lost_errors + lost_outage);
        prop_assert!(lost_errors == 0 || config.loss.is_some());
        prop_assert!(lost_outage == 0 || config.outage.is_some_and(|it| it.packets != OutagePackets::Held));
    }

    /// A link that is down loses arrivals, in both directions at the same times.
    #[test]
    fn both_directions_are_down_together(outage in outage(), seed in 0u64..1000) {
        let outage = Outage { packets: OutagePackets::Lost(LossPosition::BeforeQueue), ..outage };
        let forward = LinkConfig { outage: Some(Box::new(outage)), ..config(QueueLimit::Packets(1000)) };
        let backward = LinkConfig { name: "b-a".into(), delay: Span(7), ..forward.clone() };
        let [mut forward, mut backward] = Link::pair(&forward, &backward, seed, END);
        for step in 0..2000 {
            let now = Time(step * 10);
            prop_assert_eq!(forward.offer(now, 1).is_some(), backward.offer(now, 1).is_some());
        }
    }
}
