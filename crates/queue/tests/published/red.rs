//! Floyd & Jacobson 1993, Fig. 2: the detailed algorithm, line by line, with f(t) the number of typical packets in t.

use crate::replay::{NAME, Packet, SEED, Served, config, drops, generated, mbps, recorded, replay};
use airfair_core::schema::Value;
use airfair_core::{Stream, Time};
use airfair_queue::account::Account;
use airfair_queue::discipline::{QueueDiscipline, Red, Setup};
use airfair_queue::occupancy::Occupancy;
use airfair_queue::{QueueConfig, QueueLimit};
use proptest::prelude::*;
use std::collections::VecDeque;

/// The average and the probability at each arrival.
type Seen = Vec<(f64, f64)>;

struct Ours {
    red: Red<Packet>,
    account: Account<Packet>,
    seen: Seen,
}

impl Served for Ours {
    fn arrive(&mut self, now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>) {
        let in_service = Occupancy { packets: in_service, bytes: 0 };
        self.red.enqueue(now, packet, in_service, &mut self.account);
        dropped.extend(std::iter::from_fn(|| self.account.poll_drop()));
        self.seen.push((self.red.average(), self.red.probability()));
    }

    fn next(&mut self, now: Time, _dropped: &mut Vec<Packet>) -> Option<Packet> {
        self.red.dequeue(now, &mut self.account)
    }
}

/// The paper's variables and parameters, and a queue of so many packets, the one in service among them.
struct Paper {
    queue: VecDeque<Packet>,
    limit: u32,
    busy: bool,
    avg: f64,
    q_time: f64,
    count: i64,
    w_q: f64,
    min_th: f64,
    max_th: f64,
    max_p: f64,
    s: f64,
    random: Stream,
    seen: Seen,
}

impl Served for Paper {
    fn arrive(&mut self, now: Time, packet: Packet, in_service: u32, dropped: &mut Vec<Packet>) {
        if self.busy {
            self.avg = (1.0 - self.w_q) * self.avg + self.w_q * self.queue.len() as f64;
        } else {
            let m = (now.as_secs() - self.q_time) / self.s;
            self.avg *= libm::pow(1.0 - self.w_q, m);
        }
        self.busy = true;
        let mut p_a = 0.0;
        let mut mark = false;
        if self.min_th <= self.avg && self.avg < self.max_th {
            self.count += 1;
            let p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th);
            let left = 1.0 - self.count as f64 * p_b;
            p_a = if left > 0.0 { (p_b / left).min(1.0) } else { 1.0 };
            mark = p_a > 0.0 && self.random.unit() < p_a;
            if mark {
                self.count = 0;
            }
        } else if self.max_th <= self.avg {
            (p_a, mark) = (1.0, true);
            self.count = 0;
        } else {
            self.count = -1;
        }
        self.seen.push((self.avg, p_a));
        if mark || self.queue.len() as u32 + in_service >= self.limit {
            dropped.push(packet);
        } else {
            self.queue.push_back(packet);
        }
    }

    fn next(&mut self, now: Time, _dropped: &mut Vec<Packet>) -> Option<Packet> {
        let packet = self.queue.pop_front();
        if packet.is_none() {
            self.busy = false;
            self.q_time = now.as_secs();
        }
        packet
    }
}

#[derive(Clone, Copy, Debug)]
struct Parameters {
    limit: u32,
    rate: u64,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
}

/// Replays arrivals through RED and the paper's algorithm, and asserts that both agree. Returns the number of drops,
/// early and late.
fn both(arrivals: &[Packet], with: Parameters) -> usize {
    let values = [
        ("min_threshold", Value::Number(with.min)),
        ("max_threshold", Value::Number(with.max)),
        ("max_p", Value::Number(with.max_p)),
        ("weight", Value::Number(with.weight)),
        ("mean_packet", Value::Bytes(1000)),
        ("gentle", Value::Flag(false)),
        ("wait", Value::Flag(false)),
    ];
    let rate = mbps(with.rate);
    let config: QueueConfig = config(QueueLimit::Packets(with.limit), "red", &values, rate);
    let red = Red::new(
        config.discipline.given(),
        &Setup { config: &config, seed: SEED, name: NAME, at: Time::ZERO },
    );
    let mut ours = Ours { red, account: Account::default(), seen: Vec::new() };
    let mut paper = Paper {
        queue: VecDeque::new(),
        limit: with.limit,
        busy: false,
        avg: 0.0,
        q_time: 0.0,
        count: -1,
        w_q: with.weight,
        min_th: with.min,
        max_th: with.max,
        max_p: with.max_p,
        s: 8000.0 / rate.bits_per_second() as f64,
        random: Stream::new(SEED, &format!("queue of {NAME}")),
        seen: Vec::new(),
    };
    let fates = replay(&mut ours, arrivals, rate);
    assert_eq!(fates, replay(&mut paper, arrivals, rate));
    for (number, (ours, paper)) in ours.seen.iter().zip(&paper.seen).enumerate() {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(near(ours.0, paper.0) && near(ours.1, paper.1), "packet {number}: {ours:?}, not {paper:?}");
    }
    assert_eq!(ours.seen.len(), arrivals.len());
    drops(&fates)
}

#[test]
fn recorded_arrivals_are_dropped_with_the_papers_probabilities() {
    let plain = Parameters { limit: 1000, rate: 9, min: 5.0, max: 15.0, max_p: 0.02, weight: 0.002 };
    for (with, wanted) in [
        (plain, 100..900),
        (Parameters { rate: 6, max: 60.0, ..plain }, 100..900),
        (Parameters { limit: 20, min: 2.0, max: 30.0, max_p: 0.1, weight: 0.02, ..plain }, 50..900),
        (Parameters { rate: 50, ..plain }, 0..1),
    ] {
        let drops = both(&recorded(), with);
        assert!(wanted.contains(&drops), "{drops} drops with {with:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn generated_arrivals_are_dropped_with_the_papers_probabilities(
        arrivals in generated(), limit in 1..200u32, rate in 1..20u64, min in 0.1..20.0f64, width in 0.1..40.0f64,
        max_p in 0.001..1.0f64, weight in 0.001..1.0f64,
    ) {
        both(&arrivals, Parameters { limit, rate, min, max: min + width, max_p, weight });
    }
}
