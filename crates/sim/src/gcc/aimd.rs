//! The rate that the delays allow (section 5.5): additive or multiplicative increase, multiplicative decrease.

use super::trend::Usage;
use airfair_core::{Span, Time};

/// The round-trip time before the first report: libwebrtc, `kDefaultRtt`.
pub const UNKNOWN_RTT: Span = Span::from_millis(200);

/// Part of the received rate that is kept at congestion (section 5.5: beta), and a part in bit/s that libwebrtc takes off besides.
const BETA: f64 = 0.85;
const LESS: f64 = 5e3;
/// Multiplicative increase in a second (section 5.5: eta), and the least increase at once in bit/s.
const ETA: f64 = 1.08;
const LEAST_STEP: f64 = 1000.0;
/// The rate stays below this many times the received rate, plus a margin in bit/s that lets low rates go on.
const AHEAD: f64 = 1.5;
const MARGIN: f64 = 10e3;
/// Least additive increase in bit/s in a second.
const LEAST_SLOPE: f64 = 4000.0;
/// Time that the detector takes to react, and the packet's size in bits and frame rate from which the additive increase follows (section 5.5).
const REACTION: Span = Span::from_millis(100);
const PACKET_BITS: f64 = 1200.0 * 8.0;
const FRAMES: f64 = 30.0;
/// The bounds of the time between two reductions, which is a round trip.
const REDUCTIONS: [Span; 2] = [Span::from_millis(10), Span::from_millis(200)];

/// The states of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Increase,
    Hold,
}

/// The controller. Its third state, the decrease, ends at once.
#[derive(Clone, Debug)]
pub struct Aimd {
    limits: [f64; 2],
    rate: f64,
    /// The rate at which packets arrive, as far as it is known.
    received: f64,
    state: State,
    changed: Option<Time>,
    capacity: Capacity,
}

/// The received rates at congestion: an average and its variance over it, in kb/s.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    average: Option<f64>,
    variance: f64,
}

impl Capacity {
    /// Weight of the latest rate (section 5.5: a smoothing factor of 0.95).
    const WEIGHT: f64 = 0.05;
    /// The range of the variance over the average: 14 to 35 kb/s of deviation at 500 kb/s.
    const VARIANCES: [f64; 2] = [0.4, 2.5];

    /// Returns how the rate of `rate` bit/s differs from the average, in units of three standard deviations; `None` without an average.
    fn distance(&self, rate: f64) -> Option<f64> {
        let average = self.average?;
        Some((rate / 1e3 - average) / (3.0 * (self.variance * average).sqrt()))
    }

    fn note(&mut self, rate: f64) {
        let rate = rate / 1e3;
        let average =
            self.average.map_or(rate, |average| (1.0 - Capacity::WEIGHT) * average + Capacity::WEIGHT * rate);
        let error = average - rate;
        let [least, most] = Capacity::VARIANCES;
        let variance =
            (1.0 - Capacity::WEIGHT) * self.variance + Capacity::WEIGHT * error * error / average.max(1.0);
        *self = Capacity { average: Some(average), variance: variance.clamp(least, most) };
    }
}

impl Aimd {
    /// Returns a controller that starts at a rate between the limits, all in bit/s.
    pub fn new(rate: f64, limits: [f64; 2]) -> Aimd {
        let capacity = Capacity { average: None, variance: Capacity::VARIANCES[0] };
        Aimd { limits, rate, received: rate, state: State::Hold, changed: None, capacity }
    }

    /// Returns the rate in bit/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets the rate to a measured one.
    pub fn set(&mut self, now: Time, rate: f64) {
        let [least, most] = self.limits;
        self.rate = rate.max(least).min(most);
        self.changed = Some(now);
    }

    /// Whether a further reduction may follow, at a received rate: after a round trip, or where half of the rate does not get through.
    pub fn may_reduce(&self, now: Time, received: f64, rtt: Span) -> bool {
        let [least, most] = REDUCTIONS;
        let is_time = self.changed.is_none_or(|changed| now.since(changed) >= rtt.clamp(least, most));
        is_time || received < 0.5 * self.rate
    }

    /// Moves the rate by the detector's signal. `received` is the rate at which packets arrive, if it is measured.
    pub fn update(&mut self, now: Time, usage: Usage, received: Option<f64>, rtt: Span) {
        self.received = received.unwrap_or(self.received);
        let received = self.received;
        match (usage, self.state) {
            (Usage::Over, _) => return self.decrease(now, received),
            (Usage::Under, _) => self.state = State::Hold,
            (Usage::Normal, State::Hold) => {
                self.state = State::Increase;
                self.changed = Some(now);
            }
            (Usage::Normal, State::Increase) => {}
        }
        if self.state == State::Increase {
            self.increase(now, received, rtt);
        }
    }

    fn increase(&mut self, now: Time, received: f64, rtt: Span) {
        if self.capacity.distance(received).is_some_and(|distance| distance > 1.0) {
            self.capacity.average = None;
        }
        let since = now.since(self.changed.unwrap_or(now)).as_secs();
        let step = if self.capacity.average.is_some() {
            self.slope(rtt) * since
        } else {
            (self.rate * (libm::pow(ETA, since.min(1.0)) - 1.0)).max(LEAST_STEP)
        };
        // A rate that has got ahead stays as it is.
        let limit = (AHEAD * received + MARGIN).max(self.rate);
        self.set(now, (self.rate + step).min(limit));
    }

    /// Returns the additive increase in a second: half a packet in each response time.
    fn slope(&self, rtt: Span) -> f64 {
        let frame = self.rate / FRAMES;
        let packet = frame / (frame / PACKET_BITS).ceil();
        (packet / (2.0 * (rtt + REACTION).as_secs())).max(LEAST_SLOPE)
    }

    fn decrease(&mut self, now: Time, received: f64) {
        let mut reduced = BETA * received;
        if reduced > LESS {
            reduced -= LESS;
        }
        if reduced > self.rate
            && let Some(average) = self.capacity.average
        {
            reduced = BETA * average * 1e3;
        }
        if self.capacity.distance(received).is_some_and(|distance| distance < -1.0) {
            self.capacity.average = None;
        }
        self.capacity.note(received);
        self.state = State::Hold;
        self.set(now, reduced.min(self.rate));
    }
}
