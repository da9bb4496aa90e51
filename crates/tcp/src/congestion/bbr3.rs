//! BBR, version 3 (draft-ietf-ccwg-bbr).
//!
//! Left out is the undoing of answers to losses that turn out to be none. The draft says of marks only that they show congestion: here
//! the first mark on the data outstanding counts as a loss in its round trip, ends STARTUP, and ends a probe for bandwidth as too many
//! losses do.

mod path;

use super::bbr_rules::{FullPipe, LEAST_WINDOW, NOMINAL_RTT, PROBE_RTT, Rounds};
use super::prior_window::PriorWindow;
use super::{AckEvent, BuiltIn, Configured, CongestionControl, Delivery, Loss, Reduction, Repair, Variant};
use crate::delivery::Lost;
use crate::profile::ByProfile;
use crate::window::Window;
use airfair_core::{Rate, Span, Time};
use path::{LOSS_THRESHOLD, Path, is_too_high};

/// Section 2.7 (core algorithm design parameters): `Beta` and `Headroom`.
const BETA: f64 = 0.7;
const HEADROOM: f64 = 0.15;
/// `PacingMarginPercent`.
const MARGIN: f64 = 0.99;
/// Section 5.3.1.3: `BBRStartupFullLossCnt`.
const FULL_LOSSES: u32 = 6;
/// Section 5.3.2: round trips that DRAIN takes at most.
const DRAIN_ROUNDS: u64 = 3;
/// Section 5.3.3.5: upper bound of the round trips between two probes, beside the number that Reno takes to grow back.
const MOST_ROUNDS: f64 = 63.0;
const LEAST_WAIT: Span = Span::from_secs(2);
const RANDOM_WAIT: Span = Span::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// Section 5.6.1: the gains of pacing rate and window.
    fn gains(self) -> (f64, f64) {
        match self {
            // 4 ln 2.
            State::Startup => (2.77, 2.0),
            State::Drain => (0.5, 2.0),
            State::Down => (0.9, 2.0),
            State::Cruise | State::Refill => (1.0, 2.0),
            State::Up => (1.25, 2.25),
            State::ProbeRtt => (1.0, 0.5),
        }
    }

    fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `IsProbingBW`.
    fn probes(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// `ack_phase`: the part of the latest probe that ACKs report on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acks {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// BBR, version 3.
#[derive(Debug)]
pub struct Bbr3(Box<Model>);

#[derive(Debug)]
struct Model {
    state: State,
    acks: Acks,
    path: Path,
    /// Byte/s.
    pacing_rate: f64,
    rounds: Rounds,
    /// When DRAIN began.
    drain_round: u64,
    /// The full-pipe estimator: whether the pipe was full at any time, and since the estimator was last reset.
    filled: bool,
    full_now: bool,
    pipe: FullPipe,
    /// ACKs are of segments that were sent while probing, and losses among these were not answered yet.
    is_probe: bool,
    up_rounds: u32,
    up_acked: f64,
    acked_per_increase: f64,
    rounds_since_up: u64,
    wait: Span,
    cycle_began: Time,
    probe_too_high: bool,
    probe_precautionary: bool,
    probe_ends: Option<Time>,
    probe_had_round: bool,
    resumes: bool,
    repair: Repair,
    /// The round trip in which recovery began, and the ranges lost in the current round trip.
    repair_round: u64,
    lost_ranges: u32,
    lost_to: u64,
    prior_window: PriorWindow,
    initial_window: f64,
    had_rtt: bool,
    /// The window was used up in the previous round trip, and in the current one.
    was_limited: bool,
    is_limited: bool,
}

impl BuiltIn for Bbr3 {
    const ABOUT: &'static str = "BBR, version 3: a model of the path, as in version 1, that losses and marks bound (draft-ietf-ccwg-bbr). \
         It does not take back its answer to losses that were none.";
    const VARIANTS: &'static [Variant] = &[Variant::new("bbr3", ByProfile::SELECTIVE)];
    const PACES: bool = true;

    fn new(_given: &Configured) -> Bbr3 {
        Bbr3(Box::new(Model {
            state: State::Startup,
            acks: Acks::Init,
            path: Path::new(),
            pacing_rate: 0.0,
            rounds: Rounds::default(),
            drain_round: 0,
            filled: false,
            full_now: false,
            pipe: FullPipe::default(),
            is_probe: false,
            up_rounds: 0,
            up_acked: 0.0,
            acked_per_increase: f64::INFINITY,
            rounds_since_up: 0,
            wait: Span::ZERO,
            cycle_began: Time::ZERO,
            probe_too_high: false,
            probe_precautionary: false,
            probe_ends: None,
            probe_had_round: false,
            resumes: false,
            repair: Repair::None,
            repair_round: 0,
            lost_ranges: 0,
            lost_to: 0,
            prior_window: PriorWindow::default(),
            initial_window: 0.0,
            had_rtt: false,
            was_limited: false,
            is_limited: false,
        }))
    }

    /// Section 5.2.3.
    fn on_delivery(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        let model = &mut *self.0;
        let cwnd = window.cwnd * f64::from(delivery.segment_bytes);
        model.follow_repair(window, delivery);
        for lost in delivery.losses {
            model.on_lost(lost, cwnd, delivery);
        }
        model.on_mark(cwnd, delivery);
        model.note_use(cwnd, delivery);
        model.path.update_latest(delivery);
        model.update_round(delivery);
        model.path.update_bandwidth(delivery);
        model.path.update_congestion(model.state.probes(), cwnd);
        model.path.update_aggregation(delivery, model.rounds.count, model.filled, cwnd);
        model.check_full(delivery);
        model.check_startup(delivery);
        model.check_drain(delivery);
        model.update_cycle(cwnd, delivery);
        model.path.update_shortest(delivery);
        model.check_probe_rtt(window, delivery);
        model.path.advance_latest(delivery);
        model.set_pacing_rate(delivery);
        model.set_window(window, delivery);
    }

    /// Section 5.4: `HandleRestartFromIdle`.
    fn on_resume(&mut self, now: Time) {
        let model = &mut *self.0;
        model.resumes = true;
        model.path.restart_aggregation(now);
        if model.state.is_probe_bw() {
            model.pace(1.0);
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Rate::new((8.0 * self.0.pacing_rate) as u64)
    }
}

impl CongestionControl for Bbr3 {
    fn on_open(&mut self, window: &mut Window) {
        window.hold();
        let model = &mut *self.0;
        model.initial_window = window.cwnd * f64::from(window.segment_bytes);
        model.pacing_rate = State::Startup.gains().0 * model.initial_window / NOMINAL_RTT;
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckEvent) {}

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        self.0.save_window(window.cwnd);
        if loss.timeout {
            // The next ACK may take the timeout back, and then the window is restored.
            self.0.repair_with(Repair::Timeout);
        }
        Reduction::to(window.cwnd)
    }
}

/// The state machine.
impl Model {
    /// Section 5.5.1: `UpdateRound`.
    fn update_round(&mut self, delivery: &Delivery<'_>) {
        if self.rounds.on_ack(delivery.sample) {
            self.rounds_since_up += 1;
            self.was_limited = std::mem::take(&mut self.is_limited);
        }
    }

    /// Notes whether an ACK found the window used up.
    fn note_use(&mut self, cwnd: f64, delivery: &Delivery<'_>) {
        let used = delivery.sample.prior_in_flight + u64::from(delivery.segment_bytes);
        self.is_limited |= used as f64 > cwnd;
    }

    /// `C.is_cwnd_limited`, by the long-term bound. The window is kept in segments: a byte more or less is rounding.
    fn is_limited_by_bound(&self, cwnd: f64) -> bool {
        (self.is_limited || self.was_limited) && cwnd + 1.0 >= self.path.long_inflight
    }

    /// Section 5.3.1.2: `CheckFullBWReached`.
    fn check_full(&mut self, delivery: &Delivery<'_>) {
        if self.full_now || !self.rounds.starts || delivery.sample.app_limited {
            return;
        }
        let rate = delivery.sample.rate.unwrap_or(0.0);
        self.full_now = !self.pipe.has_grown(rate) && self.pipe.is_full();
        self.filled |= self.full_now;
    }

    fn reset_full(&mut self, bandwidth: f64) {
        self.pipe.reset(bandwidth);
        self.full_now = false;
    }

    /// Section 5.3.1: `CheckStartupDone`, with the losses of section 5.3.1.3.
    fn check_startup(&mut self, delivery: &Delivery<'_>) {
        if self.state == State::Startup && self.path.lossy_round {
            let sample = delivery.sample;
            let is_lossy =
                is_too_high(sample.lost_since as f64, sample.tx_in_flight as f64, delivery.selective);
            let repairs = self.repair == Repair::Fast;
            let lasts = repairs && self.rounds.count > self.repair_round && self.lost_ranges >= FULL_LOSSES;
            if is_lossy && (lasts || repairs && !delivery.selective) {
                self.fill();
            }
        }
        if self.path.lossy_round {
            self.lost_ranges = 0;
        }
        if self.state == State::Startup && self.filled {
            self.state = State::Drain;
            self.drain_round = self.rounds.count;
        }
    }

    /// Marks the pipe as full, by losses or marks.
    fn fill(&mut self) {
        (self.filled, self.full_now) = (true, true);
        let bdp = self.path.volume(self.path.bandwidth).unwrap_or(0.0);
        self.path.long_inflight = bdp.max(self.path.latest_inflight);
    }

    /// Section 5.3.2: `CheckDrainDone`.
    fn check_drain(&mut self, delivery: &mut Delivery<'_>) {
        let is_over = || {
            let target = self.in_flight(self.path.bandwidth, delivery);
            delivery.sample.in_flight as f64 <= target || self.rounds.count > self.drain_round + DRAIN_ROUNDS
        };
        if self.state == State::Drain && is_over() {
            self.start_down(delivery);
        }
    }

    /// Section 5.3.3.6: `UpdateProbeBWCyclePhase`.
    fn update_cycle(&mut self, cwnd: f64, delivery: &mut Delivery<'_>) {
        if !self.filled || delivery.sample.acked == 0 || self.adapt_long_term(cwnd, delivery) {
            return;
        }
        if self.state == State::Up && self.is_time_to_go_down(cwnd, delivery) {
            self.probe_too_high = false;
            self.start_down(delivery);
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(cwnd, delivery) => {
                self.start_refill(delivery)
            }
            State::Down if self.is_time_to_cruise(delivery) => self.state = State::Cruise,
            State::Refill if self.rounds.starts => {
                self.is_probe = true;
                self.start_up(cwnd, delivery);
            }
            _ => {}
        }
    }

    fn start_down(&mut self, delivery: &mut Delivery<'_>) {
        self.path.reset_congestion();
        self.acked_per_increase = f64::INFINITY;
        self.rounds_since_up = delivery.draws.below(2);
        self.wait = LEAST_WAIT + Span(delivery.draws.below(RANDOM_WAIT.0));
        self.cycle_began = delivery.now;
        self.acks = Acks::ProbeStopping;
        self.rounds.begin(delivery.sample);
        self.state = State::Down;
    }

    fn start_refill(&mut self, delivery: &Delivery<'_>) {
        self.path.reset_short_term();
        (self.up_rounds, self.up_acked) = (0, 0.0);
        self.probe_precautionary = false;
        self.acks = Acks::Refilling;
        self.rounds.begin(delivery.sample);
        self.state = State::Refill;
    }

    fn start_up(&mut self, cwnd: f64, delivery: &Delivery<'_>) {
        self.acks = Acks::ProbeStarting;
        self.rounds.begin(delivery.sample);
        self.reset_full(delivery.sample.rate.unwrap_or(0.0));
        self.state = State::Up;
        self.raise_slope(cwnd, delivery);
    }

    /// `IsTimeToProbeBW`.
    fn is_time_to_probe(&self, cwnd: f64, delivery: &Delivery<'_>) -> bool {
        let rounds = (self.target(cwnd) / f64::from(delivery.segment_bytes)).min(MOST_ROUNDS);
        delivery.now > self.cycle_began + self.wait || self.rounds_since_up as f64 >= rounds
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, delivery: &Delivery<'_>) -> bool {
        let bdp = self.in_flight(self.path.max_bandwidth.max(), delivery);
        let most = self.path.with_headroom(f64::from(delivery.segment_bytes)).min(bdp);
        delivery.sample.in_flight as f64 <= most
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, cwnd: f64, delivery: &Delivery<'_>) -> bool {
        if self.probe_too_high && delivery.sample.in_flight as f64 >= self.path.long_inflight {
            self.probe_precautionary = true;
            return true;
        }
        if self.is_limited_by_bound(cwnd) {
            // The bound is what limits the rate.
            self.reset_full(delivery.sample.rate.unwrap_or(0.0));
            return false;
        }
        self.full_now
    }

    /// `AdaptLongTermModel`. Returns whether it decided on a state.
    fn adapt_long_term(&mut self, cwnd: f64, delivery: &Delivery<'_>) -> bool {
        if self.acks == Acks::ProbeStarting && self.rounds.starts {
            self.acks = Acks::ProbeFeedback;
        }
        if self.acks == Acks::ProbeStopping && self.rounds.starts {
            self.is_probe = false;
            self.acks = Acks::Init;
            if self.state.is_probe_bw() && !delivery.sample.app_limited {
                self.path.cycle += 1;
            }
            if self.state.is_probe_bw() && self.probe_precautionary && !self.probe_too_high {
                self.start_refill(delivery);
                return true;
            }
        }
        let sample = delivery.sample;
        let tx_in_flight = sample.tx_in_flight as f64;
        let is_bounded = self.path.long_inflight.is_finite();
        if is_bounded && !is_too_high(sample.lost_since as f64, tx_in_flight, delivery.selective) {
            self.path.long_inflight = self.path.long_inflight.max(tx_in_flight);
            if self.state == State::Up {
                self.raise_long_term(cwnd, delivery);
            }
        }
        false
    }

    /// `ProbeInflightLongtermUpward`.
    fn raise_long_term(&mut self, cwnd: f64, delivery: &Delivery<'_>) {
        if !self.is_limited_by_bound(cwnd) {
            return;
        }
        self.up_acked += delivery.sample.acked as f64;
        let increases = libm::floor(self.up_acked / self.acked_per_increase);
        self.up_acked -= increases * self.acked_per_increase;
        self.path.long_inflight += increases * f64::from(delivery.segment_bytes);
        if self.rounds.starts {
            self.raise_slope(cwnd, delivery);
        }
    }

    /// `RaiseInflightLongtermSlope`.
    fn raise_slope(&mut self, cwnd: f64, delivery: &Delivery<'_>) {
        let growth = f64::from(1u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.acked_per_increase = (cwnd / growth).max(f64::from(delivery.segment_bytes));
    }

    /// Section 5.3.4.3: `CheckProbeRTT`.
    fn check_probe_rtt(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        if self.state != State::ProbeRtt && self.path.expired && !self.resumes {
            self.save_window(window.cwnd);
            self.state = State::ProbeRtt;
            self.probe_ends = None;
            self.acks = Acks::ProbeStopping;
            self.rounds.begin(delivery.sample);
        }
        if self.state == State::ProbeRtt {
            self.probe_rtt(window, delivery);
        }
        if delivery.sample.acked > 0 {
            self.resumes = false;
        }
    }

    /// `HandleProbeRTT`.
    fn probe_rtt(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
        delivery.limited = true;
        let Some(ends) = self.probe_ends else {
            if delivery.sample.in_flight as f64 <= self.probe_rtt_window(delivery) {
                self.probe_ends = Some(delivery.now + PROBE_RTT);
                self.probe_had_round = false;
                self.rounds.begin(delivery.sample);
            }
            return;
        };
        self.probe_had_round |= self.rounds.starts;
        if self.probe_had_round && delivery.now > ends {
            self.path.recent_at = delivery.now;
            self.prior_window.restore(window);
            self.path.reset_short_term();
            if self.filled {
                self.start_down(delivery);
                self.state = State::Cruise;
            } else {
                self.state = State::Startup;
            }
        }
    }
}

/// Losses and marks.
impl Model {
    /// Section 5.5.10.2: `HandleLostPacket`.
    fn on_lost(&mut self, lost: &Lost, cwnd: f64, delivery: &mut Delivery<'_>) {
        self.path.note_loss(delivery.sample.delivered);
        self.lost_ranges += u32::from(lost.start != self.lost_to);
        self.lost_to = lost.start + lost.bytes;
        let [bytes, tx_in_flight, lost_since] =
            [lost.bytes, lost.tx_in_flight, lost.lost_since].map(|bytes| bytes as f64);
        if self.is_probe && is_too_high(lost_since, tx_in_flight, delivery.selective) {
            // `InflightAtLoss`: where in this segment the losses became too many.
            let (before, lost_before) = (tx_in_flight - bytes, lost_since - bytes);
            let prefix = (LOSS_THRESHOLD * before - lost_before) / (1.0 - LOSS_THRESHOLD);
            self.on_too_high(before + prefix, lost.app_limited, cwnd, delivery);
        }
    }

    fn on_mark(&mut self, cwnd: f64, delivery: &mut Delivery<'_>) {
        if !delivery.marked {
            return;
        }
        delivery.answered = true;
        self.path.note_loss(delivery.sample.delivered);
        if self.state == State::Startup {
            self.fill();
        }
        if self.is_probe {
            let tx_in_flight = delivery.sample.tx_in_flight as f64;
            self.on_too_high(tx_in_flight, delivery.sample.app_limited, cwnd, delivery);
        }
    }

    /// `HandleInflightTooHigh`.
    fn on_too_high(&mut self, in_flight: f64, app_limited: bool, cwnd: f64, delivery: &mut Delivery<'_>) {
        self.probe_too_high = true;
        self.is_probe = false;
        if !app_limited {
            self.path.long_inflight = in_flight.max(BETA * self.target(cwnd));
        }
        if self.state == State::Up {
            self.start_down(delivery);
        }
    }

    /// `TargetInflight`.
    fn target(&self, cwnd: f64) -> f64 {
        self.path.volume(self.path.bandwidth).map_or(cwnd, |bdp| bdp.min(cwnd))
    }
}

/// The rate and the window.
impl Model {
    /// `QuantizationBudget`.
    fn quantized(&self, in_flight: f64, delivery: &Delivery<'_>) -> f64 {
        let segment = f64::from(delivery.segment_bytes);
        let least = in_flight.max(3.0 * delivery.burst as f64).max(LEAST_WINDOW * segment);
        if self.state == State::Up { least + 2.0 * segment } else { least }
    }

    /// `Inflight` with a gain of one.
    fn in_flight(&self, bandwidth: f64, delivery: &Delivery<'_>) -> f64 {
        self.quantized(self.path.volume(bandwidth).unwrap_or(self.initial_window), delivery)
    }

    /// `ProbeRTTCwnd`.
    fn probe_rtt_window(&self, delivery: &Delivery<'_>) -> f64 {
        let (_, gain) = State::ProbeRtt.gains();
        let bdp = self.path.volume(self.path.bandwidth).unwrap_or(self.initial_window);
        (gain * bdp).max(LEAST_WINDOW * f64::from(delivery.segment_bytes))
    }

    /// Section 5.6.2: `SetPacingRate`, and `InitPacingRate` with the first round trip.
    fn set_pacing_rate(&mut self, delivery: &Delivery<'_>) {
        if let Some(srtt) = delivery.srtt.filter(|_| !self.had_rtt) {
            self.had_rtt = true;
            self.pacing_rate = State::Startup.gains().0 * self.initial_window / srtt.as_secs();
        }
        self.pace(self.state.gains().0);
    }

    fn pace(&mut self, gain: f64) {
        let rate = gain * self.path.bandwidth * MARGIN;
        if rate > 0.0 && (self.filled || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// Section 5.6.4.6: `SetCwnd`.
    fn set_window(&mut self, window: &mut Window, delivery: &Delivery<'_>) {
        let segment = f64::from(delivery.segment_bytes);
        let (acked, least) = (delivery.sample.acked as f64, LEAST_WINDOW * segment);
        let (_, gain) = self.state.gains();
        let bdp = self.path.volume(self.path.bandwidth);
        let most = bdp.map_or(self.initial_window, |bdp| gain * bdp) + self.path.extra();
        let most = self.quantized(most, delivery);
        let mut cwnd = window.cwnd * segment;
        if self.filled {
            cwnd = (cwnd + acked).min(most);
        } else if cwnd < most || (delivery.sample.delivered as f64) < self.initial_window {
            cwnd += acked;
        }
        cwnd = cwnd.max(least);
        if self.state == State::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_window(delivery));
        }
        window.cwnd = (cwnd.min(self.cap(segment).max(least)) / segment).min(window.maximum);
    }

    /// Section 5.6.4.7: `BoundCwndForModel`.
    fn cap(&self, segment: f64) -> f64 {
        let long = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Down | State::Refill | State::Up => self.path.long_inflight,
            State::Cruise | State::ProbeRtt => self.path.with_headroom(segment),
        };
        long.min(self.path.short_inflight)
    }

    /// Section 5.6.4.4: the end of a recovery restores the window.
    fn follow_repair(&mut self, window: &mut Window, delivery: &Delivery<'_>) {
        let before = self.repair_with(delivery.repair);
        if before != Repair::None && self.repair == Repair::None {
            self.prior_window.restore(window);
        }
    }

    /// Notes what is being repaired, and when that began. Returns what was repaired before.
    fn repair_with(&mut self, repair: Repair) -> Repair {
        let before = std::mem::replace(&mut self.repair, repair);
        if before == Repair::None && repair != Repair::None {
            self.repair_round = self.rounds.count;
        }
        before
    }

    /// `SaveCwnd`.
    fn save_window(&mut self, cwnd: f64) {
        let cut = self.repair != Repair::None || self.state == State::ProbeRtt;
        self.prior_window.save(cwnd, cut);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sample;
    use super::super::made_up::{MadeUp, RTT, SEGMENT};
    use super::*;
    use proptest::prelude::*;

    /// 40 segments in a round trip.
    const BANDWIDTH: f64 = 1e6;
    const BDP: u64 = 40_000;

    type Path = MadeUp<Bbr3>;

    impl Path {
        fn opened(seed: u64) -> Path {
            MadeUp::new("bbr3", seed)
        }

        fn model(&self) -> &Model {
            &self.control.0
        }

        fn state(&self) -> State {
            self.model().state
        }

        /// In CRUISE on a path that has been found to carry [`BANDWIDTH`].
        fn cruising(seed: u64) -> Path {
            let mut path = Path::opened(seed);
            for _ in 0..4 {
                path.round(BANDWIDTH, 2 * BDP);
            }
            // DRAIN is over, and DOWN with it.
            path.round(BANDWIDTH, BDP);
            assert_eq!(path.state(), State::Cruise);
            path
        }

        /// In UP, with the bandwidth probe's ACKs to come.
        fn probing(seed: u64) -> Path {
            let mut path = Path::cruising(seed);
            for _ in 0..100 {
                if path.state() == State::Up {
                    return path;
                }
                path.round(BANDWIDTH, BDP);
            }
            panic!("it does not probe");
        }

        /// Loses these segments, each sent with `tx_in_flight` bytes in flight. The next ACK reports the losses.
        fn lose(&mut self, starts: impl Iterator<Item = u64>, tx_in_flight: u64) {
            for (number, start) in (1..).zip(starts) {
                let lost_since = number * SEGMENT;
                self.losses.push(Lost {
                    start,
                    bytes: SEGMENT,
                    tx_in_flight,
                    lost_since,
                    app_limited: false,
                });
            }
        }
    }

    /// Appendix, "Exiting STARTUP on Bandwidth Plateau".
    #[test]
    fn startup_ends_when_the_delivery_rate_no_longer_grows() {
        let mut path = Path::opened(1);
        for rate in [2e5, 4e5, 8e5, 1e6] {
            path.round(rate, BDP);
            assert_eq!((path.state(), path.model().pipe.rounds), (State::Startup, 0), "{rate}");
        }
        assert!((path.model().pacing_rate - 2.77 * 0.99 * 1e6).abs() < 1.0);
        for rounds in 1..=3 {
            path.round(1.2e6, 2 * BDP);
            assert_eq!(path.model().pipe.rounds, rounds);
        }
        assert!(path.model().filled && path.model().full_now);
        assert_eq!(path.state(), State::Drain);
        assert!((path.model().pacing_rate - 0.5 * 0.99 * 1.2e6).abs() < 1.0);
    }

    /// Appendix, "Exiting STARTUP on Loss When Application-Limited": six ranges, more than 2 %, a round trip of recovery.
    #[test]
    fn startup_ends_with_many_losses() {
        for (ranges, ends) in [(2, false), (6, true)] {
            let mut path = Path::opened(1);
            path.round(1e6, BDP);
            path.repair = Repair::Fast;
            for _ in 0..3 {
                let first = path.delivered;
                path.lose((0..ranges).map(|range| first + 2 * SEGMENT * range), BDP);
                path.now += RTT;
                let (app_limited, tx_in_flight, prior_delivered) = (true, BDP, path.delivered);
                let sample = Sample {
                    app_limited,
                    tx_in_flight,
                    prior_delivered,
                    lost_since: 5000,
                    ..Sample::default()
                };
                path.ack(20_000, sample);
            }
            assert_eq!(path.state() != State::Startup, ends, "{ranges}");
            assert_eq!(path.model().path.long_inflight.is_finite(), ends);
        }
    }

    /// Appendix, "Exiting DRAIN Based on Inflight" and "Exiting DRAIN Based on Time".
    #[test]
    fn drain_ends_with_a_bdp_in_flight_or_after_three_round_trips() {
        for (in_flight, rounds, then) in [(BDP, 1, State::Cruise), (BDP + 1, 4, State::Down)] {
            let mut path = Path::opened(1);
            (0..4).for_each(|_| {
                path.round(BANDWIDTH, 2 * BDP);
            });
            for round in 1..=rounds {
                assert_eq!(path.state(), State::Drain, "{round}");
                path.round(BANDWIDTH, in_flight);
            }
            assert_eq!(path.state(), then);
        }
    }

    /// Appendix, "Exiting PROBE_DOWN on Inflight".
    #[test]
    fn down_ends_with_headroom_and_no_queue() {
        let mut path = Path::probing(1);
        while path.state() == State::Up {
            path.round(BANDWIDTH, 2 * BDP);
        }
        path.control.0.path.long_inflight = 42_000.0;
        // 85 % of it.
        for (in_flight, state) in [(35_701, State::Down), (35_700, State::Cruise)] {
            path.round(BANDWIDTH, in_flight);
            assert_eq!(path.state(), state, "{in_flight}");
        }
    }

    /// Appendix, "Exiting PROBE_DOWN After Max Time": two to three seconds, or as many round trips as the BDP has segments.
    #[test]
    fn a_probe_comes_after_two_or_three_seconds_or_as_many_round_trips_as_reno_needs() {
        for seed in 0..20 {
            let mut path = Path::cruising(seed);
            let began = path.now;
            while path.state() == State::Cruise {
                path.round(BANDWIDTH, BDP);
            }
            assert_eq!(path.state(), State::Refill);
            let rounds = path.now.since(began).0 / RTT.0;
            assert!((38..=40).contains(&rounds), "{rounds}");
        }
        let mut waits: Vec<Span> = (0..50).map(|seed| Path::cruising(seed).model().wait).collect();
        waits.sort();
        assert!(waits[0] >= LEAST_WAIT && waits[49] < LEAST_WAIT + RANDOM_WAIT);
        assert!(waits[49].0 - waits[0].0 > RANDOM_WAIT.0 / 2, "{waits:?}");
    }

    /// Appendix, "Exiting PROBE_UP on Bandwidth Plateau".
    #[test]
    fn up_ends_when_the_delivery_rate_no_longer_grows() {
        let mut path = Path::probing(1);
        assert!((path.model().pacing_rate - 1.25 * 0.99 * BANDWIDTH).abs() < 1.0);
        for _ in 0..2 {
            path.round(BANDWIDTH, BDP + 10_000);
            assert_eq!(path.state(), State::Up);
        }
        path.round(BANDWIDTH, BDP + 10_000);
        assert_eq!(path.state(), State::Down);
    }

    /// Section 5.5.10.2: where losses exceed 2 % of what was in flight.
    #[test]
    fn too_many_losses_end_a_probe_and_bound_what_is_in_flight() {
        let mut path = Path::probing(1);
        path.lose(0..1, 60_000);
        path.round(BANDWIDTH, 60_000);
        assert_eq!((path.state(), path.model().path.long_inflight), (State::Up, f64::INFINITY));
        path.lose([0, 2000].into_iter(), 60_000);
        let in_flight = 60_000;
        path.ack(
            SEGMENT,
            Sample { in_flight, tx_in_flight: in_flight, lost_since: 2000, ..Sample::default() },
        );
        assert_eq!(path.state(), State::Down);
        // (0.02 x 59,000 - 1,000) / 0.98 bytes into the second segment.
        let bound = 59_000.0 + 180.0 / 0.98;
        assert!(
            (path.model().path.long_inflight - bound).abs() < 1e-6,
            "{}",
            path.model().path.long_inflight
        );
        assert!(path.window.cwnd * 1000.0 <= bound);
    }

    /// Section 5.5.10.3.
    #[test]
    fn a_loss_while_cruising_bounds_rate_and_volume_for_this_cycle() {
        let mut path = Path::cruising(1);
        path.round(BANDWIDTH, BDP);
        path.lose(0..1, BDP);
        path.round(0.5e6, BDP);
        // The round trip of the loss is not over.
        assert!(path.model().path.short_bandwidth.is_infinite());
        path.round(0.6e6, BDP);
        // What was delivered when the loss was found.
        assert_eq!(path.model().path.short_bandwidth, BANDWIDTH);
        let volume = path.model().path.short_inflight;
        path.lose(0..1, BDP);
        (0..2).for_each(|_| {
            path.round(0.6e6, BDP);
        });
        assert_eq!(path.model().path.short_bandwidth, 0.7e6);
        assert_eq!(path.model().path.short_inflight, 0.7 * volume);
        assert!((path.model().pacing_rate - 0.99 * 0.7e6).abs() < 1.0);
        while path.state() != State::Refill {
            path.round(0.6e6, BDP / 2);
        }
        assert!(path.model().path.short_bandwidth.is_infinite());
    }

    #[test]
    fn a_mark_is_answered_as_a_loss() {
        let mut path = Path::probing(1);
        path.marked = true;
        path.round(BANDWIDTH, 60_000);
        assert_eq!((path.state(), path.model().path.long_inflight), (State::Down, 60_000.0));
        let mut path = Path::opened(1);
        path.round(BANDWIDTH, BDP);
        path.marked = true;
        path.round(2.0 * BANDWIDTH, 3 * BDP);
        assert_eq!(path.state(), State::Drain);
    }

    /// Appendix, "Entering and Exiting PROBE_RTT".
    #[test]
    fn the_round_trip_is_probed_with_half_a_bdp_after_five_seconds() {
        let mut path = Path::cruising(1);
        let longer = |path: &Path| Sample {
            rate: Some(BANDWIDTH),
            rtt: Some(RTT * 2),
            prior_delivered: path.delivered,
            in_flight: BDP,
            ..Sample::default()
        };
        path.now = path.model().path.recent_at + path::PROBE_INTERVAL + Span(1);
        assert!(path.ack(BDP, longer(&path)));
        assert_eq!((path.state(), path.window.cwnd), (State::ProbeRtt, 20.0));
        path.round(BANDWIDTH, BDP / 2);
        let began = path.now;
        while path.state() == State::ProbeRtt {
            assert!(path.round(BANDWIDTH, BDP / 2));
        }
        let took = path.now.since(began);
        assert!(took > PROBE_RTT && took <= PROBE_RTT + RTT * 2, "{took}");
        assert_eq!(path.state(), State::Cruise);
        assert!(path.window.cwnd > 60.0);
    }

    /// Appendix, "Skipping PROBE_RTT Due to Application-Limited Sending".
    #[test]
    fn idleness_is_probe_enough() {
        let mut path = Path::cruising(1);
        path.now += Span::from_secs(6);
        path.control.on_resume(path.now);
        path.round(BANDWIDTH, SEGMENT);
        assert_ne!(path.state(), State::ProbeRtt);
    }

    /// Bursts of more than a BDP with pauses between them: what their ACKs run ahead of the bandwidth does not add up.
    #[test]
    fn each_pause_begins_the_count_of_aggregation_anew() {
        let mut path = Path::cruising(1);
        for _ in 0..20 {
            path.now += Span::from_secs(1);
            path.control.on_resume(path.now);
            path.now += RTT;
            path.ack(BDP + 20_000, Sample { app_limited: true, ..Sample::default() });
        }
        assert_eq!(path.model().path.extra(), (BDP + 20_000) as f64);
    }

    /// One ACK, drawn.
    #[derive(Clone, Debug)]
    struct Drawn {
        after: u64,
        acked: u64,
        rate: f64,
        rtt: u64,
        in_flight: u64,
        lost: u64,
        marked: bool,
        app_limited: bool,
        repair: Repair,
    }

    fn drawn() -> impl Strategy<Value = Drawn> {
        let repair =
            prop_oneof![4 => Just(Repair::None), 2 => Just(Repair::Fast), 1 => Just(Repair::Timeout)];
        let counts = (0u64..400, 0u64..60, 0u64..100);
        let lost = prop_oneof![4 => Just(0u64), 1 => 0u64..10];
        (counts, 1e3f64..1e8, 1u64..300, lost, prop::bool::weighted(0.05), any::<bool>(), repair).prop_map(
            |((after, acked, in_flight), rate, rtt, lost, marked, app_limited, repair)| Drawn {
                after,
                acked: acked * SEGMENT,
                rate,
                rtt,
                in_flight: in_flight * SEGMENT,
                lost,
                marked,
                app_limited,
                repair,
            },
        )
    }

    /// Section 5.1.1, the diagram of states, with what an ACK passes through at once.
    fn may_follow(from: State, to: State) -> bool {
        use State::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
        match from {
            _ if from == to || to == ProbeRtt => true,
            Startup => matches!(to, Drain | Down | Cruise | Refill),
            Drain | Up => matches!(to, Down | Cruise | Refill),
            Down => matches!(to, Cruise | Refill),
            Cruise => to == Refill,
            Refill => to == Up,
            ProbeRtt => matches!(to, Cruise | Startup | Drain),
        }
    }

    proptest! {
        #[test]
        fn whatever_acks_tell_the_states_and_bounds_are_the_drafts(seed in 0u64..100, acks in prop::collection::vec(drawn(), 1..400)) {
            let mut path = Path::opened(seed);
            for ack in acks {
                path.now += Span::from_millis(ack.after);
                path.repair = ack.repair;
                path.marked = ack.marked;
                path.lose((0..ack.lost).map(|number| number * 2 * SEGMENT), ack.in_flight.max(SEGMENT * ack.lost));
                let before = path.state();
                let sample = Sample {
                    rate: (ack.acked > 0).then_some(ack.rate),
                    rtt: (ack.acked > 0).then_some(Span::from_millis(ack.rtt)),
                    in_flight: ack.in_flight,
                    prior_in_flight: ack.in_flight + ack.acked,
                    tx_in_flight: ack.in_flight + SEGMENT,
                    lost_since: ack.lost * SEGMENT,
                    prior_delivered: path.delivered.saturating_sub(ack.in_flight),
                    app_limited: ack.app_limited,
                    ..Sample::default()
                };
                path.ack(ack.acked, sample);
                let model = path.model();
                prop_assert!(may_follow(before, model.state), "{before:?} to {:?}", model.state);
                prop_assert!(model.state == State::Startup || model.filled || model.state == State::ProbeRtt);
                let known = &model.path;
                prop_assert!(known.bandwidth <= known.max_bandwidth.max() && known.bandwidth <= known.short_bandwidth);
                prop_assert!(known.shortest.is_none_or(|shortest| known.recent.is_some_and(|recent| shortest <= recent)));
                let cwnd = path.window.cwnd * SEGMENT as f64;
                prop_assert!(cwnd >= LEAST_WINDOW * SEGMENT as f64 && cwnd.is_finite());
                prop_assert!(cwnd <= model.cap(SEGMENT as f64).max(LEAST_WINDOW * SEGMENT as f64) + 1e-6);
                // Where marks end Startup before anything was measured, the first rate stays: one of 0 would send nothing ever again.
                if model.state.is_probe_bw() && known.bandwidth > 0.0 {
                    let most = model.state.gains().0 * 0.99 * known.bandwidth;
                    prop_assert!(model.pacing_rate <= most + 1e-6, "{} and {most}", model.pacing_rate);
                }
            }
        }
    }
}
