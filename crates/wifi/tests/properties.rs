//! Whatever comes: nothing is lost without being counted, nothing overtakes, nothing gets stuck, nothing overlaps.

use airfair_core::{Rate, Span, Time};
use airfair_wifi::{Bss, BssConfig, Frame, FrameErrors, Phy, Preamble, StationConfig};
use proptest::prelude::*;

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

fn errors() -> impl Strategy<Value = FrameErrors> {
    prop_oneof![
        3 => Just(FrameErrors::None),
        1 => (0.0..1.0).prop_map(FrameErrors::Constant),
        1 => (0.0..1e-4).prop_map(FrameErrors::PerBit),
        1 => (0.0..0.5, 0.5..1.0, 0u64..50, 0u64..50).prop_map(|(good, bad, good_ms, bad_ms)| {
            let (mean_good, mean_bad) = (Span::from_millis(good_ms), Span::from_millis(bad_ms));
            FrameErrors::TwoState { good, bad, mean_good, mean_bad }
        }),
    ]
}

fn config() -> impl Strategy<Value = BssConfig> {
    let station = (0usize..8, 1u32..6, errors());
    let limits = (1u32..8, 1u32..5);
    let capture = prop_oneof![Just(0.0), 0.0..1.0];
    (phy(), prop::option::of(0u32..2000), limits, capture, prop::collection::vec(station, 2..12)).prop_map(
        |(phy, rts_threshold, (short_retry_limit, long_retry_limit), capture, stations)| {
            let any = [rate(110)];
            let rates = if phy.data_rates.is_empty() { &any[..] } else { phy.data_rates };
            let stations = (0..).zip(stations).map(|(index, (choice, queue_frames, errors))| StationConfig {
                name: format!("station {index}"),
                data_rate: rates[choice % rates.len()],
                queue_frames,
                errors,
            });
            let stations = stations.collect();
            BssConfig { phy, rts_threshold, short_retry_limit, long_retry_limit, capture, stations }
        },
    )
}

/// Pause before it in us, sender, receiver and bytes of a frame.
type Arrival = (u64, u32, u32, u32);

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let pause = prop_oneof![3 => Just(0u64), 3 => 0u64..400, 1 => 0u64..20_000];
    prop::collection::vec((pause, 0u32..12, 0u32..12, 0u32..2000), 1..200)
}

/// Drives a BSS and holds its promises against every step.
struct Watch {
    bss: Bss<(u32, u64)>,
    config: BssConfig,
    now: Time,
    next_number: Vec<u64>,
    /// The number that the next frame of each station that arrives or is given up must at least have.
    expected: Vec<u64>,
    delivered: u64,
    given_up: u64,
}

impl Watch {
    fn new(config: BssConfig, seed: u64) -> Watch {
        let stations = config.stations.len();
        let bss = Bss::new(&config, seed);
        let zeros = vec![0; stations];
        Watch {
            bss,
            config,
            now: Time::ZERO,
            next_number: zeros.clone(),
            expected: zeros,
            delivered: 0,
            given_up: 0,
        }
    }

    fn enqueue(&mut self, from: u32, to: u32, bytes: u32) {
        let number = self.next_number[from as usize];
        let held = self.bss.queue_frames(from);
        let accepted = self.bss.enqueue(self.now, from, Frame { to, bytes, payload: (from, number) });
        self.next_number[from as usize] += 1;
        assert_eq!(self.bss.queue_frames(from), held + u32::from(accepted));
        assert!(self.bss.queue_frames(from) <= self.config.stations[from as usize].queue_frames);
        self.check();
    }

    fn on_deadline(&mut self) {
        let due = self.bss.next_deadline();
        assert!(due >= self.now, "time runs backwards");
        self.now = due;
        self.bss.on_deadline(due);
        if let Some(delivery) = self.bss.poll_delivery() {
            let (from, number) = delivery.payload;
            assert_eq!(from, delivery.from);
            assert!(number >= self.expected[from as usize], "a frame overtook another");
            self.expected[from as usize] = number + 1;
            self.delivered += 1;
        }
        while let Some(failure) = self.bss.poll_failure() {
            let (from, number) = failure.payload;
            assert!(number >= self.expected[from as usize], "a frame overtook another");
            self.expected[from as usize] = number + 1;
            self.given_up += 1;
        }
        assert!(self.bss.poll_delivery().is_none());
        self.check();
    }

    /// What holds after every call.
    fn check(&mut self) {
        let backlogged = (0..self.config.stations.len() as u32).any(|s| self.bss.queue_frames(s) > 0);
        assert!(!backlogged || self.bss.next_deadline() < Time::NEVER, "stuck");
        let (mut airtime, mut attempts, mut delivered) = (Span::ZERO, 0, 0);
        for station in 0..self.config.stations.len() as u32 {
            let stats = self.bss.station_stats(station);
            let gone = stats.delivered_frames + stats.drops_queue + stats.drops_retry;
            assert_eq!(stats.offered_frames, gone + u64::from(self.bss.queue_frames(station)));
            assert_eq!(stats.offered_frames, self.next_number[station as usize]);
            airtime += stats.airtime;
            attempts += stats.attempts;
            delivered += stats.delivered_frames;
        }
        let medium = self.bss.medium_stats();
        assert_eq!(airtime, medium.busy + medium.overlap);
        assert_eq!((attempts, delivered), (medium.attempts, medium.delivered_frames));
        assert_eq!(delivered, self.delivered);
        assert!(medium.busy <= self.bss.next_deadline() - Time::ZERO, "busier than time allows");
    }
}

proptest! {
    #[test]
    fn every_frame_is_accounted_for(config in config(), arrivals in arrivals(), seed in 0u64..1000) {
        let stations = config.stations.len() as u32;
        let mut watch = Watch::new(config, seed);
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
        let drops: u64 = (0..stations).map(|s| watch.bss.station_stats(s).drops_retry).sum();
        prop_assert_eq!(watch.given_up, drops);
    }

    #[test]
    fn exchanges_never_overlap(config in config(), arrivals in arrivals(), seed in 0u64..1000) {
        let config = BssConfig { capture: 0.0, ..config };
        let stations = config.stations.len() as u32;
        let mut bss = Bss::new(&config, seed);
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
                    bss.enqueue(now, from, Frame { to, bytes, payload: bytes });
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
                let rate = config.stations[delivery.from as usize].data_rate;
                let starts = now - phy.data(delivery.payload, rate);
                prop_assert!(starts >= free_from, "{starts} is before {free_from}");
                free_from = now + phy.sifs + phy.ack(rate) + phy.difs;
            }
        }
    }
}
