//! The text of a scenario file, in which single values are read and set; comments and layout stay.

use toml_edit::{InlineTable, Item, TableLike, Value};

use crate::file::FORMER_KEYS;
use crate::problem::Step;

/// The key as the file has it: under its former name, if that is there.
fn spelt<'a>(table: &dyn TableLike, key: &'a str) -> &'a str {
    let is_there = |(new, former): &&(&str, &str)| *new == key && table.contains_key(former);
    match FORMER_KEYS.iter().find(is_there) {
        Some((_, former)) if !table.contains_key(key) => former,
        _ => key,
    }
}

/// The tables of the list under `key`, written `[[key]]` or `key = [{ ... }]`.
pub fn entries<'a>(table: &'a dyn TableLike, key: &str) -> Vec<&'a dyn TableLike> {
    match table.get(key) {
        Some(Item::ArrayOfTables(list)) => list.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(Value::as_inline_table).map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// The table under `keys`.
pub fn inner<'a>(table: &'a dyn TableLike, keys: &[&str]) -> Option<&'a dyn TableLike> {
    keys.iter().try_fold(table, |table, key| table.get(spelt(table, key))?.as_table_like())
}

/// The value at `steps`.
pub fn get<'a>(table: &'a dyn TableLike, steps: &[Step]) -> Option<&'a Value> {
    match steps {
        [Step::Key(key)] => table.get(spelt(table, key))?.as_value(),
        [Step::Key(key), Step::Index(index), rest @ ..] => get(*entries(table, key).get(*index)?, rest),
        [Step::Key(key), rest @ ..] => get(table.get(spelt(table, key))?.as_table_like()?, rest),
        _ => None,
    }
}

/// Sets the value at `steps`, making tables where there are none. Nothing happens where a value is in a table's place.
pub fn set(table: &mut dyn TableLike, steps: &[Step], mut value: Value) {
    match steps {
        [Step::Key(key)] => {
            let key = spelt(table, key);
            if let Some(old) = table.get(key).and_then(Item::as_value) {
                *value.decor_mut() = old.decor().clone();
            }
            table.insert(key, Item::Value(value));
        }
        [Step::Key(key), Step::Index(index), rest @ ..] => {
            if let Some(entry) = entry(table, key, *index) {
                set(entry, rest, value);
            }
        }
        [Step::Key(key), rest @ ..] => {
            let key = spelt(table, key);
            if !table.contains_key(key) {
                table.insert(key, Item::Value(Value::InlineTable(InlineTable::new())));
            }
            if let Some(inner) = table.get_mut(key).and_then(Item::as_table_like_mut) {
                set(inner, rest, value);
            }
        }
        _ => {}
    }
}

/// Takes the value at `steps` out, if there is one.
pub fn remove(table: &mut dyn TableLike, steps: &[Step]) {
    match steps {
        [Step::Key(key)] => {
            table.remove(spelt(table, key));
        }
        [Step::Key(key), Step::Index(index), rest @ ..] => {
            if let Some(entry) = entry(table, key, *index) {
                remove(entry, rest);
            }
        }
        [Step::Key(key), rest @ ..] => {
            let key = spelt(table, key);
            if let Some(inner) = table.get_mut(key).and_then(Item::as_table_like_mut) {
                remove(inner, rest);
            }
        }
        _ => {}
    }
}

fn entry<'a>(table: &'a mut dyn TableLike, key: &str, index: usize) -> Option<&'a mut dyn TableLike> {
    match table.get_mut(key)? {
        Item::ArrayOfTables(list) => list.get_mut(index).map(|table| table as &mut dyn TableLike),
        Item::Value(Value::Array(list)) => {
            let table = list.get_mut(index)?.as_inline_table_mut()?;
            Some(table as &mut dyn TableLike)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toml_edit::DocumentMut;

    use super::*;

    fn steps(path: &str) -> Vec<Step> {
        let step = |part: &str| part.parse().map_or_else(|_| Step::Key(part.to_owned()), Step::Index);
        path.split('.').map(step).collect()
    }

    #[test]
    fn a_value_is_set_where_it_is_read_and_the_rest_stays() {
        let text =
            "tcp.window = 4 # segments\nnode = [{ name = 'a' }]\n\n[[link]]\nname = 'l'\n[link.errors]\n";
        for (path, wanted) in [
            ("tcp.window", "tcp.window = 7 # segments"),
            ("tcp.control.beta", "tcp.control"),
            ("node.0.count", "count = 7"),
            ("link.0.loss.bad", "[link.errors]\nbad = 7"), // a former name stays
            ("link.0.outage.start", "outage = { start = 7 }"),
            ("run.warmup", "run = { warmup = 7 }"),
        ] {
            let mut document: DocumentMut = text.parse().unwrap();
            set(document.as_table_mut(), &steps(path), 7.into());
            let shown = document.to_string();
            assert!(shown.contains(wanted), "{path}: {shown}");
            let again: DocumentMut = shown.parse().unwrap();
            let found = get(again.as_table(), &steps(path));
            assert_eq!(found.and_then(Value::as_integer), Some(7), "{path}: {shown}");
        }
    }
}
