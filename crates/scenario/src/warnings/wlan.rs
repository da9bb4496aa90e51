//! Wireless networks whose queues or windows let nothing through.

use airfair_wifi::{MOST_MSDU_BYTES, Phy, StationConfig};

use super::of_queue;
use crate::resolved::{Flow, HopRef, Traffic, Transport, Wlan};

/// Warnings of a station, or an access point, that sends packets of `longest` bytes.
pub fn of_station(station: &StationConfig, phy: &Phy, longest: Option<u32>) -> Vec<String> {
    let Some(bytes) = longest else { return Vec::new() };
    let mut texts = of_queue(&station.queue, bytes);
    // Standard PHYs refuse them.
    if bytes > MOST_MSDU_BYTES - phy.framing.llc {
        texts.push(format!(
            "it sends packets of {bytes} B in one frame each, as ns-2 does: no frame of IEEE 802.11 carries more than \
             {MOST_MSDU_BYTES} B (802.11-2012, 8.2.3)"
        ));
    }
    texts
}

/// Warnings of the WLAN of this number.
pub fn of_wlan(wlan: &Wlan, number: usize, flows: &[Flow]) -> Vec<String> {
    let Some(control) = &wlan.window_control else { return Vec::new() };
    let here = |hop: &HopRef| matches!(hop, HopRef::Wlan { wlan, .. } if *wlan == number);
    let lasting = |flow: &&Flow| {
        matches!(flow.transport, Transport::Tcp { .. })
            && matches!(flow.traffic, Traffic::Persistent { .. })
            && flow.forward.iter().any(here)
    };
    let (flows, buffer) = (flows.iter().filter(lasting).count(), control.buffer_packets);
    if flows as u64 <= u64::from(buffer) {
        return Vec::new();
    }
    vec![format!(
        "its window control divides {buffer} packets among {flows} flows: each is granted a window of 0 while all of them are \
         seen within `flow_timeout`"
    )]
}
