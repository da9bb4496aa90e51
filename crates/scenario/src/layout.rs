//! The text of a scenario file, in which single values are set while comments and layout stay.

use serde_json::Value as Plain;
use toml_edit::{Array, InlineTable, Item, TableLike, Value};

use crate::document::spelt;
use crate::problem::Step;

fn key<'a>(table: &dyn TableLike, key: &'a str) -> &'a str {
    spelt(|key| table.contains_key(key), key)
}

/// Sets the value at `steps` and makes the tables that are missing on the way. Does nothing if a value is in a table's place.
pub fn set(table: &mut dyn TableLike, steps: &[Step], value: &Plain) {
    match steps {
        [Step::Key(name)] => {
            let name = key(table, name);
            let mut value = written(value);
            if let Some(old) = table.get(name).and_then(Item::as_value) {
                *value.decor_mut() = old.decor().clone();
            }
            table.insert(name, Item::Value(value));
        }
        [Step::Key(name), Step::Index(index), rest @ ..] => {
            if let Some(entry) = entry(table, name, *index) {
                set(entry, rest, value);
            }
        }
        [Step::Key(name), rest @ ..] => {
            let name = key(table, name);
            if !table.contains_key(name) {
                table.insert(name, Item::Value(Value::InlineTable(InlineTable::new())));
            }
            if let Some(inner) = table.get_mut(name).and_then(Item::as_table_like_mut) {
                set(inner, rest, value);
            }
        }
        _ => {}
    }
}

/// Removes the value at `steps`, if there is one.
pub fn remove(table: &mut dyn TableLike, steps: &[Step]) {
    match steps {
        [Step::Key(name)] => {
            table.remove(key(table, name));
        }
        [Step::Key(name), Step::Index(index), rest @ ..] => {
            if let Some(entry) = entry(table, name, *index) {
                remove(entry, rest);
            }
        }
        [Step::Key(name), rest @ ..] => {
            let name = key(table, name);
            if let Some(inner) = table.get_mut(name).and_then(Item::as_table_like_mut) {
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

fn written(value: &Plain) -> Value {
    match value {
        Plain::Bool(flag) => (*flag).into(),
        Plain::Array(list) => Array::from_iter(list.iter().filter_map(Plain::as_str)).into(),
        Plain::String(text) => text.into(),
        number => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, real) => real.unwrap_or_default().into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use toml_edit::DocumentMut;

    use super::*;
    use crate::document;
    use crate::error;

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
            let mut layout: DocumentMut = text.parse().unwrap();
            let mut document = error::document(text);
            set(layout.as_table_mut(), &steps(path), &7.into());
            document::set(&mut document, &steps(path), 7.into());
            let shown = layout.to_string();
            assert!(shown.contains(wanted), "{path}: {shown}");
            assert_eq!(document::get(&document, &steps(path)), Some(&7.into()), "{path}");
            assert_eq!(document, error::document(&shown), "{path}: {shown}");
        }
    }
}
