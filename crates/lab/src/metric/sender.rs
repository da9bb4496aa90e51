//! TCP senders and wired links.

use super::*;
use crate::outcome::{FlowRecord, LinkRecord};
use airfair_metrics as formula;
use airfair_scenario::resolved::{Flow, Traffic, Transport};
use airfair_tcp::Settings;
use airfair_tcp::congestion::Value as Parameter;
use airfair_tcp::settings::Growth;

const LINK_QUEUES: Option<&str> = Some("at the queues of the wired links");

pub const FAMILIES: &[&[Metric]] = &[
    &[count(
        "segments_sent",
        "Segments sent",
        "segment",
        None,
        "Segments that the senders handed to their interfaces in the measured window, retransmissions included.",
        |run| Ok(run.count(|flow| flow.counts.sender.segments) as f64),
    )],
    &[count(
        "retransmissions",
        "Retransmissions",
        "segment",
        Some(false),
        "Segments sent again in the measured window.",
        |run| Ok(run.count(|flow| flow.counts.sender.retransmissions) as f64),
    )],
    &[count(
        "timeouts",
        "Timeouts",
        "timeout",
        Some(false),
        "Retransmission timeouts in the measured window.",
        |run| Ok(run.count(|flow| flow.counts.sender.timeouts) as f64),
    )],
    &[count(
        "window_cuts",
        "Window cuts",
        "cut",
        None,
        "Reductions of the congestion window by the senders in answer to loss, in the measured window.",
        |run| Ok(run.count(|flow| flow.counts.sender.window_cuts) as f64),
    )],
    &[fraction(
        "rexmit_fraction",
        "Segments sent again, of all",
        "Segments sent again over segments sent, of all TCP flows in the measured window.",
        COUNT,
        |run| {
            let tcp = || run.flows.iter().filter(|flow| flow.transport == "tcp");
            let segments = tcp().map(|flow| flow.counts.sender.segments).sum();
            formula::rexmit_fraction(tcp().map(|flow| flow.counts.sender.retransmissions).sum(), segments)
        },
    )],
    &[
        cwnd(
            "cwnd_mean",
            "Mean congestion window",
            "Mean over the TCP flows of each one's congestion window averaged over time, from its start (or the \
             end of the warm-up) to the end of the run, whether or not the flow has data to send. Without the inflation \
             of fast recovery.",
            |run| mean_cwnd(run, |_| true),
        ),
        cwnd(
            "cwnd_persistent",
            "Congestion window, persistent flows",
            "cwnd_mean of the persistent flows alone.",
            |run| mean_cwnd(run, |flow| matches!(flow.traffic, Traffic::Persistent { .. })),
        ),
    ],
    &[Metric {
        name: "gaimd_throughput",
        title: "GAIMD throughput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "Payload that the GAIMD equation has the TCP flows send, retransmissions included, summed over them, \
                     each at the loss and delay it met in the measured window: p = (fast retransmits + timeouts) / \
                     segments sent; RTT = mean time from the sending of a segment to the ACK of new data that it brought; \
                     T0 = mean timeout that started a series, without any the timeout at the end; b = segments per ACK, 1 \
                     where the window opens by bytes acknowledged. alpha and beta are the flow's own (Reno: 1 and 0.5). \
                     None where a flow has another control or met no loss.",
        source: "Yang & Lam, \"General AIMD congestion control\", ICNP 2000; equation (1) of Mamatas & Tsaoussidis.",
        note: None,
        compute: Compute::Run(gaimd_throughput),
    }],
    &[Metric {
        note: Some("by errors and outages of the wired links"),
        ..fraction(
            "loss_rate",
            "Loss rate",
            "Packets lost by errors or outages on wired links over packets offered, in the measured window: of the \
             directions of links that have errors or outages, all together, acknowledgements included. 0 where no link \
             has any.",
            COUNT,
            loss_rate,
        )
    }],
    &[Metric {
        note: LINK_QUEUES,
        ..fraction(
            "drop_rate",
            "Drop rate",
            "Packets dropped by the queues of wired links, full or by their discipline, over packets offered to them, in \
             the measured window: of both directions of all links together, acknowledgements included, so that a packet \
             over three links is offered three times.",
            COUNT,
            |run| {
                formula::drop_rate(
                    at_links(run, |link| link.counts.dropped),
                    at_links(run, |link| link.counts.offered),
                )
            },
        )
    }],
    &[Metric {
        note: LINK_QUEUES,
        larger_is_better: None,
        ..fraction(
            "mark_rate",
            "Mark rate",
            "Packets marked with Congestion Experienced (RFC 3168) by the queues of wired links over packets offered to \
             them, in the measured window, counted as in drop_rate.",
            COUNT,
            |run| {
                formula::mark_rate(
                    at_links(run, |link| link.counts.discipline.marked),
                    at_links(run, |link| link.counts.offered),
                )
            },
        )
    }],
];

const fn count(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    larger_is_better: Option<bool>,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Kind { unit, range: FROM_ZERO, larger_is_better }.metric(
        name,
        title,
        definition,
        COUNT,
        Compute::Run(compute),
    )
}

const fn cwnd(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    Metric {
        compute: Compute::Recorded(Recording::Cwnds, compute),
        ..count(name, title, "segment", None, definition, compute)
    }
}

/// Returns the mean over these TCP flows of the congestion window averaged over time, in segments.
fn mean_cwnd(run: &Run<'_>, of: fn(&Flow) -> bool) -> Value {
    let flows = run.scenario.flows.iter().zip(&run.record.average_cwnds).filter(|(flow, _)| of(flow));
    let cwnds: Vec<f64> = flows.filter_map(|(_, &cwnd)| cwnd).collect();
    if cwnds.is_empty() {
        return Err(Undefined::Nothing("TCP flows that started"));
    }
    formula::mean(&cwnds)
}

fn loss_rate(run: &Run<'_>) -> Value {
    let links = run.links.iter().zip(run.scenario.link_directions());
    let lossy: Vec<_> =
        links.filter(|(_, config)| config.loss.is_some() || config.outage.is_some()).collect();
    if lossy.is_empty() {
        return Ok(0.0);
    }
    let lost = lossy.iter().map(|(link, _)| link.counts.lost_errors + link.counts.lost_outage).sum();
    formula::loss_rate(lost, lossy.iter().map(|(link, _)| link.counts.offered).sum())
}

/// Returns the sum of a count over both directions of all links.
fn at_links(run: &Run<'_>, of: fn(&LinkRecord) -> u64) -> u64 {
    run.links.iter().map(of).sum()
}

fn gaimd_throughput(run: &Run<'_>) -> Value {
    let tcp = run.configured_flows().filter_map(|(flow, record)| match &flow.transport {
        Transport::Tcp { settings, .. } => Some(gaimd_of_flow(settings, record)),
        Transport::Udp { .. } => None,
    });
    let rates = tcp.collect::<Result<Vec<_>, _>>()?;
    run::sum_of(&rates, "TCP flows")
}

fn gaimd_of_flow(settings: &Settings, record: &FlowRecord) -> Value {
    let (alpha, beta) = increase_and_decrease(settings)?;
    let sender = &record.counts.sender;
    let indications = (sender.fast_retransmits + sender.timeouts) as f64;
    let p = if sender.segments > 0 { indications / sender.segments as f64 } else { 0.0 };
    if p == 0.0 {
        return Err(Undefined::Inapplicable("a flow met no loss, for which the equation has no bound"));
    }
    let rtt = record.rtt_mean.ok_or(Undefined::Nothing("round trips of a flow"))?;
    let timeout = record.timeout_first.ok_or(Undefined::Nothing("timeouts of a flow"))?;
    let segments = formula::gaimd_throughput(p, rtt, timeout, segments_per_ack(settings), alpha, beta)?;
    Ok(segments * 8.0 * f64::from(settings.segment_bytes))
}

/// Returns b of the model, the segments per ACK. A window that opens with each ACK opens more slowly when ACKs are fewer;
/// one that opens with the bytes acknowledged does not.
fn segments_per_ack(settings: &Settings) -> f64 {
    match (settings.growth, settings.delayed_ack) {
        (Growth::PerAck, true) => f64::from(settings.delayed_ack_segments),
        _ => 1.0,
    }
}

/// Returns the alpha of a congestion control in segments, and its beta: the share of the window that is left after a loss.
fn increase_and_decrease(settings: &Settings) -> Result<(f64, f64), Undefined> {
    let number = |name| match settings.control.value(name) {
        Some(Parameter::Number(number)) => Some(number),
        _ => None,
    };
    let pair = match settings.control.name() {
        "reno" => Some((1.0, 0.5)),
        "aimd" => number("alpha").zip(number("beta")),
        _ => None,
    };
    pair.ok_or(Undefined::Inapplicable("the equation is for `reno` and `aimd` controls alone"))
}
