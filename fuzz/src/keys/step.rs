//! The smallest steps of a leaf: 1 ns, 1 b/s, 1 byte, one more, the next float, another word, the other flag.

use super::leaf::{self, Leaf};
use super::schema::Place;
use airfair_scenario::quantity;
use std::fmt;
use toml::{Table, Value};

/// One way to move a leaf.
#[derive(Debug)]
pub enum Step {
    /// Another value.
    To(Value),
    /// A name, changed wherever it stands.
    Renamed(String),
    /// Left out.
    Away,
}

/// The steps of a leaf, to be tried in this order: not each is allowed everywhere. An element of a list is left out; what
/// has a name is renamed.
pub fn all(leaf: &Leaf, place: &Place, words: impl Iterator<Item = String>) -> Vec<Step> {
    if let Some(leaf::Step::Index(_)) = leaf.path.last() {
        return vec![Step::Away];
    }
    if let (Value::String(name), true) = (&leaf.value, place.gives_a_name()) {
        return vec![Step::Renamed(format!("{name}x"))];
    }
    let words = words.map(Value::from);
    let steps: Vec<Value> = match &leaf.value {
        Value::Boolean(flag) => vec![Value::from(!flag)],
        Value::Integer(number) => numbers(*number as f64),
        Value::Float(number) => numbers(*number),
        Value::String(text) => {
            written(text).unwrap_or_else(|| by_kind(place.kind, text).into_iter().chain(words).collect())
        }
        other => panic!("{other} is no leaf of a scenario"),
    };
    steps.into_iter().map(Step::To).chain([Step::Away]).collect()
}

/// Floats first: where whole numbers are needed, one next to a whole number is taken for it and decides nothing.
fn numbers(number: f64) -> Vec<Value> {
    let floats = [number.next_up(), number.next_down()].map(Value::from);
    let whole = [1, -1, 2, -2].map(|step| Value::from(number as i64 + step));
    let whole = whole.into_iter().filter(|_| number.fract() == 0.0);
    floats.into_iter().chain(whole).collect()
}

/// Of a number with its unit.
fn written(text: &str) -> Option<Vec<Value>> {
    for (unit, one, smallest) in [("s", 1e9, "ns"), ("bit/s", 1.0, "b/s"), ("byte", 1.0, "B")] {
        if let Ok(number) = quantity(text, unit) {
            let number = (number * one).round();
            return Some([1.0, -1.0].map(|step| format!("{} {smallest}", number + step).into()).to_vec());
        }
    }
    quantity(text, "number").ok().map(numbers)
}

/// Of an expression or a word.
fn by_kind(kind: &str, text: &str) -> Vec<Value> {
    let by: &[&str] = match kind {
        "TimeKind" => &["+ 1 ns", "- 1 ns"],
        "RateKind" => &["+ 1 b/s"],
        "SizeKind" => &["+ 1 B", "- 1 B"],
        "CountKind" => &["+ 1", "- 1", "+ 2", "- 2"],
        "QueueKind" => &["+ 1", "+ 1 B", "+ 1 ns"],
        "NumberKind" | "FractionKind" => &["* 1.0000000000000002", "* 0.9999999999999999"],
        "FlagKind" => return vec![format!("not ({text})").into()],
        _ => &[],
    };
    by.iter().map(|by| format!("({text}) {by}").into()).collect()
}

impl Step {
    /// The document after it.
    pub fn applied(&self, document: &Table, leaf: &Leaf) -> Table {
        match self {
            Step::To(value) => leaf.replaced(document, Some(value.clone())),
            Step::Away => leaf.replaced(document, None),
            Step::Renamed(name) => {
                let alike = leaf::all(document).into_iter().filter(|other| other.value == leaf.value);
                alike.fold(document.clone(), |all, one| one.replaced(&all, Some(name.clone().into())))
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::To(value) => write!(f, "{value}"),
            Step::Renamed(name) => write!(f, "{name:?} wherever it stands"),
            Step::Away => f.write_str("absent"),
        }
    }
}
