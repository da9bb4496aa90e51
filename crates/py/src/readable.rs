//! Numbers, units and colours in readable form.

use airfair_lab::readable;
use airfair_lab::readable::Scale;
use pyo3::prelude::*;

/// Write a number to `digits` significant digits, with an exponent only where people would write one.
#[pyfunction]
#[pyo3(signature = (value, digits=4))]
pub fn number(value: f64, digits: u8) -> String {
    readable::number(value, digits.into())
}

/// Write a value in SI as people do: `readable_quantity(5.2e6, "bit/s")` is `5.2 Mb/s`.
#[pyfunction]
#[pyo3(signature = (value, unit, digits=4))]
pub fn readable_quantity(value: f64, unit: &str, digits: u8) -> String {
    readable::quantity(value, unit, digits.into())
}

/// Write an interval in the most readable unit of `around`: `5.19 to 5.25`.
#[pyfunction]
#[pyo3(signature = (low, high, around, unit, digits=4))]
pub fn interval(low: f64, high: f64, around: f64, unit: &str, digits: u8) -> String {
    readable::interval(low, high, around, unit, digits.into())
}

/// Say how many sessions a mean leaves out: `77 of 400 sessions unfinished: left out`; nothing if it leaves out none.
#[pyfunction]
pub fn left_out(left_out: u64, sessions: u64) -> String {
    readable::left_out(left_out, sessions)
}

/// Return the most readable unit for values whose largest one, in SI, is `largest`: the number to divide them by, and its symbol.
#[pyfunction]
pub fn scale(largest: f64, unit: &str) -> (f64, &str) {
    let scale = Scale::of(largest, unit);
    (scale.factor, scale.symbol)
}

/// Return a unit's symbol behind a number other than one.
#[pyfunction]
pub fn plural(symbol: &str) -> String {
    Scale { factor: 1.0, symbol }.many()
}
