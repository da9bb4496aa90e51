//! Flows.

use airfair_core::schema::{Kind, Range, Settings};
use airfair_core::{Rate, Span, settings, words};
use airfair_wifi::phy::edca::{AccessCategory, Dscp};

use crate::file::Tcp;
use crate::file::declared::table;
use crate::resolved::{MOST_DATAGRAM, UdpSettings, VoiceCodec};
use crate::value::{CountValue, FlagValue, NameValue, RateValue};

words! {
    /// The kind of a flow's traffic.
    pub enum TrafficKind {
        /// Always.
        Persistent = "persistent",
        /// In sessions.
        Intermittent = "intermittent",
        /// One direction of a telephone call.
        Voice = "voice",
        /// Pages that a browser loads.
        Web = "web",
        /// Segments of video that a player fetches.
        Video = "video",
        /// One direction of a video call.
        VideoCall = "video_call",
        /// Requests that the other end answers at once, such as pings.
        RequestResponse = "request_response",
        /// A player of an online game.
        Game = "game",
        /// In sessions of given times and sizes.
        Trace = "trace",
    }
}

words! {
    /// How the times between the starts of sessions are distributed.
    pub enum GapKind {
        /// All times between starts are equal.
        Fixed = "fixed",
        /// The times are distributed uniformly.
        Uniform = "uniform",
        /// The times are distributed exponentially.
        Exponential = "exponential",
    }
}

words! {
    /// How a browser loads a page.
    pub enum Http {
        /// HTTP/1.1: over six connections, with one object after the other on each.
        Http1 = "http1",
        /// HTTP/2: over one connection, all objects at once.
        Http2 = "http2",
    }
}

settings! {
    /// When a flow sends, and how much.
    #[derive(Clone, Copy, Debug)]
    pub struct TrafficKeys[usual] {
        /// `persistent`: one unbounded session; `intermittent`: sessions of `session_bytes`; `voice`: one direction of a telephone
        /// call, over RTP and UDP; `web`: pages of many objects; `video`: segments of video, each fetched after the one before;
        /// `video_call`: one direction of a video call, over RTP and UDP, at the rate that Google Congestion Control finds;
        /// `request_response`: datagrams that the other end answers at once, such as pings; `game`: an online game, from a player to the
        /// server, which answers;
        /// `trace`: sessions at the times and of the sizes that `trace` gives.
        "traffic" traffic: TrafficKind, Kind::Word(TrafficKind::WORDS), [TrafficKind::Persistent];
        /// Earliest start of the (first) session, counted from the start of the run, which includes the warm-up.
        "start" start: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// The (first) start is drawn uniformly from `start` to `start + spread`.
        "spread" spread: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// `persistent` alone: time at which the flow stops writing (never).
        "stop" stop: Option<Span>, Kind::Time(Range::NOT_NEGATIVE), [None];
        /// `intermittent`: length of a session.
        "session_bytes" session_bytes: Option<u64>, Kind::Bytes(Range::at_least(1.0)), [None];
        /// `intermittent`, `web` and `request_response`: time from one start, of a session, a page or a request, to the next one; the
        /// mean if `gap` is `exponential`.
        "period" period: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `intermittent`, `web` and `request_response`: `fixed` (the default) or `exponential`, with `period`; or `uniform`, from
        /// `period_min` to `period_max`, without it.
        "gap" gap: Option<GapKind>, Kind::Word(GapKind::WORDS), [None];
        /// The shortest uniform gap.
        "period_min" period_min: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// The longest uniform gap.
        "period_max" period_max: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `web`: mean size of a page (2.5 MB: HTTP Archive's median for phones in 2025).
        "page_bytes" page_bytes: Option<u64>, Kind::Bytes(Range::at_least(1.0)), [None];
        /// `web`: objects of a page, its document included (66: HTTP Archive's median for phones in 2024). Their sizes are lognormal.
        "objects" objects: Option<u32>, Kind::Count(Range::between(1.0, 10_000.0), "objects"), [None];
        /// `web`: `http2`, one connection with all objects at once (the default), or `http1`, six connections with one object after the
        /// other on each. The further five are flows of their own, with `-1` to `-5` behind the name. This decides how sessions share
        /// connections, not `connection` of `tcp`.
        "http" http: Option<Http>, Kind::Word(Http::WORDS), [None];
        /// `web`: round trips before the document comes (3: the name is looked up, TCP opens a connection, TLS 1.3 secures it). The other
        /// objects are asked for when the document has come.
        "round_trips" round_trips: Option<u32>, Kind::Count(Range::between(0.0, 100.0), "round trips"), [None];
        /// `video`: video in a segment (4 s).
        "segment" segment: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `video`: the most video that a player holds, at least two segments (30 s).
        "buffer" buffer: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `video`: the highest bitrate that a player asks for, at least 235 kb/s, the lowest of the ladder (16 Mb/s, its top). `video_call`: the
        /// highest rate, headers included, at most 100 Mb/s (2.5 Mb/s: WebRTC's for pictures larger than 960 x 540).
        "bitrate" bitrate: Option<Rate>, Kind::Rate, [None];
        /// `video_call`: the least rate, headers included (30 kb/s: WebRTC's).
        "bitrate_min" bitrate_min: Option<Rate>, Kind::Rate, [None];
        /// `video_call`: frames a second (30).
        "frame_rate" frame_rate: Option<u32>, Kind::Count(Range::between(1.0, 1000.0), "frames"), [None];
        /// `request_response`: payload of a request (56 B, as ping has it); 28 bytes of IPv4 and of UDP or ICMP come on top.
        "request_bytes" request_bytes: Option<u32>, Kind::Bytes(Range::between(1.0, MOST_DATAGRAM)), [None];
        /// `request_response`: payload of an answer (`request_bytes`).
        "response_bytes" response_bytes: Option<u32>, Kind::Bytes(Range::between(1.0, MOST_DATAGRAM)), [None];
        /// `game`: the times a second that a player sends an update, and the server answers with the game's state (64).
        "tick_rate" tick_rate: Option<u32>, Kind::Count(Range::between(1.0, 1000.0), "ticks"), [None];
        /// `game`: payload of an update (80 B).
        "update_bytes" update_bytes: Option<u32>, Kind::Bytes(Range::between(1.0, MOST_DATAGRAM)), [None];
        /// `game`: payload of a state (120 B).
        "state_bytes" state_bytes: Option<u32>, Kind::Bytes(Range::between(1.0, MOST_DATAGRAM)), [None];
        /// `voice`: ITU-T G.711, 160 bytes every 20 ms, at a receiver that conceals losses, `g711` (the default), or one that does
        /// not, `g711-plain`; or wideband Opus, `opus`, 40 bytes every 20 ms.
        "codec" codec: Option<VoiceCodec>, Kind::Word(VoiceCodec::WORDS), [None];
        /// `voice`: how long the receiver holds back the frame that came fastest, so that others can be later; those that are later
        /// still are lost (unset: as the buffer of WebRTC adapts).
        "playout_delay" playout_delay: Option<Span>, Kind::Time(Range::NOT_NEGATIVE), [None];
        /// `voice`: whether its packets say ECT(1), which asks for low latency (L4S, RFC 9331); they may be marked, and the sender does not learn of it
        /// (false).
        "ect1" ect1: Option<bool>, Kind::Flag, [None];
    }
}

settings! {
    /// The priority of a flow's packets, in both directions.
    #[derive(Clone, Copy, Debug)]
    pub struct PriorityKeys[usual] {
        /// Access category of the flow's packets in networks with EDCA (by its `dscp`, or else the sending station's).
        "access_category" access_category: Option<AccessCategory>, Kind::Word(AccessCategory::WORDS), [None];
        /// Differentiated Services code point of the flow's packets, from which their access category follows as in RFC 8325, and their tin in `cake`
        /// (none).
        "dscp" dscp: Option<Dscp>, Kind::Word(Dscp::WORDS), [None];
    }
}

table! {
    /// A flow, or a group of them: TCP unless `udp` is there or it is `voice`, `video_call`, `request_response` or `game`.
    pub struct FlowGroup [TrafficKeys::TABLE, PriorityKeys::TABLE] {
        /// Name of the flow, unique in the file; in a group with the index, as in `flow{i}`.
        name: NameValue,
        /// Number of members, with index i = 0, 1, ... (1).
        count: Option<CountValue>,
        /// Members for which this is false are left out.
        when: Option<FlagValue>,
        /// The node that sends.
        from: NameValue,
        /// The node that receives.
        to: NameValue,
        /// TCP settings of the flow, over the file's `[tcp]`.
        tcp: Option<Tcp>,
        /// UDP in place of TCP: the flow sends datagrams at a constant rate.
        udp: Option<Udp>,
        /// `trace` traffic: the flow's sessions, as a file of comma-separated values has them: in each line a time in seconds since the start and a
        /// size in bytes, in the order of time, without names of columns; in place of line ends there may be semicolons. Or the path of such a file,
        /// from the scenario's on: `sessions.csv`.
        trace: Option<String>,
    }
}

table! {
    /// Datagrams at a constant rate.
    pub struct Udp [UdpSettings::TABLE] {
        /// Payload rate.
        rate: RateValue,
    }
}
