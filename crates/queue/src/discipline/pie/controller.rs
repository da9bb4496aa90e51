//! PIE's drop probability, and its decision on an arriving packet (RFC 8033, sections 4 and 5).

use crate::pi::Pi;
use airfair_core::{Span, Stream, Time};

/// PIE's parameters, with the RFC's meanings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub pi: Pi,
    pub max_burst: Span,
    pub derandomize: bool,
}

/// PIE's state: the RFC's variables.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    settings: Settings,
    /// When the probability was due to be updated last.
    updated: Time,
    probability: f64,
    /// Delay at the last update.
    old_delay: Span,
    /// The part of the burst allowance that is used up.
    burst: Span,
    /// Sum of the drop probabilities of the packets since the last drop.
    accumulated: f64,
    stream: Stream,
}

/// Below each of these probabilities a step is divided by the number beside it (section 4.2).
const AUTO_TUNING: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// The probability is multiplied by this while there is no delay (section 4.2).
const DECAY: f64 = 0.98;
/// From this probability on no step is larger than [`LARGEST_STEP`] (section 5.5).
const CAPPED_FROM: f64 = 0.1;
const LARGEST_STEP: f64 = 0.02;
/// A probability below this drops nothing while the delay is below half of the target (section 4.1).
const HARMLESS: f64 = 0.2;
/// Bounds on the accumulated probability: below the first no packet is dropped, and from the second on one certainly is
/// (section 5.4).
const TOO_SOON: f64 = 0.85;
const TOO_LATE: f64 = 8.5;

impl Controller {
    pub fn new(settings: Settings, at: Time, stream: Stream) -> Controller {
        Controller {
            settings,
            updated: at,
            probability: 0.0,
            old_delay: Span::ZERO,
            burst: Span::ZERO,
            accumulated: 0.0,
            stream,
        }
    }

    /// Continues with other settings.
    pub fn adopt(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Returns the probability with which packets are dropped or marked.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Makes the updates due by `now`. Since the last one the delay has been `delay`.
    pub fn catch_up(&mut self, now: Time, delay: Span) {
        let mut due = now.since(self.updated).0 / self.settings.pi.interval.0;
        self.updated += Span(due * self.settings.pi.interval.0);
        while due > 0 {
            let before = (self.probability, self.old_delay, self.burst);
            self.update(delay);
            // With this delay nothing changes any more.
            due = if before == (self.probability, self.old_delay, self.burst) { 0 } else { due - 1 };
        }
    }

    /// Updates the probability for the next interval (section 4.2) and the burst allowance (section 4.4).
    fn update(&mut self, delay: Span) {
        let Settings { pi, max_burst, .. } = self.settings;
        let step = pi.step(delay, self.old_delay);
        let tuned = AUTO_TUNING.iter().find(|(below, _)| self.probability < *below);
        let step = step / tuned.map_or(1.0, |(_, divisor)| *divisor);
        let capped = self.probability >= CAPPED_FROM && step > LARGEST_STEP;
        self.probability += if capped { LARGEST_STEP } else { step };
        if delay == Span::ZERO && self.old_delay == Span::ZERO {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst = (self.burst + pi.interval).min(max_burst);
        if self.probability == 0.0 && self.is_short(delay) && self.is_short(self.old_delay) {
            self.burst = Span::ZERO;
        }
        self.old_delay = delay;
    }

    /// Whether a delay is below half of the target.
    fn is_short(&self, delay: Span) -> bool {
        delay * 2 < self.settings.pi.target
    }

    /// An arriving packet finds no room, which is a drop as any other for the distance to the next one (appendix B).
    pub fn overflow(&mut self) {
        self.accumulated = 0.0;
    }

    /// Whether an arriving packet is to be dropped or marked. To be called only if more than two packets of mean length
    /// wait.
    pub fn picks(&mut self) -> bool {
        if self.burst < self.settings.max_burst {
            return false;
        }
        if self.is_short(self.old_delay) && self.probability < HARMLESS {
            return false;
        }
        if !self.settings.derandomize {
            return self.stream.chance(self.probability);
        }
        self.accumulated = if self.probability == 0.0 { 0.0 } else { self.accumulated + self.probability };
        let picked = self.accumulated >= TOO_SOON
            && (self.accumulated >= TOO_LATE || self.stream.chance(self.probability));
        if picked {
            self.accumulated = 0.0;
        }
        picked
    }
}

#[cfg(test)]
mod tests;
