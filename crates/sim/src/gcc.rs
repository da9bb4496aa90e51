//! Google Congestion Control (GCC), as browsers run it on the side of the sender.
//!
//! Holmer et al., draft-ietf-rmcat-gcc-02, and Carlucci et al., "Congestion control for web real-time communication", IEEE/ACM Transactions on
//! Networking 25(5), 2017, have a Kalman filter of delay variations. Browsers have replaced it by a line through the last delays, and changed
//! some constants. This module follows them: libwebrtc, `modules/congestion_controller/goog_cc` and
//! `modules/remote_bitrate_estimator/aimd_rate_control.cc`. Section numbers refer to the draft.

mod aimd;
mod probe;
mod trend;

use aimd::Aimd;
use airfair_core::{Rate, Span, Time};
pub use probe::Cluster;
use probe::{ClusterId, Probes};
use std::collections::VecDeque;
use trend::{Trend, Usage};

/// Window over which the received rate is measured (section 5.5: 0.5 to 1 s).
const WINDOW: Span = Span::from_millis(500);
/// Rate at which a call starts: libwebrtc, `kDefaultStartBitrateBps`.
const START: f64 = 300e3;
/// Packets that a share of lost packets is taken from, at least: libwebrtc, `kLimitNumPackets`.
const LEAST_PACKETS: u32 = 20;
/// Share of lost packets up to which the rate may rise, and beyond which it falls (section 6).
const LOW_LOSS: f64 = 0.02;
const HIGH_LOSS: f64 = 0.1;
/// Time between two reductions for losses, without the round trip: libwebrtc, `kBweDecreaseInterval`.
const LOSS_INTERVAL: Span = Span::from_millis(300);
/// Without feedback for this long, or with a round trip as long, the rate falls by [`SILENCE_FACTOR`] every [`SILENCE_INTERVAL`]: libwebrtc,
/// `RttBasedBackoff`.
const SILENCE: Span = Span::from_secs(3);
const SILENCE_FACTOR: f64 = 0.8;
const SILENCE_INTERVAL: Span = Span::from_secs(1);
/// After a pause of this length the delays are measured anew: libwebrtc, `kStreamTimeOut`.
const PAUSE: Span = Span::from_secs(2);
/// A probe lets the rate fall at most to this part of the received rate: libwebrtc, `kProbeDropThroughputFraction`.
const PROBE_DROP: f64 = 0.85;

/// A packet that the receiver reports as received.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// When the packet was sent.
    pub sent: Time,
    /// When it arrived.
    pub arrived: Time,
    /// Its bytes on the wire.
    pub bytes: u32,
    /// The cluster that it probes with, if any.
    pub cluster: Option<ClusterId>,
}

/// The congestion control of one sender of media.
#[derive(Clone, Debug)]
pub struct Gcc {
    /// The least and the highest rate in bit/s.
    limits: [f64; 2],
    /// The rate at which media is to be sent, in bit/s.
    target: f64,
    trend: Trend,
    delay_based: Aimd,
    throughput: Throughput,
    losses: Losses,
    probes: Probes,
    /// When the last feedback came; before the first, when media began.
    last_feedback: Option<Time>,
    rtt: Option<Span>,
    /// When the rate was last reduced for losses or silence.
    reduced: Option<Time>,
}

/// Losses since the last report that had enough packets.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    lost: u32,
    packets: u32,
}

/// The rate at which packets arrive.
#[derive(Clone, Debug, Default)]
struct Throughput {
    first: Option<Time>,
    packets: VecDeque<(Time, u32)>,
    bytes: u64,
}

impl Throughput {
    fn add(&mut self, arrived: Time, bytes: u32) {
        self.first.get_or_insert(arrived);
        self.packets.push_back((arrived, bytes));
        self.bytes += u64::from(bytes);
        while let Some(&(at, bytes)) = self.packets.front()
            && arrived.since(at) >= WINDOW
        {
            self.packets.pop_front();
            self.bytes -= u64::from(bytes);
        }
    }

    /// Returns the rate in bit/s over the last [`WINDOW`]; `None` before the first window is over.
    fn rate(&self) -> Option<f64> {
        let &(last, _) = self.packets.back()?;
        (last.since(self.first?) >= WINDOW).then(|| self.bytes as f64 * 8.0 / WINDOW.as_secs())
    }
}

impl Gcc {
    /// Returns a control whose rate stays between `least` and `most`, which is not below it.
    pub fn new(least: Rate, most: Rate) -> Gcc {
        let limits = [least, most].map(|rate| rate.bits_per_second() as f64);
        let start = START.max(limits[0]).min(limits[1]);
        Gcc {
            limits,
            target: start,
            trend: Trend::default(),
            delay_based: Aimd::new(start, limits),
            throughput: Throughput::default(),
            losses: Losses::default(),
            probes: Probes::new(start, limits[1]),
            last_feedback: None,
            rtt: None,
            reduced: None,
        }
    }

    /// Returns the rate at which media is to be sent, headers included, in bit/s.
    pub fn target(&self) -> f64 {
        self.target
    }

    /// Returns the last measured round-trip time; `None` before the first feedback.
    pub fn rtt(&self) -> Option<Span> {
        self.rtt
    }

    /// Returns the next cluster of packets with which the path is to be probed, if any.
    pub fn poll_probe(&mut self) -> Option<Cluster> {
        self.probes.poll()
    }

    /// Takes a report, which comes at `now`: the packets that it has as received, in the order of their arrival, the number of those that it has
    /// as lost, and how long the receiver kept the report after the last arrival.
    pub fn on_feedback(&mut self, now: Time, received: &[Received], lost: u32, kept: Span) {
        if self.last_feedback.is_some_and(|last| now.since(last) > PAUSE) {
            self.trend = Trend::default();
        }
        self.last_feedback = Some(now);
        for packet in received {
            self.trend.add(packet.sent, packet.arrived);
            self.throughput.add(packet.arrived, packet.bytes);
            self.probes.on_packet(packet);
        }
        if let Some(last) = received.last() {
            self.rtt = Some(Span(now.since(last.sent).0.saturating_sub(kept.0)));
        }
        self.follow_delay(now);
        self.follow_losses(now, received.len() as u32, lost);
    }

    /// Lets the rate fall if there has been no feedback for long. To be called regularly while media is sent.
    pub fn on_time(&mut self, now: Time) {
        self.probes.on_time(now);
        let last = *self.last_feedback.get_or_insert(now);
        let silent = now.since(last) + self.rtt.unwrap_or(Span::ZERO) > SILENCE;
        if silent && self.reduced.is_none_or(|at| now.since(at) >= SILENCE_INTERVAL) {
            self.reduced = Some(now);
            self.set(self.target * SILENCE_FACTOR);
        }
    }

    /// Section 5.5, as `DelayBasedBwe::MaybeUpdateEstimate` of libwebrtc has it.
    fn follow_delay(&mut self, now: Time) {
        let (usage, rate) = (self.trend.usage(), self.throughput.rate());
        let rtt = self.rtt.unwrap_or(aimd::UNKNOWN_RTT);
        match (usage, rate, self.probes.take_result()) {
            (Usage::Over, Some(rate), _) => {
                if self.delay_based.may_reduce(now, rate, rtt) {
                    self.delay_based.update(now, usage, Some(rate), rtt);
                }
            }
            // Nothing tells how much gets through: half is the best guess.
            (Usage::Over, None, _) => self.delay_based.set(now, self.delay_based.rate() / 2.0),
            (_, _, Some(probed)) => {
                let least = rate.map_or(0.0, |rate| self.delay_based.rate().min(PROBE_DROP * rate));
                let probed = probed.max(least);
                self.delay_based.set(now, probed);
                // The probe got through at this rate, so a lower rate after losses no longer holds.
                self.target = self.target.max(self.delay_based.rate());
                self.probes.go_on(now, probed);
            }
            (_, rate, None) => self.delay_based.update(now, usage, rate, rtt),
        }
    }

    /// Section 6, with the minimal number of packets and the pause between reductions of libwebrtc.
    fn follow_losses(&mut self, now: Time, received: u32, lost: u32) {
        self.losses.lost += lost;
        self.losses.packets += received + lost;
        if self.losses.packets < LEAST_PACKETS {
            return self.set(self.target);
        }
        let Losses { lost, packets } = std::mem::take(&mut self.losses);
        let share = f64::from(lost) / f64::from(packets);
        let rtt = self.rtt.unwrap_or(Span::ZERO);
        let factor = if share <= LOW_LOSS && rtt <= SILENCE {
            1.05
        } else if share <= HIGH_LOSS || self.reduced.is_some_and(|at| now.since(at) < LOSS_INTERVAL + rtt) {
            1.0
        } else {
            self.reduced = Some(now);
            1.0 - 0.5 * share
        };
        self.set(self.target * factor);
    }

    /// Sets the rate, which is never above the delay-based one.
    fn set(&mut self, rate: f64) {
        let [least, most] = self.limits;
        self.target = rate.min(self.delay_based.rate()).max(least).min(most);
    }
}

#[cfg(test)]
mod tests;
