//! Parameters of a flow's congestion control. The controls themselves declare which parameters they have.

use std::borrow::Cow;
use std::collections::BTreeMap;

use airfair_tcp::congestion::CONTROLS;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::file::declared::part_schema;
use crate::value::Scalar;

/// `[tcp.control]`: parameters of the congestion control, by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Control(pub BTreeMap<String, Scalar>);

impl JsonSchema for Control {
    fn schema_name() -> Cow<'static, str> {
        "Control".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        part_schema("Parameters of the congestion control.", &[], CONTROLS, generator)
    }
}
