//! What a run leaves behind: counts over the measured window, sessions, series.

use crate::flow::{Endpoint, Flow};
use crate::links::Links;
use crate::session::Session;
use crate::trace::Series;
use crate::wlan::Wlan;
use airfair_core::{Span, SpanSum, Time};
use airfair_wifi::Turn;

/// The record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Start of the measured window.
    pub warmup: Time,
    /// Its end.
    pub end: Time,
    /// Counts over the measured window.
    pub counts: Counts,
    /// Retransmission timeout of each flow's sender at the end, backoff included; `None` for UDP.
    pub timeouts: Vec<Option<Span>>,
    /// Congestion window of each flow's sender in segments, averaged over time from its start, or the end of the warm-up, to the end;
    /// `None` where it was not asked for, for UDP, and where the flow never starts.
    pub average_cwnds: Vec<Option<f64>>,
    /// Every session of each flow, those of the warm-up included.
    pub sessions: Vec<Vec<Session>>,
    /// The series asked for.
    pub series: Vec<Series>,
    /// If asked for, each medium's turns that end in the measured window.
    pub air: Vec<Vec<Turn>>,
}

/// Counts of all components, each in the scenario's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// One for each flow.
    pub flows: Vec<FlowCounts>,
    /// For each link, forward then backward.
    pub links: Vec<LinkCounts>,
    /// For each wireless network, one for each station.
    pub stations: Vec<Vec<StationCounts>>,
    /// For each wireless network: the time that its medium was busy.
    pub medium_busy: Vec<Span>,
    /// For each wireless network: what its access point's policer did; all zero where there is none.
    pub policers: Vec<PolicerCounts>,
}

/// Declares a struct of counts with the difference of two readings.
macro_rules! counts {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$inner])* pub $field: $type),* }

        impl $name {
            /// What was counted since an earlier reading.
            #[must_use]
            pub fn since(self, earlier: $name) -> $name {
                $name { $($field: self.$field - earlier.$field),* }
            }
        }
    };
}

counts! {
    /// A flow's counts; of UDP, segments are datagrams, and nothing is acknowledged.
    FlowCounts {
        /// Payload bytes acknowledged at the sender.
        acked_bytes: u64,
        /// Payload bytes that reached the sink, in order for TCP.
        delivered_bytes: u64,
        /// Segments sent, retransmissions included.
        segments: u64,
        /// Payload bytes of those.
        sent_bytes: u64,
        /// Segments sent again.
        retransmissions: u64,
        /// Retransmission timeouts.
        timeouts: u64,
        /// Fast retransmits.
        fast_retransmits: u64,
        /// Reductions of the congestion window.
        window_cuts: u64,
        /// First arrivals of distinct segments at the sink, the flow's very first left out.
        arrivals: u64,
        /// Those that came no later than the deadline after the one before.
        arrivals_in_time: u64,
        /// Time from the sending of a segment to the ACK of new data that it brought, all added up.
        rtt_total: SpanSum,
        /// Number of such ACKs.
        round_trips: u64,
        /// Retransmission timeouts that started a series, before any backoff, all added up.
        timeout_total: SpanSum,
        /// Number of such series.
        timeout_series: u64,
    }
}

counts! {
    /// One direction of a link.
    LinkCounts {
        /// Packets that arrived at it.
        offered: u64,
        /// Packets dropped because the queue was full, or by its discipline.
        dropped: u64,
        /// Those of them that were dropped though there was room.
        dropped_early: u64,
        /// Packets marked with Congestion Experienced.
        marked: u64,
        /// Packets lost to errors.
        lost_errors: u64,
        /// Packets lost because it was down.
        lost_outage: u64,
        /// Time that its transmitter was sending; a packet on it at either end of the window counts by the part inside.
        busy: Span,
        /// Packets held, integrated over time.
        queue_integral: SpanSum,
    }
}

counts! {
    /// A station of a wireless network.
    StationCounts {
        /// Frames that arrived at the interface queue.
        offered: u64,
        /// Frames dropped because it was full.
        dropped_full: u64,
        /// Frames that its discipline dropped though there was room.
        dropped_early: u64,
        /// Frames marked with Congestion Experienced.
        marked: u64,
        /// Frames given up at a retry limit that had not arrived.
        dropped_retries: u64,
        /// Frames that left the interface queue to be sent.
        served: u64,
        /// Time that these had spent in it, all added up.
        waited: SpanSum,
        /// Frames that arrived, once each.
        delivered: u64,
        /// Bytes above the MAC of delivered frames.
        delivered_bytes: u64,
        /// Delivered frames lost to errors above their receiver's MAC.
        lost_errors: u64,
        /// Times that it took the medium: an RTS or a data frame without one.
        attempts: u64,
        /// Attempts that collided.
        collisions: u64,
        /// Attempts that were repeated, for whatever reason.
        retries: u64,
        /// Time on the air of its exchanges, successful or not; one under way at either end of the window counts by the part
        /// inside.
        airtime: Span,
        /// Frames held, the one in service included, integrated over time.
        held_integral: SpanSum,
        /// Frames waiting, the one in service left out, integrated over time.
        waiting_integral: SpanSum,
    }
}

counts! {
    /// The policer of an access point.
    PolicerCounts {
        /// Packets that came to it.
        offered: u64,
        /// Packets that it dropped.
        dropped: u64,
    }
}

impl Counts {
    /// The counts of all components at `now`.
    pub(crate) fn read(now: Time, links: &mut Links, wlans: &mut [Wlan], flows: &[Flow]) -> Counts {
        Counts {
            flows: flows.iter().map(flow_counts).collect(),
            links: links.counts(now),
            stations: wlans.iter_mut().map(|air| air.counts(now)).collect(),
            medium_busy: wlans.iter().map(|air| air.busy(now)).collect(),
            policers: wlans.iter().map(Wlan::policer_counts).collect(),
        }
    }

    /// What was counted since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts {
            flows: pairwise(&self.flows, &earlier.flows, |now, then| now.since(*then)),
            links: pairwise(&self.links, &earlier.links, |now, then| now.since(*then)),
            stations: pairwise(&self.stations, &earlier.stations, |now, then| {
                pairwise(now, then, |now, then| now.since(*then))
            }),
            medium_busy: pairwise(&self.medium_busy, &earlier.medium_busy, |now, then| *now - *then),
            policers: pairwise(&self.policers, &earlier.policers, |now, then| now.since(*then)),
        }
    }
}

fn pairwise<T>(now: &[T], then: &[T], difference: impl Fn(&T, &T) -> T) -> Vec<T> {
    now.iter().zip(then).map(|(now, then)| difference(now, then)).collect()
}

fn flow_counts(flow: &Flow) -> FlowCounts {
    let counts = match &flow.endpoint {
        Endpoint::Tcp(tcp) => tcp.counts(),
        Endpoint::Udp(udp) => FlowCounts {
            delivered_bytes: udp.delivered(),
            segments: udp.datagrams(),
            sent_bytes: udp.sent(),
            ..FlowCounts::default()
        },
    };
    FlowCounts {
        arrivals: flow.deadline_monitor.counted(),
        arrivals_in_time: flow.deadline_monitor.in_time(),
        ..counts
    }
}

/// Each medium's turns that end after `from`.
pub(crate) fn turns(wlans: &mut [Wlan], from: Time) -> Vec<Vec<Turn>> {
    let since = |turns: Vec<Turn>| turns.into_iter().filter(|turn| turn.end > from).collect();
    wlans.iter_mut().map(|air| since(air.bss.take_turns())).collect()
}

/// The average congestion window of each flow's sender until `end`.
pub(crate) fn average_cwnds(flows: &[Flow], end: Time) -> Vec<Option<f64>> {
    let average = |flow: &Flow| match &flow.endpoint {
        Endpoint::Tcp(tcp) => tcp.average_cwnd(end),
        Endpoint::Udp(_) => None,
    };
    flows.iter().map(average).collect()
}

/// The retransmission timeout of each flow's sender.
pub(crate) fn timeouts(flows: &[Flow]) -> Vec<Option<Span>> {
    let timeout = |flow: &Flow| match &flow.endpoint {
        Endpoint::Tcp(tcp) => Some(tcp.sender().rto()),
        Endpoint::Udp(_) => None,
    };
    flows.iter().map(timeout).collect()
}
