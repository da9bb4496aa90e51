//! Disciplines that control delay, with long flows: the equilibrium of the controller is known beforehand.

use airfair_lab::{Experiment, Outcome};

/// Runs `flows` Reno flows at 100 Mb/s with a round trip of 50 ms, with a warm-up of a minute and a measured minute; `rest` is the rest of the file.
/// A warm-up of half a minute would be too short for one in a hundred: slow start overshoots by thousands of segments.
fn run(flows: u32, discipline: &str, rest: &str) -> Outcome {
    let text = format!(
        r#"
[run]
warmup = "60 s"
duration = "60 s"
metrics = ["throughput_total", "drop_rate", "mark_rate", "finish_time_delivered_mean"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "100 Mb/s"
delay = "25 ms"
queue = 10000
[link.discipline]
direction = "forward"
{discipline}
[tcp]
profile = "rfc"
variant = "sack"
segment_bytes = "1448 B"
window = 10000
[[flow]]
name = "f{{i}}"
from = "a"
to = "b"
count = {flows}
spread = "5 s"
{rest}"#
    );
    Experiment::parse(&text, "delay.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

/// Returns the mean time in the queue by Little's law, and the share of lost packets.
fn delay_and_loss(outcome: &Outcome) -> (f64, f64) {
    let link = &outcome.links[0];
    let sent = (link.counts.offered - link.counts.dropped) as f64;
    // The packet in transmission does not wait.
    let waiting = link.queue_mean - link.utilisation;
    (waiting * 60.0 / sent, link.counts.dropped as f64 / link.counts.offered as f64)
}

/// Checks that the mean delay is the target, within this range. Each window is a share of the link's, and Reno's law, a window of sqrt(3 / 2p), gives
/// the loss (Mathis, Semke, Mahdavi & Ott 1997) within a factor of two: the law ignores timeouts and different windows.
fn check_target(kind: &str, flows: u32, target: f64, within: std::ops::Range<f64>) {
    let outcome = run(flows, &format!("kind = \"{kind}\"\ntarget = \"{target} ms\""), "");
    let (delay, loss) = delay_and_loss(&outcome);
    let window = 100e6 / 12e3 * (0.05 + target / 1e3) / f64::from(flows);
    let law = 1.5 / (window * window);
    assert!(within.contains(&(delay * 1e3 / target)), "{kind}, {flows} flows, {target} ms: {delay} s");
    assert!((0.5..2.0).contains(&(loss / law)), "{kind}, {flows} flows, {target} ms: {loss}, not {law}");
}

/// The integral term leaves no lasting error, whatever the number of flows. It does so only if the probability is not cut off at zero again and
/// again. DualPI2's probability falls by 3.2 Hz times the delay as the queue empties, and for five flows it is less than that. (PIE's steps shrink
/// with the probability.)
#[test]
fn pie_and_dualpi2_hold_their_target_whatever_the_number_of_flows() {
    for target in [5.0, 15.0, 30.0] {
        for flows in [5, 20, 80] {
            check_target("pie", flows, target, 0.9..1.1);
        }
        check_target("dualpi2", 5, target, 0.8..1.0);
        for flows in [20, 80] {
            check_target("dualpi2", flows, target, 0.95..1.05);
        }
    }
}

/// Beside twenty Reno flows, calls that say ECT(1) wait for at most the packet in transmission and one more; all others wait as long as Reno's
/// packets.
#[test]
fn low_latency_packets_do_not_wait_for_classic_ones() {
    for (ect1, wait) in [(true, 0.0..0.000_3), (false, 0.013_5..0.017)] {
        let call = format!(
            r#"
[[flow]]
name = "call"
from = "a"
to = "b"
traffic = "intermittent"
session_bytes = "160 B"
period = "20 ms"
udp = {{ rate = "1 Mb/s", datagram_bytes = "160 B", ect1 = {ect1} }}
"#
        );
        let outcome = run(20, "kind = \"dualpi2\"", &call);
        let mean = outcome.metrics.iter().find(|metric| metric.name == "finish_time_delivered_mean");
        let waited = mean.and_then(|mean| mean.value).expect("calls end") - 0.025 - 188.0 * 8.0 / 100e6;
        assert!(wait.contains(&waited), "ECT(1) {ect1}: {waited} s");
    }
}

/// Reno responds to marks as to losses: marks come as often, and nothing is lost.
#[test]
fn classic_packets_are_marked_where_they_would_be_dropped() {
    let [losing, marking] = ["", "tcp = { ecn = true }\n"].map(|tcp| run(20, "kind = \"dualpi2\"", tcp));
    let counts = |outcome: &Outcome| outcome.links[0].counts.clone();
    assert_eq!((counts(&losing).discipline.marked, counts(&marking).dropped), (0, 0));
    let ratio = counts(&marking).discipline.marked as f64 / counts(&losing).dropped as f64;
    assert!((0.7..1.4).contains(&ratio), "{ratio} marks for each loss");
    let delay = delay_and_loss(&marking).0;
    assert!((0.0135..0.0165).contains(&delay), "{delay}");
}
