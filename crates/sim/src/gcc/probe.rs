//! Probes: short clusters of packets at a higher rate, which tell what the path carries at the start of a call.
//!
//! libwebrtc, `ProbeController`, `BitrateProber` and `ProbeBitrateEstimator`. Probes later in a call, of a sender with less media than its rate, are
//! left out.

use super::Received;
use airfair_core::{Span, Time};
use std::collections::VecDeque;

/// Number of a cluster.
pub type ClusterId = u32;

/// Rates of the first clusters, over the rate at which the call starts.
const FIRST: [f64; 2] = [3.0, 6.0];
/// A result above this part of the probed rate leads to a further cluster, at [`FURTHER`] times the result.
const ENOUGH: f64 = 0.7;
const FURTHER: f64 = 2.0;
/// A cluster has at least these packets, and lasts at least this long in s.
const PACKETS: u32 = 5;
const DURATION: f64 = 0.015;
/// Part of a cluster's packets and bytes that must arrive for a result.
const ARRIVED: f64 = 0.8;
/// Times longer than this are no cluster's.
const LONGEST: Span = Span::from_secs(1);
/// A cluster that arrives so much faster than it was sent has been compressed on its way.
const FASTEST: f64 = 2.0;
/// Below this part of the sent rate the path is full, and its rate is taken for a bit less.
const FULL: f64 = 0.9;
const LESS: f64 = 0.95;
/// The time for which the result of a cluster can lead to a further one.
const WAIT: Span = Span::from_secs(1);

/// A cluster to be sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// The number that its packets carry.
    pub id: ClusterId,
    /// Rate in bit/s.
    pub rate: f64,
    /// Number of packets, at least.
    pub packets: u32,
    /// Bytes on the wire, at least.
    pub bytes: u32,
}

/// A cluster under way.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    cluster: Cluster,
    packets: u32,
    bytes: u64,
    sent: (Time, Time),
    arrived: (Time, Time),
    /// Bytes of the packet sent last, and of the one that came first.
    last_sent: u32,
    first_arrived: u32,
}

/// All probes of a call.
#[derive(Clone, Debug)]
pub struct Probes {
    most: f64,
    ids: ClusterId,
    waiting: VecDeque<Cluster>,
    /// Clusters of which packets may still come.
    arriving: Vec<Arriving>,
    result: Option<f64>,
    /// A result above this rate leads to a further cluster.
    enough: Option<f64>,
    /// When the last clusters were decided on.
    began: Option<Time>,
}

impl Probes {
    /// Returns the probes of a call that starts at a rate, both in bit/s. None is above `most`.
    pub fn new(start: f64, most: f64) -> Probes {
        let (waiting, arriving) = (VecDeque::new(), Vec::new());
        let mut probes = Probes { most, ids: 0, waiting, arriving, result: None, enough: None, began: None };
        if start < most {
            FIRST.into_iter().for_each(|factor| probes.add(factor * start));
        }
        probes
    }

    fn add(&mut self, rate: f64) {
        self.enough = (rate < self.most).then_some(ENOUGH * rate);
        let rate = rate.min(self.most);
        self.ids += 1;
        let bytes = (rate * DURATION / 8.0) as u32;
        self.waiting.push_back(Cluster { id: self.ids, rate, packets: PACKETS, bytes });
    }

    /// Returns the next cluster to be sent.
    pub fn poll(&mut self) -> Option<Cluster> {
        let cluster = self.waiting.pop_front()?;
        let (sent, arrived) = ((Time::NEVER, Time::ZERO), (Time::NEVER, Time::ZERO));
        self.arriving.push(Arriving {
            cluster,
            packets: 0,
            bytes: 0,
            sent,
            arrived,
            last_sent: 0,
            first_arrived: 0,
        });
        Some(cluster)
    }

    /// Gives up on further clusters once the results are late. A late result still counts.
    pub fn on_time(&mut self, now: Time) {
        if now.since(*self.began.get_or_insert(now)) > WAIT {
            self.enough = None;
        }
    }

    /// Takes a packet that was received.
    pub fn on_packet(&mut self, packet: &Received) {
        let Some(id) = packet.cluster else { return };
        let Some(arriving) = self.arriving.iter_mut().find(|arriving| arriving.cluster.id == id) else {
            return;
        };
        arriving.packets += 1;
        arriving.bytes += u64::from(packet.bytes);
        if packet.sent >= arriving.sent.1 {
            (arriving.sent.1, arriving.last_sent) = (packet.sent, packet.bytes);
        }
        if packet.arrived < arriving.arrived.0 {
            (arriving.arrived.0, arriving.first_arrived) = (packet.arrived, packet.bytes);
        }
        arriving.sent.0 = arriving.sent.0.min(packet.sent);
        arriving.arrived.1 = arriving.arrived.1.max(packet.arrived);
        self.result = arriving.rate().or(self.result);
    }

    /// Returns the rate in bit/s that the packets since the last call have shown, if any.
    pub fn take_result(&mut self) -> Option<f64> {
        self.result.take()
    }

    /// Decides whether to probe further after a result.
    pub fn go_on(&mut self, now: Time, result: f64) {
        if self.enough.is_some_and(|enough| result > enough) {
            self.began = Some(now);
            self.add(FURTHER * result);
        }
    }
}

impl Arriving {
    /// Returns the rate in bit/s that the packets so far show.
    fn rate(&self) -> Option<f64> {
        let Cluster { packets, bytes, .. } = self.cluster;
        let has_come = f64::from(self.packets) >= ARRIVED * f64::from(packets)
            && self.bytes as f64 >= ARRIVED * f64::from(bytes);
        let spans = [self.sent, self.arrived].map(|(first, last)| last.since(first));
        if !has_come || spans.iter().any(|span| *span == Span::ZERO || *span > LONGEST) {
            return None;
        }
        let [sent, arrived] = [(spans[0], self.last_sent), (spans[1], self.first_arrived)]
            .map(|(span, without)| (self.bytes - u64::from(without)) as f64 * 8.0 / span.as_secs());
        if arrived > FASTEST * sent {
            return None;
        }
        Some(if arrived < FULL * sent { LESS * arrived } else { arrived.min(sent) })
    }
}
