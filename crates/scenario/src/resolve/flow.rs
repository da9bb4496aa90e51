//! Flows.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use airfair_core::{Rate, Span};
use airfair_wifi::phy::edca::{AccessCategory, Dscp};

use crate::file::{FlowGroup, GapKind, Http, PriorityKeys, Tcp, TrafficKeys, TrafficKind, Udp};
use crate::problem::{Located, Problem, Result};
use crate::resolve::declared::alone;
use crate::resolve::node::Nodes;
use crate::resolve::tcp::Taken;
use crate::resolve::{declared, group, tcp, trace};
use crate::resolved::{
    Direction, Flow, Gap, LADDER, Page, Traffic, Transport, UdpSettings, VoiceCodec, Wlan,
};
use crate::scope::{Scope, needed};
use crate::units::{self, Dimension};

/// Defaults of keys of traffic. The documentation of each key in `TrafficKeys` states its default, with the source.
mod unset {
    use airfair_core::Span;

    pub const PAGE_BYTES: u64 = 2_500_000;
    pub const OBJECTS: u32 = 66;
    pub const ROUND_TRIPS: u32 = 3;
    pub const SEGMENT: Span = Span::from_secs(4);
    pub const BUFFER: Span = Span::from_secs(30);
    /// Default payload of a request in bytes: 64 bytes with the header of ICMP.
    pub const REQUEST_BYTES: u32 = 56;
    pub const TICK_RATE: u32 = 64;
    /// Rates of a video call in bit/s, and its frames a second: libwebrtc, `GetMaxDefaultVideoBitrateKbps` and `kMinVideoBitrate`.
    pub const CALL_BITRATE: u64 = 2_500_000;
    pub const CALL_BITRATE_MIN: u64 = 30_000;
    pub const FRAME_RATE: u32 = 30;
    // The modes of sizes that Färber found for Counter-Strike ("Network game traffic modelling", NetGames 2002).
    pub const UPDATE_BYTES: u32 = 80;
    pub const STATE_BYTES: u32 = 120;
}

/// The keys that belong to some kinds of traffic alone, and these kinds.
const OWN_KEYS: [(&[TrafficKind], &[&str]); 10] = [
    (&[TrafficKind::Persistent], &["stop"]),
    (&[TrafficKind::Intermittent], &["session_bytes"]),
    (
        &[TrafficKind::Intermittent, TrafficKind::Web, TrafficKind::RequestResponse],
        &["period", "gap", "period_min", "period_max"],
    ),
    (&[TrafficKind::Voice], &["codec", "playout_delay", "ect1"]),
    (&[TrafficKind::Web], &["page_bytes", "objects", "http", "round_trips"]),
    (&[TrafficKind::Video], &["segment", "buffer"]),
    (&[TrafficKind::Video, TrafficKind::VideoCall], &["bitrate"]),
    (&[TrafficKind::VideoCall], &["bitrate_min", "frame_rate"]),
    (&[TrafficKind::RequestResponse], &["request_bytes", "response_bytes"]),
    (&[TrafficKind::Game], &["tick_rate", "update_bytes", "state_bytes"]),
];

/// Kinds of traffic as the owners of keys, in messages: "`web` and `video` traffic".
struct Owner<'a>(&'a [TrafficKind]);

impl Display for Owner<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (place, kind) in self.0.iter().enumerate() {
            f.write_str(match place {
                0 => "",
                _ if place + 1 == self.0.len() => " and ",
                _ => ", ",
            })?;
            write!(f, "`{}`", kind.word())?;
        }
        f.write_str(" traffic")
    }
}

/// Number of connections that a browser opens to a server, as most browsers do over HTTP/1.1.
const CONNECTIONS: u32 = 6;

/// The flows of a file, resolved.
pub struct Resolved {
    /// All flows, in the order of declaration; their paths are still empty.
    pub flows: Vec<Flow>,
    /// For each flow the index of the group that it came from.
    pub groups: Vec<usize>,
    /// The keys of the file's `[tcp]` that some flow takes.
    pub taken: Taken,
}

/// Resolves all flows.
pub fn resolve(
    groups: &[FlowGroup],
    defaults: &Tcp,
    scope: &Scope,
    nodes: &Nodes,
    wlans: &[Wlan],
) -> Result<Resolved> {
    let stations: BTreeSet<usize> = wlans.iter().flat_map(|wlan| wlan.members[1..].iter().copied()).collect();
    let on_air: BTreeSet<usize> = wlans.iter().flat_map(|wlan| wlan.members.iter().copied()).collect();
    let mut flows: Vec<Flow> = Vec::new();
    let mut origins = Vec::new();
    let mut taken = Taken::default();
    let mut names = BTreeSet::new();
    for (number, raw) in groups.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let mut flow = one(raw, defaults, scope, nodes, &stations, &mut taken)?;
            if !on_air.contains(&flow.sink) {
                take_one_by_one(&mut flow.transport);
            }
            if let Some(last) = flows.last() {
                share_settings(&last.transport, &mut flow.transport);
            }
            for flow in connections(flow) {
                if !names.insert(flow.name.clone()) {
                    let hint = "names are unique; in a group write the index into them, as in `flow{i}`";
                    return Err(
                        Problem::new(format!("there is a flow `{}` already: {hint}", flow.name)).at("name")
                    );
                }
                flows.push(flow);
                origins.push(number);
            }
            group::not_too_many(flows.len(), "flows")
        })
        .at_entry("flow", number)?;
    }
    if flows.is_empty() {
        return Err(Problem::new("there is no flow: nothing would happen").at("flow"));
    }
    Ok(Resolved { flows, groups: origins, taken })
}

fn one(
    raw: &FlowGroup,
    defaults: &Tcp,
    scope: &Scope,
    nodes: &Nodes,
    stations: &BTreeSet<usize>,
    taken: &mut Taken,
) -> Result<Flow> {
    let source = nodes.find(scope, &raw.from, "from")?;
    let sink = nodes.find(scope, &raw.to, "to")?;
    if source == sink {
        return Err(Problem::new(format!("`{}` cannot send to itself", nodes.name(sink))).at("to"));
    }
    let name = scope.required(&raw.name, "name")?;
    let keys: TrafficKeys = declared::settings(&raw.given, scope)?;
    let traffic = traffic(&keys, &name, raw.trace.as_deref())?;
    let transport = match (&raw.tcp, &raw.udp, &traffic) {
        (_, Some(_), Traffic::Web { .. } | Traffic::Video { .. }) => {
            return Err(Problem::new("`web` and `video` go over TCP").at("udp"));
        }
        (None, None, Traffic::Voice { codec, .. }) => codec.transport(keys.ect1 == Some(true)),
        (None, None, &Traffic::VideoCall { most, .. }) => media(most),
        (None, None, &Traffic::RequestResponse { request_bytes: bytes, .. })
        | (None, None, &Traffic::Game { update_bytes: bytes, .. }) => requests(bytes),
        (
            tcp,
            _,
            Traffic::Voice { .. }
            | Traffic::VideoCall { .. }
            | Traffic::RequestResponse { .. }
            | Traffic::Game { .. },
        ) => {
            let problem = Problem::new(match traffic {
                Traffic::Voice { .. } => "the packets of `voice` follow from its codec",
                Traffic::VideoCall { .. } => {
                    "`video_call` goes over RTP and UDP: its packets follow from the rate that Google Congestion Control finds"
                }
                _ => "the datagrams of `request_response` and `game` follow from their sizes",
            });
            return Err(problem.at(if tcp.is_some() { "tcp" } else { "udp" }));
        }
        (Some(_), Some(_), _) => return Err(Problem::new("a flow is either TCP or UDP, not both").at("udp")),
        (None, Some(udp), _) => resolve_udp(udp, scope).at("udp")?,
        (own, None, _) => {
            let pages = match &traffic {
                Traffic::Web { page, .. } => Some(page),
                _ => None,
            };
            let (settings, connection) = tcp::resolve(own.as_ref(), defaults, scope, pages, taken)?;
            Transport::Tcp { settings: Arc::new(settings), connection }
        }
    };
    let priority: PriorityKeys = declared::settings(&raw.given, scope)?;
    Ok(Flow {
        name,
        source,
        sink,
        transport,
        traffic,
        access_category: access_category(&priority)?,
        dscp: priority.dscp,
        direction: match (stations.contains(&source), stations.contains(&sink)) {
            (true, false) => Direction::Up,
            (false, true) => Direction::Down,
            _ => Direction::Other,
        },
        forward: Vec::new(),
        backward: Vec::new(),
    })
}

fn access_category(keys: &PriorityKeys) -> Result<Option<AccessCategory>> {
    match (keys.access_category, keys.dscp) {
        (Some(_), Some(_)) => {
            Err(Problem::new("the access category follows from `dscp` or is set, not both")
                .at("access_category"))
        }
        (category, dscp) => Ok(category.or(dscp.map(Dscp::access_category))),
    }
}

/// Turns GRO off for a receiver that does not wait for segments: a wire delivers one packet after the other,
/// so it would join none.
fn take_one_by_one(transport: &mut Transport) {
    if let Transport::Tcp { settings, .. } = transport
        && settings.gro
        && settings.gro_wait == Span::ZERO
    {
        Arc::make_mut(settings).gro = false;
    }
}

/// Members of a group mostly have the same settings: this lets them share one copy.
fn share_settings(last: &Transport, next: &mut Transport) {
    if let (Transport::Tcp { settings: known, .. }, Transport::Tcp { settings, .. }) = (last, next)
        && known == settings
    {
        *settings = Arc::clone(known);
    }
}

fn resolve_udp(raw: &Udp, scope: &Scope) -> Result<Transport> {
    let UdpSettings { datagram_bytes, header_bytes, ect1 } = declared::settings(&raw.given, scope)?;
    Ok(Transport::Udp { datagram_bytes, header_bytes, ect1, rate: scope.required(&raw.rate, "rate")? })
}

/// Returns the transport that sends each request at once, as one datagram. Its rate of one datagram in a
/// nanosecond is the most that the clock allows.
fn requests(bytes: u32) -> Transport {
    /// Bytes of the headers of IPv4, and of UDP or ICMP.
    const HEADER_BYTES: u32 = 20 + 8;
    let rate = Rate::new(u64::from(bytes) * 8 * 1_000_000_000).expect("a request has a byte");
    Transport::Udp { datagram_bytes: bytes, header_bytes: HEADER_BYTES, ect1: false, rate }
}

/// Returns the transport of a video call with this highest rate: the packets of WebRTC, at most 1200 bytes of RTP with a header of 12 bytes (RFC 3550,
/// section 5.1) and an extension of 8 for their transport-wide number (RFC 8285, section 4.2), in SRTP with a tag of 10 (RFC 3711, section 4.2), UDP
/// and IPv4.
fn media(most: Rate) -> Transport {
    const RTP_BYTES: u32 = 12 + 8;
    const HEADER_BYTES: u32 = RTP_BYTES + 10 + 8 + 20;
    Transport::Udp { datagram_bytes: 1200 - RTP_BYTES, header_bytes: HEADER_BYTES, ect1: false, rate: most }
}

/// Returns one flow for each of a browser's connections; any other flow as it is.
fn connections(flow: Flow) -> Vec<Flow> {
    let Traffic::Web { page: Page { connections, .. }, .. } = flow.traffic else { return vec![flow] };
    let mut flows = vec![flow; connections as usize];
    for (number, flow) in flows.iter_mut().enumerate().skip(1) {
        flow.name = format!("{}-{number}", flow.name);
        if let Traffic::Web { page, .. } = &mut flow.traffic {
            page.connection = number as u32;
        }
    }
    flows
}

fn traffic(keys: &TrafficKeys, name: &str, trace: Option<&str>) -> Result<Traffic> {
    if trace.is_some() && keys.traffic != TrafficKind::Trace {
        return Err(Problem::new("only `trace` traffic has it").at("trace"));
    }
    for (kinds, own) in OWN_KEYS {
        if !kinds.contains(&keys.traffic) {
            alone(keys, own, Owner(kinds))?;
        }
    }
    let &TrafficKeys { start, spread, stop, .. } = keys;
    match keys.traffic {
        TrafficKind::Persistent if stop.is_some_and(|stop| stop < start + spread) => {
            Err(Problem::new("it may stop before it starts").at("stop"))
        }
        TrafficKind::Persistent => Ok(Traffic::Persistent { start, spread, stop }),
        TrafficKind::Intermittent => {
            let bytes = needed(keys.session_bytes, "session_bytes", Owner(&[keys.traffic]))?;
            Ok(Traffic::Intermittent { start, spread, bytes, gap: gap(keys)? })
        }
        TrafficKind::Voice => Ok(Traffic::Voice {
            start,
            spread,
            codec: keys.codec.unwrap_or(VoiceCodec::G711),
            playout_delay: keys.playout_delay,
        }),
        TrafficKind::Web => web(keys, name),
        TrafficKind::Video => video(keys),
        TrafficKind::VideoCall => video_call(keys),
        TrafficKind::RequestResponse => {
            let request_bytes = keys.request_bytes.unwrap_or(unset::REQUEST_BYTES);
            let response_bytes = keys.response_bytes.unwrap_or(request_bytes);
            Ok(Traffic::RequestResponse { start, spread, gap: gap(keys)?, request_bytes, response_bytes })
        }
        TrafficKind::Trace => {
            let sessions = trace::sizes(needed(trace, "trace", Owner(&[keys.traffic]))?).at("trace")?;
            Ok(Traffic::Trace { start, spread, sessions: sessions.into() })
        }
        TrafficKind::Game => Ok(Traffic::Game {
            start,
            spread,
            tick: Span::from_secs(1) / u64::from(keys.tick_rate.unwrap_or(unset::TICK_RATE)),
            update_bytes: keys.update_bytes.unwrap_or(unset::UPDATE_BYTES),
            state_bytes: keys.state_bytes.unwrap_or(unset::STATE_BYTES),
        }),
    }
}

fn web(keys: &TrafficKeys, name: &str) -> Result<Traffic> {
    let &TrafficKeys { start, spread, .. } = keys;
    let objects = keys.objects.unwrap_or(unset::OBJECTS);
    let most = match keys.http.unwrap_or(Http::Http2) {
        Http::Http1 => CONNECTIONS,
        Http::Http2 => 1,
    };
    let page = Page {
        name: name.to_owned(),
        bytes: keys.page_bytes.unwrap_or(unset::PAGE_BYTES),
        objects,
        connection: 0,
        connections: most.min(objects),
        round_trips: keys.round_trips.unwrap_or(unset::ROUND_TRIPS),
    };
    Ok(Traffic::Web { start, spread, gap: gap(keys)?, page })
}

fn video(keys: &TrafficKeys) -> Result<Traffic> {
    let &TrafficKeys { start, spread, .. } = keys;
    let segment = keys.segment.unwrap_or(unset::SEGMENT);
    let buffer = keys.buffer.unwrap_or(unset::BUFFER);
    if buffer < Span(segment.0.saturating_mul(2)) {
        let [held, one] = [buffer, segment].map(|span| units::display(span.as_secs(), Dimension::Time));
        let what = format!("a player holds at least two segments: `buffer` is {held} and `segment` {one}");
        return Err(Problem::new(what).at(if keys.buffer.is_some() { "buffer" } else { "segment" }));
    }
    let [lowest, .., highest] = LADDER.map(|kilobits| kilobits * 1000);
    let bitrate = keys.bitrate.unwrap_or(Rate::new(highest).expect("above zero"));
    if bitrate.bits_per_second() < lowest {
        let [asked, lowest] =
            [bitrate.bits_per_second(), lowest].map(|rate| units::display(rate as f64, Dimension::Rate));
        let what = format!("a player has no bitrate of {asked} or less: the lowest is {lowest}");
        return Err(Problem::new(what).at("bitrate"));
    }
    Ok(Traffic::Video { start, spread, segment, buffer, bitrate })
}

fn video_call(keys: &TrafficKeys) -> Result<Traffic> {
    /// Beyond this a frame has more packets than a run can hold.
    const MOST: u64 = 100_000_000;
    let &TrafficKeys { start, spread, .. } = keys;
    let usual = |bits: u64| Rate::new(bits).expect("above zero");
    let least = keys.bitrate_min.unwrap_or(usual(unset::CALL_BITRATE_MIN));
    let most = keys.bitrate.unwrap_or(usual(unset::CALL_BITRATE));
    let told = |rate: Rate| units::display(rate.bits_per_second() as f64, Dimension::Rate);
    if most > usual(MOST) {
        let what = format!("a video call has at most {}, not {}", told(usual(MOST)), told(most));
        return Err(Problem::new(what).at("bitrate"));
    }
    if most < least {
        let what = format!("`bitrate`, {}, is below `bitrate_min`, {}", told(most), told(least));
        return Err(Problem::new(what).at(if keys.bitrate.is_some() { "bitrate" } else { "bitrate_min" }));
    }
    let frame_interval = Span::from_secs(1) / u64::from(keys.frame_rate.unwrap_or(unset::FRAME_RATE));
    Ok(Traffic::VideoCall { start, spread, frame_interval, least, most })
}

fn gap(keys: &TrafficKeys) -> Result<Gap> {
    let kind = keys.gap.unwrap_or(GapKind::Fixed);
    if kind == GapKind::Uniform {
        alone(keys, &["period"], "`fixed` and `exponential` gaps")?;
        let low = needed(keys.period_min, "period_min", Owner(&[keys.traffic]))?;
        let high = needed(keys.period_max, "period_max", Owner(&[keys.traffic]))?;
        if high < low {
            return Err(Problem::new("it is below `period_min`").at("period_max"));
        }
        return Ok(Gap::Uniform { low, high });
    }
    alone(keys, &["period_min", "period_max"], "`uniform` gaps")?;
    let period = needed(keys.period, "period", Owner(&[keys.traffic]))?;
    Ok(if kind == GapKind::Fixed { Gap::Fixed(period) } else { Gap::Exponential(period) })
}

#[cfg(test)]
mod tests {
    use super::{Owner, traffic, unset};
    use crate::file::{TrafficKeys, TrafficKind};
    use crate::resolved::LADDER;
    use crate::units::{Dimension, display};
    use airfair_core::Span;
    use airfair_core::schema::Settings;

    #[test]
    fn traffic_is_of_the_kind_that_the_file_names() {
        for kind in TrafficKind::ALL {
            let mut keys = TrafficKeys { traffic: kind, ..TrafficKeys::column(0) };
            match kind {
                TrafficKind::Intermittent => (keys.session_bytes, keys.period) = (Some(1), Some(Span(1))),
                TrafficKind::Web | TrafficKind::RequestResponse => keys.period = Some(Span(1)),
                _ => {}
            }
            let trace = (kind == TrafficKind::Trace).then_some("0,1");
            let resolved =
                traffic(&keys, "f", trace).unwrap_or_else(|problem| panic!("{kind:?}: {problem:?}"));
            assert_eq!(resolved.kind(), kind);
        }
    }

    #[test]
    fn kinds_of_traffic_are_listed_as_people_list_them() {
        let kinds = [TrafficKind::Intermittent, TrafficKind::Web, TrafficKind::RequestResponse];
        for (number, listed) in [
            (1, "`intermittent` traffic"),
            (2, "`intermittent` and `web` traffic"),
            (3, "`intermittent`, `web` and `request_response` traffic"),
        ] {
            assert_eq!(Owner(&kinds[..number]).to_string(), listed);
        }
    }

    #[test]
    fn the_rows_tell_what_is_not_set() {
        let count = |number: u32| number.to_string();
        let bytes = |number: u64| display(number as f64, Dimension::Size);
        let rate = |kilobits: u64| display(kilobits as f64 * 1000.0, Dimension::Rate);
        let [lowest, .., highest] = LADDER;
        for (key, value) in [
            ("page_bytes", bytes(unset::PAGE_BYTES)),
            ("objects", count(unset::OBJECTS)),
            ("round_trips", count(unset::ROUND_TRIPS)),
            ("segment", display(unset::SEGMENT.as_secs(), Dimension::Time)),
            ("buffer", display(unset::BUFFER.as_secs(), Dimension::Time)),
            ("bitrate", rate(highest)),
            ("request_bytes", bytes(unset::REQUEST_BYTES.into())),
            ("tick_rate", count(unset::TICK_RATE)),
            ("frame_rate", count(unset::FRAME_RATE)),
            ("bitrate_min", rate(unset::CALL_BITRATE_MIN / 1000)),
            ("update_bytes", bytes(unset::UPDATE_BYTES.into())),
            ("state_bytes", bytes(unset::STATE_BYTES.into())),
        ] {
            let row = TrafficKeys::TABLE.iter().find(|row| row.key == key).expect("a row");
            assert!(row.help.contains(&format!("({value}")), "{key}: {value}: {}", row.help);
        }
        let bitrate = TrafficKeys::TABLE.iter().find(|row| row.key == "bitrate").expect("a row");
        assert!(bitrate.help.contains(&format!("at least {}", rate(lowest))), "{}", bitrate.help);
    }
}
