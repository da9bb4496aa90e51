//! How evenly flows share.

use super::run::{all, down, persistent, up};
use super::*;
use crate::outcome::FlowRecord;
use airfair_core::Time;
use airfair_metrics as formula;
use airfair_metrics::Cumulative;
use airfair_scenario::resolved::{FairnessOf, Transport};
use airfair_sim::{Quantity, Series};

pub(super) const JAIN: &str = "Jain, Chiu & Hawe, \"A quantitative measure of fairness and discrimination for resource \
                    allocation in shared computer systems\", DEC-TR-301, 1984.";
const BLEFARI: &str = "Blefari-Melazzi, Detti, Ordine & Salsano, \"Controlling TCP Fairness in WLAN access networks using \
                       a Rate Limiter approach\", Fig. 4.";
const STARVED: &str = "AirFair's bounds for what Blefari-Melazzi et al. call starvation.";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        index(
            "jain",
            "Jain's index",
            "Jain's index (x_1 + ... + x_n)^2 / (n (x_1^2 + ... + x_n^2)) over all flows, of their throughputs (payload \
             acknowledged; of UDP: delivered) or, with of = \"sending-rate\" in the scenario's [fairness], of the segments \
             they sent, retransmissions included, over each one's own time. From 1/n (one has all) to 1 (all equal).",
            JAIN,
            |run| formula::jain(&shares(run, all)),
        ),
        index(
            "jain_persistent",
            "Jain's index, persistent flows",
            "jain of the persistent flows alone. UDP at a constant rate counts, too: a flow that wants less than the others makes \
             the index smaller. Those of one kind have an index of their own, such as jain_downloads.",
            JAIN,
            |run| formula::jain(&shares(run, persistent)),
        ),
    ],
    &[index(
        "worst_case_fairness",
        "Worst-case fairness",
        "Smallest over largest of all flows' throughputs or sending rates, as [fairness] says (see jain).",
        MAMATAS,
        |run| formula::worst_case_fairness(&shares(run, all)),
    )],
    &[
        unevenness(
            "sigma_over_mean_up",
            "σ / mean of throughput, upstream",
            "1",
            "Population standard deviation of the throughputs of the flows from a station, over their mean. \
             0: all equal; sqrt(n - 1): one has all.",
            BLEFARI,
            |run| formula::sigma_over_mean(&run.throughputs(up)),
        ),
        unevenness(
            "sigma_over_mean_down",
            "σ / mean of throughput, downstream",
            "1",
            "As sigma_over_mean_up, of the flows towards a station.",
            BLEFARI,
            |run| formula::sigma_over_mean(&run.throughputs(down)),
        ),
    ],
    &[
        unevenness(
            "starved_up",
            "Starved flows, upstream",
            "flow",
            "Flows from a station with less than 1 % of the mean throughput of such flows, or less than 1 kb/s.",
            STARVED,
            |run| starved(run, up),
        ),
        unevenness(
            "starved_down",
            "Starved flows, downstream",
            "flow",
            "As starved_up, of the flows towards a station.",
            STARVED,
            |run| starved(run, down),
        ),
    ],
    &[Metric {
        name: "time_to_fairness",
        title: "Time to fairness",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "From the start of the TCP flow that starts last until Jain's index over the TCP flows of the bytes \
                     acknowledged in the trailing window first reaches the index. Window (1 s) and index (0.95) are \
                     those of the scenario's [convergence]; windows lie wholly after that start and end every tenth of \
                     a window, so that no time is below one window. None where the index is not reached by the end, \
                     there are fewer than two TCP flows, one never starts, or the last starts during the warm-up.",
        source: "AirFair's, after Chiu & Jain, \"Analysis of the increase and decrease algorithms for congestion \
                 avoidance in computer networks\", 1989, and Mamatas & Tsaoussidis, Section 2, equations (4) and (5).",
        note: None,
        compute: Compute::Recorded(Recording::Acked, time_to_fairness),
    }],
];

const fn index(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    source: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Kind { unit: "1", range: FRACTION, larger_is_better: Some(true) }.metric(
        name,
        title,
        definition,
        source,
        Compute::Run(compute),
    )
}

const fn unevenness(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    definition: &'static str,
    source: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Kind { unit, range: FROM_ZERO, larger_is_better: Some(false) }.metric(
        name,
        title,
        definition,
        source,
        Compute::Run(compute),
    )
}

/// Returns the values that fairness compares, one for each flow for which `of` is true.
pub(super) fn shares(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Vec<f64> {
    match run.scenario.measures.fairness_of {
        FairnessOf::Throughput => run.throughputs(of),
        FairnessOf::SendingRate => {
            let own = (0..run.flows.len()).map(|number| {
                let present = run.present(number);
                present.end.since(present.start).as_secs()
            });
            let flows = run.flows.iter().zip(own).filter(|(flow, own)| of(flow) && *own > 0.0);
            flows.map(|(flow, own)| flow.counts.sender.segments as f64 / own).collect()
        }
    }
}

fn starved(run: &Run<'_>, of: fn(&FlowRecord) -> bool) -> Value {
    formula::starved(&run.throughputs(of)).map(|flows| flows as f64)
}

fn time_to_fairness(run: &Run<'_>) -> Value {
    let record = run.record;
    let start = last_start(run)?;
    if start < record.warmup {
        return Err(Undefined::Inapplicable("the last TCP flow starts during the warm-up"));
    }
    let acked = record.series.iter().filter(|series| series.quantity == Quantity::Acked);
    let columns: Vec<_> = acked.map(columns).collect();
    let flows: Vec<_> = columns.iter().map(|(time, count)| Cumulative { time, count }).collect();
    let convergence = run.scenario.measures.convergence;
    let (window, end) = (convergence.window.as_secs(), record.end.as_secs());
    formula::time_to_fairness(&flows, start.as_secs(), end, window, convergence.index)
}

/// Returns when the first session of the TCP flow that starts last was requested.
fn last_start(run: &Run<'_>) -> Result<Time, Undefined> {
    let flows = run.scenario.flows.iter().zip(&run.record.sessions);
    let tcp = flows.filter(|(flow, _)| matches!(flow.transport, Transport::Tcp { .. }));
    let starts = tcp.map(|(_, sessions)| sessions.first().map_or(Time::NEVER, |session| session.start));
    match starts.max() {
        None => Err(Undefined::Nothing("TCP flows")),
        Some(Time::NEVER) => Err(Undefined::Inapplicable("a TCP flow never starts")),
        Some(start) => Ok(start),
    }
}

fn columns(series: &Series) -> (Vec<f64>, Vec<f64>) {
    series.points.iter().map(|&(at, value)| (at.as_secs(), value)).unzip()
}
