//! Where values are evaluated: over the parameters, and inside a group for one member.

use std::fmt::Display;

use crate::expression::{Evaluator, Got, Indices};
use crate::problem::{Located, Problem, Result, listed, shortened, unknown};
use crate::reading::told;
use crate::units;
use crate::value::{Kind, Scalar, Value, WordValue};

/// Where a value is evaluated: the parameters, and the member of the group.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    evaluator: &'a Evaluator,
    indices: Indices,
}

/// A kind of value that can be evaluated.
pub trait Readable: Kind {
    /// The Rust type of its values.
    type Out;
    /// Evaluates `scalar`; `None` if it is an expression that gives `none`.
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<Self::Out>>;
}

impl<'a> Scope<'a> {
    /// Makes a scope outside any group.
    pub fn new(evaluator: &'a Evaluator) -> Scope<'a> {
        Scope { evaluator, indices: Indices::default() }
    }

    /// Counts another member of a group and returns how many have been counted in this scenario.
    pub fn count_member(&self) -> u64 {
        self.evaluator.count_member()
    }

    /// Returns the scope of the member with this index of a group.
    pub fn member(&self, index: u64) -> Scope<'a> {
        Scope { indices: Indices { member: Some(index), ..self.indices }, ..*self }
    }

    /// Returns the scope inside this member, which is a WLAN.
    pub fn in_wlan(&self) -> Scope<'a> {
        Scope { indices: Indices { wlan: self.indices.member, ..self.indices }, ..*self }
    }

    /// Returns the value under `key`; `None` if it is missing or evaluates to `none`.
    pub fn optional<K: Readable>(&self, value: &Option<Value<K>>, key: &str) -> Result<Option<K::Out>> {
        match value {
            None => Ok(None),
            Some(value) => K::read(self, &value.scalar).at(key),
        }
    }

    /// Returns the value under `key`, or `default` if it is missing or evaluates to `none`.
    pub fn or<K: Readable>(&self, value: &Option<Value<K>>, key: &str, default: K::Out) -> Result<K::Out> {
        Ok(self.optional(value, key)?.unwrap_or(default))
    }

    /// Returns the value under `key`; it is an error if that is `none`.
    pub fn required<K: Readable>(&self, value: &Value<K>, key: &str) -> Result<K::Out> {
        K::read(self, &value.scalar)
            .and_then(|out| out.ok_or_else(|| Problem::new(format!("`{}` has no value here", value.scalar))))
            .at(key)
    }

    /// Reads one of the words in `table` and returns what it stands for; messages call it `what`.
    pub fn word<T: Clone>(
        &self,
        value: &Option<WordValue>,
        key: &str,
        what: &str,
        table: &[(&str, T)],
    ) -> Result<Option<T>> {
        let Some(value) = value else { return Ok(None) };
        let word = self.one_of(&value.scalar, what, table.iter().map(|(name, _)| *name)).at(key)?;
        Ok(table.iter().find(|(name, _)| Some(*name) == word).map(|(_, item)| item.clone()))
    }

    /// Reads one of `words`, which messages call `what`. A string that is one of them, or looks like a word or a measure, stands for
    /// itself unless a parameter has its name.
    pub fn one_of<'w>(
        &self,
        scalar: &Scalar,
        what: &str,
        words: impl Iterator<Item = &'w str> + Clone,
    ) -> Result<Option<&'w str>> {
        let Scalar::Text(text) = scalar else {
            let words = listed(words);
            return Err(Problem::new(format!("`{scalar}` stands where a word is needed; {words}")));
        };
        let text = text.trim();
        let known = |word: &str| words.clone().find(|known| *known == word);
        if let Some(word) = known(text) {
            return Ok(Some(word));
        }
        let word =
            if self.stands_for_itself(text) { Got::Text(text.to_owned()) } else { self.evaluate(text)? };
        match word {
            Got::Unset => Ok(None),
            Got::Text(word) => known(&word).map(Some).ok_or_else(|| unknown(what, &word, words)),
            other => Err(Problem::new(format!("`{}` gives {}, not a word", shortened(text), told(&other)))),
        }
    }

    /// Whether `text` looks like a word or like a measure (`20 MHz`), and no parameter has its name.
    pub fn stands_for_itself(&self, text: &str) -> bool {
        let behind_number = units::leading_number(text).map(|(_, length)| text[length..].trim_start());
        let is_measure = behind_number.is_some_and(|unit| unit.chars().all(char::is_alphabetic));
        (is_measure || text.chars().all(may_be_in_a_word)) && self.evaluator.parameter(text).is_none()
    }

    /// Whether `scalar` evaluates to no value; false if it cannot be evaluated.
    pub fn is_unset(&self, scalar: &Scalar) -> bool {
        matches!(scalar, Scalar::Text(text) if matches!(self.evaluate(text), Ok(Got::Unset)))
    }

    /// Returns the value of the expression `text` in this scope.
    pub fn evaluate(&self, text: &str) -> Result<Got> {
        self.evaluator.evaluate(text, self.indices)
    }
}

/// Whether a word or a name may have this character.
pub fn may_be_in_a_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns `value` if it is in `low..=high`; the error otherwise states the allowed range.
pub fn within<T: PartialOrd + std::fmt::Display>(value: T, low: T, high: T) -> Result<T> {
    if value >= low && value <= high {
        return Ok(value);
    }
    Err(Problem::new(format!("{value} is out of range: {low} to {high} is allowed")))
}

/// Returns a count or size as the engine's 32 bits, if it is at least `low` and fits.
pub fn small(value: u64, low: u32) -> Result<u32> {
    within(value, u64::from(low), u64::from(u32::MAX)).map(|value| value as u32)
}

/// Returns the value under `key`; it is an error if it is missing, because `owner` needs it.
pub fn needed<T>(value: Option<T>, key: &str, owner: impl Display) -> Result<T> {
    value.ok_or_else(|| Problem::new(format!("{owner} needs `{key}`")))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::units::Dimension;

    /// Runs `test` in a scope with a count, a word and a time as parameters, of member 3 of a group.
    pub(crate) fn with_scope<T>(test: impl FnOnce(Scope) -> T) -> T {
        let evaluator = Evaluator::new(BTreeMap::from([
            ("queue".to_owned(), Got::Number(50.0, Some(Dimension::Pure))),
            ("tcp".to_owned(), Got::Text("vegas".to_owned())),
            ("period".to_owned(), Got::Number(10.0, Some(Dimension::Time))),
        ]));
        test(Scope::new(&evaluator).member(3))
    }

    #[test]
    fn a_word_stands_for_itself_unless_a_parameter_has_its_name() {
        let table = [("reno", 1), ("vegas", 2), ("reno-maxwin10", 3)];
        let word = |scope: Scope, value: &str| {
            let value = serde_json::from_value(serde_json::Value::from(value)).unwrap();
            scope.word(&Some(value), "variant", "TCP name", &table)
        };
        with_scope(|scope| {
            assert_eq!(word(scope, "reno").unwrap(), Some(1));
            assert_eq!(word(scope, "tcp").unwrap(), Some(2));
            assert_eq!(word(scope, "reno-maxwin10").unwrap(), Some(3));
            let problem = word(scope, "vegass").unwrap_err();
            assert_eq!(problem.to_string(), "unknown TCP name `vegass`; did you mean `vegas`?");
            assert_eq!(problem.path(), "variant");
        });
    }
}
