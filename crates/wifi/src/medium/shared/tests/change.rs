//! Tests of settings that change between transmissions, and during one.

use super::*;
use crate::phy::errors::{FrameLossDirection, LossyFrames};

/// Duration of a data frame at 2 Mb/s: 192 us and 1536 bytes.
const SLOW: Span = Span::from_micros(192 + 6144);

/// Returns the number of slots between the first of two frames and the second. The second has the new rate if the change comes `after`
/// the first starts.
fn slots_after_a_change(after: Span) -> u64 {
    let mut config = ieee80211b();
    let mut bss = SharedMedium::new(&config, 1);
    assert!(bss.enqueue(START, 1, frame(0, 0)) && bss.enqueue(START, 1, frame(0, 1)));
    config.stations[1].data_rate = rate(20);
    let first = START + us(1310);
    if START + after > first {
        assert_eq!(next_delivery(&mut bss).0, first);
    }
    bss.change(START + after, &config, 1);
    if START + after <= first {
        assert_eq!(next_delivery(&mut bss).0, first, "it ends as it was begun");
    }
    let waited = next_delivery(&mut bss).0 - (first + us(10 + 248 + 50) + SLOW);
    assert_eq!(waited.0 % 20_000, 0, "{waited}");
    waited / us(20)
}

#[test]
fn a_new_rate_holds_from_the_next_transmission_on() {
    // At these times the first frame is on the air, its ACK is, and the backoff runs.
    let slots = [1, 700, 1310, 1311, 1500, 1569].map(|after| slots_after_a_change(us(after)));
    assert!(slots.iter().all(|&other| other == slots[0] && other < 32), "{slots:?}");
}

#[test]
fn a_new_loss_and_a_new_retry_limit_hit_the_next_frame() {
    let mut config = ieee80211b();
    let mut bss = SharedMedium::new(&config, 1);
    let mut now = START;
    for (loss, retries, attempts) in [(None, 7, 1), (Some(1.0), 3, 3), (Some(1.0), 2, 2), (None, 2, 1)] {
        config.stations[1].loss = loss.map(|loss| FrameLoss::of(LossModel::bernoulli(loss)));
        config.mac.short_retry_limit = retries;
        bss.change(now, &config, 1);
        let before = bss.station_stats(1);
        assert!(bss.enqueue(now, 1, frame(0, 0)));
        while bss.next_deadline() < Time::NEVER {
            now = bss.next_deadline();
            bss.on_deadline(now);
        }
        now += us(10_000);
        let after = bss.station_stats(1);
        assert_eq!(after.attempts - before.attempts, attempts);
        assert_eq!(after.dropped_retries - before.dropped_retries, u64::from(loss.is_some()));
    }
}

/// The ACK of a frame is lost, and before the frame is sent again nothing is lost any more.
#[test]
fn a_frame_that_has_arrived_arrives_once_also_when_the_loss_ends() {
    let lossless = ieee80211b();
    let mut config = lossless.clone();
    config.stations[1].loss = Some(FrameLoss {
        frames: LossyFrames::All,
        direction: FrameLossDirection::To,
        ..FrameLoss::of(LossModel::bernoulli(1.0))
    });
    let mut bss = SharedMedium::new(&config, 1);
    assert!(bss.enqueue(START, 1, frame(0, 7)));
    let (arrived, _) = next_delivery(&mut bss);
    bss.change(arrived, &lossless, 1);
    while bss.next_deadline() < Time::NEVER {
        bss.on_deadline(bss.next_deadline());
        assert_eq!(bss.poll_delivery(), None, "it arrives a second time");
    }
    let stats = bss.station_stats(1);
    assert_eq!((stats.attempts, stats.delivered, bss.medium_stats().delivered), (2, 1, 1));
    assert_eq!((stats.lossy_attempts, stats.dropped_retries, bss.queue_frames(1)), (1, 0, 0));
}

/// From the change on, all frames of station 2 can be lost: from the next transmission on each station has a NAV of its own.
#[test]
fn a_change_during_a_collision_waits_for_its_end() {
    let mut config = ieee80211b();
    let mut bss = SharedMedium::new(&config, 1);
    assert!(bss.enqueue(START, 3, frame(0, 0)));
    let mut now = START;
    // Both stations have a frame when the air falls idle: sooner or later they collide, before the next deadline.
    loop {
        [1, 2].into_iter().for_each(|from| assert!(bss.enqueue(now, from, frame(0, 0))));
        now = bss.next_deadline();
        bss.settle(now);
        if bss.medium_stats().collisions > 0 {
            break;
        }
        bss.on_deadline(now);
    }
    config.stations[2].loss =
        Some(FrameLoss { frames: LossyFrames::All, ..FrameLoss::of(LossModel::bernoulli(0.1)) });
    bss.change(now, &config, 1);
    assert!(bss.contention.is_busy() && !bss.nav_per_station);
    while bss.next_deadline() < Time::NEVER {
        bss.on_deadline(bss.next_deadline());
    }
    assert!(bss.nav_per_station && bss.change.is_none());
}
