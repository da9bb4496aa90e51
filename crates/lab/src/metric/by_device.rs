//! Groups of devices, by the names of their flows: the metrics of each group.

use super::run::sum_of;
use super::sessions::times;
use super::*;
use airfair_metrics as formula;

/// One for each group of `wifi/home`, and of the scenarios of Flent's tests. A metric needs a name before a scenario is loaded, so the groups are listed here.
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

        const MEANS: &[Metric] = &[$(Metric {
            name: concat!("finish_time_", $group, "_mean"),
            title: concat!("Mean finish time, ", $group),
            unit: "s",
            range: FROM_ZERO,
            larger_is_better: Some(false),
            definition: concat!(
                "As finish_time_delivered_mean, of the flows whose names are `", $flow, "` and a number, or `", $flow,
                "-` and more. A session that is not delivered counts with its time until the end of the run, which makes this a lower \
                 bound."
            ),
            source: JUNG_OWN,
            note: None,
            compute: Compute::Run(|run| formula::mean(&times_so_far(run, $flow))),
        }),+];

        /// One value for each session of the group.
        pub const DISTRIBUTIONS: &[Distribution] = &[$(Distribution {
            name: concat!("finish_time_", $group),
            title: concat!("finish time, ", $group),
            mean: concat!("finish_time_", $group, "_mean"),
            values: Values::Sessions(|sessions| times(&of(sessions, $flow), Stage::Delivered)),
        }),+];

        /// The group that a metric or its mean is of, among those listed: its title ends with it.
        pub fn group(metric: &str) -> Option<&'static str> {
            let title = metrics().find(|of| of.name == metric)?.title;
            [$($group),+].into_iter().find(|group| title.strip_suffix(group).is_some_and(|rest| rest.ends_with(", ")))
        }
    };
}

groups!["calls" "call", "sensors" "sensor", "pages" "page", "streams" "stream", "downloads" "download", "cameras" "camera", "uploads" "upload"];

pub const FAMILIES: &[&[Metric]] = &[THROUGHPUTS, MEANS];

/// Whether a flow of this name belongs to the group whose flows are named `group`.
fn is_of(flow: &str, group: &str) -> bool {
    let rest = flow.strip_prefix(group);
    rest.is_some_and(|rest| rest.starts_with('-') || rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The sessions of a group.
fn of(sessions: &[SessionRecord], group: &str) -> Vec<SessionRecord> {
    sessions.iter().filter(|session| is_of(&session.flow, group)).cloned().collect()
}

/// Of each session of a group: until it was delivered, or else until the end of the run.
fn times_so_far(run: &Run<'_>, group: &str) -> Vec<f64> {
    let end = run.record.end.as_secs();
    let time = |session: &SessionRecord| session.delivered.unwrap_or(end - session.start);
    of(&run.sessions, group).iter().map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn descriptions_name_the_group() {
        let group = |name| metric(name).expect("a metric").description().group;
        assert_eq!(group("throughput_cameras"), Some("cameras"));
        assert_eq!(group("finish_time_calls_p95"), Some("calls"));
        assert_eq!(group("finish_time_delivered_p95"), None);
    }
}
