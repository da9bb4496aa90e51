//! A run as a data file of the network tester Flent (<https://flent.org>), in version 4 of its format. The series over time have the
//! names of one of Flent's tests, so Flent plots them beside its own measurements.
//!
//! A flow's name says which series it becomes: `upload-X` and `download-X` of TCP, `ping-X` of `request_response`, and `voip` of `voice`. Flent writes
//! `TCP upload X`, `TCP download X`, `Ping (ms) X` and `VoIP`, with spaces for hyphens. Other flows are not in the file.

use crate::{ENGINE_VERSION, MODEL_VERSION};
use airfair_core::{Span, Time};
use airfair_metrics::jain;
use airfair_scenario::resolved::{Flow, Scenario, Traffic, Transport};
use airfair_sim::{Quantity, Record, Series, Session};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const FORMAT: u32 = 4;

/// Flent's usual step, which is also the interval of its pings.
const STEP: Span = Span::from_millis(200);

/// Longest time over which Flent interpolates.
const FARTHEST: Span = Span::from_secs(1);

/// Time for which a test of Flent rests before its flows start and after they stop. Flent leaves both out of box plots and distributions.
const REST: Span = Span::from_secs(5);

/// A test of Flent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Flows of several markings in both directions, and pings.
    Rrul,
    /// Like [`Test::Rrul`], but all flows are best effort.
    RrulBe,
    /// Like [`Test::Rrul`], with a call.
    VoipRrul,
    /// Flows to several hosts.
    RttFair,
    /// Uploads.
    TcpNup,
    /// Downloads.
    TcpNdown,
}

impl Test {
    /// Returns the name of the test in Flent.
    pub fn name(self) -> &'static str {
        match self {
            Test::Rrul => "rrul",
            Test::RrulBe => "rrul_be",
            Test::VoipRrul => "voip-rrul",
            Test::RttFair => "rtt_fair",
            Test::TcpNup => "tcp_nup",
            Test::TcpNdown => "tcp_ndown",
        }
    }

    /// Returns the test whose flows have the names of the scenario's flows.
    ///
    /// # Errors
    /// A message if there is no such test.
    pub fn of(scenario: &Scenario) -> Result<Test, String> {
        let mut way: [BTreeSet<String>; 2] = Default::default();
        let (mut pings, mut calls) = (0, 0);
        for flow in &scenario.flows {
            let Some(role) = Role::of(flow)? else { continue };
            match role {
                Role::Tcp(number, rest) => {
                    way[number].insert(rest);
                }
                Role::Ping(_) => pings += 1,
                Role::Voip => calls += 1,
            }
        }
        let are = |names: &[&str]| way.iter().all(|way| way.iter().eq(names));
        let are_numbers = |way: &BTreeSet<String>| way.iter().all(|name| is_number(name));
        let have_hosts = |way: &BTreeSet<String>| way.iter().all(|name| name.contains(' '));
        let test = match (&way, calls) {
            _ if pings == 0 => None,
            (_, 1) if are(&["BE", "BE2", "BE3", "BE4"]) => Some(Test::VoipRrul),
            (_, 0) if are(&["BE", "BE2", "BE3", "BE4"]) => Some(Test::RrulBe),
            (_, 0) if are(&["BE", "BK", "CS5", "EF"]) => Some(Test::Rrul),
            ([up, down], 0) if down.is_empty() && !up.is_empty() && are_numbers(up) => Some(Test::TcpNup),
            ([up, down], 0) if up.is_empty() && !down.is_empty() && are_numbers(down) => Some(Test::TcpNdown),
            ([up, down], 0) if !up.is_empty() && up == down && have_hosts(up) => Some(Test::RttFair),
            _ => None,
        };
        test.ok_or_else(|| {
            format!(
                "the flows of {} do not have the names of a test that Flent has: `upload-BE`, `download-BE`, `ping-ICMP` and so on, as in \
                 flent/rrul, flent/rtt_fair, flent/tcp_nup, flent/tcp_ndown or flent/voip_rrul",
                scenario.name
            )
        })
    }

    fn has_fairness(self) -> bool {
        matches!(self, Test::RttFair | Test::TcpNup | Test::TcpNdown)
    }
}

const WAYS: [(&str, &str); 2] = [("upload", "TCP upload"), ("download", "TCP download")];
const PING: &str = "Ping (ms)";

/// The part that a flow has in a test of Flent.
enum Role {
    /// A TCP flow: the index of its direction in [`WAYS`], and the rest of its name.
    Tcp(usize, String),
    Ping(String),
    Voip,
}

impl Role {
    fn of(flow: &Flow) -> Result<Option<Role>, String> {
        let (kind, rest) = flow.name.split_once('-').unwrap_or((&flow.name, ""));
        let rest = rest.replace('-', " ");
        let is_tcp = matches!(flow.transport, Transport::Tcp { .. });
        let (role, fits, needed) = match (WAYS.iter().position(|(way, _)| *way == kind), kind) {
            (Some(way), _) => (Role::Tcp(way, rest), is_tcp, "TCP"),
            (_, "ping") => {
                let asks = matches!(flow.traffic, Traffic::RequestResponse { .. });
                (Role::Ping(rest), asks, "`request_response` traffic")
            }
            (_, "voip") => (Role::Voip, matches!(flow.traffic, Traffic::Voice { .. }), "`voice` traffic"),
            _ => return Ok(None),
        };
        if !fits {
            return Err(format!(
                "the flow `{}` has the name of a flow of Flent's, but is not {needed}",
                flow.name
            ));
        }
        Ok(Some(role))
    }

    fn series(&self) -> String {
        match self {
            Role::Tcp(way, rest) => {
                let (name, between) = (WAYS[*way].1, if is_number(rest) { "::" } else { " " });
                format!("{name}{between}{rest}")
            }
            Role::Ping(rest) => format!("{PING} {rest}"),
            Role::Voip => "VoIP".to_owned(),
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// One value for each step; `None` where there is none.
type Steps = Vec<Option<f64>>;

/// Returns the data file of a run of a scenario that has a [`Test`], from a record with [`Quantity::Acked`].
///
/// Flent labels the run with `title`. When it draws the mean of several files, it groups them by the names inside them, without a number at the end.
/// The run begins at 1970-01-01 00:00:00 UTC: the format needs a date, and a simulation has none.
pub fn document(scenario: &Scenario, test: Test, seed: u64, title: &str, record: &Record) -> Value {
    let mut file = File {
        end: record.end,
        ends: steps(record.end),
        results: Map::new(),
        raw: Map::new(),
        meta: Map::new(),
    };
    let mut ways: [Vec<Steps>; 2] = Default::default();
    let mut pings = Vec::new();
    let mut hosts: Vec<&str> = Vec::new();
    for (flow, sessions) in scenario.flows.iter().zip(&record.sessions) {
        let Ok(Some(role)) = Role::of(flow) else { continue };
        let (name, other) =
            (role.series(), if matches!(role, Role::Tcp(1, _)) { flow.source } else { flow.sink });
        if !hosts.contains(&scenario.nodes[other].name.as_str()) {
            hosts.push(&scenario.nodes[other].name);
        }
        match role {
            Role::Tcp(way, _) => {
                let is_it =
                    |series: &&Series| series.quantity == Quantity::Acked && series.subject == flow.name;
                let acked = record.series.iter().find(is_it).map_or(&[][..], |series| &series.points);
                let from = sessions.first().map_or(Time::NEVER, |session| session.start).max(record.warmup);
                ways[way].push(file.add_rate(&name, acked, from));
            }
            Role::Ping(_) => pings.push(file.add_pings(&name, sessions)),
            Role::Voip => file.add_voice(&name, sessions),
        }
    }
    for (way, (_, name)) in ways.iter().zip(WAYS).filter(|(way, _)| !way.is_empty()) {
        file.add_combined(&format!("{name} avg"), MEGABITS, way, mean);
        file.add_combined(&format!("{name} sum"), MEGABITS, way, sum);
        if test.has_fairness() {
            file.add_combined(&format!("{name} fairness"), "Idx", way, |values| jain(values).ok());
        }
    }
    if ways.iter().all(|way| !way.is_empty()) {
        file.add_combined("TCP totals", MEGABITS, &ways.concat(), sum);
        file.add_combined(&format!("{PING} avg"), MILLISECONDS, &pings, mean);
    }
    let step = STEP.as_secs();
    let length = record.end.since(record.warmup).as_secs();
    json!({
        "version": FORMAT,
        "metadata": {
            "NAME": test.name(),
            "TITLE": title,
            // Flent groups runs by this name and not by that of the file, so it contains the settings.
            "DATA_FILENAME": format!("{}-{}-{seed}.flent.gz", test.name(), one_word(title)),
            "NOTE": format!("{}, seed {seed}, AirFair {ENGINE_VERSION}, model version {MODEL_VERSION}", scenario.name),
            "HOST": hosts.first(),
            "HOSTS": hosts,
            "LOCAL_HOST": "airfair",
            "TIME": EPOCH,
            "T0": EPOCH,
            "LENGTH": length,
            "TOTAL_LENGTH": length + 2.0 * REST.as_secs(),
            "STEP_SIZE": step,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {"upload_streams": ways[0].len().to_string(), "download_streams": ways[1].len().to_string()},
            "SERIES_META": file.meta,
        },
        "x_values": (0..file.ends.len()).map(|number| number as f64 * step).collect::<Vec<_>>(),
        "results": file.results,
        "raw_values": file.raw,
    })
}

const EPOCH: &str = "1970-01-01T00:00:00.000000Z";
const MEGABITS: &str = "Mbits/s";
const MILLISECONDS: &str = "ms";

/// Returns the ends of all steps of a test whose flows stop at `end`. The first step ends at time zero.
fn steps(end: Time) -> Vec<Time> {
    let last = end + REST;
    (0..).map(|number| Time::ZERO + STEP * number).take_while(|&at| at < last).collect()
}

struct File {
    /// End of the run.
    end: Time,
    /// Ends of the steps.
    ends: Vec<Time>,
    results: Map<String, Value>,
    raw: Map<String, Value>,
    meta: Map<String, Value>,
}

impl File {
    fn add(&mut self, name: &str, unit: &str, values: &Steps) {
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        self.meta.insert(name.to_owned(), json!({"UNITS": unit, "MEAN_VALUE": mean(&known)}));
        self.results.insert(name.to_owned(), json!(values));
    }

    fn add_raw(&mut self, name: &str, points: Vec<Value>) {
        self.raw.insert(name.to_owned(), Value::Array(points));
    }

    /// Adds a flow's throughput in each step, from the total of bytes acknowledged by each of these times, counted from `from` on.
    fn add_rate(&mut self, name: &str, acked: &[(Time, f64)], from: Time) -> Steps {
        let bytes = |at: Time| {
            let known = acked.partition_point(|&(time, _)| time <= at);
            known.checked_sub(1).map_or(0.0, |last| acked[last].1)
        };
        let mut raw = Vec::new();
        let rate = |&at: &Time| {
            let start = Time(at.0.saturating_sub(STEP.0)).max(from);
            if at <= start || at > self.end {
                return None;
            }
            let (lasted, megabits) = (at.since(start).as_secs(), (bytes(at) - bytes(start)) * 8.0 / 1e6);
            raw.push(json!({"t": at.as_secs(), "dur": lasted, "val": megabits / lasted}));
            Some(megabits / lasted)
        };
        let values: Steps = self.ends.iter().map(rate).collect();
        self.add(name, MEGABITS, &values);
        self.add_raw(name, raw);
        values
    }

    /// Adds the times from requests to answers, in the order in which the answers come.
    fn add_pings(&mut self, name: &str, requests: &[Session]) -> Steps {
        let answered = requests.iter().enumerate().filter(|(_, request)| request.acked < Time::NEVER);
        let mut answers: Vec<_> =
            answered.map(|(number, request)| (request.acked, number, request.start)).collect();
        answers.sort_unstable();
        let millis = |&(acked, _, start): &(Time, usize, Time)| milliseconds(acked - start);
        let raw = answers
            .iter()
            .map(|answer| json!({"t": answer.0.as_secs(), "seq": answer.1 + 1, "val": millis(answer)}));
        self.add_raw(name, raw.collect());
        self.add_points(
            name,
            MILLISECONDS,
            &answers.iter().map(|answer| (answer.0, millis(answer))).collect::<Vec<_>>(),
        )
    }

    /// Adds a call's delay, jitter and losses, sampled once a step. The jitter is the difference from the delay of the packet before; the losses are
    /// those since the sample before.
    fn add_voice(&mut self, name: &str, packets: &[Session]) {
        let (mut delays, mut jitters, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        let (mut raw, mut lost, mut before, mut next) = (Vec::new(), 0, None, Time::ZERO);
        let last =
            packets.iter().rposition(|packet| packet.delivered < Time::NEVER).map_or(0, |last| last + 1);
        for (number, packet) in packets[..last].iter().enumerate() {
            if packet.delivered == Time::NEVER {
                lost += 1;
                raw.push(json!({"t": packet.start.as_secs(), "seq": number, "lost": true, "lost_dir": "up"}));
                continue;
            }
            let delay = milliseconds(packet.delivered - packet.start);
            raw.push(json!({"t": packet.delivered.as_secs(), "seq": number, "val": delay, "owd_up": delay}));
            let jitter = before.replace(delay).map_or(0.0, |before: f64| (delay - before).abs());
            if packet.delivered >= next {
                delays.push((packet.delivered, delay));
                jitters.push((packet.delivered, jitter));
                losses.push((packet.delivered, f64::from(lost)));
                (lost, next) = (0, packet.delivered + STEP);
            }
        }
        self.add_raw(name, raw);
        let least = delays.iter().map(|&(_, delay)| delay).fold(f64::INFINITY, f64::min);
        let induced: Vec<_> = delays.iter().map(|&(at, delay)| (at, delay - least)).collect();
        self.add_points(&format!("{name}::delay"), MILLISECONDS, &delays);
        self.add_points(&format!("{name}::jitter"), MILLISECONDS, &jitters);
        self.add_points(&format!("{name}::loss"), "count", &losses);
        self.add_points(&format!("{name}::induced_delay"), MILLISECONDS, &induced);
    }

    /// Adds values at other times than the ends of steps.
    fn add_points(&mut self, name: &str, unit: &str, points: &[(Time, f64)]) -> Steps {
        let values = self.ends.iter().map(|&at| interpolated(points, at)).collect();
        self.add(name, unit, &values);
        values
    }

    /// Adds a series made of several others: at each step, `of` applied to the values that they have there.
    fn add_combined(&mut self, name: &str, unit: &str, series: &[Steps], of: fn(&[f64]) -> Option<f64>) {
        let at = |step: usize| {
            let known: Vec<f64> = series.iter().filter_map(|series| series[step]).collect();
            if known.is_empty() { None } else { of(&known) }
        };
        let values = (0..self.ends.len()).map(at).collect();
        self.add(name, unit, &values);
    }
}

/// Interpolates as Flent does: between the neighbours if the next one is not far; before the first value only shortly before it.
fn interpolated(points: &[(Time, f64)], at: Time) -> Option<f64> {
    let next = points.partition_point(|&(time, _)| time <= at);
    let &(time, value) = points.get(next)?;
    let Some(&(earlier, before)) = next.checked_sub(1).map(|last| &points[last]) else {
        return (time.since(at) <= STEP / 2).then_some(value);
    };
    let part = at.since(earlier).as_secs() / time.since(earlier).as_secs();
    (time.since(at) <= FARTHEST).then_some(before + (value - before) * part)
}

/// Returns a title with underscores in place of everything that is no letter or digit.
fn one_word(title: &str) -> String {
    let parts = title.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_")
}

fn milliseconds(span: Span) -> f64 {
    span.0 as f64 / 1e6
}

fn mean(values: &[f64]) -> Option<f64> {
    airfair_metrics::mean(values).ok()
}

fn sum(values: &[f64]) -> Option<f64> {
    Some(values.iter().sum())
}
