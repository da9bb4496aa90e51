//! Golden outcomes. If one of them changes, stored results of the same model version would be wrong.

use airfair_lab::{Experiment, MODEL_VERSION, Outcome};
use airfair_scenario::Override;
use std::fmt::Write;
use std::path::PathBuf;

const RUNS: &[(&str, &[(&str, &str)])] = &[
    ("jung/table1", &[("protocol", "udp"), ("direction", "upload"), ("stations", "3"), ("duration", "5 s")]),
    ("jung/table1", &[("protocol", "tcp"), ("stations", "8"), ("duration", "5 s"), ("tcp", "sack")]),
    ("jung/mixed", &[("tcp", "reno"), ("duration", "40 s")]),
    ("jung/mixed", &[("tcp", "vegas-fair"), ("duration", "40 s"), ("direction", "both")]),
    ("jung/mixed", &[("tcp", "westwood"), ("duration", "40 s"), ("connection", "fresh"), ("window", "64")]),
    ("jung/mixed", &[("tcp", "newreno"), ("duration", "40 s"), ("profile", "rfc"), ("queue", "10")]),
    ("jung/mixed", &[("tcp", "vegas"), ("duration", "40 s"), ("profile", "linux"), ("direction", "upload")]),
    ("bench/wlan", &[("stations", "4"), ("duration", "10 s")]),
    ("bench/dumbbell", &[("flows", "20"), ("duration", "10 s")]),
    ("bench/dumbbell", &[("flows", "500"), ("rate", "500 Mb/s"), ("duration", "2 s")]),
    ("lee/path", &[("tcp", "sack"), ("loss", "1 %"), ("duration", "20 s")]),
    ("mamatas/dumbbell", &[("flows", "5"), ("error_model", "on_off"), ("duration", "20 s")]),
    ("mamatas/dumbbell", &[("flows", "5"), ("handoff", "short"), ("jitter", "1 ms"), ("duration", "20 s")]),
    ("mamatas/complex", &[("flows", "6"), ("beta", "0.875"), ("duration", "20 s")]),
    ("blefari/hotspot", &[("policy", "airtime_drr"), ("up", "15"), ("down", "15"), ("duration", "5 s")]),
    ("blefari/hotspot", &[("policy", "fq_codel"), ("up", "4"), ("down", "4"), ("duration", "5 s")]),
    ("blefari/hotspot", &[("policy", "lossless"), ("rtt", "100 ms"), ("duration", "5 s")]),
    (
        "ghosh/mixed",
        &[("queue", "red"), ("pairs", "6"), ("error", "5 %"), ("error_at", "mac"), ("duration", "20 s")],
    ),
    ("wifi/home", &[("duration", "5 s")]),
    ("wifi/home", &[("policy", "airtime"), ("tcp", "bbr"), ("duration", "5 s")]),
    ("wifi/anomaly", &[("policy", "mac80211"), ("duration", "3 s")]),
    ("wifi/overlap", &[("duration", "3 s")]),
    ("flent/rrul", &[("duration", "5 s")]),
    ("l4s/coupled", &[("duration", "5 s")]),
    ("ghosh/wireless", &[("tcp", "constant"), ("cwnd", "11"), ("error", "5 %"), ("duration", "20 s")]),
];

fn outcome(source: &str, set: &[(&str, &str)]) -> Outcome {
    let overrides: Vec<_> =
        set.iter().map(|(name, value)| Override { name: (*name).into(), value: (*value).into() }).collect();
    Experiment::load(source, &overrides).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

fn golden_now() -> String {
    let mut text = format!("model version {MODEL_VERSION}\n");
    for (source, set) in RUNS {
        let _ = writeln!(text, "\n{source} {set:?}");
        for metric in &outcome(source, set).metrics {
            let value = metric.value.map_or_else(|| "none".to_owned(), |value| value.to_string());
            let _ = writeln!(text, "  {} {value}", metric.name);
        }
    }
    text
}

#[test]
fn outcomes_are_the_recorded_ones() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    let now = golden_now();
    if std::env::var_os("AIRFAIR_BLESS").is_some() {
        std::fs::write(&path, &now).expect("the golden file can be written");
    }
    let recorded = std::fs::read_to_string(&path).expect("the golden file is there");
    assert!(
        recorded == now,
        "Outcomes differ from crates/lab/tests/golden.txt. If that is meant: raise MODEL_VERSION in \
         crates/lab/src/lib.rs (unless this version has not been released), say why in CHANGELOG.md, then run \
         `AIRFAIR_BLESS=1 cargo test -p airfair-lab --test golden`.\n\nrecorded:\n{recorded}\nnow:\n{now}"
    );
}

#[test]
fn the_same_scenario_and_seed_give_the_same_outcome_wherever_it_runs() {
    let (source, set) = RUNS[2];
    let here = outcome(source, set);
    let there = std::thread::spawn(move || outcome(source, set)).join().expect("the run ends");
    assert_eq!(here, there);
}
