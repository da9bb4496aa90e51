//! Quantities inside expressions: `16 Mb/s / stations`.

use crate::units::{self, Dimension};

/// The name that stands for 1 bit/s.
pub const UNIT_RATE: &str = "unit_rate";
/// The name that stands for 1 s.
pub const UNIT_TIME: &str = "unit_time";
/// The name that stands for 1 byte.
pub const UNIT_SIZE: &str = "unit_size";
/// The name that stands for 1 m.
pub const UNIT_LENGTH: &str = "unit_length";
/// The name that stands for 1 dB.
pub const UNIT_LEVEL: &str = "unit_level";
/// The name that stands for 0 dBm: a power is so many decibels above it.
pub const ZERO_POWER: &str = "zero_power";

/// The message about a number with a [decimal comma](has_decimal_comma).
pub const DECIMAL_COMMA: &str = "a number has a decimal point, not a comma";

/// Whether a comma has digits on both sides.
pub fn has_decimal_comma(source: &str) -> bool {
    source
        .as_bytes()
        .windows(3)
        .any(|three| three[1] == b',' && three[0].is_ascii_digit() && three[2].is_ascii_digit())
}

/// The words that stand before a value.
const OPERATORS: [&str; 7] = ["and", "else", "if", "in", "is", "not", "or"];

/// Replaces each number with a unit by a product with a name of that unit, which a change of units reaches: `10 ms`
/// becomes `(0.01 * unit_time)`.
/// The sign of a power belongs to its number: `-82 dBm` becomes `(-82.0 * unit_level + zero_power)`.
///
/// Outside such quantities, a number followed by a word is not valid in an expression, except before `if`, `and`,
/// `or`, `in`, `is`, `not` and `else`, none of which is a unit.
pub fn with_units_spelt_out(source: &str) -> String {
    let mut spelt = String::with_capacity(source.len() + 32);
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => quoted_length(rest, first),
            c if c.is_alphabetic() || c == '_' => word_length(rest),
            c if c.is_ascii_digit() => {
                let (value, number_length) = units::leading_number(rest).unwrap_or((0.0, 1));
                if let Some((dimension, one, length)) = unit_behind(&rest[number_length..]) {
                    let number = units::in_si(value, one);
                    rest = &rest[number_length + length..];
                    if dimension == Dimension::Power {
                        let sign = if take_sign(&mut spelt) { "-" } else { "" };
                        spelt += &format!("({sign}{number:?} * {UNIT_LEVEL} + {ZERO_POWER})");
                        continue;
                    }
                    let unit = match dimension {
                        Dimension::Rate => UNIT_RATE,
                        Dimension::Time => UNIT_TIME,
                        Dimension::Size | Dimension::Pure => UNIT_SIZE,
                        Dimension::Length => UNIT_LENGTH,
                        Dimension::Level | Dimension::Power => UNIT_LEVEL,
                    };
                    spelt += &format!("({number:?} * {unit})");
                    continue;
                }
                number_length
            }
            other => other.len_utf8(),
        };
        spelt += &rest[..length];
        rest = &rest[length..];
    }
    spelt
}

/// Removes a minus from the end of `spelt` if it is the sign of the number that follows, and not a difference. Returns whether it did.
fn take_sign(spelt: &mut String) -> bool {
    let Some(before) = spelt.trim_end().strip_suffix('-').map(str::trim_end) else { return false };
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let after_value = before.ends_with([')', '\'', '"']) || !word.is_empty() && !OPERATORS.contains(&word);
    if !after_value {
        spelt.truncate(before.len());
        spelt.push(' ');
    }
    !after_value
}

fn quoted_length(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Returns the dimension of the unit that `text` starts with, its value in SI, and its length with the space before it.
fn unit_behind(text: &str) -> Option<(Dimension, f64, usize)> {
    let word = text.trim_start_matches(' ');
    let space = text.len() - word.len();
    let letters = word_length(word);
    if word[letters..].starts_with("/s") && word_length(&word[letters + 1..]) == 1 {
        let length = letters + 2;
        if let Some((dimension, one)) = units::unit(&word[..length]) {
            return Some((dimension, one, space + length));
        }
    }
    units::unit(&word[..letters]).map(|(dimension, one)| (dimension, one, space + letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_unit_become_products() {
        for (written, spelt) in [
            ("16 Mb/s / stations", "(16000000.0 * unit_rate) / stations"),
            ("2*10ms+i", "2*(0.01 * unit_time)+i"),
            ("8 B/s", "(64.0 * unit_rate)"),
            ("8 B / s", "(8.0 * unit_size) / s"),
            ("1 if i else 2", "1 if i else 2"),
            ("sta1 ~ '10 ms'", "sta1 ~ '10 ms'"),
            ("10 sec", "10 sec"),
            ("20 dBm - 3 dB", "(20.0 * unit_level + zero_power) - (3.0 * unit_level)"),
            (
                "-82 dBm if far else -62 dBm",
                " (-82.0 * unit_level + zero_power) if far else (-62.0 * unit_level + zero_power)",
            ),
            ("max(- 82 dBm, x)", "max( (-82.0 * unit_level + zero_power), x)"),
            ("power - 20 dBm", "power - (20.0 * unit_level + zero_power)"),
            ("(2 - 1) -20 dBm", "(2 - 1) -(20.0 * unit_level + zero_power)"),
            ("'open 1 s", "'open 1 s"),
        ] {
            assert_eq!(with_units_spelt_out(written), spelt);
        }
    }
}
