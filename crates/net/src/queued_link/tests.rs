//! Tests a link with a discipline against one whose departures are computed, and effects of the discipline.

use super::*;
use crate::config::{LinkLoss, LossPosition, TxRing};
use crate::link::Link;
use crate::link::tests::{END, arrivals, config, loss, outage};
use airfair_core::LossModel;
use airfair_core::schema::Value;
use airfair_queue::{Discipline, QueueLimit};
use proptest::prelude::*;

/// A packet with a number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbered {
    number: u64,
    bytes: u32,
}

impl Queued for Numbered {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn flow(&self) -> u64 {
        self.number % 2
    }

    fn station(&self) -> u32 {
        (self.number % 2) as u32
    }

    fn is_scalable(&self) -> bool {
        false
    }

    fn mark(&mut self) -> bool {
        false
    }
}

fn with_discipline(name: &str, config: LinkConfig) -> LinkConfig {
    LinkConfig { discipline: Discipline::named(name).map(Box::new), ..config }
}

/// A link and the packets that it has sent: number and transit of each.
struct Run {
    link: QueuedLink<Numbered>,
    sent: Vec<(u64, Transit)>,
}

impl Run {
    fn new(config: &LinkConfig, seed: u64) -> Run {
        Run { link: QueuedLink::new(config, "a-b", seed, END).unwrap(), sent: Vec::new() }
    }

    fn note(&mut self) {
        self.sent.extend(self.link.poll_start().map(|(packet, transit)| (packet.number, transit)));
    }

    /// Lets the packets that depart up to `now` leave.
    fn run_until(&mut self, now: impl Into<Moment>) {
        let now = now.into();
        while self.link.next_deadline() <= now {
            self.link.on_deadline(self.link.next_deadline().at);
            self.note();
        }
    }

    fn offer(&mut self, now: impl Into<Moment>, number: u64, bytes: u32) {
        let now = now.into();
        self.run_until(now);
        self.link.offer(now, Numbered { number, bytes });
        self.note();
    }
}

#[test]
fn a_link_without_a_discipline_is_arithmetic() {
    assert!(QueuedLink::<Numbered>::new(&config(QueueLimit::Packets(2)), "a-b", 1, END).is_none());
}

/// 100 bytes take 800 ns, 50 take 400, and 1 us to the far end.
#[test]
fn a_packet_leaves_when_the_one_before_has() {
    let mut run = Run::new(&with_discipline("drop_tail", config(QueueLimit::Packets(3))), 1);
    for (number, at) in [(0, 0), (1, 10), (2, 20), (3, 799), (4, 800)] {
        run.offer(Time(at), number, if number == 0 { 100 } else { 50 });
    }
    assert_eq!(run.link.queue_packets(), 3);
    run.run_until(Time(10_000));
    let transits = [(0, 800), (1, 1200), (2, 1600), (4, 2000)].map(|(number, departs)| {
        (number, Transit { departs: Time(departs), arrives: Some(Time(departs + 1000)), phase: Phase::FIRST })
    });
    assert_eq!(run.sent, transits);
    let stats = run.link.stats();
    assert_eq!((stats.offered, stats.dropped, stats.discipline.dropped_early), (5, 1, 0));
    assert_eq!(run.link.queue_integral(Time(10_000)).0, 800 + 1190 + 1580 + 1200);
}

/// Flow 1 is new to FQ-CoDel while flow 0 has had its turn.
#[test]
fn a_discipline_says_who_goes_next() {
    let mut run = Run::new(&with_discipline("fq_codel", config(QueueLimit::Packets(9))), 1);
    for number in [0, 2, 4, 6, 1] {
        run.offer(Time(number), number, 1000);
    }
    run.run_until(Time(100_000));
    let order: Vec<u64> = run.sent.iter().map(|(number, _)| *number).collect();
    assert_eq!(order[0], 0);
    assert!(order.iter().position(|&it| it == 1) < order.iter().position(|&it| it == 6), "{order:?}");
}

/// Packets of two busy periods whose arrivals fall on the same instant: the phase of the second period may be the earlier one.
#[test]
fn after_a_change_to_a_shorter_delay_packets_stay_in_order_within_an_instant() {
    let far = LinkConfig { discipline: Some(Box::default()), ..config(QueueLimit::Packets(9)) };
    let mut link = QueuedLink::new(&far, "a-b", 1, END).expect("it has a discipline");
    let arrival = |link: &mut QueuedLink<Numbered>, at, phase| {
        link.offer(Moment::new(Time(at), phase), Numbered { number: at, bytes: 100 });
        link.on_deadline(Time(at + 800));
        let (_, Transit { arrives, phase, .. }) = link.poll_start().expect("the transmitter was free");
        Moment::new(arrives.expect("nothing is lost"), phase)
    };
    let [early, late] = [1, 2].map(|bits: u64| Phase::FIRST.after(bits << 48));
    let first = arrival(&mut link, 0, late);
    link.change(Time(850), &LinkConfig { delay: Span(0), ..far }, 1);
    let second = arrival(&mut link, 850, early);
    assert_eq!((first.at, second.at), (Time(1800), Time(1800)));
    assert!(first <= second);
}

/// `airtime_drr` over a wire: packets to destination 0 have 1000 bytes, which take 8 us; packets to destination 1
/// have 100. A turn of 40 us holds five of the former or fifty of the latter.
#[test]
fn destinations_share_the_transmitter_by_time() {
    let mut discipline = Discipline::named("airtime_drr").unwrap();
    discipline.set(&[("quantum", Value::Time(Span::from_micros(40)))]).unwrap();
    let shared = LinkConfig { discipline: Some(Box::new(discipline)), ..config(QueueLimit::Packets(500)) };
    let mut run = Run::new(&shared, 1);
    for number in 0..400 {
        run.offer(Time(number), number, if number % 2 == 0 { 1000 } else { 100 });
    }
    run.run_until(Time::ZERO + Span::from_micros(160));
    let to_0 = run.sent.iter().filter(|(number, _)| number % 2 == 0).count();
    assert!(to_0.abs_diff(10) <= 1 && run.sent.len().abs_diff(110) <= 11, "{to_0} of {}", run.sent.len());
}

/// Packets behind a ring wait in it, so the discipline has no say in their order, and its limit does not count them.
#[test]
fn a_ring_takes_packets_from_the_discipline_ahead_of_time() {
    let order = |limit, tx_ring| {
        let fair = with_discipline("fq_codel", config(QueueLimit::Packets(limit)));
        let mut run = Run::new(&LinkConfig { tx_ring, ..fair }, 1);
        for number in [0, 2, 4, 6, 1] {
            run.offer(Time(number), number, 1000);
        }
        let held = run.link.queue_packets();
        run.run_until(Time(100_000));
        (held, run.sent.iter().map(|(number, _)| *number).collect::<Vec<_>>())
    };
    assert_eq!(order(1, Some(TxRing::Packets(4))), (5, vec![0, 2, 4, 6, 1]));
    assert_eq!(order(1, Some(TxRing::Bytes(3500))), (5, vec![0, 2, 4, 6, 1]));
    let place = |order: &[u64], number| order.iter().position(|&it| it == number);
    for tx_ring in [TxRing::Packets(1), TxRing::Bql] {
        let (held, order) = order(9, Some(tx_ring));
        assert!(held == 5 && place(&order, 1) < place(&order, 6), "{tx_ring:?}: {order:?}");
    }
}

/// CAKE with a shaper of half of the line's rate, of 1 Gb/s: packets of 1000 bytes take 8 us, and leave 16 us apart.
fn shaped(bandwidth: u64) -> LinkConfig {
    let mut cake = Discipline::named("cake").expect("it is in the list");
    cake.set(&[("bandwidth", Value::Rate(Rate::new(bandwidth).expect("above zero")))]).expect("allowed");
    LinkConfig { discipline: Some(Box::new(cake)), ..config(QueueLimit::Packets(99)) }
}

const HALF: u64 = 500_000_000;

fn departures(run: &Run) -> Vec<u64> {
    run.sent.iter().map(|(_, transit)| transit.departs.0 / 1000).collect()
}

/// Between packets the transmitter is idle, and the next packet is the link's deadline.
#[test]
fn a_shaper_keeps_the_transmitter_idle() {
    let mut run = Run::new(&shaped(HALF), 1);
    (0..3).for_each(|number| run.offer(Time(number), 2 * number, 1000));
    run.run_until(Time(8000));
    assert_eq!((run.link.queue_packets(), run.link.next_deadline().at), (2, Time(16_000)));
    run.run_until(Time(100_000));
    assert_eq!(departures(&run), [8, 24, 40]);
    assert_eq!((run.link.busy(Time(100_000)), run.link.next_deadline()), (Span(24_000), Moment::NEVER));
    // All leave in the phase of the first, since one was always there: the last one comes while the transmitter is idle and another one waits.
    let phase = |at| Moment::new(Time(at), Phase::FIRST.after(at << 40));
    for at in [200_000, 201_000, 212_000] {
        run.offer(phase(at), at, 1000);
    }
    run.run_until(Time(300_000));
    let phases: Vec<_> = run.sent[3..].iter().map(|(_, transit)| transit.phase).collect();
    assert_eq!(phases, [phase(200_000).phase.of_any_flow(); 3]);
}

/// A ring takes packets when the shaper hands them out, which may be while another one is sent.
#[test]
fn a_shaper_fills_a_ring_in_time() {
    let ring = Some(TxRing::Packets(4));
    let mut run = Run::new(&LinkConfig { tx_ring: ring, ..shaped(HALF) }, 1);
    // The first packet takes 80 us: at the shaper, 160.
    run.offer(Time(0), 0, 10_000);
    (1..4).for_each(|number| run.offer(Time(number), 2 * number, 1000));
    run.run_until(Time(1_000_000));
    assert_eq!(departures(&run), [80, 168, 184, 200]);
    let mut fast = Run::new(&LinkConfig { tx_ring: ring, ..shaped(2_000_000_000) }, 1);
    fast.offer(Time(0), 0, 10_000);
    (1..4).for_each(|number| fast.offer(Time(number), 2 * number, 1000));
    fast.run_until(Time(45_000));
    assert_eq!(fast.link.next_deadline().at, Time(48_000), "the third packet may enter the ring");
    fast.run_until(Time(1_000_000));
    assert_eq!(departures(&fast), [80, 88, 96, 104]);
}

#[test]
fn packets_go_on_at_once_without_their_shaper() {
    let mut run = Run::new(&shaped(1_000_000), 1);
    (0..3).for_each(|number| run.offer(Time(number), 2 * number, 1000));
    run.run_until(Time(10_000));
    let plain = with_discipline("cake", config(QueueLimit::Packets(99)));
    run.link.change(Time(20_000), &plain, 1);
    run.note();
    run.run_until(Time(100_000));
    assert_eq!(departures(&run), [8, 28, 36]);
}

#[test]
fn what_is_lost_before_the_queue_is_not_offered_to_the_discipline() {
    let loss = LinkLoss { model: LossModel::bernoulli(1.0), position: LossPosition::BeforeQueue };
    let lossy = LinkConfig { loss: Some(Box::new(loss)), ..config(QueueLimit::Packets(3)) };
    let mut run = Run::new(&with_discipline("red", lossy), 1);
    run.offer(Time(0), 0, 100);
    assert_eq!((run.link.stats().offered, run.link.stats().lost_errors, run.sent.len()), (1, 1, 0));
}

fn ring() -> impl Strategy<Value = TxRing> {
    let fixed = (1u32..9).prop_flat_map(|packets| {
        prop_oneof![Just(TxRing::Packets(packets)), Just(TxRing::Bytes(100 * u64::from(packets)))]
    });
    prop_oneof![fixed, Just(TxRing::Bql)]
}

proptest! {
    /// Drop-tail as a discipline gives the results of the arithmetic, with any impairments, ties included.
    #[test]
    fn drop_tail_is_what_arithmetic_says(
        limit in 1u32..6, bytes in any::<bool>(), seed in 0u64..1000, arrivals in arrivals(),
        loss in prop::option::of(loss()), outage in prop::option::of(outage()),
    ) {
        let limit = if bytes { QueueLimit::Bytes(100 * u64::from(limit)) } else { QueueLimit::Packets(limit) };
        let plain = LinkConfig { loss: loss.map(Box::new), outage: outage.map(Box::new), ..config(limit) };
        let [mut link, _] = Link::pair(&plain, &plain, seed, END);
        let mut run = Run::new(&with_discipline("drop_tail", plain), seed);
        let (mut now, mut left, mut expected) = (Moment::default(), Time::NEVER, Vec::new());
        for (number, (gap, bytes)) in (0..).zip(arrivals) {
            // Half of the packets arrive at the instant of a departure, if there is one: before it, with it or after
            // it. Some arrive together.
            let departs = run.link.next_deadline().at;
            let at = match gap % 8 {
                0 | 2 | 4 | 6 if departs < Time::NEVER => departs,
                1 => now.at,
                _ => now.at + Span(gap),
            };
            let comes = Moment::new(at, Phase::FIRST.after((gap / 2 % 3) << 48));
            // Some come behind all departures of their instant, in any phase, and so do others behind these.
            if gap / 8 % 4 == 0 {
                link.let_leave(at);
                run.run_until(Moment::new(at, Phase::LAST));
                left = at;
            }
            now = if left == at { comes } else { now.max(comes) };
            expected.extend(link.offer(now, bytes).map(|transit| (number, transit)));
            run.offer(now, number, bytes);
            prop_assert_eq!(link.queue_packets(now), run.link.queue_packets() as usize);
            prop_assert_eq!(link.queue_integral(now.at), run.link.queue_integral(now.at));
            prop_assert_eq!(link.busy(now.at), run.link.busy(now.at));
        }
        run.run_until(END + Span::from_secs(1));
        prop_assert_eq!(run.sent, expected);
        prop_assert_eq!(run.link.stats(), link.stats());
    }

    /// With any discipline each accepted packet leaves once, one after the other, and is counted once.
    #[test]
    fn every_packet_is_accounted_for(
        discipline in 0..airfair_queue::discipline::DISCIPLINES.len(),
        limit in 1u32..20, seed in 0u64..1000, arrivals in arrivals(),
        loss in prop::option::of(loss()), outage in prop::option::of(outage()), tx_ring in prop::option::of(ring()),
    ) {
        let name = airfair_queue::discipline::DISCIPLINES[discipline].name;
        let plain = config(QueueLimit::Packets(limit));
        let plain = LinkConfig { loss: loss.map(Box::new), outage: outage.map(Box::new), tx_ring, ..plain };
        let mut run = Run::new(&with_discipline(name, plain), seed);
        let mut now = Time::ZERO;
        let mut lengths = Vec::new();
        for (number, (gap, bytes)) in (0..).zip(arrivals) {
            now += Span(gap);
            lengths.push(u64::from(bytes));
            run.offer(now, number, bytes);
        }
        run.run_until(END + Span::from_secs(1));
        let stats = run.link.stats();
        let arrived = run.sent.iter().filter(|(_, transit)| transit.arrives.is_some()).count() as u64;
        prop_assert_eq!(stats.offered, arrived + stats.dropped + stats.lost_errors + stats.lost_outage);
        prop_assert_eq!(run.link.queue_packets(), 0);
        let mut free = Time::ZERO;
        for (number, transit) in &run.sent {
            let bytes = &mut lengths[*number as usize];
            prop_assert!(*bytes > 0, "sent twice");
            prop_assert!(transit.departs >= free + Span(8 * *bytes));
            (free, *bytes) = (transit.departs, 0);
        }
    }
}
