//! Quantiles: the metrics `NAME_p50` to `NAME_p99` of each quantity that has a value for every session or packet.
//!
//! Quantiles are not listed with the other metrics, but can be asked for by name.

use super::{
    Compute, Metric, Recording, Run, Value, by_device, by_rate, delays, game, low_latency, medium, metrics,
    requests, sessions, video_call, voice, web,
};
use crate::outcome::SessionRecord;
use airfair_metrics::{Undefined, Unfinished, quantile_with_unfinished};
use serde::Serialize;
use std::sync::LazyLock;

/// Suffixes of the names of quantiles, and the fractions of values that lie below them.
const FRACTIONS: [(&str, f64); 4] = [("p50", 0.50), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99)];
const DEFINITION: &str = "definition 7 of Hyndman & Fan, \"Sample quantiles in statistical packages\", The American Statistician 50(4), 1996.";

/// A quantity with a value for each session or packet.
#[derive(Debug, Serialize)]
pub struct Distribution {
    /// Name of the quantity; with a suffix such as `_p95` it is that of a quantile.
    pub name: &'static str,
    /// Name of the quantity inside a sentence.
    pub title: &'static str,
    /// Name of the metric that is the mean of these values. Quantiles have its unit, range and direction.
    pub mean: &'static str,
    #[serde(skip)]
    pub values: Values,
}

/// Where the values come from.
#[derive(Debug)]
pub enum Values {
    /// From the finite sessions that start in the measured window.
    Sessions(fn(&[SessionRecord]) -> Result<Sample, Undefined>),
    /// From the record of any run; the text names the things that have the values.
    Run(&'static str, fn(&Run<'_>) -> Result<Sample, Undefined>),
    /// From a recording of packets.
    Packets(Recording, fn(&Run<'_>) -> Result<Vec<f64>, Undefined>),
}

/// The values of finished sessions, and the number of unfinished ones.
#[derive(Debug)]
pub struct Sample {
    pub finished: Vec<f64>,
    pub unfinished: usize,
}

impl Sample {
    /// Returns the quantile of the fraction `p`, in which unfinished sessions count as the worst of all. If there are no
    /// sessions, the error names them `things`.
    pub fn quantile(&self, p: f64, larger_is_better: Option<bool>, things: &'static str) -> Value {
        if self.finished.is_empty() && self.unfinished == 0 {
            return Err(Undefined::Nothing(things));
        }
        let unfinished = match larger_is_better {
            Some(true) => Unfinished::Below(self.unfinished),
            _ => Unfinished::Above(self.unfinished),
        };
        quantile_with_unfinished(&self.finished, unfinished, p)
    }
}

/// Returns all quantiles.
pub fn quantiles() -> impl Iterator<Item = &'static Metric> + Clone {
    static ALL: LazyLock<Vec<Metric>> = LazyLock::new(|| {
        let distributions = [
            sessions::DISTRIBUTIONS,
            medium::DISTRIBUTIONS,
            by_rate::DISTRIBUTIONS,
            by_device::DISTRIBUTIONS,
            voice::DISTRIBUTIONS,
            video_call::DISTRIBUTIONS,
            web::DISTRIBUTIONS,
            requests::DISTRIBUTIONS,
            game::DISTRIBUTIONS,
            delays::DISTRIBUTIONS,
            low_latency::DISTRIBUTIONS,
        ]
        .into_iter()
        .flatten();
        distributions.flat_map(|distribution| FRACTIONS.map(|end| quantile_of(distribution, end))).collect()
    });
    ALL.iter()
}

/// Returns the names of the quantiles of the values whose mean is this metric.
pub fn of_mean(metric: &str) -> Vec<&'static str> {
    let of = |quantile: &&Metric| matches!(quantile.compute, Compute::Quantile(of, _) if of.mean == metric);
    quantiles().filter(of).map(|quantile| quantile.name).collect()
}

fn quantile_of(distribution: &'static Distribution, (end, p): (&str, f64)) -> Metric {
    let Distribution { name, title, mean, ref values } = *distribution;
    let of = metrics().find(|metric| metric.name == mean).expect("a distribution names its mean");
    let order = if of.larger_is_better == Some(true) { "lower" } else { "later" };
    let over = match values {
        Values::Sessions(_) => format!(
            "all finite sessions that start in the measured window. Sessions that do not get so far by the end of the run \
             count as {order} than all others; the quantile is null where it falls among them."
        ),
        Values::Run(things, _) => format!(
            "all {things} in the measured window. Those that do not get so far by the end of the run count as {order} than all others; \
             the quantile is null where it falls among them."
        ),
        Values::Packets(..) => format!("the packets that {mean} counts."),
    };
    let percent = end.trim_start_matches('p');
    // The texts are leaked once, and live as long as those that are written in the source.
    Metric {
        name: format!("{name}_{end}").leak(),
        title: format!("{percent}th percentile of {title}").leak(),
        definition: format!("{p}-quantile of the values whose mean is {mean}, over {over}").leak(),
        source: format!("Quantiles: {DEFINITION} Values: {}", of.source).leak(),
        note: None,
        compute: Compute::Quantile(distribution, p),
        ..*of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::metric;

    fn sessions(acked: &[Option<f64>]) -> Vec<SessionRecord> {
        let session = |&acked: &Option<f64>| SessionRecord {
            flow: "f".to_owned(),
            start: 1.0,
            bytes: 1000,
            ideal: Some(1.0),
            sent: Some(0.0),
            acked,
            delivered: acked,
        };
        acked.iter().map(session).collect()
    }

    fn value(name: &str, acked: &[Option<f64>]) -> Result<f64, String> {
        let found =
            metric(name).and_then(|metric| metric.of_sessions(&sessions(acked))).expect("of sessions");
        found.value.ok_or_else(|| found.reason.expect("a value or a reason"))
    }

    #[test]
    fn every_distribution_has_four_quantiles_like_its_mean() {
        for quantile in quantiles() {
            let Compute::Quantile(Distribution { mean, .. }, _) = quantile.compute else {
                panic!("{quantile:?}")
            };
            let mean = metric(mean).expect("the mean");
            assert_eq!((quantile.unit, quantile.range), (mean.unit, mean.range), "{}", quantile.name);
            assert_eq!(mean.description().quantiles.len(), FRACTIONS.len());
            assert!(mean.description().quantiles.contains(&quantile.name));
            assert!(metrics().all(|listed| listed.name != quantile.name && listed.title != quantile.title));
        }
        let quantile = metric("finish_time_acked_p95").expect("a quantile");
        assert_eq!(quantile.title, "95th percentile of finish time, until acknowledged");
        for (name, order) in
            [("finish_time_acked_p95", "later"), ("instantaneous_fairness_acked_p95", "lower")]
        {
            let definition = metric(name).expect("a quantile").definition;
            assert!(definition.contains(&format!("count as {order} than all others")), "{definition}");
        }
    }

    #[test]
    fn unfinished_sessions_are_the_latest_and_the_least_fair() {
        // Finish times 1, 2, 4 s and one session that never finishes; fairness 1, 1/2, 1/4 and one below all.
        let times = [Some(4.0), None, Some(1.0), Some(2.0)];
        let among = Err("the quantile falls among sessions that had not finished".to_owned());
        assert_eq!(value("finish_time_acked_p50", &times), Ok(3.0));
        assert_eq!(value("finish_time_acked_p90", &times), among);
        assert_eq!(value("instantaneous_fairness_acked_p50", &times), Ok(0.375));
        assert_eq!(
            value("instantaneous_fairness_acked_p90", &times).map(|p90| (p90 - 0.85).abs() < 1e-12),
            Ok(true)
        );
        assert_eq!(value("instantaneous_fairness_acked_p50", &[None, None, Some(1.0)]), among);
        assert_eq!(value("finish_time_sent_p99", &times), Ok(1e-3), "no time at all counts as 1 ms");
        assert_eq!(value("finish_time_acked_p50", &[]), Err("there are no finite sessions".to_owned()));
        assert_eq!(
            (value("sessions_unfinished", &times), value("sessions_unfinished", &[])),
            (Ok(1.0), Ok(0.0))
        );
    }
}
