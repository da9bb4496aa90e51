//! Lengths of the packets that flows send regularly.

use crate::problem::{Located, Problem, Result};
use crate::resolved::{Flow, HopRef, Scenario, Traffic, Transport};
use crate::rtcp;
use airfair_wifi::MOST_MSDU_BYTES;

/// Returns the bytes on the wire of a flow's full packets, and of the packets that answer them, if any do.
pub fn of(flow: &Flow, scenario: &Scenario) -> (u32, Option<u32>) {
    let session = match &flow.traffic {
        Traffic::Intermittent { bytes, .. } => *bytes,
        Traffic::Trace { sessions, .. } => sessions.iter().map(|&(_, bytes)| bytes).max().unwrap_or(u64::MAX),
        _ => u64::MAX,
    };
    let session = u32::try_from(session).unwrap_or(u32::MAX);
    let there = |payload: u32, header| payload.min(session) + header + scenario.station_overhead(flow.source);
    match &flow.transport {
        Transport::Tcp { settings, .. } => (
            there(settings.segment_bytes, settings.header_bytes),
            Some(settings.ack_bytes + scenario.station_overhead(flow.sink)),
        ),
        Transport::Udp { datagram_bytes, header_bytes, .. }
            if matches!(flow.traffic, Traffic::VideoCall { .. }) =>
        {
            (
                there(*datagram_bytes, *header_bytes),
                Some(rtcp::LONGEST + rtcp::HEADERS + scenario.station_overhead(flow.sink)),
            )
        }
        Transport::Udp { datagram_bytes, header_bytes, .. } => (
            there(*datagram_bytes, *header_bytes),
            flow.answer_bytes().map(|payload| payload + header_bytes + scenario.station_overhead(flow.sink)),
        ),
    }
}

/// Checks that the packets of all flows fit the frames of the WLANs on their way. `groups` has the index of the entry of
/// `flow` that each flow came from.
pub fn check(scenario: &Scenario, groups: &[usize]) -> Result<()> {
    for (flow, &group) in scenario.flows.iter().zip(groups) {
        let (there, back) = of(flow, scenario);
        if let Some(message) = too_long(there.max(back.unwrap_or(0)), flow, scenario) {
            return Err(Problem::new(message)).at_entry("flow", group);
        }
    }
    Ok(())
}

/// Tells which WLAN on a flow's way has no frames for packets of `bytes`; `None` if all of them carry such packets.
pub fn too_long(bytes: u32, flow: &Flow, scenario: &Scenario) -> Option<String> {
    flow.forward.iter().find_map(|hop| {
        let HopRef::Wlan { wlan, .. } = *hop else { return None };
        let wlan = &scenario.wlans[wlan];
        let phy = &wlan.bss.phy;
        let most = phy.most_packet_bytes.filter(|&most| bytes > most)?;
        Some(format!(
            "packets of {bytes} B of the flow `{}` are too long for the WLAN `{}`: a frame of `{}` carries at most {most} B, since \
             an MSDU, {} B of LLC and SNAP headers included, has at most {MOST_MSDU_BYTES} B (IEEE 802.11-2012, 8.2.3)",
            flow.name, wlan.name, phy.name, phy.framing.llc
        ))
    })
}
