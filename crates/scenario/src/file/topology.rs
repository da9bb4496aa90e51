//! Nodes and wireless networks.

use airfair_core::schema::{Kind, Range, Settings, Words};
use airfair_core::{Span, settings};
use airfair_wifi::{
    ChannelSettings, EdcaSettings, GenerationSettings, MacSettings, Phy, PhySettings, PlaceSettings,
    QosSettings, RadioSettings, SenseSettings, ShareSettings,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::declared::table;
use crate::file::{Discipline, FrameLoss};
use crate::resolved::StackSettings;
use crate::value::{
    CountValue, FlagValue, LengthValue, NameValue, QueueValue, RateValue, SizeValue, WordValue,
};

/// A wired host or router, or a group of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeGroup {
    /// Name of the node, unique in the file; in a group with the index, as in `host{i}`.
    pub name: NameValue,
    /// Number of members, with index i = 0, 1, ... (1).
    pub count: Option<CountValue>,
    /// Members for which this is false are left out.
    pub when: Option<FlagValue>,
}

table! {
    /// A wireless network: an access point and its stations, in range of each other.
    pub struct Wlan [PhySettings::TABLE, MacSettings::TABLE, ChannelSettings::TABLE, SenseSettings::TABLE, QosSettings::TABLE, RadioSettings::TABLE, StackSettings::TABLE] {
        /// Name of the WLAN, unique among WLANs; in a group with the index, as in `home{i}`.
        name: NameValue,
        /// Number of WLANs, with index i = 0, 1, ...; expressions of their stations, which may have an index i of their own, name it `wlan` (1).
        count: Option<CountValue>,
        /// The name of the WLAN's access point, which is a node of its own.
        ap: NameValue,
        /// The access point's place: see a station's `x` (none).
        ap_x: Option<LengthValue>,
        /// See `ap_x` (0 m).
        ap_y: Option<LengthValue>,
        /// The stations whose frames reach the access point beside those of its network: see a station's `hears` (all).
        ap_hears: Option<Vec<NameValue>>,
        /// WLANs for which this is false are left out, with their access point and stations.
        when: Option<FlagValue>,
        /// The name of the channel, whose air the WLAN shares with all WLANs that name it (none: the WLAN has the air for itself).
        channel: Option<NameValue>,
        /// The standard, or ns-2's numbers.
        phy: WordValue where words Words::of(Phy::NAMES),
        /// Rate of data frames (the standard's highest).
        data_rate: Option<RateValue>,
        /// The limit of a station's queue, the frame in service included: frames, or bytes of the packets in them; with EDCA each
        /// access category has a queue (50 frames; with 802.11n and later 1000).
        queue: Option<QueueValue> where minimum 1,
        /// The limit of the access point's queue (as `queue`).
        ap_queue: Option<QueueValue> where minimum 1,
        /// The order in which the access point's queue is served, and which packets are dropped or marked. With EDCA it needs a driver with a
        /// limit (`driver_aggregates` or `driver_queue`; below `mac80211` and `airtime_drr` also `aql`): otherwise no packet waits here
        /// (drop-tail).
        ap_discipline: Option<Discipline>,
        /// Polices packets that arrive at the access point over the air for the wire (none).
        policer (limiter): Option<Policer>,
        /// Windows that the access point writes into passing acknowledgements (none).
        window_control: Option<WindowControl>,
        /// Access parameters of the stations, by access category (the standard's).
        edca: Option<Edca>,
        /// Access parameters of the access point, by access category (as `ap_edca_defaults`).
        ap_edca: Option<Edca>,
        /// Rate of the access point's data frames to stations that do not say otherwise (each station's own `data_rate`).
        ap_data_rate: Option<RateValue>,
        /// Frames lost at random between the access point and each station that does not say otherwise (none).
        loss (frame_errors): Option<FrameLoss>,
        /// Stations of the WLAN.
        station: Vec<StationGroup>,
    }
}

table! {
    /// A station, or a group of them.
    pub struct StationGroup [GenerationSettings::TABLE, QosSettings::TABLE, RadioSettings::TABLE, PlaceSettings::TABLE, ShareSettings::TABLE] {
        /// Name of the station, unique in the file; in a group with the index, as in `sta{i}`.
        name: NameValue,
        /// Number of members, with index i = 0, 1, ... (1).
        count: Option<CountValue>,
        /// Members for which this is false are left out.
        when: Option<FlagValue>,
        /// Rate of the station's data frames (the WLAN's).
        data_rate: Option<RateValue>,
        /// Rate of the access point's data frames to the station (the WLAN's `ap_data_rate`, or else the station's own `data_rate`).
        ap_data_rate: Option<RateValue>,
        /// Access parameters of the station, by access category (the WLAN's).
        edca: Option<Edca>,
        /// Signal-to-noise ratio of the station over time, in networks with EDCA, as a file of comma-separated values has it: in each line a time in
        /// seconds since the start of the run and the ratio in dB from then on, which is that of frames from the station and to it; in place of line
        /// ends there may be semicolons. Or the path of such a file, from the scenario's on: `walk.csv` (none).
        snr_trace: Option<String>,
        /// The stations and access points on the station's channel whose frames reach it, in networks with EDCA where nobody has a place. Its access
        /// point, which always hears the station, is one of them anyway (all).
        hears: Option<Vec<NameValue>>,
        /// The order in which the station's queue is served, and which packets are dropped or marked; with EDCA as `ap_discipline` (drop-tail).
        discipline: Option<Discipline>,
        /// The limit of the station's queue, the frame in service included (the WLAN's).
        queue: Option<QueueValue> where minimum 1,
        /// Frames lost at random between the station and the access point (the WLAN's).
        loss (frame_errors): Option<FrameLoss>,
    }
}

/// Access parameters by access category: over those that a network or a station sets for its usual category.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edca {
    /// Access parameters of background traffic (AC_BK).
    pub bk: Option<EdcaCategory>,
    /// Access parameters of best-effort traffic (AC_BE).
    pub be: Option<EdcaCategory>,
    /// Access parameters of video (AC_VI).
    pub vi: Option<EdcaCategory>,
    /// Access parameters of voice (AC_VO).
    pub vo: Option<EdcaCategory>,
}

table! {
    /// How one access category gets at the air.
    pub struct EdcaCategory [EdcaSettings::TABLE] {}
}

/// A token bucket policer: it drops packets that find too few tokens, and queues none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policer {
    /// Rate of the tokens, at most the stations' highest data rate; `none` (the default): there is no policer.
    pub rate: Option<RateValue>,
    /// Size of the bucket, at least the longest packet that a flow sends through it; it starts full (in bytes).
    #[serde(alias = "bucket")]
    pub burst: Option<SizeValue>,
}

/// Default of `flow_timeout`: several round trips of the longest paths studied. A flow that is silent for longer no longer counts.
const FLOW_TIMEOUT: Span = Span::from_secs(1);

settings! {
    /// Keys of a window control: the buffer, and which flows share it.
    #[derive(Clone, Copy, Debug)]
    pub struct WindowControlKeys[usual] {
        /// Packets that the flows share (as `ap_queue`).
        "buffer" buffer: Option<u32>, Kind::Count(Range::between(1.0, u32::MAX as f64), "packets"), [None];
        /// A flow counts as long as its last packet is no older.
        "flow_timeout" flow_timeout: Span, Kind::Time(Range::POSITIVE), [FLOW_TIMEOUT];
    }
}

table! {
    /// Lossless rate control: no flow is granted more than its share of the access point's buffer.
    pub struct WindowControl [WindowControlKeys::TABLE] {
        /// Whether the window control is active (true).
        enabled: Option<FlagValue>,
    }
}
