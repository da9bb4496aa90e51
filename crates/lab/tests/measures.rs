//! Metrics of small networks whose values are known beforehand.

mod outcome;

use airfair_lab::{Experiment, Outcome};
use airfair_sim::Quantity;
use outcome::{reason, value};

/// Runs three hosts in a row, of whose two links the second is slower, with these metrics and the rest of the file.
fn run_with(metrics: &[&str], warmup: &str, rest: &str, traces: &[Quantity]) -> Outcome {
    let text = format!(
        r#"
[run]
warmup = "{warmup}"
duration = "20 s"
metrics = {metrics:?}
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[[link]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
[[link]]
from = "b"
to = "c"
rate = "2 Mb/s"
delay = "10 ms"
queue = 20
"#
    );
    let experiment =
        Experiment::parse(&(text + rest), "m.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    experiment.run(1, traces)
}

fn run(metrics: &[&str], rest: &str) -> Outcome {
    run_with(metrics, "0 s", rest, &[])
}

const FLOW: &str = "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"c\"\n";

#[test]
fn achievement_is_measured_against_the_slowest_link() {
    let metrics = ["achieved_goodput", "bottleneck_rate", "agi", "nagi", "throughput_total"];
    let one = run(&metrics, FLOW);
    assert_eq!(value(&one, "bottleneck_rate"), 2e6);
    assert_eq!(value(&one, "achieved_goodput"), value(&one, "throughput_total"));
    assert_eq!(value(&one, "agi"), value(&one, "achieved_goodput") / 2e6);
    assert_eq!(value(&one, "nagi"), value(&one, "agi"));
    assert!(value(&one, "agi") > 0.9 && value(&one, "agi") < 1.0);

    let apart = run(&metrics, &format!("{FLOW}[[flow]]\nname = \"g\"\nfrom = \"a\"\nto = \"b\"\n"));
    assert_eq!(reason(&apart, "agi"), "the flows do not share one slowest link");
    let together = run(&metrics, &format!("{FLOW}[[flow]]\nname = \"g\"\nfrom = \"b\"\nto = \"c\"\n"));
    assert_eq!(value(&together, "bottleneck_rate"), 2e6);
}

#[test]
fn effort_counts_headers_and_retransmissions() {
    let metrics = ["goodput", "throughput", "overhead", "rexmit_fraction", "segments_sent", "eee", "uar"];
    let tcp = "tcp = { segment_bytes = \"1000 B\", handshake = \"none\" }\n";
    let none = run(&metrics, &format!("{FLOW}{tcp}"));
    let key = "the scenario does not set throughput_max in [effort]";
    assert_eq!((reason(&none, "eee").as_str(), reason(&none, "uar").as_str()), (key, key));

    let told = run(&metrics, &format!("{FLOW}{tcp}[effort]\nthroughput_max = \"2 Mb/s\"\n"));
    let of = |name| value(&told, name);
    // Every segment is full: 1040 bytes each, counted again when it is retransmitted.
    assert_eq!(of("throughput"), of("segments_sent") * 1040.0 * 8.0 / 20.0);
    assert_eq!(of("goodput"), (told.flows[0].throughput * 20.0 / 8.0).round() * 8.0 / 20.0);
    assert_eq!(of("overhead"), 1.0 - of("goodput") / of("throughput"));
    let (sent, useful) = (of("throughput") / 2e6, of("goodput") / 2e6);
    assert!((of("eee") - (sent - useful + 0.3 * (1.0 - sent))).abs() < 1e-12);
    assert!((of("uar") - (1.0 - 0.5 * sent - 0.5 * useful / sent)).abs() < 1e-12);
    assert!(of("rexmit_fraction") > 0.0, "the queue overflows");
    assert_eq!(
        of("rexmit_fraction"),
        told.flows[0].counts.sender.retransmissions as f64 / of("segments_sent")
    );
}

#[test]
fn fairness_compares_the_chosen_quantity() {
    let flows = format!("{FLOW}[[flow]]\nname = \"g\"\nfrom = \"a\"\nto = \"c\"\nstart = \"10 s\"\n");
    let metrics = ["jain", "worst_case_fairness"];
    let throughput = run(&metrics, &flows);
    let sent = run(&metrics, &format!("{flows}[fairness]\nof = \"sending-rate\"\n"));
    let ratio = |of: [f64; 2]| of[1] / of[0];
    let flows =
        |outcome: &Outcome, of: fn(&airfair_lab::FlowRecord) -> f64| [0, 1].map(|i| of(&outcome.flows[i]));
    assert_eq!(value(&throughput, "worst_case_fairness"), ratio(flows(&throughput, |flow| flow.throughput)));
    let rates = flows(&sent, |flow| flow.counts.sender.segments as f64);
    let rates = [rates[0] / 20.0, rates[1] / 10.0];
    assert_eq!(value(&sent, "worst_case_fairness"), rates[0].min(rates[1]) / rates[0].max(rates[1]));
    assert_ne!(value(&sent, "jain"), value(&throughput, "jain"));
}

/// The time of a flow ends where it stops.
#[test]
fn a_sending_rate_counts_the_time_until_the_flow_stops() {
    let flow = |name: &str, stop: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"c\"\n{stop}tcp = {{ max_window = 2, window = 2 }}\n"
        )
    };
    let flows = format!("{}{}", flow("f", ""), flow("g", "stop = \"5 s\"\n"));
    let outcome = run(&["worst_case_fairness"], &format!("{flows}[fairness]\nof = \"sending-rate\"\n"));
    let segments = [0, 1].map(|i| outcome.flows[i].counts.sender.segments as f64);
    assert!(segments[1] < segments[0] / 3.0, "{segments:?}");
    let rates = [segments[0] / 20.0, segments[1] / 5.0];
    assert_eq!(value(&outcome, "worst_case_fairness"), rates[0].min(rates[1]) / rates[0].max(rates[1]));
}

#[test]
fn throughput_with_headers_counts_them_for_each_payload_byte() {
    let metrics = ["throughput_total", "throughput_ip", "throughput_persistent", "throughput_intermittent"];
    let with = |rest: &str| run(&metrics, &format!("{FLOW}{rest}"));
    let tcp = with("tcp = { segment_bytes = \"1000 B\" }\n");
    let udp = with("udp = { rate = \"500 kb/s\", datagram_bytes = \"500 B\", header_bytes = \"20 B\" }\n");
    for outcome in [tcp, udp] {
        assert_eq!(value(&outcome, "throughput_ip"), value(&outcome, "throughput_total") * 1.04);
        assert_eq!(value(&outcome, "throughput_persistent"), value(&outcome, "throughput_total"));
        assert_eq!(reason(&outcome, "throughput_intermittent"), "there are no such flows");
    }
}

/// Datagrams of a constant rate arrive at constant intervals, here of 16 ms.
#[test]
fn the_real_time_index_counts_gaps() {
    let flow = format!("{FLOW}udp = {{ rate = \"500 kb/s\", datagram_bytes = \"1000 B\" }}\n");
    let index = |deadline| {
        let outcome = run(&["realtime_index"], &format!("{flow}[realtime]\ndeadline = \"{deadline}\"\n"));
        value(&outcome, "realtime_index")
    };
    assert_eq!((index("15 ms"), index("16 ms"), index("17 ms")), (0.0, 1.0, 1.0));
    // Sessions of two datagrams, a second apart: every other gap is in time, and the last session is whole.
    let bursts = "traffic = \"intermittent\"\nsession_bytes = \"2 kB\"\nperiod = \"1 s\"\n";
    let outcome = run(&["realtime_index"], &format!("{flow}{bursts}"));
    assert_eq!(value(&outcome, "realtime_index"), 20.0 / 39.0);
}

/// Segments that have arrived before do not count; a segment that fills a gap does.
#[test]
fn only_first_arrivals_count() {
    let lossy = "[link.loss]\nmodel = \"bernoulli\"\nprobability = \"5 %\"\n";
    let outcome = run(&["realtime_index", "retransmissions"], &format!("{lossy}{FLOW}"));
    let flow = &outcome.flows[0];
    assert!(flow.counts.sender.retransmissions > 20);
    let segment = 1460;
    let whole = flow.counts.delivered_bytes / segment;
    assert!(flow.counts.arrivals.arrivals + 1 >= whole, "all that is delivered has arrived");
    assert!(flow.counts.arrivals.arrivals + 1 < flow.counts.sender.segments, "not all that is sent has");
    assert!(flow.counts.arrivals.arrivals + 1 - whole < 64, "what waits behind a gap fits the window");
}

#[test]
fn the_window_is_averaged_over_time() {
    // The window stays at ten segments after slow start, which ends during the warm-up.
    let tcp = "tcp = { max_window = 10, window = 100 }\n";
    let steady = run_with(&["cwnd_mean"], "5 s", &format!("{FLOW}{tcp}"), &[]);
    assert_eq!(value(&steady, "cwnd_mean"), 10.0);
    assert!(steady.series.is_empty(), "a record for a metric is not a requested trace");
    let both = run_with(&["cwnd_mean"], "5 s", &format!("{FLOW}{tcp}"), &[Quantity::Cwnd]);
    assert_eq!(both.series.len(), 1);
    assert_eq!(both.metrics, steady.metrics);
    // The window grows in steps that a series shows.
    let growing = format!("{FLOW}tcp = {{ window = 100 }}\n");
    let grown = run_with(&["cwnd_mean"], "5 s", &growing, &[Quantity::Cwnd]);
    let points = &grown.series[0];
    let ends = points.time.iter().skip(1).chain([&25.0]);
    let parts =
        points.time.iter().zip(ends).zip(&points.value).map(|((from, to), value)| value * (to - from));
    assert!(points.time.len() > 100);
    assert_eq!(value(&grown, "cwnd_mean"), parts.sum::<f64>() / (25.0 - points.time[0]));
    let udp = run(&["cwnd_mean"], &format!("{FLOW}udp = {{ rate = \"1 Mb/s\" }}\n"));
    assert_eq!(reason(&udp, "cwnd_mean"), "there are no TCP flows that started");
}

#[test]
fn the_window_of_persistent_flows_can_be_had_alone() {
    let sessions = "[[flow]]\nname = \"g\"\nfrom = \"a\"\nto = \"c\"\ntraffic = \"intermittent\"\nstart = \"1 s\"\n\
                    period = \"1 s\"\nsession_bytes = \"1 kB\"\ntcp = { initial_window = 1, max_window = 1 }\n";
    let both = format!("{FLOW}tcp = {{ max_window = 10, window = 100 }}\n{sessions}");
    let outcome = run_with(&["cwnd_mean", "cwnd_persistent"], "5 s", &both, &[]);
    assert_eq!(value(&outcome, "cwnd_mean"), 5.5);
    assert_eq!(value(&outcome, "cwnd_persistent"), 10.0);
    assert_eq!(value(&run_with(&["cwnd_persistent"], "5 s", &both, &[]), "cwnd_persistent"), 10.0);
    let alone = run_with(&["cwnd_persistent"], "5 s", sessions, &[]);
    assert_eq!(reason(&alone, "cwnd_persistent"), "there are no TCP flows that started");
}

#[test]
fn a_newcomer_gets_its_share_after_a_while() {
    let metrics = ["time_to_fairness"];
    let with = |warmup, start, rest: &str| {
        let newcomer =
            format!("[[flow]]\nname = \"g\"\nfrom = \"a\"\nto = \"c\"\nstart = \"{start}\"\n{rest}");
        run_with(&metrics, warmup, &format!("{FLOW}{newcomer}"), &[])
    };
    let time = value(&with("0 s", "5 s", ""), "time_to_fairness");
    assert!((1.0..14.0).contains(&time), "{time}");
    assert!((time * 10.0 - (time * 10.0).round()).abs() < 1e-9, "windows end on a grid: {time}");
    // With a lower index to reach and a longer window.
    let eased = with("0 s", "5 s", "[convergence]\nindex = 0.51\nwindow = \"2 s\"\n");
    assert_eq!(value(&eased, "time_to_fairness"), 2.0);
    // With a warm-up before them, the instants are the same.
    assert_eq!(value(&with("3 s", "5 s", ""), "time_to_fairness"), time);

    let early = with("6 s", "5 s", "");
    assert_eq!(reason(&early, "time_to_fairness"), "the last TCP flow starts during the warm-up");
    let late = with("0 s", "30 s", "");
    assert_eq!(reason(&late, "time_to_fairness"), "a TCP flow never starts");
    let short = with("0 s", "5 s", "[convergence]\nwindow = \"16 s\"\n");
    assert!(reason(&short, "time_to_fairness").contains("does not get that far"));
    assert!(reason(&run(&metrics, FLOW), "time_to_fairness").contains("fewer than two flows"));
    let traced = run_with(&metrics, "0 s", FLOW, &[Quantity::Acked]);
    let (_, last) = traced.series[0].time.iter().zip(&traced.series[0].value).next_back().expect("points");
    assert_eq!(*last, (traced.flows[0].throughput * 20.0 / 8.0).round());
}

#[test]
fn the_equation_is_near_the_throughput_of_a_lossy_path() {
    let lossy = "[link.loss]\nmodel = \"bernoulli\"\nprobability = \"2 %\"\ndirection = \"forward\"\n";
    let metrics = ["gaimd_throughput", "throughput", "loss_rate", "drop_rate"];
    let flow =
        |control: &str| format!("{lossy}{FLOW}tcp = {{ profile = \"ns2\", {control}, window = 1000 }}\n");
    let outcome = run(&metrics, &flow("variant = \"newreno\""));
    let ratio = value(&outcome, "throughput") / 1.04 / value(&outcome, "gaimd_throughput");
    assert!((0.8..1.2).contains(&ratio), "{ratio}");
    assert!((0.015..0.025).contains(&value(&outcome, "loss_rate")), "{:?}", outcome.metrics);
    assert_eq!(value(&outcome, "drop_rate"), 0.0);

    // AIMD with Reno's increase and decrease, and with twice the increase.
    let aimd = |alpha| {
        let control = format!(
            "variant = \"aimd\", recovery = \"newreno\", control = {{ alpha = {alpha}, beta = 0.5 }}"
        );
        let outcome = run(&metrics, &flow(&control));
        value(&outcome, "throughput") / 1.04 / value(&outcome, "gaimd_throughput")
    };
    for alpha in [1, 2] {
        assert!((0.8..1.2).contains(&aimd(alpha)), "{alpha}: {}", aimd(alpha));
    }

    let vegas = run(&metrics, &flow("variant = \"vegas\""));
    assert!(reason(&vegas, "gaimd_throughput").contains("`reno` and `aimd`"));
    let clean = run(&metrics, &format!("{FLOW}tcp = {{ window = 5 }}\n"));
    assert!(reason(&clean, "gaimd_throughput").contains("met no loss"));
}
