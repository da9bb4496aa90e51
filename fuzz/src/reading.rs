//! The reader of scenarios: any text gives a scenario, or a message that names the place and the mistake.

use crate::case::Case;
use airfair_lab::Experiment;
use airfair_scenario::{Error, Loaded, Parameter, parse};

const FILE: &str = "fuzz.toml";
/// In bytes: a message fits on a screen.
const LONGEST_MESSAGE: usize = 2000;

/// Reads the case. Returns `None` if the reader refuses it with a proper message.
pub fn read(case: &Case) -> Result<Option<Experiment>, String> {
    match Experiment::parse(&case.text, FILE, &case.overrides()) {
        Ok(experiment) => {
            shown_is_the_same(&experiment.loaded)?;
            Ok(Some(experiment))
        }
        Err(error) => is_helpful(&error).map(|()| None),
    }
}

/// The output of `show` loads as the same scenario, and `show` prints it unchanged.
fn shown_is_the_same(loaded: &Loaded) -> Result<(), String> {
    let again =
        parse(&loaded.toml(), FILE, &[]).map_err(|error| format!("the shown text does not load: {error}"))?;
    if again.canonical_json() != loaded.canonical_json() {
        return Err("the shown text is another scenario".to_owned());
    }
    // A setting by path is a plain value in the shown text.
    let declared = |parameter: &&Parameter| again.parameters.iter().any(|other| other.name == parameter.name);
    if !loaded.parameters.iter().filter(declared).eq(&again.parameters) {
        return Err(format!("the shown text has other parameters: {:?}", again.parameters));
    }
    if again.toml() != loaded.toml() {
        return Err("the shown text is shown differently".to_owned());
    }
    Ok(())
}

/// A message is one line: the file, the place, the mistake.
fn is_helpful(error: &Error) -> Result<(), String> {
    let message = error.to_string();
    let wrong = |fault: &str| Err(format!("a message {fault}: {message:?}"));
    let Some(rest) = message.strip_prefix(FILE) else { return wrong("does not name the file") };
    if message.chars().any(char::is_control) {
        return wrong("has several lines or controls a terminal");
    }
    if message.len() > LONGEST_MESSAGE {
        return wrong("is too long");
    }
    let before =
        if error.path().is_empty() { ": ".to_owned() } else { format!(": {}: ", printed(error.path())) };
    let Some((position, said)) = rest.split_once(&before) else { return wrong("does not say where") };
    let numbers = position.split(':').skip(1);
    if !numbers.clone().all(|number| number.parse::<usize>().is_ok_and(|number| number > 0)) {
        return wrong("has an invalid position");
    }
    if said.trim().is_empty() {
        return wrong("says nothing");
    }
    Ok(())
}

fn printed(path: &str) -> String {
    let escaped =
        path.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::spoilt_packaged;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spoilt_packaged_files_are_read_or_refused_with_a_message(case in spoilt_packaged()) {
            prop_assert_eq!(read(&case).err(), None);
        }
    }
}
