//! Pages of browsers: how long they load.

use super::*;
use airfair_core::Time;
use airfair_metrics::mean;
use airfair_scenario::resolved::Traffic;
use std::collections::BTreeMap;

pub const FAMILIES: &[&[Metric]] = &[&[Metric {
    name: "page_load_time_mean",
    title: "Page load time, pages",
    unit: "s",
    range: FROM_ZERO,
    larger_is_better: Some(false),
    definition: "Mean over the pages of `web` traffic that start in the measured window: from the start until the last of a page's objects is \
                 delivered, over all of its connections. A page that is not delivered counts with its time until the end of the run, which makes \
                 this a lower bound.",
    source: "Usage of the field: the network's part of the load event of W3C Navigation Timing. What a browser computes is not in it.",
    note: None,
    compute: Compute::Run(|run| {
        let end = run.record.end;
        mean(&pages(run)?.iter().map(|page| page.waited(end)).collect::<Vec<_>>())
    }),
}]];

/// One value for each page.
pub const DISTRIBUTIONS: &[Distribution] = &[Distribution {
    name: "page_load_time",
    title: "page load time, pages",
    mean: "page_load_time_mean",
    values: Values::Run("pages that start", |run| {
        let pages = pages(run)?;
        let loaded = pages.iter().filter(|page| page.loaded < Time::NEVER);
        let finished: Vec<f64> = loaded.map(|page| (page.loaded - page.start).as_secs()).collect();
        Ok(Sample { unfinished: pages.len() - finished.len(), finished })
    }),
}];

/// A page that starts in the measured window.
pub struct PageLoad {
    /// Number of its first connection's flow.
    pub flow: usize,
    pub start: Time,
    /// When its last object was delivered; [`Time::NEVER`] if it was not.
    pub loaded: Time,
}

impl PageLoad {
    /// How long it took in seconds, or has taken by the `end` of the run.
    pub fn waited(&self, end: Time) -> f64 {
        self.loaded.min(end).since(self.start).as_secs()
    }
}

/// All pages, in the order of their first flows and starts.
pub fn pages(run: &Run<'_>) -> Result<Vec<PageLoad>, Undefined> {
    let mut pages: BTreeMap<(usize, Time), PageLoad> = BTreeMap::new();
    let (mut first, mut any) = (0, false);
    for (number, (flow, sessions)) in run.scenario.flows.iter().zip(&run.record.sessions).enumerate() {
        let Traffic::Web { page, .. } = &flow.traffic else { continue };
        any = true;
        // The flows of a page's connections are neighbours.
        if page.connection == 0 {
            first = number;
        }
        for session in sessions.iter().filter(|session| session.start >= run.record.warmup) {
            let fresh = PageLoad { flow: first, start: session.start, loaded: session.delivered };
            let page = pages.entry((first, session.start)).or_insert(fresh);
            page.loaded = page.loaded.max(session.delivered);
        }
    }
    match (any, pages.is_empty()) {
        (false, _) => Err(Undefined::Nothing("flows of web traffic")),
        (true, true) => Err(Undefined::Nothing("pages that start in the measured window")),
        (true, false) => Ok(pages.into_values().collect()),
    }
}

#[cfg(test)]
mod tests {
    use crate::Experiment;
    use std::collections::BTreeMap;

    const PAGES: &str = r#"
[run]
duration = "60 s"
metrics = ["page_load_time_mean", "page_load_time_p95"]
[tcp]
profile = "linux"
window = 10000
[[node]]
name = "server"
[[node]]
name = "phone"
[[link]]
from = "server"
to = "phone"
rate = "1 Gb/s"
delay = "50 ms"
queue = 10000
[[flow]]
name = "page"
from = "server"
to = "phone"
traffic = "web"
period = "5 s"
objects = 12
page_bytes = "12 kB"
"#;

    fn mean(text: &str) -> f64 {
        let outcome = Experiment::parse(text, "pages.toml", &[]).unwrap().run(1, &[]);
        assert!(outcome.sessions.len() == 144, "twelve pages of twelve objects");
        outcome.metric("page_load_time_mean").and_then(|metric| metric.value).expect("a value")
    }

    #[test]
    fn objects_that_wait_for_each_other_take_round_trips() {
        // All twelve objects fit the first window: half a round trip. On six connections there are two on each.
        let (http2, http1) = (mean(PAGES), mean(&format!("{PAGES}http = \"http1\"\n")));
        assert!((0.05..0.12).contains(&http2), "{http2}");
        assert!((http2 + 0.05..http2 + 0.20).contains(&http1), "{http2} {http1}");
    }

    #[test]
    fn a_page_is_loaded_with_its_last_object() {
        let text = format!("{PAGES}http = \"http1\"\n");
        let outcome = Experiment::parse(&text, "pages.toml", &[]).unwrap().run(1, &[]);
        let mut loaded: BTreeMap<u64, f64> = BTreeMap::new();
        for session in &outcome.sessions {
            let latest = loaded.entry(session.start.to_bits()).or_default();
            *latest = latest.max(session.delivered.expect("delivered"));
        }
        assert_eq!(loaded.len(), 12);
        let mean = loaded.values().sum::<f64>() / 12.0;
        let found = outcome.metric("page_load_time_mean").and_then(|metric| metric.value).expect("a value");
        assert!((found - mean).abs() < 1e-9, "{found} {mean}");
    }
}
