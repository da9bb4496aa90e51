//! The leaves of a TOML document.

use std::fmt;
use toml::{Table, Value};

/// A step of the way to a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a table.
    Key(String),
    /// Into an array.
    Index(usize),
}

/// A word, a number or a flag, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// From the document's root.
    pub path: Vec<Step>,
    /// The value there.
    pub value: Value,
}

/// Every leaf of a document, in its order.
pub fn all(document: &Table) -> Vec<Leaf> {
    let mut found = Vec::new();
    below_table(document, &[], &mut found);
    found
}

fn below_table(table: &Table, path: &[Step], found: &mut Vec<Leaf>) {
    for (key, value) in table {
        below(value, &[path, &[Step::Key(key.clone())]].concat(), found);
    }
}

fn below(value: &Value, path: &[Step], found: &mut Vec<Leaf>) {
    match value {
        Value::Table(table) => below_table(table, path, found),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                below(value, &[path, &[Step::Index(index)]].concat(), found);
            }
        }
        value => found.push(Leaf { path: path.to_vec(), value: value.clone() }),
    }
}

impl Leaf {
    /// The document with another value here, or with none.
    pub fn replaced(&self, document: &Table, value: Option<Value>) -> Table {
        let mut root = Value::Table(document.clone());
        let (last, before) = self.path.split_last().expect("a leaf is below the root");
        let holder = before.iter().fold(&mut root, |at, step| match step {
            Step::Key(key) => &mut at[key.as_str()],
            Step::Index(index) => &mut at[*index],
        });
        match (holder, last, value) {
            (Value::Table(table), Step::Key(key), Some(value)) => drop(table.insert(key.clone(), value)),
            (Value::Table(table), Step::Key(key), None) => drop(table.remove(key)),
            (Value::Array(values), Step::Index(index), Some(value)) => values[*index] = value,
            (Value::Array(values), Step::Index(index), None) => drop(values.remove(*index)),
            (holder, step, _) => panic!("{step:?} does not lead into {holder}"),
        }
        match root {
            Value::Table(table) => table,
            other => panic!("{other} is no document"),
        }
    }
}

/// As in `link[0].delay = "10 ms"`.
impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.path.iter().enumerate() {
            match step {
                Step::Key(key) => write!(f, "{}{key}", if number > 0 { "." } else { "" })?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        write!(f, " = {}", self.value)
    }
}
