//! The numbers and rules of [`Phy::ns2`] against ns-2 itself (`data/ns2_saturation.csv` says how it was made).

use std::collections::BTreeMap;

use airfair_core::{LossModel, Rate, Span};
use airfair_wifi::Phy;
use airfair_wifi::saturation::{Outcome, bss, saturate, uplinks};
use airfair_wifi::{FrameLoss, FrameLossDirection, LossyFrames};

use crate::csv_rows;

/// A point of the comparison: settings, direction, stations, bytes.
type Point = (&'static str, &'static str, u32, u32);

fn ours((settings, direction, stations, bytes): Point) -> Outcome {
    let mbps = |mbps: u64| Rate::from_hundred_kbps(mbps * 10);
    let phy = if settings == "fast" {
        Phy::ns2(mbps(11), mbps(11), 144, 48)
    } else {
        Phy::ns2(mbps(2), mbps(1), 144, 48)
    };
    let mut pairs = if direction == "down" { Vec::new() } else { uplinks(stations) };
    if direction != "up" {
        pairs.push((0, 1));
    }
    let config = bss(phy, stations, mbps(11), settings == "fast");
    saturate(&config, &pairs, bytes, Span::from_secs(120), 1)
}

#[test]
fn throughput_is_within_one_percent_and_the_access_points_share_within_one_hundredth() {
    let mut seeds: BTreeMap<Point, Vec<(f64, f64)>> = BTreeMap::new();
    for row in csv_rows(include_str!("../data/ns2_saturation.csv")) {
        let [settings, direction, stations, bytes, _, throughput_mbps, share] = row[..] else {
            panic!("{row:?}")
        };
        let point = (settings, direction, stations.parse().unwrap(), bytes.parse().unwrap());
        seeds.entry(point).or_default().push((throughput_mbps.parse().unwrap(), share.parse().unwrap()));
    }
    assert_eq!(seeds.len(), 26);
    for (point, runs) in seeds {
        let count = runs.len() as f64;
        let throughput = runs.iter().map(|run| run.0).sum::<f64>() / count;
        let share = runs.iter().map(|run| run.1).sum::<f64>() / count;
        let ours = ours(point);
        let error = ours.frames_per_second * f64::from(point.3) * 8e-6 / throughput - 1.0;
        assert!(error.abs() < 0.01, "{point:?}: {:+.2} % off ns-2's {throughput:.4} Mb/s", 100.0 * error);
        let apart = ours.downlink_share - share;
        assert!(apart.abs() < 0.01, "{point:?}: access point's share {apart:+.4} off ns-2's {share:.4}");
    }
}

/// Shares of attempts that collided in ns-2, counted in its MAC traces of 9 s (seed 1), as RTS without CTS or data
/// without ACK; some 6000 attempts each.
#[test]
fn as_many_attempts_collide() {
    let traced = [
        (("fast", "up", 2, 1520), 0.000),
        (("fast", "up", 4, 1520), 0.1045),
        (("fast", "up", 8, 1520), 0.2178),
        (("fast", "both", 2, 1520), 0.0296),
        (("fast", "both", 4, 1520), 0.0912),
        (("fast", "both", 8, 1520), 0.1990),
        (("slow", "up", 2, 1520), 0.0664),
        (("slow", "up", 4, 1520), 0.1424),
        (("slow", "up", 8, 1520), 0.2606),
        (("slow", "both", 2, 1520), 0.0995),
        (("slow", "both", 4, 1520), 0.1763),
        (("slow", "both", 8, 1520), 0.2798),
    ];
    for (point, collisions) in traced {
        let apart = ours(point).collision_rate - collisions;
        // Three standard deviations of a proportion of 6000 are 0.017 at most.
        assert!(apart.abs() < 0.017, "{point:?}: {apart:+.4} off ns-2's {collisions}");
    }
}

/// Returns the outcome with every kind of frame lost at its receiver (`../data/ns2_errors.csv`).
fn with_errors(direction: &str, stations: u32, rts: bool, error: f64) -> Outcome {
    let mbps = Rate::from_hundred_kbps(10);
    let mut pairs = if direction == "down" { Vec::new() } else { uplinks(stations) };
    if direction != "up" {
        pairs.push((0, 1));
    }
    let mut config = bss(Phy::ns2(mbps, mbps, 144, 48), stations, mbps, rts);
    for station in &mut config.stations[1..] {
        station.loss = Some(FrameLoss {
            frames: LossyFrames::All,
            direction: FrameLossDirection::To,
            ..FrameLoss::of(LossModel::bernoulli(error))
        });
    }
    saturate(&config, &pairs, 1020, Span::from_secs(3000), 1)
}

#[test]
fn errors_of_every_kind_of_frame_cost_as_much() {
    let mut seeds: BTreeMap<(&str, u32, bool, &str), Vec<[f64; 2]>> = BTreeMap::new();
    for row in csv_rows(include_str!("../data/ns2_errors.csv")) {
        let [direction, stations, rts, error, _, up, down] = row[..] else { panic!("{row:?}") };
        let point = (direction, stations.parse().unwrap(), rts == "yes", error);
        seeds.entry(point).or_default().push([up, down].map(|rate| rate.parse().unwrap()));
    }
    assert_eq!(seeds.len(), 20);
    for ((direction, stations, rts, error), runs) in seeds {
        let [up, down] = [0, 1].map(|way| runs.iter().map(|run| run[way]).sum::<f64>() / runs.len() as f64);
        let ours = with_errors(direction, stations, rts, error.parse().unwrap());
        let point = format!("{direction}, {stations} stations, rts {rts}, error {error}");
        // The standard error of ns-2's mean is 0.7 % at most, that of the share up to 0.012.
        let apart = ours.frames_per_second / (up + down) - 1.0;
        assert!(apart.abs() < 0.01, "{point}: {:+.2} %", 100.0 * apart);
        let apart = ours.downlink_share - down / (up + down);
        assert!(apart.abs() < 0.015, "{point}: access point's share {apart:+.4}");
    }
}
