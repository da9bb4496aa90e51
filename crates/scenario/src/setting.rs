//! Settings by path: values of a scenario file that are set from outside without a declaration.

use std::collections::BTreeMap;

use serde_json::Value;
use toml_edit::DocumentMut;

use crate::choice::{self, Choice, Chosen};
use crate::declaration::{self, Meaning, unit_kind};
use crate::document::{self, Table};
use crate::expression::{Evaluator, Got};
use crate::file::{Choices, Declaration};
use crate::layout;
use crate::parameter::{self, Override, Parameter, ParameterValue};
use crate::path::{self, Place};
use crate::plain;
use crate::problem::{Located, Problem, Result, Step};
use crate::resolve::Reached;
use crate::scope::Scope;
use crate::shape;
use crate::units::{self, Dimension};
use crate::value::Scalar;

/// The places of the settings that parameters are other names for, by the parameter's name.
pub type Places = BTreeMap<String, Vec<Place>>;

/// The value that removes a key from the file, so that its built-in default holds.
pub const DEFAULT: &str = "default";

/// A value for the places to which a path leads, or a parameter that is another name for paths.
#[derive(Clone, Debug)]
pub struct Given {
    /// The path or the parameter, as it was given.
    pub name: String,
    /// Whether `name` is a parameter's.
    pub declared: bool,
    places: Vec<Place>,
    /// The value; `None`: [`DEFAULT`].
    value: Option<Value>,
}

/// Whether `name` is a path and not the name of a parameter.
pub fn is_path(name: &str) -> bool {
    name.contains(['.', '[']) || matches!(name, "title" | "description")
}

/// Refuses a parameter that is another name for something that is not a setting.
pub fn check(declarations: &BTreeMap<String, Declaration>, document: &Table) -> Result<()> {
    for (name, declaration) in declarations.iter().filter(|(_, it)| !it.sets.is_empty()) {
        let checked = parameter::check_name(name).and_then(|()| alias(document, declaration, None));
        let meaning = checked.and_then(|whole| Meaning::of(&whole).map(|_| ()));
        meaning.at(name).at("parameters")?;
    }
    Ok(())
}

/// Returns the places of all parameters that are other names for settings.
pub fn places(document: &Table, declarations: &BTreeMap<String, Declaration>) -> Result<Places> {
    let others = declarations.iter().filter(|(_, it)| !it.sets.is_empty());
    others.map(|(name, declaration)| Ok((name.clone(), places_of(document, declaration)?))).collect()
}

/// Reads `settings`, which are set by paths or by parameters that are other names for paths; `places` has the places of these
/// parameters.
pub fn read(
    document: &Table,
    declarations: &BTreeMap<String, Declaration>,
    places: &Places,
    settings: &[Override],
    choices: &[Choice],
) -> Result<Vec<Given>> {
    let chosen = choice::chosen(document, choices)?;
    let mut all: Vec<Given> = Vec::new();
    for Override { name, value } in settings {
        let declaration = declarations.get(name);
        let known = declaration.zip(places.get(name));
        let given = one(document, known, name, value.trim(), &chosen);
        let given = match declaration {
            Some(_) => given.at(name).at("parameters")?,
            None => given?,
        };
        let taken = |place: &Place| {
            let same = |other: &Place| other.written() == place.written() || both_hold(other, place, choices);
            all.iter().any(|other| other.places.iter().any(same))
        };
        if given.places.iter().any(taken) {
            let problem = Problem::new("it is set twice").at(name);
            return Err(if declaration.is_some() { problem.at("parameters") } else { problem });
        }
        all.push(given);
    }
    Ok(all)
}

/// Whether two values are for one place and are in force together: neither belongs to a choice that is not made.
fn both_hold(one: &Place, other: &Place, choices: &[Choice]) -> bool {
    let holds = |place: &Place| match &place.within {
        Some(steps) => choices.iter().any(|choice| choice.has(steps)),
        None => true,
    };
    one.steps == other.steps && holds(one) && holds(other)
}

fn one(
    document: &Table,
    declaration: Option<(&Declaration, &Vec<Place>)>,
    name: &str,
    value: &str,
    chosen: &[Chosen],
) -> Result<Given> {
    let mut places = match declaration {
        Some((_, places)) => places.clone(),
        None => path::find(document, name)?,
    };
    places.iter_mut().for_each(|place| choice::redirect(place, chosen));
    if let Some((declaration, _)) = declaration.filter(|_| value != DEFAULT) {
        let meaning = whole(places[0].setting, declaration, Some(value));
        parameter::set_to(name, value, &Meaning::of(&meaning)?)?;
    }
    let value = written(value, places[0].setting);
    let value = if declaration.is_some() { value? } else { value.at(name)? };
    Ok(Given { name: name.to_owned(), declared: declaration.is_some(), places, value })
}

fn places_of(document: &Table, declaration: &Declaration) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for path in &declaration.sets {
        places.extend(path::find(document, path).at("sets")?);
    }
    Ok(places)
}

/// Sets `settings` in the file, except those that leave a key out. For these [`write()`] to the file's text: a table of dotted keys
/// disappears with its last key.
pub fn apply(document: &mut Table, settings: &[Given]) {
    for Given { places, value, .. } in settings {
        let Some(value) = value else { continue };
        places.iter().for_each(|place| document::set(document, place.written(), value.clone()));
    }
}

/// Writes `settings` into the text of the file.
pub fn write(layout: &mut DocumentMut, settings: &[Given]) {
    for Given { places, value, .. } in settings {
        for place in places {
            match value {
                Some(value) => layout::set(layout.as_table_mut(), place.written(), value),
                None => layout::remove(layout.as_table_mut(), place.written()),
            }
        }
    }
}

impl Given {
    /// Whether all paths still lead to the same places in `document` once this is set: no name changes, and no choice gets another
    /// setting.
    pub fn keeps_paths(&self, document: &Table) -> bool {
        let keeps = |place: &Place| match &place.within {
            Some(within) => document::get(document, within).is_some(),
            None => true,
        };
        !self.is_default() && self.places.iter().all(|place| keeps(place) && !place.is_of_a_name())
    }

    /// Whether this removes a key from the file.
    pub fn is_default(&self) -> bool {
        self.value.is_none()
    }

    /// Returns `problem` with the name as it was given, if this setting caused it.
    pub fn blamed(&self, problem: &Problem) -> Option<Problem> {
        let steps: Vec<Step> = problem.steps().cloned().collect();
        let to_blame = self.places.iter().any(|place| steps.starts_with(&place.steps));
        let numeric = self.places[0].setting.unit.is_some();
        let several = self.value.as_ref().and_then(|value| {
            let written = value.as_str()?;
            parameter::several(&self.name, written, numeric, |part| !numeric && is_word(part))
        });
        let problem = several.unwrap_or_else(|| Problem::new(problem.to_string())).at(&self.name);
        to_blame.then(|| if self.declared { problem.at("parameters") } else { problem })
    }

    /// Returns a warning if the setting affects no flow.
    pub fn without_flow(&self, reached: &Reached) -> Option<String> {
        // A value in the settings of a choice has its effect when the choice is made. `count` and `when` may leave a group without members.
        let decides_members = |place: &Place| matches!(place.steps.last(), Some(Step::Key(key)) if key == "count" || key == "when");
        let idle =
            |place: &Place| place.within.is_none() && !decides_members(place) && !reached.has(&place.steps);
        if self.is_default() || !self.places.iter().all(idle) {
            return None;
        }
        let why = match self.places[0].steps.as_slice() {
            [Step::Key(table), Step::Key(key), _] if table == "tcp" && key == "control" => {
                "no flow has the control of `[tcp]`; one with a `variant` of its own has its parameters in its own table, as in \
                 `flow.NAME.tcp.control`"
            }
            [Step::Key(table), ..] if table == "tcp" => "no flow takes it from `[tcp]`",
            _ => "its group of flows has no member",
        };
        Some(format!("`{}` changes nothing: {why}", self.name))
    }

    /// Returns the setting as a parameter, with its value in SI. A value that differs between the members of a group is shown as
    /// written.
    pub fn parameter(&self, evaluator: &Evaluator) -> Parameter {
        let (value, unit) = valued(self.value.as_ref(), self.places[0].setting, evaluator);
        let value = value.unwrap_or_else(ParameterValue::Text);
        Parameter { name: self.name.clone(), value, unit: unit.map(str::to_owned) }
    }
}

/// Whether this may be one of the words that a setting allows, such as `802.11b` or `westwood+`.
fn is_word(text: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    text.chars().all(letters) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// Returns the values of all parameters: `known` ones, and those that are other names for settings, with the values that `document`
/// has at `places`. Settings may be expressions over each other.
pub fn aliases(
    document: &Table,
    declarations: &BTreeMap<String, Declaration>,
    places: &Places,
    mut known: Vec<Parameter>,
) -> Vec<Parameter> {
    let of = |(name, places): (_, &Vec<Place>)| Some((name, declarations.get(name)?, places[0].clone()));
    let mut open: Vec<_> = places.iter().filter_map(of).collect();
    let mut stuck = false;
    while !open.is_empty() {
        let evaluator = Evaluator::new(parameter::operands(&known));
        let before = known.len();
        open.retain(|(name, declaration, place)| {
            let value = document::get(document, place.written());
            let (value, unit) = valued(value, place.setting, &evaluator);
            let value = match value {
                Ok(value) => value,
                Err(text) if stuck => ParameterValue::Text(text),
                Err(_) => return true,
            };
            let unit = declaration.unit.clone().or(unit.map(str::to_owned));
            known.push(Parameter { name: (*name).clone(), value, unit });
            false
        });
        stuck = known.len() == before;
    }
    known.sort_by(|one, other| one.name.cmp(&other.name));
    known
}

/// Returns a setting's value in SI, or its text if it cannot be evaluated here, and its unit.
fn valued(
    value: Option<&Value>,
    setting: &shape::Setting,
    evaluator: &Evaluator,
) -> (std::result::Result<ParameterValue, String>, Option<&'static str>) {
    let Some(scalar) = value.map(scalar) else { return (Ok(ParameterValue::Unset), setting.unit) };
    let value = match got(evaluator, &scalar, setting) {
        Some(Got::Unset) => ParameterValue::Unset,
        Some(Got::Flag(flag)) => ParameterValue::Flag(flag),
        Some(Got::Text(text)) => ParameterValue::Text(text),
        Some(Got::Number(number, dimension)) => {
            return (Ok(ParameterValue::Number(number)), measured(setting.unit, dimension));
        }
        None => return (Err(scalar.to_string()), setting.unit),
    };
    (Ok(value), setting.unit)
}

/// Returns the value that the file has at `path`, in SI.
pub fn current(document: &Table, path: &str, evaluator: &Evaluator) -> Result<ParameterValue> {
    let place = &path::find(document, path)?[0];
    let value = document::get(document, place.written());
    Ok(valued(value, place.setting, evaluator).0.unwrap_or_else(ParameterValue::Text))
}

/// Returns the unit of a number of this dimension at a place whose unit is `unit`: the length of a queue may be in several units.
fn measured(unit: Option<&'static str>, dimension: Option<Dimension>) -> Option<&'static str> {
    let of = |unit| unit_kind(unit).map(|(dimension, _)| dimension);
    match dimension {
        Some(dimension) if !unit.and_then(of).is_some_and(|wanted| wanted.takes(dimension)) => {
            declaration::unit_of(dimension).or(unit)
        }
        _ => unit,
    }
}

fn got(evaluator: &Evaluator, scalar: &Scalar, setting: &shape::Setting) -> Option<Got> {
    let scope = Scope::new(evaluator);
    match scalar {
        Scalar::Text(text) if setting.unit.is_none() && scope.stands_for_itself(text) => {
            Some(Got::Text(text.clone()))
        }
        scalar => scope.got(scalar).ok(),
    }
}

/// Returns `raw` as the file writes it; `None`: the key is left out of the file.
fn written(raw: &str, setting: &shape::Setting) -> Result<Option<Value>> {
    plain::word(raw)?;
    if raw == DEFAULT {
        return Ok(None);
    }
    if setting.list {
        let words = raw.split(',').map(str::trim).filter(|word| !word.is_empty());
        return Ok(Some(words.collect()));
    }
    Ok(Some(literal(raw, setting.flag, setting.number)))
}

/// Returns `raw` as a value of the file: a flag or a number if it is one and may be, or else a word.
fn literal(raw: &str, flag: bool, number: bool) -> Value {
    match (raw, units::bare(raw).filter(|it| number && it.is_finite())) {
        ("true", _) if flag => true.into(),
        ("false", _) if flag => false.into(),
        (_, Some(number)) if number.fract() == 0.0 && number.abs() < 9e15 => (number as i64).into(),
        (_, Some(number)) => number.into(),
        (_, None) => raw.into(),
    }
}

/// Makes values of parameters, which have been resolved without error, their defaults in the file.
pub fn set_defaults(
    layout: &mut DocumentMut,
    declarations: &BTreeMap<String, Declaration>,
    overrides: &[Override],
) {
    for Override { name, value } in overrides {
        let Some(declaration) = declarations.get(name) else { continue };
        let unset = declaration.optional == Some(true) && declaration.default.is_none();
        if value.trim() == DEFAULT && unset {
            continue;
        }
        let number = Meaning::of(declaration).is_ok_and(|meaning| meaning.numbers().is_some());
        let steps = ["parameters", name, "default"].map(|key| Step::Key(key.to_owned()));
        layout::set(layout.as_table_mut(), &steps, &literal(value.trim(), true, number));
    }
}

fn scalar(value: &Value) -> Scalar {
    match value {
        Value::String(text) => Scalar::Text(text.clone()),
        Value::Bool(flag) => Scalar::Flag(*flag),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Scalar::Real(number.as_f64().unwrap_or_default()), Scalar::Whole)
        }
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            Scalar::Text(words.join(","))
        }
        other => Scalar::Text(other.to_string()),
    }
}

/// Declares the setting at `path` as a parameter, without help. `example` is a value for it, which decides the unit if there may be
/// several.
pub fn declaration(document: &Table, path: &str, example: Option<&str>) -> Result<Declaration> {
    Ok(declared(path::find(document, path)?[0].setting, example))
}

fn declared(setting: &shape::Setting, example: Option<&str>) -> Declaration {
    let literal = example.and_then(units::literal).and_then(std::result::Result::ok);
    let unit = measured(setting.unit, literal.map(|(_, dimension)| dimension));
    let flags = || setting.flag.then(|| Choices::Listed(vec![Scalar::Flag(true), Scalar::Flag(false)]));
    let choices = setting.words.map(|name| Choices::Engine(name.to_owned())).or_else(flags);
    let default = match unit {
        _ if choices.is_some() => None,
        Some(_) => None,
        None if setting.number => Some(Scalar::Whole(0)),
        None => Some(Scalar::Text(String::new())),
    };
    // Bounds are in the setting's own unit.
    let bound = |bound: Option<f64>| {
        bound.filter(|_| unit == setting.unit).map(|bound| declaration::written(bound, unit))
    };
    Declaration {
        unit: unit.map(str::to_owned),
        default,
        choices,
        min: bound(setting.min),
        max: bound(setting.max),
        multiple_of: bound(setting.multiple_of),
        optional: Some(true),
        ..Declaration::default()
    }
}

/// Returns the complete declaration of a parameter that is another name for settings. Where it says nothing itself, the declaration
/// of its first setting holds.
pub fn alias(document: &Table, declaration: &Declaration, example: Option<&str>) -> Result<Declaration> {
    let problem = "a parameter that sets something has the setting's value as its default: change it there";
    if declaration.default.is_some() {
        return Err(Problem::new(problem).at("default"));
    }
    Ok(whole(places_of(document, declaration)?[0].setting, declaration, example))
}

/// Completes a declaration like [`alias`], for a first setting that has been looked up already.
fn whole(setting: &shape::Setting, declaration: &Declaration, example: Option<&str>) -> Declaration {
    let own = declaration.clone();
    let usual = declared(setting, example);
    let default = if own.choices.is_some() || own.unit.is_some() { None } else { usual.default };
    // Bounds of the setting do not hold in another unit.
    let same_unit = own.unit.is_none() || own.unit == usual.unit;
    let bound = |own: Option<Scalar>, usual: Option<Scalar>| own.or(usual.filter(|_| same_unit));
    Declaration {
        sets: own.sets,
        min: bound(own.min, usual.min),
        max: bound(own.max, usual.max),
        multiple_of: bound(own.multiple_of, usual.multiple_of),
        unit: own.unit.or(usual.unit),
        default,
        choices: own.choices.or(usual.choices),
        words: own.words,
        optional: own.optional.or(usual.optional),
        help: own.help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the new default after `raw` is set in a parameter with this declaration.
    fn shown(declaration: &str, raw: &str) -> String {
        let text = format!("[parameters]\nx = {{ {declaration} }}\n");
        let overrides = [Override { name: "x".to_owned(), value: raw.to_owned() }];
        let mut layout: DocumentMut = text.parse().unwrap();
        let declared: BTreeMap<String, BTreeMap<String, Declaration>> = toml::from_str(&text).unwrap();
        set_defaults(&mut layout, &declared["parameters"], &overrides);
        layout["parameters"]["x"]["default"].to_string().trim().to_owned()
    }

    #[test]
    fn numbers_stay_numbers_and_words_stay_words() {
        assert_eq!(shown("unit = \"packet\"", "7"), "7");
        assert_eq!(shown("default = 200, min = 1", "7"), "7");
        assert_eq!(shown("choices = [0.5, 1.5]", "1.5"), "1.5");
        assert_eq!(
            shown("default = \"802.11b\", choices = [\"802.11\", \"802.11b\"]", "802.11"),
            "\"802.11\""
        );
        assert_eq!(shown("choices = [\"1\", \"2\"]", "1"), "\"1\"");
    }
}
