//! What a model of TCP predicts for the flows of a run.

use crate::outcome::FlowRecord;
use airfair_metrics as metrics;
use airfair_metrics::Undefined;
use airfair_scenario::resolved::{Flow, Scenario, Transport};
use airfair_tcp::Settings;
use airfair_tcp::congestion::Value;
use airfair_tcp::settings::Growth;

/// What the GAIMD equation has each TCP flow send of payload, in bit/s, summed over them.
pub fn gaimd_throughput(scenario: &Scenario, records: &[FlowRecord]) -> Result<f64, Undefined> {
    let mut sum = None;
    for (flow, record) in scenario.flows.iter().zip(records) {
        if let Some(settings) = tcp(flow) {
            *sum.get_or_insert(0.0) += of_flow(settings, record)?;
        }
    }
    sum.ok_or(Undefined::Nothing("TCP flows"))
}

fn of_flow(settings: &Settings, record: &FlowRecord) -> Result<f64, Undefined> {
    let (alpha, beta) = increase_and_decrease(settings)?;
    let sender = &record.counts.sender;
    let indications = (sender.fast_retransmits + sender.timeouts) as f64;
    let p = if sender.segments > 0 { indications / sender.segments as f64 } else { 0.0 };
    if p == 0.0 {
        return Err(Undefined::Inapplicable("a flow met no loss, for which the equation has no bound"));
    }
    let rtt = record.rtt_mean.ok_or(Undefined::Nothing("round trips of a flow"))?;
    let timeout = record.timeout_first.ok_or(Undefined::Nothing("timeouts of a flow"))?;
    let segments = metrics::gaimd_throughput(p, rtt, timeout, segments_per_ack(settings), alpha, beta)?;
    Ok(segments * 8.0 * f64::from(settings.segment_bytes))
}

/// The model's b, which is in it because a window that opens with each ACK opens more slowly when ACKs are fewer. One
/// that opens with the bytes acknowledged does not.
fn segments_per_ack(settings: &Settings) -> f64 {
    match (settings.growth, settings.delayed_ack) {
        (Growth::PerAck, true) => f64::from(settings.delayed_ack_segments),
        _ => 1.0,
    }
}

/// A control's alpha in segments, and its beta as what remains of the window.
fn increase_and_decrease(settings: &Settings) -> Result<(f64, f64), Undefined> {
    let number = |name| match settings.control.value(name) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    };
    let pair = match settings.control.name() {
        "reno" => Some((1.0, 0.5)),
        "aimd" => number("alpha").zip(number("beta")),
        _ => None,
    };
    pair.ok_or(Undefined::Inapplicable("the equation is for `reno` and `aimd` controls alone"))
}

fn tcp(flow: &Flow) -> Option<&Settings> {
    match &flow.transport {
        Transport::Tcp { settings, .. } => Some(settings),
        Transport::Udp { .. } => None,
    }
}
