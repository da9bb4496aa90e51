//! Metrics of groups of devices, which the names of their flows define.

use super::fairness::{JAIN, shares};
use super::run::{mean_of, sum_of};
use super::sessions::times;
use super::*;
use crate::grade::REPORT;
use airfair_core::Time;
use airfair_metrics as formula;
use airfair_scenario::resolved::Flow;
use airfair_sim::Session;

/// Declares the metrics of each group of `wifi/home` and of the scenarios of Flent's tests. A metric needs a name before a scenario is loaded, so the
/// groups are listed here.
macro_rules! groups {
    ($($group:literal $flow:literal),+) => {
        const THROUGHPUTS: &[Metric] = &[$(Metric {
            name: concat!("throughput_", $group),
            title: concat!("Throughput, ", $group),
            unit: "bit/s",
            range: FROM_ZERO,
            larger_is_better: Some(true),
            definition: concat!(
                "throughput_total of the flows whose names are `", $flow, "` and a number, or `", $flow, "-` and more."
            ),
            source: "Usage of the field: RFC 2647, Section 3.17 (goodput).",
            note: None,
            compute: Compute::Run(|run| {
                let flows = run.flows.iter().filter(|flow| is_of(&flow.name, $flow));
                sum_of(&flows.map(|flow| flow.throughput).collect::<Vec<_>>(), "such flows")
            }),
        }),+];

        const EVENNESS: &[Metric] = &[$(Metric {
            larger_is_better: Some(true),
            ..fraction(
                concat!("jain_", $group),
                concat!("Jain's index, ", $group),
                concat!("jain of the flows whose names are `", $flow, "` and a number, or `", $flow, "-` and more."),
                JAIN,
                |run| evenness(&shares(run, |flow| is_of(&flow.name, $flow))),
            )
        }),+];

        const MEANS: &[Metric] = &[$(Metric {
            name: concat!("finish_time_", $group, "_mean"),
            title: concat!("Mean finish time, ", $group),
            unit: "s",
            range: FROM_ZERO,
            larger_is_better: Some(false),
            definition: concat!(
                "As finish_time_delivered_mean, of the flows whose names are `", $flow, "` and a number, or `", $flow,
                "-` and more. A session over TCP that is not delivered counts with its time until the end of the run, which makes this a lower \
                 bound. Over UDP nothing is sent again: sessions that are not delivered are left out, and datagram_loss_", $group,
                " is the share of those that are lost."
            ),
            source: JUNG_OWN,
            note: None,
            compute: Compute::Run(|run| mean_of(&times_so_far(run, $flow)?, "sessions of such flows with a finish time")),
        }),+];

        const LOSSES: &[Metric] = &[$(fraction(
            concat!("datagram_loss_", $group),
            concat!("Lost datagrams, ", $group),
            concat!(
                "Share of the finite sessions over UDP that start in the measured window and are never delivered, of the flows whose names are `", $flow,
                "` and a number, or `", $flow, "-` and more. One that starts no longer before the end of the run than the slowest one of \
                 its flow took, or than 4 s if none came, may still arrive, and does not count. Mean over these flows, as far as they have others."
            ),
            "Usage of the field: RFC 7680 (one-way packet loss).",
            |run| mean_of(&losses(run, $flow)?, "datagrams of such flows"),
        )),+];

        /// Distributions with one value for each session of the group.
        pub const DISTRIBUTIONS: &[Distribution] = &[$(Distribution {
            name: concat!("finish_time_", $group),
            title: concat!("finish time, ", $group),
            mean: concat!("finish_time_", $group, "_mean"),
            values: Values::Sessions(|sessions| times(&of(sessions, $flow), Stage::Delivered)),
        }),+];

        /// Returns the group of the listed metric `metric`, whose title ends with the group. For a quantile, `metric` is its mean.
        pub fn group(metric: &str) -> Option<&'static str> {
            let title = metrics().find(|of| of.name == metric)?.title;
            let groups = [$($group),+].into_iter().chain(OF_APPLICATIONS);
            groups.into_iter().find(|group| title.strip_suffix(group).is_some_and(|rest| rest.ends_with(", ")))
        }
    };
}

groups!["calls" "call", "sensors" "sensor", "pages" "page", "streams" "stream", "downloads" "download", "cameras" "camera", "uploads" "upload"];

/// Groups that have metrics of their application alone.
const OF_APPLICATIONS: [&str; 1] = ["video calls"];

pub const FAMILIES: &[&[Metric]] = &[THROUGHPUTS, EVENNESS, MEANS, LOSSES];

/// Returns Jain's index of the values of a group's flows.
fn evenness(of_flows: &[f64]) -> Value {
    if of_flows.is_empty() { Err(Undefined::Nothing("such flows")) } else { formula::jain(of_flows) }
}

/// Whether a flow of this name belongs to the group whose flows are named `group`.
fn is_of(flow: &str, group: &str) -> bool {
    let rest = flow.strip_prefix(group);
    rest.is_some_and(|rest| rest.starts_with('-') || rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the sessions of a group.
fn of(sessions: &[SessionRecord], group: &str) -> Vec<SessionRecord> {
    sessions.iter().filter(|session| is_of(&session.flow, group)).cloned().collect()
}

/// Returns for each flow of a group its finite sessions that start in the measured window.
fn sessions_of<'a>(run: &'a Run<'_>, group: &str) -> Result<Vec<(&'a Flow, Vec<&'a Session>)>, Undefined> {
    let flows = run.scenario.flows.iter().zip(&run.record.sessions);
    let finite = |session: &&Session| session.bytes.is_some() && session.start >= run.record.warmup;
    let group = flows.filter(|(flow, _)| is_of(&flow.name, group));
    let found: Vec<_> =
        group.map(|(flow, sessions)| (flow, sessions.iter().filter(finite).collect())).collect();
    if found.is_empty() { Err(Undefined::Nothing("such flows")) } else { Ok(found) }
}

/// Returns the time in seconds until each session of a group was delivered. Sessions over TCP that are not delivered yet will be: they count until
/// the end of the run. Those over UDP do not count.
fn times_so_far(run: &Run<'_>, group: &str) -> Result<Vec<f64>, Undefined> {
    let end = run.record.end;
    let times = sessions_of(run, group)?.into_iter().flat_map(|(flow, sessions)| {
        let counts = |session: &&Session| session.delivered < Time::NEVER || !flow.is_udp();
        let time = |session: &Session| session.delivered.min(end).since(session.start).as_secs();
        sessions.into_iter().filter(counts).map(time).collect::<Vec<_>>()
    });
    Ok(times.collect())
}

/// Returns the share of lost datagrams of each flow of a group.
fn losses(run: &Run<'_>, group: &str) -> Result<Vec<f64>, Undefined> {
    let udp = sessions_of(run, group)?.into_iter().filter(|(flow, _)| flow.is_udp());
    let fates =
        udp.map(|(_, sessions)| Fates::of(sessions, run.record.end, &REPORT, |session| session.delivered));
    Ok(fates.filter_map(|fates| fates.share()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::value;

    #[test]
    fn a_group_is_told_by_the_beginning_of_its_flows_names() {
        assert!(is_of("call0", "call") && is_of("call-up12", "call"));
        assert!(!is_of("caller0", "call") && !is_of("call", "call") && !is_of("recall0", "call"));
    }

    #[test]
    fn sessions_of_other_groups_do_not_count() {
        let session = |flow: &str, delivered| SessionRecord {
            flow: flow.to_owned(),
            start: 1.0,
            bytes: 1000,
            ideal: None,
            sent: Some(0.0),
            acked: delivered,
            delivered,
        };
        let sessions = [
            session("page0", Some(3.0)),
            session("sensor0", Some(9.0)),
            session("page1", Some(5.0)),
            session("sensor1", None),
        ];
        let value = |name: &str| metric(name).and_then(|metric| metric.of_sessions(&sessions)).unwrap().value;
        assert_eq!(value("finish_time_pages_p50"), Some(4.0));
        assert_eq!(value("finish_time_sensors_p95"), None, "among those that have not finished");
        assert_eq!(value("finish_time_calls_p50"), None);
    }

    /// A scenario of datagrams over a wire that loses a quarter of them, for this long.
    fn reports(duration: &str) -> String {
        format!(
            "[run]\nduration = \"{duration}\"\nmetrics = [\"finish_time_sensors_mean\"]\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
             [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gb/s\"\ndelay = \"10 ms\"\nloss = {{ model = \"bernoulli\", probability = 0.25 }}\n\
             [[flow]]\nname = \"sensor0\"\nfrom = \"a\"\nto = \"b\"\nudp = {{ rate = \"10 Mb/s\", datagram_bytes = \"100 B\" }}\ntraffic = \"intermittent\"\n\
             session_bytes = \"100 B\"\nperiod = \"10 ms\"\n"
        )
    }

    #[test]
    fn a_lost_datagram_has_no_finish_time() {
        for duration in ["5 s", "60 s"] {
            let mean = value(&reports(duration), "finish_time_sensors_mean").unwrap();
            assert!((mean - 0.01).abs() < 1e-4, "{duration} {mean}");
            let lost = value(&reports(duration), "datagram_loss_sensors").unwrap();
            assert!((lost - 0.25).abs() < 0.06, "{duration} {lost}");
        }
        // A datagram that is in flight at the end of the run is not lost.
        assert_eq!(value(&reports("5.005 s").replace("0.25", "0.0"), "datagram_loss_sensors"), Ok(0.0));
        let none = reports("5 s").replace("0.25", "1.0");
        assert_eq!(value(&none, "datagram_loss_sensors"), Ok(1.0));
        assert!(value(&none, "finish_time_sensors_mean").is_err());
    }

    #[test]
    fn jains_index_of_a_group_leaves_out_all_other_flows() {
        // Over a wire that carries all: downloads of 3 and 1 Mb/s, (3 + 1)^2 / (2 x 10), beside an upload of 9 Mb/s.
        let flow = |name: &str, rate: u32| {
            format!(
                "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\nudp = {{ rate = \"{rate} Mb/s\", datagram_bytes = \"1000 B\" }}\n"
            )
        };
        let network = "[run]\nwarmup = \"1 s\"\nduration = \"10 s\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
                       [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gb/s\"\ndelay = \"1 ms\"\n";
        let text =
            [network.to_owned(), flow("download0", 3), flow("download1", 1), flow("upload0", 9)].concat();
        let index = value(&text, "jain_downloads").unwrap();
        assert!((index - 0.8).abs() < 1e-3, "{index}");
        assert_eq!(value(&text, "jain_uploads"), Ok(1.0));
    }

    #[test]
    fn a_group_without_flows_says_so() {
        for name in
            ["throughput_cameras", "jain_cameras", "finish_time_cameras_mean", "datagram_loss_cameras"]
        {
            assert_eq!(value(&reports("1 s"), name), Err("there are no such flows".to_owned()), "{name}");
        }
    }

    #[test]
    fn descriptions_name_the_group() {
        let group = |name| metric(name).expect("a metric").description().group;
        assert_eq!(group("throughput_cameras"), Some("cameras"));
        assert_eq!(group("jain_cameras"), Some("cameras"));
        assert_eq!(group("finish_time_calls_p95"), Some("calls"));
        assert_eq!(group("voice_mos_mean"), Some("calls"));
        assert_eq!(group("video_call_delay_p95"), Some("video calls"));
        assert_eq!(group("finish_time_delivered_p95"), None);
    }
}
