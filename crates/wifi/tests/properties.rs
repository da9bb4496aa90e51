//! Invariants that hold for any frames: nothing is lost without being counted, nothing overtakes, nothing gets stuck, nothing
//! overlaps.

use airfair_core::{LossModel, LossProbability, LossUnit, Phase, Rate, Span, SpanSum, Time};
use airfair_queue::discipline::DISCIPLINES;
use airfair_wifi::config::{Discipline, QueueConfig, QueueLimit};
use airfair_wifi::{
    BssConfig, Delivery, Frame, FrameLoss, FrameLossDirection, FrameLossPosition, LossyFrames, MacSettings,
    Payload, Phy, Preamble, Protection, SharedMedium, StationConfig,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn rate(hundred_kbps: u64) -> Rate {
    Rate::from_hundred_kbps(hundred_kbps)
}

fn phy() -> impl Strategy<Value = Phy> {
    prop_oneof![
        Just(Phy::ieee80211dsss(rate(10))),
        Just(Phy::ieee80211b(Preamble::Long, rate(20))),
        Just(Phy::ieee80211b(Preamble::Short, rate(20))),
        Just(Phy::ieee80211a(rate(240))),
        Just(Phy::ieee80211g(rate(60))),
        Just(Phy::ns2(rate(110), rate(110), 144, 48)),
        Just(Phy::ns2(rate(20), rate(10), 144, 48)),
    ]
}

fn loss() -> impl Strategy<Value = Option<FrameLoss>> {
    let probability = (0.0..0.5, 0.5..1.0, 0u64..50, 0u64..50).prop_map(|(good, bad, good_ms, bad_ms)| {
        let (mean_good, mean_bad) = (Span::from_millis(good_ms), Span::from_millis(bad_ms));
        LossProbability::GilbertElliott { good, bad, mean_good, mean_bad }
    });
    let bursts = probability.prop_map(|probability| LossModel { probability, of: LossUnit::Packet });
    let model = prop_oneof![
        (0.0..1.0).prop_map(LossModel::bernoulli),
        (0.0..1e-4).prop_map(|share| LossModel { of: LossUnit::Bit, ..LossModel::bernoulli(share) }),
        bursts,
    ];
    let position = prop_oneof![3 => Just(FrameLossPosition::Mac), 1 => Just(FrameLossPosition::AboveMac)];
    let frames = prop_oneof![4 => Just(LossyFrames::Data), 1 => Just(LossyFrames::All)];
    let direction = prop_oneof![Just(FrameLossDirection::Both), Just(FrameLossDirection::To)];
    let loss = (model, position, frames, direction)
        .prop_map(|(model, position, frames, direction)| FrameLoss { model, position, frames, direction });
    prop::option::of(loss)
}

fn queue(frames: u32, discipline: &str, rate: Rate) -> QueueConfig {
    let discipline = Discipline::named(discipline).unwrap();
    QueueConfig { limit: QueueLimit::Packets(frames), discipline, rate, weights: Vec::new() }
}

fn config() -> impl Strategy<Value = BssConfig> {
    let discipline = prop_oneof![3 => Just("drop_tail"), 1 => (0..DISCIPLINES.len()).prop_map(|index| DISCIPLINES[index].name)];
    let station = (0usize..8, 0usize..8, 1u32..6, discipline, loss());
    let limits = (1u32..8, 1u32..5);
    let capture = prop_oneof![Just(0.0), 0.0..1.0];
    (phy(), prop::option::of(0u32..2000), limits, capture, prop::collection::vec(station, 2..12)).prop_map(
        |(phy, rts_threshold, (short_retry_limit, long_retry_limit), capture, stations)| {
            let any = [rate(110)];
            let rates = if phy.data_rates.is_empty() { &any[..] } else { phy.data_rates };
            let station = |(index, (choice, ap_choice, frames, discipline, loss))| {
                let data_rate: Rate = rates[choice % rates.len()];
                let queue = queue(frames, discipline, data_rate);
                let ap_data_rate = rates[ap_choice % rates.len()];
                let name = format!("station {index}");
                StationConfig {
                    name,
                    data_rate,
                    ap_data_rate,
                    queue,
                    loss,
                    place: None,
                    hears: None,
                    qos: None,
                }
            };
            let stations = (0..).zip(stations).map(station);
            let stations = stations.collect();
            let mac = MacSettings { rts_threshold, short_retry_limit, long_retry_limit, capture };
            BssConfig {
                phy,
                mac,
                protection: Protection::None,
                announcements: Vec::new(),
                radio: None,
                stations,
            }
        },
    )
}

/// An arrival of a frame: the pause before it in microseconds, its sender, its receiver and its bytes.
type Arrival = (u64, u32, u32, u32);

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let pause = prop_oneof![3 => Just(0u64), 3 => 0u64..400, 1 => 0u64..20_000];
    prop::collection::vec((pause, 0u32..12, 0u32..12, 0u32..2000), 1..200)
}

/// A frame's sender, its number and its bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Tag {
    from: u32,
    number: u64,
    bytes: u32,
}

impl Payload for Tag {
    fn phase(&self) -> Phase {
        Phase::FIRST
    }

    fn flow(&self) -> u64 {
        u64::from(self.bytes % 3)
    }

    fn mark(&mut self) -> bool {
        self.number.is_multiple_of(2)
    }
}

/// Drives a BSS and checks its invariants at every step.
struct Watch {
    bss: SharedMedium<Tag>,
    config: BssConfig,
    now: Time,
    next_number: Vec<u64>,
    /// For each station, the least number that the next frame that arrives or is given up may have, if nothing may overtake.
    expected: Vec<u64>,
    delivered: u64,
    given_up: u64,
    loses_acks: bool,
    /// For each station, the numbers of the frames that have left, if departures are watched.
    departed: Option<Vec<BTreeSet<u64>>>,
}

impl Watch {
    fn new(config: BssConfig, seed: u64, tells_departures: bool) -> Watch {
        let stations = config.stations.len();
        let mut bss = SharedMedium::new(&config, seed);
        if tells_departures {
            (0..stations as u32).for_each(|station| bss.watch_departures(station));
        }
        let zeros = vec![0; stations];
        let loses_acks =
            config.stations.iter().any(|it| it.loss.is_some_and(|loss| loss.frames == LossyFrames::All));
        Watch {
            bss,
            config,
            now: Time::ZERO,
            next_number: zeros.clone(),
            expected: zeros,
            delivered: 0,
            given_up: 0,
            loses_acks,
            departed: tells_departures.then(|| vec![BTreeSet::new(); stations]),
        }
    }

    fn enqueue(&mut self, from: u32, to: u32, bytes: u32) {
        let number = self.next_number[from as usize];
        let held = self.bss.queue_frames(from);
        let payload = Tag { from, number, bytes };
        let accepted = self.bss.enqueue(self.now, from, Frame { to, bytes, payload });
        self.next_number[from as usize] += 1;
        let queue = &self.config.stations[from as usize].queue;
        if queue.discipline == Discipline::default() {
            assert_eq!(self.bss.queue_frames(from), held + u32::from(accepted));
            let QueueLimit::Packets(limit) = queue.limit else { panic!("limits are in frames here") };
            assert!(self.bss.queue_frames(from) <= limit);
        }
        self.check();
    }

    /// Notes that a frame leaves its station.
    fn note_end(&mut self, Tag { from, number, .. }: Tag) {
        let keeps_order = !["fq_codel", "airtime_drr", "mac80211", "cake", "fq"]
            .contains(&self.config.stations[from as usize].queue.discipline.name());
        assert!(!keeps_order || number >= self.expected[from as usize], "a frame overtook another");
        self.expected[from as usize] = number + 1;
    }

    fn on_deadline(&mut self) {
        let due = self.bss.next_deadline();
        assert!(due >= self.now, "time runs backwards");
        self.now = due;
        self.bss.on_deadline(due);
        if let Some(delivery) = self.bss.poll_delivery().map(Delivery::copied) {
            assert_eq!(delivery.payload.from, delivery.from);
            self.note_end(delivery.payload);
            self.delivered += 1;
        }
        while let Some(failure) = self.bss.poll_failure() {
            self.note_end(failure.payload);
            self.given_up += 1;
        }
        self.check();
    }

    /// Checks the invariants that hold after every call.
    fn check(&mut self) {
        while let Some(Tag { from, number, .. }) = self.bss.poll_departure() {
            let departed = self.departed.as_mut().expect("it is watched");
            assert!(departed[from as usize].insert(number), "it leaves once");
        }
        for (station, departed) in (0..).zip(self.departed.iter().flatten()) {
            let held = u64::from(self.bss.queue_frames(station));
            assert_eq!(departed.len() as u64 + held, self.next_number[station as usize]);
        }
        let backlogged = (0..self.config.stations.len() as u32).any(|s| self.bss.queue_frames(s) > 0);
        assert!(!backlogged || self.bss.next_deadline() < Time::NEVER, "stuck");
        let (mut airtime, mut attempts, mut delivered, mut lost_errors) = (SpanSum::default(), 0, 0, 0);
        for station in 0..self.config.stations.len() as u32 {
            let stats = self.bss.station_stats(station);
            let gone = stats.delivered + stats.queue.dropped() + stats.dropped_retries;
            // A frame whose ACK was lost has arrived and is still held.
            let held = u64::from(self.bss.queue_frames(station));
            let twice = gone + held - stats.queue.offered;
            assert!(twice <= u64::from(held > 0 && self.loses_acks));
            assert_eq!(stats.queue.offered, self.next_number[station as usize]);
            airtime += stats.airtime;
            attempts += stats.attempts;
            delivered += stats.delivered;
            lost_errors += stats.lost_errors;
        }
        let medium = self.bss.medium_stats();
        assert_eq!(airtime - medium.overlap, medium.busy.into());
        assert_eq!((attempts, delivered), (medium.attempts, medium.delivered));
        assert_eq!(delivered, self.delivered + lost_errors);
        // A queue with a discipline is asked when the ACK ends, while another frame of a collision may be on the air.
        let drop_tail = |it: &StationConfig| it.queue.discipline == Discipline::default();
        if self.config.mac.capture == 0.0 || self.config.stations.iter().all(drop_tail) {
            assert!(medium.busy <= self.bss.next_deadline() - Time::ZERO, "busier than time allows");
        }
    }
}

/// The readings of a BSS at an instant.
struct Reading {
    at: Time,
    airtimes: Vec<Span>,
    busy: Span,
    held: Vec<SpanSum>,
}

impl Reading {
    fn of(bss: &SharedMedium<Tag>, at: Time, stations: u32) -> Reading {
        let airtimes = (0..stations).map(|station| bss.airtime(at, station)).collect();
        let held = (0..stations).map(|station| bss.occupancy(at, station).held).collect();
        Reading { at, airtimes, busy: bss.busy(at), held }
    }
}

proptest! {
    /// Whenever they are read, the airtimes of a station and of the medium grow by no more than the time that has passed, and
    /// the occupancy of a queue by no more than it may hold.
    #[test]
    fn no_window_holds_more_airtime_than_time(
        config in config(), arrivals in arrivals(), seed in 0u64..1000, window_us in 200u64..5000,
    ) {
        let stations = config.stations.len() as u32;
        let mut bss = SharedMedium::new(&config, seed);
        let (mut arrivals, mut arrives) = (arrivals.into_iter(), Time::ZERO);
        let mut next = arrivals.next();
        let mut before = Reading::of(&bss, Time::ZERO, stations);
        while next.is_some() || bss.next_deadline() < Time::NEVER {
            let read = before.at + Span::from_micros(window_us);
            let enters = next.map_or(Time::NEVER, |(pause, ..)| arrives + Span::from_micros(pause));
            if read <= enters && read <= bss.next_deadline() {
                bss.settle(read);
                let now = Reading::of(&bss, read, stations);
                let window = read - before.at;
                let mut used = 0;
                for station in 0..stations as usize {
                    let airtime = now.airtimes[station].0.checked_sub(before.airtimes[station].0);
                    prop_assert!(airtime.is_some_and(|airtime| airtime <= window.0), "airtime: {airtime:?}");
                    used += airtime.unwrap_or(0);
                    let QueueLimit::Packets(limit) = config.stations[station].queue.limit else { panic!("frames") };
                    let held = now.held[station].0.checked_sub(before.held[station].0);
                    prop_assert!(held.is_some_and(|held| held <= window.times(limit).0), "held: {held:?}");
                }
                let busy = now.busy.0.checked_sub(before.busy.0);
                prop_assert!(busy.is_some_and(|busy| busy <= window.0 && busy <= used), "busy: {busy:?} of {used}");
                before = now;
            } else if let Some((_, from, to, bytes)) = next
                && enters < bss.next_deadline()
            {
                let (from, to) = (from % stations, to % stations);
                if from != to {
                    bss.enqueue(enters, from, Frame { to, bytes, payload: Tag { from, number: 0, bytes } });
                }
                (arrives, next) = (enters, arrivals.next());
            } else {
                bss.on_deadline(bss.next_deadline());
            }
        }
    }

    #[test]
    fn every_frame_is_accounted_for(
        config in config(), arrivals in arrivals(), seed in 0u64..1000, tells_departures in prop::bool::ANY,
    ) {
        let stations = config.stations.len() as u32;
        let mut watch = Watch::new(config, seed, tells_departures);
        for (pause_us, from, to, bytes) in arrivals {
            let (from, to) = (from % stations, to % stations);
            let arrives = watch.now + Span::from_micros(pause_us);
            while watch.bss.next_deadline() <= arrives {
                watch.on_deadline();
            }
            watch.now = arrives;
            if from != to {
                watch.enqueue(from, to, bytes);
            }
        }
        let mut steps = 0;
        while watch.bss.next_deadline() < Time::NEVER {
            watch.on_deadline();
            steps += 1;
            prop_assert!(steps < 100_000, "it never comes to rest");
        }
        for station in 0..stations {
            prop_assert_eq!(watch.bss.queue_frames(station), 0);
        }
        let drops: u64 = (0..stations).map(|s| watch.bss.station_stats(s).dropped_retries).sum();
        prop_assert_eq!(watch.given_up, drops);
    }

    #[test]
    fn exchanges_never_overlap(config in config(), arrivals in arrivals(), seed in 0u64..1000) {
        let mac = MacSettings { capture: 0.0, ..config.mac };
        let config = BssConfig { mac, ..config };
        let stations = config.stations.len() as u32;
        let mut bss = SharedMedium::new(&config, seed);
        let mut now = Time::ZERO;
        let mut free_from = Time::ZERO;
        let mut arrivals = arrivals.into_iter();
        let mut next_arrival = arrivals.next();
        loop {
            let arrives = next_arrival.map_or(Time::NEVER, |(pause, ..)| now + Span::from_micros(pause));
            if let Some((_, from, to, bytes)) = next_arrival
                && arrives < bss.next_deadline()
            {
                now = arrives;
                let (from, to) = (from % stations, to % stations);
                if from != to {
                    bss.enqueue(now, from, Frame { to, bytes, payload: Tag { from, number: 0, bytes } });
                }
                next_arrival = arrivals.next();
                continue;
            }
            if bss.next_deadline() == Time::NEVER {
                break;
            }
            now = bss.next_deadline();
            bss.on_deadline(now);
            if let Some(delivery) = bss.poll_delivery() {
                let phy = &config.phy;
                let rate = match delivery.from {
                    0 => config.stations[delivery.to as usize].ap_data_rate,
                    from => config.stations[from as usize].data_rate,
                };
                let starts = now - phy.data(delivery.payload.bytes, rate);
                prop_assert!(starts >= free_from, "{starts} is before {free_from}");
                free_from = now + phy.sifs + phy.ack(rate) + phy.difs;
            }
        }
    }
}
