//! Every metric that a run can report. A metric is one value of [`Metric`]: its description and the function that computes
//! it. Lists, help, docs, titles of figures and "did you mean" all follow from these values.
//!
//! "Up" is from a station towards the wire, "down" towards a station. The measured window follows the warm-up. A
//! persistent flow has one unbounded session, an intermittent one has finite sessions.

mod achievement;
mod by_device;
mod by_rate;
mod constant_window;
mod delays;
mod effort;
mod fairness;
mod fates;
mod game;
mod low_latency;
mod medium;
mod quantile;
mod requests;
mod run;
mod sender;
mod sessions;
mod throughput;
mod video;
mod video_call;
mod voice;
mod web;

pub(crate) use fates::Fates;
pub use quantile::quantiles;
pub(crate) use run::Run;
pub(crate) use throughput::of_further_networks;
pub(crate) use video::{NO_TIME, streams};
pub(crate) use video_call::{Slow, video_calls};
pub(crate) use voice::calls;
pub(crate) use web::pages;

use crate::outcome::{MetricValue, SessionRecord};
use airfair_metrics::Undefined;
use airfair_scenario::resolved::Scenario;
use quantile::{Distribution, Sample, Values};
use serde::{Serialize, Serializer};

/// All metrics by topic and family, in the order in which they are listed. The members of a family differ only in the flows
/// that they count, the instant to which they measure, or the statistic that they take.
const TOPICS: &[&[&[Metric]]] = &[
    throughput::FAMILIES,
    sessions::FAMILIES,
    fairness::FAMILIES,
    achievement::FAMILIES,
    effort::FAMILIES,
    constant_window::FAMILIES,
    medium::FAMILIES,
    by_rate::FAMILIES,
    by_device::FAMILIES,
    voice::FAMILIES,
    web::FAMILIES,
    video::FAMILIES,
    video_call::FAMILIES,
    requests::FAMILIES,
    game::FAMILIES,
    delays::FAMILIES,
    low_latency::FAMILIES,
    sender::FAMILIES,
];

/// A metric: its description, which is the same wherever it is shown, and its computation.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Metric {
    /// Name of the metric in scenarios, JSON and tables.
    pub name: &'static str,
    /// Name of the metric at axes and in headings.
    pub title: &'static str,
    /// SI unit (`bit/s`, `s`), the thing counted (`session`), or `1`.
    pub unit: &'static str,
    /// The values that the metric can take.
    pub range: Bounds,
    /// Whether larger values are better; `None` if neither end is.
    pub larger_is_better: Option<bool>,
    /// Definition of the metric, in words and as a formula.
    pub definition: &'static str,
    /// The author of the definition, and where it is.
    pub source: &'static str,
    /// The things counted, in a few words, if the name alone may mislead.
    pub note: Option<&'static str>,
    #[serde(rename = "counts_once", serialize_with = "counted_stage")]
    pub(crate) compute: Compute,
}

/// A metric's value, or the reason why it has none.
type Value = Result<f64, Undefined>;

/// A metric as it is described to users: its declaration and its relatives.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    #[serde(flatten)]
    metric: &'static Metric,
    /// Name of the first metric of the family.
    family: &'static str,
    /// Names of the quantiles of the values whose mean the metric is.
    pub quantiles: Vec<&'static str>,
    /// For a quantile, the quantity that has a value for each session or packet.
    values: Option<&'static Distribution>,
    /// The group of devices of the metric, if its family has metrics of several groups.
    group: Option<&'static str>,
}

/// How a metric is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compute {
    /// From the record of any run.
    Run(fn(&Run<'_>) -> Value),
    /// From a recording that only runs asked for such a metric make.
    Recorded(Recording, fn(&Run<'_>) -> Value),
    /// From all finite sessions that start in the measured window, which every stored outcome has.
    Sessions(fn(&[SessionRecord]) -> Value),
    /// From the finite sessions that start in the measured window and reach a stage by the end of the run; the others are left out.
    Finished(Stage, fn(&[SessionRecord], Stage) -> Value),
    /// From the record of any run, for the wireless network with this index.
    Network(fn(&Run<'_>, usize) -> Value, usize),
    /// A quantile of a distribution, given by the fraction of values below it.
    Quantile(&'static Distribution, f64),
}

/// Recordings that cost time or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    /// For each flow the bytes acknowledged over time.
    Acked,
    /// For each flow the congestion window, averaged over time.
    Cwnds,
    /// The delay of each packet in the access point's queue.
    QueueDelays,
    /// The delays of the packets of each flow.
    Delays,
    /// Each turn on the air.
    Turns,
}

/// A stage of a finite session, reached with its last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The last byte was first handed to the interface.
    Sent,
    /// The last byte was acknowledged at the sender.
    Acked,
    /// The last byte was delivered in order at the receiver.
    Delivered,
}

/// A closed range of values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Least value; `None` if there is none.
    pub low: Option<f64>,
    /// Greatest value; `None` if there is none.
    pub high: Option<f64>,
}

impl Bounds {
    /// Whether `value` lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        !value.is_nan()
            && self.low.is_none_or(|low| value >= low)
            && self.high.is_none_or(|high| value <= high)
    }

    /// Cuts an interval around `mean` to the range, but not so far that `mean` is outside: the confidence interval of few
    /// seeds can exceed the range.
    pub fn cut(&self, (low, high): (f64, f64), mean: f64) -> (f64, f64) {
        let low = self.low.map_or(low, |least| low.max(least.min(mean)));
        (low, self.high.map_or(high, |most| high.min(most.max(mean))))
    }
}

impl Metric {
    /// Returns the stage that a session must reach to count; `None` if all sessions count, or the metric counts none.
    pub fn counts_once(&self) -> Option<Stage> {
        match self.compute {
            Compute::Finished(stage, _) => Some(stage),
            _ => None,
        }
    }

    /// Returns everything that users can know about the metric.
    pub fn description(&'static self) -> Description {
        let values = match self.compute {
            Compute::Quantile(distribution, _) => Some(distribution),
            _ => None,
        };
        let listed = match self.compute {
            Compute::Quantile(values, _) => values.mean,
            Compute::Network(..) => throughput::OF_NETWORKS[0].name,
            _ => self.name,
        };
        let mut families = TOPICS.iter().copied().flatten();
        let family = families.find(|family| family.iter().any(|member| member.name == listed));
        Description {
            metric: self,
            family: family.map_or(self.name, |family| family[0].name),
            quantiles: quantile::of_mean(self.name),
            values,
            group: by_device::group(listed),
        }
    }

    /// Returns the recording that a run must be asked for to have this metric.
    pub(crate) fn recording(&self) -> Option<Recording> {
        match self.compute {
            Compute::Recorded(recording, _) => Some(recording),
            Compute::Quantile(Distribution { values: Values::Packets(recording, _), .. }, _) => {
                Some(*recording)
            }
            _ => None,
        }
    }

    /// Whether the metric is of a wireless network that this scenario has.
    pub(crate) fn is_of_network_in(&self, scenario: &Scenario) -> bool {
        matches!(self.compute, Compute::Network(_, number) if number < scenario.wlans.len())
    }

    /// Whether the metric can be computed from the sessions of an outcome alone.
    pub(crate) fn follows_from_sessions(&self) -> bool {
        matches!(
            self.compute,
            Compute::Sessions(_)
                | Compute::Finished(..)
                | Compute::Quantile(Distribution { values: Values::Sessions(_), .. }, _)
        )
    }

    /// Computes the metric of a run.
    pub(crate) fn of_run(&self, run: &Run<'_>) -> MetricValue {
        self.valued(match self.compute {
            Compute::Run(of) | Compute::Recorded(_, of) => of(run),
            Compute::Network(of, number) => of(run, number),
            Compute::Quantile(Distribution { values: Values::Packets(_, of), .. }, p) => {
                of(run).and_then(|values| airfair_metrics::quantile(&values, p))
            }
            Compute::Quantile(Distribution { values: Values::Run(things, of), .. }, p) => {
                of(run).and_then(|sample| sample.quantile(p, self.larger_is_better, things))
            }
            _ => return self.of_sessions(&run.sessions).expect("sessions are enough for the others"),
        })
    }

    /// Computes the metric of a run with these finite sessions; `None` if it needs more than sessions.
    pub(crate) fn of_sessions(&self, sessions: &[SessionRecord]) -> Option<MetricValue> {
        Some(self.valued(match self.compute {
            Compute::Sessions(of) => of(sessions),
            Compute::Finished(stage, of) => of(sessions, stage),
            Compute::Quantile(Distribution { values: Values::Sessions(of), .. }, p) => {
                of(sessions).and_then(|sample| sample.quantile(p, self.larger_is_better, "finite sessions"))
            }
            _ => return None,
        }))
    }

    fn valued(&self, value: Value) -> MetricValue {
        let reason = value.err().map(|undefined| undefined.to_string());
        MetricValue { name: self.name.to_owned(), value: value.ok(), reason }
    }
}

fn counted_stage<S: Serializer>(compute: &Compute, serializer: S) -> Result<S::Ok, S::Error> {
    match compute {
        Compute::Finished(stage, _) => serializer.serialize_some(stage),
        _ => serializer.serialize_none(),
    }
}

/// Returns every listed metric, in the order in which users see them.
pub fn metrics() -> impl Iterator<Item = &'static Metric> + Clone {
    TOPICS.iter().copied().flatten().copied().flatten()
}

/// Returns the quantiles and the metrics of further networks, which appear only when they are asked for by name.
pub fn unlisted() -> impl Iterator<Item = &'static Metric> + Clone {
    quantiles().chain(of_further_networks())
}

/// Returns all metrics, listed or not.
pub fn listed_or_not() -> impl Iterator<Item = &'static Metric> + Clone {
    // Unlisted metrics are made only if one is asked for.
    metrics().chain(std::iter::once(()).flat_map(|()| unlisted()))
}

/// Returns the metric of this name, listed or not.
pub fn metric(name: &str) -> Option<&'static Metric> {
    listed_or_not().find(|metric| metric.name == name)
}

const FRACTION: Bounds = Bounds { low: Some(0.0), high: Some(1.0) };
const FROM_ZERO: Bounds = Bounds { low: Some(0.0), high: None };
const ANY: Bounds = Bounds { low: None, high: None };

const COUNT: &str = "A count of the engine's.";
const JUNG_OWN: &str = "AirFair's, after Jung & Park, Section 3.3.";
const MAMATAS: &str =
    "Mamatas & Tsaoussidis, \"Effort/Gains dynamics in heterogeneous networks\", Section 3.";

/// Unit, range and direction of metrics of one kind.
#[derive(Clone, Copy)]
struct Kind {
    unit: &'static str,
    range: Bounds,
    larger_is_better: Option<bool>,
}

const TIME: Kind = Kind { unit: "s", range: FROM_ZERO, larger_is_better: Some(false) };
const RATE: Kind = Kind { unit: "bit/s", range: FROM_ZERO, larger_is_better: Some(true) };
/// A fraction, less of which is better.
const LOSS: Kind = Kind { unit: "1", range: FRACTION, larger_is_better: Some(false) };
/// A ratio that may exceed 1, more of which is better.
const INDEX: Kind = Kind { unit: "1", range: FROM_ZERO, larger_is_better: Some(true) };

impl Kind {
    const fn metric(
        self,
        name: &'static str,
        title: &'static str,
        definition: &'static str,
        source: &'static str,
        compute: Compute,
    ) -> Metric {
        let Kind { unit, range, larger_is_better } = self;
        Metric { name, title, unit, range, larger_is_better, definition, source, note: None, compute }
    }
}

/// Declares a metric of the kind [`LOSS`] that any run has.
const fn fraction(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    source: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    LOSS.metric(name, title, definition, source, Compute::Run(compute))
}

/// Returns a metric of the run of a scenario with the first seed, or why it has no value.
#[cfg(test)]
fn value(scenario: &str, name: &str) -> Result<f64, String> {
    let outcome = crate::Experiment::parse(scenario, "test.toml", &[]).unwrap().run(1, &[]);
    let found = outcome.metric(name).expect("a metric").into_owned();
    found.value.ok_or_else(|| found.reason.expect("a reason"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readable::quantity;
    use airfair_core::schema::Settings;
    use airfair_scenario::resolved::{Convergence, RealtimeSettings, Weights};
    use std::collections::BTreeSet;

    #[test]
    fn intervals_end_where_the_range_does_but_hold_the_mean() {
        assert_eq!(FRACTION.cut((-0.2, 1.3), 0.5), (0.0, 1.0));
        assert_eq!(FRACTION.cut((0.2, 0.8), 0.5), (0.2, 0.8));
        assert_eq!(FROM_ZERO.cut((-0.2, 1.3), 0.5), (0.0, 1.3));
        assert_eq!(ANY.cut((-0.2, 1.3), 0.5), (-0.2, 1.3));
        // Sums in floating point may leave the range by a rounding error.
        assert_eq!(FRACTION.cut((0.9, 1.3), 1.0 + f64::EPSILON), (0.9, 1.0 + f64::EPSILON));
        assert_eq!(FROM_ZERO.cut((-0.5, 0.5), -1e-18), (-1e-18, 0.5));
    }

    #[test]
    fn names_and_titles_are_unique_and_descriptions_complete() {
        let unique = |of: fn(&Metric) -> &'static str| metrics().map(of).collect::<BTreeSet<_>>().len();
        assert_eq!(unique(|metric| metric.name), metrics().count());
        assert_eq!(unique(|metric| metric.title), metrics().count());
        for Metric { name, title, unit, definition, source, range, .. } in metrics() {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
            assert!(!title.is_empty() && !unit.is_empty(), "{name}");
            assert!(definition.ends_with('.') && source.ends_with('.'), "{name}");
            assert!(range.low.zip(range.high).is_none_or(|(low, high)| high > low), "{name}");
        }
    }

    #[test]
    fn a_metric_that_leaves_sessions_out_is_named_after_the_stage_they_must_reach() {
        let counting = metrics().filter_map(|metric| Some((metric.name, metric.counts_once()?)));
        let counting: Vec<_> = counting.collect();
        assert!(!counting.is_empty());
        for (name, stage) in counting {
            assert!(name.contains(&format!("_{stage:?}").to_lowercase()), "{name}");
        }
    }

    #[test]
    fn descriptions_name_the_stage_that_sessions_must_reach() {
        for metric in metrics() {
            let stage = metric.counts_once().map(|stage| format!("{stage:?}").to_lowercase());
            let described = serde_json::to_value(metric.description()).expect("a description in JSON");
            assert_eq!(described["counts_once"], serde_json::json!(stage), "{}", metric.name);
        }
    }

    #[test]
    fn definitions_tell_the_defaults_of_their_settings() {
        let (weights, convergence) = (Weights::column(0), Convergence::column(0));
        let deadline = RealtimeSettings::column(0).deadline;
        let (index, window) = (convergence.index, convergence.window);
        for (name, told) in [
            ("eee", format!("a = eee_a ({}), b = eee_b ({})", weights.eee_a, weights.eee_b)),
            ("uar", format!("a = uar_a ({}), b = uar_b ({})", weights.uar_a, weights.uar_b)),
            ("realtime_index", format!("the deadline ({} unless", quantity(deadline.as_secs(), "s", 4))),
            (
                "time_to_fairness",
                format!("Window ({}) and index ({index})", quantity(window.as_secs(), "s", 4)),
            ),
        ] {
            let definition = metric(name).expect("a metric").definition;
            assert!(definition.contains(&told), "{name}: {told}");
        }
    }

    #[test]
    fn definitions_tell_the_limits_of_grades() {
        let call = metric("video_call_loss_mean").expect("a metric");
        let limit = quantity(crate::grade::VIDEOPHONE, "s", 4);
        assert!(call.definition.contains(&format!("not shown within {limit}")), "{limit}");
        assert!(call.source.starts_with(&limit), "{limit}");
        let last = format!("{} s", crate::grade::VIDEO_CALL.last_limit());
        for name in ["video_call_loss_mean", "video_call_freeze_ratio_mean"] {
            assert!(metric(name).expect("a metric").definition.contains(&last), "{name}: {last}");
        }
    }

    #[test]
    fn found_by_name() {
        assert_eq!(metric("jain").map(|metric| metric.unit), Some("1"));
        assert!(metric("jane").is_none());
    }

    #[test]
    fn bounds_are_closed() {
        assert!(FRACTION.contains(0.0) && FRACTION.contains(1.0));
        assert!(!FRACTION.contains(1.01) && !FRACTION.contains(-0.01) && !FRACTION.contains(f64::NAN));
        assert!(FROM_ZERO.contains(1e12) && !FROM_ZERO.contains(-1e-9));
        assert!(ANY.contains(-1e12) && !ANY.contains(f64::NAN));
    }
}
