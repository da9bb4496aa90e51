//! Tests of exchanges whose timing can be worked out by hand.

use super::*;
use crate::config::{Discipline, MacSettings, Protection, QueueConfig, QueueLimit, StationConfig};
use crate::phy::Preamble;
use crate::phy::errors::FrameLoss;
use crate::phy::{AfterCollision, Phy};
use airfair_core::schema::Settings;
use airfair_core::{LossModel, Moment, Phase, Rate, Span};

mod change;
mod frame_loss;
mod log;
mod queues;

const START: Time = Time(1_000_000);

impl Payload for u32 {
    fn phase(&self) -> Phase {
        Phase::FIRST
    }

    fn flow(&self) -> u64 {
        u64::from(*self)
    }

    fn mark(&mut self) -> bool {
        false
    }
}

fn queue(frames: u32) -> QueueConfig {
    let discipline = Discipline::default();
    QueueConfig { limit: QueueLimit::Packets(frames), discipline, rate: rate(110), weights: Vec::new() }
}

fn rate(hundred_kbps: u64) -> Rate {
    Rate::from_hundred_kbps(hundred_kbps)
}

fn us(micros: u64) -> Span {
    Span::from_micros(micros)
}

fn config(phy: Phy, data_rate: Rate, stations: u32) -> BssConfig {
    let station = |index| StationConfig {
        name: format!("station {index}"),
        data_rate,
        ap_data_rate: data_rate,
        queue: queue(50),
        loss: None,
        place: None,
        hears: None,
        qos: None,
    };
    BssConfig {
        phy,
        mac: MacSettings::column(0),
        protection: Protection::None,
        announcements: Vec::new(),
        radio: None,
        stations: (0..stations).map(station).collect(),
    }
}

fn ieee80211b() -> BssConfig {
    config(Phy::ieee80211b(Preamble::Long, rate(20)), rate(110), 4)
}

fn frame(to: u32, payload: u32) -> Frame<u32> {
    Frame { to, bytes: 1500, payload }
}

/// Returns when the next frame arrives, and its sender.
fn next_delivery(bss: &mut SharedMedium<u32>) -> (Time, u32) {
    for _ in 0..1000 {
        let now = bss.next_deadline();
        assert!(now < Time::NEVER, "nothing is on the way");
        bss.on_deadline(now);
        if let Some(delivery) = bss.poll_delivery() {
            return (now, delivery.from);
        }
    }
    panic!("nothing arrives");
}

#[test]
fn on_air_idle_for_difs_a_frame_goes_at_once() {
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)));
    // The data frame lasts 192 us and 1536 bytes at 11 Mb/s.
    assert_eq!(next_delivery(&mut bss), (START + us(1310), 1));
    // The airtime includes SIFS and an ACK at 2 Mb/s.
    assert_eq!(bss.station_stats(1).airtime, us(1310 + 10 + 192 + 56));
    assert_eq!(bss.next_deadline(), Time::NEVER);
}

#[test]
fn an_ofdm_exchange_lasts_whole_symbols() {
    let mut bss = SharedMedium::new(&config(Phy::ieee80211a(rate(240)), rate(540), 2), 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)));
    assert_eq!(next_delivery(&mut bss), (START + us(20 + 57 * 4), 1));
    assert_eq!(bss.station_stats(1).airtime, us(248 + 16 + 28));
}

#[test]
fn rts_and_cts_go_before_long_frames_only() {
    let mut long = ieee80211b();
    long.phy = Phy::ieee80211b(Preamble::Long, rate(10));
    long.mac.rts_threshold = Some(1500);
    let mut bss = SharedMedium::new(&long, 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)));
    // The exchange is RTS 352, SIFS, CTS 304, SIFS, data.
    assert_eq!(next_delivery(&mut bss), (START + us(352 + 10 + 304 + 10 + 1310), 1));
    long.mac.rts_threshold = Some(1501);
    let mut bss = SharedMedium::new(&long, 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)));
    assert_eq!(next_delivery(&mut bss), (START + us(1310), 1));
}

#[test]
fn after_an_exchange_slots_count_difs_later() {
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    for number in 0..100 {
        assert_eq!(bss.enqueue(START, 1, frame(0, number)), number < 50);
    }
    let mut last = next_delivery(&mut bss).0;
    let mut slots = [0u32; 32];
    for _ in 1..50 {
        let now = next_delivery(&mut bss).0;
        let waited = now - (last + us(10 + 248 + 50 + 1310));
        assert_eq!(waited.0 % us(20).0, 0);
        slots[(waited / us(20)) as usize] += 1;
        last = now;
    }
    assert!(slots[..16].iter().sum::<u32>() > 10 && slots[16..].iter().sum::<u32>() > 10);
}

#[test]
fn frames_that_arrive_while_the_air_is_busy_draw_a_backoff() {
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    bss.enqueue(START, 1, frame(0, 0));
    bss.enqueue(START + us(1), 2, frame(0, 0));
    let idle = next_delivery(&mut bss).0 + us(10 + 248);
    let (arrives, from) = next_delivery(&mut bss);
    assert_eq!(from, 2);
    let waited = arrives - (idle + us(50 + 1310));
    assert!(waited.0.is_multiple_of(us(20).0) && waited <= us(31 * 20));
}

#[test]
fn a_backoff_after_the_last_frame_delays_the_next() {
    let mut ready = Vec::new();
    for seed in 0..40 {
        let mut bss = SharedMedium::new(&ieee80211b(), seed);
        bss.enqueue(START, 1, frame(0, 0));
        let idle = next_delivery(&mut bss).0 + us(10 + 248);
        let arrival = idle + us(50 + 310);
        bss.enqueue(arrival, 1, frame(0, 1));
        ready.push(next_delivery(&mut bss).0 - us(1310) - arrival);
    }
    // The 31-slot window is half over: some must still wait, a whole number of slots after DIFS, others may go.
    assert!(ready.contains(&Span::ZERO));
    assert!(ready.iter().any(|wait| *wait > Span::ZERO));
    assert!(ready.iter().all(|wait| *wait == Span::ZERO || (wait.0 + us(310).0).is_multiple_of(us(20).0)));
}

/// Returns a BSS with windows of no slots: all stations that wait collide, again and again.
fn collide(after_collision: AfterCollision) -> SharedMedium<u32> {
    let mut config = ieee80211b();
    (config.phy.cw_min, config.phy.cw_max) = (0, 0);
    config.phy.access.after_collision = after_collision;
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    bss.enqueue(START + us(5), 2, frame(0, 0));
    bss.enqueue(START + us(5), 3, Frame { to: 0, bytes: 400, payload: 0 });
    assert_eq!(next_delivery(&mut bss), (START + us(1310), 1));
    bss
}

#[test]
fn senders_of_collided_frames_wait_for_their_timeouts() {
    let mut bss = collide(AfterCollision::Listeners);
    let begin = START + us(1310 + 10 + 248 + 50);
    // The ends of the long and the short frame.
    let long_end = begin + us(1310);
    // That they collide needs no deadline before one of the frames ends.
    assert!(begin < bss.next_deadline() && bss.next_deadline() <= long_end);
    bss.on_deadline(begin);
    assert_eq!(bss.next_deadline(), long_end);
    bss.on_deadline(long_end);
    assert_eq!(bss.medium_stats().collisions, 1);
    assert_eq!(bss.medium_stats().overlap, us(192 + 318).into());
    assert_eq!([1, 2, 3].map(|station| bss.station_stats(station).airtime), [1568, 1310, 192 + 318].map(us));
    assert_eq!((bss.medium_stats().exchanges, bss.medium_stats().attempts), (1, 3));
    assert_eq!([1, 2, 3].map(|station| bss.station_stats(station).served), [1, 1, 1]);
    // The sender of the long frame waits for the ACK timeout, SIFS + slot + 192. The timeout of the short frame's
    // sender is over: DIFS after the end of the long frame comes later.
    assert_eq!(next_delivery(&mut bss), (long_end + us(50 + 192 + 318), 3));
    assert_eq!(bss.station_stats(3).retries, 1);
}

#[test]
fn listeners_wait_eifs_after_a_collision() {
    let mut bss = collide(AfterCollision::Everybody);
    let begin = START + us(1310 + 10 + 248 + 50);
    bss.on_deadline(begin);
    bss.on_deadline(begin + us(1310));
    // The long frame's sender heard nothing after it; the short one's waits EIFS.
    assert_eq!(next_delivery(&mut bss), (begin + us(1310 + 222 + 1310), 2));
}

#[test]
fn collisions_end_at_the_retry_limit() {
    let mut config = ieee80211b();
    (config.phy.cw_min, config.phy.cw_max) = (0, 0);
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    bss.enqueue(START + us(5), 2, frame(0, 7));
    bss.enqueue(START + us(5), 3, frame(0, 8));
    let mut given_up = Vec::new();
    while bss.next_deadline() < Time::NEVER {
        bss.on_deadline(bss.next_deadline());
        while let Some(failure) = bss.poll_failure() {
            given_up.push(failure.payload);
        }
    }
    given_up.sort_unstable();
    assert_eq!(given_up, [7, 8]);
    for station in [2, 3] {
        let stats = bss.station_stats(station);
        assert_eq!((stats.attempts, stats.collisions, stats.retries), (7, 7, 6));
        assert_eq!((stats.dropped_retries, stats.delivered), (1, 0));
    }
}

#[test]
fn a_captured_frame_arrives() {
    let mut config = ieee80211b();
    (config.phy.cw_min, config.phy.cw_max) = (0, 0);
    config.mac.capture = 1.0;
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    bss.enqueue(START + us(5), 2, frame(0, 7));
    bss.enqueue(START + us(5), 3, frame(0, 8));
    for _ in 0..3 {
        next_delivery(&mut bss);
    }
    assert_eq!(bss.medium_stats().collisions, 1);
    assert_eq!(bss.station_stats(2).collisions + bss.station_stats(3).collisions, 1);
}

#[test]
fn a_short_frame_that_is_captured_arrives_before_a_long_one_ends() {
    let mut config = ieee80211b();
    (config.phy.cw_min, config.phy.cw_max) = (0, 0);
    config.mac.capture = 1.0;
    let begin = START + us(1310 + 10 + 248 + 50);
    for (short, long) in [(2, 3), (3, 2)] {
        let captured = (1..20).filter(|&seed| {
            let mut bss = SharedMedium::new(&config, seed);
            bss.enqueue(START, 1, frame(0, 0));
            bss.enqueue(START + us(5), short, Frame { to: 0, bytes: 400, payload: 0 });
            bss.enqueue(START + us(5), long, frame(0, 0));
            next_delivery(&mut bss);
            let (arrives, from) = next_delivery(&mut bss);
            assert_eq!(arrives, begin + us(if from == short { 192 + 318 } else { 1310 }));
            from == short
        });
        assert!((1..19).contains(&captured.count()));
    }
}

#[test]
fn errors_are_hidden_by_retries_until_the_limit() {
    let mut config = ieee80211b();
    config.stations[1].loss = Some(FrameLoss::of(LossModel::bernoulli(1.0)));
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 0, frame(1, 3));
    while bss.next_deadline() < Time::NEVER {
        bss.on_deadline(bss.next_deadline());
        assert_eq!(bss.poll_delivery(), None);
    }
    assert_eq!(bss.poll_failure(), Some(frame(1, 3)));
    assert_eq!((bss.station_stats(0).lossy_attempts, bss.station_stats(0).collisions), (7, 0));
    // Behind an RTS the long limit counts.
    config.mac.rts_threshold = Some(0);
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 0, frame(1, 3));
    while bss.next_deadline() < Time::NEVER {
        bss.on_deadline(bss.next_deadline());
    }
    assert_eq!(bss.station_stats(0).lossy_attempts, 4);
}

#[test]
fn a_slow_station_sends_as_many_frames_and_takes_more_air() {
    let mut config = ieee80211b();
    config.stations[1].data_rate = rate(10);
    let mut bss = SharedMedium::new(&config, 1);
    for station in [1, 2] {
        bss.enqueue(START, station, frame(0, 0));
        bss.enqueue(START, station, frame(0, 0));
    }
    for _ in 0..4000 {
        let (now, from) = next_delivery(&mut bss);
        bss.enqueue(now, from, frame(0, 0));
    }
    let (slow, fast) = (bss.station_stats(1), bss.station_stats(2));
    let frames = slow.delivered as f64 / fast.delivered as f64;
    assert!((frames - 1.0).abs() < 0.1, "{frames}");
    // Exchanges last 192 + 12288 + 10 + 304 us and 192 + 1118 + 10 + 248 us. Collisions take both the longer of their
    // own frames.
    let airtime = slow.airtime.as_secs() / fast.airtime.as_secs();
    assert!((airtime / frames / (12794.0 / 1568.0) - 1.0).abs() < 0.05, "{airtime}");
}

/// The access point's frames have the rate of their receiver, and so have the ACKs that answer them.
#[test]
fn the_access_point_has_a_rate_for_each_station() {
    let mut config = ieee80211b();
    config.stations[2].ap_data_rate = rate(10);
    let mut bss = SharedMedium::new(&config, 1);
    for (number, to) in [(0, 1), (1, 2), (2, 2), (3, 1)] {
        bss.enqueue(START, 0, frame(to, number));
    }
    // Data take 192 + 1118 us with an ACK at 2 Mb/s, or 192 + 12288 us with an ACK at 1 Mb/s.
    let mut idle = START;
    let mut airtime = Span::ZERO;
    for (data, ack) in [(1310, 248), (12_480, 304), (12_480, 304), (1310, 248)] {
        let (arrives, _) = next_delivery(&mut bss);
        let waited = arrives - (idle + us(data));
        assert!(
            idle == START || waited >= us(50) && (waited - us(50)).0.is_multiple_of(us(20).0),
            "{waited}"
        );
        idle = arrives + us(10 + ack);
        airtime += us(data + 10 + ack);
        assert_eq!(bss.station_stats(0).airtime, airtime);
    }
}

#[test]
fn ns2_waits_difs_and_a_backoff_even_on_idle_air() {
    let mut waits = Vec::new();
    for seed in 0..200 {
        let mut bss = SharedMedium::new(&config(Phy::ns2(rate(110), rate(110), 144, 48), rate(110), 2), seed);
        bss.enqueue(START, 1, frame(0, 0));
        waits.push((next_delivery(&mut bss).0 - START - us(50) - Span(1_133_092)) / us(20));
    }
    assert_eq!((waits.iter().min(), waits.iter().max()), (Some(&0), Some(&30)));
}

#[test]
fn a_frame_occupies_its_queue_until_its_ack() {
    let mut config = ieee80211b();
    config.stations[1].queue = queue(1);
    let mut bss = SharedMedium::new(&config, 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)));
    let (arrives, _) = next_delivery(&mut bss);
    assert!(!bss.enqueue(arrives + us(257), 1, frame(0, 1)));
    assert!(bss.enqueue(arrives + us(258), 1, frame(0, 2)));
    // A first frame is held for 1310 + 258 us, then another for 100 us.
    bss.settle(arrives + us(358));
    assert_eq!(bss.occupancy(arrives + us(358), 1).held, us(1310 + 258 + 100).into());
    assert_eq!(bss.station_stats(1).queue.dropped_full, 1);
}
