//! Delays of packets, whatever they carry: round-trip times of TCP, one-way delays of UDP.

use super::*;
use airfair_core::Span;
use airfair_metrics::mean;
use airfair_scenario::resolved::{Flow, Transport};

pub const FAMILIES: &[&[Metric]] = &[
    &[TIME.metric(
        "rtt_mean",
        "Mean round-trip time",
        "Mean over the ACKs of new data of all TCP flows in the measured window of the time since the segment was sent that brought the ACK, or the first of those that a \
         delayed ACK waited with: its wait is part of the time. A flow with many ACKs counts for more.",
        "Usage of the field: RFC 7323, Section 4 (round-trip time measurement by timestamps).",
        Compute::Run(|run| mean_round_trip(run, |_| true, NO_ROUND_TRIPS)),
    )],
    &[TIME.metric(
        "udp_delay_mean",
        "Mean one-way delay, UDP",
        "Mean time from the sending of a datagram until it arrives, over all datagrams of all UDP flows, those of `voice`, `game` and `request_response` \
         included, that arrive at the flow's sink in the measured window. Answers do not count, nor does what is lost.",
        "Usage of the field: RFC 7679 (one-way delay).",
        Compute::Recorded(Recording::Delays, |run| mean(&udp_delays(run)?)),
    )],
];

/// Distributions with one value for each ACK of new data, or for each datagram.
pub const DISTRIBUTIONS: &[Distribution] = &[
    Distribution {
        name: "rtt",
        title: "round-trip time",
        mean: "rtt_mean",
        values: Values::Packets(Recording::Delays, |run| {
            times(run, |flow| matches!(flow.transport, Transport::Tcp { .. }), NO_ROUND_TRIPS)
        }),
    },
    Distribution {
        name: "udp_delay",
        title: "one-way delay, UDP",
        mean: "udp_delay_mean",
        values: Values::Packets(Recording::Delays, udp_delays),
    },
];

const NO_ROUND_TRIPS: Undefined = Undefined::Nothing("round trips of TCP flows");

fn udp_delays(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    times(run, Flow::is_udp, Undefined::Nothing("datagrams that arrive"))
}

/// Returns the mean round-trip time of the flows for which `of` is true, or `none` if there is none.
pub(super) fn mean_round_trip(run: &Run<'_>, of: fn(&Flow) -> bool, none: Undefined) -> Value {
    let flows = || {
        let flows = run.scenario.flows.iter().zip(&run.record.counts.flows);
        flows.filter(|(flow, _)| of(flow)).map(|(_, counts)| &counts.timing)
    };
    let count: u64 = flows().map(|timing| timing.round_trips).sum();
    if count == 0 {
        return Err(none);
    }
    Ok(flows().map(|timing| timing.rtt_total.as_secs()).sum::<f64>() / count as f64)
}

/// Returns the delays in seconds of the packets of the flows for which `of` is true, or `none` if there is none.
pub(super) fn times(run: &Run<'_>, of: fn(&Flow) -> bool, none: Undefined) -> Result<Vec<f64>, Undefined> {
    let flows = run.scenario.flows.iter().zip(&run.record.delays).filter(|(flow, _)| of(flow));
    let times: Vec<f64> = flows.flat_map(|(_, times)| times.iter().copied().map(Span::as_secs)).collect();
    if times.is_empty() { Err(none) } else { Ok(times) }
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    /// TCP with a window of one segment, and datagrams, over a wire of 30 ms one way and 10 ms back.
    const PATH: &str = r#"
[run]
warmup = "1 s"
duration = "10 s"
metrics = ["rtt_mean", "rtt_p50", "rtt_p95", "rtt_p99", "udp_delay_mean", "udp_delay_p50", "udp_delay_p90", "udp_delay_p99"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "1 Gb/s"
delay = "30 ms"
reverse.delay = "10 ms"
"#;
    const TCP: &str = "[[flow]]\nname = \"tcp\"\nfrom = \"a\"\nto = \"b\"\n[flow.tcp]\nprofile = \"rfc\"\nmax_window = 1\ndelayed_ack = false\n";
    const UDP: &str = "[[flow]]\nname = \"udp\"\nfrom = \"a\"\nto = \"b\"\nudp = { rate = \"80 kb/s\", datagram_bytes = \"972 B\" }\n";

    #[test]
    fn round_trips_are_of_tcp_and_one_way_delays_of_udp() {
        let both = format!("{PATH}{TCP}{UDP}");
        for name in ["rtt_mean", "rtt_p50", "rtt_p99"] {
            let rtt = value(&both, name).unwrap();
            assert!((0.040_01..0.040_03).contains(&rtt), "{name} {rtt}");
        }
        for name in ["udp_delay_mean", "udp_delay_p50", "udp_delay_p99"] {
            // At 1 Gb/s, 1000 B take 8 us; some datagrams wait for a segment of TCP.
            let delay = value(&both, name).unwrap();
            assert!((0.030_008..0.030_021).contains(&delay), "{name} {delay}");
        }
    }

    #[test]
    fn the_mean_is_of_the_values_that_quantiles_are_of() {
        let lossy = format!("{PATH}{TCP}")
            .replace("max_window = 1", "max_window = 8")
            .replace("rate =", "loss = { model = \"bernoulli\", probability = 0.05 }\nrate =");
        let scenario = airfair_scenario::parse(&lossy, "test.toml", &[]).unwrap().scenario;
        let recordings = airfair_sim::Recordings { delays: true, ..Default::default() };
        let record = airfair_sim::Engine::Fast.run(&scenario, 1, recordings);
        let (times, counts) = (&record.delays[0], &record.counts.flows[0].timing);
        assert_eq!(times.len() as u64, counts.round_trips);
        assert_eq!(times.iter().map(|time| u128::from(time.0)).sum::<u128>(), counts.rtt_total.0);
    }

    #[test]
    fn without_such_flows_there_is_nothing() {
        let none = |text: &str| Err(format!("there are no {text}"));
        assert_eq!(value(&format!("{PATH}{UDP}"), "rtt_mean"), none("round trips of TCP flows"));
        assert_eq!(value(&format!("{PATH}{UDP}"), "rtt_p95"), none("round trips of TCP flows"));
        assert_eq!(value(&format!("{PATH}{TCP}"), "udp_delay_mean"), none("datagrams that arrive"));
        assert_eq!(value(&format!("{PATH}{TCP}"), "udp_delay_p90"), none("datagrams that arrive"));
    }
}
