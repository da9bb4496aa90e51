//! Wireless networks whose queues or windows let nothing through, and disciplines of queues in which nothing waits.

use airfair_queue::QueueLimit;
use airfair_wifi::{DriverQueue, MOST_MSDU_BYTES, Phy, StationConfig};

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
    texts.extend(of_driver(station));
    texts
}

/// A discipline above a driver that takes as many frames as the queue may hold, so that none waits.
fn of_driver(station: &StationConfig) -> Option<String> {
    let DriverQueue::Frames(most) = station.qos.as_ref()?.driver else { return None };
    let takes_all = match station.queue.limit {
        QueueLimit::Packets(limit) => most >= limit,
        QueueLimit::Bytes(_) => most == u32::MAX,
    };
    let discipline = &station.queue.discipline;
    (takes_all && *discipline != Default::default()).then(|| {
        let name = discipline.name();
        format!(
            "its `{name}` does nothing, as no frame waits there: the driver takes them all. `aql`, `driver_aggregates` or \
             `driver_queue` limits the driver"
        )
    })
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
