//! Flows.

use airfair_core::schema::{Kind, Range, Settings};
use airfair_core::{Span, settings, words};
use airfair_wifi::phy::edca::{AccessCategory, Dscp};

use crate::file::Tcp;
use crate::file::declared::table;
use crate::resolved::{UdpSettings, VoiceCodec};
use crate::value::{CountValue, FlagValue, NameValue, RateValue};

words! {
    /// How long a flow sends.
    pub enum TrafficKind {
        /// Always.
        Persistent = "persistent",
        /// In sessions.
        Intermittent = "intermittent",
        /// One direction of a telephone call.
        Voice = "voice",
    }
}

words! {
    /// How the times between the starts of sessions are distributed.
    pub enum GapKind {
        /// They are all the same.
        Fixed = "fixed",
        /// Uniformly.
        Uniform = "uniform",
        /// Exponentially.
        Exponential = "exponential",
    }
}

settings! {
    /// When a flow sends, and how much.
    #[derive(Clone, Copy, Debug)]
    pub struct TrafficKeys[usual] {
        /// `persistent`: one unbounded session; `intermittent`: sessions of `session_bytes`; `voice`: one direction of a telephone
        /// call, over RTP and UDP.
        "traffic" traffic: TrafficKind, Kind::Word(TrafficKind::WORDS), [TrafficKind::Persistent];
        /// Earliest start of the (first) session, counted from the start of the run, warm-up included.
        "start" start: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// The (first) start is drawn uniformly from `start` to `start + spread`.
        "spread" spread: Span, Kind::Time(Range::NOT_NEGATIVE), [Span::ZERO];
        /// `persistent` alone: when it stops writing (never).
        "stop" stop: Option<Span>, Kind::Time(Range::NOT_NEGATIVE), [None];
        /// `intermittent`: length of a session.
        "session_bytes" session_bytes: Option<u64>, Kind::Bytes(Range::at_least(1.0)), [None];
        /// `intermittent`: time from one session's start to the next one's; the mean if `gap` is `exponential`.
        "period" period: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `intermittent`: `fixed` (the default), `uniform` (from `period_min` to `period_max`) or `exponential`.
        "gap" gap: Option<GapKind>, Kind::Word(GapKind::WORDS), [None];
        /// The shortest uniform gap.
        "period_min" period_min: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// The longest uniform gap.
        "period_max" period_max: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `voice`: ITU-T G.711, 160 bytes every 20 ms, at a receiver that conceals losses, `g711` (the default), or one that does
        /// not, `g711-plain`.
        "codec" codec: Option<VoiceCodec>, Kind::Word(VoiceCodec::WORDS), [None];
        /// `voice`: how long the receiver holds back the frame that came fastest, so that others can be later (60 ms); those that
        /// are later still are lost.
        "playout_delay" playout_delay: Option<Span>, Kind::Time(Range::NOT_NEGATIVE), [None];
    }
}

settings! {
    /// The priority of a flow's packets, in both directions.
    #[derive(Clone, Copy, Debug)]
    pub struct PriorityKeys[usual] {
        /// Its access category in networks with EDCA (by its `dscp`, or else the sending station's).
        "access_category" access_category: Option<AccessCategory>, Kind::Word(AccessCategory::WORDS), [None];
        /// Its Differentiated Services code point, from which its access category follows as in RFC 8325, and its tin in `cake` (none).
        "dscp" dscp: Option<Dscp>, Kind::Word(Dscp::WORDS), [None];
    }
}

table! {
    /// A flow, or a group of them: TCP unless `udp` is there or it is `voice`.
    pub struct FlowGroup [TrafficKeys::TABLE, PriorityKeys::TABLE] {
        /// Unique in the file; in a group with the index, as in `flow{i}`.
        name: NameValue,
        /// Number of members, with index i = 0, 1, ... (1).
        count: Option<CountValue>,
        /// Members for which this is false are left out.
        when: Option<FlagValue>,
        /// The node that sends.
        from: NameValue,
        /// The node that receives.
        to: NameValue,
        /// Its TCP settings, over the file's `[tcp]`.
        tcp: Option<Tcp>,
        /// It sends datagrams at a constant rate, and is not TCP.
        udp: Option<Udp>,
    }
}

table! {
    /// Datagrams at a constant rate.
    pub struct Udp [UdpSettings::TABLE] {
        /// Payload rate.
        rate: RateValue,
    }
}
