//! The outcome of a run: plain records in SI units, which go into JSON and tables as they are.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::counted::Counted;
use crate::metric::{Stage, metric};
use airfair_net::LinkStats;
use airfair_sim::record::FlowCounts;
use airfair_wifi::StationStats;
use serde::{Deserialize, Serialize};

/// The outcome of one scenario and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Seed of the run.
    pub seed: u64,
    /// The metrics asked for, in the order in which they were asked for.
    pub metrics: Vec<MetricValue>,
    /// All other metrics that the run recorded, so that a metric that is asked for later needs no new run.
    #[serde(default)]
    pub more_metrics: Vec<MetricValue>,
    /// A record for each flow.
    pub flows: Vec<FlowRecord>,
    /// A record for each direction of each wired link.
    pub links: Vec<LinkRecord>,
    /// A record for each station of each wireless network, the access point first.
    pub stations: Vec<StationRecord>,
    /// Every finite session that started in the measured window.
    pub sessions: Vec<SessionRecord>,
    /// The series asked for.
    pub series: Vec<SeriesRecord>,
    /// A record for each wireless network, if the air was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub air: Vec<AirRecord>,
    /// A record for each device and each application that it uses, if the scenario has applications that people use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceRecord>,
}

impl Outcome {
    /// Returns a contradiction in the outcome, if there is one: a stored file may hold anything.
    pub fn contradiction(&self) -> Option<&'static str> {
        let flows: BTreeSet<&str> = self.flows.iter().map(|flow| flow.name.as_str()).collect();
        let wrong = [
            (
                self.metrics.iter().chain(&self.more_metrics).any(|value| metric(&value.name).is_none()),
                "a metric is unknown",
            ),
            (
                self.sessions.iter().any(|session| !flows.contains(session.flow.as_str())),
                "a session is of no flow",
            ),
            (
                self.series.iter().any(|series| series.time.len() != series.value.len()),
                "the columns of a series differ in length",
            ),
            (!self.air.iter().all(AirRecord::is_whole), "the columns of the air do not fit each other"),
        ];
        wrong.into_iter().find_map(|(is_so, what)| is_so.then_some(what))
    }

    /// Returns those of `metrics` that the outcome does not hold and that do not follow from its sessions.
    pub fn lacks<'a>(&self, metrics: &'a [String]) -> Vec<&'a str> {
        metrics.iter().map(String::as_str).filter(|name| self.metric(name).is_none()).collect()
    }

    /// Returns a metric, whether or not it was asked for; `None` if the outcome lacks it.
    pub fn metric(&self, name: &str) -> Option<Cow<'_, MetricValue>> {
        let held = self.metrics.iter().chain(&self.more_metrics).find(|metric| metric.name == name);
        held.map(Cow::Borrowed).or_else(|| Some(Cow::Owned(metric(name)?.of_sessions(&self.sessions)?)))
    }

    /// Returns the outcome with these metrics as the ones asked for, as far as it has them.
    pub fn answering(mut self, metrics: &[String]) -> Outcome {
        let held =
            |name: &str| self.metrics.iter().chain(&self.more_metrics).any(|metric| metric.name == name);
        let absent = metrics.iter().filter(|name| !held(name));
        let computed: Vec<_> = absent.filter_map(|name| self.metric(name)).map(Cow::into_owned).collect();
        self.more_metrics.extend(computed);
        let place = |metric: &MetricValue| metrics.iter().position(|name| *name == metric.name);
        let all = self.metrics.into_iter().chain(self.more_metrics);
        let (mut asked, more): (Vec<_>, Vec<_>) = all.partition(|metric| place(metric).is_some());
        asked.sort_by_key(place);
        (self.metrics, self.more_metrics) = (asked, more);
        self
    }

    /// Adds the metrics of `other`, an outcome of the same run, that this outcome does not have.
    pub fn add_metrics_of(&mut self, other: &Outcome) {
        let others = other.metrics.iter().chain(&other.more_metrics);
        let new: Vec<_> = others.filter(|metric| self.metric(&metric.name).is_none()).cloned().collect();
        self.more_metrics.extend(new);
    }

    /// Returns the number of finite sessions that did not reach a stage by the end of the run.
    pub fn sessions_without(&self, stage: Stage) -> usize {
        self.sessions.iter().filter(|session| session.until(stage).is_none()).count()
    }
}

/// A metric of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricValue {
    /// Name of the metric.
    pub name: String,
    /// Value of the metric in its SI unit; `None` if it is undefined.
    pub value: Option<f64>,
    /// The reason for a missing value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A flow over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Name of the flow in the scenario.
    pub name: String,
    /// Name of the sending node.
    pub from: String,
    /// Name of the receiving node.
    pub to: String,
    /// Transport protocol: `tcp` or `udp`.
    pub transport: String,
    /// Direction: `up`, `down` or `other`.
    pub direction: String,
    /// Traffic: a word of the key `traffic`, such as `persistent`.
    pub traffic: String,
    /// Acknowledged payload (UDP: delivered) in bit/s.
    pub throughput: f64,
    /// Counters of the flow.
    #[serde(flatten)]
    pub counts: Counted<FlowCounts>,
    /// Mean time in seconds from the sending of a segment to the ACK of new data that it triggered; `None` if there was none.
    pub rtt_mean: Option<f64>,
    /// Mean in seconds of the retransmission timeouts that started a series of backoffs; if there was none, the timeout in
    /// force at the end; `None` for UDP.
    pub timeout_first: Option<f64>,
}

/// One direction of a wired link over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkRecord {
    /// Name of the direction in the scenario.
    pub name: String,
    /// Counters of the direction.
    #[serde(flatten)]
    pub counts: Counted<LinkStats>,
    /// Share of the measured window in which the transmitter was sending, from 0 to 1.
    pub utilisation: f64,
    /// Packets held on average, with the one in transmission.
    pub queue_mean: f64,
}

/// A station of a wireless network over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StationRecord {
    /// Name of the station's node.
    pub name: String,
    /// Name of the wireless network.
    pub wlan: String,
    /// Whether the station is the access point.
    pub access_point: bool,
    /// Share of the measured window in which the station's exchanges held the air.
    pub airtime: f64,
    /// The station's share of the airtime that all stations of the network used; `None` if they used none.
    pub airtime_share: Option<f64>,
    /// Counters of the station.
    #[serde(flatten)]
    pub counts: Counted<StationStats>,
    /// Frames held on average, with the one in service.
    pub queue_mean: f64,
    /// Frames waiting on average, without the one in service.
    pub waiting_mean: f64,
    /// Mean queueing delay of transmitted frames in seconds; `None` if there were none.
    pub wait_mean: Option<f64>,
}

/// The values that decide a device's [grade](crate::Rule).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Name of the device's node.
    pub name: String,
    /// Application: the kind of the device's traffic, which decides the rule for its grade.
    pub application: String,
    /// Value of the rule's measure; `None` if it is undefined.
    pub value: Option<f64>,
    /// The reason for a missing value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the value is missing because the service was too bad for one: the grade is F.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
}

/// A finite session. Times are in seconds; finish times count from the requested start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Name of the flow.
    pub flow: String,
    /// Time of the request, since the start of the run.
    pub start: f64,
    /// Length of the session.
    pub bytes: u64,
    /// Finish time at the fair share; `None` if the scenario defines none.
    pub ideal: Option<f64>,
    /// Time until the last byte was first handed to the interface.
    pub sent: Option<f64>,
    /// Time until the last byte was acknowledged.
    pub acked: Option<f64>,
    /// Time until the last byte was delivered.
    pub delivered: Option<f64>,
}

impl SessionRecord {
    /// Returns the time in seconds until the session reached a stage; `None` if it did not by the end of the run.
    pub fn until(&self, stage: Stage) -> Option<f64> {
        match stage {
            Stage::Sent => self.sent,
            Stage::Acked => self.acked,
            Stage::Delivered => self.delivered,
        }
    }
}

/// Every turn on a medium that ended in the measured window: the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AirRecord {
    /// Name of the wireless network.
    pub wlan: String,
    /// Names of the network's stations, the access point first; `from` and `to` are indices of this list.
    pub stations: Vec<String>,
    /// The station that took the air.
    pub from: Vec<u32>,
    /// The receiver of the station's frame; of a beacon or a broadcast the access point itself.
    pub to: Vec<u32>,
    /// When the first frame of the exchange began, in seconds since the start of the run.
    pub start: Vec<f64>,
    /// When the last frame of the exchange ended, an ACK included.
    pub end: Vec<f64>,
    /// Bytes above the MAC; with EDCA the bytes of the PSDU.
    pub bytes: Vec<u32>,
    /// Whether the frame arrived and the sender knows that.
    pub acknowledged: Vec<bool>,
    /// Whether another station transmitted at the same time, and the frame was lost.
    pub collided: Vec<bool>,
    /// The access category: `bk`, `be`, `vi` or `vo`; `None` where there is DCF, and of a beacon.
    pub category: Vec<Option<String>>,
    /// MPDUs with data: several in an A-MPDU, none in a block ack request or a beacon.
    pub mpdus: Vec<u16>,
    /// MPDUs with data that arrived; none of a broadcast.
    pub arrived: Vec<u16>,
    /// Rate of the data in bit/s.
    pub rate: Vec<f64>,
    /// When the answer began, an ACK or a block ack; `None` if there was none.
    pub answered: Vec<Option<f64>>,
    /// Whether the answer was a block ack.
    pub block_ack: Vec<bool>,
}

impl AirRecord {
    /// Whether all columns have the same length, and every turn is of stations of the network.
    fn is_whole(&self) -> bool {
        let turns = self.start.len();
        let lengths = [
            self.from.len(),
            self.to.len(),
            self.end.len(),
            self.bytes.len(),
            self.acknowledged.len(),
            self.collided.len(),
            self.category.len(),
            self.mpdus.len(),
            self.arrived.len(),
            self.rate.len(),
            self.answered.len(),
            self.block_ack.len(),
        ];
        let known = |&station: &u32| (station as usize) < self.stations.len();
        lengths.iter().all(|&length| length == turns) && self.from.iter().chain(&self.to).all(known)
    }
}

/// One quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRecord {
    /// The quantity: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`, `drops` or `backlog`.
    pub quantity: String,
    /// Unit of the values.
    pub unit: String,
    /// Name of the flow, link or station.
    pub subject: String,
    /// Times when the value changed, in seconds since the start of the run.
    pub time: Vec<f64>,
    /// The value from each of these times on.
    pub value: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use crate::Experiment;
    use crate::metric::{Stage, metrics};
    use airfair_scenario::Override;

    const SHORT: (&str, &str) = ("duration", "20 s");

    fn experiment(metrics: &[&str]) -> Experiment {
        let (name, value) = SHORT;
        let set = [Override { name: name.into(), value: value.into() }];
        Experiment::load("jung/mixed", &set).unwrap().measuring(Some(&named(metrics))).unwrap()
    }

    fn named(metrics: &[&str]) -> Vec<String> {
        metrics.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn an_outcome_answers_what_was_not_asked_for_as_if_it_had_been() {
        let few = experiment(&["jain"]).run(1, &[]);
        let later = named(&["finish_time_delivered_mean", "jain", "collision_rate"]);
        assert!(few.lacks(&later).is_empty());
        let asked = experiment(&["finish_time_delivered_mean", "jain", "collision_rate"]).run(1, &[]);
        let answer = few.clone().answering(&later);
        assert_eq!(answer.metrics, asked.metrics);
        let total = answer.metrics.len() + answer.more_metrics.len();
        assert_eq!(total, few.metrics.len() + few.more_metrics.len());
    }

    #[test]
    fn what_was_not_recorded_is_lacking_until_a_run_that_has_it_is_added() {
        let costly = named(&["time_to_fairness", "cwnd_mean"]);
        let mut few = experiment(&["jain"]).run(1, &[]);
        assert_eq!(few.lacks(&costly), ["time_to_fairness", "cwnd_mean"]);
        few.add_metrics_of(&experiment(&["cwnd_mean"]).run(1, &[]));
        assert_eq!(few.lacks(&costly), ["time_to_fairness"]);
        let all = experiment(&["all"]).run(1, &[]);
        assert_eq!(all.metrics.len(), metrics().count());
        // Recordings give quantiles as well, which are not listed.
        assert!(all.more_metrics.iter().all(|more| metrics().all(|metric| metric.name != more.name)));
    }

    #[test]
    fn quantiles_of_sessions_follow_from_any_outcome_and_those_of_packets_from_a_recording() {
        let few = experiment(&["jain"]).run(1, &[]);
        let quantiles = named(&["finish_time_acked_p95", "ap_queue_delay_p95"]);
        assert_eq!(few.lacks(&quantiles), ["ap_queue_delay_p95"]);
        let asked = experiment(&["finish_time_acked_p95", "ap_queue_delay_p95"]).run(1, &[]);
        assert_eq!(few.clone().answering(&quantiles).metrics, asked.metrics[..1]);
        // A recording gives all quantiles, and changes nothing else.
        assert!(asked.lacks(&named(&["ap_queue_delay_p50", "ap_queue_delay_p99"])).is_empty());
        assert_eq!(asked.sessions, few.sessions);
        assert_eq!(asked.metric("ap_queue_delay_mean"), few.metric("ap_queue_delay_mean"));
        let value = |name: &str| asked.metric(name).and_then(|metric| metric.value).expect("a value");
        let delays = ["p50", "p90", "p95", "p99"].map(|end| value(&format!("ap_queue_delay_{end}")));
        assert!(delays.is_sorted() && delays[0] > 0.0, "{delays:?}");
    }

    #[test]
    fn the_key_of_a_run_does_not_depend_on_what_is_reported_of_it() {
        assert_eq!(experiment(&["jain"]).key(1), experiment(&["all"]).key(1));
    }

    #[test]
    fn sessions_are_counted_by_what_has_not_happened_to_them() {
        let mut outcome = experiment(&["jain"]).run(1, &[]);
        assert_eq!((outcome.sessions.len(), outcome.sessions_without(Stage::Acked)), (4, 0));
        outcome.sessions[0].acked = None;
        outcome.sessions[1].delivered = None;
        let without = [Stage::Sent, Stage::Acked, Stage::Delivered];
        assert_eq!(without.map(|stage| outcome.sessions_without(stage)), [0, 1, 1]);
    }
}
