//! Names, with expressions in braces.

use crate::expression::Got;
use crate::problem::{Problem, Result, shortened};
use crate::reading::told;
use crate::scope::{Readable, Scope, may_be_in_a_word};
use crate::units::Dimension;
use crate::value::{NameKind, Scalar};

/// Most characters of a name.
pub const LONGEST_NAME: usize = 100;

impl Readable for NameKind {
    type Out = String;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<String>> {
        let Scalar::Text(template) = scalar else {
            return Err(Problem::new(format!("`{scalar}` stands where a name is needed; put it in quotes")));
        };
        let name = filled(template, scope)?;
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(may_be_in_a_word) {
            let shown = shortened(&name);
            let message = format!(
                "`{shown}` is not a valid name: 1 to 100 letters, digits, `-`, `_` and `.` are needed"
            );
            return Err(Problem::new(message));
        }
        Ok(Some(name))
    }
}

/// Returns `template` with every `{expression}` replaced by its value.
fn filled(template: &str, scope: &Scope) -> Result<String> {
    let mut name = String::with_capacity(template.len() + 8);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else {
            return Err(Problem::new(format!("`{}`: a `{{` is never closed", shortened(template))));
        };
        name += &rest[..open];
        match scope.evaluate(&rest[open + 1..open + length])? {
            Got::Text(text) => name += &text,
            Got::Number(number, Some(Dimension::Pure) | None) => name += &number.to_string(),
            other => {
                let message = format!("`{}`: {} cannot be part of a name", shortened(template), told(&other));
                return Err(Problem::new(message));
            }
        }
        rest = &rest[open + length + 1..];
    }
    name += rest;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::expression::Evaluator;

    fn name(template: &str) -> Result<Option<String>> {
        let evaluator = Evaluator::new(BTreeMap::new());
        NameKind::read(&Scope::new(&evaluator).member(3), &Scalar::Text(template.to_owned()))
    }

    #[test]
    fn braces_are_filled_in() {
        assert_eq!(name("sta{i}").unwrap(), Some("sta3".to_owned()));
        assert_eq!(name("{'a' if i > 1 else 'b'}-{i + 1}").unwrap(), Some("a-4".to_owned()));
        assert_eq!(name("half{i / 3}").unwrap(), Some("half1".to_owned()));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for template in ["", "a b", "a{i", "a{}", "{1 s}", "{true}", "}", &"x".repeat(101)] {
            assert!(name(template).is_err(), "{template}");
        }
    }
}
