//! Choices of a parameter that set other settings: `parameters.NAME.choices.WORD` is a table of settings by path.

use serde_json::Value;

use crate::document::{self, Table};
use crate::file::{Choices, File};
use crate::parameter::{Parameter, ParameterValue};
use crate::path::{self, Place};
use crate::problem::{Located, Problem, Result, Step};

/// A word that a parameter may take and that has settings of its own.
#[derive(Debug)]
pub struct Choice {
    parameter: String,
    word: String,
}

/// One setting of a choice, and the places that it sets.
#[derive(Debug)]
pub struct Chosen {
    /// Steps to the setting in the parameter's declaration, where its value is written.
    written: Vec<Step>,
    places: Vec<Place>,
}

impl Chosen {
    /// Whether all paths still lead to the same places once this setting is in force.
    pub fn keeps_paths(&self) -> bool {
        !self.places.iter().any(Place::is_of_a_name)
    }

    /// Returns `problem` with the place of this setting in the choice, if this setting caused it.
    pub fn blamed(&self, problem: &Problem) -> Option<Problem> {
        let steps: Vec<Step> = problem.steps().cloned().collect();
        let rest = self.places.iter().find_map(|place| steps.strip_prefix(place.steps.as_slice()))?;
        let path = self.written.iter().chain(rest).rev();
        Some(path.fold(Problem::new(problem.to_string()), |problem, step| match step {
            Step::Key(key) => problem.at(key),
            Step::Index(index) => problem.at_index(*index),
        }))
    }
}

impl Choice {
    fn steps(&self) -> Vec<Step> {
        let keys = ["parameters", &self.parameter, "choices", &self.word];
        keys.map(|key| Step::Key(key.to_owned())).to_vec()
    }

    /// Whether `steps` lead into this choice's table of settings.
    pub fn has(&self, steps: &[Step]) -> bool {
        steps.starts_with(&self.steps())
    }

    /// Returns the steps at which this choice sets `places`, to which `path` leads, whether or not it does so already.
    pub fn written(&self, document: &Table, places: &[Place], path: &str) -> Vec<Step> {
        let sets = |chosen: &Chosen| chosen.places.iter().any(|place| place.steps == places[0].steps);
        let known = settings(document, self).ok().and_then(|all| all.into_iter().find(sets));
        known.map_or_else(
            || {
                let keys = path.split('.').map(|key| Step::Key(key.to_owned()));
                self.steps().into_iter().chain(keys).collect()
            },
            |chosen| chosen.written,
        )
    }
}

/// Splits a path such as `policy.red.node.ap.queue.max_p` into the choice that it begins with and the path
/// inside that choice.
pub fn of_path<'a>(document: &Table, path: &'a str) -> Option<(Choice, &'a str)> {
    let (parameter, rest) = path.split_once('.')?;
    let words = document::inner(document, &["parameters", parameter, "choices"])?;
    let behind = |word: &str| rest.strip_prefix(word)?.strip_prefix('.');
    let (word, rest) = words.iter().find_map(|(word, _)| Some((word, behind(word)?)))?;
    Some((Choice { parameter: parameter.to_owned(), word: word.to_owned() }, rest))
}

/// Puts the words of tables of choices into the order of the file, and checks their settings.
pub fn check(file: &mut File, document: &Table) -> Result<()> {
    for (name, declaration) in &mut file.parameters {
        let Some(Choices::Tables(words)) = &mut declaration.choices else { continue };
        let table = document::inner(document, &["parameters", name, "choices"]);
        *words = table.map(|table| table.keys().cloned().collect()).unwrap_or_default();
        for word in words {
            let choice = Choice { parameter: name.clone(), word: word.clone() };
            settings(document, &choice).at(word).at("choices").at(name).at("parameters")?;
        }
    }
    Ok(())
}

/// Returns the choices that are in force with these values of the parameters.
pub fn made(file: &File, parameters: &[Parameter]) -> Vec<Choice> {
    let choice = |Parameter { name, value, .. }: &Parameter| {
        let choices = file.parameters.get(name)?.choices.as_ref()?;
        match (choices, value) {
            (Choices::Tables(_), ParameterValue::Text(word)) => {
                Some(Choice { parameter: name.clone(), word: word.clone() })
            }
            _ => None,
        }
    };
    parameters.iter().filter_map(choice).collect()
}

/// Returns the settings of `choices`, as the file has them.
pub fn chosen(document: &Table, choices: &[Choice]) -> Result<Vec<Chosen>> {
    let mut all = Vec::new();
    for choice in choices {
        all.extend(settings(document, choice)?);
    }
    Ok(all)
}

/// Writes the settings of choices into the file.
pub fn apply(document: &mut Table, chosen: &[Chosen]) {
    for Chosen { written, places } in chosen {
        let Some(value) = document::get(document, written).cloned() else { continue };
        for place in places {
            document::set(document, &place.steps, value.clone());
        }
    }
}

/// Makes a place that a choice sets lead into the choice. A value written there is not overwritten by the
/// choice, and `show` prints it there.
pub fn redirect(place: &mut Place, chosen: &[Chosen]) {
    let by = chosen.iter().find(|chosen| chosen.places.iter().any(|other| other.steps == place.steps));
    if let (None, Some(chosen)) = (&place.within, by) {
        place.within = Some(chosen.written.clone());
    }
}

fn settings(document: &Table, choice: &Choice) -> Result<Vec<Chosen>> {
    let Some(table) = document::inner(document, &["parameters", &choice.parameter, "choices", &choice.word])
    else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    below(document, table, "", &choice.steps(), &mut all)?;
    Ok(all)
}

fn below(document: &Table, table: &Table, before: &str, steps: &[Step], all: &mut Vec<Chosen>) -> Result<()> {
    for (key, item) in table.iter() {
        let path = format!("{before}{key}");
        let written: Vec<Step> = steps.iter().cloned().chain([Step::Key(key.to_owned())]).collect();
        match item {
            Value::Object(inside) => below(document, inside, &format!("{path}."), &written, all)?,
            _ => {
                let places = path::find(document, &path)?;
                all.push(Chosen { written, places });
            }
        }
    }
    Ok(())
}
