//! Tables with the parameters of a part that is chosen by name, for editors.

use std::collections::BTreeMap;

use airfair_core::parameter::Kind;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

/// A parameter of the part of this name: its own name, what is allowed, and what it does.
pub struct Stated {
    pub part: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

/// The schema of a table of any of `parameters`: which of them go together depends on the part. What the table has beside
/// them are words, by name and description.
pub fn schema(
    description: &str,
    words: &[(&str, String)],
    parameters: impl Iterator<Item = Stated>,
) -> Schema {
    let mut helps: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
    for Stated { part, name, kind, help } in parameters {
        helps.entry(name).or_default().push(format!("`{part}`: {help} ({})", kind.allowed()));
        kinds.insert(name, kind);
    }
    let parameter = |(name, helps): (&str, Vec<String>)| {
        let types = match kinds[name] {
            Kind::Number(_) | Kind::Segments(_) => json!(["number", "string"]),
            Kind::Time(_) | Kind::Bytes(_) | Kind::Word(_) => json!(["string"]),
            Kind::Flag => json!(["boolean", "string"]),
        };
        (name.to_owned(), json!({ "type": types, "description": helps.join("; ") }))
    };
    let word = |(name, help): &(&str, String)| {
        ((*name).to_owned(), json!({ "type": ["string"], "description": help }))
    };
    let properties: Map<String, Value> =
        words.iter().map(word).chain(helps.into_iter().map(parameter)).collect();
    json_schema!({
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": false
    })
}
