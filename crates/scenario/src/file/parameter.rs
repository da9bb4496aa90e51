//! The declaration of a parameter.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use crate::value::Scalar;

/// The only values that a parameter may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Choices {
    /// These.
    Listed(Vec<Scalar>),
    /// The words of this list of the engine's.
    Engine(String),
}

/// Not derived: an untagged enum would lose the path and the reason of an error.
impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choices, D::Error> {
        struct ChoicesVisitor;

        impl<'de> Visitor<'de> for ChoicesVisitor {
            type Value = Choices;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of values, or the name of a list of the engine's")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Choices, E> {
                Ok(Choices::Engine(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Choices, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Choices::Listed)
            }
        }
        deserializer.deserialize_any(ChoicesVisitor)
    }
}

impl JsonSchema for Choices {
    fn schema_name() -> Cow<'static, str> {
        "Choices".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<Vec<Scalar>>(), { "type": "string" }] })
    }
}

/// The unit and range of a parameter. Values here are literal, not expressions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// `bit/s`, `s`, `byte`, `fraction`, `count`, `packet`, `segment` or `number`; none for words and flags.
    pub unit: Option<String>,
    /// Its value unless set otherwise. Without a default it must be set, unless `optional`.
    pub default: Option<Scalar>,
    /// The least value allowed.
    pub min: Option<Scalar>,
    /// The largest value allowed.
    pub max: Option<Scalar>,
    /// The only values allowed: a list, or the name of one that the engine has (`tcp`, `profile`, `recovery`, `restart`,
    /// `connection` or `handshake`).
    pub choices: Option<Choices>,
    /// Words allowed in place of a number.
    pub words: Option<Vec<String>>,
    /// The value must be a multiple of this.
    pub multiple_of: Option<Scalar>,
    /// It may be left unset: then it is `none` in expressions, and a key set to it is as if not there.
    pub optional: Option<bool>,
    /// Its effect, in one sentence.
    pub help: Option<String>,
}
