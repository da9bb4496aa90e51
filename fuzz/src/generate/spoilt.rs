//! Files that are wrong in some way.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Words with a meaning in scenario files, to get past the reader of TOML.
const PIECES: [&str; 36] = [
    "0",
    "-1",
    "1e308",
    "1e999",
    "nan",
    "-0.0",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"i\"",
    "\"{i}\"",
    "\"stations / 0\"",
    "\"0 b/s\"",
    "\"1e300 Mb/s\"",
    "\"-5 ms\"",
    "\"5 %\"",
    "\"none\"",
    "\"((((\"",
    "\"min()\"",
    "\"é{é}\"",
    "1979-05-27",
    "[[flow]]",
    "[[wlan]]",
    "[tcp]",
    "\"'a' * 9\"",
    "9223372036854775807",
    "18446744073709551615",
    "\"1 ns\"",
    "\"3 kB\"",
    "\"12 Mb/s\"",
    "\"i % 2 == 0\"",
    "\"2 if i else 3\"",
    "\"h0\"",
    "[0, \"a\"]",
    "\"\\u0000\\n\"",
];

/// A change to a text.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Another value for a key.
    Value(Index, &'static str),
    /// Another line.
    Line(Index, &'static str),
    /// One line less.
    Gone(Index),
    /// A line again, somewhere.
    Copied(Index, Index),
    /// Another character.
    Character(Index, char),
    /// The end cut off.
    Cut(Index),
}

/// A few changes.
pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let index = any::<Index>;
    let edit = prop_oneof![
        4 => (index(), select(&PIECES[..])).prop_map(|(line, piece)| Edit::Value(line, piece)),
        1 => (index(), select(&PIECES[..])).prop_map(|(line, piece)| Edit::Line(line, piece)),
        2 => index().prop_map(Edit::Gone),
        2 => (index(), index()).prop_map(|(from, to)| Edit::Copied(from, to)),
        2 => (index(), any::<char>()).prop_map(|(at, c)| Edit::Character(at, c)),
        1 => index().prop_map(Edit::Cut),
    ];
    vec(edit, 1..5)
}

/// The text with these changes.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits {
        text = one(&text, edit);
    }
    text
}

fn one(text: &str, edit: &Edit) -> String {
    if let Edit::Character(at, _) | Edit::Cut(at) = edit {
        let mut characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len() + 1);
        match edit {
            Edit::Character(_, c) if at < characters.len() => characters[at] = *c,
            _ => characters.truncate(at),
        }
        return characters.into_iter().collect();
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let last = lines.len();
    match edit {
        _ if last == 0 => {}
        Edit::Value(line, piece) => {
            let line = &mut lines[line.index(last)];
            let key = line.split(" = ").next().unwrap_or_default();
            *line = format!("{key} = {piece}");
        }
        Edit::Line(line, piece) => lines[line.index(last)] = (*piece).to_owned(),
        Edit::Gone(line) => drop(lines.remove(line.index(last))),
        Edit::Copied(from, to) => lines.insert(to.index(last), lines[from.index(last)].clone()),
        Edit::Character(..) | Edit::Cut(_) => {}
    }
    lines.join("\n")
}

/// Text of any kind.
pub fn noise() -> impl Strategy<Value = String> {
    let bytes = vec(any::<u8>(), 0..200).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let pieces = vec(
        prop_oneof![select(&PIECES[..]), select(&["\n", " = ", "[run]", "[", ".", "duration", "#"][..])],
        0..40,
    );
    prop_oneof![bytes, "\\PC{0,200}", pieces.prop_map(|pieces| pieces.concat())]
}
