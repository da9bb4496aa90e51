//! Quantities as people write them: a number and its unit, resolved to SI.

use crate::problem::{Problem, Result, nearest};

/// The dimension of a number, with its SI unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A count, a fraction, a ratio: bare.
    Pure,
    /// bit/s.
    Rate,
    /// Seconds.
    Time,
    /// Bytes.
    Size,
    /// Metres.
    Length,
    /// Decibels, of a ratio.
    Level,
    /// Decibels over 1 mW.
    Power,
}

impl Dimension {
    /// Returns the noun of the dimension with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Dimension::Pure => "a bare number",
            Dimension::Rate => "a rate",
            Dimension::Time => "a time",
            Dimension::Size => "a size",
            Dimension::Length => "a length",
            Dimension::Level => "a level",
            Dimension::Power => "a power",
        }
    }

    /// Whether a number of the dimension `found` is accepted for this dimension. Powers may be in dB, as earlier versions wrote them into links.
    pub fn takes(self, found: Dimension) -> bool {
        self == found || self == Dimension::Power && found == Dimension::Level
    }

    /// Returns the units that are used most for the dimension.
    pub fn usual_units(self) -> &'static str {
        match self {
            Dimension::Pure => "no unit",
            Dimension::Rate => "b/s, kb/s, Mb/s, Gb/s, B/s, kB/s, MB/s",
            Dimension::Time => "ns, us, ms, s, min, h",
            Dimension::Size => "B, kB, MB, GB, KiB, MiB, GiB, kbit, Mbit",
            Dimension::Length => "m, cm, km",
            Dimension::Level => "dB",
            Dimension::Power => "dBm",
        }
    }

    /// Returns the unit to suggest where one is missing.
    pub fn example_unit(self) -> &'static str {
        match self {
            Dimension::Pure => "",
            Dimension::Rate => "Mb/s",
            Dimension::Time => "s",
            Dimension::Size => "B",
            Dimension::Length => "m",
            Dimension::Level => "dB",
            Dimension::Power => "dBm",
        }
    }
}

/// All units: spelling, dimension, and size in SI. Of several spellings of one unit the first is the usual one.
const UNITS: &[(&str, Dimension, f64)] = &[
    ("b/s", Dimension::Rate, 1.0),
    ("kb/s", Dimension::Rate, 1e3),
    ("Mb/s", Dimension::Rate, 1e6),
    ("Gb/s", Dimension::Rate, 1e9),
    ("bit/s", Dimension::Rate, 1.0),
    ("kbit/s", Dimension::Rate, 1e3),
    ("Mbit/s", Dimension::Rate, 1e6),
    ("Gbit/s", Dimension::Rate, 1e9),
    ("bps", Dimension::Rate, 1.0),
    ("kbps", Dimension::Rate, 1e3),
    ("Mbps", Dimension::Rate, 1e6),
    ("Gbps", Dimension::Rate, 1e9),
    ("B/s", Dimension::Rate, 8.0),
    ("kB/s", Dimension::Rate, 8e3),
    ("MB/s", Dimension::Rate, 8e6),
    ("GB/s", Dimension::Rate, 8e9),
    ("ns", Dimension::Time, 1e-9),
    ("us", Dimension::Time, 1e-6),
    ("µs", Dimension::Time, 1e-6), // U+00B5 micro sign
    ("μs", Dimension::Time, 1e-6), // U+03BC Greek mu
    ("ms", Dimension::Time, 1e-3),
    ("s", Dimension::Time, 1.0),
    ("min", Dimension::Time, 60.0),
    ("h", Dimension::Time, 3600.0),
    ("B", Dimension::Size, 1.0),
    ("byte", Dimension::Size, 1.0),
    ("bytes", Dimension::Size, 1.0),
    ("kB", Dimension::Size, 1e3),
    ("MB", Dimension::Size, 1e6),
    ("GB", Dimension::Size, 1e9),
    ("KiB", Dimension::Size, 1024.0),
    ("MiB", Dimension::Size, 1_048_576.0),
    ("GiB", Dimension::Size, 1_073_741_824.0),
    ("bit", Dimension::Size, 0.125),
    ("kbit", Dimension::Size, 125.0),
    ("Mbit", Dimension::Size, 125e3),
    ("Gbit", Dimension::Size, 125e6),
    ("m", Dimension::Length, 1.0),
    ("cm", Dimension::Length, 0.01),
    ("km", Dimension::Length, 1e3),
    ("dB", Dimension::Level, 1.0),
    ("dBm", Dimension::Power, 1.0),
];

/// Returns the dimension of a unit and its size in SI, by its spelling.
pub fn unit(spelling: &str) -> Option<(Dimension, f64)> {
    UNITS.iter().find(|(name, ..)| *name == spelling).map(|&(_, dimension, one)| (dimension, one))
}

/// Returns the usual spelling of a dimension's SI unit; `None` for bare numbers.
pub fn si(dimension: Dimension) -> Option<&'static str> {
    UNITS.iter().find(|(_, of, one)| *of == dimension && *one == 1.0).map(|&(spelling, ..)| spelling)
}

/// Converts a number of units of the size `one` to SI. Where the size is 1e-9, it divides by 1e9, because 1e-9 has no exact value: 400 ns are
/// 4e-7 s.
pub fn in_si(number: f64, one: f64) -> f64 {
    if one < 1.0 { number / (1.0 / one).round() } else { number * one }
}

/// Reads `text` as one literal quantity. Returns `None` if it does not look like a number with at most a unit behind it, so that it may be an
/// expression, and an error if it does but the unit does not exist.
///
/// The value is in SI; a percentage is a [`Dimension::Pure`] fraction.
pub fn literal(text: &str) -> Option<Result<(f64, Dimension)>> {
    literal_of(text, None)
}

/// Like [`literal`], but if the unit does not exist, the error lists the units of the dimension `wanted`.
pub fn literal_of(text: &str, wanted: Option<Dimension>) -> Option<Result<(f64, Dimension)>> {
    let text = text.trim();
    let (value, length) = leading_number(text)?;
    let rest = text[length..].trim_start();
    if rest.is_empty() {
        return Some(Ok((value, Dimension::Pure)));
    }
    if rest == "%" {
        return Some(Ok((value / 100.0, Dimension::Pure)));
    }
    if let Some((dimension, one)) = unit(rest) {
        return Some(Ok((in_si(value, one), dimension)));
    }
    // Letters with at most a slash are a misspelt unit; anything else may be an expression.
    let unit_like = rest.chars().all(|c| c.is_alphabetic() || c == '/') && !rest.starts_with('/');
    unit_like.then(|| Err(unknown_unit(rest, wanted)))
}

/// Returns `text` as a number without a unit.
pub fn bare(text: &str) -> Option<f64> {
    let (value, length) = leading_number(text)?;
    (length == text.len()).then_some(value)
}

/// Things whose numbers are written without a unit.
const COUNTED: [&str; 7] = ["packet", "packets", "segment", "segments", "frame", "frames", "fps"];

fn unknown_unit(spelling: &str, wanted: Option<Dimension>) -> Problem {
    if COUNTED.contains(&spelling) && wanted.is_none_or(|wanted| wanted == Dimension::Pure) {
        return Problem::new(format!("`{spelling}` is no unit: write the number alone"));
    }
    let fits = |dimension: Dimension| wanted.is_none_or(|wanted| dimension == wanted);
    let known = UNITS.iter().filter(|(_, dimension, _)| fits(*dimension)).map(|(name, ..)| *name);
    let hint = match known.clone().find(|name| name.eq_ignore_ascii_case(spelling)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => nearest(spelling, known).map_or_else(
            || match wanted {
                Some(wanted) => format!("{} is needed ({})", wanted.noun(), wanted.usual_units()),
                None => {
                    let all = [
                        Dimension::Rate,
                        Dimension::Time,
                        Dimension::Size,
                        Dimension::Length,
                        Dimension::Level,
                        Dimension::Power,
                    ];
                    format!("known units: {}", all.map(Dimension::usual_units).join(", "))
                }
            },
            |name| format!("did you mean `{name}`?"),
        ),
    };
    Problem::new(format!("unknown unit `{spelling}`; {hint}"))
}

/// Returns the number that `text` starts with (an optional sign, digits, fraction, exponent) and its length in bytes.
pub fn leading_number(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(end);
    end += whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    text[..end].parse().ok().map(|value| (value, end))
}

/// Returns `number` as a whole number if it is one up to rounding: a size computed from a rate and a time is, and so is `4.1 Mbit`. Messages
/// show it as `shown` returns it.
pub fn whole(number: f64, dimension: Dimension, shown: impl Fn() -> String) -> Result<f64> {
    let nearest = number.round();
    if (number - nearest).abs() <= 1e-9 * nearest.abs().max(1.0) {
        return Ok(nearest);
    }
    let shown = shown();
    Err(Problem::new(if dimension == Dimension::Size {
        format!("{shown}: whole bytes are needed, and these are {number}")
    } else {
        format!("{shown}: a whole number is needed")
    }))
}

/// Writes an SI value as people do: `11 Mb/s`, `10 ms`, `1 kB`, `0.5`.
pub fn display(value: f64, dimension: Dimension) -> String {
    let scales: &[(&str, f64)] = match dimension {
        Dimension::Pure => return format!("{value}"),
        Dimension::Rate => &[("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3), ("b/s", 1.0)],
        Dimension::Time => &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)],
        Dimension::Size => &[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)],
        Dimension::Length => &[("m", 1.0)],
        Dimension::Level => &[("dB", 1.0)],
        Dimension::Power => &[("dBm", 1.0)],
    };
    let smallest = scales[scales.len() - 1];
    let (name, one) = *scales.iter().find(|scale| value.abs() >= scale.1).unwrap_or(&smallest);
    // Twelve digits are enough for any setting, and 0.3 / 0.1 still prints as 3.
    let number = format!("{:.12e}", value / one).parse::<f64>().unwrap_or(value / one);
    format!("{number} {name}")
}

/// Returns `number` if it is finite and its dimension `found` is the one `wanted`; messages call it `shown`.
pub fn finite(shown: &str, (number, found): (f64, Dimension), wanted: Dimension) -> Result<f64> {
    if !number.is_finite() {
        return Err(Problem::new(format!("{shown} is not a finite number")));
    }
    if !wanted.takes(found) {
        return Err(wrong_dimension(shown, number, found, wanted));
    }
    Ok(number)
}

/// Returns the problem that `shown` has the dimension `found` where `wanted` is needed.
pub fn wrong_dimension(shown: &str, number: f64, found: Dimension, wanted: Dimension) -> Problem {
    let units = wanted.usual_units();
    Problem::new(if found == Dimension::Pure {
        format!(
            "{shown} is a bare number where {} is needed: put a unit behind it, as in `{number} {}` ({units})",
            wanted.noun(),
            wanted.example_unit()
        )
    } else {
        format!("{shown} is {} where {} is needed ({units})", found.noun(), wanted.noun())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (f64, Dimension) {
        literal(text).unwrap().unwrap()
    }

    #[test]
    fn a_number_and_its_unit_become_si() {
        assert_eq!(read("11 Mb/s"), (11e6, Dimension::Rate));
        assert_eq!(read("620 kB/s"), (4.96e6, Dimension::Rate));
        assert_eq!(read("10ms"), (0.01, Dimension::Time));
        assert_eq!(read("1.5e3 us"), (0.0015, Dimension::Time));
        assert_eq!(read("400 ns"), (4e-7, Dimension::Time));
        assert_eq!(read("10 kB"), (10_000.0, Dimension::Size));
        assert_eq!(read("2 KiB"), (2048.0, Dimension::Size));
        assert_eq!(read("2.4 Mbit"), (300_000.0, Dimension::Size));
        assert_eq!(read("-3"), (-3.0, Dimension::Pure));
        assert_eq!(read(" .5 % "), (0.005, Dimension::Pure));
    }

    #[test]
    fn bits_are_whole_bytes_or_refused() {
        let whole = |text: &str| {
            let (number, dimension) = read(text);
            whole(number, dimension, || format!("`{text}`")).map_err(|problem| problem.to_string())
        };
        for (text, bytes) in [("16 bit", 2.0), ("4.1 Mbit", 512_500.0), ("16.1 kB", 16_100.0), ("0 bit", 0.0)]
        {
            assert_eq!(whole(text), Ok(bytes), "{text}");
        }
        assert_eq!(whole("4.1 Mbit").map(|bytes| display(bytes, Dimension::Size)).unwrap(), "512.5 kB");
        let refused = whole("1.5 kbit").unwrap_err();
        assert_eq!(refused, "`1.5 kbit`: whole bytes are needed, and these are 187.5");
    }

    #[test]
    fn what_is_no_literal_may_be_an_expression() {
        for text in ["stations / 2", "16 Mb/s / stations", "2 * queue", "", "-", ".", "e5", "10 % 3", "é"] {
            assert!(literal(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_misspelt_unit_names_the_nearest() {
        for (text, wanted) in [
            ("11 mb/s", "`Mb/s`"),
            ("10 KB", "`kB`"),
            ("10 msec", "`ms`"),
            ("1 parsec", "known units"),
            ("500 packets", "write the number alone"),
        ] {
            let message = literal(text).unwrap().unwrap_err().to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }

    #[test]
    fn quantities_print_as_people_write_them() {
        assert_eq!(display(11e6, Dimension::Rate), "11 Mb/s");
        assert_eq!(display(0.0003, Dimension::Time), "300 us");
        assert_eq!(display(1e-10, Dimension::Time), "0.1 ns");
        assert_eq!(display(0.0, Dimension::Size), "0 B");
        assert_eq!(display(-0.01, Dimension::Time), "-10 ms");
        assert_eq!(display(-82.0, Dimension::Power), "-82 dBm");
    }
}
