//! A run as metrics see it.

use crate::metric::Value;
use crate::outcome::{FlowRecord, LinkRecord, SessionRecord, StationRecord};
use crate::records::useful_bytes;
use airfair_core::Time;
use airfair_metrics::{Undefined, mean, throughput};
use airfair_scenario::resolved::{Direction, Flow, Scenario, Traffic, TrafficKind, Transport};
use airfair_sim::Record;
use std::ops::Range;

/// Bytes of the TCP and IP headers of a segment, whatever header a profile puts on the wire.
const TCP_IP_HEADER: u32 = 40;

/// A scenario, the record of one of its runs, and that record in SI units.
#[derive(Debug)]
pub struct Run<'a> {
    pub scenario: &'a Scenario,
    pub record: &'a Record,
    /// Length of the measured window in seconds.
    pub window: f64,
    /// Records of flows in the scenario's order; links and stations are in its order, too.
    pub flows: Vec<FlowRecord>,
    pub links: Vec<LinkRecord>,
    pub stations: Vec<StationRecord>,
    pub sessions: Vec<SessionRecord>,
}

pub fn all(_: &FlowRecord) -> bool {
    true
}

pub fn up(flow: &FlowRecord) -> bool {
    flow.direction == Direction::Up.word()
}

pub fn down(flow: &FlowRecord) -> bool {
    flow.direction == Direction::Down.word()
}

pub fn persistent(flow: &FlowRecord) -> bool {
    flow.traffic == TrafficKind::Persistent.word()
}

pub fn intermittent(flow: &FlowRecord) -> bool {
    flow.traffic == TrafficKind::Intermittent.word()
}

impl Run<'_> {
    /// Returns the throughputs in bit/s of the flows for which `of` is true.
    pub fn throughputs(&self, of: fn(&FlowRecord) -> bool) -> Vec<f64> {
        self.flows.iter().filter(|flow| of(flow)).map(|flow| flow.throughput).collect()
    }

    /// Returns the flows of the scenario, each with its record.
    pub fn configured_flows(&self) -> impl Iterator<Item = (&Flow, &FlowRecord)> {
        self.scenario.flows.iter().zip(&self.flows)
    }

    /// Returns the part of the measured window in which a flow is present: from the start of its first session until it stops. The
    /// range may end before it starts.
    pub fn present(&self, number: usize) -> Range<Time> {
        let Record { warmup, end, ref sessions, .. } = *self.record;
        let start = sessions[number].first().map_or(end, |session| session.start.max(warmup));
        let stop = match self.scenario.flows[number].traffic {
            Traffic::Persistent { stop: Some(stop), .. } => end.min(Time::ZERO + stop),
            _ => end,
        };
        start..stop
    }

    /// Returns the sum of a count over all flows.
    pub fn count(&self, of: fn(&FlowRecord) -> u64) -> u64 {
        self.flows.iter().map(of).sum()
    }
}

/// Returns the goodput in bit/s: payload of all flows that got through in the measured window, each byte counted once.
pub fn goodput(run: &Run<'_>) -> Value {
    let flows = run.scenario.flows.iter().zip(&run.record.counts.flows);
    throughput(flows.map(|(flow, counts)| useful_bytes(flow, counts)).sum(), run.window)
}

/// Returns the sum of the values; undefined if there are none, with `nothing` as what is missing.
pub fn sum_of(values: &[f64], nothing: &'static str) -> Value {
    if values.is_empty() { Err(Undefined::Nothing(nothing)) } else { Ok(values.iter().sum()) }
}

/// Returns the mean of the values; undefined if there are none, with `nothing` as what is missing.
pub fn mean_of(values: &[f64], nothing: &'static str) -> Value {
    if values.is_empty() { Err(Undefined::Nothing(nothing)) } else { mean(values) }
}

/// Returns the header bytes that count with each segment or datagram.
pub fn header_bytes(flow: &Flow) -> u32 {
    match &flow.transport {
        Transport::Tcp { .. } => TCP_IP_HEADER,
        Transport::Udp { header_bytes, .. } => *header_bytes,
    }
}

/// Returns the payload bytes of a full segment or a datagram.
pub fn payload_bytes(flow: &Flow) -> u32 {
    match &flow.transport {
        Transport::Tcp { settings, .. } => settings.segment_bytes,
        Transport::Udp { datagram_bytes, .. } => *datagram_bytes,
    }
}
