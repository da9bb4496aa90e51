//! The fair share: rates, or the word that has them measured.

use std::borrow::Cow;

use airfair_core::Rate;
use schemars::{Schema, SchemaGenerator, json_schema};
use toml_edit::{DocumentMut, InlineTable, Item};

use crate::expression::Got;
use crate::file::FairShare as Raw;
use crate::problem::{Located, Problem, Result};
use crate::resolved::{Direction, FairShare, Flow, Transport};
use crate::scope::{Readable, Scope, needed, small};
use crate::value::{RateKind, Scalar, ShareKind};

/// Name of the table in the file.
const TABLE: &str = "fair_share";
/// The word for a rate that is measured. In place of the table it means that both rates are.
pub const MEASURED: &str = "measured";

/// The rate of all users together, as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Share {
    /// This rate.
    Rate(Rate),
    /// The rate of one user alone, which is measured.
    Measured,
}

impl Share {
    fn rate(self) -> Option<Rate> {
        match self {
            Share::Rate(rate) => Some(rate),
            Share::Measured => None,
        }
    }
}

impl Readable for ShareKind {
    type Out = Share;
    fn read(scope: &Scope, scalar: &Scalar) -> Result<Option<Share>> {
        if let Scalar::Text(text) = scalar {
            if text.trim() == MEASURED {
                return Ok(Some(Share::Measured));
            }
            if matches!(scope.evaluate(text), Ok(Got::Text(word)) if word == MEASURED) {
                return Ok(Some(Share::Measured));
            }
        }
        Ok(RateKind::read(scope, scalar)?.map(Share::Rate))
    }
}

/// Returns the fair share of a file's users; `flows` are the flows of the file.
pub fn resolve(raw: &Option<Raw>, scope: &Scope, flows: &[Flow]) -> Result<FairShare> {
    let Some(raw) = raw else { return Ok(FairShare::Undefined) };
    let down = scope.required(&raw.download, "download")?.rate();
    let up = scope.required(&raw.upload, "upload")?.rate();
    let given = scope.optional(&raw.users, "users")?;
    let users = match given {
        None if down.is_none() || up.is_none() => flows.len() as u64,
        given => needed(given, "users", "a fair share that is not measured")?,
    };
    if (down.is_none() || up.is_none()) && !flows.iter().any(crosses_the_air) {
        return Err(Problem::new("no TCP flow crosses the air, so there is no fair share to measure"));
    }
    Ok(FairShare::Split { down, up, users: small(users, 1).at("users")? })
}

fn crosses_the_air(flow: &Flow) -> bool {
    matches!(flow.transport, Transport::Tcp { .. }) && flow.direction != Direction::Other
}

/// Replaces the word [`MEASURED`] in place of the table by the table that it stands for. All lines keep their numbers.
pub fn spelt_out(text: &str) -> Cow<'_, str> {
    let stands = |document: &DocumentMut| document.get(TABLE).and_then(Item::as_str) == Some(MEASURED);
    let document = if text.contains(MEASURED) { text.parse().ok().filter(stands) } else { None };
    document.map_or(Cow::Borrowed(text), |mut document: DocumentMut| {
        let both = ["download", "upload"].map(|key| (key, MEASURED));
        document[TABLE] = toml_edit::value(both.into_iter().collect::<InlineTable>());
        Cow::Owned(document.to_string())
    })
}

/// Returns the schema of the table or the word in its place.
pub fn schema(generator: &mut SchemaGenerator) -> Schema {
    let table = generator.subschema_for::<Raw>();
    json_schema!({ "anyOf": [table, { "const": MEASURED }, { "type": "null" }] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::tests::with_scope;

    #[test]
    fn a_rate_or_the_word() {
        let read = |text: &str| {
            with_scope(|scope| ShareKind::read(&scope, &Scalar::Text(text.to_owned())))
                .map_err(|problem| problem.to_string())
        };
        assert_eq!(read("measured"), Ok(Some(Share::Measured)));
        assert_eq!(read("'measured' if queue == 50 else 5 Mb/s"), Ok(Some(Share::Measured)));
        let rate = Rate::new(5_000_000).map(Share::Rate);
        assert_eq!(read("5 Mb/s if queue == 50 else 'measured'"), Ok(rate));
        assert!(read("measurd").unwrap_err().contains("measurd"));
        assert!(read("tcp").unwrap_err().contains("vegas"));
    }
}
