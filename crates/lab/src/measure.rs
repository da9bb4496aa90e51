//! From a run's record to its metrics: which slice of it goes into which definition.

use crate::outcome::{
    FlowRecord, LinkRecord, MetricValue, Outcome, SeriesRecord, SessionRecord, StationRecord,
};
use airfair_core::{Rate, Time};
use airfair_metrics as metrics;
use airfair_metrics::{NS2_NO_TIME, Undefined};
use airfair_scenario::resolved::{Direction, FairShare, Flow, Link, Scenario, Traffic, Transport};
use airfair_sim::record::{FlowCounts, StationCounts};
use airfair_sim::{Record, Session};

/// Everything that a run of `scenario` is asked for.
pub fn measure(scenario: &Scenario, seed: u64, record: &Record) -> Outcome {
    let window = (record.end - record.warmup).as_secs();
    let run = Run {
        flows: flow_records(scenario, record, window),
        links: link_records(scenario, record, window),
        stations: station_records(scenario, record, window),
        sessions: session_records(scenario, record),
        header_shares: scenario.flows.iter().map(header_share).collect(),
    };
    let metrics = scenario.metrics.iter().map(|name| run.metric(name)).collect();
    let series = record
        .series
        .iter()
        .map(|series| SeriesRecord {
            quantity: series.quantity.name().to_owned(),
            unit: series.quantity.unit().to_owned(),
            subject: series.subject.clone(),
            time: series.points.iter().map(|(at, _)| at.as_secs()).collect(),
            value: series.points.iter().map(|&(_, value)| value).collect(),
        })
        .collect();
    let Run { flows, links, stations, sessions, .. } = run;
    Outcome { seed, metrics, flows, links, stations, sessions, series }
}

/// The records that metrics are taken from.
struct Run {
    flows: Vec<FlowRecord>,
    links: Vec<LinkRecord>,
    stations: Vec<StationRecord>,
    sessions: Vec<SessionRecord>,
    /// Bytes on the wire for each payload byte of a full segment, for each flow.
    header_shares: Vec<f64>,
}

impl Run {
    fn metric(&self, name: &str) -> MetricValue {
        let (value, reason) = match self.value(name) {
            Ok(value) => (Some(value), None),
            Err(undefined) => (None, Some(undefined.to_string())),
        };
        MetricValue { name: name.to_owned(), value, reason }
    }

    fn value(&self, name: &str) -> Result<f64, Undefined> {
        let all = |_: &FlowRecord| true;
        let up = |flow: &FlowRecord| flow.direction == "up";
        let down = |flow: &FlowRecord| flow.direction == "down";
        let persistent = |flow: &FlowRecord| flow.traffic == "persistent";
        let intermittent = |flow: &FlowRecord| flow.traffic == "intermittent";
        match name {
            "throughput_total" => self.sum(all),
            "throughput_persistent" => self.sum(persistent),
            "throughput_intermittent" => self.sum(intermittent),
            "throughput_up" => self.sum(up),
            "throughput_down" => self.sum(down),
            "throughput_ip" => self.sum_ip(all),
            "throughput_up_ip" => self.sum_ip(up),
            "throughput_down_ip" => self.sum_ip(down),
            "jain" => metrics::jain(&self.throughputs(all)),
            "jain_persistent" => metrics::jain(&self.throughputs(persistent)),
            "worst_case_fairness" => metrics::worst_case_fairness(&self.throughputs(all)),
            "sigma_over_mean_up" => metrics::sigma_over_mean(&self.throughputs(up)),
            "sigma_over_mean_down" => metrics::sigma_over_mean(&self.throughputs(down)),
            "starved_up" => metrics::starved(&self.throughputs(up)).map(|flows| flows as f64),
            "starved_down" => metrics::starved(&self.throughputs(down)).map(|flows| flows as f64),
            "instantaneous_fairness_sent" => {
                metrics::instantaneous_fairness(&self.timed(|s| s.sent)?, Some(NS2_NO_TIME))
            }
            "instantaneous_fairness_acked" => {
                metrics::instantaneous_fairness(&self.timed(|s| s.acked)?, None)
            }
            "instantaneous_fairness_delivered" => {
                metrics::instantaneous_fairness(&self.timed(|s| s.delivered)?, None)
            }
            "instantaneous_fairness_acked_lower" => {
                metrics::instantaneous_fairness_lower(&self.timed(|s| s.acked)?, None)
            }
            "finish_time_sent_mean" => metrics::finish_time_mean(&self.finish_times(|s| s.sent)),
            "finish_time_acked_mean" => metrics::finish_time_mean(&self.finish_times(|s| s.acked)),
            "finish_time_delivered_mean" => metrics::finish_time_mean(&self.finish_times(|s| s.delivered)),
            "finish_time_sent_median" => metrics::median(&self.finish_times(|s| s.sent)),
            "finish_time_acked_median" => metrics::median(&self.finish_times(|s| s.acked)),
            "finish_time_delivered_median" => metrics::median(&self.finish_times(|s| s.delivered)),
            "sessions_unfinished" => self.sessions_unfinished(),
            "collision_rate" => {
                let sum = |count: fn(&StationRecord) -> u64| self.stations.iter().map(count).sum();
                metrics::collision_rate(sum(|s| s.collisions), sum(|s| s.attempts))
            }
            "ap_queue_mean" => self.access_point().map(|ap| ap.waiting_mean),
            "ap_drop_rate" => {
                self.access_point().and_then(|ap| metrics::drop_rate(ap.dropped_full, ap.offered))
            }
            "segments_sent" => self.count(|flow| flow.segments),
            "retransmissions" => self.count(|flow| flow.retransmissions),
            "timeouts" => self.count(|flow| flow.timeouts),
            "window_cuts" => self.count(|flow| flow.window_cuts),
            _ => Err(Undefined::Nothing("definitions of it in this engine")),
        }
    }

    fn throughputs(&self, of: impl Fn(&FlowRecord) -> bool) -> Vec<f64> {
        self.flows.iter().filter(|flow| of(flow)).map(|flow| flow.throughput).collect()
    }

    fn sum(&self, of: impl Fn(&FlowRecord) -> bool) -> Result<f64, Undefined> {
        some_of(self.throughputs(of), "such flows").map(|rates| rates.iter().sum())
    }

    fn sum_ip(&self, of: impl Fn(&FlowRecord) -> bool) -> Result<f64, Undefined> {
        let flows = self.flows.iter().zip(&self.header_shares);
        let rates: Vec<_> =
            flows.filter(|(flow, _)| of(flow)).map(|(flow, share)| flow.throughput * share).collect();
        some_of(rates, "such flows").map(|rates| rates.iter().sum())
    }

    fn count(&self, of: impl Fn(&FlowRecord) -> u64) -> Result<f64, Undefined> {
        Ok(self.flows.iter().map(of).sum::<u64>() as f64)
    }

    fn timed(&self, of: impl Fn(&SessionRecord) -> Option<f64>) -> Result<Vec<metrics::Session>, Undefined> {
        self.sessions
            .iter()
            .map(|session| {
                let ideal = session.ideal.ok_or(Undefined::Nothing("fair shares for all of its sessions"))?;
                Ok(metrics::Session { ideal, measured: of(session) })
            })
            .collect()
    }

    /// Zero counts as [`NS2_NO_TIME`], as in the index; only "sent" can be zero.
    fn finish_times(&self, of: impl Fn(&SessionRecord) -> Option<f64>) -> Vec<f64> {
        let finished = self.sessions.iter().filter_map(of);
        finished.map(|measured| metrics::counted_finish_time(measured, Some(NS2_NO_TIME))).collect()
    }

    fn sessions_unfinished(&self) -> Result<f64, Undefined> {
        let unfinished = self.sessions.iter().filter(|session| session.acked.is_none()).count();
        some_of(vec![unfinished], "finite sessions").map(|_| unfinished as f64)
    }

    fn access_point(&self) -> Result<&StationRecord, Undefined> {
        self.stations.iter().find(|station| station.access_point).ok_or(Undefined::Nothing("access points"))
    }
}

fn some_of<T>(values: Vec<T>, what: &'static str) -> Result<Vec<T>, Undefined> {
    if values.is_empty() { Err(Undefined::Nothing(what)) } else { Ok(values) }
}

fn flow_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<FlowRecord> {
    let flows = scenario.flows.iter().zip(&record.counts.flows);
    flows.map(|(flow, counts)| flow_record(scenario, flow, counts, window)).collect()
}

fn flow_record(scenario: &Scenario, flow: &Flow, counts: &FlowCounts, window: f64) -> FlowRecord {
    let (transport, bytes) = match flow.transport {
        Transport::Tcp { .. } => ("tcp", counts.acked_bytes),
        Transport::Udp { .. } => ("udp", counts.delivered_bytes),
    };
    FlowRecord {
        name: flow.name.clone(),
        from: scenario.nodes[flow.source].name.clone(),
        to: scenario.nodes[flow.sink].name.clone(),
        transport: transport.to_owned(),
        direction: match flow.direction {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Other => "other",
        }
        .to_owned(),
        traffic: match flow.traffic {
            Traffic::Persistent { .. } => "persistent",
            Traffic::Intermittent { .. } => "intermittent",
        }
        .to_owned(),
        throughput: metrics::throughput(bytes, window).expect("a scenario that loads measures for some time"),
        delivered_bytes: counts.delivered_bytes,
        segments: counts.segments,
        retransmissions: counts.retransmissions,
        timeouts: counts.timeouts,
        fast_retransmits: counts.fast_retransmits,
        window_cuts: counts.window_cuts,
    }
}

/// The 40 header bytes of TCP and IP count for each full segment, whatever a profile puts on the wire.
fn header_share(flow: &Flow) -> f64 {
    const TCP_IP_HEADER: f64 = 40.0;
    match &flow.transport {
        Transport::Tcp { settings, .. } => 1.0 + TCP_IP_HEADER / f64::from(settings.segment_bytes),
        Transport::Udp { datagram_bytes, header_bytes, .. } => {
            1.0 + f64::from(*header_bytes) / f64::from(*datagram_bytes)
        }
    }
}

fn link_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<LinkRecord> {
    let both = |link: &Link| [link.forward.clone(), link.backward.clone()];
    let directions = scenario.links.iter().flat_map(both);
    directions
        .zip(&record.counts.links)
        .map(|(config, counts)| LinkRecord {
            utilisation: counts.accepted_bytes as f64 * 8.0 / window / config.rate.bits_per_second() as f64,
            name: config.name,
            offered: counts.offered,
            dropped: counts.dropped,
            queue_mean: mean_held(counts.queue_integral, window),
        })
        .collect()
}

fn station_records(scenario: &Scenario, record: &Record, window: f64) -> Vec<StationRecord> {
    let wlans = scenario.wlans.iter().zip(&record.counts.stations);
    wlans
        .flat_map(|(wlan, counts)| {
            let members = wlan.members.iter().zip(counts).enumerate();
            members.map(move |(index, (&node, counts))| {
                station_record(&scenario.nodes[node].name, &wlan.name, index == 0, counts, window)
            })
        })
        .collect()
}

fn station_record(
    name: &str,
    wlan: &str,
    access_point: bool,
    counts: &StationCounts,
    window: f64,
) -> StationRecord {
    StationRecord {
        name: name.to_owned(),
        wlan: wlan.to_owned(),
        access_point,
        airtime: counts.airtime.as_secs() / window,
        attempts: counts.attempts,
        collisions: counts.collisions,
        retries: counts.retries,
        offered: counts.offered,
        dropped_full: counts.dropped_full,
        dropped_retries: counts.dropped_retries,
        delivered: counts.delivered,
        queue_mean: mean_held(counts.held_integral, window),
        waiting_mean: mean_held(counts.waiting_integral, window),
    }
}

/// Packets held on average, from packet-nanoseconds.
fn mean_held(integral: u64, window: f64) -> f64 {
    integral as f64 / 1e9 / window
}

fn session_records(scenario: &Scenario, record: &Record) -> Vec<SessionRecord> {
    let flows = scenario.flows.iter().zip(&record.sessions);
    flows
        .flat_map(|(flow, sessions)| {
            let share = fair_share(scenario.fair_share, flow.direction);
            let measured = sessions.iter().filter(|session| session.start >= record.warmup);
            measured.filter_map(move |session| session_record(flow, share, session))
        })
        .collect()
}

/// `None` for an unbounded session, whose finish time is undefined (Jung & Park, section 3.3).
fn session_record(flow: &Flow, share: Option<f64>, session: &Session) -> Option<SessionRecord> {
    let bytes = session.bytes?;
    let since_start = |at: Time| (at < Time::NEVER).then(|| (at - session.start).as_secs());
    Some(SessionRecord {
        flow: flow.name.clone(),
        start: session.start.as_secs(),
        bytes,
        ideal: share.and_then(|share| metrics::ideal_finish_time(bytes, share).ok()),
        sent: since_start(session.sent),
        acked: since_start(session.acked),
        delivered: since_start(session.delivered),
    })
}

/// A user's fair share in bit/s: equation (1) of Jung & Park.
fn fair_share(share: FairShare, direction: Direction) -> Option<f64> {
    let FairShare::Split { down, up, users } = share else { return None };
    let effective: Rate = match direction {
        Direction::Down => down,
        Direction::Up => up,
        Direction::Other => return None,
    };
    Some(effective.bits_per_second() as f64 / f64::from(users))
}
