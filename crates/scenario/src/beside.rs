//! Values over time in files of their own. A scenario file names such a file, and loading replaces the name by the file's contents, so
//! that the text of a scenario is complete wherever it is shown, stored or sent.

use std::cell::Cell;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::LONGEST_FILE;
use crate::error::Error;
use crate::parameter::Override;
use crate::problem::{Located, Problem, Result, shortened};

/// Keys of scenario files that take values over time, or the name of a file that holds them and ends in [`END`].
const KEYS: [&str; 2] = ["snr_trace", "trace"];
const END: &str = ".csv";

/// Whether `value` is the name of a file. Values over time contain commas, names of files do not.
pub fn is_file(value: &str) -> bool {
    value.ends_with(END) && !value.contains([',', '\n'])
}

/// Returns the `text` of the scenario file at `path`, with the contents of the files that it names. Their paths are relative to the
/// folder of the scenario file.
pub fn inlined(text: String, path: &str) -> std::result::Result<String, Error> {
    if !text.contains(END) {
        return Ok(text);
    }
    let mut found = Vec::new();
    {
        // The reader of the TOML text reports the fault.
        let Ok(root) = DeTable::parse(&text) else { return Ok(text) };
        let directory = Path::new(path).parent().unwrap_or(Path::new(""));
        let bytes = Cell::new(0);
        let read = |name: &str| {
            let contents = contents(&directory.join(name), name)?;
            bytes.update(|bytes| bytes + contents.len() as u64);
            if bytes.get() <= LONGEST_FILE {
                return Ok(contents);
            }
            let reason = format!("with the files named before it, it is longer than {LONGEST_FILE} bytes");
            Err(cannot(name, &reason))
        };
        for (key, value) in root.get_ref().iter().filter(|(key, _)| key.get_ref() != "parameters") {
            collect(key.get_ref(), value, &read, &mut found)
                .map_err(|problem| Error::located(path, &text, &problem))?;
        }
    }
    found.sort_by_key(|(place, _): &(std::ops::Range<usize>, String)| place.start);
    let mut whole = String::new();
    let mut copied = 0;
    for (place, contents) in found {
        whole += &text[copied..place.start];
        whole += &toml_edit::Value::from(contents).to_string();
        copied = place.end;
    }
    Ok(whole + &text[copied..])
}

/// Returns the overrides with the contents of the files that they name.
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

/// Collects the places of the values below `key` that name files, and the contents of these files.
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

/// Returns the text of the file on one line: semicolons replace line ends, so that the rest of the scenario file keeps its line
/// numbers.
fn contents(path: &Path, name: &str) -> Result<String> {
    let text = crate::contents_of(path).map_err(|reason| cannot(name, &reason))?;
    // Spreadsheets begin their files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.lines().collect::<Vec<_>>().join(";"))
}

/// Reports why the file of this name cannot be used.
fn cannot(name: &str, reason: &str) -> Problem {
    Problem::new(format!("`{}`: {reason}", shortened(name)))
}
