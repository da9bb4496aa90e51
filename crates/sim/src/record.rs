//! The result of a run: counts over the measured window, sessions, series.

use crate::channel::{Channel, OnChannel};
use crate::deadline_monitor::ArrivalCounts;
use crate::flow::{Endpoint, Flow};
use crate::links::Links;
use crate::session::Session;
use crate::timing::TimingCounts;
use crate::trace::Series;
use airfair_core::{Span, SpanSum, Time, counters};
use airfair_net::LinkStats;
use airfair_tcp::SenderStats;
use airfair_wifi::{QueueDelay, StationStats, Turn};
use std::ops::{Range, Sub};

/// The record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Start of the measured window.
    pub warmup: Time,
    /// End of the measured window.
    pub end: Time,
    /// Counts over the measured window.
    pub counts: Counts,
    /// Retransmission timeout of each flow's sender at the end, backoff included; `None` for UDP.
    pub timeouts: Vec<Option<Span>>,
    /// Time average of the congestion window of each flow's sender in segments, from its start or the end of the
    /// warm-up to the end; `None` if not requested, for UDP, and if the flow never starts.
    pub average_cwnds: Vec<Option<f64>>,
    /// If requested, for each wireless network: how long each packet that was served in the measured window spent in the access
    /// point's queue.
    pub ap_queue_delays: Vec<Vec<QueueDelay>>,
    /// If requested, for each flow: over TCP, the round trip that each ACK of new data in the measured window measures; over UDP, the
    /// one-way delay of each datagram that arrives at the sink in it.
    pub delays: Vec<Vec<Span>>,
    /// Every session of each flow, those of the warm-up included.
    pub sessions: Vec<Vec<Session>>,
    /// The requested series.
    pub series: Vec<Series>,
    /// If requested, each wireless network's turns on the air that end in the measured window.
    pub air: Vec<Vec<Turn>>,
}

impl Record {
    /// Makes the record of a run up to the end of `window` from the counts over the window, the series, and the flows and channels.
    pub(crate) fn new(
        window: Range<Time>,
        counts: Counts,
        flows: &[Flow],
        channels: &[Channel],
        series: Vec<Series>,
    ) -> Record {
        Record {
            timeouts: timeouts(flows),
            average_cwnds: average_cwnds(flows, window.end),
            ap_queue_delays: ap_queue_delays(channels, &counts),
            delays: delays(flows, &counts),
            sessions: flows.iter().map(|flow| flow.sessions.all().to_vec()).collect(),
            air: by_wlan(channels, |network| network.turns(window.start)),
            warmup: window.start,
            end: window.end,
            counts,
            series,
        }
    }
}

/// Counts of all components, each in the scenario's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Counts of each flow.
    pub flows: Vec<FlowCounts>,
    /// Counts of each link: of its forward direction, then of its backward direction.
    pub links: Vec<LinkCounts>,
    /// For each wireless network, the counts of each station.
    pub stations: Vec<Vec<StationCounts>>,
    /// For each wireless network: the time that its medium was busy.
    pub medium_busy: Vec<Span>,
    /// For each wireless network: counts of its access point's policer; all zero if there is none.
    pub policers: Vec<PolicerCounts>,
}

counters! {
    /// A flow's counts. UDP's segments are datagrams, and none of its bytes are acknowledged.
    pub struct FlowCounts {
        /// Payload bytes that reached the sink, for TCP in order.
        delivered_bytes: u64 = "byte",
        /// Counts of the flow's sender.
        sender: SenderStats = _,
        /// Arrivals at the flow's sink.
        arrivals: ArrivalCounts = _,
        /// Payload bytes acknowledged at the sender.
        acked_bytes: u64,
        /// Round trips and timeouts of the flow's sender.
        timing: TimingCounts,
    }

    /// Counts of one direction of a link.
    pub struct LinkCounts {
        /// Counts of the direction's packets.
        packets: LinkStats = _,
        /// Time that the direction's transmitter was sending; a transmission at either end of the window counts by the part inside.
        busy: Span,
        /// Number of packets held, integrated over time.
        queue_integral: SpanSum,
    }

    /// Counts of a station of a wireless network. The airtime counts up to the instant of the reading.
    pub struct StationCounts {
        /// Counts of the station's frames.
        frames: StationStats = _,
        /// Number of frames held, the one in service included, integrated over time.
        held_integral: SpanSum,
        /// Number of frames waiting, the one in service excluded, integrated over time.
        waiting_integral: SpanSum,
    }

    /// Counts of the policer of an access point.
    pub struct PolicerCounts {
        /// Packets that arrived at the policer.
        offered: u64 = "packet",
        /// Packets that the policer dropped.
        dropped: u64 = "packet",
    }
}

impl Counts {
    /// Reads the counts of all components at `now`.
    pub(crate) fn read(now: Time, links: &mut Links, channels: &mut [Channel], flows: &[Flow]) -> Counts {
        channels.iter_mut().for_each(|channel| channel.settle(now));
        Counts {
            flows: flows.iter().map(flow_counts).collect(),
            links: links.counts(now),
            stations: by_wlan(channels, |network| network.counts(now)),
            medium_busy: by_wlan(channels, |network| network.busy(now)),
            policers: by_wlan(channels, |network| network.policer_counts()),
        }
    }

    /// Returns the counts since an earlier reading.
    #[must_use]
    pub fn since(mut self, earlier: &Counts) -> Counts {
        subtract(&mut self.flows, &earlier.flows);
        subtract(&mut self.links, &earlier.links);
        let stations = self.stations.iter_mut().zip(&earlier.stations);
        stations.for_each(|(now, earlier)| subtract(now, earlier));
        subtract(&mut self.medium_busy, &earlier.medium_busy);
        subtract(&mut self.policers, &earlier.policers);
        self
    }
}

/// Subtracts readings in place: those of very many links fill a cache many times.
fn subtract<T: Copy + Sub<Output = T>>(now: &mut [T], earlier: &[T]) {
    now.iter_mut().zip(earlier).for_each(|(now, earlier)| *now = *now - *earlier);
}

fn flow_counts(flow: &Flow) -> FlowCounts {
    let counts = match &flow.endpoint {
        Endpoint::Tcp(tcp) => tcp.counts(&flow.sessions),
        Endpoint::Udp(udp) => udp.counts(),
        Endpoint::VideoCall(call) => call.counts(),
        Endpoint::External(external) => external.counts(),
    };
    FlowCounts { arrivals: flow.deadline_monitor.counts(), ..counts }
}

/// Takes one reading of each wireless network, and returns the readings in the scenario's order.
fn by_wlan<T>(channels: &[Channel], read: impl Fn(OnChannel) -> T) -> Vec<T> {
    let networks = channels.iter().flat_map(Channel::networks);
    let mut readings: Vec<_> = networks.map(|(wlan, network)| (wlan, read(network))).collect();
    readings.sort_by_key(|&(wlan, _)| wlan);
    readings.into_iter().map(|(_, reading)| reading).collect()
}

/// Returns the delays in the queue of each access point, of the packets that `counts` has as served.
fn ap_queue_delays(channels: &[Channel], counts: &Counts) -> Vec<Vec<QueueDelay>> {
    let mut delays: Vec<Vec<QueueDelay>> = vec![Vec::new(); counts.stations.len()];
    for (wlan, network) in channels.iter().flat_map(Channel::networks) {
        let served = counts.stations[wlan].first().map_or(0, |ap| ap.frames.served);
        delays[wlan] = network.queue_delays(served).to_vec();
    }
    delays
}

/// Returns the delays of each flow's packets. Of the round trips at the instant in which the warm-up ends, only those that `counts`
/// has are included.
fn delays(flows: &[Flow], counts: &Counts) -> Vec<Vec<Span>> {
    let of = |(flow, counts): (&Flow, &FlowCounts)| {
        let (all, counted) = (flow.delays(), counts.timing.round_trips as usize);
        let before = if counted > 0 { all.len().saturating_sub(counted) } else { 0 };
        all[before..].to_vec()
    };
    flows.iter().zip(&counts.flows).map(of).collect()
}

/// Returns the average congestion window of each flow's sender until `end`.
fn average_cwnds(flows: &[Flow], end: Time) -> Vec<Option<f64>> {
    let average = |flow: &Flow| match &flow.endpoint {
        Endpoint::Tcp(tcp) => tcp.average_cwnd(end),
        Endpoint::Udp(_) | Endpoint::VideoCall(_) | Endpoint::External(_) => None,
    };
    flows.iter().map(average).collect()
}

/// Returns the retransmission timeout of each flow's sender.
fn timeouts(flows: &[Flow]) -> Vec<Option<Span>> {
    let timeout = |flow: &Flow| match &flow.endpoint {
        Endpoint::Tcp(tcp) => Some(tcp.sender().rto()),
        Endpoint::Udp(_) | Endpoint::VideoCall(_) | Endpoint::External(_) => None,
    };
    flows.iter().map(timeout).collect()
}
