//! Metrics of queues, policers and constant windows, in networks whose values are known beforehand.

mod both;
mod outcome;

use airfair_lab::{Experiment, Outcome};
use airfair_scenario::Override;
use outcome::{reason, value};

/// Runs two hosts on a 2 Mb/s wire and a WLAN of two stations behind it, with these metrics and the rest of the file.
fn run(metrics: &[&str], link: &str, wlan: &str, rest: &str) -> Outcome {
    let text = format!(
        r#"
[run]
warmup = "2 s"
duration = "20 s"
metrics = {metrics:?}
[[node]]
name = "a"
[[link]]
from = "a"
to = "ap"
rate = "2 Mb/s"
delay = "10 ms"
queue = 20
{link}
[[wlan]]
name = "w"
ap = "ap"
phy = "802.11b"
{wlan}
[[wlan.station]]
name = "sta{{i}}"
count = 2
{rest}"#
    );
    let experiment = Experiment::parse(&text, "q.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    experiment.run(1, &[])
}

const DOWN: &str = "[[flow]]\nname = \"d{i}\"\nfrom = \"a\"\nto = \"sta{i}\"\ncount = 2\n";

fn udp(from: &str, to: &str, rate: &str) -> String {
    format!(
        "[[flow]]\nname = \"u\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
         udp = {{ rate = \"{rate}\", datagram_bytes = \"1000 B\" }}\n"
    )
}

/// Runs an example of the guide with this parameter, and returns the values of these metrics.
fn values_with<const N: usize>(text: &str, (name, given): (&str, &str), metrics: [&str; N]) -> [f64; N] {
    let set = [Override { name: name.into(), value: given.into() }];
    let outcome = Experiment::parse(text, "example.toml", &set).unwrap().run(1, &[]);
    metrics.map(|name| value(&outcome, name))
}

/// docs/scenarios.md: a video call beside an upload keeps its delay and its rate where the queue is FQ-CoDel.
#[test]
fn the_video_call_of_the_guide_keeps_its_rate_behind_fq_codel() {
    let text = include_str!("../../../docs/examples/call.toml");
    let names = ["video_call_delay_p95", "video_call_bitrate_mean"];
    let values = |queue| values_with(text, ("queue", queue), names);
    let ([slow, low], [fast, high]) = (values("drop_tail"), values("fq_codel"));
    assert!(fast < 0.1 && slow > 2.0 * fast, "{fast} {slow}");
    assert!(high > 1.5 * low, "{high} {low}");
}

/// docs/scenarios.md: with a shaper packets wait in the router, where a ping does not wait behind uploads. Segments of 1500 bytes carry 1448.
#[test]
fn the_shaper_of_the_guide_takes_the_queue_from_the_modem() {
    let text = include_str!("../../../docs/examples/modem.toml");
    let names = ["response_time_mean", "response_time_p95", "throughput_total"];
    let values = |bandwidth| values_with(text, ("bandwidth", bandwidth), names);
    let rounded = |[mean, p95, total]: [f64; 3]| {
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        [rounded(mean * 1e3), rounded(p95 * 1e3), rounded(total / 1e6)]
    };
    assert_eq!(rounded(values("default")), [146.5, 168.2, 38.6]);
    let shaped = values("38 Mb/s");
    assert_eq!(rounded(shaped), [20.6, 20.7, 36.7]);
    assert!((shaped[2] / (38e6 * 1448.0 / 1500.0) - 1.0).abs() < 1e-3, "{shaped:?}");
}

#[test]
fn constant_windows_are_judged_by_delivered_packets() {
    let metrics = ["goodput_total", "goodput_mean", "throughput_total", "packets_stddev"];
    let tcp = "[tcp]\nsegment_bytes = \"1000 B\"\n[[flow]]\nname = \"late\"\nfrom = \"a\"\nto = \"sta0\"\nstart = \"12 s\"\n";
    let outcome = run(&metrics, "", "", &format!("{DOWN}{tcp}"));
    assert_eq!(value(&outcome, "goodput_total"), value(&outcome, "throughput_total"));
    assert!((value(&outcome, "goodput_mean") * 3.0 / value(&outcome, "goodput_total") - 1.0).abs() < 1e-12);
    let packets: Vec<f64> =
        outcome.flows.iter().map(|flow| flow.counts.delivered_bytes as f64 / 1000.0).collect();
    let mean = packets.iter().sum::<f64>() / 3.0;
    let variance = packets.iter().map(|x| x * x).sum::<f64>() / 3.0 - mean * mean;
    assert!(variance > 0.0 && (value(&outcome, "packets_stddev") / variance.sqrt() - 1.0).abs() < 1e-9);
    let datagrams = run(&metrics, "", "", &udp("a", "sta0", "800 kb/s"));
    assert_eq!(value(&datagrams, "packets_stddev"), 0.0);
}

#[test]
fn early_drops_and_marks_are_told_apart() {
    let metrics = ["drop_rate", "mark_rate"];
    let red = |ecn: &str| format!("[link.discipline]\nkind = \"red\"\necn = {ecn}\n");
    let tail = run(&metrics, "", "", DOWN);
    assert_eq!(value(&tail, "mark_rate"), 0.0);
    assert!(tail.links[0].counts.dropped > 0 && tail.links[0].counts.discipline.dropped_early == 0);

    let dropping = run(&metrics, &red("true"), "", DOWN);
    let link = &dropping.links[0];
    assert_eq!(value(&dropping, "mark_rate"), 0.0, "no flow is capable of ECN");
    assert!(
        link.counts.discipline.dropped_early > 0
            && link.counts.dropped >= link.counts.discipline.dropped_early
    );
    let offered: u64 = dropping.links.iter().map(|link| link.counts.offered).sum();
    let dropped: u64 = dropping.links.iter().map(|link| link.counts.dropped).sum();
    assert_eq!(value(&dropping, "drop_rate"), dropped as f64 / offered as f64);

    let marking = run(&metrics, &red("true"), "", &format!("{DOWN}[tcp]\necn = true\n"));
    assert!(marking.links[0].counts.discipline.marked > 0);
    let offered: u64 = marking.links.iter().map(|link| link.counts.offered).sum();
    assert_eq!(
        value(&marking, "mark_rate"),
        marking.links[0].counts.discipline.marked as f64 / offered as f64
    );
    assert!(value(&marking, "drop_rate") < value(&dropping, "drop_rate"));
}

/// Datagrams come at twice the capacity of the air: the buffer is full throughout, and each datagram waits for all those before it.
#[test]
fn packets_wait_as_long_as_those_before_them_take() {
    let metrics =
        ["ap_queue_delay_mean", "ap_queue_delay_p50", "ap_queue_mean", "ap_drop_rate", "ap_mark_rate"];
    let slow = "data_rate = \"1 Mb/s\"\nap_queue = 10\n";
    let outcome = run(&metrics, "", slow, &udp("a", "sta0", "1.6 Mb/s"));
    let ap = &outcome.stations[0];
    let delay = value(&outcome, "ap_queue_delay_mean");
    let waiting = delay / (20.0 / ap.counts.delivered as f64);
    assert!((8.4..=9.0).contains(&waiting), "nine of ten wait: {waiting}");
    assert!((value(&outcome, "ap_queue_delay_p50") / delay - 1.0).abs() < 0.1, "all wait about as long");
    // Little's law holds except for packets that wait at the ends of the window.
    assert!((value(&outcome, "ap_queue_mean") / waiting - 1.0).abs() < 0.002, "{outcome:?}");
    let dropped = ap.counts.queue.dropped() as f64;
    assert_eq!(value(&outcome, "ap_drop_rate"), dropped / ap.counts.queue.offered as f64);
    assert!(value(&outcome, "ap_drop_rate") > 0.4);
    assert_eq!(value(&outcome, "ap_mark_rate"), 0.0);

    let idle = run(&metrics, "", "", &udp("sta0", "a", "80 kb/s"));
    assert_eq!(reason(&idle, "ap_queue_delay_mean"), "there are no packets that left the queue to be sent");
}

#[test]
fn an_access_points_marks_count() {
    let codel = "data_rate = \"1 Mb/s\"\n[wlan.ap_discipline]\nkind = \"codel\"\necn = true\n";
    let outcome = run(&["ap_mark_rate", "ap_drop_rate"], "", codel, &format!("{DOWN}[tcp]\necn = true\n"));
    let ap = &outcome.stations[0];
    assert!(ap.counts.queue.discipline.marked > 0);
    assert_eq!(
        value(&outcome, "ap_mark_rate"),
        ap.counts.queue.discipline.marked as f64 / ap.counts.queue.offered as f64
    );
}

/// CoDel drops the packets that have waited longest; the ones that it sends have waited as long as Little's law says.
#[test]
fn packets_dropped_after_waiting_are_no_part_of_the_delay() {
    let codel = "data_rate = \"1 Mb/s\"\nap_queue = 100\n[wlan.ap_discipline]\nkind = \"codel\"\n";
    let metrics = ["ap_queue_delay_mean", "ap_queue_mean"];
    let outcome = run(&metrics, "", codel, &udp("a", "sta0", "1.6 Mb/s"));
    let ap = &outcome.stations[0];
    assert!(ap.counts.queue.discipline.dropped_early > 100);
    let left = (ap.counts.delivered + ap.counts.queue.discipline.dropped_early) as f64;
    let little = value(&outcome, "ap_queue_mean") * 20.0 / left;
    assert!((value(&outcome, "ap_queue_delay_mean") / little - 1.0).abs() < 0.1, "{outcome:?}");
}

/// With 1 Mb/s of tokens for 2 Mb/s of IP packets, half of the packets pass once the bucket is empty.
#[test]
fn a_policer_drops_packets_beyond_its_rate() {
    let policer = "[wlan.policer]\nrate = \"1 Mb/s\"\nburst = \"10 kB\"\n";
    let datagrams = udp("sta0", "a", "1945.5252918 kb/s");
    let outcome = run(&["limiter_drop_rate"], "", policer, &datagrams);
    assert!((value(&outcome, "limiter_drop_rate") - 0.5).abs() < 0.005, "{:?}", outcome.metrics);
    let none = run(&["limiter_drop_rate"], "", "", &datagrams);
    assert_eq!(reason(&none, "limiter_drop_rate"), "there are no limiters");
    let unused = run(&["limiter_drop_rate"], "", policer, &udp("a", "sta0", "80 kb/s"));
    assert_eq!(reason(&unused, "limiter_drop_rate"), "there are no packets offered to the limiter");
}

#[test]
fn airtime_shares_add_up_to_one() {
    let outcome = run(&["jain"], "", "", DOWN);
    let shares: Vec<f64> =
        outcome.stations.iter().map(|station| station.airtime_share.expect("used")).collect();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares[0] > shares[1]);
    let ratio = outcome.stations[1].airtime / outcome.stations[0].airtime;
    assert!((shares[1] / shares[0] - ratio).abs() < 1e-12);
    let silent = run(
        &["jain"],
        "[[node]]\nname = \"b\"\n[[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n",
        "",
        &udp("a", "b", "80 kb/s"),
    );
    assert_eq!(silent.stations[0].airtime_share, None);
}

/// Two downloads share a buffer of six packets, three each, whether or not datagrams pass as well: these have no window to write.
#[test]
fn datagrams_have_no_share_of_a_buffer_kept_free_by_windows() {
    let windows = "[wlan.window_control]\nbuffer = 6\nflow_timeout = \"10 s\"\n";
    let slow = |i: u32| udp("a", "sta0", "2 kb/s").replace("\"u\"", &format!("\"u{i}\""));
    let datagrams: String = (0..7).map(slow).collect();
    let [alone, beside] = ["", &datagrams].map(|datagrams| {
        let outcome = run(&["jain"], "", windows, &format!("{DOWN}{datagrams}"));
        outcome.flows[..2].iter().map(|flow| flow.throughput).sum::<f64>()
    });
    assert!((beside / alone - 1.0).abs() < 0.1, "{beside} {alone}");
}

/// Returns the mean response time in s of a ping beside a CUBIC download over 10 Mb/s with FQ-CoDel, for this ring below it.
fn response_time(tx_ring: &str) -> f64 {
    let text = format!(
        r#"
[run]
warmup = "5 s"
duration = "20 s"
metrics = ["response_time_mean"]
[tcp]
profile = "linux"
variant = "cubic"
[[node]]
name = "server"
[[node]]
name = "router"
[[node]]
name = "home"
[[link]]
from = "server"
to = "router"
rate = "1 Gb/s"
delay = "9 ms"
[[link]]
from = "router"
to = "home"
rate = "10 Mb/s"
delay = "1 ms"
discipline = {{ kind = "fq_codel" }}
tx_ring = {tx_ring}
[[flow]]
name = "download"
from = "server"
to = "home"
[[flow]]
name = "ping"
from = "server"
to = "home"
traffic = "request_response"
period = "100 ms"
"#
    );
    let experiment = Experiment::parse(&text, "ring.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = both::outcome(tx_ring, experiment, 1, &[]);
    assert!(outcome.flows[0].throughput > 9.3e6, "{tx_ring}: {}", outcome.flows[0].throughput);
    value(&outcome, "response_time_mean")
}

/// A discipline has no influence on packets that have left it: above the ring of a driver without byte queue limits, FQ-CoDel might as
/// well be absent. A packet of 1500 bytes takes 1.2 ms.
#[test]
fn a_deep_ring_makes_a_discipline_useless_and_byte_queue_limits_restore_it() {
    let [none, bql, short, deep] = ["\"none\"", "\"bql\"", "16", "256"].map(response_time);
    assert!(none < 0.023, "{none}");
    assert!(bql < none + 3.0 * 0.0012, "{bql}");
    assert!((none + 0.012..none + 0.020).contains(&short), "{short}");
    assert!(deep > none + 0.2, "{deep}");
}

/// With EDCA, the frames of a PPDU leave the queue together: those on the air wait no longer.
#[test]
fn frames_of_a_ppdu_do_not_wait() {
    let text = r#"
[run]
warmup = "1 s"
duration = "5 s"
metrics = ["ap_queue_delay_mean", "ap_queue_mean"]
[[node]]
name = "a"
[[link]]
from = "a"
to = "ap"
rate = "1 Gb/s"
delay = "1 ms"
[[wlan]]
name = "w"
ap = "ap"
phy = "802.11ax"
mcs = 5
ap_queue = 200
snr = "25 dB"
[[wlan.station]]
name = "sta"
[[flow]]
name = "u"
from = "a"
to = "sta"
udp = { rate = "200 Mb/s", datagram_bytes = "1400 B" }
"#;
    let experiment = Experiment::parse(text, "q.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = experiment.run(1, &[]);
    let ap = &outcome.stations[0];
    let per_ppdu = ap.counts.mpdus as f64 / ap.counts.attempts as f64;
    assert!(per_ppdu > 10.0, "{per_ppdu}");
    let waiting = value(&outcome, "ap_queue_delay_mean") * ap.counts.delivered as f64 / 5.0;
    assert!((value(&outcome, "ap_queue_mean") / waiting - 1.0).abs() < 0.002, "{outcome:?}");
    // The frames of a PPDU are in service while it has the air.
    let in_service = ap.queue_mean - value(&outcome, "ap_queue_mean");
    assert!((in_service / (per_ppdu * ap.airtime) - 1.0).abs() < 0.01, "{in_service} of {per_ppdu}");
}

#[test]
fn calls_that_say_ect1_do_not_wait_in_the_classic_queue() {
    let delay = |ect1: &str| {
        let text = format!(
            r#"
[run]
warmup = "5 s"
duration = "20 s"
metrics = ["voice_delay_mean"]
[[node]]
name = "home"
[[node]]
name = "isp"
[[link]]
from = "home"
to = "isp"
rate = "10 Mb/s"
delay = "5 ms"
queue = 1000
discipline.kind = "dualpi2"
[tcp]
profile = "linux"
[[flow]]
name = "backup"
from = "home"
to = "isp"
[[flow]]
name = "call"
from = "home"
to = "isp"
traffic = "voice"
{ect1}"#
        );
        let experiment = Experiment::parse(&text, "q.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        value(&experiment.run(1, &[]), "voice_delay_mean")
    };
    // The Classic queue is held to 15 ms. A packet of the other waits for one that is being sent, 1.2 ms, and perhaps for the next.
    let classic = delay("");
    assert!((0.012..0.03).contains(&classic), "{classic}");
    let low = delay("ect1 = true\n");
    assert!((0.005..0.008).contains(&low), "{low}");
}
