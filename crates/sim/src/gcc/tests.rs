//! Tests of the control alone: on a bottleneck that is a queue and nothing else, and with any reports.

use super::*;
use proptest::prelude::*;

const PACKET: u32 = 1200;

fn rate(bits: u64) -> Rate {
    Rate::new(bits).unwrap()
}

/// A bottleneck with a queue of `most` seconds before it, which delays packets by `ways` there and back.
struct Bottleneck {
    gcc: Gcc,
    way: Span,
    most: f64,
    free_at: Time,
    now: Time,
    reported: Time,
    waiting: Vec<Received>,
    lost: u32,
}

impl Bottleneck {
    fn new(gcc: Gcc, way: Span, most: f64) -> Bottleneck {
        let start = Time::ZERO + Span::from_secs(1);
        Bottleneck {
            gcc,
            way,
            most,
            free_at: start,
            now: start,
            reported: start,
            waiting: Vec::new(),
            lost: 0,
        }
    }

    /// Sends packets at the target rate for `span` over a wire of `capacity` bit/s. Returns the mean of the target and the longest wait in seconds.
    fn run(&mut self, span: Span, capacity: f64) -> (f64, f64) {
        let end = self.now + span;
        let (mut sum, mut number, mut longest) = (0.0, 0.0, 0.0_f64);
        while self.now < end {
            let bits = f64::from(PACKET) * 8.0;
            let wait = self.free_at.since(self.now).as_secs();
            longest = longest.max(wait);
            if wait > self.most {
                self.lost += 1;
            } else {
                self.free_at = self.free_at.max(self.now) + Span::from_secs_f64(bits / capacity);
                let arrived = self.free_at + self.way;
                self.waiting.push(Received { sent: self.now, arrived, bytes: PACKET, cluster: None });
            }
            self.now += Span::from_secs_f64(bits / self.gcc.target());
            if self.now.since(self.reported) >= Span::from_millis(100) {
                let come = self.now - self.way;
                let place = self.waiting.partition_point(|packet| packet.arrived <= come);
                let received: Vec<_> = self.waiting.drain(..place).collect();
                let lost = if received.is_empty() { 0 } else { std::mem::take(&mut self.lost) };
                self.gcc.on_feedback(self.now, &received, lost, Span::ZERO);
                self.gcc.on_time(self.now);
                self.reported = self.now;
            }
            (sum, number) = (sum + self.gcc.target(), number + 1.0);
        }
        (sum / number, longest)
    }
}

#[test]
fn the_rate_settles_below_the_capacity_with_short_queues() {
    // RFC 8867, section 5.1: a capacity that changes, a path of 50 ms one way.
    let mut wire = Bottleneck::new(Gcc::new(rate(30_000), rate(5_000_000)), Span::from_millis(50), 0.3);
    wire.run(Span::from_secs(60), 1e6);
    for capacity in [1e6, 2.5e6, 0.6e6, 1e6] {
        wire.run(Span::from_secs(40), capacity);
        let (mean, longest) = wire.run(Span::from_secs(40), capacity);
        assert!((0.75..1.02).contains(&(mean / capacity)), "{mean} of {capacity}");
        assert!(longest < 0.15, "{longest} at {capacity}");
    }
}

#[test]
fn losses_alone_matter_from_a_tenth_on() {
    // Nothing waits, so the delays tell nothing.
    let after = |lost: u32| {
        let mut gcc = Gcc::new(rate(30_000), rate(2_000_000));
        gcc.target = 1e6;
        gcc.delay_based.set(Time::ZERO, 1e6);
        for report in 1..=20 {
            let now = Time::ZERO + Span::from_millis(500 * report);
            let packets = (0..100 - lost).map(|number| {
                let sent = now - Span::from_millis(300) + Span::from_millis(2 * u64::from(number));
                Received { sent, arrived: sent + Span::from_millis(20), bytes: PACKET, cluster: None }
            });
            gcc.on_feedback(now, &packets.collect::<Vec<_>>(), lost, Span::ZERO);
        }
        gcc.target()
    };
    assert!(after(2) > 1e6);
    assert_eq!(after(10), 1e6);
    // Each of the 20 reports takes half of the share of losses, as long as that is above a tenth.
    let left = 1e6 * libm::pow(0.9, 20.0);
    assert!((after(20) / left - 1.0).abs() < 1e-9, "{} {left}", after(20));
}

#[test]
fn silence_lets_the_rate_fall() {
    let mut gcc = Gcc::new(rate(30_000), rate(2_500_000));
    let at = |millis: u64| Time::ZERO + Span::from_millis(millis);
    let sent = Received { sent: at(10), arrived: at(20), bytes: PACKET, cluster: None };
    gcc.on_feedback(at(30), &[sent], 0, Span::ZERO);
    let before = gcc.target();
    gcc.on_time(at(2900));
    assert_eq!(gcc.target(), before);
    for millis in [3100, 3200, 4200] {
        gcc.on_time(at(millis));
    }
    assert!((gcc.target() - before * 0.64).abs() < 1e-6, "{}", gcc.target());
    (5..60).for_each(|second| gcc.on_time(at(1000 * second)));
    assert_eq!(gcc.target(), 30e3);
    // Nothing ever comes back.
    let mut gcc = Gcc::new(rate(30_000), rate(2_500_000));
    [1000, 4000, 4001, 5001].map(at).into_iter().for_each(|now| gcc.on_time(now));
    assert_eq!(gcc.target(), 300e3 * 0.64);
}

/// Returns a control that has been told of packets of `bits` bit/s that arrive as they are sent, until 1 s.
fn steady(bits: f64) -> Gcc {
    let mut gcc = Gcc::new(rate(30_000), rate(2_500_000));
    let between = Span::from_secs_f64(f64::from(PACKET) * 8.0 / bits);
    let mut packets = Vec::new();
    while between * packets.len() as u64 <= Span::from_millis(1000) {
        let sent = Time::ZERO + between * packets.len() as u64;
        packets.push(Received { sent, arrived: sent + Span::from_millis(20), bytes: PACKET, cluster: None });
    }
    packets.iter().for_each(|packet| gcc.throughput.add(packet.arrived, packet.bytes));
    gcc
}

#[test]
fn congestion_leaves_less_than_what_arrives() {
    let now = Time::ZERO + Span::from_secs(2);
    let mut gcc = steady(960e3);
    gcc.delay_based.set(Time::ZERO, 2e6);
    let received = gcc.throughput.rate().unwrap();
    gcc.delay_based.update(now, Usage::Over, Some(received), Span::ZERO);
    assert!((gcc.delay_based.rate() - (0.85 * received - 5e3)).abs() < 1e-6);
    // At the lowest rates nothing is taken off.
    let mut low = Aimd::new(5e3, [1e3, 1e6]);
    low.update(now, Usage::Over, Some(5e3), Span::ZERO);
    assert!((low.rate() - 0.85 * 5e3).abs() < 1e-9);
}

#[test]
fn a_rate_that_is_not_known_to_arrive_does_not_grow_far() {
    let mut aimd = Aimd::new(100e3, [1e3, 1e7]);
    aimd.set(Time::ZERO, 1e6);
    for second in 1..100 {
        aimd.update(Time::ZERO + Span::from_secs(second), Usage::Normal, None, Span::ZERO);
    }
    assert_eq!(aimd.rate(), 1e6);
}

#[test]
fn a_bad_probe_lets_the_rate_fall_to_a_part_of_what_arrives() {
    let after = |probed: f64| {
        let mut gcc = steady(960e3);
        gcc.delay_based.set(Time::ZERO, 1e6);
        let cluster = gcc.poll_probe().unwrap();
        let [sent, come] =
            [cluster.rate, probed].map(|rate| Span::from_secs_f64(f64::from(PACKET) * 8.0 / rate));
        for number in 0..5 {
            let (sent, arrived) = (Time::ZERO + sent * number, Time::ZERO + come * number);
            gcc.probes.on_packet(&Received { sent, arrived, bytes: PACKET, cluster: Some(cluster.id) });
        }
        gcc.follow_delay(Time::ZERO + Span::from_secs(2));
        (gcc.delay_based.rate(), gcc.throughput.rate().unwrap())
    };
    let (rate, received) = after(100e3);
    assert_eq!(rate, 0.85 * received);
    assert!((after(0.85e6).0 / 0.85e6 - 1.0).abs() < 1e-6);
}

#[test]
fn the_round_trip_leaves_out_what_the_receiver_waits() {
    let mut gcc = Gcc::new(rate(30_000), rate(2_500_000));
    assert_eq!(gcc.rtt(), None);
    let at = |millis: u64| Time::ZERO + Span::from_millis(millis);
    let sent = Received { sent: at(10), arrived: at(30), bytes: PACKET, cluster: None };
    gcc.on_feedback(at(130), &[sent], 0, Span::from_millis(80));
    assert_eq!(gcc.rtt(), Some(Span::from_millis(40)));
}

#[test]
fn clusters_find_the_capacity_at_once() {
    // Packets of each cluster arrive at the capacity, 1.5 Mb/s, or as fast as they are sent.
    let mut gcc = Gcc::new(rate(30_000), rate(2_500_000));
    let mut now = Time::ZERO;
    let mut rates = Vec::new();
    while let Some(cluster) = gcc.poll_probe() {
        rates.push(cluster.rate);
        let bits = f64::from(PACKET) * 8.0;
        let [sent, come] =
            [cluster.rate, cluster.rate.min(1.5e6)].map(|rate| Span::from_secs_f64(bits / rate));
        let packet = |number: u64| Received {
            sent: now + sent * number,
            arrived: now + Span::from_millis(20) + come * number,
            bytes: PACKET,
            cluster: Some(cluster.id),
        };
        let packets: Vec<_> = (0..u64::from(cluster.packets)).map(packet).collect();
        now += Span::from_millis(150);
        gcc.on_feedback(now, &packets, 0, Span::ZERO);
    }
    // The second arrives at 1.5 of 1.8 Mb/s, which is more than 0.7 of it; the third, at the most, does not get through.
    assert_eq!(rates, [0.9e6, 1.8e6, 2.5e6]);
    assert!((gcc.target() / (0.95 * 1.5e6) - 1.0).abs() < 1e-3, "{}", gcc.target());
}

/// Any packet: sent at any time before or after it arrives, of any size, of a cluster or not.
fn packet() -> impl Strategy<Value = (u64, u64, u32, bool)> {
    (0u64..20_000_000_000, 0u64..20_000_000_000, 0u32..70_000, any::<bool>())
}

proptest! {
    /// The rate stays within its limits and finite, whatever is reported.
    #[test]
    fn the_rate_keeps_its_limits(
        least in 1u64..3_000_000,
        more in 0u64..100_000_000,
        sorted in any::<bool>(),
        reports in prop::collection::vec(
            (0u64..3_000_000_000, prop::collection::vec(packet(), 0..40), 0u32..100),
            1..60,
        ),
    ) {
        let (least, most) = (rate(least), rate(least + more));
        let mut gcc = Gcc::new(least, most);
        let mut now = Time::ZERO;
        for (after, mut packets, lost) in reports {
            now += Span(after);
            if sorted {
                packets.sort_unstable();
            }
            let ids = gcc.poll_probe().map(|cluster| cluster.id);
            let received = packets.into_iter().map(|(sent, arrived, bytes, probes)| {
                let cluster = ids.filter(|_| probes);
                Received { sent: Time(sent), arrived: Time(arrived), bytes, cluster }
            });
            gcc.on_feedback(now, &received.collect::<Vec<_>>(), lost, Span::ZERO);
            gcc.on_time(now);
            let limits = least.bits_per_second() as f64..=most.bits_per_second() as f64;
            prop_assert!(limits.contains(&gcc.target()), "{} of {limits:?}", gcc.target());
        }
    }
}
