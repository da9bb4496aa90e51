//! Settings of a TCP flow: every key of `[flow.tcp]`, a few at a time.

use super::pieces::{all, key, one_of, seldom, time, time_above_zero, whole, word};
use super::stated::variant;
use proptest::prelude::*;

/// The lines of the table.
pub fn settings() -> BoxedStrategy<String> {
    let flag = || one_of(&["true", "false"]);
    let segments = || one_of(&["1", "1.5", "2", "3", "4", "10", "64.25", "1000", "1073741824"]);
    let bytes =
        |range: std::ops::RangeInclusive<u64>| range.prop_map(|bytes| format!("\"{bytes} B\"")).boxed();
    let seldom_keys = vec![
        key("recovery", word(&["tahoe", "reno", "newreno", "sack", "sack-pipe", "fack", "vegas"])),
        key("segment_bytes", one_of(&["\"1 B\"", "\"100 B\"", "\"536 B\"", "\"9 kB\"", "\"65495 B\""])),
        key("header_bytes", bytes(0..=120)),
        key("ack_bytes", bytes(1..=120)),
        key("sack_option_bytes", bytes(0..=40)),
        growth(),
        key("grow_only_when_limited", flag()),
        key("loss_base", word(&["window", "flight-size"])),
        key("loss_window", segments()),
        key("fast_retransmit_guard", word(&["none", "recover", "recover-or-first"])),
        key("recovery_burst", whole(1..=5)),
        key("recovery_exit_deflates", flag()),
        estimator(),
        key("window_unit", word(&["segment", "byte"])),
        key("initial_window", segments()),
        key("initial_ssthresh", segments()),
        key("max_window", segments()),
        key(
            "restart",
            word(&["none", "idle-timeout", "idle-timeout-is-loss", "rfc5681", "rfc2861", "rfc7661"]),
        ),
        key("restart_window", segments()),
        delayed_ack(),
        key("handshake", word(&["none", "first-segment", "one-way", "overlapped", "three-way"])),
        timer(),
        key("rto_initial", time_above_zero(3_000_000_000)),
        key("timestamps", flag()),
        key("limited_transmit", flag()),
        key("send_jitter", time(20_000_000)),
        key("ecn", flag()),
    ];
    let often = vec![
        key("profile", word(&["ns2", "rfc", "linux"])),
        variant(),
        key("connection", word(&["reuse", "fresh", "renewed"])),
        key("window", one_of(&["1", "2", "3", "4", "10", "40", "700"])),
    ];
    let often = often.into_iter().map(|line| seldom(2, line));
    all(often.chain(seldom_keys.into_iter().map(|line| seldom(8, line))).collect())
}

fn growth() -> BoxedStrategy<String> {
    let per_byte = seldom(2, key("growth_limit", whole(1..=4)));
    prop_oneof![
        Just("growth = \"per-ack\"\n".to_owned()),
        per_byte.prop_map(|limit| format!("growth = \"per-byte\"\n{limit}")),
    ]
    .boxed()
}

fn estimator() -> BoxedStrategy<String> {
    let ticks = one_of(&["1 ms", "10 ms", "500 ms"]);
    (word(&["rfc6298", "linux", "ticks", "damped-ticks"]), ticks)
        .prop_map(|(name, ticks)| format!("rto_estimator = {name}\nrto_granularity = \"{ticks}\"\n"))
        .boxed()
}

fn delayed_ack() -> BoxedStrategy<String> {
    let timeout = seldom(2, key("delayed_ack_timeout", time_above_zero(500_000_000)));
    let segments = seldom(2, key("delayed_ack_segments", whole(1..=8)));
    prop_oneof![
        Just("delayed_ack = false\n".to_owned()),
        all(vec![timeout, segments]).prop_map(|rest| format!("delayed_ack = true\n{rest}")),
    ]
    .boxed()
}

fn timer() -> BoxedStrategy<String> {
    (0..2_000_000_000u64, 1..3_000_000_000u64)
        .prop_map(|(least, more)| format!("rto_min = \"{least} ns\"\nrto_max = \"{} ns\"\n", least + more))
        .boxed()
}
