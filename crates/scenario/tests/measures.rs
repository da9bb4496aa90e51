//! The tables of settings of metrics: their meaning, and messages about bad ones.

use airfair_core::{Rate, Span};
use airfair_scenario::parse;
use airfair_scenario::resolved::{Convergence, Effort, FairnessOf, Measures};

const NETWORK: &str = r#"
[parameters.rate]
unit = "bit/s"
default = "10 Mb/s"

[run]
duration = "10 s"

[[node]]
name = "a"
[[node]]
name = "b"

[[link]]
from = "a"
to = "b"
rate = "rate"
delay = "1 ms"

[[flow]]
name = "f"
from = "a"
to = "b"
"#;

fn measures(tables: &str) -> Result<Measures, String> {
    let loaded = parse(&(NETWORK.to_owned() + tables), "m.toml", &[]);
    loaded.map(|loaded| loaded.scenario.measures).map_err(|error| error.to_string())
}

#[test]
fn without_the_tables_their_defaults_hold() {
    let defaults = Measures {
        fairness_of: FairnessOf::Throughput,
        effort: None,
        deadline: Span::from_millis(100),
        convergence: Convergence { window: Span::from_secs(1), index: 0.95 },
    };
    assert_eq!(measures(""), Ok(defaults));
    assert_eq!(measures("[fairness]\n[realtime]\n[convergence]\n"), Ok(defaults));
    let effort = Effort { throughput_max: Rate::new(10_000_000).unwrap(), eee: (1.0, 0.3), uar: (0.5, 0.5) };
    let with_effort = Measures { effort: Some(effort), ..defaults };
    assert_eq!(measures("[effort]\nthroughput_max = \"rate\"\n"), Ok(with_effort));
}

#[test]
fn each_key_can_be_set() {
    let tables = r#"
[fairness]
of = "sending-rate"
[effort]
throughput_max = "2 * rate"
eee_a = 2
eee_b = 0
uar_a = 0.25
uar_b = 0.75
[realtime]
deadline = "50 ms"
[convergence]
window = "500 ms"
index = "90 %"
"#;
    let expected = Measures {
        fairness_of: FairnessOf::SendingRate,
        effort: Some(Effort {
            throughput_max: Rate::new(20_000_000).unwrap(),
            eee: (2.0, 0.0),
            uar: (0.25, 0.75),
        }),
        deadline: Span::from_millis(50),
        convergence: Convergence { window: Span::from_millis(500), index: 0.9 },
    };
    assert_eq!(measures(tables), Ok(expected));
}

/// The key of a result covers every setting that decides a metric.
#[test]
fn each_table_is_in_the_key() {
    let key = |tables: &str| {
        parse(&(NETWORK.to_owned() + tables), "m.toml", &[])
            .unwrap_or_else(|error| panic!("{error}"))
            .key(1, 1)
    };
    let keys: std::collections::BTreeSet<String> = [
        "",
        "[fairness]\nof = \"sending-rate\"\n",
        "[effort]\nthroughput_max = \"rate\"\n",
        "[effort]\nthroughput_max = \"rate\"\neee_b = 0.2\n",
        "[effort]\nthroughput_max = \"rate\"\nuar_b = 0.2\n",
        "[realtime]\ndeadline = \"99 ms\"\n",
        "[convergence]\nindex = 0.9\n",
        "[convergence]\nwindow = \"2 s\"\n",
    ]
    .map(key)
    .into();
    assert_eq!(keys.len(), 8);
}

#[test]
fn each_mistake_has_its_message() {
    for (tables, wanted) in [
        (
            "[fairness]\nof = \"sending-rat\"",
            "fairness.of: unknown quantity `sending-rat`; did you mean `sending-rate`?",
        ),
        ("[fairness]\nfo = \"throughput\"", "fairness.fo: unknown key `fo`; did you mean `of`?"),
        ("[effort]\neee_a = 1", "effort: it needs `throughput_max`, which has no default"),
        (
            "[effort]\nthroughput_max = \"0 Mb/s\"",
            "effort.throughput_max: `0 Mb/s`: a rate must be above zero",
        ),
        (
            "[effort]\nthroughput_max = \"10 ms\"",
            "effort.throughput_max: `10 ms` is a time where a rate is needed",
        ),
        (
            "[effort]\nthroughput_max = \"rate\"\nuar_a = -0.5",
            "effort.uar_a: -0.5 is out of range: a number at least 0 is needed",
        ),
        ("[efort]\nthroughput_max = \"rate\"", "efort: unknown key `efort`; did you mean `effort`?"),
        (
            "[realtime]\ndeadline = \"0 s\"",
            "realtime.deadline: 0 ns is out of range: a time above 0 is needed",
        ),
        ("[realtime]\ndeadline = 100", "realtime.deadline: `100` is a bare number where a time is needed"),
        ("[convergence]\nindex = 0", "convergence.index: 0 is out of range: a number above 0 and at most 1"),
        (
            "[convergence]\nindex = 1.2",
            "convergence.index: 1.2 is out of range: a number above 0 and at most 1",
        ),
        (
            "[convergence]\nwindow = \"0 s\"",
            "convergence.window: 0 ns is out of range: a time at least 0.001 s is needed",
        ),
    ] {
        let message = measures(tables).expect_err(tables);
        assert!(message.contains(wanted), "wanted: {wanted}\n   got: {message}");
    }
}
