//! The file format, as it is parsed: nothing evaluated, nothing filled in.

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
pub use flow::{FlowGroup, Udp};
pub use link::{LinkGroup, LinkOutage};
pub use loss::{FrameLoss, LinkLoss, ModelKeys};
pub use measures::{Convergence, Effort, Fairness, Realtime};
pub use parameter::{Choices, Declaration};
pub use tcp::Tcp;
pub use topology::{NodeGroup, Policer, StationGroup, WindowControl, Wlan};

use crate::value::{CountValue, RateValue, TimeValue};

/// Keys that have a former name, which serde takes as an alias: (key, former name).
pub const FORMER_KEYS: [(&str, &str); 4] =
    [("loss", "errors"), ("loss", "frame_errors"), ("policer", "limiter"), ("burst", "bucket")];

/// A scenario: who is there, how they are connected, who sends what to whom.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// A few words.
    pub title: Option<String>,
    /// What it is for, its source and its choices. The first line stands in lists.
    pub description: Option<String>,
    /// What can be set from outside, by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, Declaration>,
    /// How long, and what is reported.
    pub run: Run,
    /// Each user's fair share, for the instantaneous fairness index.
    pub fair_share: Option<FairShare>,
    /// What fairness is the fairness of.
    #[serde(default)]
    pub fairness: Fairness,
    /// What `eee` and `uar` need.
    pub effort: Option<Effort>,
    /// What `realtime_index` needs.
    #[serde(default)]
    pub realtime: Realtime,
    /// What `time_to_fairness` needs.
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
    /// Who sends what to whom.
    pub flow: Vec<FlowGroup>,
}

/// How long, and what is reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Time before anything is measured (none).
    pub warmup: Option<TimeValue>,
    /// Measured time after `warmup`.
    pub duration: TimeValue,
    /// Names of the metrics that are reported, in order.
    pub metrics: Option<Vec<String>>,
}

/// Each user's fair share: the bandwidth that users get together, over their number.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FairShare {
    /// How many users share.
    pub users: CountValue,
    /// What all users together get of payload in downloads.
    pub download: RateValue,
    /// What all users together get of payload in uploads.
    pub upload: RateValue,
}
