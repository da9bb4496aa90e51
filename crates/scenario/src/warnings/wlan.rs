//! Wireless networks whose queues or windows let nothing through.

use airfair_wifi::StationConfig;

use super::of_queue;
use crate::resolved::{Flow, HopRef, Traffic, Transport, Wlan};

/// What is hopeless about a station, or an access point, that sends packets of `longest` bytes.
pub fn of_station(station: &StationConfig, longest: Option<u32>) -> Vec<String> {
    let queue = &station.queue;
    longest.map_or_else(Vec::new, |bytes| of_queue(queue, bytes))
}

/// What is hopeless about the WLAN of this number.
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
