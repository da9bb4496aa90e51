//! On the model's own assumptions: every station always backlogged, no retry limit, and after a collision as after a
//! success everybody's slots count again DIFS after the air fell idle.

use airfair_core::{Rate, Span};
use airfair_wifi::saturation::{bss, saturate, uplinks};
use airfair_wifi::{Phy, Preamble, bianchi};

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
