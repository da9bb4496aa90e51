//! Wireless networks: their names and their stations are said by the network.

use super::loss::loss_model;
use super::pieces::{all, key, one_of, queue, rate, seldom, time, time_above_zero, whole, word};
use super::stated::{discipline, settings};
use airfair_wifi::MacSettings;
use proptest::prelude::*;

/// The lines of a `[[wlan]]`, name, access point and stations left out.
pub fn wlan() -> BoxedStrategy<String> {
    all(vec![
        phy(),
        seldom(3, contention_window()),
        settings::<MacSettings>(),
        key("queue", queue()),
        seldom(2, key("ap_queue", queue())),
        seldom(6, b_rate("ap_data_rate")),
        seldom(2, key("host_delay", time(30_000_000))),
        seldom(3, key("station_overhead", word(&["1 B", "20 B", "2000 B"]))),
        seldom(3, discipline().prop_map(|lines| format!("[wlan.ap_discipline]\n{lines}")).boxed()),
        seldom(3, policer()),
        seldom(3, window_control()),
        seldom(3, loss("wlan.loss")),
    ])
}

/// The lines of a `[[wlan.station]]`, name and number left out. Not every PHY has these rates.
pub fn station() -> BoxedStrategy<String> {
    all(vec![
        seldom(6, b_rate("data_rate")),
        seldom(6, b_rate("ap_data_rate")),
        seldom(6, loss("wlan.station.loss")),
    ])
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
