//! Requests, as JSON.

use airfair_scenario::Override;
use serde::Deserialize;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Describes a packaged scenario: its title, all its parameters and metrics.
    Describe {
        /// Name of the scenario.
        scenario: String,
    },
    /// Returns what is decided before a run: the file with these settings, and warnings.
    Load {
        /// The setting to load.
        setting: Setting,
    },
    /// Runs a setting and returns the document of `airfair run --json`. Runs of earlier requests are not computed again.
    Run {
        /// The setting to run.
        setting: Setting,
        /// The first seed.
        seed: u64,
        /// Number of seeds.
        seeds: u64,
    },
    /// Returns the second setting's values less the first one's, with 95 % intervals.
    Difference {
        /// Values of each metric with both settings.
        metrics: Vec<Pairs>,
    },
    /// Draws runs over time, and returns their numbers.
    Timeline {
        /// The runs to draw, one or more.
        columns: Vec<Column>,
        /// Seed of all runs.
        seed: u64,
        /// Start of the picture, in seconds since the start of the run; without it and `to`, the picture is of the time
        /// around the first session.
        from: Option<f64>,
        /// End of the picture, in seconds since the start of the run.
        to: Option<f64>,
        /// The length of each time axis in pixels.
        axis: f64,
        /// Whether runs are drawn side by side; otherwise one above the other.
        beside: bool,
    },
}

/// Values of one metric with two settings; entry i of both is from the same seed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// Unit of the metric.
    pub unit: String,
    /// Values with the first setting.
    pub a: Vec<f64>,
    /// Values with the second setting.
    pub b: Vec<f64>,
}

/// One of the runs side by side.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Title of the run in the picture.
    pub title: String,
    /// The setting to run.
    pub setting: Setting,
}

/// A scenario with parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Name of a packaged scenario, or the name for `text`.
    pub scenario: String,
    /// The text of a scenario file.
    pub text: Option<String>,
    /// Names and values of parameters, as typed behind `--set`.
    #[serde(default)]
    pub set: Vec<(String, String)>,
}

impl Setting {
    /// Returns the parameters as overrides of the scenario.
    pub fn overrides(&self) -> Vec<Override> {
        let each = |(name, value): &(String, String)| Override { name: name.clone(), value: value.clone() };
        self.set.iter().map(each).collect()
    }
}
