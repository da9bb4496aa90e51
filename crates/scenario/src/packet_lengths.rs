//! How long the packets are that flows send regularly.

use crate::resolved::{Flow, Scenario, Traffic, Transport};

/// Bytes on the wire of a flow's full packets, and of what answers them.
pub fn of(flow: &Flow, scenario: &Scenario) -> (u32, Option<u32>) {
    let session = match flow.traffic {
        Traffic::Persistent { .. } => u32::MAX,
        Traffic::Intermittent { bytes, .. } => u32::try_from(bytes).unwrap_or(u32::MAX),
    };
    let there = |payload: u32, header| payload.min(session) + header + scenario.station_overhead(flow.source);
    match &flow.transport {
        Transport::Tcp { settings, .. } => (
            there(settings.segment_bytes, settings.header_bytes),
            Some(settings.ack_bytes + scenario.station_overhead(flow.sink)),
        ),
        Transport::Udp { datagram_bytes, header_bytes, .. } => (there(*datagram_bytes, *header_bytes), None),
    }
}
