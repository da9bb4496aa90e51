//! How good it was for each device.

use crate::grade::{BULK, CALL, GAME, PAGE, REPORT, REQUEST, Rule, STREAM};
use crate::metric::{Run, calls, pages, streams};
use crate::outcome::DeviceRecord;
use airfair_core::Time;
use airfair_metrics::{mean, quantile};
use airfair_scenario::resolved::{Direction, Flow, HopRef, Scenario, Traffic};
use airfair_sim::Session;
use std::collections::BTreeMap;

/// A wireless station, as a node, and one of its applications, as [`Rule::application`] has it.
type Use = (usize, &'static str);

/// One for each wireless station and thing that it does, in the order of the flows; none where no flow is of `voice`, `web`, `video`
/// or `game`.
pub fn devices(run: &Run<'_>) -> Vec<DeviceRecord> {
    let flows = &run.scenario.flows;
    if !flows.iter().any(|flow| [&CALL, &PAGE, &STREAM, &GAME].contains(&rule(flow))) {
        return Vec::new();
    }
    let values = values(run);
    let mut uses: Vec<Use> = Vec::new();
    for flow in flows {
        for node in stations(run.scenario, flow) {
            let of = (node, rule(flow).application);
            if !uses.contains(&of) {
                uses.push(of);
            }
        }
    }
    let device = |of: Use| {
        let value = values.get(&of).and_then(|values| mean(values).ok());
        DeviceRecord {
            name: run.scenario.nodes[of.0].name.clone(),
            application: of.1.to_owned(),
            value,
            reason: value.is_none().then(|| "nothing of it starts in the measured window".to_owned()),
        }
    };
    uses.into_iter().map(device).collect()
}

/// The rule that grades a flow.
fn rule(flow: &Flow) -> &'static Rule {
    match flow.traffic {
        Traffic::Persistent { .. } => &BULK,
        Traffic::Intermittent { .. } | Traffic::Trace { .. } => &REPORT,
        Traffic::Voice { .. } => &CALL,
        Traffic::Web { .. } => &PAGE,
        Traffic::Video { .. } => &STREAM,
        Traffic::RequestResponse { .. } => &REQUEST,
        Traffic::Game { .. } => &GAME,
    }
}

/// The wireless stations at the ends of a flow.
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

/// The values to be graded: one for each call, page, stream, report and flow of requests, and one share for all bulk transfers of a station.
fn values(run: &Run<'_>) -> BTreeMap<Use, Vec<f64>> {
    let (flows, end) = (&run.scenario.flows, run.record.end);
    let mut values: BTreeMap<Use, Vec<f64>> = BTreeMap::new();
    let mut add = |flow: &Flow, value: f64| {
        for node in stations(run.scenario, flow) {
            values.entry((node, rule(flow).application)).or_default().push(value);
        }
    };
    for call in calls(run).unwrap_or_default() {
        add(&flows[call.flow], call.r);
    }
    for page in pages(run).unwrap_or_default() {
        add(&flows[page.flow], page.waited(end));
    }
    for stream in streams(run).unwrap_or_default() {
        add(&flows[stream.flow], stream.stopped);
    }
    for (flow, sessions) in flows.iter().zip(&run.record.sessions) {
        let measured = sessions.iter().filter(|session| session.start >= run.record.warmup);
        if rule(flow) == &REPORT {
            measured.for_each(|session| add(flow, session.delivered.min(end).since(session.start).as_secs()));
        } else if [&REQUEST, &GAME].contains(&rule(flow)) {
            // Nothing is sent again: one without an answer is slower than all others.
            let time = |session: &Session| {
                if session.acked < Time::NEVER {
                    (session.acked - session.start).as_secs()
                } else {
                    run.window
                }
            };
            let times: Vec<f64> = measured.map(time).collect();
            if let Ok(most) = quantile(&times, 0.95) {
                add(flow, most);
            }
        }
    }
    values.extend(shares(run).into_iter().map(|(node, share)| ((node, BULK.application), vec![share])));
    values
}

/// For each station with persistent flows, its throughput over its fair rate, at most 1. The fair rate is an equal part of the throughput of
/// all such stations. If that is less, it is the sum over the station's flows of an equal part of each flow's narrowest link.
fn shares(run: &Run<'_>) -> BTreeMap<usize, f64> {
    let bulk = || {
        let all = run.configured_flows().filter(|(flow, _)| rule(flow) == &BULK);
        all.filter_map(|(flow, record)| {
            Some((*stations(run.scenario, flow).first()?, flow, record.throughput))
        })
    };
    let mut crossing: BTreeMap<(usize, bool), f64> = BTreeMap::new();
    for way in bulk().flat_map(|(_, flow, _)| links(flow)) {
        *crossing.entry(way).or_default() += 1.0;
    }
    let part = |(link, reverse): (usize, bool)| {
        run.scenario.links[link].direction(reverse).rate.bits_per_second() as f64 / crossing[&(link, reverse)]
    };
    // For each station its throughput, and the sum of its parts of links.
    let mut rates: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (node, flow, throughput) in bulk() {
        let rate = rates.entry(node).or_default();
        rate.0 += throughput;
        rate.1 += links(flow).map(part).fold(f64::INFINITY, f64::min);
    }
    let equal = rates.values().map(|(throughput, _)| throughput).sum::<f64>() / rates.len() as f64;
    let share = |(throughput, most): (f64, f64)| {
        let fair = equal.min(most);
        if fair > 0.0 { (throughput / fair).min(1.0) } else { 0.0 }
    };
    rates.into_iter().map(|(node, rate)| (node, share(rate))).collect()
}

/// The wired links on a flow's way.
fn links(flow: &Flow) -> impl Iterator<Item = (usize, bool)> {
    flow.forward.iter().filter_map(|hop| match *hop {
        HopRef::Link { link, reverse } => Some((link, reverse)),
        HopRef::Wlan { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Experiment, summary};
    use airfair_scenario::Override;
    use serde_json::Value;

    fn devices(source: &str, set: &[(&str, &str)]) -> Vec<Value> {
        let set: Vec<_> =
            set.iter().map(|&(name, value)| Override { name: name.into(), value: value.into() }).collect();
        let experiment = Experiment::load(source, &set).unwrap();
        let outcomes = [1, 2].map(|seed| experiment.run(seed, &[]));
        summary(&experiment, &outcomes)["devices"].as_array().expect("a list").clone()
    }

    /// A home without transfers that go on without end.
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
        // The cameras' wire carries a tenth of what the downloads' carries: the fair rate of a camera is its part of that wire.
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
    fn a_game_is_graded_by_its_slow_answers() {
        let set = |extra: &[(&'static str, &'static str)]| {
            // Segments of a stream wait at the modem, and the game behind them.
            let alone = [("game_count", "1"), ("stream_count", "0")];
            let all: Vec<_> = QUIET.iter().copied().chain(alone).chain(extra.iter().copied()).collect();
            let found = devices("wifi/home", &all);
            found.into_iter().find(|device| device["application"] == "game").expect("a console")
        };
        let near = set(&[]);
        assert_eq!((near["grade"].as_str(), near["device"].as_str()), (Some("A"), Some("console0")));
        // Nothing is answered in less than the round trip.
        assert_eq!(set(&[("rtt", "300 ms")])["grade"], "D");
        let cut = set(&[("link.loss.model", "bernoulli"), ("link.loss.probability", "0.2")]);
        assert_eq!(cut["grade"], "F", "more than one in twenty is not answered: {cut}");
    }

    #[test]
    fn scenarios_of_other_traffic_have_no_devices() {
        assert!(devices("jung/mixed", &[("duration", "5 s")]).is_empty());
    }
}
