//! The PI controller that PIE (RFC 8033, section 4.2) and DualPI2 (RFC 9332, appendix A.1) have in common: its settings, and by how much an
//! update moves the probability.

use crate::discipline::{Configured, Kind, Parameter, Range, Value};
use airfair_core::Span;

/// The settings of a controller as a discipline declares them, with its own defaults and help.
pub(crate) struct Declared {
    pub target: Parameter,
    pub tupdate: Parameter,
    pub alpha: Parameter,
    pub beta: Parameter,
}

impl Declared {
    /// Returns the settings with the given values.
    pub fn read(&self, given: &Configured) -> Pi {
        Pi {
            target: given.time(&self.target),
            interval: given.time(&self.tupdate),
            alpha: given.number(&self.alpha),
            beta: given.number(&self.beta),
        }
    }
}

/// Declares the delay that a controller holds.
pub(crate) const fn target(default: Span, help: &'static str) -> Parameter {
    let kind = Kind::Time(Range::POSITIVE.at_most(1000.0));
    Parameter { name: "target", kind, default: Value::Time(default), help }
}

/// Declares the time from one update to the next.
pub(crate) const fn tupdate(default: Span, help: &'static str) -> Parameter {
    let kind = Kind::Time(Range::between(1e-4, 1000.0));
    Parameter { name: "tupdate", kind, default: Value::Time(default), help }
}

/// Declares what each second of delay above the target adds to the probability with each update, in Hz.
pub(crate) const fn alpha(default: f64, help: &'static str) -> Parameter {
    Parameter { name: "alpha", kind: GAIN, default: Value::Number(default), help }
}

/// Declares what each second by which the delay has grown adds to the probability with each update, in Hz.
pub(crate) const fn beta(default: f64, help: &'static str) -> Parameter {
    Parameter { name: "beta", kind: GAIN, default: Value::Number(default), help }
}

/// Kind of the gains, which are in Hz.
const GAIN: Kind = Kind::Number(Range::between(0.0, 1000.0));

/// Settings of a controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pi {
    pub target: Span,
    /// Time from one update to the next: the RFCs' `T_UPDATE` and `Tupdate`.
    pub interval: Span,
    /// Gains of the deviation from the target and, in `beta`, of the growth of the delay, in Hz.
    pub alpha: f64,
    pub beta: f64,
}

impl Pi {
    /// Returns what an update adds to the probability if the delay is `delay`, and was `old` at the update before.
    pub fn step(&self, delay: Span, old: Span) -> f64 {
        let [delay, old, target] = [delay, old, self.target].map(Span::as_secs);
        self.alpha * (delay - target) + self.beta * (delay - old)
    }
}
