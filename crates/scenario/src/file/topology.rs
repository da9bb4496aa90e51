//! Nodes and wireless networks.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::{Discipline, FrameLoss};
use crate::value::{
    CountValue, FlagValue, FractionValue, NameValue, QueueValue, RateValue, SizeValue, TimeValue, WordValue,
};

/// A wired host or router, or a group of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeGroup {
    /// Unique in the file; in a group with the index, as in `host{i}`.
    pub name: NameValue,
    /// Number of members, with index i = 0, 1, ... (1).
    pub count: Option<CountValue>,
    /// Members for which this is false are left out.
    pub when: Option<FlagValue>,
}

/// A wireless network: an access point and its stations, in range of each other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wlan {
    /// Unique among WLANs.
    pub name: NameValue,
    /// The name of its access point, a node of its own.
    pub ap: NameValue,
    /// Left out, access point and stations alike, where this is false.
    pub when: Option<FlagValue>,
    /// The standard, or `ns2` for ns-2's numbers.
    pub phy: WordValue,
    /// Rate of data frames (the standard's highest).
    pub data_rate: Option<RateValue>,
    /// Rate of RTS, CTS and ACK frames (the standard's usual one).
    pub basic_rate: Option<RateValue>,
    /// `ns2` alone: rate at which the PLCP header is sent (1 Mb/s).
    pub plcp_rate: Option<RateValue>,
    /// `ns2` alone: bits of the preamble (144).
    pub preamble_bits: Option<CountValue>,
    /// `ns2` alone: bits of the PLCP header (48).
    pub plcp_header_bits: Option<CountValue>,
    /// Smallest contention window, in slots (the standard's).
    pub cw_min: Option<CountValue>,
    /// Largest contention window, in slots (the standard's).
    pub cw_max: Option<CountValue>,
    /// MSDUs of at least this size are preceded by RTS/CTS (none are).
    pub rts_threshold: Option<SizeValue>,
    /// Attempts of a short frame or an RTS (7).
    pub short_retry_limit: Option<CountValue>,
    /// Attempts of a data frame longer than the RTS threshold (4).
    pub long_retry_limit: Option<CountValue>,
    /// The chance that one of several colliding frames is decoded (0).
    pub capture: Option<FractionValue>,
    /// The limit of a station's queue, the frame in service included: frames or bytes (50 frames).
    #[schemars(extend("minimum" = 1))]
    pub queue: Option<QueueValue>,
    /// The limit of the access point's queue (as `queue`).
    #[schemars(extend("minimum" = 1))]
    pub ap_queue: Option<QueueValue>,
    /// The order in which the access point's queue is served, and which packets are dropped or marked (drop-tail).
    pub ap_discipline: Option<Discipline>,
    /// Polices packets that arrive at the access point over the air for the wire (none).
    #[serde(alias = "limiter")]
    pub policer: Option<Policer>,
    /// Windows that the access point writes into passing acknowledgements (none).
    pub window_control: Option<WindowControl>,
    /// Rate of the access point's data frames to stations that do not say otherwise (each station's own `data_rate`).
    pub ap_data_rate: Option<RateValue>,
    /// Time between the interface queue and the layer above it, each way (none; ns-2's link layer takes 25 us).
    pub host_delay: Option<TimeValue>,
    /// Bytes that a station's network layer adds to each packet it originates (none; ns-2's wireless routing adds
    /// another IP header).
    pub station_overhead: Option<SizeValue>,
    /// Frames lost at random between the access point and each station that does not say otherwise (none).
    #[serde(alias = "frame_errors")]
    pub loss: Option<FrameLoss>,
    /// Its stations.
    #[serde(default)]
    pub station: Vec<StationGroup>,
}

/// A station, or a group of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationGroup {
    /// Unique in the file; in a group with the index, as in `sta{i}`.
    pub name: NameValue,
    /// Number of members, with index i = 0, 1, ... (1).
    pub count: Option<CountValue>,
    /// Members for which this is false are left out.
    pub when: Option<FlagValue>,
    /// Rate of its data frames (the WLAN's).
    pub data_rate: Option<RateValue>,
    /// Rate of the access point's data frames to it (the WLAN's `ap_data_rate`, or else its own `data_rate`).
    pub ap_data_rate: Option<RateValue>,
    /// The limit of its queue, the frame in service included (the WLAN's).
    #[schemars(extend("minimum" = 1))]
    pub queue: Option<QueueValue>,
    /// Frames lost at random between it and the access point (the WLAN's).
    #[serde(alias = "frame_errors")]
    pub loss: Option<FrameLoss>,
}

/// A token bucket policer: it drops packets that find too few tokens, and queues none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policer {
    /// Rate of the tokens; `none`: there is no policer.
    pub rate: Option<RateValue>,
    /// Size of the bucket, which starts full (in bytes).
    #[serde(alias = "bucket")]
    pub burst: Option<SizeValue>,
}

/// Lossless rate control: no flow is granted more than its share of the access point's buffer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowControl {
    /// Whether it is at work (true).
    pub enabled: Option<FlagValue>,
    /// Packets that the flows share (as `ap_queue`).
    pub buffer: Option<CountValue>,
    /// A flow counts as long as its last packet is no older (1 s).
    pub flow_timeout: Option<TimeValue>,
}
