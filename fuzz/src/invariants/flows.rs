//! Bytes of a flow: those acknowledged were delivered, and those delivered were sent.

use super::holds;
use airfair_scenario::resolved::{Flow, Transport};
use airfair_sim::record::FlowCounts;

pub fn hold(flow: &Flow, counts: &FlowCounts) -> Result<(), String> {
    holds(counts.delivered_bytes <= counts.sender.sent_bytes, "more is delivered than was sent")?;
    holds(counts.sender.retransmissions <= counts.sender.segments, "more is sent again than is sent")?;
    holds(counts.arrivals.arrivals <= counts.sender.segments, "more segments arrive than were sent")?;
    holds(counts.arrivals.arrivals_in_time <= counts.arrivals.arrivals, "more arrive in time than arrive")?;
    let payload = match &flow.transport {
        Transport::Tcp { settings, .. } => settings.segment_bytes,
        Transport::Udp { datagram_bytes, .. } => *datagram_bytes,
    };
    let full = |segments: u64| u128::from(segments) * u128::from(payload);
    holds(
        u128::from(counts.sender.sent_bytes) <= full(counts.sender.segments),
        "segments carry more than they hold",
    )?;
    if let Transport::Tcp { .. } = &flow.transport {
        holds(counts.acked_bytes <= counts.delivered_bytes, "more is acknowledged than was delivered")?;
        let first = counts.sender.segments - counts.sender.retransmissions;
        holds(u128::from(counts.delivered_bytes) <= full(first), "something is delivered twice")?;
    }
    Ok(())
}
