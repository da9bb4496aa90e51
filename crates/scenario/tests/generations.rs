//! Stations of older standards, 802.11b among them, from the file to the resolved scenario.

use airfair_core::{Rate, Span};
use airfair_scenario::parse;
use airfair_wifi::phy::Retry;
use airfair_wifi::phy::edca::{AccessCategory, EdcaParameters};
use airfair_wifi::phy::mode::Standard;
use airfair_wifi::{BssConfig, Protection};

/// Returns a network with the lines `wlan`, two stations with the lines `station`, and one without.
fn file(wlan: &str, station: &str) -> String {
    format!(
        "[run]\nduration = \"1 s\"\n[[wlan]]\nname = \"w\"\nap = \"ap\"\n{wlan}\n[[wlan.station]]\nname = \"old{{i}}\"\ncount = 2\n{station}\n\
         [[wlan.station]]\nname = \"new\"\n[[flow]]\nname = \"f\"\nfrom = \"new\"\nto = \"ap\"\n"
    )
}

fn network(wlan: &str, station: &str) -> BssConfig {
    let mut loaded = parse(&file(wlan, station), "old.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    loaded.scenario.wlans.remove(0).bss
}

fn refused(wlan: &str, station: &str) -> String {
    parse(&file(wlan, station), "old.toml", &[]).unwrap_err().to_string()
}

const AX: &str = "phy = \"802.11ax\"\nband = \"2.4 GHz\"\n";
const B: &str = "standard = \"802.11b\"\n";

#[test]
fn a_station_of_802_11b_makes_slots_long_and_has_the_network_protect_its_frames() {
    let BssConfig { phy, protection, stations, .. } = network(AX, B);
    let us = Span::from_micros;
    assert_eq!((phy.slot, phy.difs, phy.sifs), (us(20), us(50), us(10)));
    assert_eq!(protection, Protection::CtsToSelf);
    assert_eq!(phy.rts_rate, Rate::from_hundred_kbps(110));
    let [old, new] = [1, 3].map(|station| stations[station].qos.as_ref().unwrap());
    assert_eq!((old.mode.standard, old.mode.mcs, old.edca), (Standard::B, 3, [EdcaParameters::DSSS; 4]));
    assert_eq!((new.mode.standard, new.edca[1].cw_min), (Standard::Ax, 15));
    let without = network(AX, "standard = \"802.11g\"");
    assert_eq!((without.phy.slot, without.protection), (us(9), Protection::None));
}

/// A neighbour's stations of 802.11b set Use_Protection; they do not change slots or contention windows.
#[test]
fn a_station_of_802_11b_in_another_network_of_the_channel_is_protected_too() {
    let us = Span::from_micros;
    let text = |beside: &str| {
        format!(
            "{}[[wlan]]\nname = \"v\"\nap = \"ap2\"\nchannel = \"{beside}\"\n{AX}[[wlan.station]]\nname = \"other\"\n",
            file(&format!("{AX}channel = \"1\""), B)
        )
    };
    let networks = |beside| {
        parse(&text(beside), "two.toml", &[]).unwrap_or_else(|error| panic!("{error}")).scenario.wlans
    };
    let phy = |beside| networks(beside).remove(1).bss;
    let (shared, apart) = (phy("1"), phy("6"));
    assert_eq!(
        (shared.protection, shared.phy.rts_rate),
        (Protection::CtsToSelf, Rate::from_hundred_kbps(110))
    );
    assert_eq!((shared.phy.slot, shared.phy.difs), (us(9), us(28)));
    assert_eq!(networks("1")[0].bss.phy.slot, us(20));
    assert_eq!((apart.protection, apart.phy.dsss), (Protection::None, None));
}

/// An ACK timeout has SIFS, a slot and the preamble with its header; at 1 Mb/s only the long preamble is allowed.
#[test]
fn the_preamble_of_its_frames_can_be_short() {
    let BssConfig { phy, stations, .. } = network(&format!("{AX}dsss_preamble = \"short\"\n"), B);
    assert_eq!(phy.cts().0, 1000 * (96 + 11));
    let dsss = phy.dsss.unwrap();
    let waits = [dsss.ack_retry.usual, dsss.ack_retry.slow];
    assert_eq!(waits, [10 + 20 + 96, 10 + 20 + 192].map(Span::from_micros));
    let mode = stations[1].qos.as_ref().unwrap().mode;
    assert_eq!(mode.ppdu(1000).0, 1000 * (96 + 728));
    assert_eq!(airfair_wifi::phy::mode::Mode { mcs: 0, ..mode }.ppdu(1000).0, 1000 * (192 + 8000));
}

#[test]
fn its_rate_and_the_basic_rates_can_be_set() {
    let wlan = format!("{AX}dsss_basic_rate = \"2 Mb/s\"\nprotection = \"none\"\nack_timeout = \"300 us\"\n");
    let BssConfig { phy, protection, stations, .. } = network(&wlan, &format!("{B}mcs = 1"));
    let dsss = phy.dsss.unwrap();
    assert_eq!(dsss.basic_rates, [10, 20].map(Rate::from_hundred_kbps));
    assert_eq!([phy.ack_retry, dsss.ack_retry], [Retry::always(Span::from_micros(300)); 2]);
    assert_eq!(protection, Protection::None);
    assert_eq!(stations[1].data_rate, Rate::from_hundred_kbps(20));
}

/// Settings of the network that 802.11b does not have do not reach a station of 802.11b.
#[test]
fn it_has_no_aggregates_no_categories_and_no_txop() {
    let wlan = format!(
        "{AX}amsdu = \"7935 B\"\naccess_category = \"vi\"\ntxop = \"4 ms\"\n[wlan.edca.vi]\ncw_min = 1\n"
    );
    let BssConfig { stations, .. } = network(&wlan, B);
    let old = stations[1].qos.as_ref().unwrap();
    assert_eq!((old.aggregation.ampdu, old.aggregation.amsdu), (0, 0));
    assert_eq!((old.category, old.edca), (AccessCategory::BestEffort, [EdcaParameters::DSSS; 4]));
    assert_eq!(stations[3].qos.as_ref().unwrap().aggregation.amsdu, 7935);
    // A-MSDUs came with 802.11n.
    let g = network(&wlan, "standard = \"802.11g\"");
    assert_eq!(g.stations[1].qos.as_ref().unwrap().aggregation.amsdu, 0);
}

#[test]
fn aggregates_are_no_longer_than_a_standard_allows() {
    for (wlan, amsdu) in [
        ("phy = \"802.11n\"\namsdu = \"11454 B\"\n", 4065),
        ("phy = \"802.11n\"\namsdu = \"11454 B\"\nampdu = \"0 B\"\n", 7935),
        ("phy = \"802.11ac\"\namsdu = \"11454 B\"\n", 11_424),
        ("phy = \"802.11g\"\naccess_category = \"be\"\namsdu = \"0 B\"\nampdu = \"0 B\"\n", 0),
    ] {
        let stations = network(wlan, "").stations;
        assert_eq!(stations[1].qos.as_ref().unwrap().aggregation.amsdu, amsdu, "{wlan}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (wlan, station, told) in [
        ("phy = \"802.11ax\"\n", B, "802.11b is not for 5 GHz"),
        (
            "phy = \"802.11a\"\naccess_category = \"be\"\namsdu = \"3839 B\"\n",
            "",
            "amsdu: it belongs to 802.11n and later alone",
        ),
        (
            "phy = \"802.11a\"\naccess_category = \"be\"\nampdu = \"8 kB\"\n",
            "",
            "ampdu: it belongs to 802.11n and later alone",
        ),
        ("phy = \"802.11a\"\nnss = 2\n", "", "nss: it belongs to 802.11n and later alone"),
        ("phy = \"802.11a\"\naql = \"12 ms\"\n", "", "it belongs to networks with EDCA"),
        ("phy = \"802.11g\"\nbeacon_interval = \"100 ms\"\n", "", "it belongs to networks with EDCA"),
        ("phy = \"802.11g\"\n", B, "it belongs to networks with EDCA"),
        ("phy = \"802.11b\"\naccess_category = \"be\"\n", "", "wlan[0].access_category: it belongs to"),
        (AX, "standard = \"802.11b\"\naifsn = 2", "aifsn: 802.11b has no access categories here"),
        (
            AX,
            "standard = \"802.11b\"\n[wlan.station.edca.vi]\naifsn = 2",
            "edca: 802.11b has no access categories",
        ),
        (
            "phy = \"802.11n\"\nband = \"2.4 GHz\"\ndsss_basic_rate = \"3 Mb/s\"\n",
            B,
            "dsss_basic_rate: it is not a rate",
        ),
        (
            "phy = \"802.11n\"\nband = \"2.4 GHz\"\ndsss_basic_rate = \"2 Mb/s\"\n",
            "",
            "it has no effect without a station",
        ),
        (
            "phy = \"802.11n\"\nband = \"2.4 GHz\"\ndsss_preamble = \"short\"\n",
            "",
            "dsss_preamble: it has no effect without a station",
        ),
    ] {
        let message = refused(wlan, station);
        assert!(message.contains(told), "{message}");
    }
    assert!(network("phy = \"802.11g\"\naccess_category = \"be\"\n", B).phy.dsss.is_some());
}

#[test]
fn broadcasts_have_a_rate_that_stations_decode() {
    let rate = |wlan: &str, station| {
        network(&format!("{wlan}broadcast_interval = \"10 ms\"\n"), station).announcements[0].rate
    };
    assert_eq!(rate(AX, ""), None);
    assert_eq!(rate(&format!("{AX}broadcast_rate = \"24 Mb/s\"\n"), ""), Some(Rate::from_hundred_kbps(240)));
    assert_eq!(rate(&format!("{AX}broadcast_rate = \"11 Mb/s\"\n"), B), Some(Rate::from_hundred_kbps(110)));
    for (lines, told) in [
        ("broadcast_rate = \"24 Mb/s\"\n", "broadcast_rate: it has no effect without `broadcast_interval`"),
        (
            "broadcast_interval = \"10 ms\"\nbroadcast_rate = \"11 Mb/s\"\n",
            "broadcast_rate: it is not a rate of 802.11a",
        ),
    ] {
        let message = refused(&format!("{AX}{lines}"), "");
        assert!(message.contains(told), "{message}");
    }
}
