//! Requests, as JSON.

use airfair_scenario::Override;
use serde::Deserialize;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// A packaged scenario: its title, all its parameters and metrics.
    Describe {
        /// Its name.
        scenario: String,
    },
    /// What is decided before a run: the file with these settings, warnings.
    Load {
        /// What would be run.
        setting: Setting,
    },
    /// The document of `airfair run --json`. Runs that were answered before are not computed again.
    Run {
        /// What to run.
        setting: Setting,
        /// The first seed.
        seed: u64,
        /// How many.
        seeds: u64,
    },
    /// The second setting's values less the first one's, with 95 % intervals.
    Difference {
        /// One for each metric.
        metrics: Vec<Pairs>,
    },
    /// Runs over time, drawn and as numbers.
    Timeline {
        /// One or more runs.
        columns: Vec<Column>,
        /// Of all of them.
        seed: u64,
        /// Where the picture begins, in seconds since the start of the run; without it and `to`, around the first session.
        from: Option<f64>,
        /// Where it ends.
        to: Option<f64>,
        /// The length of each time axis in pixels.
        axis: f64,
        /// Whether runs are side by side, and not one above the other.
        beside: bool,
    },
}

/// Values of one metric with two settings; entry i of both is from the same seed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// The metric's unit.
    pub unit: String,
    /// With the first setting.
    pub a: Vec<f64>,
    /// With the second.
    pub b: Vec<f64>,
}

/// One of the runs side by side.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What is written above it.
    pub title: String,
    /// What to run.
    pub setting: Setting,
}

/// A scenario with parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The name of a packaged scenario, or what to call `text`.
    pub scenario: String,
    /// The text of a scenario file.
    pub text: Option<String>,
    /// Names and values as typed behind `--set`.
    #[serde(default)]
    pub set: Vec<(String, String)>,
}

impl Setting {
    /// The parameters for the scenario.
    pub fn overrides(&self) -> Vec<Override> {
        let each = |(name, value): &(String, String)| Override { name: name.clone(), value: value.clone() };
        self.set.iter().map(each).collect()
    }
}
