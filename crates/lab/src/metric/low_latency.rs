//! TCP flows that ask for low latency (L4S: their data say ECT(1)) beside others, at a queue that separates the two.

use super::delays::{mean_round_trip, times};
use super::*;
use airfair_metrics::mean;
use airfair_scenario::resolved::{Flow, Transport};
use run::sum_of;

const RATES: &str = "RFC 9332, section 2 (coupled queues give both kinds about the same rate).";
const ROUND_TRIPS: &str =
    "Usage of the field: RFC 7323, Section 4 (round-trip time measurement by timestamps).";
const NO_FLOWS: &str = "TCP flows of the kind";
const NO_ROUND_TRIPS: Undefined = Undefined::Nothing("round trips of the kind of flows");

pub const FAMILIES: &[&[Metric]] = &[
    &[
        throughput(
            "throughput_low_latency",
            "Throughput, low latency",
            "throughput_total of the TCP flows whose data say ECT(1).",
            |run| sum_of(&rates(run, is_low_latency), NO_FLOWS),
        ),
        throughput(
            "throughput_classic",
            "Throughput, Classic",
            "throughput_total of the other TCP flows.",
            |run| sum_of(&rates(run, is_classic), NO_FLOWS),
        ),
    ],
    &[Metric {
        name: "low_latency_rate_ratio",
        title: "Rate of a low-latency flow over that of a Classic one",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "The mean throughput of the TCP flows whose data say ECT(1), over that of the other TCP flows.",
        source: RATES,
        note: None,
        compute: Compute::Run(|run| {
            let [low_latency, classic] = [mean(&rates(run, is_low_latency))?, mean(&rates(run, is_classic))?];
            if classic == 0.0 {
                Err(Undefined::Nothing("throughput of Classic flows"))
            } else {
                Ok(low_latency / classic)
            }
        }),
    }],
    &[
        round_trip(
            "rtt_low_latency_mean",
            "Mean round-trip time, low latency",
            "rtt_mean of the TCP flows whose data say ECT(1).",
            |run| mean_round_trip(run, is_low_latency, NO_ROUND_TRIPS),
        ),
        round_trip(
            "rtt_classic_mean",
            "Mean round-trip time, Classic",
            "rtt_mean of the other TCP flows.",
            |run| mean_round_trip(run, is_classic, NO_ROUND_TRIPS),
        ),
    ],
];

/// Distributions with one value for each ACK of new data.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "rtt_low_latency",
        title: "round-trip time, low latency",
        mean: "rtt_low_latency_mean",
        values: Values::Packets(Recording::Delays, |run| times(run, is_low_latency, NO_ROUND_TRIPS)),
    },
    Distribution {
        name: "rtt_classic",
        title: "round-trip time, Classic",
        mean: "rtt_classic_mean",
        values: Values::Packets(Recording::Delays, |run| times(run, is_classic, NO_ROUND_TRIPS)),
    },
];

const fn throughput(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    of: fn(&Run<'_>) -> Value,
) -> Metric {
    RATE.metric(name, title, definition, RATES, Compute::Run(of))
}

const fn round_trip(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    of: fn(&Run<'_>) -> Value,
) -> Metric {
    TIME.metric(name, title, definition, ROUND_TRIPS, Compute::Run(of))
}

fn is_low_latency(flow: &Flow) -> bool {
    matches!(&flow.transport, Transport::Tcp { settings, .. } if settings.ecn && settings.ect1)
}

fn is_classic(flow: &Flow) -> bool {
    matches!(flow.transport, Transport::Tcp { .. }) && !is_low_latency(flow)
}

/// Returns the throughputs in bit/s of the flows for which `of` is true.
fn rates(run: &Run<'_>, of: fn(&Flow) -> bool) -> Vec<f64> {
    run.configured_flows().filter(|(flow, _)| of(flow)).map(|(_, record)| record.throughput).collect()
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    /// Flows with windows of one segment over 10 ms and 20 ms.
    const PATH: &str = r#"
[run]
warmup = "1 s"
duration = "10 s"
metrics = ["throughput_low_latency", "throughput_classic", "low_latency_rate_ratio", "rtt_low_latency_mean", "rtt_classic_mean", "rtt_classic_p90"]
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[[link]]
from = "a"
to = "b"
rate = "1 Gb/s"
delay = "5 ms"
[[link]]
from = "b"
to = "c"
rate = "1 Gb/s"
delay = "5 ms"
[tcp]
profile = "rfc"
max_window = 1
delayed_ack = false
"#;
    const CLASSIC: &str = "[[flow]]\nname = \"classic\"\nfrom = \"a\"\nto = \"c\"\n";
    const LOW_LATENCY: &str =
        "[[flow]]\nname = \"low\"\nfrom = \"a\"\nto = \"b\"\ntcp = { ecn = true, ect1 = true }\n";

    #[test]
    fn flows_are_told_apart_by_their_code_point() {
        let both = format!("{PATH}{CLASSIC}{LOW_LATENCY}");
        let value = |name| value(&both, name).unwrap();
        assert!((1.9..2.1).contains(&value("low_latency_rate_ratio")));
        let [low, classic] = ["throughput_low_latency", "throughput_classic"].map(value);
        assert!((1.9..2.1).contains(&(low / classic)) && (low - 1.17e6).abs() < 2e4, "{low} {classic}");
        assert!((0.010..0.0101).contains(&value("rtt_low_latency_mean")));
        for name in ["rtt_classic_mean", "rtt_classic_p90"] {
            assert!((0.020..0.0201).contains(&value(name)), "{name}");
        }
    }

    #[test]
    fn without_one_kind_there_is_no_ratio() {
        let alone = format!("{PATH}{CLASSIC}");
        assert!(value(&alone, "low_latency_rate_ratio").is_err());
        assert_eq!(
            value(&alone, "rtt_low_latency_mean"),
            Err("there are no round trips of the kind of flows".to_owned())
        );
    }
}
