//! The PI controller that PIE (RFC 8033, section 4.2) and DualPI2 (RFC 9332, appendix A.1) have in common: its settings, and by how much an
//! update moves the probability.

use crate::discipline::{Configured, Kind, Parameter, Range, Value};
use airfair_core::Span;

/// The settings of a controller, as a discipline declares them: with its own defaults and sentences.
pub(crate) struct Declared {
    pub target: Parameter,
    pub tupdate: Parameter,
    pub alpha: Parameter,
    pub beta: Parameter,
}

impl Declared {
    /// The settings that are given.
    pub fn read(&self, given: &Configured) -> Pi {
        Pi {
            target: given.time(&self.target),
            interval: given.time(&self.tupdate),
            alpha: given.number(&self.alpha),
            beta: given.number(&self.beta),
        }
    }
}

/// The delay that a controller holds.
pub(crate) const fn target(default: Span, help: &'static str) -> Parameter {
    let kind = Kind::Time(Range::POSITIVE.at_most(1000.0));
    Parameter { name: "target", kind, default: Value::Time(default), help }
}

/// The time from one update to the next.
pub(crate) const fn tupdate(default: Span, help: &'static str) -> Parameter {
    let kind = Kind::Time(Range::between(1e-4, 1000.0));
    Parameter { name: "tupdate", kind, default: Value::Time(default), help }
}

/// What each second of delay above the target adds with each update.
pub(crate) const fn alpha(default: f64, help: &'static str) -> Parameter {
    Parameter { name: "alpha", kind: GAIN, default: Value::Number(default), help }
}

/// What each second by which the delay has grown adds.
pub(crate) const fn beta(default: f64, help: &'static str) -> Parameter {
    Parameter { name: "beta", kind: GAIN, default: Value::Number(default), help }
}

/// In Hz.
const GAIN: Kind = Kind::Number(Range::between(0.0, 1000.0));

/// Settings of a controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pi {
    pub target: Span,
    /// The RFCs' `T_UPDATE` and `Tupdate`.
    pub interval: Span,
    /// In Hz.
    pub alpha: f64,
    pub beta: f64,
}

impl Pi {
    /// What an update adds to the probability, after one at which the delay was `old`.
    pub fn step(&self, delay: Span, old: Span) -> f64 {
        let [delay, old, target] = [delay, old, self.target].map(Span::as_secs);
        self.alpha * (delay - target) + self.beta * (delay - old)
    }
}
