//! Uploads and downloads of several connections at a station, mostly in long rows: the access point aggregates, and a fast wire behind it
//! loses a packet now and then. Sessions often begin at the instant at which a frame ends. Few settings of TCP are stated, as most keep packets
//! from going in rows.

use super::pieces::{all, key, one_of, seldom, whole, word};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Write;

/// A network with several connections at each station, as the text of a scenario file.
pub fn rows() -> BoxedStrategy<String> {
    let flows = vec((flow(), prop_oneof![3 => Just(true), 1 => Just(false)]), 1..4);
    (1usize..4, wire(), air(), tcp(), flows)
        .prop_map(|(stations, wire, air, tcp, flows)| {
            let mut text = format!(
                "[run]\nduration = \"1500001 us\"\nmetrics = [\"throughput_total\"]\n\
                 [[node]]\nname = \"server\"\n[[link]]\nfrom = \"server\"\nto = \"ap\"\n{wire}\
                 [[wlan]]\nname = \"wlan\"\nap = \"ap\"\n{air}\
                 [[wlan.station]]\nname = \"sta{{i}}\"\ncount = {stations}\n[tcp]\n{tcp}"
            );
            for (number, (flow, is_upload)) in flows.into_iter().enumerate() {
                let (from, to) = if is_upload { ("sta{i}", "server") } else { ("server", "sta{i}") };
                let _ = writeln!(
                    text,
                    "[[flow]]\nname = \"f{number}-{{i}}\"\ncount = {stations}\nfrom = \"{from}\"\nto = \"{to}\"\n{flow}"
                );
            }
            text
        })
        .boxed()
}

fn wire() -> BoxedStrategy<String> {
    let loss = one_of(&["0.001", "0.01", "0.05"])
        .prop_map(|probability| format!("[link.loss]\nmodel = \"bernoulli\"\nprobability = {probability}\n"));
    all(vec![
        key("rate", word(&["60 Mb/s", "1 Gb/s", "10 Gb/s"])),
        key("delay", word(&["0 s", "1 ms", "7.3 ms"])),
        key("queue", whole(3..=1000)),
        prop_oneof![3 => loss, 1 => Just(String::new())].boxed(),
    ])
}

fn air() -> BoxedStrategy<String> {
    let queue = || one_of(&["8", "30", "100", "500"]);
    let aggregates = || {
        all(vec![
            key("phy", word(&["802.11n", "802.11ac", "802.11ax"])),
            key("mcs", whole(2..=7)),
            key("ampdu", word(&["6000 B", "20000 B", "65535 B"])),
            seldom(4, key("txop", word(&["0 s", "3 ms"]))),
        ])
    };
    let single = key("phy", word(&["802.11a", "802.11b"]));
    all(vec![
        prop_oneof![3 => aggregates(), 1 => single].boxed(),
        key("queue", queue()),
        seldom(2, key("ap_queue", queue())),
    ])
}

fn tcp() -> BoxedStrategy<String> {
    all(vec![
        key("profile", word(&["rfc", "ns2", "linux"])),
        key("variant", word(&["reno", "newreno", "sack", "cubic"])),
        key("window", one_of(&["3", "10", "40", "300"])),
        seldom(4, key("delayed_ack", one_of(&["true", "false"]))),
        seldom(2, key("rto_min", word(&["10 ms", "50 ms"]))),
    ])
}

/// Greedy, or in sessions.
fn flow() -> BoxedStrategy<String> {
    let sessions = (one_of(&["1", "3", "30", "300"]), one_of(&["1", "5", "20", "200"])).prop_map(
        |(kilobytes, period)| {
            format!(
                "traffic = \"intermittent\"\nsession_bytes = \"{kilobytes} kB\"\nperiod = \"{period} ms\"\n"
            )
        },
    );
    seldom(3, sessions.boxed())
}
