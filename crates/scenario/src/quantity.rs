//! A quantity that stands alone, outside a scenario file: a bound on a metric, the step of a range.

use crate::Error;
use crate::declaration::unit_kind;
use crate::problem::{Problem, Result};
use crate::units::{self, Dimension};

/// Reads `text` as a number in the SI unit `unit`: `5 Mb/s` in `bit/s` is 5e6. A unit without a dimension, such as `packet` or `1`, is of a
/// count or a ratio, whose numbers are bare or in per cent.
///
/// # Errors
/// When `text` is no number, has another dimension, or is not finite.
pub fn quantity(text: &str, unit: &str) -> std::result::Result<f64, Error> {
    read(text, unit).map_err(|problem| Error::whole(text.trim(), problem.to_string()))
}

fn read(text: &str, unit: &str) -> Result<f64> {
    let wanted = unit_kind(unit).map_or(Dimension::Pure, |(dimension, _)| dimension);
    let no_number = || Err(Problem::new(format!("{} is needed ({})", wanted.noun(), wanted.usual_units())));
    units::finite("it", units::literal(text).unwrap_or_else(no_number)?, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_asked_for_decides_what_is_allowed() {
        for (text, unit, value) in [
            ("5 Mb/s", "bit/s", 5e6),
            ("0 b/s", "bit/s", 0.0),
            ("10ms", "s", 0.01),
            ("2.4 Mbit", "byte", 300_000.0),
            ("5 %", "1", 0.05),
            (" -2.5 ", "packet", -2.5),
            ("25 cm", "m", 0.25),
            ("-3 dB", "dB", -3.0),
        ] {
            assert_eq!(quantity(text, unit).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_the_text() {
        for (text, unit, wanted) in [
            ("5", "bit/s", "5: it is a bare number where a rate is needed"),
            ("5 Mb/s", "s", "5 Mb/s: it is a rate where a time is needed"),
            ("5 s", "session", "5 s: it is a time where a bare number is needed"),
            ("much", "bit/s", "much: a rate is needed (b/s, "),
            ("5 mb/s", "bit/s", "did you mean `Mb/s`?"),
            ("1e999", "1", "not a finite number"),
            ("1e999", "s", "not a finite number"),
        ] {
            let message = quantity(text, unit).unwrap_err().to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }
}
