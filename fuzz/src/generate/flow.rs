//! Flows: who sends to whom is said by the network.

use super::pieces::{all, key, one_of, rate, seldom, time, time_above_zero, word};
use super::stated::settings;
use super::tcp;
use airfair_scenario::PriorityKeys;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;

/// The lines of a `[[flow]]`, name and ends left out.
pub fn flow() -> BoxedStrategy<String> {
    let start = seldom(2, key("start", time(SECOND)));
    let spread = seldom(4, key("spread", time(SECOND)));
    let transport = prop_oneof![
        5 => tcp(),
        1 => udp(),
    ];
    let transport = transport.boxed();
    // How a browser's sessions share connections is not to be said.
    let of_browser = tcp().prop_map(|lines| {
        let may_be_said = |line: &&str| !line.starts_with("connection =");
        lines.lines().filter(may_be_said).map(|line| format!("{line}\n")).collect()
    });
    let application = prop_oneof![all(vec![web(), of_browser.boxed()]), all(vec![video(), tcp()])];
    let sends = prop_oneof![8 => all(vec![traffic(), transport]), 1 => application, 1 => voice(), 1 => video_call(), 1 => requests(), 1 => game(), 1 => trace()];
    all(vec![start, spread, seldom(3, settings::<PriorityKeys>()), sends.boxed()])
}

fn traffic() -> BoxedStrategy<String> {
    // No earlier than the latest start.
    let stop = (2 * SECOND..4 * SECOND).prop_map(|stop| format!("stop = \"{stop} ns\"\n"));
    let greedy = seldom(3, stop.boxed());
    let bytes = prop_oneof![1u64..4, 1u64..3_000, 1u64..200_000];
    let finite = (bytes, gap())
        .prop_map(|(bytes, gap)| format!("traffic = \"intermittent\"\nsession_bytes = \"{bytes} B\"\n{gap}"));
    prop_oneof![greedy, finite].boxed()
}

fn gap() -> BoxedStrategy<String> {
    let period = || time_above_zero(2 * SECOND);
    let gap = prop_oneof![
        key("period", period()),
        key("period", period()).prop_map(|period| format!("gap = \"exponential\"\n{period}")),
        (1_000_000..SECOND, 0..SECOND).prop_map(|(low, more)| format!(
            "gap = \"uniform\"\nperiod_min = \"{low} ns\"\nperiod_max = \"{} ns\"\n",
            low + more
        )),
    ];
    gap.boxed()
}

fn web() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"web\"\n".to_owned()).boxed();
    let bytes = seldom(4, key("page_bytes", word(&["1 B", "20 kB", "300 kB"])));
    let objects = seldom(2, key("objects", one_of(&["1\nround_trips = 0", "4\nround_trips = 6", "20"])));
    all(vec![traffic, gap(), bytes, objects, seldom(4, key("http", word(&["http1", "http2"])))])
}

fn video() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"video\"\n".to_owned()).boxed();
    let segment = seldom(2, key("segment", word(&["500 ms", "2 s"])));
    let buffer = seldom(2, key("buffer", word(&["8 s", "20 s"])));
    all(vec![traffic, segment, buffer, seldom(2, key("bitrate", word(&["1 Mb/s", "4 Mb/s"])))])
}

fn tcp() -> BoxedStrategy<String> {
    tcp::settings().prop_map(|settings| format!("[flow.tcp]\n{settings}")).boxed()
}

fn voice() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"voice\"\n".to_owned()).boxed();
    let codec = seldom(2, key("codec", word(&["g711", "g711-plain", "opus"])));
    let ect1 = seldom(2, key("ect1", one_of(&["true", "false"])));
    all(vec![traffic, codec, seldom(2, key("playout_delay", time(SECOND / 5))), ect1])
}

fn video_call() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"video_call\"\n".to_owned()).boxed();
    let rates = one_of(&["\"40 Mb/s\"\nbitrate_min = \"3 Mb/s\"", "\"300 kb/s\"", "\"30 kb/s\""]);
    all(vec![
        traffic,
        seldom(2, key("bitrate", rates)),
        seldom(2, key("frame_rate", one_of(&["1", "15", "240"]))),
    ])
}

fn requests() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"request_response\"\n".to_owned()).boxed();
    let bytes = || one_of(&["\"1 B\"", "\"56 B\"", "\"1400 B\""]);
    let request = seldom(2, key("request_bytes", bytes()));
    all(vec![traffic, gap(), request, seldom(2, key("response_bytes", bytes()))])
}

fn game() -> BoxedStrategy<String> {
    let traffic = Just("traffic = \"game\"\n".to_owned()).boxed();
    let rate = seldom(2, key("tick_rate", one_of(&["1", "20", "128"])));
    let bytes = || one_of(&["\"1 B\"", "\"80 B\"", "\"900 B\""]);
    all(vec![traffic, rate, seldom(2, key("update_bytes", bytes())), seldom(2, key("state_bytes", bytes()))])
}

fn trace() -> BoxedStrategy<String> {
    let sessions = prop::collection::vec((0..SECOND / 5, prop_oneof![1u64..4, 1u64..30_000]), 1..20);
    let lines = sessions.prop_map(|sessions| {
        let mut at = 0;
        let lines = sessions.into_iter().map(|(gap, bytes)| {
            at += gap;
            format!("{}.{:09}, {bytes}", at / SECOND, at % SECOND)
        });
        format!("traffic = \"trace\"\ntrace = \"{}\"\n", lines.collect::<Vec<_>>().join("; "))
    });
    all(vec![lines.boxed(), prop_oneof![tcp(), udp()].boxed()])
}

fn udp() -> BoxedStrategy<String> {
    let size =
        seldom(2, key("datagram_bytes", one_of(&["\"1 B\"", "\"160 B\"", "\"1472 B\"", "\"65507 B\""])));
    let header = seldom(4, key("header_bytes", word(&["0 B", "28 B", "40 B"])));
    let ect1 = seldom(4, key("ect1", one_of(&["true", "false"])));
    all(vec![
        Just("[flow.udp]\n".to_owned()).boxed(),
        key("rate", rate(1_000, 3_000_000)),
        size,
        header,
        ect1,
    ])
}
