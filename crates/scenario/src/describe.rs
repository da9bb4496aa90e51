//! The description of a scenario and of all that can be set in it.

use serde::Serialize;

use crate::declaration::Meaning;
use crate::document::Table;
use crate::expression::Evaluator;
use crate::file::{Declaration, File};
use crate::parameter::{Parameter, ParameterValue};
use crate::path;
use crate::problem::{Located, Result};
use crate::setting;
use crate::shape;

/// The description of a scenario and of all that can be set in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// Name of the packaged scenario, or of the file.
    pub name: String,
    /// Title of the scenario, in a few words.
    pub title: String,
    /// Purpose, source and choices of the scenario.
    pub description: String,
    /// Parameters of the scenario, in the order of their names.
    pub parameters: Vec<ParameterDescription>,
}

/// The unit and the allowed values of a parameter. Values are in SI.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterDescription {
    /// Name of the parameter.
    pub name: String,
    /// Unit of the values: `bit/s`, `s`, `byte`, `m`, `dB`, `dBm`, `fraction`, `count`, `packet`, `segment` or `number`; none for words and flags.
    pub unit: Option<String>,
    /// Value of the parameter unless it is set; none if it must be set or may be left unset.
    pub default: Option<ParameterValue>,
    /// The least value allowed.
    pub min: Option<ParameterValue>,
    /// The largest value allowed.
    pub max: Option<ParameterValue>,
    /// The only values allowed.
    pub choices: Option<Vec<ParameterValue>>,
    /// Words allowed in place of a number.
    pub words: Vec<String>,
    /// Step of the values: each is a multiple of it.
    pub multiple_of: Option<ParameterValue>,
    /// Whether the parameter may be left unset.
    pub optional: bool,
    /// Effect of the parameter, in one sentence.
    pub help: String,
}

/// Describes the setting at `path` as if it were a parameter. Its default is the value that the file has when all parameters
/// have their defaults.
pub fn setting(document: &Table, path: &str, defaults: &Evaluator) -> Result<ParameterDescription> {
    let default = setting::current(document, path, defaults)?;
    let description = parameter(path, &setting::declaration(document, path, None)?)?;
    let default = Some(default).filter(|it| *it != ParameterValue::Unset);
    ParameterDescription { default, ..description }.with_help_of(document, path)
}

/// Describes `file`, which is `document` as tables; `defaults` are the values of all parameters when nothing sets them.
pub fn describe(name: &str, file: &File, document: &Table, defaults: &[Parameter]) -> Result<Description> {
    let one = |(name, declaration): (&String, &Declaration)| {
        if declaration.sets.is_empty() {
            return parameter(name, declaration);
        }
        let default = defaults.iter().find(|parameter| parameter.name == *name);
        let default = default.map(|it| it.value.clone()).filter(|it| *it != ParameterValue::Unset);
        let description = parameter(name, &setting::alias(document, declaration, None)?)?;
        let description = ParameterDescription { optional: default.is_none(), default, ..description };
        match declaration.help {
            Some(_) => Ok(description),
            None => description.with_help_of(document, &declaration.sets[0]),
        }
    };
    Ok(Description {
        name: name.to_owned(),
        title: file.title.clone().unwrap_or_default(),
        description: file.description.clone().unwrap_or_default(),
        parameters: file
            .parameters
            .iter()
            .map(|(name, declaration)| one((name, declaration)).at(name).at("parameters"))
            .collect::<Result<_>>()?,
    })
}

impl ParameterDescription {
    /// Adds the help of the setting at `path`, without the allowed values, and without a default that the description has already.
    fn with_help_of(self, document: &Table, path: &str) -> Result<ParameterDescription> {
        let help = shape::help(&path::find(document, path)?[0].steps);
        let tells_values = self.unit.is_some() || self.choices.is_some();
        let help = match help.defaults.filter(|_| self.default.is_none()) {
            _ if !tells_values => help.whole,
            Some(defaults) => format!("{} ({defaults})", help.effect),
            None => help.effect,
        };
        Ok(ParameterDescription { help, ..self })
    }
}

fn parameter(name: &str, declaration: &Declaration) -> Result<ParameterDescription> {
    let meaning = Meaning::of(declaration)?;
    let read = |value: &Option<_>, key| value.as_ref().map(|value| meaning.read(value)).transpose().at(key);
    Ok(ParameterDescription {
        name: name.to_owned(),
        unit: declaration.unit.clone(),
        default: read(&declaration.default, "default")?,
        min: read(&declaration.min, "min")?,
        max: read(&declaration.max, "max")?,
        choices: meaning.choices()?,
        words: declaration.words.clone().unwrap_or_default(),
        multiple_of: read(&declaration.multiple_of, "multiple_of")?,
        optional: declaration.optional == Some(true),
        help: declaration.help.clone().unwrap_or_default(),
    })
}
