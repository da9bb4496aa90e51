//! How well each device was served.

mod bulk;

use crate::grade::{BULK, CALL, GAME, PAGE, REPORT, REQUEST, Rule, STREAM, VIDEO_CALL};
use crate::metric::{Fates, NO_TIME, Run, Slow, calls, pages, streams, video_calls};
use crate::outcome::DeviceRecord;
use crate::readable::number;
use airfair_core::Time;
use airfair_metrics::{Unfinished, mean, quantile_with_unfinished};
use airfair_scenario::resolved::{Direction, Flow, Scenario, Traffic};
use airfair_sim::Session;
use std::collections::BTreeMap;

/// Share of a flow's datagrams above which their loss alone decides, whatever delays the others had.
const LOST: f64 = 0.05;

/// The node of a wireless station, and one of its applications as [`Rule::application`] names it.
type Use = (usize, &'static str);

/// Returns a record for each wireless station and application that it uses, in the order of the flows. Returns nothing if no flow has
/// `voice`, `video_call`, `web`, `video` or `game` traffic.
pub fn devices(run: &Run<'_>) -> Vec<DeviceRecord> {
    let flows = &run.scenario.flows;
    if !flows.iter().any(|flow| [&CALL, &VIDEO_CALL, &PAGE, &STREAM, &GAME].contains(&rule(flow))) {
        return Vec::new();
    }
    let mut found = found(run);
    let mut uses: Vec<(Use, &'static Rule)> = Vec::new();
    for flow in flows {
        for node in stations(run.scenario, flow) {
            let of = ((node, rule(flow).application), rule(flow));
            if !uses.contains(&of) {
                uses.push(of);
            }
        }
    }
    let device = |(of, rule): (Use, &Rule)| {
        let (value, reason, fails) = match found.remove(&of).unwrap_or_default().judged(rule) {
            Judged::Value(value) => (Some(value), None, false),
            Judged::Unknown(reason) => (None, Some(reason), false),
            Judged::Fails(reason) => (None, Some(reason), true),
        };
        let (name, application) = (run.scenario.nodes[of.0].name.clone(), of.1.to_owned());
        DeviceRecord { name, application, value, reason, fails }
    };
    uses.into_iter().map(device).collect()
}

/// What a run shows of one application of a device.
#[derive(Default)]
struct Found {
    /// Values of all that is finished: calls, pages, streams, reports, or flows of requests.
    values: Vec<f64>,
    /// For all that is not finished, the time in seconds that it has taken so far.
    waits: Vec<f64>,
    /// Reasons why something has no value.
    unknown: Vec<String>,
    /// Reasons why something is too bad to have a value.
    failures: Vec<String>,
}

/// A value to be graded, or why there is none.
enum Judged {
    Value(f64),
    /// Nothing shows how good the service was.
    Unknown(String),
    /// The grade is F.
    Fails(String),
}

impl Found {
    /// Judges the application. Something that the end of the run cuts off takes longer than it has so far. So that time counts if it is
    /// worse than the mean of the others, or, where nothing is finished, if it is an F by itself.
    fn judged(mut self, rule: &Rule) -> Judged {
        if !self.failures.is_empty() {
            return Judged::Fails(self.failures.swap_remove(0));
        }
        let Ok(finished) = mean(&self.values) else {
            return match mean(&self.waits) {
                Ok(wait) if wait > rule.last_limit() => Judged::Value(wait),
                Ok(_) => Judged::Unknown("nothing of it is over by the end of the run".to_owned()),
                Err(_) if self.unknown.is_empty() => {
                    Judged::Unknown("nothing of it starts in the measured window".to_owned())
                }
                Err(_) => Judged::Unknown(self.unknown.swap_remove(0)),
            };
        };
        let longer = self.waits.into_iter().filter(|&wait| wait > finished);
        self.values.extend(longer);
        Judged::Value(mean(&self.values).unwrap_or(finished))
    }
}

/// Returns the rule that grades a flow.
fn rule(flow: &Flow) -> &'static Rule {
    match flow.traffic {
        Traffic::Persistent { .. } => &BULK,
        Traffic::Intermittent { .. } | Traffic::Trace { .. } => &REPORT,
        Traffic::Voice { .. } => &CALL,
        Traffic::Web { .. } => &PAGE,
        Traffic::Video { .. } => &STREAM,
        Traffic::RequestResponse { .. } => &REQUEST,
        Traffic::VideoCall { .. } => &VIDEO_CALL,
        Traffic::Game { .. } => &GAME,
    }
}

/// Returns the wireless stations at the ends of a flow.
fn stations(scenario: &Scenario, flow: &Flow) -> Vec<usize> {
    match flow.direction {
        Direction::Up => vec![flow.source],
        Direction::Down => vec![flow.sink],
        Direction::Other => {
            let is_station =
                |node: &usize| scenario.wlans.iter().any(|wlan| wlan.members[1..].contains(node));
            [flow.source, flow.sink].into_iter().filter(is_station).collect()
        }
    }
}

/// Collects what is to be graded, by station and application.
fn found(run: &Run<'_>) -> BTreeMap<Use, Found> {
    let (flows, warmup, end) = (&run.scenario.flows, run.record.warmup, run.record.end);
    let mut all: BTreeMap<Use, Found> = BTreeMap::new();
    let mut add = |flow: &Flow, note: &dyn Fn(&mut Found)| {
        for node in stations(run.scenario, flow) {
            note(all.entry((node, rule(flow).application)).or_default());
        }
    };
    for call in calls(run).unwrap_or_default() {
        add(&flows[call.flow], &|found| match &call.rating {
            Ok(rating) => found.values.push(rating.r),
            Err(undefined) => found.unknown.push(undefined.to_string()),
        });
    }
    for call in video_calls(run) {
        add(&flows[call.flow], &|found| match call.slow {
            Slow::Delay(delay) => found.values.push(delay),
            Slow::Lost(lost) => found.failures.push(format!("{} of its frames are lost", percent(lost))),
            Slow::Unknown => found.unknown.push("no frame is shown by the end of the run".to_owned()),
        });
    }
    for page in pages(run).unwrap_or_default() {
        add(&flows[page.flow], &|found| found.wait(page.start, page.loaded, end));
    }
    for stream in streams(run).unwrap_or_default() {
        add(&flows[stream.flow], &|found| match stream.stopped {
            Some(stopped) => found.values.push(stopped),
            None => found.unknown.push(NO_TIME.to_string()),
        });
    }
    for (flow, sessions) in flows.iter().zip(&run.record.sessions) {
        let measured: Vec<&Session> = sessions.iter().filter(|session| session.start >= warmup).collect();
        let rule = rule(flow);
        if [&REQUEST, &GAME].contains(&rule) && !measured.is_empty() {
            let fates = Fates::of(measured, end, rule, |request| request.acked);
            add(flow, &|found| found.responses(&fates));
        } else if rule == &REPORT && flow.is_udp() && !measured.is_empty() {
            let fates = Fates::of(measured, end, rule, |report| report.delivered);
            add(flow, &|found| found.datagrams(&fates));
        } else if rule == &REPORT {
            for report in measured {
                add(flow, &|found| found.wait(report.start, report.delivered, end));
            }
        }
    }
    for (node, share) in bulk::shares(run) {
        let found = all.entry((node, BULK.application)).or_default();
        match share {
            Ok(share) => found.values.push(share),
            Err(reason) => found.unknown.push(reason.to_owned()),
        }
    }
    all
}

impl Found {
    /// Adds something that began at `start` and is finished at `until`, or not by the `end` of the run.
    fn wait(&mut self, start: Time, until: Time, end: Time) {
        let wait = until.min(end).since(start).as_secs();
        if until < Time::NEVER { &mut self.values } else { &mut self.waits }.push(wait);
    }

    /// Adds a flow of requests. They are not retransmitted: a request without an answer counts as slower than all others.
    fn responses(&mut self, fates: &Fates) {
        let slow = quantile_with_unfinished(&fates.times, Unfinished::Above(fates.lost), 0.95);
        match (slow, fates.share()) {
            (Ok(slow), _) => self.values.push(slow),
            (Err(_), Some(lost)) => self.failures.push(format!("{} are not answered", percent(lost))),
            (Err(_), None) => self.unknown.push("no answer comes by the end of the run".to_owned()),
        }
    }

    /// Adds a flow of reports in datagrams, which are not retransmitted.
    fn datagrams(&mut self, fates: &Fates) {
        match fates.share() {
            Some(lost) if lost > LOST => self.failures.push(format!("{} are not delivered", percent(lost))),
            Some(_) => self.values.extend(&fates.times),
            None => self.unknown.push("nothing of it is over by the end of the run".to_owned()),
        }
    }
}

fn percent(share: f64) -> String {
    format!("{} %", number(100.0 * share, 2))
}

#[cfg(test)]
mod tests {
    use super::{Found, Judged, PAGE};
    use crate::{Experiment, summary};
    use airfair_scenario::Override;
    use serde_json::Value;
    use std::collections::BTreeMap;

    fn devices(source: &str, set: &[(&str, &str)]) -> Vec<Value> {
        let set: Vec<_> =
            set.iter().map(|&(name, value)| Override { name: name.into(), value: value.into() }).collect();
        let experiment = if source.contains('\n') {
            Experiment::parse(source, "test.toml", &set)
        } else {
            Experiment::load(source, &set)
        };
        let experiment = experiment.unwrap();
        let outcomes = [1, 2].map(|seed| experiment.run(seed, &[]));
        summary(&experiment, &outcomes)["devices"].as_array().expect("a list").clone()
    }

    /// Settings of a home without endless transfers.
    const QUIET: &[(&str, &str)] = &[
        ("sensor_count", "2"),
        ("download_count", "0"),
        ("camera_count", "0"),
        ("duration", "8 s"),
        ("wan_down", "100 Mb/s"),
    ];

    #[test]
    fn a_quiet_home_is_good_for_all() {
        let devices = devices("wifi/home", QUIET);
        let named = |application: &str| {
            devices.iter().filter(|device| device["application"] == application).collect::<Vec<_>>()
        };
        assert_eq!(
            ["call", "report", "page", "stream", "bulk"].map(|kind| named(kind).len()),
            [2, 2, 3, 1, 0]
        );
        for call in named("call") {
            assert!(["A", "B"].contains(&call["grade"].as_str().unwrap()), "{call}");
            assert_eq!(call["measure"], "rating factor");
        }
        assert_eq!(named("stream")[0]["grade"], "A");
        assert_eq!(named("stream")[0]["device"], "tv0");
    }

    #[test]
    fn a_narrow_wire_is_shared_fairly_by_those_who_fill_it() {
        // The wire to the cameras has a tenth of the rate of the wire to the downloads, so the fair rate of a camera is its part of that
        // wire.
        let set = [
            ("sensor_count", "0"),
            ("page_count", "0"),
            ("stream_count", "0"),
            ("call_count", "1"),
            ("far_distance", "4 m"),
            ("camera_distance", "4 m"),
            ("wan_down", "40 Mb/s"),
            ("wan_up", "4 Mb/s"),
            ("shaper", "on"),
            ("policy", "airtime"),
            ("duration", "10 s"),
        ];
        for device in devices("wifi/home", &set).iter().filter(|device| device["application"] == "bulk") {
            assert!(["A", "B"].contains(&device["grade"].as_str().unwrap()), "{device}");
            assert!(device["value"].as_f64().unwrap() <= 1.0);
        }
    }

    #[test]
    fn a_video_call_is_graded_by_the_slow_frames_of_its_worse_direction() {
        let set = |extra: &[(&'static str, &'static str)]| {
            let alone = [("video_call_count", "1"), ("stream_count", "0"), ("page_count", "0")];
            let all: Vec<_> = QUIET.iter().copied().chain(alone).chain(extra.iter().copied()).collect();
            let found = devices("wifi/home", &all);
            found.into_iter().find(|device| device["application"] == "video_call").expect("a tablet")
        };
        let near = set(&[]);
        assert_eq!((near["grade"].as_str(), near["device"].as_str()), (Some("A"), Some("tablet0")));
        assert!(near["value"].as_f64().unwrap() > 0.01, "the way to the server alone: {near}");
        assert_eq!(set(&[("rtt", "600 ms")])["grade"], "D");
        // The way up alone is slow.
        let slow = set(&[("link.reverse.delay", "900 ms")]);
        assert_eq!(slow["grade"], "F", "{slow}");
        let cut = set(&[("link.loss.model", "bernoulli"), ("link.loss.probability", "0.9")]);
        assert!(
            cut["reason"].as_str().is_some_and(|reason| reason.ends_with("of its frames are lost")),
            "{cut}"
        );
    }

    #[test]
    fn a_game_is_graded_by_its_slow_answers() {
        let set = |extra: &[(&'static str, &'static str)]| {
            // Segments of a stream wait at the modem, and the packets of the game behind them.
            let alone = [("game_count", "1"), ("stream_count", "0")];
            let all: Vec<_> = QUIET.iter().copied().chain(alone).chain(extra.iter().copied()).collect();
            let found = devices("wifi/home", &all);
            found.into_iter().find(|device| device["application"] == "game").expect("a console")
        };
        let near = set(&[]);
        assert_eq!((near["grade"].as_str(), near["device"].as_str()), (Some("A"), Some("console0")));
        // No answer comes in less than the round-trip time.
        assert_eq!(set(&[("rtt", "300 ms")])["grade"], "D");
        let cut = set(&[("link.loss.model", "bernoulli"), ("link.loss.probability", "0.2")]);
        assert_eq!(cut["grade"], "F", "more than one in twenty is not answered: {cut}");
    }

    /// Returns the devices of a network of 802.11ac with stations s1 to s3 and these flows, in a run of this length, by their names and
    /// applications.
    fn wlan(duration: &str, wire: &str, flows: &[&str]) -> BTreeMap<(String, String), Value> {
        let mut text = format!(
            "[run]\nduration = \"{duration}\"\nmetrics = [\"throughput_total\"]\n[tcp]\nprofile = \"linux\"\n[[node]]\nname = \"server\"\n\
             [[link]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"1 Gb/s\"\ndelay = \"10 ms\"\nqueue = 1000\n{wire}\n\
             [[wlan]]\nname = \"home\"\nap = \"ap\"\nphy = \"802.11ac\"\n[[wlan.station]]\nname = \"s{{i}}\"\ncount = 3\n"
        );
        for (number, flow) in flows.iter().enumerate() {
            let (ends, settings) = flow.split_once(' ').unwrap();
            let (from, to) = ends.split_once('>').unwrap();
            text +=
                &format!("[[flow]]\nname = \"f{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{settings}\n");
        }
        devices(&text, &[])
            .into_iter()
            .map(|device| {
                let word = |key: &str| device[key].as_str().unwrap().to_owned();
                ((word("device"), word("application")), device)
            })
            .collect()
    }

    fn graded<'a>(
        found: &'a BTreeMap<(String, String), Value>,
        device: &str,
        application: &str,
    ) -> (Option<&'a str>, Option<&'a str>) {
        let device = &found[&(device.to_owned(), application.to_owned())];
        (device["grade"].as_str(), device["reason"].as_str())
    }

    const DEAD: &str = "loss = { model = \"bernoulli\", probability = 1.0 }";
    const CALL_OF_S2: &str = "s2>server traffic = \"voice\"";

    #[test]
    fn one_call_says_nothing_of_another_one() {
        let late = "s1>server traffic = \"voice\"\nstart = \"4.985 s\"";
        let found = wlan("5 s", "", &[CALL_OF_S2, late]);
        assert_eq!(graded(&found, "s2", "call"), (Some("A"), None));
        let nothing = "there are no voice frames to be played before the end of the run";
        assert_eq!(graded(&found, "s1", "call"), (None, Some(nothing)));
    }

    #[test]
    fn nothing_is_good_because_the_run_ends() {
        let flows = [
            CALL_OF_S2,
            "server>s0 traffic = \"web\"\nperiod = \"20 s\"",
            "s1>server traffic = \"game\"",
            "s1>server traffic = \"request_response\"\nperiod = \"200 ms\"",
            "s0>server traffic = \"intermittent\"\nperiod = \"5 s\"\nsession_bytes = \"2 kB\"",
            "s1>server traffic = \"persistent\"",
            "server>s2 traffic = \"persistent\"",
        ];
        let of = [
            ("s2", "call"),
            ("s0", "page"),
            ("s1", "game"),
            ("s1", "request"),
            ("s0", "report"),
            ("s1", "bulk"),
            ("s2", "bulk"),
        ];
        let grades = |duration: &str| {
            let found = wlan(duration, DEAD, &flows);
            let grade =
                |&(device, application): &_| graded(&found, device, application).0.unwrap_or("-").to_owned();
            of.iter().map(grade).collect::<String>()
        };
        // An answer that has not come yet may still come within the limits.
        assert_eq!(grades("0.9 s"), "F------");
        assert_eq!(grades("3 s"), "F-F--FF");
        assert_eq!(grades("12 s"), "FFFFFFF");
    }

    #[test]
    fn requests_on_their_way_at_the_end_do_not_count() {
        let wire = "reverse.delay = \"140 ms\"";
        let game = ["s1>server traffic = \"game\""];
        for duration in ["2 s", "5 s"] {
            assert_eq!(graded(&wlan(duration, wire, &game), "s1", "game"), (Some("C"), None), "{duration}");
        }
        let lossy = "loss = { model = \"bernoulli\", probability = 0.1 }";
        let found = wlan("10 s", lossy, &game);
        let (grade, reason) = graded(&found, "s1", "game");
        assert!(grade == Some("F") && reason.unwrap().ends_with("% are not answered"), "{reason:?}");
    }

    #[test]
    fn reports_that_are_not_sent_again_are_judged_by_those_that_come() {
        let report = "s1>server traffic = \"intermittent\"\nperiod = \"100 ms\"\nsession_bytes = \"500 B\"\nudp = { rate = \"1 Mb/s\" }";
        let with = |duration: &str, probability: &str| {
            let wire = format!("loss = {{ model = \"bernoulli\", probability = {probability} }}");
            wlan(duration, &wire, &[CALL_OF_S2, report])
        };
        for duration in ["10 s", "60 s"] {
            assert_eq!(graded(&with(duration, "0.02"), "s1", "report"), (Some("A"), None), "{duration}");
        }
        let found = with("10 s", "0.3");
        let (grade, reason) = graded(&found, "s1", "report");
        assert!(grade == Some("F") && reason.unwrap().ends_with("% are not delivered"), "{reason:?}");
    }

    #[test]
    fn a_page_that_the_end_cuts_off_only_makes_it_worse() {
        let judged = |values: &[f64], waits: &[f64]| {
            let found = Found { values: values.to_vec(), waits: waits.to_vec(), ..Found::default() };
            match found.judged(&PAGE) {
                Judged::Value(value) => Some(value),
                _ => None,
            }
        };
        assert_eq!(judged(&[2.0, 4.0], &[1.0]), Some(3.0));
        assert_eq!(judged(&[2.0, 4.0], &[9.0, 1.0]), Some(5.0));
        assert_eq!((judged(&[], &[9.0]), judged(&[], &[11.0])), (None, Some(11.0)));
        assert_eq!(judged(&[], &[]), None);
    }

    const DOWNLOAD: &str = "server>s1 traffic = \"persistent\"";

    #[test]
    fn a_flow_that_sends_at_a_fixed_rate_wants_no_more() {
        let camera = "s0>server udp = { rate = \"1 Mb/s\" }";
        let grade = |wire: &str| {
            let found = wlan("5 s", wire, &[CALL_OF_S2, DOWNLOAD, camera]);
            ["s0", "s1"].map(|device| graded(&found, device, "bulk").0.map(str::to_owned))
        };
        assert_eq!(grade(""), [Some("A".to_owned()), Some("A".to_owned())]);
        // Half of the packets are lost.
        let half = "loss = { model = \"bernoulli\", probability = 0.5 }";
        assert_eq!(grade(half)[0], Some("C".to_owned()));
        let alone = wlan("5 s", half, &[CALL_OF_S2, camera]);
        assert_eq!(graded(&alone, "s0", "bulk").0, Some("C"));
    }

    #[test]
    fn a_transfer_is_judged_by_the_time_in_which_it_is_there() {
        let late = "server>s2 traffic = \"persistent\"\nstart = \"4.5 s\"";
        let stopped = "server>s0 traffic = \"persistent\"\nstop = \"2 s\"";
        let found = wlan("6 s", "discipline.kind = \"fq_codel\"", &[CALL_OF_S2, DOWNLOAD, late, stopped]);
        for device in ["s0", "s1", "s2"] {
            let grade = graded(&found, device, "bulk").0.expect("a grade");
            assert!(["A", "B"].contains(&grade), "{device} {found:?}");
        }
        // Between its two transfers a station wants nothing.
        let again = "server>s0 traffic = \"persistent\"\nstart = \"8 s\"";
        let found = wlan("10 s", "discipline.kind = \"fq_codel\"", &[CALL_OF_S2, DOWNLOAD, stopped, again]);
        let grade = graded(&found, "s0", "bulk").0.expect("a grade");
        assert!(["A", "B"].contains(&grade), "{found:?}");
        for (start, words) in [("5.5 s", "less than a second"), ("7 s", "nothing of it starts")] {
            let found = wlan("6 s", "", &[CALL_OF_S2, DOWNLOAD, &late.replace("4.5 s", start)]);
            let (grade, reason) = graded(&found, "s2", "bulk");
            assert!(grade.is_none() && reason.unwrap().contains(words), "{start} {reason:?}");
        }
    }

    #[test]
    fn both_ends_of_a_transfer_are_graded_where_there_are_others() {
        let between = "s0>s1 traffic = \"persistent\"";
        let alone = wlan("5 s", "", &[CALL_OF_S2, between]);
        for device in ["s0", "s1"] {
            let (grade, reason) = graded(&alone, device, "bulk");
            assert!(grade.is_none() && reason.unwrap().starts_with("all bulk transfers"), "{reason:?}");
        }
        let found = wlan("5 s", "", &[CALL_OF_S2, between, "server>s2 traffic = \"persistent\""]);
        for device in ["s0", "s1", "s2"] {
            assert!(graded(&found, device, "bulk").0.is_some(), "{device}");
        }
    }

    #[test]
    fn scenarios_of_other_traffic_have_no_devices() {
        assert!(devices("jung/mixed", &[("duration", "5 s")]).is_empty());
    }
}
