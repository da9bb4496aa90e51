//! What there is to know about each metric that a run can report, by its name.

use crate::catalogue::GROUPS;
use std::sync::LazyLock;

/// A metric's description, the same wherever it is shown.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct MetricInfo {
    /// Its name in scenarios, JSON and tables.
    pub name: &'static str,
    /// SI unit (`bit/s`, `s`), what is counted (`session`), or `1` where there is none.
    pub unit: &'static str,
    /// The values it can take.
    pub range: Bounds,
    /// Whether larger is better; `None` where neither end is.
    pub larger_is_better: Option<bool>,
    /// What it is, in words and formula.
    pub definition: &'static str,
    /// Who defined it, and where.
    pub source: &'static str,
    /// What it counts, in a few words, where its name alone may mislead.
    pub note: Option<&'static str>,
    /// Of a mean over finite sessions: a session counts once this has happened to it. Those to which it has not happened
    /// by the end of the run are left out.
    pub counts_once: Option<Stage>,
}

/// What happens to the last byte of a finite session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// It is first handed to the interface.
    Sent,
    /// It is acknowledged at the sender.
    Acked,
    /// It is delivered in order at the receiver.
    Delivered,
}

/// A closed range of values.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bounds {
    /// Least value; `None` where there is none.
    pub low: Option<f64>,
    /// Greatest value; `None` where there is none.
    pub high: Option<f64>,
}

impl Bounds {
    /// Whether `value` lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        !value.is_nan()
            && self.low.is_none_or(|low| value >= low)
            && self.high.is_none_or(|high| value <= high)
    }
}

/// Every metric, in the order in which they are listed to users.
pub fn registry() -> &'static [MetricInfo] {
    static ALL: LazyLock<Vec<MetricInfo>> = LazyLock::new(|| GROUPS.concat());
    &ALL
}

/// The metric of this name.
pub fn find(name: &str) -> Option<&'static MetricInfo> {
    registry().iter().find(|metric| metric.name == name)
}

/// The metric whose name is nearest to `name` (Damerau-Levenshtein), for "did you mean"; the earlier one of equals.
pub fn nearest(name: &str) -> &'static MetricInfo {
    registry()
        .iter()
        .min_by_key(|metric| strsim::damerau_levenshtein(metric.name, name))
        .expect("the catalogue is not empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_descriptions_complete() {
        let names: BTreeSet<_> = registry().iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), registry().len());
        for metric in registry() {
            assert!(metric.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
            assert!(
                !metric.unit.is_empty() && metric.definition.ends_with('.') && metric.source.ends_with('.')
            );
            let Bounds { low, high } = metric.range;
            assert!(low.zip(high).is_none_or(|(low, high)| high > low), "{}", metric.name);
        }
    }

    #[test]
    fn a_metric_that_counts_finished_sessions_is_named_after_what_finished() {
        let named = |metric: &&MetricInfo| {
            let stage = format!("{:?}", metric.counts_once?).to_lowercase();
            metric.name.contains(&format!("_{stage}")).then_some(())
        };
        let counting: Vec<_> = registry().iter().filter(|metric| metric.counts_once.is_some()).collect();
        assert_eq!(counting.len(), 9);
        assert_eq!(counting.iter().filter_map(named).count(), 9);
    }

    #[test]
    fn found_by_name_or_nearly_so() {
        assert_eq!(find("jain").map(|metric| metric.unit), Some("1"));
        assert_eq!(find("jane"), None);
        assert_eq!(nearest("jane").name, "jain");
        assert_eq!(nearest("throughput_totl").name, "throughput_total");
        assert_eq!(nearest("instantaneous_fairness").name, "instantaneous_fairness_sent");
    }

    #[test]
    fn bounds_are_closed() {
        let fraction = Bounds { low: Some(0.0), high: Some(1.0) };
        assert!(fraction.contains(0.0) && fraction.contains(1.0));
        assert!(!fraction.contains(1.01) && !fraction.contains(-0.01) && !fraction.contains(f64::NAN));
        assert!(Bounds { low: Some(0.0), high: None }.contains(1e12));
        let any = Bounds { low: None, high: None };
        assert!(any.contains(-1e12) && !any.contains(f64::NAN));
    }
}
