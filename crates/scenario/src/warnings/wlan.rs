//! Warnings of wireless networks whose queues, windows or rates let nothing through, and of disciplines of queues in which nothing waits.

use airfair_queue::QueueLimit;
use airfair_queue::discipline::DISCIPLINES;
use airfair_wifi::phy::error_rate::ErrorRate;
use airfair_wifi::{BssConfig, DriverQueue, MOST_MSDU_BYTES, RateControl, StationConfig};

use super::of_queue;
use crate::resolved::{Flow, HopRef, Traffic, Transport, Wlan};

/// Returns the warnings of the station with this number, or of the access point (0). `sent` and `received` are the bytes of the longest packets
/// that it sends and receives; `None` if there are none.
pub fn of_station(
    network: &BssConfig,
    number: usize,
    sent: Option<u32>,
    received: Option<u32>,
) -> Vec<String> {
    let station = &network.stations[number];
    let mut texts = sent.map_or_else(Vec::new, |bytes| of_sender(network, number, bytes));
    if sent.or(received).is_some() {
        texts.extend(of_reach(network, station).or_else(|| of_noise(station, sent, received)));
    }
    texts
}

/// Returns the warnings of a station that sends packets of up to this length.
fn of_sender(network: &BssConfig, number: usize, bytes: u32) -> Vec<String> {
    let BssConfig { phy, stations, .. } = network;
    let station = &stations[number];
    let mut texts = of_queue(&station.queue, bytes);
    // Standard PHYs have refused such packets before this point; ns-2's has not.
    if bytes > MOST_MSDU_BYTES - phy.framing.llc {
        texts.push(format!(
            "it sends packets of {bytes} B in one frame each, as ns-2 does: no frame of IEEE 802.11 carries more than \
             {MOST_MSDU_BYTES} B (802.11-2012, 8.2.3)"
        ));
    }
    texts.extend(of_driver(station, number == 0));
    texts
}

/// Warns of a station so far from its access point that one of them does not hear the other.
fn of_reach(network: &BssConfig, station: &StationConfig) -> Option<String> {
    let radio = network.radio.as_ref()?;
    let (here, there) = (station.place?, network.stations[0].place?);
    let (up, down) = (radio.level(here, there), radio.level(there, here));
    let floor = radio.sense.carrier_sense;
    let (whose, to, level) = match (up < floor, down < floor) {
        (true, _) => ("its", "its access point", up),
        (_, true) => ("its access point's", "it", down),
        _ => return None,
    };
    Some(format!(
        "{whose} frames reach {to} with {level:.1} dBm, and nobody decodes frames below the `carrier_sense` of {floor} dBm: all are lost"
    ))
}

/// Warns of a station within reach whose packets, of up to `sent` bytes, or those to it, of up to `received` bytes, noise destroys at their
/// fixed rate.
fn of_noise(station: &StationConfig, sent: Option<u32>, received: Option<u32>) -> Option<String> {
    const NEARLY_ALL: f64 = 0.999;
    let qos = station.qos.as_ref()?;
    let snr = qos.snr.filter(|snr| snr.variation.is_none() && qos.snr_trace.is_empty())?;
    if qos.rate_control != RateControl::Fixed {
        return None;
    }
    let ways =
        [("its packets", sent, &qos.mode, snr.up), ("the packets to it", received, &qos.ap_mode, snr.down)];
    ways.into_iter().find_map(|(whose, bytes, mode, snr)| {
        let bytes = bytes?;
        (ErrorRate::of_data(mode, snr).frame(bytes) > NEARLY_ALL).then(|| {
            format!(
                "noise destroys nearly all of {whose} of {bytes} B: their signal-to-noise ratio of {snr:.1} dB is too low for \
                 their rate, and `rate_control` is `fixed`"
            )
        })
    })
}

/// Warns of a queue above a driver that takes all its frames: as many as the queue may hold, or those of each receiver up to a limit that
/// only some disciplines can obey.
fn of_driver(station: &StationConfig, is_access_point: bool) -> Option<String> {
    let discipline = &station.queue.discipline;
    let is_drop_tail = *discipline == Default::default();
    let name = discipline.name();
    match station.qos.as_ref()?.driver {
        DriverQueue::Frames(most) if !is_drop_tail && takes_all(most, station.queue.limit) => Some(format!(
            "its `{name}` does nothing, as no frame waits there: the driver takes them all. `driver_aggregates` or `driver_queue` \
             limits the driver{}",
            if discipline.holds_stations() { ", and so does `aql`" } else { "" }
        )),
        // The network's `aql` holds for its stations as well, which mostly have drop-tail queues.
        DriverQueue::Airtime { .. } if !discipline.holds_stations() && (is_access_point || !is_drop_tail) => {
            let holding = DISCIPLINES.iter().filter(|discipline| discipline.holds_stations);
            let holding: Vec<_> = holding.map(|discipline| format!("`{}`", discipline.name)).collect();
            Some(format!(
                "no frame waits in its `{name}`, which cannot hold a receiver's frames back as `aql` asks: the driver takes them all. {} \
                 can; above others `driver_aggregates` or `driver_queue` limits the driver",
                holding.join(" and ")
            ))
        }
        _ => None,
    }
}

/// Whether a driver that takes at most this number of frames takes all of a queue with this limit.
fn takes_all(most: u32, limit: QueueLimit) -> bool {
    match limit {
        QueueLimit::Packets(limit) => most >= limit,
        QueueLimit::Bytes(_) => most == u32::MAX,
    }
}

/// Returns the warnings of the WLAN with this index.
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
