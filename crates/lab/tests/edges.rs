//! Small and odd scenarios: each has an outcome, and the engine knows every metric.

use airfair_lab::{Experiment, Outcome, listed_or_not};
use airfair_sim::Quantity;

/// A wire and a WLAN with all metrics requested.
const NETWORK: &str = r#"
[run]
duration = "3 s"
metrics = [METRICS]

[fair_share]
users = 2
download = "1 Mb/s"
upload = "1 Mb/s"

[effort]
throughput_max = "1 Mb/s"

[[node]]
name = "host"

[[link]]
from = "host"
to = "ap"
rate = "10 Mb/s"
delay = "0 ms"
queue = 1

[[wlan]]
name = "w"
ap = "ap"
phy = "802.11b"
queue = 2

[[wlan.station]]
name = "s"

[[flow]]
name = "f"
"#;

fn outcome(flow: &str) -> Outcome {
    let metrics: Vec<_> = listed_or_not().map(|metric| format!("\"{}\"", metric.name)).collect();
    let text = NETWORK.replace("METRICS", &metrics.join(", ")) + flow;
    let experiment = Experiment::parse(&text, "odd.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = experiment.run(1, &Quantity::ALL);
    for metric in &outcome.metrics {
        let range = airfair_lab::metric(&metric.name).map(|metric| metric.range);
        let fits = |value| range.is_some_and(|range| range.contains(value));
        assert!(metric.value.is_none_or(|value| value.is_finite() && fits(value)), "{flow}: {metric:?}");
    }
    outcome
}

fn value(outcome: &Outcome, name: &str) -> Option<f64> {
    outcome.metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.value)
}

#[test]
fn every_odd_scenario_has_an_outcome() {
    for rest in [
        "from = \"s\"\nto = \"host\"\n",
        "from = \"host\"\nto = \"s\"\nstart = \"5 s\"\n",
        "from = \"host\"\nto = \"s\"\nstart = \"1 s\"\nstop = \"1 s\"\n",
        "from = \"host\"\nto = \"s\"\nstart = \"1 s\"\nstop = \"1 s\"\nudp = { rate = \"1 Mb/s\" }\n",
        "from = \"ap\"\nto = \"s\"\nudp = { rate = \"1 b/s\" }\n",
        "from = \"host\"\nto = \"s\"\nstop = \"2 s\"\ntcp = { connection = \"fresh\", profile = \"linux\" }\n",
        "from = \"host\"\nto = \"s\"\ntcp = { connection = \"renewed\", profile = \"ns2\" }\n",
    ] {
        outcome(rest);
    }
    let wired = "from = \"ap\"\nto = \"host\"\ntraffic = \"intermittent\"\nsession_bytes = \"1 B\"\nperiod = \"1 ms\"\n";
    let wires = outcome(wired);
    assert_eq!(value(&wires, "throughput_up"), None);
    assert_eq!(value(&wires, "instantaneous_fairness_sent"), None, "a flow over wires has no fair share");
    assert_eq!(wires.sessions.len(), 3000);
}

/// UDP has no acknowledgements, so delivered bytes count, as in its throughput.
#[test]
fn sessions_of_udp_end_when_they_are_delivered() {
    let flow = "from = \"s\"\nto = \"ap\"\ntraffic = \"intermittent\"\nsession_bytes = \"3 kB\"\nperiod = \"100 ms\"\n\
                udp = { rate = \"600 kb/s\", datagram_bytes = \"1000 B\" }\n";
    let outcome = outcome(flow);
    assert_eq!(value(&outcome, "sessions_unfinished"), Some(0.0));
    // The last of three datagrams is sent after two intervals of just over 13 ms, and takes a few milliseconds on the air.
    assert_eq!(value(&outcome, "finish_time_sent_mean").map(|mean| (mean * 1e6).round()), Some(26_667.0));
    let acked = value(&outcome, "finish_time_acked_mean").unwrap();
    assert!(acked > 0.0267 && acked < 0.035, "{acked}");
    assert_eq!(value(&outcome, "finish_time_delivered_mean"), Some(acked));
}
