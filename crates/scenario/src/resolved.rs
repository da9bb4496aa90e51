//! A scenario with all defaults filled in, all expressions evaluated and all quantities in SI units: the input of the engine.

mod measures;
mod voice;

use std::sync::Arc;

use airfair_core::schema::{Kind, Range};
use airfair_core::{Rate, Span, Stream, settings, words};
use airfair_net::LinkConfig;
use airfair_queue::{PolicerConfig, WindowControlConfig};
use airfair_wifi::BssConfig;
use airfair_wifi::phy::edca::{AccessCategory, Dscp};

pub use crate::file::TrafficKind;
pub use measures::{Convergence, Effort, FairnessOf, FairnessSettings, Measures, RealtimeSettings, Weights};
pub use voice::VoiceCodec;

/// A scenario that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name of the packaged scenario, or of the file.
    pub name: String,
    /// Time before anything is measured.
    pub warmup: Span,
    /// Measured time after `warmup`.
    pub duration: Span,
    /// Everything that sends, receives or forwards.
    pub nodes: Vec<Node>,
    /// Wired links, two directions each.
    pub links: Vec<Link>,
    /// Wireless networks.
    pub wlans: Vec<Wlan>,
    /// Flows between two nodes each.
    pub flows: Vec<Flow>,
    /// Names of the metrics that this scenario reports, in order.
    pub metrics: Vec<String>,
    /// How a user's fair share S is found, for the instantaneous fairness index.
    pub fair_share: FairShare,
    /// Settings of other metrics.
    pub measures: Measures,
}

impl Scenario {
    /// Returns the directions of all links, each link's forward one first. This is the order in which records count them.
    pub fn link_directions(&self) -> impl Iterator<Item = &LinkConfig> + Clone {
        self.links.iter().flat_map(|link| [&link.forward, &link.backward])
    }

    /// Groups the indices of the wireless networks by the air that they share, in the order of each group's first network.
    pub fn channels(&self) -> Vec<Vec<usize>> {
        let mut channels: Vec<Vec<usize>> = Vec::new();
        for (number, wlan) in self.wlans.iter().enumerate() {
            let shares = |group: &&mut Vec<usize>| {
                wlan.channel.is_some() && self.wlans[group[0]].channel == wlan.channel
            };
            match channels.iter_mut().find(shares) {
                Some(group) => group.push(number),
                None => channels.push(vec![number]),
            }
        }
        channels
    }

    /// Returns the bytes that a node adds to each packet that it originates: `station_overhead` of a wireless station, 0 for any other
    /// node.
    pub fn station_overhead(&self, node: usize) -> u32 {
        let wlans = self.wlans.iter().filter(|wlan| wlan.members[1..].contains(&node));
        wlans.map(|wlan| wlan.stack.station_overhead).sum()
    }
}

/// A host, a router, a station or an access point.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Name of the node, unique in the scenario.
    pub name: String,
}

/// A wired link between two nodes; each direction has its own rate, delay and queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the node at one end.
    pub a: usize,
    /// Index of the node at the other end.
    pub b: usize,
    /// The direction from `a` to `b`.
    pub forward: LinkConfig,
    /// The direction from `b` to `a`.
    pub backward: LinkConfig,
}

impl Link {
    /// Returns the direction from `b` to `a` if `reverse` is true, or else the one from `a` to `b`.
    pub fn direction(&self, reverse: bool) -> &LinkConfig {
        if reverse { &self.backward } else { &self.forward }
    }
}

/// A wireless network.
#[derive(Clone, Debug, PartialEq)]
pub struct Wlan {
    /// Name of the network, unique in the scenario.
    pub name: String,
    /// Indices of the network's nodes, in the order of `bss.stations`; the first is the access point.
    pub members: Vec<usize>,
    /// The channel whose air the network shares with others on the same channel; `None`: it has the air for itself.
    pub channel: Option<String>,
    /// The stations, and how they send.
    pub bss: BssConfig,
    /// The network stacks of the network's hosts.
    pub stack: StackSettings,
    /// The policer of packets that arrive at the access point over the air and go on by wire.
    pub policer: Option<PolicerConfig>,
    /// Lossless rate control: rewrites the receive window of acknowledgements that pass the access point.
    pub window_control: Option<WindowControlConfig>,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name of the flow, unique in the scenario.
    pub name: String,
    /// Index of the sending node.
    pub source: usize,
    /// Index of the receiving node.
    pub sink: usize,
    /// Protocol of the flow.
    pub transport: Transport,
    /// When the flow sends, and how much.
    pub traffic: Traffic,
    /// The access category of the flow's packets in networks with EDCA; `None`: the sending station's.
    pub access_category: Option<AccessCategory>,
    /// The Differentiated Services code point of the flow's packets.
    pub dscp: Option<Dscp>,
    /// The direction in which the flow crosses the air.
    pub direction: Direction,
    /// The hops from source to sink, in order.
    pub forward: Vec<HopRef>,
    /// The hops from sink to source, in order: `forward` walked backwards.
    pub backward: Vec<HopRef>,
}

impl Flow {
    /// Whether the flow goes over UDP, which retransmits nothing.
    pub fn is_udp(&self) -> bool {
        matches!(self.transport, Transport::Udp { .. })
    }

    /// Returns the payload in bytes of the datagram with which the sink answers each one that it gets; `None` if it does not answer
    /// datagrams.
    pub fn answer_bytes(&self) -> Option<u32> {
        match self.traffic {
            Traffic::RequestResponse { response_bytes, .. } => Some(response_bytes),
            Traffic::Game { state_bytes, .. } => Some(state_bytes),
            _ => None,
        }
    }
}

words! {
    /// The direction in which a flow crosses the air.
    pub enum Direction {
        /// The source is a wireless station (not an access point), and the sink is not.
        Up = "up",
        /// The sink is a wireless station (not an access point), and the source is not.
        Down = "down",
        /// From station to station, or over wires alone.
        Other = "other",
    }
}

/// One hop of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopRef {
    /// Over a wired link.
    Link {
        /// Index into [`Scenario::links`].
        link: usize,
        /// Whether the hop is from `b` to `a` of the link.
        reverse: bool,
    },
    /// Over the air. One end is always the access point: a path from station to station has two such hops.
    Wlan {
        /// Index into [`Scenario::wlans`].
        wlan: usize,
        /// Index into the WLAN's `members` and `bss.stations`.
        from: usize,
        /// Index into the WLAN's `members` and `bss.stations`.
        to: usize,
    },
}

/// A flow's protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// A TCP connection (or one for each session).
    Tcp {
        /// Both endpoints' settings, shared by the flows that have the same.
        settings: Arc<airfair_tcp::Settings>,
        /// Whether sessions share one connection.
        connection: Connection,
    },
    /// Datagrams at a constant rate.
    Udp {
        /// Payload of one datagram.
        datagram_bytes: u32,
        /// Bytes of headers of each datagram on the wire.
        header_bytes: u32,
        /// Whether the ECN field of the datagrams says ECT(1).
        ect1: bool,
        /// Payload rate.
        rate: Rate,
    },
}

words! {
    /// Whether sessions share one connection.
    pub enum Connection {
        /// One long-lived connection (the paper).
        Reuse = "reuse",
        /// A new connection for every session, all state new.
        Fresh = "fresh",
        /// One connection whose congestion window and slow-start threshold are set anew before each session, while
        /// RTT and RTO stay, as in the ns-2 reference runs with `fresh=1`.
        Renewed = "renewed",
        /// One connection, on which each session waits until the one before is acknowledged: requests of HTTP/1.1 without
        /// pipelining.
        InTurn = "in-turn",
    }
}

/// Most bytes of a datagram: the payload of the longest IPv4 packet behind an IP and a UDP header.
pub(crate) const MOST_DATAGRAM: f64 = 65_507.0;
/// Most header bytes that a file may add to a packet: the length of the longest IPv4 packet.
const MOST_ADDED: f64 = 65_535.0;

settings! {
    /// Settings of a UDP flow beside its rate.
    #[derive(Clone, Copy, Debug)]
    pub struct UdpSettings[usual] {
        /// Payload of a datagram; the default fills an Ethernet frame.
        "datagram_bytes" datagram_bytes: u32, Kind::Bytes(Range::between(1.0, MOST_DATAGRAM)), [1472];
        /// UDP and IP header bytes of a datagram; ns-2 adds none.
        "header_bytes" header_bytes: u32, Kind::Bytes(Range::between(0.0, MOST_ADDED)), [28];
        /// Datagrams say ECT(1), which asks for low latency (L4S, RFC 9331); they may be marked, and the sender does not learn of it.
        "ect1" ect1: bool, Kind::Flag, [false];
    }
}

settings! {
    /// The network stacks of a WLAN's hosts.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StackSettings[usual] {
        /// Time between the interface queue and the layer above it, each way; ns-2's link layer takes 25 us.
        "host_delay" host_delay: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// Bytes that a station's network layer adds to each packet it originates, TCP and IP headers aside. ns-2's wireless
        /// routing adds another IP header, 20 bytes; the access point adds none.
        "station_overhead" station_overhead: u32, Kind::Bytes(Range::between(0.0, MOST_ADDED)), [0];
    }
}

/// Bitrates in kb/s at which a segment of video can be had, the lowest first: Netflix's fixed ladder (Aaron et al., "Per-title encode
/// optimization", Netflix Technology Blog, 2015), and above it that for 4K (Mavlankar et al., "Optimized shot-based encodes for 4K", the
/// same, 2020).
pub const LADDER: [u64; 14] =
    [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800, 8000, 10_000, 12_000, 16_000];

/// When a flow sends, and how much.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// One unbounded session, from a start drawn uniformly from `start..=start + spread`.
    Persistent {
        /// Earliest start.
        start: Span,
        /// Width of the interval that the start is drawn from.
        spread: Span,
        /// Time at which the flow stops writing; `None`: never.
        stop: Option<Span>,
    },
    /// Sessions of `bytes` each.
    Intermittent {
        /// Earliest start of the first session.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Length of a session.
        bytes: u64,
        /// Time from one session's start to the next one's.
        gap: Gap,
    },
    /// One direction of a telephone call: a session for each frame of speech.
    Voice {
        /// Earliest start of the first frame.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// How speech is coded.
        codec: VoiceCodec,
        /// The length of the receiver's de-jitter buffer; `None`: it adapts.
        playout_delay: Option<Span>,
    },
    /// Pages that a browser loads, of which this flow is one connection: a session for each object on it.
    Web {
        /// Earliest start of the first page.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Time from one page's start to the next one's.
        gap: Gap,
        /// The pages, and this connection's part in them.
        page: Page,
    },
    /// Video that a player fetches: a session for each segment.
    Video {
        /// Earliest start of the first segment.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Video in a segment.
        segment: Span,
        /// The most video that the player holds.
        buffer: Span,
        /// The highest bitrate that the player asks for, no lower than the first of [`LADDER`].
        bitrate: Rate,
    },
    /// One direction of a video call: a session for each frame, whose size follows from the rate that the network carries.
    VideoCall {
        /// Earliest start of the first frame.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Time from one frame to the next one.
        frame_interval: Span,
        /// The least rate on the wire.
        least: Rate,
        /// The highest rate on the wire, not below the least.
        most: Rate,
    },
    /// Datagrams that the sink answers at once: a session for each request, which the answer acknowledges.
    RequestResponse {
        /// Earliest start of the first request.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Time from one request to the next one, whether or not the earlier one has been answered.
        gap: Gap,
        /// Payload of a request.
        request_bytes: u32,
        /// Payload of an answer.
        response_bytes: u32,
    },
    /// A player's updates to the server of an online game, which answers each with the state of the game: a session for each update.
    Game {
        /// Earliest start of the first update.
        start: Span,
        /// Width of the interval that the first start is drawn from.
        spread: Span,
        /// Time from one update to the next one.
        tick: Span,
        /// Payload of an update.
        update_bytes: u32,
        /// Payload of a state.
        state_bytes: u32,
    },
    /// Sessions of given times and sizes.
    Trace {
        /// Earliest start of the trace.
        start: Span,
        /// Width of the interval that the start is drawn from.
        spread: Span,
        /// Each session's time since the start and its bytes, in the order of time.
        sessions: Arc<[(Span, u64)]>,
    },
}

impl Traffic {
    /// Returns the value of the key `traffic` that declares this traffic.
    pub fn kind(&self) -> TrafficKind {
        match self {
            Traffic::Persistent { .. } => TrafficKind::Persistent,
            Traffic::Intermittent { .. } => TrafficKind::Intermittent,
            Traffic::Voice { .. } => TrafficKind::Voice,
            Traffic::Web { .. } => TrafficKind::Web,
            Traffic::Video { .. } => TrafficKind::Video,
            Traffic::VideoCall { .. } => TrafficKind::VideoCall,
            Traffic::RequestResponse { .. } => TrafficKind::RequestResponse,
            Traffic::Game { .. } => TrafficKind::Game,
            Traffic::Trace { .. } => TrafficKind::Trace,
        }
    }
}

/// The pages that a browser loads, seen from one of its connections.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Name of the flow that is the browser's first connection.
    pub name: String,
    /// Mean size of a page in bytes, all its objects together.
    pub bytes: u64,
    /// Number of objects of a page, at least as many as connections.
    pub objects: u32,
    /// Number of this connection, counted from 0.
    pub connection: u32,
    /// Number of connections that share the objects.
    pub connections: u32,
    /// Number of round trips before the document.
    pub round_trips: u32,
}

impl Page {
    /// Returns the number of sessions of each page on this connection: one that tells the browser to begin, the round trips, the document
    /// (on the other connections a round trip in its place), and the connection's objects.
    pub fn sessions(&self) -> usize {
        let objects = (self.connection..self.objects).step_by(self.connections as usize).len();
        // The first connection counts the document as one of its objects.
        1 + self.round_trips as usize + usize::from(self.connection > 0) + objects
    }
}

/// Time from one session's start to the next one's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    /// All times are equal.
    Fixed(Span),
    /// Uniform on `low..=high`.
    Uniform {
        /// The shortest time.
        low: Span,
        /// The longest time.
        high: Span,
    },
    /// Exponential with this mean.
    Exponential(Span),
}

impl Gap {
    /// Draws a time.
    pub fn draw(self, stream: &mut Stream) -> Span {
        match self {
            Gap::Fixed(span) => span,
            Gap::Uniform { low, high } => Span(low.0 + stream.below(high.0 - low.0 + 1)),
            Gap::Exponential(mean) => Span::from_secs_f64(stream.exponential(mean.as_secs())),
        }
    }
}

/// How a user's fair share S is found: the effective user bandwidth over the number of users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FairShare {
    /// The effective bandwidths in payload bit/s that hold for downloads and for uploads, over `users`. `None`: what a user gets
    /// alone, which is measured before the first run.
    Split {
        /// The bandwidth for flows towards a station.
        down: Option<Rate>,
        /// The bandwidth for flows from a station.
        up: Option<Rate>,
        /// Number of users that share.
        users: u32,
    },
    /// The file gives no fair share: the index is undefined.
    Undefined,
}
