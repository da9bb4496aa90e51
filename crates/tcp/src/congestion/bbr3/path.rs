//! BBRv3's model of the path (draft-ietf-ccwg-bbr, section 5.5): bandwidth, round trip, and the amount in flight that is safe, over a
//! long term and a short one.

use super::super::Delivery;
use super::super::max_filter::MaxFilter;
use super::{BETA, HEADROOM, LEAST_WINDOW};
use airfair_core::{Span, Time};

/// `MaxBwFilterLen`: the cycle under way and the one before.
const BANDWIDTH_CYCLES: u64 = 2;
/// `ExtraAckedFilterLen`, in round trips.
const AGGREGATION_ROUNDS: u64 = 10;
/// `MinRTTFilterLen` and `ProbeRTTInterval`.
const SHORTEST_RTT_LIFE: Span = Span::from_secs(10);
pub(super) const PROBE_INTERVAL: Span = Span::from_secs(5);
/// `LossThresh`: the loss rate of a round trip above which too much was in flight.
pub(super) const LOSS_THRESHOLD: f64 = 0.02;

/// Bandwidths are in byte/s, volumes in bytes.
#[derive(Debug)]
pub(super) struct Path {
    pub max_bandwidth: MaxFilter,
    /// The number of the cycle, by which `max_bandwidth` counts time.
    pub cycle: u64,
    pub short_bandwidth: f64,
    /// The lesser of `max_bandwidth` and `short_bandwidth`.
    pub bandwidth: f64,
    pub long_inflight: f64,
    pub short_inflight: f64,
    /// The greatest bandwidth, and the most data delivered, in the round trip under way.
    pub latest_bandwidth: f64,
    pub latest_inflight: f64,
    /// The round trips by which losses are counted, and whether the current one has a loss.
    loss_round_ends: u64,
    loss_round_starts: bool,
    pub has_loss: bool,
    /// A round trip with a loss has just ended.
    pub lossy_round: bool,
    pub shortest: Option<Span>,
    shortest_at: Time,
    /// The shortest round trip of the last five seconds.
    pub recent: Option<Span>,
    pub recent_at: Time,
    pub expired: bool,
    /// By how much ACKs run ahead of the bandwidth, and since when.
    extra: MaxFilter,
    extra_acked: f64,
    extra_began: Time,
}

impl Path {
    pub fn new() -> Path {
        Path {
            max_bandwidth: MaxFilter::new(BANDWIDTH_CYCLES),
            cycle: 0,
            short_bandwidth: f64::INFINITY,
            bandwidth: 0.0,
            long_inflight: f64::INFINITY,
            short_inflight: f64::INFINITY,
            latest_bandwidth: 0.0,
            latest_inflight: 0.0,
            loss_round_ends: 0,
            loss_round_starts: false,
            has_loss: false,
            lossy_round: false,
            shortest: None,
            shortest_at: Time::ZERO,
            recent: None,
            recent_at: Time::ZERO,
            expired: false,
            extra: MaxFilter::new(AGGREGATION_ROUNDS),
            extra_acked: 0.0,
            extra_began: Time::ZERO,
        }
    }

    /// `UpdateLatestDeliverySignals`.
    pub fn update_latest(&mut self, delivery: &Delivery<'_>) {
        let sample = &delivery.sample;
        self.loss_round_starts = false;
        self.latest_bandwidth = self.latest_bandwidth.max(sample.rate.unwrap_or(0.0));
        if sample.acked > 0 {
            self.latest_inflight =
                self.latest_inflight.max((sample.delivered - sample.prior_delivered) as f64);
            if sample.prior_delivered >= self.loss_round_ends {
                self.loss_round_ends = sample.delivered;
                self.loss_round_starts = true;
            }
        }
    }

    /// `UpdateMaxBw`.
    pub fn update_bandwidth(&mut self, delivery: &Delivery<'_>) {
        let Some(rate) = delivery.sample.rate else { return };
        if rate >= self.max_bandwidth.max() || !delivery.sample.app_limited {
            self.max_bandwidth.update(self.cycle, rate);
        }
    }

    /// `UpdateCongestionSignals`: once in a round trip with a loss the short-term bounds follow what was delivered, but not where the flow
    /// `probes`, where losses are expected.
    pub fn update_congestion(&mut self, probes: bool, cwnd: f64) {
        self.lossy_round = self.loss_round_starts && self.has_loss;
        if self.lossy_round && !probes {
            if self.short_bandwidth.is_infinite() {
                self.short_bandwidth = self.max_bandwidth.max();
            }
            if self.short_inflight.is_infinite() {
                self.short_inflight = cwnd;
            }
            self.short_bandwidth = self.latest_bandwidth.max(BETA * self.short_bandwidth);
            self.short_inflight = self.latest_inflight.max(BETA * self.short_inflight);
        }
        if self.loss_round_starts {
            self.has_loss = false;
        }
    }

    /// `AdvanceLatestDeliverySignals` and `BoundBWForModel`.
    pub fn advance_latest(&mut self, delivery: &Delivery<'_>) {
        let sample = &delivery.sample;
        if self.loss_round_starts {
            self.latest_bandwidth = sample.rate.unwrap_or(0.0);
            self.latest_inflight = (sample.delivered - sample.prior_delivered) as f64;
        }
        self.bandwidth = self.max_bandwidth.max().min(self.short_bandwidth);
    }

    /// `NoteLoss`.
    pub fn note_loss(&mut self, delivered: u64) {
        if !self.has_loss {
            self.loss_round_ends = delivered;
        }
        self.has_loss = true;
    }

    /// `ResetCongestionSignals`.
    pub fn reset_congestion(&mut self) {
        self.has_loss = false;
        (self.latest_bandwidth, self.latest_inflight) = (0.0, 0.0);
    }

    /// `ResetShortTermModel`.
    pub fn reset_short_term(&mut self) {
        (self.short_bandwidth, self.short_inflight) = (f64::INFINITY, f64::INFINITY);
    }

    /// `UpdateACKAggregation`. Before the pipe was `filled`, the maximum is over one round trip instead of ten.
    pub fn update_aggregation(&mut self, delivery: &Delivery<'_>, round: u64, filled: bool, cwnd: f64) {
        let mut expected = self.bandwidth * delivery.now.since(self.extra_began).as_secs();
        if self.extra_acked <= expected {
            (self.extra_acked, self.extra_began, expected) = (0.0, delivery.now, 0.0);
        }
        self.extra_acked += delivery.sample.acked as f64;
        let extra = (self.extra_acked - expected).min(cwnd);
        if !filled && round != self.extra.round() {
            self.extra.clear();
        }
        self.extra.update(round, extra);
    }

    /// Begins another interval after a pause. The draft moves its start alone: then what is acknowledged adds up from pause to pause, and the
    /// window with it. Linux forgets that as well (`bbr_cwnd_event` in `net/ipv4/tcp_bbr.c`).
    pub fn restart_aggregation(&mut self, now: Time) {
        (self.extra_acked, self.extra_began) = (0.0, now);
    }

    pub fn extra(&self) -> f64 {
        self.extra.max()
    }

    /// `UpdateMinRTT`.
    pub fn update_shortest(&mut self, delivery: &Delivery<'_>) {
        let now = delivery.now;
        self.expired = now > self.recent_at + PROBE_INTERVAL;
        let Some(rtt) = delivery.sample.rtt else { return };
        if self.expired || self.recent.is_none_or(|recent| rtt < recent) {
            (self.recent, self.recent_at) = (Some(rtt), now);
        }
        let is_old = now > self.shortest_at + SHORTEST_RTT_LIFE;
        if is_old || self.shortest.is_none_or(|shortest| self.recent.is_some_and(|recent| recent < shortest))
        {
            (self.shortest, self.shortest_at) = (self.recent, self.recent_at);
        }
    }

    /// Bytes that a bandwidth carries in the shortest round trip.
    pub fn volume(&self, bandwidth: f64) -> Option<f64> {
        Some(bandwidth * self.shortest?.as_secs())
    }

    /// `InflightWithHeadroom`: room for others below the long-term bound.
    pub fn with_headroom(&self, segment: f64) -> f64 {
        if self.long_inflight.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (HEADROOM * self.long_inflight).max(segment);
        (self.long_inflight - headroom).max(LEAST_WINDOW * segment)
    }
}

/// Whether too much of the data in flight was lost (`IsInflightTooHigh`).
pub(super) fn is_too_high(lost: f64, in_flight: f64, selective: bool) -> bool {
    lost > in_flight * LOSS_THRESHOLD || lost > 0.0 && !selective
}
