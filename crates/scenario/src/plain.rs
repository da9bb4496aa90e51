//! Words that are shown to people must hold nothing that controls a terminal or reorders the text around them.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use crate::file::Declaration;
use crate::problem::{Located, Problem, Result, shortened};

/// Whether a character controls the program that shows it: a control character (C0, DEL, C1), a separator of lines, or one that
/// overrides the direction of text (Unicode Standard Annex 9, section 2).
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes `text`, with all characters for which [`steers`] is true escaped.
pub fn write(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.chars().try_for_each(|c| match steers(c) {
        true => write!(f, "{}", c.escape_default()),
        false => f.write_char(c),
    })
}

/// Refuses a word with a character for which [`steers`] is true.
pub fn word(word: &str) -> Result<()> {
    match word.chars().find(|&c| steers(c)) {
        None => Ok(()),
        Some(c) => {
            let message =
                format!("`{}` has the control character U+{:04X} in it", shortened(word), u32::from(c));
            Err(Problem::new(message))
        }
    }
}

/// Refuses parameters whose names or special words have a character for which [`steers`] is true. Their values are checked
/// where they are read.
pub fn parameters(declared: &BTreeMap<String, Declaration>) -> Result<()> {
    for (name, declaration) in declared {
        word(name).at("parameters")?;
        for special in declaration.words.iter().flatten() {
            word(special).at("words").at(name).at("parameters")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_steer_are_refused() {
        for bad in ["a\u{1b}[2J", "\u{7f}", "a\u{9b}", "b\u{202e}c", "\u{2066}", "a\nb"] {
            assert!(word(bad).is_err(), "{bad:?}");
        }
        for good in ["reno", "größe", "名前", "a b"] {
            assert!(word(good).is_ok(), "{good}");
        }
    }
}
