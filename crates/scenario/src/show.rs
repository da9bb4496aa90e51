//! A scenario's file with overrides as its parameters' defaults: what was run, ready to run again.

use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::parameter::Override;
use crate::units;

/// `text` with `overrides`, comments and layout kept. Both have been resolved without error.
pub fn with_overrides(text: &str, overrides: &[Override]) -> String {
    if overrides.is_empty() {
        return text.to_owned();
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    for Override { name, value } in overrides {
        let declaration = document.get_mut("parameters").and_then(|all| all.get_mut(name));
        if let Some(declaration) = declaration.and_then(Item::as_table_like_mut) {
            set_default(declaration, value.trim());
        }
    }
    document.to_string()
}

fn set_default(declaration: &mut dyn TableLike, raw: &str) {
    let optional = declaration.get("optional").and_then(Item::as_bool) == Some(true);
    if raw == "default" && optional && !declaration.contains_key("default") {
        return;
    }
    // Without a unit it is a word or a flag: the PHY `802.11` is no number.
    let number = units::bare(raw).filter(|_| declaration.contains_key("unit"));
    let mut new: Value = match (raw, number) {
        ("true", _) => true.into(),
        ("false", _) => false.into(),
        (_, Some(number)) if number.fract() == 0.0 && number.abs() < 9e15 => (number as i64).into(),
        (_, Some(number)) => number.into(),
        (_, None) => raw.into(),
    };
    if let Some(old) = declaration.get("default").and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    declaration.insert("default", Item::Value(new));
}
