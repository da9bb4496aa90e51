//! Invariants of every discipline, with any parameters and arrivals.

use airfair_core::schema::{Kind, Value};
use airfair_core::{Rate, Span, Stream, Time};
use airfair_queue::discipline::DISCIPLINES;
use airfair_queue::{Discipline, FlowLabels, Occupancy, Queue, QueueConfig, QueueLimit, Queued};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Packet {
    number: usize,
    bytes: u32,
    flow: u64,
    capable: bool,
    /// How often the packet was marked: by one discipline, and by another after a change.
    marks: u32,
}

impl Queued for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn flow(&self) -> u64 {
        self.flow << 33 | 1
    }

    fn station(&self) -> u32 {
        self.flow as u32 % 3
    }

    fn mark(&mut self) -> bool {
        self.marks += u32::from(self.capable);
        self.capable
    }

    /// All packets of a flow give one answer: only then do they share a queue, and stay in order.
    fn is_scalable(&self) -> bool {
        self.flow >= 4
    }
}

/// Returns the labels of the flow with this number: there are two sources, three destinations, and a code point of each tin of `cake`.
fn labels(flow: u32) -> FlowLabels {
    FlowLabels { source: flow % 2, destination: flow % 3, dscp: [0, 8, 34, 46][flow as usize % 4] }
}

/// Disciplines that share airtime among stations.
const SHARING_AIR: [&str; 2] = ["airtime_drr", "mac80211"];

/// Returns the discipline with some of its parameters set to random allowed values.
fn with_random_parameters(name: &str, draws: &mut Stream) -> Discipline {
    let mut discipline = Discipline::named(name).expect("it is in the list");
    for parameter in discipline.parameters() {
        // From a thousandth to a thousand, as evenly in its logarithm as needed.
        let number = draws.uniform(1.0, 10.0) * [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0][draws.below(6) as usize];
        let value = match parameter.kind {
            Kind::Number(_) | Kind::Fraction | Kind::Segments(_) => Value::Number(number),
            Kind::Time(_) => Value::Time(Span::from_secs_f64(number / 100.0)),
            Kind::Bytes(_) => Value::Bytes(draws.below(3000)),
            Kind::Count(..) => Value::Count(number as u64),
            Kind::Rate => Value::Rate(Rate::from_hundred_kbps(1 + draws.below(1000))),
            Kind::Word(words) => Value::Word(words[draws.below(words.len() as u64) as usize]),
            Kind::Length(_) => Value::Length(number),
            Kind::Level(_) => Value::Level(number),
            Kind::Power(_) => Value::Power(number),
            Kind::Flag => Value::Flag(draws.below(2) == 1),
        };
        // A value out of range, or a contradiction, leaves the parameter as it is.
        let _ = discipline.set(&[(parameter.name, value)]);
    }
    discipline.set_labels(&(0..8).map(labels).collect());
    discipline
}

fn random_limit(draws: &mut Stream) -> QueueLimit {
    match draws.below(2) {
        0 => QueueLimit::Packets(1 + draws.below(50) as u32),
        _ => QueueLimit::Bytes(1500 + draws.below(50_000)),
    }
}

/// A queue whose server takes a packet now and then, and the fate of every packet.
struct Run {
    queue: Queue<Packet>,
    limit: QueueLimit,
    now: Time,
    in_service: Option<Packet>,
    left: Vec<Packet>,
    dropped: Vec<Packet>,
}

impl Run {
    fn arrive(&mut self, packet: Packet) {
        let in_service = self.in_service.as_ref().map(Occupancy::of).unwrap_or_default();
        let refuses = self.queue.refuses(in_service);
        let (drops, waiting) = (self.dropped.len(), self.queue.packets());
        self.queue.enqueue(self.now, packet, u32::from(self.in_service.is_some()));
        self.dropped.extend(std::iter::from_fn(|| self.queue.poll_drop()));
        if refuses {
            assert_eq!((&self.dropped[drops..], self.queue.packets()), (&[packet][..], waiting), "refused");
        }
        let held = match self.limit {
            QueueLimit::Packets(limit) => u64::from(limit) - u64::from(self.in_service.is_some()),
            QueueLimit::Bytes(limit) => limit - self.in_service.map_or(0, |packet| u64::from(packet.bytes)),
        };
        let waiting = match self.limit {
            QueueLimit::Packets(_) => u64::from(self.queue.packets()),
            QueueLimit::Bytes(_) => self.queue.bytes(),
        };
        assert!(waiting <= held, "{waiting} wait, {held} may");
    }

    fn change(&mut self, config: &QueueConfig, seed: u64) {
        self.queue.change(self.now, config, u32::from(self.in_service.is_some()), seed, "test");
        self.dropped.extend(std::iter::from_fn(|| self.queue.poll_drop()));
    }

    fn serve(&mut self, airtime: Span) {
        if let Some(served) = self.in_service.take() {
            self.queue.charge(self.now, served.station(), airtime);
        }
        let held = self.queue.packets();
        if !self.queue.is_empty() && self.now < self.queue.ready_at() {
            assert_eq!(self.queue.dequeue(self.now), None, "a shaper holds all packets back");
            self.now = self.queue.ready_at();
        }
        self.in_service = self.queue.dequeue(self.now);
        self.dropped.extend(std::iter::from_fn(|| self.queue.poll_drop()));
        assert!(self.in_service.is_some() || self.queue.is_empty(), "{held} waited, and none came");
        self.left.extend(self.in_service);
    }
}

/// Enqueues `each` packets of each flow at once, of random lengths. Returns the greatest length of each flow's packets.
fn backlog<const N: usize>(
    queue: &mut Queue<Packet>,
    draws: &mut Stream,
    flows: [u64; N],
    each: usize,
) -> [u64; N] {
    let longest = flows.map(|_| 1 + draws.below(9000));
    for number in 0..N * each {
        let (flow, longest) = (flows[number % N], longest[number % N]);
        let bytes = 1 + draws.below(longest) as u32;
        queue.enqueue(Time::ZERO, Packet { number, bytes, flow, capable: true, marks: 0 }, 0);
    }
    longest
}

/// Dequeues packets until the first of these flows has none of its `each` packets left. Returns the bytes that each flow has sent, after each packet
/// of theirs.
fn sent_of_backlog<const N: usize>(queue: &mut Queue<Packet>, flows: [u64; N], each: usize) -> Vec<[u64; N]> {
    let (mut sent, mut waiting, mut all) = ([0; N], [each; N], Vec::new());
    while waiting.iter().all(|&waiting| waiting > 0) {
        let packet = queue.dequeue(Time::ZERO).expect("a backlog");
        if let Some(of) = flows.iter().position(|&flow| flow == packet.flow) {
            sent[of] += u64::from(packet.bytes);
            waiting[of] -= 1;
            all.push(sent);
        }
    }
    all
}

/// Runs a thousand packets through the discipline of this name, or through others after it if it `changes`.
fn run(name: &str, changes: bool, seed: u64) -> Run {
    let mut draws = Stream::new(seed, "a queue's load");
    let discipline = with_random_parameters(name, &mut draws);
    let limit = random_limit(&mut draws);
    let rate = Rate::new(1_000_000 << draws.below(6)).expect("above zero");
    let queue = Queue::new(&QueueConfig { limit, discipline, rate, weights: Vec::new() }, seed, "test");
    let (left, dropped) = (Vec::new(), Vec::new());
    let mut run = Run { queue, limit, now: Time::ZERO, in_service: None, left, dropped };
    let load = 2 + draws.below(4);
    for number in 0..1000 {
        run.now += Span(draws.below(2_000_000));
        run.arrive(Packet {
            number,
            bytes: [40, 576, 1500][draws.below(3) as usize],
            flow: draws.below(8),
            capable: draws.below(2) == 1,
            marks: 0,
        });
        while draws.below(load) == 0 {
            run.now += Span(draws.below(1_000_000));
            run.serve(Span(draws.below(5_000_000)));
        }
        if changes && draws.below(20) == 0 {
            let next = DISCIPLINES[draws.below(DISCIPLINES.len() as u64) as usize].name;
            run.change(
                &QueueConfig {
                    limit,
                    discipline: with_random_parameters(next, &mut draws),
                    rate,
                    weights: Vec::new(),
                },
                seed,
            );
        }
        if draws.below(20) == 0 {
            run.queue.charge(run.now, draws.below(3) as u32, Span(draws.below(10_000_000)));
        }
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_are_conserved_in_order_and_counted(seed: u64) {
        for (description, changes) in DISCIPLINES.iter().flat_map(|it| [(it, false), (it, true)]) {
            let name = description.name;
            let mut run = run(name, changes, seed);
            let stats = *run.queue.stats();
            let waiting = run.queue.packets() as usize;
            prop_assert_eq!((stats.offered, stats.dropped()), (1000, run.dropped.len() as u64), "{}", name);
            prop_assert_eq!(run.left.len() + run.dropped.len() + waiting, 1000, "{}", name);
            for _ in 0..=waiting {
                run.serve(Span::from_millis(1));
            }
            prop_assert_eq!((run.queue.packets(), run.queue.bytes()), (0, 0), "{}", name);
            let mut numbers: Vec<usize> = run.left.iter().chain(&run.dropped).map(|packet| packet.number).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.iter().copied().eq(0..1000), "{}: every packet once", name);
            for flow in 0..8 {
                let of_flow = run.left.iter().filter(|packet| packet.flow == flow);
                prop_assert!(of_flow.is_sorted_by_key(|packet| packet.number), "{}: out of order", name);
            }
            let marks: u32 = run.left.iter().chain(&run.dropped).map(|packet| packet.marks).sum();
            prop_assert_eq!(run.queue.stats().discipline.marked, u64::from(marks), "{}", name);
        }
    }

    /// A station on hold gets nothing and loses nothing; the others are served on.
    #[test]
    fn stations_on_hold_wait(seed: u64) {
        for name in SHARING_AIR {
            let mut draws = Stream::new(seed, "a queue's load");
            let discipline = Discipline::named(name).expect("it is in the list");
            let (limit, rate) = (QueueLimit::Packets(10_000), Rate::new(11_000_000).expect("above zero"));
            let mut queue = Queue::new(&QueueConfig { limit, discipline, rate, weights: Vec::new() }, seed, "test");
            let (mut held, mut waiting, mut left) = ([false; 3], [0u32; 3], 0);
            for number in 0..1000 {
                let packet = Packet { number, bytes: 1500, flow: draws.below(8), capable: false, marks: 0 };
                queue.enqueue(Time::ZERO, packet, 1);
                waiting[packet.station() as usize] += 1;
                let station = draws.below(3) as usize;
                held[station] = draws.below(3) > 0;
                queue.hold(station as u32, held[station]);
                let ready = (0..3).any(|station| !held[station] && waiting[station] > 0);
                let served = queue.dequeue(Time::ZERO).map(|packet| packet.station());
                prop_assert_eq!(served.is_some(), ready, "{}", name);
                if let Some(station) = served {
                    prop_assert!(!held[station as usize], "{}: {} is on hold", name, station);
                    waiting[station as usize] -= 1;
                    left += 1;
                }
                // Airtime of earlier packets, in either direction.
                queue.charge(Time::ZERO, draws.below(3) as u32, Span(draws.below(5_000_000)));
            }
            (0..3).for_each(|station| queue.hold(station, false));
            left += std::iter::from_fn(|| queue.dequeue(Time::ZERO)).count();
            prop_assert_eq!(left, 1000, "{}", name);
        }
    }

    /// Stations with packets at all times share airtime by their weights: in quanta of its own, no station is ahead of
    /// another by more than one and its longest packet.
    #[test]
    fn weights_share_airtime(seed: u64) {
        for name in SHARING_AIR {
            let mut draws = Stream::new(seed, "a queue's load");
            let discipline = Discipline::named(name).expect("it is in the list");
            let (limit, rate) = (QueueLimit::Packets(10_000), Rate::new(11_000_000).expect("above zero"));
            let longest = [(); 3].map(|()| 1 + draws.below(5_000_000));
            // Quanta of 300 us for a weight of 256.
            let mut quanta = [300_000; 3];
            let mut weights = Vec::new();
            for (station, quantum) in (0..).zip(&mut quanta).skip(1) {
                let weight = 1 + draws.below(1000);
                weights.push((station, weight as u16));
                *quantum = *quantum * weight / 256;
            }
            let mut queue = Queue::new(&QueueConfig { limit, discipline, rate, weights }, seed, "test");
            for number in 0..6000 {
                let flow = number as u64 % 6;
                queue.enqueue(Time::ZERO, Packet { number, bytes: 1500, flow, capable: false, marks: 0 }, 1);
            }
            let (mut used, mut waiting) = ([0; 3], [2000; 3]);
            while waiting.iter().all(|&waiting| waiting > 0) {
                let station = queue.dequeue(Time::ZERO).expect("a backlog").station() as usize;
                let airtime = 1 + draws.below(longest[station]);
                queue.charge(Time::ZERO, station as u32, Span(airtime));
                used[station] += airtime;
                waiting[station] -= 1;
                for other in 0..3 {
                    let lead = (quanta[station] + longest[station]) * quanta[other];
                    let [own, others] = [used[station] * quanta[other], used[other] * quanta[station]];
                    prop_assert!(own <= others + lead, "{}: {:?} of {:?}", name, used, quanta);
                }
            }
        }
    }

    /// Flows with packets at all times share bytes, whatever the lengths of their packets: none is ahead of another by more than a turn and its
    /// longest packet.
    #[test]
    fn turns_share_bytes(seed: u64) {
        let mut draws = Stream::new(seed, "a queue's load");
        let quantum = 1 + draws.below(5000);
        let turn = Value::Bytes(quantum);
        // A turn of CAKE follows from the rate: a 4096th of the bytes in a second.
        let (rate, turn_of_cake) = (Rate::new(16_384_000).expect("above zero"), 500);
        let disciplines = [
            ("fq_codel", &[("quantum", turn)][..], quantum),
            ("mac80211", &[("quantum", turn)], quantum),
            ("fq", &[("quantum", turn), ("initial_quantum", turn), ("flow_limit", Value::Number(1000.0))], quantum),
            ("cake", &[], turn_of_cake),
        ];
        for (name, values, quantum) in disciplines {
            let mut discipline = Discipline::named(name).expect("it is in the list");
            discipline.set(values).expect("allowed");
            let limit = QueueLimit::Packets(10_000);
            // Flows of one station, which are hashed onto different queues.
            let mut queue = Queue::new(&QueueConfig { limit, discipline, rate, weights: Vec::new() }, 1, "test");
            // These leave first come, first served in `fq`.
            for number in 0..8 {
                queue.enqueue(Time::ZERO, Packet { number, bytes: 1, flow: 9, capable: false, marks: 0 }, 0);
            }
            let longest = backlog(&mut queue, &mut draws, [0, 3, 6], 300);
            for sent in sent_of_backlog(&mut queue, [0, 3, 6], 300) {
                let least = sent.iter().min().expect("three");
                let is_shared = (0..3).all(|of| sent[of] <= least + quantum + longest[of]);
                prop_assert!(is_shared, "{}: {:?} in turns of {}", name, sent, quantum);
            }
        }
    }

    /// While both queues of DualPI2 have packets, the Classic one's share of the bytes is the set one up to a packet, whatever the lengths.
    #[test]
    fn classic_packets_have_their_share_of_the_bytes(seed: u64) {
        let mut draws = Stream::new(seed, "a queue's load");
        let share = draws.uniform(0.01, 0.99);
        let mut discipline = Discipline::named("dualpi2").expect("it is in the list");
        discipline.set(&[("classic_share", Value::Number(share))]).expect("allowed");
        let (limit, rate) = (QueueLimit::Packets(10_000), Rate::new(11_000_000).expect("above zero"));
        let mut queue = Queue::new(&QueueConfig { limit, discipline, rate, weights: Vec::new() }, seed, "test");
        // Flows from number 4 on are of low latency.
        let longest = backlog(&mut queue, &mut draws, [0, 4], 1000);
        let most = longest.map(|bytes| bytes as f64 + 1e-3);
        for sent in sent_of_backlog(&mut queue, [0, 4], 1000) {
            let sent = sent.map(|bytes| bytes as f64);
            let ahead = sent[0] - share * (sent[0] + sent[1]);
            prop_assert!(-most[1] <= ahead && ahead <= most[0], "{:?} at {}", sent, share);
        }
    }

    /// The same seed gives the same bytes.
    #[test]
    fn a_run_is_repeatable(seed: u64) {
        for description in DISCIPLINES {
            let [first, second] = [run(description.name, true, seed), run(description.name, true, seed)];
            prop_assert_eq!((first.left, first.dropped), (second.left, second.dropped), "{}", description.name);
        }
    }
}

/// Flows and stations that send little are served however much others send: between two packets of one, no other gets more than
/// its turns' worth. (None of these seeds hashes two of the flows onto one queue.)
#[test]
fn round_robin_starves_nobody() {
    let disciplines = [
        ("fq_codel", &[("quantum", Value::Bytes(1500))][..]),
        ("fq", &[("quantum", Value::Bytes(1500)), ("initial_quantum", Value::Bytes(1500))]),
        ("airtime_drr", &[("quantum", Value::Time(Span::from_millis(1)))]),
        ("mac80211", &[("airtime_quantum", Value::Time(Span::from_millis(1)))]),
    ];
    for (seed, (name, quanta)) in (0..16).flat_map(|seed| disciplines.map(|discipline| (seed, discipline))) {
        let quiet = seed % 8;
        let mut discipline = Discipline::named(name).expect("it is in the list");
        discipline.set(quanta).expect("allowed");
        let rate = Rate::new(11_000_000).expect("above zero");
        let limit = QueueLimit::Packets(1000);
        let mut queue =
            Queue::new(&QueueConfig { limit, discipline, rate, weights: Vec::new() }, seed, "test");
        let mut draws = Stream::new(seed, "a queue's load");
        let mut waited = 0;
        for number in 0..2000 {
            // The others send all the time; the quiet one always has one packet waiting.
            let flow = draws.below(8);
            let loud = Packet { number, bytes: 1500, flow, capable: false, marks: 0 };
            let quiet_packet = Packet { flow: quiet, ..loud };
            if loud.station() != quiet_packet.station() && flow != quiet {
                queue.enqueue(Time::ZERO, loud, 1);
            }
            if waited == 0 {
                queue.enqueue(Time::ZERO, quiet_packet, 1);
            }
            let served = queue.dequeue(Time::ZERO).expect("one waits at least");
            queue.charge(Time::ZERO, served.station(), Span::from_millis(1));
            waited = if served.flow == quiet { 0 } else { waited + 1 };
            // Each of the other seven flows, or of the other two stations, has a turn of one packet, and one more while it is new.
            assert!(waited <= 14, "{name} made it wait for {waited} others");
        }
    }
}

#[test]
fn random_parameters_reach_every_parameter_of_every_discipline() {
    for description in DISCIPLINES {
        for parameter in description.parameters {
            let usual = Discipline::named(description.name).expect("it is in the list");
            let changed = (0..50).any(|seed| {
                let drawn = with_random_parameters(description.name, &mut Stream::new(seed, "parameters"));
                drawn.value(parameter.name) != usual.value(parameter.name)
            });
            assert!(changed, "{} of {}", parameter.name, description.name);
        }
    }
}

/// Frames below the queue count against its limit, and may fill it alone: then a packet that comes is dropped, also where a flow whose
/// last packet has gone still has its turn.
#[test]
fn a_packet_that_finds_the_limit_used_up_below_the_queue_is_dropped() {
    for description in DISCIPLINES {
        let discipline = Discipline::named(description.name).expect("it is in the list");
        let rate = Rate::new(1_000_000).expect("above zero");
        let config = QueueConfig { limit: QueueLimit::Packets(5), discipline, rate, weights: Vec::new() };
        let mut queue: Queue<Packet> = Queue::new(&config, 1, "queue");
        let packet = |number| Packet { number, bytes: 1000, flow: number as u64, capable: false, marks: 0 };
        queue.enqueue(Time::ZERO, packet(1), 0);
        assert!(queue.dequeue(Time::ZERO).is_some());
        queue.enqueue(Time::ZERO, packet(2), 7);
        assert_eq!((queue.packets(), queue.stats().dropped()), (0, 1), "{}", description.name);
    }
}
