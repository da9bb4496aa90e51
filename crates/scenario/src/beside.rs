//! Values over time in files of their own: a scenario file names them, and its text gets what is in them. So the text of a scenario is all of it,
//! wherever it is shown, stored or sent.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::error::Error;
use crate::parameter::Override;
use crate::problem::{Located, Problem, Result, shortened};

/// The keys under which such values stand, and the end of the names of files.
const KEYS: [&str; 2] = ["snr_trace", "trace"];
const END: &str = ".csv";

/// Whether `value` names a file: points have commas.
pub fn is_file(value: &str) -> bool {
    value.ends_with(END) && !value.contains([',', '\n'])
}

/// The `text` of the scenario file at `path`, with the contents of the files that it names, whose paths begin where it is.
pub fn inlined(mut text: String, path: &str) -> std::result::Result<String, Error> {
    if !text.contains(END) {
        return Ok(text);
    }
    let mut found = Vec::new();
    {
        // What is no TOML is told by those who read it.
        let Ok(root) = DeTable::parse(&text) else { return Ok(text) };
        let directory = Path::new(path).parent().unwrap_or(Path::new(""));
        let read = |name: &str| contents(&directory.join(name), name);
        for (key, value) in root.get_ref().iter().filter(|(key, _)| key.get_ref() != "parameters") {
            collect(key.get_ref(), value, &read, &mut found)
                .map_err(|problem| Error::located(path, &text, &problem))?;
        }
    }
    found.sort_by_key(|(place, _): &(std::ops::Range<usize>, String)| place.start);
    for (place, contents) in found.into_iter().rev() {
        text.replace_range(place, &toml_edit::Value::from(contents).to_string());
    }
    Ok(text)
}

/// The overrides, with the contents of the files that they name.
pub fn read(overrides: &[Override]) -> std::result::Result<Vec<Override>, Error> {
    let one = |set: &Override| {
        let is_trace = set.name.rsplit('.').next().is_some_and(|key| KEYS.contains(&key));
        if !is_trace || !is_file(&set.value) {
            return Ok(set.clone());
        }
        let value = contents(Path::new(&set.value), &set.value);
        let value = value.map_err(|problem| Error::whole(&set.name, problem.to_string()))?;
        Ok(Override { name: set.name.clone(), value })
    };
    overrides.iter().map(one).collect()
}

type Found = Vec<(std::ops::Range<usize>, String)>;

/// The places of the values below `key` that name files, and what is in those.
fn collect(
    key: &str,
    value: &toml::Spanned<DeValue>,
    read: &impl Fn(&str) -> Result<String>,
    found: &mut Found,
) -> Result<()> {
    match value.get_ref() {
        DeValue::String(name) if KEYS.contains(&key) && is_file(name) => {
            found.push((value.span(), read(name).at(key)?));
        }
        DeValue::Table(table) => {
            for (inner, value) in table.iter() {
                collect(inner.get_ref(), value, read, found).at(key)?;
            }
        }
        DeValue::Array(list) => {
            for (number, entry) in list.iter().enumerate() {
                let DeValue::Table(table) = entry.get_ref() else { continue };
                for (inner, value) in table.iter() {
                    collect(inner.get_ref(), value, read, found).at_entry(key, number)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// What is in the file, on one line: line ends have become semicolons, so that everything else in the scenario file stays in its line.
fn contents(path: &Path, name: &str) -> Result<String> {
    let cannot = |reason: String| Problem::new(format!("`{}`: {reason}", shortened(name)));
    // A pipe or a device may have no end.
    if path.exists() && !path.is_file() {
        return Err(cannot("it is not a file".to_owned()));
    }
    let text = crate::contents_of(path).map_err(cannot)?;
    Ok(text.lines().collect::<Vec<_>>().join(";"))
}
