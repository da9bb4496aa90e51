//! One run over time, for a picture: the air, the queue, congestion windows, sessions.

mod draw;
mod occupancy;
mod reduce;

use crate::outcome::{Outcome, SeriesRecord, SessionRecord};
use airfair_metrics as metrics;
use airfair_queue::QueueLimit;
use airfair_scenario::resolved::{Direction, Flow, Scenario, TrafficKind, Transport, Wlan};
use airfair_sim::Quantity;
use reduce::{Steps, grid, held_on, reduced};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

pub use draw::{AirRow, Heading, Picture, SessionRow, Shown, Tables, Told};
pub use occupancy::{AirPanel, Exchanges, Lane, Way};

/// The traces that a timeline needs.
pub const TIMELINE_TRACES: [Quantity; 5] =
    [Quantity::Air, Quantity::Queue, Quantity::Backlog, Quantity::Drops, Quantity::Cwnd];

/// Points along the time axis at which quantities are sampled.
const COLUMNS: usize = 600;
/// Most persistent flows whose windows are given one by one; if there are more, they are summed up.
const SINGLE_FLOWS: usize = 12;

/// Part of a run, ready to be drawn. Times are in seconds since the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// Start of the part shown.
    pub from: f64,
    /// End of the part shown.
    pub to: f64,
    /// All flows.
    pub flows: Vec<FlowFacts>,
    /// For each wireless network, who had the air.
    pub air: Vec<AirPanel>,
    /// The queue of each access point, and that of the link that holds most if it holds more than any access point.
    pub queues: Vec<QueuePanel>,
    /// Congestion windows of flows.
    pub windows: Vec<FlowWindow>,
    /// Congestion windows of persistent flows that are too many to be told apart, by direction.
    pub crowds: Vec<Crowd>,
    /// Finite sessions that are under way in this part of the run. Sessions of a single datagram are left out, because there
    /// are too many.
    pub sessions: Vec<Bar>,
}

/// Facts about a flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowFacts {
    /// Name of the flow.
    pub flow: String,
    /// The user of the flow: its wireless station, or the flow itself if it has none.
    pub user: String,
    /// Traffic of the flow: a word of the key `traffic`, such as `persistent`.
    #[serde(serialize_with = "traffic_word")]
    pub traffic: TrafficKind,
    /// The direction in which the flow crosses the air.
    #[serde(serialize_with = "direction_word")]
    pub direction: Direction,
    /// The window that the flow's receiver advertises, in segments; `None` for UDP.
    pub receive_window: Option<u32>,
}

/// A queue over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueuePanel {
    /// Name of the station or of the link direction.
    pub subject: String,
    /// Whether the queue is an access point's.
    pub access_point: bool,
    /// Most packets that the queue holds; `None` if its limit is in bytes.
    pub limit_packets: Option<u32>,
    /// Most bytes that the queue holds; `None` if its limit is in packets.
    pub limit_bytes: Option<u64>,
    /// Packets held, with the one in service.
    pub held: Steps,
    /// Times when packets were dropped, and how many from each time until the next entry.
    pub drops: Steps,
    /// Of an access point: times at which `backlog` is sampled.
    pub sampled: Vec<f64>,
    /// The packets that an access point holds for each of its users, at the times in `sampled`.
    pub backlog: Vec<Backlog>,
}

/// The packets that an access point holds for one station.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Backlog {
    /// Name of the station.
    pub user: String,
    /// Number of frames at each time in `sampled`.
    pub frames: Vec<f64>,
}

/// A flow's congestion window in segments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowWindow {
    /// Name of the flow.
    pub flow: String,
    /// The window; each value holds until the next.
    #[serde(flatten)]
    pub steps: Steps,
}

/// Congestion windows of many flows, in segments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crowd {
    /// Direction of the flows.
    #[serde(serialize_with = "direction_word")]
    pub direction: Direction,
    /// Number of flows.
    pub flows: usize,
    /// Times at which the windows are sampled.
    pub time: Vec<f64>,
    /// The tenth percentile of the windows at each time.
    pub low: Vec<f64>,
    /// The median of the windows at each time, the lower one of two.
    pub median: Vec<f64>,
    /// The ninetieth percentile of the windows at each time.
    pub high: Vec<f64>,
}

/// A finite session and its fairness index. Durations count from `start`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// Record of the session.
    #[serde(flatten)]
    pub session: SessionRecord,
    /// The user of the session's flow.
    pub user: String,
    /// Ideal over measured finish time, measured until the last byte was sent; `None` if it was not, or without a fair share.
    pub fairness_sent: Option<f64>,
    /// Ideal over measured finish time, measured until the last byte was acknowledged; `None` if it was not, or without a
    /// fair share.
    pub fairness_acked: Option<f64>,
}

fn traffic_word<S: Serializer>(traffic: &TrafficKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(traffic.word())
}

fn direction_word<S: Serializer>(direction: &Direction, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(direction.word())
}

/// Returns the timeline from `from` to `to`, in seconds, of a run that traced [`TIMELINE_TRACES`].
pub fn timeline(scenario: &Scenario, outcome: &Outcome, from: f64, to: f64) -> Timeline {
    let facts: Vec<_> = scenario
        .flows
        .iter()
        .map(|flow| FlowFacts {
            flow: flow.name.clone(),
            user: user(scenario, flow.source, flow.sink).unwrap_or(&flow.name).to_owned(),
            traffic: flow.traffic.kind(),
            direction: flow.direction,
            receive_window: match &flow.transport {
                Transport::Tcp { settings, .. } => Some(settings.receive_window),
                Transport::Udp { .. } => None,
            },
        })
        .collect();
    let (windows, crowds) = windows(&facts, outcome, from, to);
    Timeline {
        from,
        to,
        air: outcome.air.iter().map(|air| AirPanel::new(air, from, to)).collect(),
        queues: queues(scenario, outcome, from, to),
        windows,
        crowds,
        sessions: bars(scenario, &facts, outcome, from, to),
        flows: facts,
    }
}

/// Returns the name of the wireless station that a flow from `source` to `sink` serves, if there is one.
fn user(scenario: &Scenario, source: usize, sink: usize) -> Option<&str> {
    let is_station = |node: usize| scenario.wlans.iter().any(|wlan| wlan.members[1..].contains(&node));
    let node = [sink, source].into_iter().find(|&node| is_station(node))?;
    Some(&scenario.nodes[node].name)
}

fn series<'a>(outcome: &'a Outcome, quantity: Quantity, subject: &str) -> Option<&'a SeriesRecord> {
    let mut all = outcome.series.iter();
    all.find(|series| series.quantity == quantity.word() && series.subject == subject)
}

fn queues(scenario: &Scenario, outcome: &Outcome, from: f64, to: f64) -> Vec<QueuePanel> {
    let limits = |limit: &QueueLimit| match *limit {
        QueueLimit::Packets(packets) => (Some(packets), None),
        QueueLimit::Bytes(bytes) => (None, Some(bytes)),
    };
    let panel = |subject: &str, wlan: Option<&Wlan>, limit: &QueueLimit| {
        let (limit_packets, limit_bytes) = limits(limit);
        let steps = |quantity| {
            series(outcome, quantity, subject).map_or_else(Steps::default, |it| Steps::within(it, from, to))
        };
        let sampled = if wlan.is_some() { grid(from, to, COLUMNS) } else { Vec::new() };
        let stations = wlan.map_or(&[][..], |wlan| &wlan.bss.stations[1..]);
        let backlog = stations
            .iter()
            .filter_map(|station| {
                let held = series(outcome, Quantity::Backlog, &station.name)?;
                Some(Backlog { user: station.name.clone(), frames: held_on(held, &sampled) })
            })
            .filter(|backlog| backlog.frames.iter().any(|&frames| frames > 0.0))
            .collect();
        QueuePanel {
            subject: subject.to_owned(),
            access_point: wlan.is_some(),
            limit_packets,
            limit_bytes,
            held: reduced(steps(Quantity::Queue), from, to, COLUMNS),
            drops: steps(Quantity::Drops).increments(to, COLUMNS),
            sampled,
            backlog,
        }
    };
    let links = scenario.link_directions().zip(&outcome.links);
    let fullest = links.max_by(|(_, a), (_, b)| a.queue_mean.total_cmp(&b.queue_mean));
    let on_air = outcome.stations.iter().filter(|station| station.access_point);
    let most_on_air = on_air.map(|station| station.queue_mean).max_by(f64::total_cmp);
    let fullest = fullest.filter(|(_, link)| most_on_air.is_none_or(|most| link.queue_mean > most));
    let access_points = scenario.wlans.iter().filter_map(|wlan| Some((wlan, wlan.bss.stations.first()?)));
    let access_points = access_points.map(|(wlan, ap)| panel(&ap.name, Some(wlan), &ap.queue.limit));
    let fullest = fullest.map(|(config, link)| panel(&link.name, None, &config.queue));
    access_points.chain(fullest).collect()
}

fn windows(flows: &[FlowFacts], outcome: &Outcome, from: f64, to: f64) -> (Vec<FlowWindow>, Vec<Crowd>) {
    let cwnd = |flow: &FlowFacts| series(outcome, Quantity::Cwnd, &flow.flow);
    let is_persistent = |flow: &&FlowFacts| flow.traffic == TrafficKind::Persistent;
    let persistent: Vec<_> = flows.iter().filter(is_persistent).collect();
    let is_crowd = persistent.len() > SINGLE_FLOWS;
    let single = flows.iter().filter(|flow| !(is_crowd && is_persistent(flow)));
    let single = single.filter_map(|flow| {
        let steps = reduced(Steps::within(cwnd(flow)?, from, to), from, to, COLUMNS);
        (!steps.time.is_empty()).then(|| FlowWindow { flow: flow.flow.clone(), steps })
    });
    let crowds = Direction::ALL.into_iter().filter(|_| is_crowd).filter_map(|direction| {
        let of_direction = persistent.iter().filter(|flow| flow.direction == direction);
        let all: Vec<_> = of_direction.filter_map(|flow| cwnd(flow)).collect();
        (!all.is_empty()).then(|| crowd(direction, &all, from, to))
    });
    (single.collect(), crowds.collect())
}

fn crowd(direction: Direction, flows: &[&SeriesRecord], from: f64, to: f64) -> Crowd {
    let time = grid(from, to, COLUMNS);
    let held: Vec<_> = flows.iter().map(|flow| held_on(flow, &time)).collect();
    let mut quantiles = [0.1, 0.5, 0.9].map(|share| (share, Vec::with_capacity(time.len())));
    for column in 0..time.len() {
        let mut values: Vec<f64> = held.iter().map(|values| values[column]).collect();
        values.sort_by(f64::total_cmp);
        for (share, quantile) in &mut quantiles {
            quantile.push(values[((values.len() - 1) as f64 * *share) as usize]);
        }
    }
    let [(_, low), (_, median), (_, high)] = quantiles;
    Crowd { direction, flows: flows.len(), time, low, median, high }
}

fn bars(scenario: &Scenario, flows: &[FlowFacts], outcome: &Outcome, from: f64, to: f64) -> Vec<Bar> {
    let is_drawn = drawn(scenario);
    let under_way = |session: &&SessionRecord| {
        let end = session.acked.into_iter().chain(session.ideal).fold(0.0, f64::max);
        session.start < to && (session.acked.is_none() || session.start + end > from)
    };
    let bar = |session: &SessionRecord| {
        let fairness = |measured: Option<f64>| {
            let measured = metrics::counted_finish_time(measured?, Some(metrics::NS2_NO_TIME));
            metrics::fairness_ratio(session.ideal?, measured).ok()
        };
        let user = flows.iter().find(|flow| flow.flow == session.flow).map(|flow| flow.user.clone());
        Bar {
            user: user.unwrap_or_default(),
            fairness_sent: fairness(session.sent),
            fairness_acked: fairness(session.acked),
            session: session.clone(),
        }
    };
    let sessions = outcome.sessions.iter().filter(under_way);
    sessions.filter(|session| is_drawn(session)).map(bar).collect()
}

/// Returns whether a session is drawn: sessions of a single datagram are too many.
pub(crate) fn drawn(scenario: &Scenario) -> impl Fn(&SessionRecord) -> bool {
    let datagram = |flow: &Flow| match flow.transport {
        Transport::Udp { datagram_bytes, .. } => Some((flow.name.clone(), u64::from(datagram_bytes))),
        Transport::Tcp { .. } => None,
    };
    let datagrams: BTreeMap<String, u64> = scenario.flows.iter().filter_map(datagram).collect();
    move |session| datagrams.get(&session.flow).is_none_or(|&bytes| session.bytes > bytes)
}
