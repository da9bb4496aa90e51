//! Wireless networks: their names and their stations are said by the network.

use super::loss::loss_model;
use super::pieces::{all, key, one_of, queue, rate, seldom, time, time_above_zero, whole, word};
use super::stated::{discipline, settings, settings_but};
use airfair_wifi::phy::edca::AccessCategory;
use airfair_wifi::{
    ChannelSettings, EdcaSettings, GenerationSettings, MacSettings, Preamble, QosSettings, RateControl,
    SenseSettings, ShareSettings,
};
use proptest::prelude::*;

/// Settings whose random values would hardly ever go together; they have generators of their own.
const TOGETHER: [&str; 6] =
    ["guard_interval", "driver_queue", "driver_aggregates", "aql", "aql_low", "aql_total"];

/// The lines of a `[[wlan]]`, name, access point and stations left out; and those of its stations, name and number left out. `#` stands for
/// the number of the network.
pub fn wlan() -> BoxedStrategy<(String, String)> {
    prop_oneof![
        1 => (network(dcf(), Vec::new()), dcf_station()),
        1 => (
            network(all(vec![edca(radio()), seldom(4, hears("ap_hears"))]), edca_tables()),
            all(vec![seldom(3, hears("hears")), edca_station(radio())]),
        ),
        1 => (network(beside_dsss(), edca_tables()), all(vec![beside_dsss_station()])),
        1 => (
            network(all(vec![edca(Just(String::new()).boxed()), placed()]), edca_tables()),
            all(vec![place("x", "y"), edca_station(power())])
        ),
    ]
    .boxed()
}

/// A network whose stations access the medium in this way, with these tables.
fn network(access: BoxedStrategy<String>, tables: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    let lines = vec![
        access,
        seldom(3, contention_window()),
        settings::<MacSettings>(),
        key("queue", queue()),
        seldom(2, key("ap_queue", queue())),
        seldom(2, key("host_delay", time(30_000_000))),
        seldom(3, key("station_overhead", word(&["1 B", "20 B", "2000 B"]))),
        seldom(3, discipline().prop_map(|lines| format!("[wlan.ap_discipline]\n{lines}")).boxed()),
        seldom(3, policer()),
        seldom(3, window_control()),
        seldom(3, loss("wlan.loss")),
    ];
    all(lines.into_iter().chain(tables.into_iter().map(|table| seldom(3, table))).collect())
}

/// DCF. Not every PHY has these rates.
fn dcf() -> BoxedStrategy<String> {
    all(vec![phy(), seldom(6, b_rate("ap_data_rate"))])
}

fn dcf_station() -> BoxedStrategy<String> {
    all(vec![
        seldom(6, b_rate("data_rate")),
        seldom(6, b_rate("ap_data_rate")),
        seldom(3, settings::<ShareSettings>()),
        seldom(6, station_discipline()),
        seldom(6, loss("wlan.station.loss")),
    ])
}

/// EDCA. Not every PHY has these modes.
fn edca(radio: BoxedStrategy<String>) -> BoxedStrategy<String> {
    all(vec![
        key("phy", word(&["802.11n", "802.11ac", "802.11ax", "802.11be"])),
        settings_but::<ChannelSettings>(&[
            "dsss_basic_rate",
            "dsss_preamble",
            "broadcast_rate",
            "ack_timeout",
            "eifs",
        ]),
        waits(),
        qos(),
        seldom(3, radio),
        seldom(4, key("channel", word(&["air"]))),
    ])
}

/// EDCA at 2.4 GHz, where stations may be of 802.11b.
fn beside_dsss() -> BoxedStrategy<String> {
    all(vec![
        key("phy", word(&["802.11n", "802.11ax"])),
        key("band", word(&["2.4 GHz"])),
        seldom(3, key("channel", word(&["air"]))),
        settings_but::<ChannelSettings>(&[
            "band",
            "dsss_basic_rate",
            "dsss_preamble",
            "broadcast_interval",
            "broadcast_rate",
            "ack_timeout",
            "eifs",
        ]),
        waits(),
        seldom(2, key("dsss_basic_rate", word(&["1 Mb/s", "5.5 Mb/s"]))),
        seldom(2, key("dsss_preamble", word(&Preamble::WORDS))),
        seldom(2, broadcasts()),
        qos(),
        seldom(3, radio()),
    ])
}

/// Waits for answers and after frames that failed, mostly long enough for a slot or an answer.
fn waits() -> BoxedStrategy<String> {
    all(vec![
        seldom(5, key("ack_timeout", word(&["20 us", "75 us", "300 us"]))),
        seldom(5, key("eifs", word(&["30 us", "100 us", "1 ms"]))),
    ])
}

fn broadcasts() -> BoxedStrategy<String> {
    all(vec![
        key("broadcast_interval", time_above_zero(90_000_000)),
        key("broadcast_rate", word(&["2 Mb/s", "11 Mb/s", "6 Mb/s", "54 Mb/s"])),
    ])
}

fn beside_dsss_station() -> BoxedStrategy<String> {
    let old = all(vec![
        key("standard", word(&["802.11b"])),
        seldom(2, key("mcs", whole(0..=3))),
        seldom(2, radio()),
    ]);
    prop_oneof![3 => old, 1 => edca_station(radio())].boxed()
}

/// Whom a station hears beside its access point, or this beside its stations.
fn hears(name: &'static str) -> BoxedStrategy<String> {
    key(name, one_of(&["[]", "[\"ap#\"]", "[\"s#-0\"]", "[\"s#-0\", \"ap#\"]", "[\"s0-0\", \"s#-0\"]"]))
}

fn edca_tables() -> Vec<BoxedStrategy<String>> {
    vec![categories("wlan.edca"), categories("wlan.ap_edca")]
}

/// The access point's place and the radios of all, mostly on a channel that others share.
fn placed() -> BoxedStrategy<String> {
    all(vec![
        place("ap_x", "ap_y"),
        seldom(2, prop_oneof![log_distance(), key("path_loss", word(&["enterprise"]))].boxed()),
        power(),
        settings::<SenseSettings>(),
        seldom(2, key("channel", word(&["one", "two"]))),
    ])
}

/// A place under these keys, in reach of others or not; stations stand in a row.
fn place(x: &'static str, y: &'static str) -> BoxedStrategy<String> {
    let across = if x == "x" { " + 7 m * i" } else { "" };
    let x = (0u64..90).prop_map(move |metres| format!("{x} = \"{metres} m{across}\"\n"));
    all(vec![x.boxed(), seldom(2, key(y, word(&["0 m", "12 m", "-3.5 m"])))])
}

fn edca_station(radio: BoxedStrategy<String>) -> BoxedStrategy<String> {
    all(vec![
        seldom(4, settings::<GenerationSettings>()),
        seldom(2, qos()),
        seldom(2, radio),
        seldom(3, categories("wlan.station.edca")),
        seldom(3, settings::<ShareSettings>()),
        seldom(6, station_discipline()),
        seldom(6, loss("wlan.station.loss")),
    ])
}

/// Settings that a network or a station may have.
fn qos() -> BoxedStrategy<String> {
    let guard_interval = key("guard_interval", word(&["400 ns", "800 ns", "1600 ns", "3200 ns"]));
    all(vec![settings_but::<QosSettings>(&TOGETHER), seldom(3, guard_interval), seldom(2, driver())])
}

/// Power, and noise at the receiver.
fn power() -> BoxedStrategy<String> {
    all(vec![
        seldom(2, key("tx_power", word(&["-10 dBm", "15 dBm", "23 dBm"]))),
        seldom(2, key("noise_figure", word(&["0 dB", "9 dB"]))),
    ])
}

/// A signal-to-noise ratio, or a distance and how the signal fades.
fn radio() -> BoxedStrategy<String> {
    let law = prop_oneof![
        log_distance(),
        all(vec![key("walls", one_of(&["0", "0.3", "2"])), key("floors", one_of(&["0", "0.5", "1"]))]),
        all(vec![key("path_loss", word(&["enterprise"])), seldom(2, key("walls", one_of(&["1", "3"])))]),
    ];
    let distance =
        all(vec![key("distance", word(&["0 m", "1 m", "7.5 m", "20 m", "300 m"])), law.boxed(), power()]);
    let snr = key("snr", word(&["-5 dB", "4 dB", "9.5 dB", "14 dB", "22 dB", "40 dB"]));
    all(vec![
        prop_oneof![snr, distance].boxed(),
        seldom(2, variation()),
        seldom(2, key("rate_control", word(&RateControl::WORDS))),
    ])
}

/// A ratio that varies.
fn variation() -> BoxedStrategy<String> {
    let states = all(vec![
        key("snr_variation", word(&["two-state"])),
        seldom(2, key("fade_mean_good", time_above_zero(900_000_000))),
        seldom(2, key("fade_mean_bad", time_above_zero(90_000_000))),
    ]);
    let walk = all(vec![
        key("snr_variation", word(&["random-walk"])),
        seldom(2, key("fade_step", word(&["0.5 dB", "3 dB"]))),
        seldom(2, key("fade_interval", time_above_zero(90_000_000))),
    ]);
    all(vec![
        prop_oneof![states, walk].boxed(),
        seldom(2, key("fade_depth", word(&["0 dB", "4 dB", "30 dB"]))),
    ])
}

fn log_distance() -> BoxedStrategy<String> {
    let exponent = key("path_loss_exponent", one_of(&["1", "2.5", "4"]));
    all(vec![key("path_loss", word(&["log-distance"])), exponent])
}

/// Access parameters, by category.
fn categories(table: &'static str) -> BoxedStrategy<String> {
    let category = |category: &AccessCategory| {
        let word = category.word();
        settings::<EdcaSettings>().prop_map(move |lines| format!("[{table}.{word}]\n{lines}")).boxed()
    };
    all(AccessCategory::ALL.iter().map(category).map(|lines| seldom(2, lines)).collect())
}

fn station_discipline() -> BoxedStrategy<String> {
    discipline().prop_map(|lines| format!("[wlan.station.discipline]\n{lines}")).boxed()
}

/// A driver's queue.
fn driver() -> BoxedStrategy<String> {
    let aql = all(vec![
        key("aql", time_above_zero(20_000_000)),
        seldom(2, key("aql_low", time_above_zero(10_000_000))),
        key("aql_total", time_above_zero(40_000_000)),
    ]);
    prop_oneof![key("driver_queue", whole(1..=130)), key("driver_aggregates", whole(1..=4)), aql].boxed()
}

fn phy() -> BoxedStrategy<String> {
    let ns2 = (one_of(&["1", "2", "11"]), one_of(&["1", "2"])).prop_map(|(data, basic)| {
        format!("phy = \"ns2\"\ndata_rate = \"{data} Mb/s\"\nbasic_rate = \"{basic} Mb/s\"\n")
    });
    let b = seldom(2, b_rate("data_rate"));
    prop_oneof![
        b.prop_map(|rate| format!("phy = \"802.11b\"\n{rate}")),
        key("phy", word(&["802.11", "802.11a"])),
        ns2,
    ]
    .boxed()
}

fn b_rate(name: &'static str) -> BoxedStrategy<String> {
    key(name, word(&["1 Mb/s", "2 Mb/s", "5.5 Mb/s"]))
}

fn contention_window() -> BoxedStrategy<String> {
    (1u64..40, 0u64..1100)
        .prop_map(|(least, more)| format!("cw_min = {least}\ncw_max = {}\n", least + more))
        .boxed()
}

fn policer() -> BoxedStrategy<String> {
    (rate(1_000, 2_000_000), 1_500u64..70_000)
        .prop_map(|(rate, bucket)| format!("[wlan.policer]\nrate = {rate}\nburst = \"{bucket} B\"\n"))
        .boxed()
}

fn window_control() -> BoxedStrategy<String> {
    (whole(1..=40), time_above_zero(1_000_000_000))
        .prop_map(|(buffer, timeout)| {
            format!("[wlan.window_control]\nbuffer = {buffer}\nflow_timeout = {timeout}\n")
        })
        .boxed()
}

fn loss(table: &'static str) -> BoxedStrategy<String> {
    let place =
        prop_oneof![key("position", word(&["mac", "above-mac"])), key("frames", word(&["data", "all"])),];
    all(vec![
        Just(format!("[{table}]\n")).boxed(),
        loss_model(),
        seldom(2, place.boxed()),
        seldom(2, key("direction", word(&["both", "to"]))),
    ])
}
