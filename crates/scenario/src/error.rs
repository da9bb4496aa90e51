//! Messages on bad input, for people.

use std::fmt;

use airfair_tcp::congestion::CONTROLS;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::document::{self, Table};
use crate::file::FORMER_KEYS;
use crate::plain;
use crate::problem::{Located, Problem, Step, shortened, unknown};
use crate::shape::{self, FORMAT, Shape};
use crate::spelling::{DECIMAL_COMMA, has_decimal_comma};

/// Bad input: the file, the place in it, the fault and the allowed values, in one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    file: String,
    position: Option<(usize, usize)>,
    path: String,
    message: String,
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Text from a file may hold anything; a message must stay on one line and must not control a terminal.
        plain::write(f, &self.file)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
            plain::write(f, &self.path)?;
        }
        f.write_str(": ")?;
        plain::write(f, &self.message)
    }
}

impl Error {
    /// An error that concerns `file` as a whole.
    pub(crate) fn whole(file: &str, message: impl Into<String>) -> Error {
        Error { file: file.to_owned(), position: None, path: String::new(), message: message.into() }
    }

    /// Locates `problem` in this `text` of this `file`: the error has the line and the column of the bad value.
    pub(crate) fn located(file: &str, text: &str, problem: &Problem) -> Error {
        let mut problem = problem.clone();
        let place = DeTable::parse(text).ok().and_then(|root| deepest(&root, &mut problem));
        let position = place.map(|offset| line_and_column(text, offset));
        Error { position, ..Error::unlocated(file, &problem) }
    }

    /// An error about a value that came from outside the file.
    pub(crate) fn unlocated(file: &str, problem: &Problem) -> Error {
        Error { path: problem.path(), ..Error::whole(file, problem.to_string()) }
    }

    /// Returns the parameter, or the path of the setting, that is to blame if it was set from outside.
    pub(crate) fn setting(&self) -> &str {
        self.path.strip_prefix("parameters.").unwrap_or(&self.path)
    }

    /// Adds `more` to the message.
    pub(crate) fn noting(self, more: &str) -> Error {
        Error { message: self.message + more, ..self }
    }

    /// Returns the path of the bad value inside the file, as in `flow[2].tcp.window`; empty for the file as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Reads `text` as a `T`.
pub fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Error> {
    let located = |problem: Problem| Error::located(file, text, &problem);
    read_table(document::of(parse(file, text)?.get_ref()).map_err(located)?).map_err(located)
}

/// Parses `text` into tables and values.
pub fn parse<'t>(file: &str, text: &'t str) -> Result<Spanned<DeTable<'t>>, Error> {
    if text.trim().is_empty() {
        return Err(Error::whole(file, "it is empty: `airfair init FILE` writes a scenario to start from"));
    }
    DeTable::parse(text).map_err(|error| {
        let told = error.span().and_then(|span| slip_at(text, span.start, error.message()));
        let told = told.unwrap_or_else(|| one_line(error.message()));
        Error {
            position: error.span().map(|span| line_and_column(text, span.start)),
            ..Error::whole(file, format!("not valid TOML: {told}"))
        }
    })
}

/// Names the slip at this byte, where the parser stopped with this message, if the message would mislead: a word or a quantity without
/// its quotes, `[flow]` for `[[flow]]`, a decimal comma.
fn slip_at(text: &str, offset: usize, message: &str) -> Option<String> {
    let (before, behind) = text.split_at_checked(offset)?;
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    let line = format!("{line_before}{}", behind.lines().next().unwrap_or_default());
    let name = line.trim().trim_matches(['[', ']']);
    if message == "duplicate key" && shape::is_list(name) {
        return Some(format!(
            "`[{name}]` is there already: where there are several, each begins with `[[{name}]]`"
        ));
    }
    let around = offset.checked_sub(1).and_then(|from| text.get(from..offset + 2));
    if around.is_some_and(has_decimal_comma) {
        return Some(DECIMAL_COMMA.to_owned());
    }
    let value = behind.split(['\n', '\r', ',', ']', '}', '#']).next().unwrap_or_default().trim();
    let is_value = line_before.trim_end().ends_with(['=', '[', ',']);
    if value.is_empty() && line_before.trim_end().ends_with('=') {
        return Some("the value is missing".to_owned());
    }
    let bare = value.trim_matches(['“', '”', '„', '‘', '’']);
    if !is_value
        || value.starts_with(['"', '\'', '[', '{'])
        || !bare.contains(|c: char| c.is_alphabetic() || c == '%')
    {
        return None;
    }
    let lower = bare.to_lowercase();
    Some(if ["true", "false"].contains(&lower.as_str()) {
        format!("`{value}` is written `{lower}`")
    } else {
        format!("`{}` stands without its quotes: \"{}\"", shortened(value), shortened(bare))
    })
}

/// Reads the tables and values of a file as a `T`.
pub fn read_table<T: DeserializeOwned>(table: Table) -> Result<T, Problem> {
    let mut file = Value::Object(table);
    // Of several problems of a kind, the first in the order of keys is reported, wherever the file has them.
    file.sort_all_objects();
    no_list_for_a_table(&file, &FORMAT.file)?;
    serde_path_to_error::deserialize(&file)
        .map_err(|error| mistyped(error.path(), &error.inner().to_string()))
}

/// Refuses a list where the format has one table: a structure of serde takes the entries of a list for its fields, in their order.
fn no_list_for_a_table(value: &Value, shape: &Shape) -> Result<(), Problem> {
    match (shape, value) {
        (Shape::Table(_), Value::Array(_)) => Err(Problem::new("it is a list, and one table is needed")),
        (Shape::Table(keys), Value::Object(table)) => keys.iter().try_for_each(|child| {
            let value = table.get(document::key(table, child.name));
            value.map_or(Ok(()), |value| no_list_for_a_table(value, &child.shape)).at(child.name)
        }),
        (Shape::List(entry), Value::Array(list)) => list.iter().enumerate().try_for_each(|(index, value)| {
            no_list_for_a_table(value, entry).map_err(|problem| problem.at_index(index))
        }),
        _ => Ok(()),
    }
}

/// Turns an error of serde into a problem: a table that lacks a key or has an unknown one, or a value of the wrong type.
fn mistyped(path: &serde_path_to_error::Path, message: &str) -> Problem {
    use serde_path_to_error::Segment;
    let mut steps = Vec::new();
    for segment in path.iter() {
        match segment {
            Segment::Map { key } => steps.push(Step::Key(key.clone())),
            Segment::Seq { index } => steps.push(Step::Index(*index)),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    let told = plainly(&one_line(message), &steps, shape::at(&steps));
    steps.into_iter().fold(Problem::new(told), Problem::under)
}

/// Returns serde's `message` on the value at `steps` in the words of scenario files. The format wants a value of this `shape` there.
fn plainly(message: &str, steps: &[Step], shape: Option<&Shape>) -> String {
    let quoted = |start: &str| message.strip_prefix(start)?.split('`').next();
    if let Some(key) = quoted("missing field `") {
        let inside = [steps, &[Step::Key(key.to_owned())]].concat();
        return match shape::at(&inside) {
            Some(Shape::List(_)) => format!("it has no `[[{key}]]`, and needs at least one"),
            Some(Shape::Table(_)) => format!("it has no `[{key}]`, and needs one"),
            _ => format!("it needs `{key}`, which has no default"),
        };
    }
    if let Some(key) = quoted("duplicate field `") {
        return format!("`{key}` is set twice, once by its former name");
    }
    if let Some(key) = quoted("unknown field `") {
        return unknown_key(key, message);
    }
    let (found, needed) =
        match message.strip_prefix("invalid type: ").and_then(|it| it.split_once(", expected ")) {
            Some((found, needed)) => (found_value(found), needed),
            None => return message.to_owned(),
        };
    let needed = match (shape, needed) {
        (Some(Shape::List(_)), _) => {
            let keys =
                steps.iter().filter_map(|step| if let Step::Key(key) = step { Some(&**key) } else { None });
            let name = keys.collect::<Vec<_>>().join(".");
            format!("a list of tables is needed: each begins with `[[{name}]]`")
        }
        (_, "a sequence") => "a list is needed".to_owned(),
        (_, "a string") => "a text is needed".to_owned(),
        (_, "a boolean") => "true or false is needed".to_owned(),
        (_, needed) if needed.starts_with("struct ") => "a table is needed".to_owned(),
        (_, needed) => match needed.split_once(": ") {
            Some(("a table", about)) => format!("a table is needed: {}", about.trim_end_matches('.')),
            _ => format!("{needed} is needed"),
        },
    };
    format!("it is {found}, and {needed}")
}

/// Returns serde's name of a wrong value, such as `string "red"`, in the words of scenario files.
fn found_value(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    match kind {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        "string" => format!("the text `{}`", shortened(value.trim_matches('"'))),
        "integer" | "floating" => format!("the number {}", value.trim_start_matches("point ")),
        _ => value.to_owned(),
    }
}

/// Returns the message on an unknown key with the nearest one. `message` lists all known keys between backticks.
fn unknown_key(key: &str, message: &str) -> String {
    let known: Vec<&str> = message.split('`').skip(3).step_by(2).filter(|name| !name.is_empty()).collect();
    if known.contains(&"control") && CONTROLS.iter().any(|control| control.parameter(key).is_some()) {
        return format!("`{key}` is a parameter of a congestion control: set it in the table `control` here");
    }
    unknown("key", key, known).to_string()
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns where in the file the deepest part of the problem's path starts that the file has. Where the file has a key
/// under its former name, the path gets that name.
fn deepest(root: &Spanned<DeTable>, problem: &mut Problem) -> Option<usize> {
    let mut steps = problem.steps_mut();
    let Some(Step::Key(key)) = steps.next() else { return None };
    let (name, value) = root.get_ref().get_key_value(key.as_str())?;
    let mut offset = name.span().start;
    let mut value = value;
    for step in steps {
        if let (Step::Key(key), DeValue::Table(table)) = (&mut *step, value.get_ref()) {
            let is_written = |(new, former): &&(&str, &str)| new == key && table.contains_key(*former);
            let former = FORMER_KEYS.iter().find(is_written);
            if let Some((_, former)) = former.filter(|_| !table.contains_key(key.as_str())) {
                key.replace_range(.., former);
            }
        }
        value = match (step, value.get_ref()) {
            (Step::Key(key), DeValue::Table(table)) => match table.get_key_value(key.as_str()) {
                Some((name, value)) => {
                    offset = name.span().start;
                    value
                }
                None => break,
            },
            (Step::Index(index), DeValue::Array(array)) => match array.get(*index) {
                Some(value) => {
                    offset = value.span().start;
                    value
                }
                None => break,
            },
            _ => break,
        };
    }
    Some(offset)
}

/// Returns the line and the column of the byte at `offset`, both counted from 1; the column in characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
pub(crate) fn document(text: &str) -> Table {
    document::of(parse("test", text).expect("valid TOML").get_ref()).expect("numbers of 64 bits")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::file::File;

    /// Collects the paths of all tables below `shape`, as a file spells them, with a list at the end of each.
    fn listed(shape: &Shape, around: &dyn Fn(Value) -> Value, found: &mut Vec<Value>) {
        match shape {
            Shape::Table(keys) => {
                found.push(around(json!(["1 s", "10 s"])));
                for child in keys.iter() {
                    listed(&child.shape, &|value| around(json!({ child.name: value })), found);
                }
            }
            Shape::List(entry) => listed(entry, &|value| around(json!([value])), found),
            Shape::Setting(_) => {}
        }
    }

    #[test]
    fn no_table_of_the_format_may_be_a_list() {
        let mut found = Vec::new();
        listed(&FORMAT.file, &|value| value, &mut found);
        let files: Vec<_> = found.into_iter().filter_map(|file| file.as_object().cloned()).collect();
        assert!(files.len() > 30, "{}", files.len());
        for file in files {
            let told = read_table::<File>(file.clone()).unwrap_err();
            assert_eq!(told.to_string(), "it is a list, and one table is needed", "{file:?}");
        }
    }
}
