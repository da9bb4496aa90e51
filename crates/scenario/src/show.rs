//! A scenario's file with overrides as its parameters' defaults: the scenario that ran, ready to run again.

use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::parameter::Override;
use crate::units;

/// Makes values of parameters their defaults in the file, comments and layout kept. They have been resolved without error.
pub fn set_defaults(document: &mut DocumentMut, overrides: &[Override]) {
    for Override { name, value } in overrides {
        let declaration = document.get_mut("parameters").and_then(|all| all.get_mut(name));
        if let Some(declaration) = declaration.and_then(Item::as_table_like_mut) {
            set_default(declaration, value.trim());
        }
    }
}

/// Whether the parameter takes numbers. Without a unit, the default or else the first choice tells: the PHY `802.11` is
/// a word.
fn is_number(declaration: &dyn TableLike) -> bool {
    let is = |value: &Value| value.is_integer() || value.is_float();
    declaration.contains_key("unit")
        || match declaration.get("default").and_then(Item::as_value) {
            Some(default) => is(default),
            None => {
                let choices = declaration.get("choices").and_then(Item::as_array);
                choices.and_then(|list| list.get(0)).is_some_and(is)
            }
        }
}

fn set_default(declaration: &mut dyn TableLike, raw: &str) {
    let optional = declaration.get("optional").and_then(Item::as_bool) == Some(true);
    if raw == "default" && optional && !declaration.contains_key("default") {
        return;
    }
    let number = units::bare(raw).filter(|_| is_number(declaration));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The new default when `raw` is set in a parameter with this declaration.
    fn shown(declaration: &str, raw: &str) -> String {
        let text = format!("[parameters]\nx = {{ {declaration} }}\n");
        let overrides = [Override { name: "x".to_owned(), value: raw.to_owned() }];
        let mut document: DocumentMut = text.parse().unwrap();
        set_defaults(&mut document, &overrides);
        document["parameters"]["x"]["default"].to_string().trim().to_owned()
    }

    #[test]
    fn numbers_stay_numbers_and_words_stay_words() {
        assert_eq!(shown("unit = \"packet\"", "7"), "7");
        assert_eq!(shown("default = 200, min = 1", "7"), "7");
        assert_eq!(shown("choices = [0.5, 1.5]", "1.5"), "1.5");
        assert_eq!(
            shown("default = \"802.11b\", choices = [\"802.11\", \"802.11b\"]", "802.11"),
            "\"802.11\""
        );
        assert_eq!(shown("choices = [\"1\", \"2\"]", "1"), "\"1\"");
    }
}
