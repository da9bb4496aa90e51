//! Parameters: declared in the file, set from outside, checked against their declaration.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::declaration::{Meaning, unit_kind};
use crate::expression::{Got, is_reserved};
use crate::file::Declaration;
use crate::problem::{Located, Problem, Result};
use crate::units::{self, Dimension};
use crate::value::Scalar;

/// A parameter or setting that is set from outside, as raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Name of the parameter, or path of the setting.
    pub name: String,
    /// Value as typed behind `--set NAME=`: a number with its unit, a word, `true` or `false`; `default`
    /// leaves an optional parameter unset.
    pub value: String,
}

/// A parameter with the value that a scenario was resolved with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: String,
    /// Value of the parameter.
    pub value: ParameterValue,
    /// Unit of the value: `bit/s`, `s`, `byte`, `m`, `dB`, `dBm`, `fraction`, `count`, `packet`, `segment` or `number`; none for words and flags.
    pub unit: Option<String>,
}

/// A parameter's value, in SI. In JSON a number, a string, a boolean or null.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// An optional parameter that is not set.
    Unset,
    /// True or false.
    Flag(bool),
    /// A word.
    Text(String),
    /// A number in bit/s, s or byte, or without a unit.
    Number(f64),
}

impl Serialize for ParameterValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            ParameterValue::Unset => serializer.serialize_unit(),
            ParameterValue::Flag(flag) => serializer.serialize_bool(*flag),
            ParameterValue::Text(text) => serializer.serialize_str(text),
            ParameterValue::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                serializer.serialize_i64(*number as i64)
            }
            ParameterValue::Number(number) => serializer.serialize_f64(*number),
        }
    }
}

/// Returns the values of all parameters, in the order of their names. `overrides` are all of declared parameters.
pub fn resolve(
    declarations: &BTreeMap<String, Declaration>,
    overrides: &[Override],
) -> Result<Vec<Parameter>> {
    let mut set = BTreeMap::new();
    for Override { name, value } in overrides {
        if set.insert(name.as_str(), value.as_str()).is_some() {
            return Err(Problem::new("it is set twice").at(name).at("parameters"));
        }
    }
    declarations
        .iter()
        .filter(|(_, declaration)| declaration.sets.is_empty())
        .map(|(name, declaration)| {
            one(name, declaration, set.get(name.as_str()).copied()).at(name).at("parameters")
        })
        .collect()
}

fn one(name: &str, declaration: &Declaration, set: Option<&str>) -> Result<Parameter> {
    check_name(name)?;
    let meaning = Meaning::of(declaration)?;
    // The default is read first, so that a bad one is found even where it is overridden.
    let default =
        declaration.default.as_ref().map(|value| meaning.checked(value).at("default")).transpose()?;
    let optional = declaration.optional == Some(true);
    let value = match (set, default) {
        (Some("default"), None) if optional => ParameterValue::Unset,
        (Some(raw), _) => set_to(name, raw, &meaning)?,
        (None, Some(default)) => default,
        (None, None) if optional => ParameterValue::Unset,
        (None, None) => {
            let message =
                format!("it has no default: set it, as in `--set {name}=...`, or declare `optional = true`");
            return Err(Problem::new(message));
        }
    };
    Ok(Parameter { name: name.to_owned(), value, unit: declaration.unit.clone() })
}

/// Reads `raw` as the value that a parameter is given from outside.
pub fn set_to(name: &str, raw: &str, meaning: &Meaning) -> Result<ParameterValue> {
    let read = |text: &str| meaning.checked(&Scalar::Text(text.to_owned()));
    read(raw).map_err(|problem| {
        let is_value = |part: &str| read(part).is_ok();
        several(name, raw, meaning.numbers().is_some(), is_value).unwrap_or(problem)
    })
}

/// Returns a problem if `raw` is a list of values, all of which `is_value` accepts, or a list or a range of
/// numbers where `numeric`.
pub fn several(name: &str, raw: &str, numeric: bool, is_value: impl Fn(&str) -> bool) -> Option<Problem> {
    let separators: &[&str] = if numeric { &[",", ".."] } else { &[","] };
    let parts = separators.iter().fold(vec![raw], |parts, separator| {
        parts.into_iter().flat_map(|part| part.split(separator)).map(str::trim).collect()
    });
    let is_part = |part: &&str| is_value(part) || numeric && units::literal(part).is_some();
    (parts.len() > 1 && parts.iter().all(is_part)).then(|| {
        let quote = if raw.contains(' ') { "'" } else { "" };
        let over = format!("--over {quote}{name}={raw}{quote}");
        Problem::new(format!("`{raw}` is more than one value: sweep over them with `{over}`"))
    })
}

/// Refuses a name that expressions could not use.
pub fn check_name(name: &str) -> Result<()> {
    let mut letters = name.chars();
    let starts_well = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    if !starts_well || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Problem::new("a parameter's name is made of letters, digits and `_`, a letter first"));
    }
    if is_reserved(name) {
        return Err(Problem::new(format!(
            "`{name}` means something else in expressions: choose another name"
        )));
    }
    Ok(())
}

/// Returns the parameters as expressions see them.
pub fn operands(parameters: &[Parameter]) -> BTreeMap<String, Got> {
    let operand = |parameter: &Parameter| match &parameter.value {
        ParameterValue::Unset => Got::Unset,
        ParameterValue::Flag(flag) => Got::Flag(*flag),
        ParameterValue::Text(text) => Got::Text(text.clone()),
        ParameterValue::Number(number) => {
            let unit = parameter.unit.as_deref().and_then(unit_kind);
            Got::Number(*number, Some(unit.map_or(Dimension::Pure, |(dimension, _)| dimension)))
        }
    };
    parameters.iter().map(|parameter| (parameter.name.clone(), operand(parameter))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, overrides: &[(&str, &str)]) -> Result<Vec<Parameter>> {
        let declarations: BTreeMap<String, Declaration> = toml::from_str(text).unwrap();
        let overrides: Vec<Override> = overrides
            .iter()
            .map(|(name, value)| Override { name: name.to_string(), value: value.to_string() })
            .collect();
        resolve(&declarations, &overrides)
    }

    const DECLARED: &str = r#"
        stations = { unit = "count", default = 4, min = 2, max = 256, multiple_of = 2 }
        period = { unit = "s", default = "10 s", min = "1 ms" }
        tcp = { default = "reno", choices = ["reno", "vegas"] }
        max_window = { unit = "segment", optional = true, min = 1 }
        fair_share = { unit = "bit/s", default = "paper", words = ["paper"] }
        capture = { unit = "fraction", default = "0 %" }
        trace = { default = false }
    "#;

    fn value(name: &str, raw: &str) -> ParameterValue {
        let all = resolved(DECLARED, &[(name, raw)]).unwrap();
        all.into_iter().find(|parameter| parameter.name == name).unwrap().value
    }

    fn problem(name: &str, raw: &str) -> String {
        let problem = resolved(DECLARED, &[(name, raw)]).unwrap_err();
        format!("{}: {problem}", problem.path())
    }

    #[test]
    fn defaults_and_overrides_are_read_in_si() {
        let all = resolved(DECLARED, &[]).unwrap();
        let shown = serde_json::to_string(&all).unwrap();
        assert!(shown.contains(r#"{"name":"max_window","value":null,"unit":"segment"}"#), "{shown}");
        assert!(shown.contains(r#"{"name":"stations","value":4,"unit":"count"}"#), "{shown}");
        assert_eq!(value("period", "500 ms"), ParameterValue::Number(0.5));
        assert_eq!(value("fair_share", "1 Mb/s"), ParameterValue::Number(1e6));
        assert_eq!(value("fair_share", "paper"), ParameterValue::Text("paper".to_owned()));
        assert_eq!(value("max_window", "default"), ParameterValue::Unset);
        assert_eq!(value("capture", "50%"), ParameterValue::Number(0.5));
        assert_eq!(value("trace", "true"), ParameterValue::Flag(true));
    }

    #[test]
    fn what_is_not_allowed_says_what_is() {
        for (name, raw, wanted) in [
            ("stations", "5", "parameters.stations: `5` is not a multiple of 2"),
            (
                "stations",
                "1000000000",
                "parameters.stations: `1000000000` is out of range: 2 to 256 is allowed",
            ),
            ("stations", "2.5", "a whole number is needed"),
            ("stations", "", "parameters.stations: nothing stands where a bare number is needed"),
            ("stations", "four", "`four` stands where a bare number is needed"),
            (
                "stations",
                "2..8",
                "`2..8` is more than one value: sweep over them with `--over stations=2..8`",
            ),
            ("stations", "two..8", "`two..8` stands where a bare number is needed"),
            (
                "period",
                "1, 2 s",
                "`1, 2 s` is more than one value: sweep over them with `--over 'period=1, 2 s'`",
            ),
            ("tcp", "reno,vegas", "`reno,vegas` is more than one value"),
            ("tcp", "reno,vegass", "unknown choice `reno,vegass`; did you mean `reno`?"),
            ("tcp", "reno..vegas", "unknown choice `reno..vegas`; did you mean `reno`?"),
            ("tcp", "1..3", "parameters.tcp: unknown choice `1..3`; known: reno, vegas"),
            ("fair_share", "1..2 Mb/s", "is more than one value"),
            (
                "period",
                "10",
                "`10` is a bare number where a time is needed: put a unit behind it, as in `10 s`",
            ),
            ("period", "10 Mb/s", "`10 Mb/s` is a rate where a time is needed"),
            ("period", "10 kg", "unknown unit `kg`; a time is needed (ns, us, ms, s, min, h)"),
            ("period", "10 msec", "unknown unit `msec`; did you mean `ms`?"),
            ("stations", "4 m2", "`4 m2` stands where a bare number is needed"),
            ("stations", "4 x", "unknown unit `x`; a bare number is needed (no unit)"),
            ("period", "-1 s", "cannot be negative"),
            ("period", "1 us", "out of range: 1 ms and more is allowed"),
            ("tcp", "vegass", "parameters.tcp: unknown choice `vegass`; did you mean `vegas`?"),
            ("fair_share", "0 Mb/s", "a rate must be above zero"),
            ("fair_share", "papr", "or `paper` is needed"),
            ("capture", "2", "from 0 to 1"),
            ("trace", "maybe", "neither true nor false"),
        ] {
            let message = problem(name, raw);
            assert!(message.contains(wanted), "{name}={raw}: {message}");
        }
    }

    #[test]
    fn declarations_are_checked_too() {
        for (text, wanted) in [
            ("x = { unit = \"count\" }", "it has no default: set it, as in `--set x=...`"),
            ("x = { unit = \"sec\", default = 1 }", "unknown unit `sec`"),
            ("x = {}", "to tell a number from a word"),
            ("i = { default = 1 }", "means something else"),
            ("\"a-b\" = { default = 1 }", "letters, digits and `_`"),
            ("x = { default = \"a\", min = 1 }", "are for numbers"),
            ("x = { unit = \"s\", default = 1 }", "bare number"),
            ("x = { unit = \"count\", default = 3, multiple_of = 0 }", "above zero"),
            ("x = { unit = \"count\", default = 3, min = \"a\" }", "`a` stands where"),
        ] {
            let message = resolved(text, &[]).unwrap_err().to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        }
        let twice = resolved(DECLARED, &[("period", "1 s"), ("period", "2 s")]).unwrap_err();
        assert_eq!(twice.to_string(), "it is set twice");
    }
}
