//! BBR, version 1 (Cardwell, Cheng, Gunn, Yeganeh & Jacobson, "BBR: Congestion-based congestion control", ACM Queue 14(5), 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00, to which section numbers refer).
//!
//! The long-term bandwidth of policed paths is left out.

use super::aggregation::Aggregation;
use super::bbr_rules::{FullPipe, LEAST_WINDOW, NOMINAL_RTT, PROBE_RTT, Rounds};
use super::float::{ceil, float, floor, larger, seconds, smaller};
use super::max_filter::MaxFilter;
use super::prior_window::PriorWindow;
use super::{
    AckEvent, BuiltIn, Configured, CongestionControl, Delivery, Kind, Loss, Parameter, Range, Reduction,
    Repair, Value, Variant,
};
use crate::profile::ByProfile;
use crate::window::Window;
use airfair_core::{Rate, Span, Time};
use core::f64::consts::LN_2;

/// Section 4.1.1.3: `BtlBwFilterLen`, in round trips.
const BANDWIDTH_ROUNDS: u64 = 10;
/// Section 4.1.2.3: `RTpropFilterLen`.
const SHORTEST_RTT_LIFE: Span = Span::from_secs(10);
/// Section 4.3.2: `BBRHighGain`, the least that doubles the sending rate in each round trip.
const HIGH_GAIN: f64 = 2.0 / LN_2;
/// Section 4.3.4.1: the pacing gains of a cycle in PROBE_BW, each for a shortest round trip, and the gain of the window.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const WINDOW_GAIN: f64 = 2.0;

const MARGIN: Parameter = Parameter {
    name: "margin",
    kind: Kind::Number(Range::between(0.0, 0.5)),
    default: ByProfile { ns2: Value::Number(0.0), rfc: Value::Number(0.0), linux: Value::Number(0.01) },
    help: "the pacing rate is lower than the bandwidth by this part (Linux: 1 %, so that a queue drains)",
};
const EVEN_WINDOWS: Parameter = Parameter {
    name: "even_windows",
    kind: Kind::Flag,
    default: ByProfile::FLAG_OF_LINUX,
    help: "what is to be in flight is an even number of segments, and two more while the bandwidth is probed (Linux)",
};
const DEPARTURES: Parameter = Parameter {
    name: "departures",
    kind: Kind::Flag,
    default: ByProfile::FLAG_OF_LINUX,
    help: "phases end by what will be in flight when the next segment may leave (Linux's `bbr_packets_in_net_at_edt`)",
};
const ACK_AGGREGATION: Parameter = Parameter {
    name: "ack_aggregation",
    kind: Kind::Flag,
    default: ByProfile::FLAG_OF_LINUX,
    help: "the window has room for what ACKs deliver at once beyond the bandwidth (Linux's `bbr_update_ack_aggregation`)",
};
/// Segments that Linux adds to an even window in the probing phase of a cycle.
const PROBING_EXTRA: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// BBR, version 1.
#[derive(Debug)]
pub struct Bbr(Box<Model>);

#[derive(Debug)]
struct Model {
    phase: Phase,
    pacing_gain: f64,
    window_gain: f64,
    /// Byte/s, and whether it has changed since the last ACK.
    pacing_rate: f64,
    repaced: bool,
    bandwidth: MaxFilter,
    rounds: Rounds,
    /// The shortest round trip, when it was measured, and whether that is too long ago.
    shortest: Option<Span>,
    shortest_at: Time,
    expired: bool,
    /// The pipe has been full.
    filled: bool,
    pipe: FullPipe,
    cycle: usize,
    cycle_began: Time,
    /// When PROBE_RTT may end, set once few segments are in flight; and whether a round trip has passed since then.
    probe_ends: Option<Time>,
    probe_had_round: bool,
    resumes: bool,
    /// The state of loss recovery at the last ACK, and whether the window keeps to what is in flight.
    repair: Repair,
    conserves: bool,
    prior_window: PriorWindow,
    initial_window: f64,
    had_rtt: bool,
    /// See [`MARGIN`], [`EVEN_WINDOWS`] and [`DEPARTURES`].
    margin: f64,
    even_windows: bool,
    departures: bool,
    /// See [`ACK_AGGREGATION`].
    aggregation: Option<Aggregation>,
}

impl BuiltIn for Bbr {
    const ABOUT: &'static str = "BBR, version 1: window and pacing rate follow a model of the path, its bandwidth and its shortest round \
         trip, and not losses (Cardwell et al., ACM Queue 14(5), 2016; \
         draft-cardwell-iccrg-bbr-congestion-control-00).";
    const VARIANTS: &'static [Variant] = &[Variant::new("bbr", ByProfile::SELECTIVE)];
    const PARAMETERS: &'static [Parameter] = &[MARGIN, EVEN_WINDOWS, DEPARTURES, ACK_AGGREGATION];
    const PACES: bool = true;

    fn new(given: &Configured) -> Bbr {
        Bbr(Box::new(Model {
            phase: Phase::Startup,
            pacing_gain: HIGH_GAIN,
            window_gain: HIGH_GAIN,
            pacing_rate: 0.0,
            repaced: true,
            bandwidth: MaxFilter::new(BANDWIDTH_ROUNDS),
            rounds: Rounds::default(),
            shortest: None,
            shortest_at: Time::ZERO,
            expired: false,
            filled: false,
            pipe: FullPipe::default(),
            cycle: 0,
            cycle_began: Time::ZERO,
            probe_ends: None,
            probe_had_round: false,
            resumes: false,
            repair: Repair::None,
            conserves: false,
            prior_window: PriorWindow::default(),
            initial_window: 0.0,
            had_rtt: false,
            margin: given.number(&MARGIN),
            even_windows: given.flag(&EVEN_WINDOWS),
            departures: given.flag(&DEPARTURES),
            aggregation: given.flag(&ACK_AGGREGATION).then(Aggregation::default),
        }))
    }

    fn adopt(&mut self, given: &Configured, _window: &mut Window) {
        let margin = given.number(&MARGIN);
        self.0.pacing_rate *= (1.0 - margin) / (1.0 - self.0.margin);
        self.0.repaced = true;
        self.0.margin = margin;
        self.0.even_windows = given.flag(&EVEN_WINDOWS);
        self.0.departures = given.flag(&DEPARTURES);
        let before = self.0.aggregation.take();
        self.0.aggregation = given.flag(&ACK_AGGREGATION).then(|| before.unwrap_or_default());
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        let model = &mut *self.0;
        model.follow_repair(window, delivery);
        model.update_round(delivery);
        model.update_bandwidth(delivery);
        model.update_aggregation(window, delivery);
        model.check_cycle(delivery);
        model.check_full_pipe(delivery);
        model.check_drain(delivery);
        model.update_shortest(delivery);
        model.check_probe_rtt(window, delivery);
        model.set_pacing_rate(window, delivery);
        model.set_window(window, delivery);
        delivery.repaced = std::mem::take(&mut model.repaced);
    }

    /// Section 4.3.4.4: `BBRHandleRestartFromIdle`.
    fn on_resume(&mut self, _now: Time) {
        let model = &mut *self.0;
        model.resumes = true;
        if model.phase == Phase::ProbeBw {
            model.pace(1.0);
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        // Through a signed number, because processors have no instruction from a float to unsigned 64.
        Rate::new(((8.0 * self.0.pacing_rate) as i64).cast_unsigned())
    }
}

impl CongestionControl for Bbr {
    fn on_open(&mut self, window: &mut Window) {
        window.hold();
        let model = &mut *self.0;
        model.initial_window = window.cwnd;
        let bytes = window.cwnd * f64::from(window.segment_bytes);
        model.pacing_rate = model.paced(HIGH_GAIN * bytes / NOMINAL_RTT);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckEvent) {}

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        self.0.save_window(window.cwnd);
        if loss.timeout {
            // The next ACK may take the timeout back, and then the window is restored.
            self.0.repair = Repair::Timeout;
            // Linux's `bbr_set_state`.
            self.0.pipe.reset(0.0);
        }
        Reduction::to(window.cwnd)
    }

    /// Linux's `bbr_undo_cwnd`: round trips that a needless cut held down do not show that the pipe is full.
    fn on_undo(&mut self) {
        self.0.pipe.reset(0.0);
    }
}

impl Model {
    /// Section 4.1.1.2: `BBRUpdateRound`.
    fn update_round(&mut self, delivery: &Delivery<'_>) {
        if self.rounds.on_ack(delivery.sample) {
            self.conserves = false;
        }
    }

    /// Section 4.1.1.5: `BBRUpdateBtlBw`.
    fn update_bandwidth(&mut self, delivery: &Delivery<'_>) {
        let Some(rate) = delivery.sample.rate else { return };
        if rate >= self.bandwidth.max() || !delivery.sample.app_limited {
            self.bandwidth.update(self.rounds.count, rate);
        }
    }

    fn update_aggregation(&mut self, window: &Window, delivery: &Delivery<'_>) {
        let Delivery { now, sample, .. } = delivery;
        if let Some(aggregation) = self.aggregation.as_mut().filter(|_| sample.rate.is_some()) {
            let most = window.cwnd * f64::from(delivery.segment_bytes);
            aggregation.on_ack(*now, float(sample.acked), self.bandwidth.max(), self.rounds.starts, most);
        }
    }

    /// Section 4.2.3.1: `BBRInflight`, in bytes; `None` before the first round trip.
    fn in_flight(&self, gain: f64, burst: u64, segment_bytes: u32) -> Option<f64> {
        self.beyond(0.0, gain, burst, segment_bytes)
    }

    /// [`Model::in_flight`] with `more` bytes added before rounding.
    fn beyond(&self, more: f64, gain: f64, burst: u64, segment_bytes: u32) -> Option<f64> {
        let bdp = self.bandwidth.max() * seconds(self.shortest?);
        let bytes = gain * bdp + more + 3.0 * float(burst);
        if !self.even_windows {
            return Some(bytes);
        }
        let pair = 2.0 * f64::from(segment_bytes);
        let probes = self.phase == Phase::ProbeBw && self.cycle == 0;
        let extra = if probes { PROBING_EXTRA * f64::from(segment_bytes) } else { 0.0 };
        Some(ceil(bytes / pair) * pair + extra)
    }

    /// The pacing rate in byte/s for a wanted `rate`: less by the margin.
    fn paced(&self, rate: f64) -> f64 {
        (1.0 - self.margin) * rate
    }

    /// By how many bytes `in_flight` exceeds the target with this gain; `None` before the first round trip.
    fn excess(&self, in_flight: u64, gain: f64, delivery: &Delivery<'_>) -> Option<f64> {
        let target = self.in_flight(gain, delivery.burst, delivery.segment_bytes)?;
        Some(self.at_departure(in_flight, delivery) - target)
    }

    /// The bytes in flight when the next burst may leave, with that burst included while the bandwidth is probed.
    fn at_departure(&self, in_flight: u64, delivery: &Delivery<'_>) -> f64 {
        if !self.departures {
            return float(in_flight);
        }
        let next = if self.pacing_gain > 1.0 { delivery.burst } else { 0 };
        let delivered = self.bandwidth.max() * seconds(delivery.departs.since(delivery.now));
        // Linux counts in packets.
        let segment = f64::from(delivery.segment_bytes);
        larger(float(in_flight + next) - floor(delivered / segment) * segment, 0.0)
    }

    /// Section 4.3.4.3: `BBRCheckCyclePhase`.
    fn check_cycle(&mut self, delivery: &Delivery<'_>) {
        if self.phase != Phase::ProbeBw {
            return;
        }
        let Delivery { now, sample, .. } = delivery;
        let is_full = self.shortest.is_some_and(|shortest| now.since(self.cycle_began) > shortest);
        let ends = if self.pacing_gain > 1.0 {
            // Until it is clear whether there is more bandwidth.
            let excess = || self.excess(sample.prior_in_flight, self.pacing_gain, delivery);
            is_full && (sample.lost > 0 || excess().is_some_and(|excess| excess >= 0.0))
        } else if self.pacing_gain < 1.0 {
            is_full || self.excess(sample.prior_in_flight, 1.0, delivery).is_some_and(|excess| excess <= 0.0)
        } else {
            is_full
        };
        if ends {
            self.advance_cycle(*now);
        }
    }

    fn advance_cycle(&mut self, now: Time) {
        self.cycle_began = now;
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.pacing_gain = CYCLE[self.cycle];
    }

    /// Section 4.3.2.2: `BBRCheckFullPipe`.
    fn check_full_pipe(&mut self, delivery: &Delivery<'_>) {
        if !self.filled && self.rounds.starts && !delivery.sample.app_limited {
            self.filled = !self.pipe.has_grown(self.bandwidth.max()) && self.pipe.is_full();
        }
    }

    /// Section 4.3.3: `BBRCheckDrain`.
    fn check_drain(&mut self, delivery: &mut Delivery<'_>) {
        if self.phase == Phase::Startup && self.filled {
            self.phase = Phase::Drain;
            (self.pacing_gain, self.window_gain) = (1.0 / HIGH_GAIN, HIGH_GAIN);
        }
        let excess = || self.excess(delivery.sample.in_flight, 1.0, delivery);
        if self.phase == Phase::Drain && excess().is_some_and(|excess| excess <= 0.0) {
            self.enter_probe_bw(delivery);
        }
    }

    /// Section 4.3.4.3: a cycle begins in a random phase, but not in that of 3/4.
    fn enter_probe_bw(&mut self, delivery: &mut Delivery<'_>) {
        self.phase = Phase::ProbeBw;
        (self.pacing_gain, self.window_gain) = (1.0, WINDOW_GAIN);
        let phases = CYCLE.len();
        self.cycle = phases - 1 - delivery.draws.below(phases as u64 - 1) as usize;
        self.advance_cycle(delivery.now);
    }

    /// Section 4.1.2.3: `BBRUpdateRTprop`. As in Linux, a round trip that equals the shortest one does not renew it, because round trips by
    /// timestamps are whole milliseconds.
    fn update_shortest(&mut self, delivery: &Delivery<'_>) {
        self.expired = delivery.now > self.shortest_at + SHORTEST_RTT_LIFE;
        let Some(rtt) = delivery.sample.rtt else { return };
        if self.expired || self.shortest.is_none_or(|shortest| rtt < shortest) {
            (self.shortest, self.shortest_at) = (Some(rtt), delivery.now);
        }
    }

    /// Section 4.3.5: `BBRCheckProbeRTT`.
    fn check_probe_rtt(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        if self.phase != Phase::ProbeRtt && self.expired && !self.resumes {
            self.save_window(window.cwnd);
            self.phase = Phase::ProbeRtt;
            (self.pacing_gain, self.window_gain) = (1.0, 1.0);
            self.probe_ends = None;
        }
        if self.phase == Phase::ProbeRtt {
            self.probe_rtt(window, delivery);
        }
        if delivery.sample.acked > 0 {
            self.resumes = false;
        }
    }

    /// `BBRHandleProbeRTT`.
    fn probe_rtt(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        delivery.limited = true;
        let least = LEAST_WINDOW * f64::from(delivery.segment_bytes);
        match self.probe_ends {
            None if delivery.sample.in_flight as f64 <= least => {
                self.probe_ends = Some(delivery.now + PROBE_RTT);
                self.probe_had_round = false;
                self.rounds.begin(delivery.sample);
            }
            None => {}
            Some(ends) => {
                self.probe_had_round |= self.rounds.starts;
                if self.probe_had_round && delivery.now > ends {
                    self.shortest_at = delivery.now;
                    self.prior_window.restore(window);
                    self.leave_probe_rtt(delivery);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, delivery: &mut Delivery<'_>) {
        if self.filled {
            self.enter_probe_bw(delivery);
        } else {
            self.phase = Phase::Startup;
            (self.pacing_gain, self.window_gain) = (HIGH_GAIN, HIGH_GAIN);
        }
    }

    /// Section 4.2.1: `BBRSetPacingRate`, and `BBRInitPacingRate` with the first round trip.
    fn set_pacing_rate(&mut self, window: &Window, delivery: &Delivery<'_>) {
        if let Some(srtt) = delivery.srtt.filter(|_| !self.had_rtt) {
            self.had_rtt = true;
            let bytes = self.initial_window * f64::from(window.segment_bytes);
            self.pacing_rate = self.paced(HIGH_GAIN * bytes / srtt.as_secs());
            self.repaced = true;
        }
        self.pace(self.pacing_gain);
    }

    fn pace(&mut self, gain: f64) {
        let rate = self.paced(gain * self.bandwidth.max());
        if rate != self.pacing_rate && rate > 0.0 && (self.filled || rate > self.pacing_rate) {
            (self.pacing_rate, self.repaced) = (rate, true);
        }
    }

    /// Section 4.2.3.6: `BBRSetCwnd`.
    fn set_window(&mut self, window: &mut Window, delivery: &Delivery<'_>) {
        let Delivery { sample, burst, segment_bytes, .. } = delivery;
        let segments = |bytes: f64| bytes / f64::from(*segment_bytes);
        let [acked, in_flight] = [sample.acked, sample.in_flight].map(|bytes| segments(float(bytes)));
        let aggregated = self.aggregation.as_ref().filter(|_| self.filled);
        let more = aggregated.map_or(0.0, |aggregation| aggregation.allowance(self.bandwidth.max()));
        let target =
            self.beyond(more, self.window_gain, *burst, *segment_bytes).map_or(self.initial_window, segments);
        if sample.lost > 0 {
            window.cwnd = larger(window.cwnd - segments(float(sample.lost)), 1.0);
        }
        if self.conserves {
            window.cwnd = larger(window.cwnd, in_flight + acked);
        } else {
            if self.filled {
                window.cwnd = smaller(window.cwnd + acked, target);
            } else if window.cwnd < target || segments(float(sample.delivered)) < self.initial_window {
                window.cwnd += acked;
            }
            window.cwnd = larger(window.cwnd, LEAST_WINDOW);
        }
        if self.phase == Phase::ProbeRtt {
            window.cwnd = window.cwnd.min(LEAST_WINDOW);
        }
        window.cwnd = smaller(window.cwnd, window.maximum);
    }

    /// Section 4.2.3.4: `BBRModulateCwndForRecovery`: in the first round trip of fast recovery only data that leave the network make room. The
    /// end of the recovery restores the window.
    fn follow_repair(&mut self, window: &mut Window, delivery: &Delivery<'_>) {
        let before = std::mem::replace(&mut self.repair, delivery.repair);
        match (before, self.repair) {
            (Repair::None, Repair::Fast) => {
                let sample = delivery.sample;
                let left = sample.in_flight + sample.acked.max(u64::from(delivery.segment_bytes));
                window.cwnd = left as f64 / f64::from(delivery.segment_bytes);
                self.conserves = true;
                self.rounds.begin(sample);
            }
            (Repair::Fast | Repair::Timeout, Repair::None) => {
                self.conserves = false;
                self.prior_window.restore(window);
            }
            (_, Repair::Timeout) => self.conserves = false,
            (Repair::None, Repair::None) | (Repair::Fast | Repair::Timeout, Repair::Fast) => {}
        }
    }

    /// `BBRSaveCwnd`: saves the window before a recovery or PROBE_RTT.
    fn save_window(&mut self, cwnd: f64) {
        let cut = self.repair != Repair::None || self.phase == Phase::ProbeRtt;
        self.prior_window.save(cwnd, cut);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sample;
    use super::super::made_up::{MadeUp, RTT};
    use super::*;

    const BANDWIDTH: f64 = 1e6;

    type Path = MadeUp<Bbr>;

    impl Path {
        fn opened(seed: u64) -> Path {
            MadeUp::new("bbr", seed)
        }

        fn model(&self) -> &Model {
            &self.control.0
        }

        /// A path that has been found to carry [`BANDWIDTH`].
        fn probing(seed: u64) -> Path {
            let mut path = Path::opened(seed);
            for _ in 0..4 {
                path.round(BANDWIDTH, 80_000);
            }
            path.round(BANDWIDTH, 40_000);
            assert_eq!(path.model().phase, Phase::ProbeBw);
            path
        }
    }

    /// `bbr_pacing_margin_percent` and `bbr_quantization_budget` of Linux.
    #[test]
    fn in_linux_the_rate_leaves_a_margin_and_windows_are_even() {
        let mut path = Path::probing(1);
        let model = &mut path.control.0;
        let linux: Bbr = super::super::control::tests::made("bbr", crate::profile::Profile::Linux, &[]);
        (model.margin, model.even_windows) = (linux.0.margin, linux.0.even_windows);
        assert!((model.paced(1e6) - 0.99e6).abs() < 1e-6);
        model.cycle = 1;
        // Of 1 MB/s in 40 ms, and three bursts of two segments.
        assert_eq!(model.in_flight(1.0, 2000, 1000), Some(46_000.0));
        assert_eq!(model.in_flight(1.01, 2000, 1000), Some(48_000.0));
        model.cycle = 0;
        assert_eq!(model.in_flight(1.0, 2000, 1000), Some(48_000.0));
        model.even_windows = false;
        assert_eq!(model.in_flight(1.01, 2000, 1000), Some(46_400.0));
    }

    /// `bbr_packets_in_net_at_edt` of Linux.
    #[test]
    fn in_linux_phases_end_by_what_is_in_flight_when_the_next_burst_leaves() {
        let mut path = Path::probing(1);
        let made_up = Sample { prior_in_flight: 46_000, ..Sample::default() };
        let in_flight = |path: &mut Path, gain: f64, departures: bool, waits: Span| {
            let model = &mut path.control.0;
            (model.pacing_gain, model.departures) = (gain, departures);
            let draws = &mut airfair_core::Stream::new(1, "none");
            let departs = path.now + waits;
            model.at_departure(46_000, &super::super::made_up::delivery(path.now, departs, &made_up, draws))
        };
        let ms = Span::from_millis(1);
        assert_eq!(in_flight(&mut path, 1.25, false, ms), 46_000.0);
        // A millisecond of 1 MB/s has arrived by then, and the burst of two segments has left.
        assert_eq!(in_flight(&mut path, 1.25, true, ms), 47_000.0);
        assert_eq!(in_flight(&mut path, 0.75, true, ms), 45_000.0);
        // In whole segments.
        assert_eq!(in_flight(&mut path, 0.75, true, ms * 3 / 2), 45_000.0);
        assert_eq!(in_flight(&mut path, 0.75, true, ms * 1000), 0.0);
    }

    /// Linux's `bbr_ack_aggregation_cwnd`.
    #[test]
    fn in_linux_the_window_has_room_for_what_arrives_at_once() {
        let mut path = Path::probing(1);
        path.round(BANDWIDTH, 47_000);
        let before = path.window.cwnd;
        path.control.0.aggregation = Some(Aggregation::default());
        for _ in 0..3 {
            path.round(BANDWIDTH, 47_000);
        }
        // All of a round trip in one ACK.
        assert_eq!(path.window.cwnd, before + 40.0);
    }

    /// Section 4.2.1: 2/ln 2 of the initial window in a millisecond, or in the first round trip.
    #[test]
    fn the_first_rate_is_the_initial_window_in_a_round_trip() {
        let mut path = Path::opened(1);
        assert_eq!(path.control.pacing_rate(), Rate::new((8.0 * HIGH_GAIN * 1e7) as u64));
        path.ack(0, Sample::default());
        let rate = HIGH_GAIN * 10_000.0 / 0.04;
        assert_eq!(path.control.pacing_rate(), Rate::new((8.0 * rate) as u64));
    }

    /// Section 4.3.2.2: three round trips without a quarter more.
    #[test]
    fn startup_ends_when_the_bandwidth_no_longer_grows() {
        let mut path = Path::opened(1);
        for rate in [1e5, 2e5, 4e5, 8e5, 1e6] {
            path.round(rate, 100_000);
            assert_eq!((path.model().phase, path.model().pipe.rounds), (Phase::Startup, 0));
        }
        assert!(
            (path.control.pacing_rate().unwrap().bits_per_second() as f64 / 8.0 - HIGH_GAIN * 1e6).abs()
                < 1.0
        );
        for (rate, rounds) in [(1.2e6, 1), (1.24e6, 2), (1.2e6, 3)] {
            path.round(rate, 100_000);
            assert_eq!(path.model().pipe.rounds, rounds, "{rate}");
        }
        assert_eq!(path.model().phase, Phase::Drain);
        assert!((path.model().pacing_rate - 1.24e6 * LN_2 / 2.0).abs() < 1.0);
    }

    #[test]
    fn rounds_in_which_the_application_held_back_do_not_end_startup() {
        let mut path = Path::opened(1);
        path.round(1e6, 0);
        for _ in 0..10 {
            path.now += RTT;
            let prior_delivered = path.delivered;
            path.ack(
                1000,
                Sample { rate: Some(1e5), app_limited: true, prior_delivered, ..Sample::default() },
            );
        }
        assert_eq!((path.model().phase, path.model().bandwidth.max()), (Phase::Startup, 1e6));
    }

    /// Section 4.3.3: until the queue is gone: a BDP and three bursts.
    #[test]
    fn drain_ends_with_a_bdp_in_flight() {
        let mut path = Path::opened(1);
        (0..4).for_each(|_| {
            path.round(BANDWIDTH, 100_000);
        });
        for (in_flight, phase) in [(46_001, Phase::Drain), (46_000, Phase::ProbeBw)] {
            path.round(BANDWIDTH, in_flight);
            assert_eq!(path.model().phase, phase, "{in_flight}");
        }
    }

    /// Section 4.3.4: the gains 5/4, 3/4 and six times 1, and a window of two BDPs and three bursts.
    #[test]
    fn a_cycle_probes_and_drains() {
        let mut path = Path::probing(1);
        let mut gains = Vec::new();
        for _ in 0..20 {
            // A little more than the shortest round trip, with the queue that its rate builds.
            path.now += Span::from_millis(1);
            let in_flight = if path.model().pacing_gain > 1.0 { 56_000 } else { 47_000 };
            path.round(BANDWIDTH, in_flight);
            gains.push(path.model().pacing_gain);
        }
        let start = gains.iter().position(|gain| *gain == 1.25).expect("one of eight");
        assert_eq!(gains[start..start + 8], CYCLE);
        assert_eq!(path.window.cwnd, 86.0);
    }

    #[test]
    fn probing_lasts_until_the_pipe_is_full_or_a_loss_and_draining_until_it_is_empty() {
        let mut path = Path::probing(1);
        while path.model().pacing_gain != 1.25 {
            path.now += Span::from_millis(1);
            path.round(BANDWIDTH, 47_000);
        }
        for _ in 0..3 {
            path.now += Span::from_millis(1);
            path.round(BANDWIDTH, 55_999);
            assert_eq!(path.model().pacing_gain, 1.25);
        }
        let prior_in_flight = 55_999;
        path.now += Span::from_millis(41);
        path.ack(1000, Sample { lost: 1000, prior_in_flight, ..Sample::default() });
        assert_eq!(path.model().pacing_gain, 0.75);
        path.now += Span::from_millis(1);
        path.ack(1000, Sample { prior_in_flight: 46_000, ..Sample::default() });
        assert_eq!(path.model().pacing_gain, 1.0);
    }

    /// Section 4.3.4.3: all but the phase of 3/4.
    #[test]
    fn cycles_begin_in_a_random_phase() {
        let mut begun = [0; 8];
        for seed in 0..700 {
            begun[Path::probing(seed).model().cycle] += 1;
        }
        assert_eq!(begun[1], 0, "{begun:?}");
        // 100 each; the standard deviation is 9.3.
        assert!(
            begun.iter().enumerate().all(|(at, &count)| at == 1 || (60..140).contains(&count)),
            "{begun:?}"
        );
    }

    /// Section 4.3.5.
    #[test]
    fn the_round_trip_is_probed_with_four_segments_when_it_is_ten_seconds_old() {
        let mut path = Path::probing(1);
        path.round(BANDWIDTH, 47_000);
        let cwnd = path.window.cwnd;
        let longer = |path: &Path| Sample {
            rate: Some(BANDWIDTH),
            rtt: Some(RTT * 2),
            prior_delivered: path.delivered,
            in_flight: 47_000,
            ..Sample::default()
        };
        // Round trips as long as the shortest do not make it younger.
        path.now = path.model().shortest_at + SHORTEST_RTT_LIFE;
        assert!(path.model().shortest_at < path.now && !path.ack(40_000, longer(&path)), "not yet");
        assert_ne!(path.model().phase, Phase::ProbeRtt);
        path.now += Span(1);
        assert!(path.ack(40_000, longer(&path)));
        assert_eq!((path.model().phase, path.window.cwnd), (Phase::ProbeRtt, LEAST_WINDOW));
        assert_eq!(path.model().shortest, Some(RTT * 2));
        path.round(1e5, 4000);
        let began = path.now;
        while path.model().phase == Phase::ProbeRtt {
            assert!(path.round(1e5, 4000));
        }
        assert!(path.now.since(began) > PROBE_RTT && path.now.since(began) <= PROBE_RTT + RTT * 2);
        assert_eq!(path.model().phase, Phase::ProbeBw);
        assert!(path.window.cwnd >= cwnd - 8.0, "{} after {cwnd}", path.window.cwnd);
    }

    fn lose(path: &mut Path, timeout: bool) -> Reduction {
        let loss = Loss { now: path.now, base: path.window.cwnd, timeout, segment_bytes: 1000 };
        path.control.on_loss(&path.window, &loss)
    }

    /// Section 4.2.3.4.
    #[test]
    fn a_recovery_conserves_packets_for_a_round_trip_and_gives_the_window_back() {
        let mut path = Path::probing(1);
        path.round(BANDWIDTH, 47_000);
        let before = path.window.cwnd;
        assert_eq!(lose(&mut path, false), Reduction::to(before));
        path.repair = Repair::Fast;
        path.ack(1000, Sample { in_flight: 30_000, lost: 3000, ..Sample::default() });
        assert_eq!(path.window.cwnd, 31.0);
        path.ack(2000, Sample { in_flight: 30_000, ..Sample::default() });
        assert_eq!(path.window.cwnd, 32.0);
        path.repair = Repair::None;
        path.ack(0, Sample { in_flight: 30_000, ..Sample::default() });
        assert_eq!(path.window.cwnd, before);
    }

    /// Linux's `bbr_set_cwnd_to_recover_or_restore`: the first ACK after a timeout shows that nothing was lost.
    #[test]
    fn a_timeout_that_is_taken_back_at_once_gives_the_window_back() {
        let mut path = Path::probing(1);
        path.round(BANDWIDTH, 47_000);
        let before = path.window.cwnd;
        lose(&mut path, true);
        path.window.cwnd = 1.0;
        path.ack(1000, Sample { in_flight: 30_000, ..Sample::default() });
        assert_eq!(path.window.cwnd, before);
    }

    /// Linux's `bbr_set_state` and `bbr_undo_cwnd`.
    #[test]
    fn a_timeout_and_a_needless_cut_begin_the_search_for_a_full_pipe_anew() {
        let searching = || {
            let mut path = Path::opened(1);
            for _ in 0..3 {
                path.round(BANDWIDTH, 80_000);
            }
            assert_eq!(path.model().pipe.rounds, 2);
            path
        };
        let mut timed_out = searching();
        lose(&mut timed_out, true);
        let mut undone = searching();
        undone.control.on_undo();
        for mut path in [timed_out, undone] {
            // The first round trip sets the bandwidth from which to grow.
            for rounds in 0..3 {
                path.round(BANDWIDTH, 80_000);
                assert_eq!((path.model().pipe.rounds, path.model().phase), (rounds, Phase::Startup));
            }
            path.round(BANDWIDTH, 80_000);
            assert!(path.model().filled);
        }
        let mut recovers = searching();
        lose(&mut recovers, false);
        assert_eq!(recovers.model().pipe.rounds, 2, "a fast recovery goes on with it");
    }

    /// Section 4.3.4.4.
    #[test]
    fn after_an_idle_period_it_goes_on_at_the_bandwidth() {
        let mut path = Path::probing(1);
        while path.model().pacing_gain != 1.25 {
            path.now += Span::from_millis(1);
            path.round(BANDWIDTH, 47_000);
        }
        assert_eq!(path.control.pacing_rate(), Rate::new(10_000_000));
        path.now += Span::from_secs(60);
        path.control.on_resume(path.now);
        assert_eq!(path.control.pacing_rate(), Rate::new(8_000_000));
        // What is old because nothing was sent is no reason to probe.
        path.round(BANDWIDTH, 2000);
        assert_eq!(path.model().phase, Phase::ProbeBw);
    }
}
