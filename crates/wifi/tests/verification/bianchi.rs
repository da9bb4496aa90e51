//! The engine against Bianchi's model, on the model's own assumptions: every station is always backlogged, there is
//! no retry limit, and after a collision as after a success everybody's slots count again DIFS after the air fell
//! idle.

use airfair_core::{Rate, Span};
use airfair_wifi::phy::Retry;
use airfair_wifi::saturation::{bss, saturate, uplinks};
use airfair_wifi::{BssConfig, Phy, Preamble, bianchi};

fn compare(rts: bool) {
    let rate = Rate::from_hundred_kbps(110);
    let phy = Phy::ieee80211b(Preamble::Long, Rate::from_hundred_kbps(20));
    for stations in [1, 2, 5, 10, 20, 50] {
        let config = bianchi::idealised(&bss(phy.clone(), stations, rate, rts));
        let ours = saturate(&config, &uplinks(stations), 1500, Span::from_secs(100), 1);
        let model = bianchi::predict(&phy, rate, 1500, rts, stations);
        let error = ours.frames_per_second / model.frames_per_second - 1.0;
        assert!(error.abs() < 0.02, "{stations} stations, RTS {rts}: {error:+.4}");
        let collisions = ours.collision_rate - model.collision_rate;
        assert!(collisions.abs() < 0.02, "{stations} stations, RTS {rts}: {collisions:+.4}");
    }
}

#[test]
fn basic_access_is_within_two_percent() {
    compare(false);
}

#[test]
fn rts_cts_is_within_two_percent() {
    compare(true);
}

/// Returns the PHY and the rate of a mode of ns-3's example: 802.11a and b. Its rows for 802.11g have 802.11a's
/// times.
fn phy_of(mode: &str) -> (Phy, Rate) {
    let start = mode.find(|c: char| c.is_ascii_digit()).expect("a mode has a rate");
    let (kind, rate) = (&mode[..start], mode[start..].trim_end_matches("Mbps").replace('_', "."));
    let rate = Rate::from_hundred_kbps((rate.parse::<f64>().expect("a rate") * 10.0) as u64);
    let highest = |hundred_kbps| Rate::from_hundred_kbps(hundred_kbps);
    match kind {
        "DsssRate" => (Phy::ieee80211b(Preamble::Long, highest(20)), rate),
        _ => (Phy::ieee80211a(highest(240)), rate),
    }
}

/// Returns a BSS on the model's assumptions; `with_eifs`, EIFS lasts as long as the ACK that a collision leaves out.
fn idealised(phy: &Phy, rate: Rate, stations: u32, with_eifs: bool) -> BssConfig {
    let mut config = bianchi::idealised(&bss(phy.clone(), stations, rate, false));
    if with_eifs {
        let eifs = phy.sifs + phy.ack(rate) + phy.difs;
        (config.phy.eifs, config.phy.cts_retry, config.phy.ack_retry) = (eifs, eifs, Retry::always(eifs));
    }
    config
}

#[test]
fn the_tables_of_ns3_for_802_11a_b_and_g_are_within_two_percent() {
    let mut rows = 0;
    for line in
        include_str!("../data/ns3_bianchi_dcf.csv").lines().filter(|line| !line.starts_with('#')).skip(1)
    {
        let fields: Vec<&str> = line.split(',').collect();
        let (phy, rate) = phy_of(fields[1]);
        for (place, expected) in fields[2..].iter().enumerate() {
            let stations = 5 * (place as u32 + 1);
            let expected = expected.parse::<f64>().expect("a throughput") * 1e6 / 12_000.0;
            let duration = Span::from_micros((20_000.0 / expected * 1e6) as u64);
            let config = idealised(&phy, rate, stations, fields[0] == "eifs");
            let ours = saturate(&config, &uplinks(stations), 1500, duration, 1).frames_per_second;
            let error = ours / expected - 1.0;
            assert!(error.abs() < 0.02, "{line}, {stations} stations: {error:+.4}");
        }
        rows += 1;
    }
    assert_eq!(rows, 40);
}
