//! Parameters of a flow's congestion control: which there are, the controls state themselves.

use std::borrow::Cow;
use std::collections::BTreeMap;

use airfair_tcp::congestion::{CONTROLS, Kind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::value::Scalar;

/// `[tcp.control]`: parameters by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Control(pub BTreeMap<String, Scalar>);

impl JsonSchema for Control {
    fn schema_name() -> Cow<'static, str> {
        "Control".into()
    }

    /// Every control's parameters: which of them go together depends on the flow's `variant`.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut helps: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
        for control in CONTROLS {
            for parameter in control.parameters {
                let help = format!("`{}`: {} ({})", control.name(), parameter.help, parameter.kind.allowed());
                helps.entry(parameter.name).or_default().push(help);
                kinds.insert(parameter.name, parameter.kind);
            }
        }
        let property = |(name, helps): (&str, Vec<String>)| {
            let types = match kinds[name] {
                Kind::Number(_) | Kind::Segments(_) => json!(["number", "string"]),
                Kind::Time(_) | Kind::Bytes(_) | Kind::Word(_) => json!(["string"]),
            };
            (name.to_owned(), json!({ "type": types, "description": helps.join("; ") }))
        };
        let properties: Map<String, Value> = helps.into_iter().map(property).collect();
        json_schema!({
            "type": "object",
            "description": "Parameters of the congestion control.",
            "properties": properties,
            "additionalProperties": false
        })
    }
}
