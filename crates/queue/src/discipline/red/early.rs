//! The average queue length, and its verdict on an arriving packet (Floyd & Jacobson 1993, section 4 and Fig. 2).

use crate::config::QueueLimit;
use crate::occupancy::Occupancy;
use airfair_core::{Rate, Stream, Time};

/// RED's parameters. A value of `None` is derived from the others and the rate.
#[derive(Clone, Copy, Debug)]
pub(in crate::discipline) struct Settings {
    pub min_threshold: Option<f64>,
    pub max_threshold: Option<f64>,
    pub max_p: f64,
    pub weight: Option<f64>,
    pub mean_packet: u64,
    pub gentle: bool,
    pub wait: bool,
    pub byte_mode: bool,
    /// Whether the lottery is that of ns-2.
    pub spares_short_queues: bool,
}

/// The verdict on an arriving packet by the average alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::discipline) enum Verdict {
    /// The packet may pass.
    Pass,
    /// The packet is picked at random, to be marked or dropped.
    Notify,
    /// The average is too long for any packet.
    Drop,
}

/// The estimator and the lottery.
#[derive(Clone, Debug)]
pub(in crate::discipline) struct EarlyDetection {
    settings: Settings,
    /// Limit of the queue. It sets the unit of queue, average and thresholds.
    limit: QueueLimit,
    min: f64,
    max: f64,
    weight: f64,
    /// Packets of mean length per second on the link.
    packets_per_second: f64,
    average: f64,
    /// Since when queue and server have been idle; `None` if they are not.
    idle_since: Option<Time>,
    /// Arrivals since the last packet was picked; `None` while the average is below the thresholds.
    since_last: Option<Occupancy>,
    /// Probability with which the last packet was to be picked.
    probability: f64,
    stream: Stream,
}

/// Queueing delay of twice the automatic minimum threshold, in seconds (ns-2.35's `targetdelay_`).
const TARGET_DELAY: f64 = 0.005;
/// The least automatic minimum threshold, in packets (ns-2.35; Floyd 1997, "Discussions of setting parameters").
const LEAST_MINIMUM: f64 = 5.0;
/// Ratio of the maximum threshold to the minimum threshold, if it is not set (ns-2.35; Floyd 1997).
const THRESHOLD_RATIO: f64 = 3.0;

/// Returns the minimum threshold of RED and CHOKe if none is set, in packets of `mean_packet` bytes, where packets leave at `rate`.
pub fn automatic_minimum(mean_packet: u64, max_threshold: Option<f64>, rate: Rate) -> f64 {
    let packets_per_second = rate.bits_per_second() as f64 / (8.0 * mean_packet as f64);
    let automatic = LEAST_MINIMUM.max(TARGET_DELAY * packets_per_second / 2.0);
    max_threshold.map_or(automatic, |maximum| automatic.min(maximum / THRESHOLD_RATIO))
}

impl EarlyDetection {
    pub fn new(settings: Settings, limit: QueueLimit, rate: Rate, stream: Stream) -> EarlyDetection {
        let mut early = EarlyDetection {
            settings,
            limit,
            min: 0.0,
            max: 0.0,
            weight: 0.0,
            packets_per_second: 0.0,
            average: 0.0,
            idle_since: Some(Time::ZERO),
            since_last: None,
            probability: 0.0,
            stream,
        };
        early.adopt(settings, limit, rate);
        early
    }

    /// Continues with other settings. The limit must be in the same unit as before.
    pub fn adopt(&mut self, settings: Settings, limit: QueueLimit, rate: Rate) {
        let packets_per_second = rate.bits_per_second() as f64 / (8.0 * settings.mean_packet as f64);
        let automatic = || automatic_minimum(settings.mean_packet, settings.max_threshold, rate);
        let minimum = settings.min_threshold.unwrap_or_else(automatic);
        let maximum = settings.max_threshold.unwrap_or(THRESHOLD_RATIO * minimum);
        let unit = match limit {
            QueueLimit::Packets(_) => 1.0,
            QueueLimit::Bytes(_) => settings.mean_packet as f64,
        };
        (self.settings, self.limit, self.packets_per_second) = (settings, limit, packets_per_second);
        (self.min, self.max) = (minimum * unit, maximum * unit);
        // A time constant of a second: Floyd, Gummadi & Shenker 2001, "Adaptive RED"; ns-2.35's `q_weight_` 0.
        self.weight = settings.weight.unwrap_or_else(|| -libm::expm1(-1.0 / packets_per_second));
    }

    /// Returns the average queue length, in the limit's unit.
    pub fn average(&self) -> f64 {
        self.average
    }

    /// Returns the probability with which the last judged packet was to be picked.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Returns the average at which the lottery begins.
    pub fn min(&self) -> f64 {
        self.min
    }

    pub fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Notes that queue and server are idle from `now` on.
    pub fn idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }

    /// Adds a packet that arrives when `waiting` packets wait to the average.
    pub fn measure(&mut self, now: Time, waiting: Occupancy) {
        match self.idle_since.take() {
            Some(since) => {
                // The average decays as if packets had arrived meanwhile and found the queue empty.
                let missed = now.since(since).as_secs() * self.packets_per_second;
                self.average *= libm::pow(1.0 - self.weight, missed);
            }
            None => self.average += self.weight * (self.limit.units(waiting) as f64 - self.average),
        }
    }

    /// Judges a packet that arrives when `waiting` packets wait. Call [`EarlyDetection::measure`] first.
    pub fn judge(&mut self, packet: Occupancy, waiting: Occupancy) -> Verdict {
        let spared = self.settings.spares_short_queues && self.limit.units(waiting) <= 1;
        if self.average < self.min || spared {
            self.since_last = None;
            self.probability = 0.0;
            return Verdict::Pass;
        }
        let first = self.settings.spares_short_queues && self.since_last.is_none();
        if self.average >= self.ceiling() {
            self.since_last = (!first).then(Occupancy::default);
            self.probability = 1.0;
            return Verdict::Drop;
        }
        if first {
            self.since_last = Some(packet);
            self.probability = 0.0;
            return Verdict::Pass;
        }
        let since_last = self.since_last.map_or(Occupancy::default(), |since| since + packet);
        self.since_last = Some(since_last);
        self.probability = self.spread_probability(since_last, packet.bytes);
        if self.stream.chance(self.probability) {
            self.since_last = Some(Occupancy::default());
            return Verdict::Notify;
        }
        Verdict::Pass
    }

    /// Notes that the packet judged last finds no room.
    pub fn overflow(&mut self) {
        if self.settings.spares_short_queues {
            self.since_last = self.since_last.map(|_| Occupancy::default());
        }
    }

    /// Returns the average from which no packet passes.
    fn ceiling(&self) -> f64 {
        if self.settings.gentle { 2.0 * self.max } else { self.max }
    }

    /// Returns the probability that an arriving packet is picked if packets were picked independently: the paper's p_b, and Floyd's
    /// gentle slope (2000) from the maximum threshold on.
    fn base_probability(&self) -> f64 {
        let max_p = self.settings.max_p;
        if self.average < self.max {
            max_p * (self.average - self.min) / (self.max - self.min)
        } else {
            max_p + (1.0 - max_p) * (self.average - self.max) / self.max
        }
    }

    /// Returns the probability that spreads the picked packets evenly: the paper's p_a; with `wait` as in ns-2.
    fn spread_probability(&self, since_last: Occupancy, bytes: u64) -> f64 {
        let base = self.base_probability();
        let mean = self.settings.mean_packet;
        let count =
            if self.settings.byte_mode { since_last.bytes / mean } else { u64::from(since_last.packets) };
        let expected = count as f64 * base;
        let picked = match self.settings.wait {
            false if expected < 1.0 => base / (1.0 - expected),
            true if expected < 1.0 => 0.0,
            true if expected < 2.0 => base / (2.0 - expected),
            _ => 1.0,
        };
        // In byte mode a packet is picked in proportion to its length, unless the count forces it: as in ns-2.
        let length = if self.settings.byte_mode && picked < 1.0 { bytes as f64 / mean as f64 } else { 1.0 };
        (picked * length).min(1.0)
    }
}

#[cfg(test)]
mod tests;
