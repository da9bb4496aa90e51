//! Metrics by which a constant window is judged (Ghosh, Das, Roy & Mukherjee).

use super::run::{all, goodput, payload_bytes};
use super::*;
use airfair_metrics as formula;

const GHOSH: &str = "Ghosh, Das, Roy & Mukherjee, \"Constant Congestion Window approach for TCP - effect on Fairness\", \
                     Sections 2.1 and 2.2.";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        Metric {
            name: "goodput_total",
            title: "Total goodput",
            unit: "bit/s",
            range: FROM_ZERO,
            larger_is_better: Some(true),
            definition: "Payload acknowledged in the measured window (of UDP: delivered) over its length, summed over all \
                         flows; the same as goodput.",
            source: GHOSH,
            note: None,
            compute: Compute::Run(goodput),
        },
        Metric {
            name: "goodput_mean",
            title: "Mean goodput",
            unit: "bit/s",
            range: FROM_ZERO,
            larger_is_better: Some(true),
            definition: "goodput_total over the number of flows.",
            source: GHOSH,
            note: None,
            compute: Compute::Run(|run| formula::mean(&run.throughputs(all))),
        },
    ],
    &[Metric {
        name: "packets_stddev",
        title: "Standard deviation of packets",
        unit: "packet",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Population standard deviation over the flows of the packets that each got through in the measured \
                     window: payload delivered in order at the receiver, in full segments (of UDP: datagrams). \
                     0: all equal.",
        source: GHOSH,
        note: None,
        compute: Compute::Run(|run| formula::standard_deviation(&packets(run))),
    }],
];

/// Returns the number of full segments or datagrams that each flow got through.
fn packets(run: &Run<'_>) -> Vec<f64> {
    let flows = run.configured_flows();
    flows
        .map(|(flow, record)| record.counts.delivered_bytes as f64 / f64::from(payload_bytes(flow)))
        .collect()
}
