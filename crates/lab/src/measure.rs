//! From a run's record to its metrics: which slice of it goes into which definition.

use crate::bottleneck::bottleneck_rate;
use crate::outcome::{
    FlowRecord, LinkRecord, MetricValue, Outcome, SeriesRecord, SessionRecord, StationRecord,
};
use crate::records::{
    air_records, flow_records, link_records, own_times, session_records, station_records, useful_bytes,
};
use crate::{over_time, queues, steady_state};
use airfair_metrics as metrics;
use airfair_metrics::{NS2_NO_TIME, Undefined};
use airfair_scenario::resolved::{Effort, FairnessOf, Flow, Scenario, Traffic, Transport};
use airfair_sim::{Quantity, Record};

/// Bytes of the TCP and IP headers of a segment, whatever a profile puts on the wire.
const TCP_IP_HEADER: u32 = 40;

/// Everything that a run of `scenario` is asked for, with the series of these quantities.
pub fn measure(scenario: &Scenario, seed: u64, record: &Record, traces: &[Quantity]) -> Outcome {
    let window = (record.end - record.warmup).as_secs();
    let run = Run {
        scenario,
        record,
        window,
        flows: flow_records(scenario, record, window),
        own_times: own_times(scenario, record),
        links: link_records(scenario, record, window),
        stations: station_records(scenario, record, window),
        sessions: session_records(scenario, record),
    };
    let metrics = scenario.metrics.iter().map(|name| run.metric(name)).collect();
    let others = metrics::registry().iter().map(|metric| metric.name);
    let others = others.filter(|name| !scenario.metrics.iter().any(|asked| asked == name));
    let recorded = others.filter(|name| over_time::is_recorded(scenario, name));
    let more_metrics = recorded.map(|name| run.metric(name)).collect();
    let series = record
        .series
        .iter()
        .filter(|series| traces.contains(&series.quantity))
        .map(|series| SeriesRecord {
            quantity: series.quantity.name().to_owned(),
            unit: series.quantity.unit().to_owned(),
            subject: series.subject.clone(),
            time: series.points.iter().map(|(at, _)| at.as_secs()).collect(),
            value: series.points.iter().map(|&(_, value)| value).collect(),
        })
        .collect();
    let Run { flows, links, stations, sessions, .. } = run;
    let air = air_records(scenario, record);
    Outcome { seed, metrics, more_metrics, flows, links, stations, sessions, series, air }
}

/// What metrics are taken from.
struct Run<'a> {
    scenario: &'a Scenario,
    record: &'a Record,
    /// Length of the measured window in seconds.
    window: f64,
    flows: Vec<FlowRecord>,
    /// How long each flow was there in the measured window, in seconds.
    own_times: Vec<f64>,
    links: Vec<LinkRecord>,
    stations: Vec<StationRecord>,
    sessions: Vec<SessionRecord>,
}

impl Run<'_> {
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
            "jain" => metrics::jain(&self.shares(all)),
            "jain_persistent" => metrics::jain(&self.shares(persistent)),
            "worst_case_fairness" => metrics::worst_case_fairness(&self.shares(all)),
            "time_to_fairness" => over_time::time_to_fairness(self.scenario, self.record),
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
                metrics::collision_rate(sum(|s| s.counts.collisions), sum(|s| s.counts.attempts))
            }
            "ap_queue_mean" => queues::access_point(&self.stations).map(|ap| ap.waiting_mean),
            "ap_queue_delay_mean" => queues::ap_queue_delay_mean(&self.stations),
            "ap_drop_rate" => queues::ap_drop_rate(&self.stations),
            "ap_mark_rate" => queues::ap_mark_rate(&self.stations),
            "limiter_drop_rate" => queues::limiter_drop_rate(self.scenario, self.record),
            "segments_sent" => self.count(|flow| flow.counts.sender.segments),
            "retransmissions" => self.count(|flow| flow.counts.sender.retransmissions),
            "timeouts" => self.count(|flow| flow.counts.sender.timeouts),
            "window_cuts" => self.count(|flow| flow.counts.sender.window_cuts),
            "rexmit_fraction" => {
                let tcp = || self.flows.iter().filter(|flow| flow.transport == "tcp");
                let segments = tcp().map(|flow| flow.counts.sender.segments).sum();
                metrics::rexmit_fraction(tcp().map(|flow| flow.counts.sender.retransmissions).sum(), segments)
            }
            "cwnd_mean" => over_time::cwnd_mean(self.scenario, self.record, |_| true),
            "cwnd_persistent" => over_time::cwnd_mean(self.scenario, self.record, |flow| {
                matches!(flow.traffic, Traffic::Persistent { .. })
            }),
            "gaimd_throughput" => steady_state::gaimd_throughput(self.scenario, &self.flows),
            "loss_rate" => queues::loss_rate(self.scenario, &self.links),
            "drop_rate" => queues::drop_rate(&self.links),
            "mark_rate" => queues::mark_rate(&self.links),
            "achieved_goodput" => metrics::achieved_goodput(self.original_bytes(), self.window),
            "bottleneck_rate" => bottleneck_rate(self.scenario),
            "agi" => self.agi(),
            "nagi" => metrics::nagi(&[self.agi()?]),
            "goodput" | "goodput_total" => self.goodput(),
            "goodput_mean" => metrics::mean(&self.throughputs(all)),
            "packets_stddev" => metrics::standard_deviation(&self.packets()),
            "throughput" => self.throughput(),
            "eee" => self.effort().and_then(|Effort { throughput_max, eee: (a, b), .. }| {
                let max = throughput_max.bits_per_second() as f64;
                metrics::eee(self.throughput()?, self.goodput()?, max, a, b)
            }),
            "uar" => self.effort().and_then(|Effort { throughput_max, uar: (a, b), .. }| {
                let max = throughput_max.bits_per_second() as f64;
                metrics::uar(self.throughput()?, self.goodput()?, max, a, b)
            }),
            "overhead" => metrics::overhead(self.throughput()?, self.goodput()?),
            "realtime_index" => {
                let sum = |count: fn(&FlowRecord) -> u64| self.flows.iter().map(count).sum();
                metrics::realtime_index(
                    sum(|flow| flow.counts.arrivals.arrivals_in_time),
                    sum(|flow| flow.counts.arrivals.arrivals),
                )
            }
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
        let flows = self.flows.iter().zip(&self.scenario.flows);
        let rates: Vec<_> = flows
            .filter(|(record, _)| of(record))
            .map(|(record, flow)| record.throughput * header_share(flow))
            .collect();
        some_of(rates, "such flows").map(|rates| rates.iter().sum())
    }

    /// What fairness compares.
    fn shares(&self, of: impl Fn(&FlowRecord) -> bool) -> Vec<f64> {
        match self.scenario.measures.fairness_of {
            FairnessOf::Throughput => self.throughputs(of),
            FairnessOf::SendingRate => {
                let flows =
                    self.flows.iter().zip(&self.own_times).filter(|(flow, own)| of(flow) && **own > 0.0);
                flows.map(|(flow, own)| flow.counts.sender.segments as f64 / own).collect()
            }
        }
    }

    /// Payload of all flows that got through, each byte once.
    fn original_bytes(&self) -> u64 {
        let flows = self.scenario.flows.iter().zip(&self.record.counts.flows);
        flows.map(|(flow, counts)| useful_bytes(flow, counts)).sum()
    }

    fn agi(&self) -> Result<f64, Undefined> {
        let bottleneck = bottleneck_rate(self.scenario)?;
        metrics::agi(metrics::achieved_goodput(self.original_bytes(), self.window)?, bottleneck)
    }

    fn goodput(&self) -> Result<f64, Undefined> {
        metrics::goodput(self.original_bytes(), self.window)
    }

    fn throughput(&self) -> Result<f64, Undefined> {
        let flows = self.scenario.flows.iter().zip(&self.flows);
        let sent = flows.map(|(flow, record)| {
            metrics::bytes_sent(
                record.counts.sender.sent_bytes,
                record.counts.sender.segments,
                u64::from(header_bytes(flow)),
            )
        });
        metrics::throughput(sent.sum(), self.window)
    }

    fn effort(&self) -> Result<Effort, Undefined> {
        self.scenario.measures.effort.ok_or(Undefined::NotSet("throughput_max in [effort]"))
    }

    /// Full segments or datagrams that each flow got through.
    fn packets(&self) -> Vec<f64> {
        let flows = self.scenario.flows.iter().zip(&self.flows);
        flows
            .map(|(flow, record)| record.counts.delivered_bytes as f64 / f64::from(payload_bytes(flow)))
            .collect()
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
}

fn some_of<T>(values: Vec<T>, what: &'static str) -> Result<Vec<T>, Undefined> {
    if values.is_empty() { Err(Undefined::Nothing(what)) } else { Ok(values) }
}

/// Header bytes that count with each segment or datagram.
fn header_bytes(flow: &Flow) -> u32 {
    match &flow.transport {
        Transport::Tcp { .. } => TCP_IP_HEADER,
        Transport::Udp { header_bytes, .. } => *header_bytes,
    }
}

/// Payload of a full segment or a datagram.
fn payload_bytes(flow: &Flow) -> u32 {
    match &flow.transport {
        Transport::Tcp { settings, .. } => settings.segment_bytes,
        Transport::Udp { datagram_bytes, .. } => *datagram_bytes,
    }
}

/// Bytes with headers for each payload byte of a full segment or datagram.
fn header_share(flow: &Flow) -> f64 {
    1.0 + f64::from(header_bytes(flow)) / f64::from(payload_bytes(flow))
}
