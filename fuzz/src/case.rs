//! One input: a scenario file, settings of its parameters, and the seed of the run.

use airfair_scenario::Override;
use std::fmt;

/// An input to check. Its text form is a scenario file with the seed and the settings in its first lines, `#! NAME VALUE`.
#[derive(Clone, PartialEq, Eq)]
pub struct Case {
    /// The seed of the run.
    pub seed: u64,
    /// Names and values of parameters, as `--set` takes them.
    pub settings: Vec<(String, String)>,
    /// The scenario file.
    pub text: String,
}

const SEED: &str = "#! seed ";
const SETTING: &str = "#! set ";

impl Case {
    /// A file without settings.
    pub fn file(seed: u64, text: String) -> Case {
        Case { seed, settings: Vec::new(), text }
    }

    /// Reads the text form that [`fmt::Display`] writes. The seed is 1 if the text has none.
    pub fn parse(text: &str) -> Case {
        let mut case = Case::file(1, String::new());
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            if let Some(seed) = line.strip_prefix(SEED).and_then(|seed| seed.parse().ok()) {
                case.seed = seed;
            } else if let Some((name, value)) = line.strip_prefix(SETTING).and_then(|set| set.split_once('='))
            {
                case.settings.push((name.to_owned(), value.to_owned()));
            } else {
                break;
            }
            rest = after;
        }
        rest.clone_into(&mut case.text);
        case
    }

    /// The settings in the form that the reader of scenarios takes.
    pub fn overrides(&self) -> Vec<Override> {
        let settings = self.settings.iter();
        settings.map(|(name, value)| Override { name: name.clone(), value: value.clone() }).collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{SEED}{}", self.seed)?;
        for (name, value) in &self.settings {
            writeln!(f, "{SETTING}{name}={value}")?;
        }
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_as_it_was_written() {
        let settings = vec![("tcp".to_owned(), "vegas".to_owned()), ("share".to_owned(), "a=b".to_owned())];
        for settings in [Vec::new(), settings] {
            for text in ["", "# a comment\nx = 1", "#! seed\n"] {
                let case = Case { seed: 7, settings: settings.clone(), text: text.to_owned() };
                assert_eq!(Case::parse(&case.to_string()), case);
            }
        }
        assert_eq!(Case::parse("x = 1\n"), Case::file(1, "x = 1\n".to_owned()));
    }
}
