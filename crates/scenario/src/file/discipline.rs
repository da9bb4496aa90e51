//! Queue disciplines. The disciplines themselves declare their names and parameters.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use airfair_core::schema::Words;
use airfair_queue::discipline::DISCIPLINES;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::file::Directions;
use crate::file::declared::part_schema;
use crate::resolve::discipline::names;
use crate::value::{Scalar, WordValue};

/// `[link.discipline]` and `[wlan.ap_discipline]`: a discipline and its parameters by name.
#[derive(Clone, Debug, Default)]
pub struct Discipline {
    /// Name of the discipline (`drop_tail`).
    pub kind: Option<WordValue>,
    /// Directions of a link that have the discipline (`both`).
    pub direction: Option<WordValue>,
    /// Parameters of the discipline, by name.
    pub parameters: BTreeMap<String, Scalar>,
}

/// `Deserialize` is not derived, because flattening would lose the path of an error.
impl<'de> Deserialize<'de> for Discipline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Discipline, D::Error> {
        struct DisciplineVisitor;

        impl<'de> Visitor<'de> for DisciplineVisitor {
            type Value = Discipline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with a queue discipline's `kind` and its parameters")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Discipline, A::Error> {
                let mut table = Discipline::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "kind" => table.kind = Some(map.next_value()?),
                        "direction" => table.direction = Some(map.next_value()?),
                        _ => {
                            table.parameters.insert(key, map.next_value()?);
                        }
                    }
                }
                Ok(table)
            }
        }
        deserializer.deserialize_map(DisciplineVisitor)
    }
}

impl JsonSchema for Discipline {
    fn schema_name() -> Cow<'static, str> {
        "Discipline".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = [
            ("kind", "Name of the discipline; `drop_tail` unless it is set.", Words::of(names())),
            ("direction", "Directions of a link that have it; both unless it is set.", Directions::WORDS),
        ];
        part_schema("A queue discipline and its parameters.", &own, DISCIPLINES, generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_parameter_has_a_name_of_the_tables_own() {
        for discipline in DISCIPLINES {
            for own in ["kind", "direction"] {
                assert!(discipline.parameter(own).is_none(), "{}.{own}", discipline.name);
            }
        }
    }
}
