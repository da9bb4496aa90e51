//! The file format as it is parsed, before expressions are evaluated and defaults filled in.

mod control;
mod declared;
mod discipline;
mod flow;
mod link;
mod loss;
mod measures;
mod parameter;
pub mod tcp;
mod topology;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

pub use control::Control;
pub use declared::Given;
pub use discipline::Discipline;
pub use flow::{FlowGroup, GapKind, Http, PriorityKeys, TrafficKeys, TrafficKind, Udp};
pub use link::{Directions, LinkGroup, LinkOutage, OutageFate, OutageKeys, Repetition};
pub use loss::{FrameLoss, FrameLossKeys, LinkLoss, LinkLossKeys, Model, ModelKeys};
pub use measures::{Convergence, Effort, Fairness, Realtime};
pub use parameter::{Choices, Declaration};
pub use tcp::Tcp;
pub use topology::{Edca, NodeGroup, Policer, StationGroup, WindowControl, WindowControlKeys, Wlan};

use crate::share;
use crate::value::{CountValue, ShareValue, TimeValue};

/// Keys that have a former name, which serde takes as an alias, as pairs of the key and its former name.
pub const FORMER_KEYS: [(&str, &str); 4] =
    [("loss", "errors"), ("loss", "frame_errors"), ("policer", "limiter"), ("burst", "bucket")];

/// A scenario: nodes, links and flows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Title of the scenario, in a few words.
    pub title: Option<String>,
    /// Purpose, source and choices of the scenario. Lists show the first line.
    pub description: Option<String>,
    /// The parameters that can be set from outside, by name.
    #[serde(default)]
    #[schemars(schema_with = "parameter::declarations")]
    pub parameters: BTreeMap<String, Declaration>,
    /// Length of the run, and the metrics that are reported.
    pub run: Run,
    /// Each user's fair share, for the instantaneous fairness index; the word `measured` in place of the table has it measured.
    #[serde(default)]
    #[schemars(schema_with = "share::schema")]
    pub fair_share: Option<FairShare>,
    /// The quantity that fairness compares.
    #[serde(default)]
    pub fairness: Fairness,
    /// Settings of `eee` and `uar`.
    pub effort: Option<Effort>,
    /// Settings of `realtime_index`.
    #[serde(default)]
    pub realtime: Realtime,
    /// Settings of `time_to_fairness`.
    #[serde(default)]
    pub convergence: Convergence,
    /// Settings of every TCP flow that does not set them itself.
    #[serde(default)]
    pub tcp: Tcp,
    /// Wired hosts and routers. Access points and stations are declared by their WLAN.
    #[serde(default)]
    pub node: Vec<NodeGroup>,
    /// Wired links between any two nodes.
    #[serde(default)]
    pub link: Vec<LinkGroup>,
    /// Wireless networks.
    #[serde(default)]
    pub wlan: Vec<Wlan>,
    /// Flows between two nodes each.
    pub flow: Vec<FlowGroup>,
}

/// The length of a run, and the metrics that are reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Time before anything is measured (none).
    pub warmup: Option<TimeValue>,
    /// Measured time after `warmup`.
    pub duration: TimeValue,
    /// Names of the metrics that are reported, in order; one with `{wlan}` stands for one of each wireless network, by its number.
    pub metrics: Option<Vec<String>>,
}

/// Each user's fair share: the bandwidth that users get together, over their number.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`measured` or a table with `download` and `upload`")]
pub struct FairShare {
    /// Number of users that share the bandwidth (where a rate is `measured`: the number of flows).
    pub users: Option<CountValue>,
    /// The payload rate of all users together in downloads; `measured`: the rate of a user that downloads alone.
    pub download: ShareValue,
    /// The payload rate of all users together in uploads; `measured`: the rate of a user that uploads alone.
    pub upload: ShareValue,
}
