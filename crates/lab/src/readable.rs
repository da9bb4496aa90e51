//! Converts SI units to the units that people read. Results stay in SI; only terminals, pages and figures use this.

/// A readable unit: a value in SI divided by `factor` is in `symbol`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale<'a> {
    /// Size of the unit in SI: 1e6 for `Mb/s`.
    pub factor: f64,
    /// Symbol of the unit in the singular; empty if no unit is written.
    pub symbol: &'a str,
}

/// Units with several scales, the largest first.
const SCALES: [(&str, &[(f64, &str)]); 4] = [
    ("bit/s", &[(1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")]),
    ("s", &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")]),
    ("byte", &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]),
    ("bit", &[(1e6, "Mbit"), (1e3, "kbit"), (1.0, "bit")]),
];
/// Units of counts and ratios, which are not written.
const BARE: [&str; 5] = ["", "1", "count", "fraction", "number"];
/// Units of counts whose label already names them: "Starved connections", "Timeouts".
pub const THINGS: [&str; 4] = ["session", "flow", "timeout", "cut"];
const COUNTED: [&str; 3] = ["packet", "segment", "frame"];

impl<'a> Scale<'a> {
    /// Returns the most readable scale for values whose largest one, in SI, is `largest`.
    pub fn of(largest: f64, unit: &'a str) -> Scale<'a> {
        if BARE.contains(&unit) {
            return Scale { factor: 1.0, symbol: "" };
        }
        let Some((_, scales)) = SCALES.iter().find(|(name, _)| *name == unit) else {
            return Scale { factor: 1.0, symbol: unit };
        };
        let fits = |&&(factor, _): &&(f64, &str)| {
            if largest == 0.0 { factor == 1.0 } else { largest.abs() >= factor }
        };
        let (factor, symbol) = scales.iter().find(fits).unwrap_or(&scales[scales.len() - 1]);
        Scale { factor: *factor, symbol }
    }

    /// Returns the unit behind a number other than one: `packets`, `Mb/s`.
    pub fn many(&self) -> String {
        let plural = COUNTED.contains(&self.symbol) || THINGS.contains(&self.symbol);
        if plural { format!("{}s", self.symbol) } else { self.symbol.to_owned() }
    }
}

/// Writes a value in SI as people do: `quantity(5.2e6, "bit/s", 4)` is `5.2 Mb/s`.
pub fn quantity(value: f64, unit: &str, digits: usize) -> String {
    let scale = Scale::of(value, unit);
    let text = number(value / scale.factor, digits);
    match (scale.symbol, text.as_str()) {
        ("", _) => text,
        (symbol, "1") => format!("1 {symbol}"),
        _ => format!("{text} {}", scale.many()),
    }
}

/// Writes an interval in the most readable unit of `around`: `5.19 to 5.25`.
pub fn interval(low: f64, high: f64, around: f64, unit: &str, digits: usize) -> String {
    let factor = Scale::of(around, unit).factor;
    format!("{} to {}", number(low / factor, digits), number(high / factor, digits))
}

/// Says how many sessions a mean leaves out: `77 of 400 sessions unfinished: left out`; nothing if it leaves out none.
pub fn left_out(left_out: u64, sessions: u64) -> String {
    if left_out == 0 {
        String::new()
    } else {
        format!("{left_out} of {sessions} sessions unfinished: left out")
    }
}

/// Writes a number to `digits` significant digits, with an exponent only where people would write one.
pub fn number(value: f64, digits: usize) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        return format!("{}", value as i64);
    }
    let text = general(value, digits);
    if (1e-4..1e6).contains(&value.abs()) && text.contains('e') { format!("{value:.0}") } else { text }
}

/// Writes a number as C's `%g` does, to `digits` significant digits.
pub fn general(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits as i32).contains(&exponent) {
        let decimals = digits as i32 - 1 - exponent;
        return without_zeros(&format!("{value:.*}", decimals.max(0) as usize)).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

/// Returns a decimal fraction without the zeros at its end.
pub(crate) fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_as_people_do() {
        for (value, unit, shown) in [
            (5.2e6, "bit/s", "5.2 Mb/s"),
            (0.0, "bit/s", "0 b/s"),
            (0.0215, "s", "21.5 ms"),
            (1.0, "packet", "1 packet"),
            (2.0, "packet", "2 packets"),
            (0.25, "fraction", "0.25"),
            (123_456.0, "1", "123456"),
            (999_999.5, "1", "1000000"),
            (2e-10, "s", "0.2 ns"),
            (1.5e-5, "1", "1.5e-05"),
            (6.0, "m", "6 m"),
            (3.0, "dB", "3 dB"),
        ] {
            assert_eq!(quantity(value, unit, 4), shown);
        }
        assert_eq!(interval(5.19e6, 5.25e6, 5.2e6, "bit/s", 4), "5.19 to 5.25");
    }
}
