//! Requests that are answered, such as pings.

use super::fates::Fates;
use super::run::mean_of;
use super::*;
use crate::grade::{REQUEST, Rule};
use airfair_core::{Span, Time};
use airfair_metrics::{mean, round_trips_per_minute};
use airfair_scenario::resolved::{Flow, Traffic, Transport};
use airfair_sim::Session;
use std::collections::BTreeSet;

pub const FAMILIES: &[&[Metric]] = &[
    &[Metric {
        name: "response_time_mean",
        title: "Mean response time",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Time from the sending of a request until its answer has come, over all requests of all flows of `request_response` that are \
                     sent in the measured window and answered by the end of the run.",
        source: "Usage of the field: RFC 2681 (round-trip delay).",
        note: None,
        compute: Compute::Run(|run| mean_of(&times(run)?.finished, "requests that are answered")),
    }],
    &[
        loss(
            "response_loss_mean",
            "Unanswered requests",
            "Share of the requests sent in the measured window whose answer does not come. One that was sent no longer before the end of the run \
             than the slowest answer of its flow took, or than 4 s if none came, may still be answered, and does not count. Mean over the flows of \
             `request_response` with others.",
            |run| mean(&losses(run)?),
        ),
        loss(
            "response_loss_max",
            "Unanswered requests, worst flow",
            "The greatest of the shares whose mean is response_loss_mean.",
            |run| Ok(losses(run)?.into_iter().fold(0.0, f64::max)),
        ),
    ],
    &[Metric {
        name: "rpm",
        title: "Responsiveness (round trips per minute)",
        unit: "1",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "Responsiveness under working conditions: the mean of 60 s over the trimmed mean response time (the slowest 5 % are left out) of the \
                     requests between two nodes with persistent TCP flows between them, which stands for new connections, and of 60 s over the mean \
                     round trip that these flows measure, which stands for requests on them. Requests between other nodes do not count. The draft \
                     calls less than 300 poor, from 1000 good and from 6000 excellent. Its requests go over TCP and HTTP, those of the last seconds \
                     count, and the mean of those on the flows is trimmed, too. Without TCP's and TLS's handshakes, lost requests, and the \
                     time that data wait in the sender's host, the value here is higher.",
        source: "draft-ietf-ippm-responsiveness-06, \"Aggregating the Measurements\", the TCP-only case.",
        note: None,
        compute: Compute::Run(responsiveness),
    }],
];

/// Distributions with one value for each request.
pub const DISTRIBUTIONS: &[Distribution] = &[Distribution {
    name: "response_time",
    title: "response time",
    mean: "response_time_mean",
    values: Values::Run("requests that are sent", times),
}];

const fn loss(
    name: &'static str,
    title: &'static str,
    definition: &'static str,
    compute: fn(&Run<'_>) -> Value,
) -> Metric {
    LOSS.metric(
        name,
        title,
        definition,
        "Usage of the field: RFC 6673 (round-trip packet loss).",
        Compute::Run(compute),
    )
}

/// Returns for each flow of requests those that are sent in the measured window, if the scenario has such flows.
pub fn sent<'a>(
    run: &Run<'a>,
    asks: impl Fn(&Flow) -> bool,
    flows: &'static str,
) -> Result<Vec<Vec<&'a Session>>, Undefined> {
    let all = run.scenario.flows.iter().zip(&run.record.sessions);
    let asking = all.filter(|(flow, _)| asks(flow));
    let measured = asking
        .map(|(_, sessions)| sessions.iter().filter(|session| session.start >= run.record.warmup).collect());
    let requests: Vec<_> = measured.collect();
    if requests.is_empty() { Err(Undefined::Nothing(flows)) } else { Ok(requests) }
}

fn requests<'a>(run: &Run<'a>) -> Result<Vec<Vec<&'a Session>>, Undefined> {
    sent(run, |flow| is_request(&flow.traffic), "flows of requests")
}

fn is_request(traffic: &Traffic) -> bool {
    matches!(traffic, Traffic::RequestResponse { .. })
}

fn responsiveness(run: &Run<'_>) -> Value {
    let between = |flow: &Flow| [flow.source.min(flow.sink), flow.source.max(flow.sink)];
    let flows = &run.scenario.flows;
    let asking: BTreeSet<_> = flows.iter().filter(|flow| is_request(&flow.traffic)).map(between).collect();
    // The nodes between which there is load, and its mean round-trip times.
    let loading = run.configured_flows().filter(|(flow, _)| {
        matches!(flow.traffic, Traffic::Persistent { .. })
            && matches!(flow.transport, Transport::Tcp { .. })
            && asking.contains(&between(flow))
    });
    let loading: Vec<_> =
        loading.filter_map(|(flow, record)| Some((between(flow), record.rtt_mean?))).collect();
    if loading.is_empty() {
        return Err(Undefined::Nothing("round trips of persistent TCP flows between the ends of requests"));
    }
    let round_trips: Vec<f64> = loading.iter().map(|&(_, round_trip)| round_trip).collect();
    let meets_load =
        |flow: &Flow| is_request(&flow.traffic) && loading.iter().any(|&(loaded, _)| loaded == between(flow));
    let requests = sent(run, meets_load, "flows of requests")?;
    round_trips_per_minute(&response_times(requests).finished, mean(&round_trips)?)
}

fn times(run: &Run<'_>) -> Result<Sample, Undefined> {
    Ok(response_times(requests(run)?))
}

fn losses(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    let losses = unanswered(run, requests(run)?, &REQUEST);
    if losses.is_empty() { Err(Undefined::Nothing("requests that are answered or lost")) } else { Ok(losses) }
}

fn response_time(request: &Session) -> Option<Span> {
    (request.acked < Time::NEVER).then(|| request.acked - request.start)
}

/// Returns the times until answers come, and the number of requests without an answer.
pub fn response_times(requests: Vec<Vec<&Session>>) -> Sample {
    let requests: Vec<_> = requests.into_iter().flatten().collect();
    let finished: Vec<f64> =
        requests.iter().filter_map(|request| response_time(request)).map(Span::as_secs).collect();
    Sample { unfinished: requests.len() - finished.len(), finished }
}

/// Returns for each flow the share of its requests that were lost, or whose answers were; flows without requests to count
/// are left out. `rule` grades such flows.
pub fn unanswered(run: &Run<'_>, requests: Vec<Vec<&Session>>, rule: &Rule) -> Vec<f64> {
    let fates = |requests| Fates::of(requests, run.record.end, rule, |request| request.acked);
    requests.into_iter().filter_map(|requests| fates(requests).share()).collect()
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    /// Pings over a wire of 30 ms one way and 10 ms back, which is slow on the way back.
    const PINGS: &str = r#"
[run]
duration = "10.1 s"
metrics = ["response_time_mean"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "1 Gb/s"
delay = "30 ms"
reverse.rate = "8 Mb/s"
reverse.delay = "10 ms"
[[flow]]
name = "ping"
from = "a"
to = "b"
traffic = "request_response"
period = "200 ms"
response_bytes = "972 B"
"#;

    #[test]
    fn an_answer_takes_the_way_there_and_back() {
        // At 1 Gb/s, 84 B take 672 ns; at 8 Mb/s, 1000 B take 1 ms.
        for name in ["response_time_mean", "response_time_p50", "response_time_p99"] {
            assert!((value(PINGS, name).unwrap() - 0.041_000_672).abs() < 1e-9, "{name}");
        }
        assert_eq!(value(PINGS, "response_loss_max"), Ok(0.0));
    }

    #[test]
    fn what_is_lost_on_either_way_is_not_answered() {
        let often = PINGS.replace("200 ms", "2 ms");
        let lossy = often
            .replace("rate = \"1 G", "loss = { model = \"bernoulli\", probability = 0.2 }\nrate = \"1 G");
        let share = value(&lossy, "response_loss_mean").unwrap();
        assert!((share - (1.0 - 0.8 * 0.8)).abs() < 0.03, "{share}");
        assert!(value(&lossy, "response_time_p99").is_err(), "among those that are lost");
    }

    #[test]
    fn a_request_on_its_way_at_the_end_is_not_lost() {
        // The last request, at 10 s, has another 20 ms.
        let short = PINGS.replace("10.1 s", "10.02 s");
        assert_eq!(value(&short, "response_loss_mean"), Ok(0.0));
        let never = PINGS.replace(
            "rate = \"1 Gb/s\"",
            "rate = \"1 Gb/s\"\nloss = { model = \"bernoulli\", probability = 1.0 }",
        );
        assert_eq!(value(&never, "response_loss_mean"), Ok(1.0));
        let nothing = Err("there are no requests that are answered".to_owned());
        assert_eq!(value(&never, "response_time_mean"), nothing);
        // The first answer would come 41 ms after 10.08 s.
        let first = PINGS.replace("period =", "start = \"10.08 s\"\nperiod =");
        assert!(value(&first, "response_loss_mean").is_err(), "not lost yet");
        // No request is sent.
        let late = PINGS.replace("period =", "start = \"20 s\"\nperiod =");
        let nothing = Err("there are no requests that are answered or lost".to_owned());
        for name in ["response_loss_mean", "response_loss_max"] {
            assert_eq!(value(&late, name), nothing, "{name}");
        }
        assert_eq!(value(&late, "response_time_p95"), Err("there are no requests that are sent".to_owned()));
    }

    #[test]
    fn responsiveness_is_of_pings_and_of_the_flows_that_load_the_network() {
        let nothing =
            Err("there are no round trips of persistent TCP flows between the ends of requests".to_owned());
        assert_eq!(value(PINGS, "rpm"), nothing);
        let flow = "[[flow]]\nname = \"load\"\nfrom = \"a\"\nto = \"b\"\n";
        // A window of two segments never fills the wire: both see the path at rest.
        let loaded = format!("{PINGS}{flow}[flow.tcp]\nmax_window = 2\n");
        let rpm = value(&loaded, "rpm").unwrap();
        assert!((60.0 / 0.0420..=60.0 / 0.0400).contains(&rpm), "{rpm}");
        // The flow may have the opposite direction, but not another node.
        let other =
            loaded.replace("from = \"a\"\nto = \"b\"\n[flow.tcp]", "from = \"b\"\nto = \"a\"\n[flow.tcp]");
        assert!(other != loaded && value(&other, "rpm").is_ok());
        let third = "[[node]]\nname = \"c\"\n[[link]]\nfrom = \"a\"\nto = \"c\"\nrate = \"1 Gb/s\"\ndelay = \"1 ms\"\n[[flow]]\nname = \"load\"\nfrom = \"a\"\nto = \"c\"\n";
        assert_eq!(value(&format!("{PINGS}{third}"), "rpm"), nothing);
    }

    #[test]
    fn requests_elsewhere_do_not_meet_the_load() {
        let flow = "[[flow]]\nname = \"load\"\nfrom = \"a\"\nto = \"b\"\n[flow.tcp]\nmax_window = 2\n";
        let loaded = format!("{PINGS}{flow}");
        let idle = "[[node]]\nname = \"c\"\n[[link]]\nfrom = \"a\"\nto = \"c\"\nrate = \"1 Gb/s\"\ndelay = \"1 ms\"\n[[flow]]\nname = \"near\"\nfrom = \"a\"\n\
                    to = \"c\"\ntraffic = \"request_response\"\nperiod = \"10 ms\"\n";
        assert_eq!(value(&format!("{loaded}{idle}"), "rpm"), value(&loaded, "rpm"));
    }

    #[test]
    fn without_requests_there_is_nothing_to_answer() {
        let other = PINGS.replace(
            "traffic = \"request_response\"",
            "traffic = \"intermittent\"\nsession_bytes = \"1 kB\"",
        );
        let other = other.replace("response_bytes = \"972 B\"", "");
        for name in ["response_time_mean", "response_time_p95", "response_loss_mean", "response_loss_max"] {
            assert_eq!(value(&other, name), Err("there are no flows of requests".to_owned()), "{name}");
        }
    }
}
