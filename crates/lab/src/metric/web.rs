//! Pages of browsers: their load times.

use super::*;
use airfair_core::Time;
use airfair_metrics::mean;
use airfair_scenario::resolved::Traffic;
use airfair_sim::session::Session;

pub const FAMILIES: &[&[Metric]] = &[&[Metric {
    name: "page_load_time_mean",
    title: "Page load time, pages",
    unit: "s",
    range: FROM_ZERO,
    larger_is_better: Some(false),
    definition: "Mean over the pages of `web` traffic that start in the measured window: from the browser's first request until the last of \
                 the page's objects is delivered, over all of its connections. A page that is not delivered counts with its \
                 time until the end of the run, which makes this a lower bound.",
    source: "Usage of the field: the network's part of the load event of W3C Navigation Timing. What a browser computes is not in it.",
    note: None,
    compute: Compute::Run(|run| {
        let end = run.record.end;
        mean(&pages(run)?.iter().map(|page| page.waited(end)).collect::<Vec<_>>())
    }),
}]];

/// Distributions with one value for each page.
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
    /// Index of the flow of the page's first connection.
    pub flow: usize,
    /// When the browser asked for the page.
    pub start: Time,
    /// When the page's last object was delivered; [`Time::NEVER`] if it was not.
    pub loaded: Time,
}

impl PageLoad {
    /// Returns the load time of the page in seconds; if it is not loaded, the time until the `end` of the run.
    pub fn waited(&self, end: Time) -> f64 {
        self.loaded.min(end).since(self.start).as_secs()
    }
}

/// Returns all pages, in the order of their first flows and starts.
pub fn pages(run: &Run<'_>) -> Result<Vec<PageLoad>, Undefined> {
    let mut pages: Vec<PageLoad> = Vec::new();
    let (mut of_first, mut any) = (0, false);
    for (number, (flow, sessions)) in run.scenario.flows.iter().zip(&run.record.sessions).enumerate() {
        let Traffic::Web { page, .. } = &flow.traffic else { continue };
        any = true;
        let mut chunks = sessions.chunks(page.sessions());
        // The flows of a page's connections are neighbours.
        if page.connection == 0 {
            of_first = pages.len();
            let starts = starts(sessions, page.sessions());
            pages.extend(starts.map(|start| PageLoad { flow: number, start, loaded: Time::ZERO }));
        }
        for load in &mut pages[of_first..] {
            // An object is delivered only if it was requested, so a page may lack its last sessions.
            let whole = chunks.next().filter(|chunk| chunk.len() == page.sessions());
            let delivered = whole.and_then(|chunk| chunk.iter().map(|session| session.delivered).max());
            load.loaded = load.loaded.max(delivered.unwrap_or(Time::NEVER));
        }
    }
    pages.retain(|page| page.start >= run.record.warmup);
    match (any, pages.is_empty()) {
        (false, _) => Err(Undefined::Nothing("flows of web traffic")),
        (true, true) => Err(Undefined::Nothing("pages that start in the measured window")),
        (true, false) => Ok(pages),
    }
}

/// Returns when the browser asks for each page, of which each has `each` sessions: when it has been told to begin. If that never gets through,
/// it is when the browser was to be told, but not before the page before was delivered.
fn starts(sessions: &[Session], each: usize) -> impl Iterator<Item = Time> {
    sessions.iter().enumerate().step_by(each).filter_map(|(number, told)| {
        let before = number.checked_sub(1).map_or(Time::ZERO, |last| sessions[last].delivered);
        let start = if told.delivered < Time::NEVER { told.delivered } else { told.start.max(before) };
        (start < Time::NEVER).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use crate::{Experiment, Outcome};

    const PAGES: &str = r#"
[run]
warmup = "1 s"
duration = "59 s"
metrics = ["page_load_time_mean", "page_load_time_p95"]
[tcp]
profile = "linux"
window = 10000
quick_acks = 0
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
page_bytes = "1.2 kB"
"#;

    fn outcome(text: &str) -> Outcome {
        Experiment::parse(text, "pages.toml", &[]).unwrap().run(1, &[])
    }

    fn mean(text: &str) -> f64 {
        outcome(text).metric("page_load_time_mean").and_then(|metric| metric.value).expect("a value")
    }

    #[test]
    fn each_step_of_a_page_takes_a_round_trip() {
        // Three round trips, the document, and the objects. ACKs are not delayed.
        assert!((0.5..0.501).contains(&mean(PAGES)), "{}", mean(PAGES));
        for round_trips in [0, 1, 5] {
            let found = mean(&format!("{PAGES}round_trips = {round_trips}\n"));
            let expected = 0.1 * f64::from(round_trips + 2);
            assert!((expected..expected + 1e-3).contains(&found), "{round_trips} {found}");
        }
        let alone = PAGES.replace("objects = 12", "objects = 1\nround_trips = 0");
        assert!((0.1..0.101).contains(&mean(&alone)), "the document alone");
    }

    #[test]
    fn the_first_request_takes_its_way_up() {
        let far = PAGES.replace("queue = 10000", "queue = 10000\nreverse = { delay = \"200 ms\" }");
        let alone = far.replace("objects = 12", "objects = 1\nround_trips = 0");
        assert!((0.25..0.251).contains(&mean(&alone)), "{}", mean(&alone));
    }

    #[test]
    fn the_handshake_is_none_of_a_page() {
        let first = PAGES.replace("warmup = \"1 s\"", "warmup = \"0 s\"").replace("\"59 s\"", "\"4 s\"");
        assert!(
            (0.5..0.501).contains(&mean(&first)),
            "the first page is as quick as others: {}",
            mean(&first)
        );
    }

    #[test]
    fn a_page_that_nobody_can_ask_for_has_started() {
        let broken = "outage = { start = \"OUT s\", duration = \"100 s\", packets = \"lost\" }\nrate =";
        let broken =
            PAGES.replace("rate =", broken).replace("period = \"5 s\"", "period = \"5 s\"\nstart = \"2 s\"");
        // With an outage from 1 s on, the handshake of the first page fails; with one from 10 s on, all that follows the second page.
        let never = mean(&broken.replace("OUT", "1"));
        assert!((never - 58.0).abs() < 1e-9, "{never}");
        let later = mean(&broken.replace("OUT", "10"));
        assert!((later - (0.5 + 0.5 + 48.0) / 3.0).abs() < 1e-3, "{later}");
        // Nobody asks for the second page before the first is loaded.
        let slow = PAGES.replace("1 Gb/s", "1 Mb/s").replace("1.2 kB", "50 MB");
        let slow = mean(&slow.replace("warmup = \"1 s\"", "warmup = \"0 s\""));
        assert!((58.8..58.9).contains(&slow), "{slow}");
    }

    #[test]
    fn objects_that_wait_for_each_other_take_round_trips() {
        // All twelve objects fit into the first window. Over six connections there are two on each, but for the first.
        let (http2, http1) = (mean(PAGES), mean(&format!("{PAGES}http = \"http1\"\n")));
        assert!((http2 + 0.0999..http2 + 0.1001).contains(&http1), "{http2} {http1}");
    }

    #[test]
    fn a_page_is_loaded_with_its_last_object() {
        let outcome = outcome(&format!("{PAGES}http = \"http1\"\n"));
        // On each connection: the beginning, three round trips, another one or the document, and two objects, of which the document is one.
        let sessions =
            |flow: &str| outcome.sessions.iter().filter(|session| session.flow == flow).collect::<Vec<_>>();
        // The first page belongs to the warm-up.
        let mut load_times = [0.0f64; 11];
        let first = sessions("page");
        for (flow, each) in
            [("page", 6), ("page-1", 7), ("page-2", 7), ("page-3", 7), ("page-4", 7), ("page-5", 7)]
        {
            let all = sessions(flow);
            assert_eq!(all.len(), 11 * each, "{flow}");
            for (number, session) in all.iter().enumerate() {
                let asked = first[number / each * 6];
                let asked = asked.start + asked.delivered.expect("delivered");
                let since = session.delivered.expect("delivered") + session.start - asked;
                load_times[number / each] = load_times[number / each].max(since);
            }
        }
        let mean = load_times.iter().sum::<f64>() / 11.0;
        let found = outcome.metric("page_load_time_mean").and_then(|metric| metric.value).expect("a value");
        assert!((found - mean).abs() < 1e-9, "{found} {mean}");
    }

    #[test]
    fn a_page_that_has_not_been_asked_for_is_not_delivered() {
        // The run ends between the document and the objects of the second page: at 5.48 s.
        let short = PAGES.replace("59 s", "4.48 s");
        assert!(short != PAGES);
        let of = |text: &str| outcome(text).metric("page_load_time_p99").map(|metric| metric.into_owned());
        let asked = short.replace("page_load_time_mean", "page_load_time_p99");
        let metric = of(&asked).expect("a metric");
        assert!(metric.value.is_none() && metric.reason.is_some(), "{metric:?}");
        let whole = asked.replace("4.48 s", "4.56 s");
        assert!(of(&whole).expect("a metric").value.is_some());
    }
}
