//! The meaning of a parameter's declaration, and the values that it allows.

use std::borrow::Cow;

use crate::engine_lists::engine_list;
use crate::file::{Choices, Declaration};
use crate::parameter::ParameterValue;
use crate::plain;
use crate::problem::{Located, Problem, Result, shortened, unknown};
use crate::units::{self, Dimension};
use crate::value::Scalar;

/// The units that a parameter may declare, each with its dimension and whether its values are whole. Values in them are in SI.
const PARAMETER_UNITS: &[(&str, Dimension, bool)] = &[
    ("bit/s", Dimension::Rate, false),
    ("s", Dimension::Time, false),
    ("byte", Dimension::Size, true),
    ("m", Dimension::Length, false),
    ("dB", Dimension::Level, false),
    ("dBm", Dimension::Power, false),
    ("fraction", Dimension::Pure, false),
    ("count", Dimension::Pure, true),
    ("packet", Dimension::Pure, true),
    ("segment", Dimension::Pure, false),
    ("number", Dimension::Pure, false),
];

/// Returns the dimension of a declared unit, and whether its values are whole.
pub fn unit_kind(unit: &str) -> Option<(Dimension, bool)> {
    PARAMETER_UNITS.iter().find(|(name, ..)| *name == unit).map(|&(_, dimension, whole)| (dimension, whole))
}

/// Returns the unit in which values of a dimension are declared; `None` for bare numbers, which have several.
pub fn unit_of(dimension: Dimension) -> Option<&'static str> {
    let mut declared = PARAMETER_UNITS.iter().filter(|(_, of, _)| *of == dimension && *of != Dimension::Pure);
    declared.next().map(|&(name, ..)| name)
}

/// Writes a number in SI, in a declared unit, as scenario files and commands do: 5e6 in `bit/s` as `5000000 b/s`.
pub fn written(number: f64, unit: Option<&str>) -> Scalar {
    match unit.and_then(unit_kind).and_then(|(dimension, _)| units::si(dimension)) {
        Some(spelling) => Scalar::Text(format!("{number} {spelling}")),
        None => Scalar::Real(number),
    }
}

/// Returns the declared units behind whose numbers scenario files and commands have a unit, each with the spelling there.
pub fn written_units() -> impl Iterator<Item = (&'static str, &'static str)> {
    PARAMETER_UNITS.iter().filter_map(|&(name, dimension, _)| Some((name, units::si(dimension)?)))
}

/// Returns the unit of this name as a static string.
pub fn unit_named(name: &str) -> Option<&'static str> {
    PARAMETER_UNITS.iter().map(|&(known, ..)| known).find(|known| *known == name)
}

/// Returns the values of a list of choices, after looking up a list of the engine by its name.
fn written_out(choices: &Choices) -> Result<Cow<'_, [Scalar]>> {
    match choices {
        Choices::Listed(list) => Ok(Cow::Borrowed(list)),
        Choices::Tables(words) => Ok(words.iter().cloned().map(Scalar::Text).collect()),
        Choices::Engine(name) => {
            let words = engine_list(name)?;
            Ok(words.into_iter().map(|word| Scalar::Text(word.to_owned())).collect())
        }
    }
}

/// The meaning of a declaration.
#[derive(Debug)]
pub struct Meaning<'a> {
    declaration: &'a Declaration,
    kind: MeaningKind,
    /// The only values allowed; a list of the engine is written out.
    choices: Option<Cow<'a, [Scalar]>>,
}

#[derive(Debug, PartialEq)]
enum MeaningKind {
    Word,
    Flag,
    Number { dimension: Dimension, whole: bool },
}

impl<'a> Meaning<'a> {
    /// Returns the meaning of `declaration`. If it has no unit, its default, or else its choices, decide
    /// between word, flag and number.
    pub fn of(declaration: &'a Declaration) -> Result<Meaning<'a>> {
        let choices = declaration.choices.as_ref().map(written_out).transpose().at("choices")?;
        let example = declaration.default.as_ref().or(choices.as_ref().and_then(|list| list.first()));
        let kind = match (&declaration.unit, example) {
            (Some(unit), _) => {
                let known = PARAMETER_UNITS.iter().map(|(name, ..)| *name);
                let (dimension, whole) =
                    unit_kind(unit).ok_or_else(|| unknown("unit", unit, known).at("unit"))?;
                MeaningKind::Number { dimension, whole }
            }
            (None, Some(Scalar::Text(_))) => MeaningKind::Word,
            (None, Some(Scalar::Flag(_))) => MeaningKind::Flag,
            (None, Some(Scalar::Whole(_) | Scalar::Real(_))) => {
                MeaningKind::Number { dimension: Dimension::Pure, whole: false }
            }
            (None, None) => {
                let message = "it needs a `unit`, a `default` or `choices`, to tell a number from a word";
                return Err(Problem::new(message));
            }
        };
        if kind == MeaningKind::Word
            && (declaration.min.is_some() || declaration.max.is_some() || declaration.multiple_of.is_some())
        {
            return Err(Problem::new("`min`, `max` and `multiple_of` are for numbers: declare its `unit`"));
        }
        Ok(Meaning { declaration, kind, choices })
    }

    /// Reads `scalar` as a value of this parameter, within the declared bounds.
    pub fn checked(&self, scalar: &Scalar) -> Result<ParameterValue> {
        let value = self.read(scalar)?;
        if let Some(choices) = self.choices()?
            && !self.is_special_word(&value)
            && !choices.contains(&value)
        {
            return Err(self.no_choice(scalar, &choices));
        }
        if let ParameterValue::Number(number) = value {
            self.check_bounds(scalar, number)?;
        }
        Ok(value)
    }

    /// Returns the only values allowed, if they are listed.
    pub fn choices(&self) -> Result<Option<Vec<ParameterValue>>> {
        let read = |list: &Cow<[Scalar]>| list.iter().map(|choice| self.read(choice)).collect();
        self.choices.as_ref().map(read).transpose().at("choices")
    }

    /// Returns the dimension of the parameter's numbers; `None` for words and flags.
    pub fn numbers(&self) -> Option<Dimension> {
        match self.kind {
            MeaningKind::Number { dimension, .. } => Some(dimension),
            MeaningKind::Word | MeaningKind::Flag => None,
        }
    }

    /// Whether the values of the parameter are true and false.
    pub fn is_flag(&self) -> bool {
        self.kind == MeaningKind::Flag
    }

    /// Returns the step of the parameter's values, in SI: each value is a multiple of it.
    pub fn multiple_of(&self) -> Result<Option<f64>> {
        let step = self.declaration.multiple_of.as_ref();
        match step.map(|step| self.read(step)).transpose().at("multiple_of")? {
            Some(ParameterValue::Number(number)) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// Reads `scalar` as a value of this parameter, without a check of the bounds.
    pub fn read(&self, scalar: &Scalar) -> Result<ParameterValue> {
        if let Scalar::Text(text) = scalar {
            let text = text.trim();
            let words = self.declaration.words.iter().flatten();
            if words.clone().any(|word| word == text) {
                return Ok(ParameterValue::Text(text.to_owned()));
            }
        }
        match (&self.kind, scalar) {
            (MeaningKind::Word, Scalar::Text(text)) => {
                let word = text.trim();
                plain::word(word)?;
                Ok(ParameterValue::Text(word.to_owned()))
            }
            (MeaningKind::Word, other) => {
                Err(Problem::new(format!("`{other}` stands where a word is needed")))
            }
            (MeaningKind::Flag, Scalar::Flag(flag)) => Ok(ParameterValue::Flag(*flag)),
            (MeaningKind::Flag, other) => match other.to_string().trim() {
                "true" => Ok(ParameterValue::Flag(true)),
                "false" => Ok(ParameterValue::Flag(false)),
                other => Err(Problem::new(format!("`{}` is neither true nor false", shortened(other)))),
            },
            (MeaningKind::Number { dimension, whole }, scalar) => {
                self.number(scalar, *dimension, *whole).map(ParameterValue::Number)
            }
        }
    }

    fn number(&self, scalar: &Scalar, wanted: Dimension, whole: bool) -> Result<f64> {
        let shown = shortened(&scalar.to_string());
        let found = match scalar {
            Scalar::Whole(number) => (*number as f64, Dimension::Pure),
            Scalar::Real(number) => (*number, Dimension::Pure),
            Scalar::Text(text) => {
                units::literal_of(text, Some(wanted)).unwrap_or_else(|| Err(self.no_number(text, wanted)))?
            }
            Scalar::Flag(_) => return Err(self.no_number(&shown, wanted)),
        };
        let number = units::finite(&format!("`{shown}`"), found, wanted)?;
        if wanted == Dimension::Rate && number <= 0.0 {
            return Err(Problem::new(format!("`{shown}`: a rate must be above zero")));
        }
        if number < 0.0 && (whole || wanted == Dimension::Time) {
            return Err(Problem::new(format!("`{shown}`: it cannot be negative")));
        }
        let number = if whole { units::whole(number, wanted, || format!("`{shown}`"))? } else { number };
        if self.declaration.unit.as_deref() == Some("fraction") && !(0.0..=1.0).contains(&number) {
            return Err(Problem::new(format!("`{shown}`: a fraction is from 0 to 1 (0 % to 100 %)")));
        }
        Ok(number)
    }

    fn no_number(&self, text: &str, wanted: Dimension) -> Problem {
        let mut needed = wanted.noun().to_owned();
        if wanted != Dimension::Pure {
            needed += &format!(" such as `10 {}`", wanted.example_unit());
        }
        for word in self.declaration.words.iter().flatten() {
            needed += &format!(" or `{word}`");
        }
        if self.declaration.optional == Some(true) {
            needed += " or `default`";
        }
        let there = if text.is_empty() { "nothing".to_owned() } else { format!("`{}`", shortened(text)) };
        Problem::new(format!("{there} stands where {needed} is needed"))
    }

    fn is_special_word(&self, value: &ParameterValue) -> bool {
        self.kind != MeaningKind::Word && matches!(value, ParameterValue::Text(_))
    }

    fn dimension(&self) -> Dimension {
        match self.kind {
            MeaningKind::Number { dimension, .. } => dimension,
            MeaningKind::Word | MeaningKind::Flag => Dimension::Pure,
        }
    }

    fn check_bounds(&self, scalar: &Scalar, number: f64) -> Result<()> {
        let bound =
            |bound: &Option<Scalar>, key| match bound.as_ref().map(|bound| self.read(bound)).transpose() {
                Ok(Some(ParameterValue::Number(number))) => Ok(Some(number)),
                Ok(None) => Ok(None),
                Ok(Some(_)) => Err(Problem::new("a number is needed").at(key)),
                Err(problem) => Err(problem.at(key)),
            };
        let declaration = self.declaration;
        let low = bound(&declaration.min, "min")?;
        let high = bound(&declaration.max, "max")?;
        let step = bound(&declaration.multiple_of, "multiple_of")?;
        let shown = shortened(&scalar.to_string());
        let print = |number| units::display(number, self.dimension());
        if low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high) {
            let allowed = match (low, high) {
                (Some(low), Some(high)) => format!("{} to {}", print(low), print(high)),
                (Some(low), None) => format!("{} and more", print(low)),
                (None, Some(high)) => format!("at most {}", print(high)),
                (None, None) => String::new(),
            };
            return Err(Problem::new(format!("`{shown}` is out of range: {allowed} is allowed")));
        }
        if let Some(step) = step {
            if step <= 0.0 {
                return Err(Problem::new("it must be above zero").at("multiple_of"));
            }
            let parts = number / step;
            if (parts - parts.round()).abs() > 1e-9 * parts.abs().max(1.0) {
                return Err(Problem::new(if step == 1.0 && self.dimension() == Dimension::Pure {
                    format!("`{shown}`: a whole number is needed")
                } else {
                    format!("`{shown}` is not a multiple of {}", print(step))
                }));
            }
        }
        Ok(())
    }

    fn no_choice(&self, scalar: &Scalar, choices: &[ParameterValue]) -> Problem {
        let written: Vec<String> = choices.iter().map(|choice| self.written(choice)).collect();
        unknown("choice", &scalar.to_string(), written.iter().map(String::as_str))
    }

    fn written(&self, value: &ParameterValue) -> String {
        match value {
            ParameterValue::Unset => "default".to_owned(),
            ParameterValue::Flag(flag) => flag.to_string(),
            ParameterValue::Text(text) => text.clone(),
            ParameterValue::Number(number) => units::display(*number, self.dimension()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_a_unit_is_read_back() {
        for &(unit, dimension, _) in PARAMETER_UNITS {
            let written = written(2.5, Some(unit)).to_string();
            assert_eq!(units::literal(&written).unwrap().unwrap(), (2.5, dimension), "{unit}");
            assert_eq!(unit_of(dimension), (dimension != Dimension::Pure).then_some(unit));
        }
        let spellings =
            [("bit/s", "b/s"), ("s", "s"), ("byte", "B"), ("m", "m"), ("dB", "dB"), ("dBm", "dBm")];
        assert_eq!(written_units().collect::<Vec<_>>(), spellings);
    }
}
