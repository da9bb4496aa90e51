//! Tests of which frames are lost, and of the consequences.

use super::*;
use crate::mac::Fate;
use crate::phy::errors::{FrameLossDirection, FrameLossPosition, LossyFrames};
use airfair_core::{LossProbability, LossUnit};

const ALWAYS: FrameLoss = FrameLoss::of(LossModel::bernoulli(1.0));
const TO: FrameLoss = FrameLoss { direction: FrameLossDirection::To, ..ALWAYS };
const ALL_TO: FrameLoss = FrameLoss { frames: LossyFrames::All, ..TO };

/// Returns `config` with this loss at station 1 alone.
fn lossy(mut config: BssConfig, loss: FrameLoss) -> BssConfig {
    config.stations[1].loss = Some(loss);
    config
}

/// Returns a BSS by ns-2's rules at 1 Mb/s without any backoff: a frame is sent 50 us after it came.
fn ns2(rts: bool) -> BssConfig {
    let mut config = config(Phy::ns2(rate(10), rate(10), 144, 48), rate(10), 3);
    (config.phy.cw_min, config.phy.cw_max) = (1, 1);
    config.mac.rts_threshold = rts.then_some(0);
    config
}

/// Duration of a data frame in microseconds: 192 + 8 x 1034 at 1 Mb/s.
const DATA: u64 = 8464;

fn kilobyte(to: u32) -> Frame<u32> {
    Frame { to, bytes: 1000, payload: 7 }
}

/// Returns when the BSS comes to rest, and when frames arrived on the way.
fn exhaust(bss: &mut SharedMedium<u32>) -> (Time, Vec<Time>) {
    let (mut now, mut arrivals) = (Time::ZERO, Vec::new());
    while bss.next_deadline() < Time::NEVER {
        now = bss.next_deadline();
        bss.on_deadline(now);
        arrivals.extend(bss.poll_delivery().map(|_| now));
    }
    (now, arrivals)
}

#[test]
fn what_is_lost_above_the_mac_is_acknowledged_all_the_same() {
    let above = FrameLoss { position: FrameLossPosition::AboveMac, ..TO };
    let mut bss = SharedMedium::new(&lossy(ieee80211b(), above), 1);
    bss.enqueue(START, 0, frame(1, 3));
    assert_eq!(exhaust(&mut bss), (START + us(1310), vec![]));
    let stats = bss.station_stats(0);
    assert_eq!((stats.delivered, stats.lost_errors, stats.lossy_attempts, stats.retries), (1, 1, 0, 0));
    // In the other direction nothing is lost, unless it is to be.
    let mut bss = SharedMedium::new(&lossy(ieee80211b(), above), 1);
    bss.enqueue(START, 1, frame(0, 3));
    assert_eq!(exhaust(&mut bss).1.len(), 1);
    let above = FrameLoss { direction: FrameLossDirection::Both, ..above };
    let mut bss = SharedMedium::new(&lossy(ieee80211b(), above), 1);
    bss.enqueue(START, 1, frame(0, 3));
    assert_eq!(exhaust(&mut bss).1.len(), 0);
    assert_eq!(bss.station_stats(1).lost_errors, 1);
}

#[test]
fn errors_may_hit_only_what_a_station_receives() {
    let mut bss = SharedMedium::new(&lossy(ieee80211b(), TO), 1);
    bss.enqueue(START, 1, frame(0, 3));
    assert_eq!(exhaust(&mut bss).1, [START + us(1310)]);
    bss.enqueue(START + us(10_000), 0, frame(1, 3));
    assert_eq!(exhaust(&mut bss).1, []);
    assert_eq!((bss.station_stats(0).lossy_attempts, bss.station_stats(0).dropped_retries), (7, 1));
}

/// Others send DIFS after the end of the ACK that does not come: a station with no slots to wait for begins
/// then.
#[test]
fn after_a_lost_frame_others_wait_for_its_ack() {
    let mut config = lossy(ieee80211b(), ALWAYS);
    (config.phy.cw_min, config.phy.cw_max, config.mac.short_retry_limit) = (0, 0, 1);
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    bss.enqueue(START + us(5), 2, frame(0, 0));
    assert_eq!(next_delivery(&mut bss), (START + us(1310 + 10 + 248 + 50 + 1310), 2));
    assert_eq!(bss.station_stats(1).dropped_retries, 1);
}

/// The ACK that does not come would have had the long preamble, too.
#[test]
fn at_1_mbps_short_preambles_change_nothing() {
    let rests = |preamble, data_rate| {
        let mut config = lossy(config(Phy::ieee80211b(preamble, rate(110)), rate(data_rate), 2), ALWAYS);
        (config.phy.cw_min, config.phy.cw_max, config.mac.short_retry_limit) = (0, 0, 3);
        let mut bss = SharedMedium::new(&config, 1);
        bss.enqueue(START, 1, frame(0, 0));
        exhaust(&mut bss).0
    };
    // The BSS rests after three frames of 192 us and 1536 bytes, and two timeouts between them.
    assert_eq!(rests(Preamble::Long, 10), START + us(3 * 12_480 + 2 * 222));
    assert_eq!(rests(Preamble::Short, 10), START + us(3 * 12_480 + 2 * 222));
    assert_eq!(rests(Preamble::Short, 110), START + us(3 * (96 + 1118) + 2 * 126));
}

#[test]
fn a_lost_rts_is_tried_again_up_to_the_short_limit() {
    let mut bss = SharedMedium::new(&lossy(ns2(true), ALL_TO), 1);
    bss.enqueue(START, 0, kilobyte(1));
    // Each attempt is an RTS of 352 us, then a timeout of 10 + 304 + 4 us, then DIFS.
    assert_eq!(exhaust(&mut bss), (START + us(50 + 7 * 352 + 6 * 368), vec![]));
    let stats = bss.station_stats(0);
    assert_eq!((stats.attempts, stats.lossy_attempts, stats.retries, stats.dropped_retries), (7, 7, 6, 1));
    assert_eq!((stats.airtime, bss.medium_stats().busy), (us(7 * 352), us(7 * 352)));
}

/// The access point, having sent its CTS, answers no RTS until it has waited for the data frame in vain.
#[test]
fn after_a_lost_cts_ns2_ignores_rts_for_as_long_as_the_data_frame() {
    let mut bss = SharedMedium::new(&lossy(ns2(true), ALL_TO), 1);
    bss.enqueue(START, 1, kilobyte(0));
    // RTS and CTS last 666 us; EIFS of 364 us and DIFS follow, and then six RTS with their timeouts.
    let last = START + us(50 + 666 + 414 + 6 * 352 + 5 * 368);
    assert_eq!(exhaust(&mut bss), (last, vec![]));
    let stats = bss.station_stats(1);
    assert_eq!((stats.attempts, stats.lossy_attempts, stats.dropped_retries), (7, 1, 1));
    // A station by the standard knows nothing of the data frame that it does not get, and answers.
    let mut config = ns2(true);
    config.phy.access.cts_patience = None;
    let mut bss = SharedMedium::new(&lossy(config, ALL_TO), 1);
    bss.enqueue(START, 1, kilobyte(0));
    assert_eq!(exhaust(&mut bss), (START + us(50 + 7 * 666 + 6 * 414), vec![]));
    assert_eq!(bss.station_stats(1).lossy_attempts, 7);
}

#[test]
fn a_frame_whose_ack_is_lost_is_sent_again_and_arrives_once() {
    for rts in [false, true] {
        let mut config = lossy(ns2(rts), ALL_TO);
        // With RTS the CTS has to get through.
        let turns_bad = LossProbability::GilbertElliott {
            good: 0.0,
            bad: 1.0,
            mean_good: Span::from_millis(1),
            mean_bad: Span::from_secs(1000),
        };
        let model = LossModel { probability: turns_bad, of: LossUnit::Packet };
        config.stations[1].loss = Some(FrameLoss { model, ..ALL_TO });
        let first = |bss: &mut SharedMedium<u32>| {
            bss.enqueue(Time::ZERO, 1, kilobyte(0));
            exhaust(bss).1
        };
        let data_end = Time::ZERO + us(50 + DATA + if rts { 352 + 10 + 304 + 10 } else { 0 });
        // A seed for which the state turns bad between the CTS and the ACK.
        let seed = (0..100).find(|&seed| first(&mut SharedMedium::new(&config, seed)) == [data_end]).unwrap();
        let mut bss = SharedMedium::new(&config, seed);
        first(&mut bss);
        let stats = bss.station_stats(1);
        // With RTS the CTS put the short count back to zero.
        let attempts = if rts { 8 } else { 7 };
        assert_eq!((stats.attempts, stats.delivered, stats.dropped_retries), (attempts, 1, 0));
        assert_eq!((bss.queue_frames(1), bss.poll_failure()), (0, None));
    }
}

#[test]
fn after_a_lost_ack_the_sender_waits_eifs() {
    let mut bss = SharedMedium::new(&lossy(ns2(false), ALL_TO), 1);
    bss.enqueue(START, 1, kilobyte(0));
    let data_end = START + us(50 + DATA);
    assert_eq!(next_delivery(&mut bss).0, data_end);
    assert_eq!(bss.next_deadline(), data_end + us(314 + 414), "the second attempt begins");
    assert_eq!(bss.station_stats(1).airtime, us(DATA + 314));
}

/// The BSS is 802.11b with no backoff. A CTS or an ACK that the sender cannot decode makes it wait EIFS, 364
/// us (9.3.7).
#[test]
fn by_the_standard_too_the_sender_waits_eifs_after_a_lost_cts_or_ack() {
    let mut config = lossy(ieee80211b(), ALL_TO);
    (config.phy.cw_min, config.phy.cw_max) = (0, 0);
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    let data_end = START + us(1310);
    assert_eq!(next_delivery(&mut bss).0, data_end);
    assert_eq!(bss.next_deadline(), data_end + us(10 + 248 + 364), "the second attempt begins");
    config.mac.rts_threshold = Some(0);
    let mut bss = SharedMedium::new(&config, 1);
    bss.enqueue(START, 1, frame(0, 0));
    // Each attempt is RTS 272 us, SIFS, CTS 248 us.
    assert_eq!(exhaust(&mut bss), (START + us(7 * (272 + 10 + 248) + 6 * 364), vec![]));
}

/// A third party that decodes nothing waits EIFS after every frame, so others go first.
#[test]
fn who_misses_others_frames_comes_last() {
    let order = |loss| {
        let mut config = ns2(false);
        config.stations[2].loss = Some(loss);
        let mut bss = SharedMedium::new(&config, 1);
        for number in 0..3 {
            bss.enqueue(START, 1, Frame { payload: number, ..kilobyte(0) });
        }
        bss.enqueue(START + us(100), 2, kilobyte(0));
        (next_delivery(&mut bss).1, next_delivery(&mut bss).1, next_delivery(&mut bss), bss)
    };
    let (first, second, (third_at, third), mut bss) = order(ALL_TO);
    assert_eq!((first, second, third), (1, 1, 1));
    assert_eq!(bss.station_stats(1).collisions, 0);
    assert_eq!(next_delivery(&mut bss), (third_at + us(314 + 414 + DATA), 2));
    // Without errors both stations send as soon as they may, and collide.
    let mut bss = SharedMedium::new(&ns2(false), 1);
    bss.enqueue(START, 1, kilobyte(0));
    bss.enqueue(START, 1, kilobyte(0));
    bss.enqueue(START + us(100), 2, kilobyte(0));
    exhaust(&mut bss);
    assert_eq!(bss.station_stats(1).collisions, 7);
}

/// By the standard a frame that is decoded ends the EIFS of one that was not; in ns-2 EIFS is a NAV.
#[test]
fn a_decoded_frame_ends_eifs() {
    for eifs_is_nav in [false, true] {
        let mut config = lossy(ns2(false), ALL_TO);
        config.phy.access.eifs_is_nav = eifs_is_nav;
        let mut bss: SharedMedium<u32> = SharedMedium::new(&config, 1);
        bss.enqueue(START, 2, kilobyte(0));
        let complete = bss.stations[2].exchange(START);
        bss.update_navs(&Exchange { fate: Fate::DataLost, ..complete });
        let missed = complete.data_end + us(414);
        bss.stations[1].loss = None;
        bss.update_navs(&complete);
        let resumes = bss.stations[1].deferred_until(&bss.rules);
        let difs = bss.rules.phy.difs;
        assert_eq!(resumes, if eifs_is_nav { missed } else { complete.end + difs });
    }
}
