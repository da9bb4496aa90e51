//! Flows.

use schemars::JsonSchema;
use serde::Deserialize;

use airfair_core::schema::Settings;

use crate::file::Tcp;
use crate::file::declared::table;
use crate::resolved::UdpSettings;
use crate::value::{CountValue, FlagValue, NameValue, RateValue, SizeValue, TimeValue, WordValue};

/// A flow, or a group of them: TCP unless `udp` is there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowGroup {
    /// Unique in the file; in a group with the index, as in `flow{i}`.
    pub name: NameValue,
    /// Number of members, with index i = 0, 1, ... (1).
    pub count: Option<CountValue>,
    /// Members for which this is false are left out.
    pub when: Option<FlagValue>,
    /// The node that sends.
    pub from: NameValue,
    /// The node that receives.
    pub to: NameValue,
    /// Its TCP settings, over the file's `[tcp]`.
    pub tcp: Option<Tcp>,
    /// It sends datagrams at a constant rate, and is not TCP.
    pub udp: Option<Udp>,
    /// `persistent` (one unbounded session; the default) or `intermittent` (sessions of `session_bytes`).
    pub traffic: Option<WordValue>,
    /// Earliest start of the (first) session, counted from the start of the run, warm-up included (0 s).
    pub start: Option<TimeValue>,
    /// The (first) start is drawn uniformly from `start` to `start + spread` (0 s).
    pub spread: Option<TimeValue>,
    /// `persistent` alone: when it stops writing (never).
    pub stop: Option<TimeValue>,
    /// `intermittent`: length of a session.
    #[schemars(extend("minimum" = 1))]
    pub session_bytes: Option<SizeValue>,
    /// `intermittent`: time from one session's start to the next one's; the mean if `gap` is `exponential`.
    pub period: Option<TimeValue>,
    /// `intermittent`: `fixed` (the default), `uniform` (from `period_min` to `period_max`) or `exponential`.
    pub gap: Option<WordValue>,
    /// The shortest uniform gap.
    pub period_min: Option<TimeValue>,
    /// The longest uniform gap.
    pub period_max: Option<TimeValue>,
}

table! {
    /// Datagrams at a constant rate.
    pub struct Udp [UdpSettings::TABLE] {
        /// Payload rate.
        rate: RateValue,
    }
}
