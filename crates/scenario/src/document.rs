//! A scenario file as tables of values in the order of the file, whose single values can be read and set.

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::file::FORMER_KEYS;
use crate::problem::{Located, Problem, Result, Step};
use crate::value::{NOT_FINITE, TOO_LARGE};

/// A table of a scenario file, or the whole file.
pub type Table = Map<String, Value>;

/// Returns the tables of the file that has been parsed as `root`.
///
/// # Errors
/// When an integer does not fit into 64 bits or a float is not finite: the format has no such values.
pub fn of(root: &DeTable) -> Result<Table> {
    let mut entries: Vec<_> = root.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<DeString>, &Spanned<DeValue>)| {
        let key = key.get_ref();
        Ok((key.to_string(), plain(value.get_ref()).at(key)?))
    };
    entries.into_iter().map(entry).collect()
}

fn plain(value: &DeValue) -> Result<Value> {
    Ok(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix());
            read.map_err(|_| Problem::new(TOO_LARGE))?.into()
        }
        DeValue::Float(number) => {
            let read = number.as_str().parse().ok().filter(|number: &f64| number.is_finite());
            read.ok_or_else(|| Problem::new(NOT_FINITE))?.into()
        }
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(list) => {
            let entry = |(index, entry): (usize, &Spanned<DeValue>)| {
                plain(entry.get_ref()).map_err(|problem| problem.at_index(index))
            };
            Value::Array(list.iter().enumerate().map(entry).collect::<Result<_>>()?)
        }
        DeValue::Table(table) => Value::Object(of(table)?),
    })
}

/// Returns the key as the file spells it: under its former name if the file has only that.
pub fn spelt(is_there: impl Fn(&str) -> bool, key: &str) -> &str {
    match FORMER_KEYS.iter().find(|(new, former)| *new == key && is_there(former)) {
        Some((_, former)) if !is_there(key) => former,
        _ => key,
    }
}

/// Returns the key as this table spells it; see [`spelt`].
pub fn key<'a>(table: &Table, key: &'a str) -> &'a str {
    spelt(|key| table.contains_key(key), key)
}

/// Returns the tables of the list under `key`, written `[[key]]` or `key = [{ ... }]`.
pub fn entries<'a>(table: &'a Table, key: &str) -> Vec<&'a Table> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).collect()
}

/// Returns the table under `keys`.
pub fn inner<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a Table> {
    keys.iter().try_fold(table, |table, name| table.get(key(table, name))?.as_object())
}

/// Returns `steps` with the keys as the file spells them.
pub fn as_spelt(table: &Table, steps: &[Step]) -> Vec<Step> {
    let [Step::Key(name), rest @ ..] = steps else { return steps.to_vec() };
    let own = key(table, name);
    let (indices, rest) = rest.split_at(usize::from(matches!(rest, [Step::Index(_), ..])));
    let inner = match (table.get(own), indices) {
        (Some(Value::Array(list)), [Step::Index(index)]) => list.get(*index),
        (value, _) => value,
    };
    let rest = inner.and_then(Value::as_object).map_or(rest.to_vec(), |inner| as_spelt(inner, rest));
    [&[Step::Key(own.to_owned())], indices, &rest].concat()
}

/// Returns the value at `steps`.
pub fn get<'a>(table: &'a Table, steps: &[Step]) -> Option<&'a Value> {
    match steps {
        [Step::Key(name)] => table.get(key(table, name)),
        [Step::Key(name), Step::Index(index), rest @ ..] => get(entries(table, name).get(*index)?, rest),
        [Step::Key(name), rest @ ..] => get(table.get(key(table, name))?.as_object()?, rest),
        _ => None,
    }
}

/// Sets the value at `steps` and makes the tables that are missing on the way. Does nothing if a value is in a table's place.
pub fn set(table: &mut Table, steps: &[Step], value: Value) {
    match steps {
        [Step::Key(name)] => {
            table.insert(key(table, name).to_owned(), value);
        }
        [Step::Key(name), Step::Index(index), rest @ ..] => {
            if let Some(entry) = entry(table, name, *index) {
                set(entry, rest, value);
            }
        }
        [Step::Key(name), rest @ ..] => {
            let name = key(table, name).to_owned();
            if let Value::Object(inner) = table.entry(name).or_insert_with(|| Value::Object(Table::new())) {
                set(inner, rest, value);
            }
        }
        _ => {}
    }
}

fn entry<'a>(table: &'a mut Table, key: &str, index: usize) -> Option<&'a mut Table> {
    table.get_mut(key)?.get_mut(index)?.as_object_mut()
}
