//! Disciplines that know hosts and code points.

mod both;

use airfair_lab::Experiment;

/// Returns the throughputs in Mb/s of flows over a router's link of 20 Mb/s from `a` and `b` to `far`, or from `far` to them.
fn throughputs(discipline: &str, flows: &str, down: bool) -> Vec<f64> {
    let there = if down { "backward" } else { "forward" };
    let text = format!(
        r#"
[run]
warmup = "10 s"
duration = "30 s"
metrics = ["throughput_total"]
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "router"
[[node]]
name = "far"
[[link]]
from = "a"
to = "router"
rate = "1 Gb/s"
delay = "1 ms"
[[link]]
from = "b"
to = "router"
rate = "1 Gb/s"
delay = "1 ms"
[[link]]
from = "router"
to = "far"
rate = "20 Mb/s"
delay = "10 ms"
queue = 1000
discipline = {{ {discipline}, direction = "{there}" }}
[tcp]
profile = "linux"
variant = "sack"
{flows}"#
    );
    let experiment = Experiment::parse(&text, "hosts.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    experiment.run(1, &[]).flows.iter().map(|flow| flow.counts.delivered_bytes as f64 * 8.0 / 30e6).collect()
}

fn flow(name: &str, from: &str, to: &str, rest: &str) -> String {
    format!("[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{rest}\n")
}

/// Eight flows of one host and one of another: isolation by flows gives each a ninth of the link, isolation by hosts half of it to each host.
/// All flows have the far host in common, so `triple-isolate` divides by flows. (One Reno flow behind COBALT cannot use all of its half; the
/// others take the rest.)
#[test]
fn cake_shares_a_link_among_hosts_in_either_direction() {
    for down in [false, true] {
        let ends = |host| if down { ["far", host] } else { [host, "far"] };
        let [[from, to], [from_b, to_b]] = ["a", "b"].map(ends);
        let flows = flow("many{i}", from, to, "count = 8") + &flow("one", from_b, to_b, "");
        let one = |discipline: &str| throughputs(discipline, &flows, down)[8];
        let hosts = if down { "dual-dsthost" } else { "dual-srchost" };
        for (isolation, wanted) in [("flows", 1.9..2.4), ("triple-isolate", 1.9..2.4), (hosts, 8.5..10.0)] {
            let found = one(&format!("kind = \"cake\", isolation = \"{isolation}\""));
            assert!(wanted.contains(&found), "{isolation}, down {down}: {found} Mb/s");
        }
    }
}

/// Bulk gets a sixteenth, video half, and best effort the rest, if each has so many flows that its queue is never empty.
#[test]
fn cake_has_tins_by_code_point() {
    let flows = flow("bulk{i}", "a", "far", "count = 8\ndscp = \"le\"")
        + &flow("video{i}", "a", "far", "count = 8\ndscp = \"af41\"")
        + &flow("usual{i}", "b", "far", "count = 8");
    let found: Vec<f64> =
        throughputs("kind = \"cake\"", &flows, false).chunks(8).map(|group| group.iter().sum()).collect();
    let total: f64 = found.iter().sum();
    for (found, share) in found.iter().zip([1.0 / 16.0, 1.0 / 2.0, 7.0 / 16.0]) {
        assert!((found / (share * total) - 1.0).abs() < 0.01, "{found} of {total} Mb/s, not {share}");
    }
}

/// Returns the ACKs for each segment of a download over 802.11ax, of 41 Mb/s.
fn acknowledged(gro: bool) -> f64 {
    let text = format!(
        r#"
[run]
warmup = "2 s"
duration = "5 s"
metrics = ["throughput_total"]
[[node]]
name = "server"
[[link]]
from = "server"
to = "ap"
rate = "1 Gb/s"
delay = "5 ms"
[[wlan]]
name = "w"
ap = "ap"
phy = "802.11ax"
width = "80 MHz"
mcs = 7
queue = 50
[[wlan.station]]
name = "laptop"
[tcp]
profile = "linux"
variant = "cubic"
gro = {gro}
[[flow]]
name = "download"
from = "server"
to = "laptop"
"#
    );
    let experiment = Experiment::parse(&text, "gro.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = both::outcome(&format!("gro {gro}"), experiment, 1, &[]);
    outcome.links[1].counts.offered as f64 / outcome.flows[0].counts.sender.segments as f64
}

/// A burst of TSO, here of three or four segments (41 Mb/s, paced at 1.2 times as much, carries 50 kbit in 1 s / 1024), ends a bundle with PSH.
#[test]
fn a_receiver_that_bundles_acknowledges_a_burst_once() {
    let [each, bundled] = [false, true].map(acknowledged);
    assert!((0.5..0.6).contains(&each), "{each}");
    assert!((0.25..0.33).contains(&bundled), "{bundled}");
}
