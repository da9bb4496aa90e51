//! The file of a scenario, read once and loaded with many combinations of its parameters and settings.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use toml_edit::DocumentMut;

use crate::choice::{self, Choice, Chosen};
use crate::declaration::Meaning;
use crate::describe::{self, Description, ParameterDescription};
use crate::document::{self, Table};
use crate::error::{self, Error};
use crate::expression::Evaluator;
use crate::file::{Declaration, File};
use crate::parameter::{self, Override, Parameter};
use crate::path::{self, Place};
use crate::plain;
use crate::problem::{Problem, Step, path_of};
use crate::resolve;
use crate::scope::Scope;
use crate::setting::{self, Given};
use crate::share;
use crate::{Loaded, warnings};

/// The file of a scenario, as read.
#[derive(Debug)]
pub struct Template {
    name: String,
    text: String,
    file: File,
    /// The file as tables of values, which settings change.
    document: Table,
    /// Places in `document` of the settings that parameters are other names for.
    places: setting::Places,
}

/// The file with settings from outside, and the values of all parameters with them.
struct Prepared {
    /// The file with the settings and the choices in it; `None`: the file has no changes.
    document: Option<Table>,
    settings: Vec<Given>,
    chosen: Vec<Chosen>,
    parameters: Vec<Parameter>,
}

/// A list of overrides, by what they set.
struct Read {
    /// The values of the parameters that are not other names for settings.
    declared: Vec<Parameter>,
    settings: Vec<Given>,
    choices: Vec<Choice>,
}

impl Template {
    /// Reads the text of a file; `name` names it in messages and results.
    ///
    /// # Errors
    /// When the text is not that of a scenario.
    pub fn new(name: &str, text: &str) -> Result<Arc<Template>, Error> {
        let text = share::spelt_out(text);
        let located = |problem: Problem| Error::located(name, &text, &problem);
        let document = document::of(error::parse(name, &text)?.get_ref()).map_err(located)?;
        let mut file: File = error::read_table(document.clone()).map_err(located)?;
        plain::parameters(&file.parameters).map_err(located)?;
        choice::check(&mut file, &document).map_err(located)?;
        setting::check(&file.parameters, &document).map_err(located)?;
        let places = setting::places(&document, &file.parameters).map_err(located)?;
        Ok(Arc::new(Template { name: name.to_owned(), text: text.into_owned(), file, document, places }))
    }

    /// Loads the scenario with `overrides` of parameters and settings.
    ///
    /// # Errors
    /// When the file or an override is wrong.
    pub fn load(self: &Arc<Template>, overrides: &[Override]) -> Result<Loaded, Error> {
        let Prepared { document, settings, chosen, parameters } = self.prepared(overrides)?;
        let blamed = |problem: &Problem| match settings.iter().find_map(|given| given.blamed(problem)) {
            Some(blamed) => Some(Error::unlocated(&self.name, &blamed)),
            None => chosen.iter().find_map(|chosen| chosen.blamed(problem)).map(|it| self.located(&it)),
        };
        let read = |mut document: Table| {
            // The values of the parameters are known by now, so their declarations are not needed.
            document.shift_remove("parameters");
            error::read_table::<File>(document)
        };
        let changed = document
            .map(read)
            .transpose()
            .map_err(|problem| blamed(&problem).unwrap_or_else(|| Error::unlocated(&self.name, &problem)))?;
        let evaluator = Evaluator::new(parameter::operands(&parameters));
        let scope = Scope::new(&evaluator);
        let file = changed.as_ref().unwrap_or(&self.file);
        let (scenario, reached) = resolve::resolve(file, &self.name, &scope)
            .map_err(|problem| blamed(&problem).unwrap_or_else(|| self.located(&problem)))?;
        Ok(Loaded {
            warnings: warnings::of(&scenario),
            useless: settings.iter().filter_map(|given| given.without_flow(&reached)).collect(),
            scenario,
            parameters: with_settings(parameters, &settings, &evaluator),
            digest: OnceLock::new(),
            template: Arc::clone(self),
            overrides: overrides.to_vec(),
        })
    }

    /// Returns the values of all parameters and of the settings among `overrides`, in the order of their names. Each
    /// value is checked by itself; whether a scenario can be made of them together is not checked.
    ///
    /// # Errors
    /// When there is no such parameter, or a value is not one that its declaration allows.
    pub fn parameters(&self, overrides: &[Override]) -> Result<Vec<Parameter>, Error> {
        let Prepared { settings, parameters, .. } = self.prepared(overrides)?;
        let evaluator = Evaluator::new(parameter::operands(&parameters));
        Ok(with_settings(parameters, &settings, &evaluator))
    }

    fn prepared(&self, overrides: &[Override]) -> Result<Prepared, Error> {
        let Read { declared, settings, choices } = self.read(overrides)?;
        let mut document = None;
        let mut chosen = Vec::new();
        let mut places = Cow::Borrowed(&self.places);
        if !settings.is_empty() || !choices.is_empty() {
            let mut changed = self.changed(&settings)?;
            chosen = choice::chosen(&changed, &choices).map_err(|problem| self.located(&problem))?;
            choice::apply(&mut changed, &chosen);
            if !self.keeps_places(&settings, &chosen) {
                let found = setting::places(&changed, &self.file.parameters);
                places = Cow::Owned(found.map_err(|problem| self.located(&problem))?);
            }
            document = Some(changed);
        }
        let changed = document.as_ref().unwrap_or(&self.document);
        let parameters = setting::aliases(changed, &self.file.parameters, &places, declared);
        Ok(Prepared { document, settings, chosen, parameters })
    }

    /// Whether the places of parameters stay the same with these settings and choices.
    fn keeps_places(&self, settings: &[Given], chosen: &[Chosen]) -> bool {
        settings.iter().all(|given| given.keeps_paths(&self.document))
            && chosen.iter().all(Chosen::keeps_paths)
    }

    fn read(&self, overrides: &[Override]) -> Result<Read, Error> {
        let (settings, declared) = self.split(overrides);
        if let Some(set) = declared.iter().find(|set| !self.file.parameters.contains_key(&set.name)) {
            return Err(Error::unlocated(&self.name, &self.no_parameter(&set.name)));
        }
        let declared = parameter::resolve(&self.file.parameters, &declared)
            .map_err(|problem| self.blame(&declared, &problem))?;
        let choices = choice::made(&self.file, &declared);
        let settings =
            setting::read(&self.document, &self.file.parameters, &self.places, &settings, &choices)
                .map_err(|problem| Error::unlocated(&self.name, &problem))?;
        Ok(Read { declared, settings, choices })
    }

    /// Returns the file with `settings`.
    fn changed(&self, settings: &[Given]) -> Result<Table, Error> {
        if settings.iter().any(Given::is_default) {
            let text = self.laid_out(settings)?.to_string();
            let document = document::of(error::parse(&self.name, &text)?.get_ref());
            return document.map_err(|problem| self.located(&problem));
        }
        let mut changed = self.document.clone();
        setting::apply(&mut changed, settings);
        Ok(changed)
    }

    /// Returns the text of the file with `settings`.
    fn laid_out(&self, settings: &[Given]) -> Result<DocumentMut, Error> {
        let whole = |error: toml_edit::TomlError| Error::whole(&self.name, error.message());
        let mut layout = self.text.parse().map_err(whole)?;
        setting::write(&mut layout, settings);
        Ok(layout)
    }

    /// Splits overrides into those of settings, and those of parameters with a value of their own.
    fn split(&self, overrides: &[Override]) -> (Vec<Override>, Vec<Override>) {
        overrides.iter().cloned().partition(|set| match self.file.parameters.get(&set.name) {
            Some(declaration) => !declaration.sets.is_empty(),
            None => setting::is_path(&set.name),
        })
    }

    /// Whether `later` replaces all that `earlier` sets: the same parameter, or settings at the same places.
    pub(crate) fn set_anew(&self, earlier: &Override, later: &[Override]) -> bool {
        let anew: Vec<_> = later.iter().flat_map(|set| self.places_of(&set.name)).collect();
        let before = self.places_of(&earlier.name);
        let is_anew = |place: &Place| anew.iter().any(|other| other.is_same(place));
        later.iter().any(|set| set.name == earlier.name) || !before.is_empty() && before.iter().all(is_anew)
    }

    /// Returns the places of what a parameter is another name for, or of the setting at a path; none for any other name.
    fn places_of(&self, name: &str) -> Vec<Place> {
        match self.places.get(name) {
            Some(places) => places.clone(),
            None if setting::is_path(name) => path::find(&self.document, name).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// Returns where in the file the values stand that a parameter is another name for, or the value of the setting at a path, as
    /// messages show it: `link[0].rate`. Any other name has no such places.
    pub fn written_at(&self, name: &str) -> Vec<String> {
        let spelt = |place: &Place| path_of(document::as_spelt(&self.document, place.written()).iter());
        self.places_of(name).iter().map(spelt).collect()
    }

    /// Returns the text of the file with overrides that have been loaded without error.
    pub(crate) fn with(&self, overrides: &[Override]) -> String {
        let changed = || {
            let mut layout = self.laid_out(&self.read(overrides)?.settings)?;
            setting::set_defaults(&mut layout, &self.file.parameters, &self.split(overrides).1);
            Ok::<String, Error>(layout.to_string())
        };
        let changed = if overrides.is_empty() { None } else { changed().ok() };
        changed.unwrap_or_else(|| self.text.clone())
    }

    /// Returns the paths of all settings of this file, which can be set beside its parameters.
    pub(crate) fn paths(&self) -> Vec<String> {
        path::all(&self.document)
    }

    /// Returns the declaration of a parameter, or of a setting by its path as if it were one; `example` is a value for it.
    pub(crate) fn declaration(
        &self,
        name: &str,
        example: Option<&str>,
    ) -> crate::problem::Result<Declaration> {
        match self.file.parameters.get(name) {
            Some(declaration) if declaration.sets.is_empty() => Ok(declaration.clone()),
            Some(declaration) => setting::alias(&self.document, declaration, example),
            None => setting::declaration(&self.document, name, example),
        }
    }

    /// Whether the values of a parameter, or of the setting at a path, are true and false.
    pub fn is_flag(&self, name: &str) -> bool {
        let declaration = self.declaration(name, None);
        declaration.is_ok_and(|found| Meaning::of(&found).is_ok_and(|meaning| meaning.is_flag()))
    }

    /// Returns the problem that no parameter has this name.
    pub(crate) fn no_parameter(&self, name: &str) -> Problem {
        path::no_parameter(&self.document, name, self.names())
    }

    /// Returns the names of the parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.file.parameters.keys().map(String::as_str)
    }

    /// See [`crate::describe()`].
    pub(crate) fn describe(&self) -> Result<Description, Error> {
        // If a parameter has no default, the values of parameters that are other names for settings are unknown too.
        let defaults = self.prepared(&[]).map(|prepared| prepared.parameters).unwrap_or_default();
        describe::describe(&self.name, &self.file, &self.document, &defaults)
            .map_err(|problem| self.located(&problem))
    }

    /// See [`crate::describe_settings`].
    pub(crate) fn describe_settings(&self, paths: &[String]) -> Result<Vec<ParameterDescription>, Error> {
        let Prepared { document, parameters, .. } = self.prepared(&[])?;
        let evaluator = Evaluator::new(parameter::operands(&parameters));
        let document = document.as_ref().unwrap_or(&self.document);
        let one = |path: &String| describe::setting(document, path, &evaluator);
        let all = paths.iter().map(one).collect::<crate::problem::Result<_>>();
        all.map_err(|problem| Error::unlocated(&self.name, &problem))
    }

    /// Returns the error for a problem with the file.
    pub(crate) fn located(&self, problem: &Problem) -> Error {
        Error::located(&self.name, &self.text, problem)
    }

    /// Returns the error for a problem with parameters: one that was set from outside is not located in the file.
    fn blame(&self, overrides: &[Override], problem: &Problem) -> Error {
        let steps: Vec<&Step> = problem.steps().collect();
        let set = |name: &str| overrides.iter().any(|set| set.name == name);
        match steps.as_slice() {
            [_] => Error::unlocated(&self.name, problem),
            [_, Step::Key(name)] if set(name) => Error::unlocated(&self.name, problem),
            _ => self.located(problem),
        }
    }
}

/// Adds the settings that were set by path to the parameters, in the order of their names.
fn with_settings(
    mut parameters: Vec<Parameter>,
    settings: &[Given],
    evaluator: &Evaluator,
) -> Vec<Parameter> {
    let by_path = settings.iter().filter(|given| !given.declared);
    parameters.extend(by_path.map(|given| given.parameter(evaluator)));
    parameters.sort_by(|one, other| one.name.cmp(&other.name));
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration;
    use crate::file::Choices;
    use crate::packaged;
    use crate::parameter::ParameterValue;

    /// Returns the override that gives a parameter the value that it has.
    fn again(Parameter { name, value, unit }: &Parameter) -> Option<Override> {
        let value = match value {
            ParameterValue::Number(number) => declaration::written(*number, unit.as_deref()).to_string(),
            ParameterValue::Text(text) => text.clone(),
            ParameterValue::Flag(flag) => flag.to_string(),
            ParameterValue::Unset => return None,
        };
        Some(Override { name: name.clone(), value })
    }

    /// Whether the places of parameters are kept with these overrides. If so, checks that they are the right ones.
    fn kept(template: &Template, overrides: &[Override]) -> Option<bool> {
        let Read { settings, choices, .. } = template.read(overrides).ok()?;
        let mut changed = template.changed(&settings).ok()?;
        let chosen = choice::chosen(&changed, &choices).ok()?;
        choice::apply(&mut changed, &chosen);
        let keeps = template.keeps_places(&settings, &chosen);
        if keeps {
            let found = setting::places(&changed, &template.file.parameters).expect("as in the file");
            assert_eq!(format!("{found:?}"), format!("{:?}", template.places), "{overrides:?}");
        }
        Some(keeps)
    }

    #[test]
    fn the_places_of_parameters_are_looked_up_again_only_where_they_may_change() {
        let mut seen = 0;
        for name in packaged::names() {
            let text = packaged::text(name).expect("packaged");
            let template = Template::new(name, text).expect("a packaged scenario");
            for (parameter, declaration) in &template.file.parameters {
                let words = match &declaration.choices {
                    Some(Choices::Tables(words)) => words.clone(),
                    _ => vec![],
                };
                for value in words {
                    let chosen = Override { name: parameter.clone(), value };
                    let Ok(parameters) = template.parameters(std::slice::from_ref(&chosen)) else { continue };
                    for set in parameters.iter().filter_map(again) {
                        seen += usize::from(kept(&template, &[chosen.clone(), set]) == Some(true));
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn a_parameter_and_a_path_are_written_at_places() {
        let template = Template::new("hotspot", packaged::text("blefari/hotspot").expect("packaged"))
            .expect("a packaged scenario");
        assert_eq!(template.written_at("link.server-ap.rate"), ["link[0].rate"]);
        assert_eq!(template.written_at("wired_rate"), ["link[0].rate"]);
        assert_eq!(
            template.written_at("limiter_rate"),
            ["parameters.policy.choices.rate_limiter.node.ap.policer.rate"]
        );
        assert_eq!(template.written_at("up"), [] as [&str; 0], "it is used in expressions");
        assert_eq!(template.written_at("link.nowhere.rate"), [] as [&str; 0]);
        let text = packaged::text("blefari/hotspot").expect("packaged");
        let former = text.replace("[[link]]", "[[link]]\nerrors = { model = \"bernoulli\" }");
        let template = Template::new("former", &former).expect("a former word for `loss`");
        assert_eq!(template.written_at("link.loss.model"), ["link[0].errors.model"]);
    }

    #[test]
    fn a_name_that_changes_and_a_choice_that_gets_a_setting_move_places() {
        let template =
            |name| Template::new(name, packaged::text(name).expect("packaged")).expect("a scenario");
        let kept = |scenario, name: &str, value: &str| {
            let set = Override { name: name.to_owned(), value: value.to_owned() };
            kept(&template(scenario), &[set]).expect("a setting")
        };
        assert!(kept("blefari/hotspot", "limiter_rate", "2 Mb/s"));
        assert!(!kept("blefari/hotspot", "target", "20 ms"), "the choice has no such setting yet");
        assert!(!kept("blefari/hotspot", "station_queue", "default"));
    }
}
