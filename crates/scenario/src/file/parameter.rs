//! The declaration of a parameter.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use crate::value::Scalar;

/// The only values that a parameter may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Choices {
    /// The values of a list in the declaration.
    Listed(Vec<Scalar>),
    /// The words of the engine's list of this name.
    Engine(String),
    /// The words of a table of tables, which has settings of its own for each word.
    Tables(Vec<String>),
}

/// `Deserialize` is not derived, because an untagged enum would lose the path and the reason of an error.
impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choices, D::Error> {
        struct ChoicesVisitor;

        impl<'de> Visitor<'de> for ChoicesVisitor {
            type Value = Choices;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a list of values, the name of a built-in list, or a table of settings for each word",
                )
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Choices, E> {
                Ok(Choices::Engine(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Choices, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Choices::Listed)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Choices, A::Error> {
                let mut words = Vec::new();
                while let Some((word, ChoiceSettings)) = map.next_entry()? {
                    words.push(word);
                }
                Ok(Choices::Tables(words))
            }
        }
        deserializer.deserialize_any(ChoicesVisitor)
    }
}

/// The settings of one word of a table of choices. They are paths, which are looked up once the whole file has been read.
struct ChoiceSettings;

impl<'de> Deserialize<'de> for ChoiceSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ChoiceSettings, D::Error> {
        struct SettingsVisitor;

        impl<'de> Visitor<'de> for SettingsVisitor {
            type Value = ChoiceSettings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of settings, such as `{ tcp.window = 20 }`")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ChoiceSettings, A::Error> {
                IgnoredAny.visit_map(map).map(|_| ChoiceSettings)
            }
        }
        deserializer.deserialize_map(SettingsVisitor)
    }
}

impl JsonSchema for Choices {
    fn schema_name() -> Cow<'static, str> {
        "Choices".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let settings = json!({ "type": "object", "additionalProperties": { "type": "object" } });
        json_schema!({ "anyOf": [generator.subschema_for::<Vec<Scalar>>(), { "type": "string" }, settings] })
    }
}

/// The unit and range of a parameter. Values here are literal, not expressions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Declaration {
    /// The path of the setting that the parameter is another name for, or a list of such paths; unit, range and help
    /// follow from the first one.
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "OneOrMore")]
    pub sets: Vec<String>,
    /// Unit of the values: `bit/s`, `s`, `byte`, `m`, `dB`, `dBm`, `fraction`, `count`, `packet`, `segment` or `number`; none for words and flags.
    pub unit: Option<String>,
    /// Value of the parameter unless it is set. A parameter without a default must be set, unless it is `optional`.
    pub default: Option<Scalar>,
    /// The least value allowed.
    pub min: Option<Scalar>,
    /// The largest value allowed.
    pub max: Option<Scalar>,
    /// The only values allowed: a list, the name of a built-in one (`tcp`, `profile`, `recovery`, `restart`, `connection`,
    /// `handshake`, `queue` or `phy`), or a table that has for each word the settings that it stands for, by path.
    pub choices: Option<Choices>,
    /// Words allowed in place of a number.
    pub words: Option<Vec<String>>,
    /// The value must be a multiple of this.
    pub multiple_of: Option<Scalar>,
    /// Whether the parameter may be left unset: then it is `none` in expressions, and a key set to it counts as missing.
    pub optional: Option<bool>,
    /// Effect of the parameter, in one sentence.
    pub help: Option<String>,
}

/// `Deserialize` is not derived, because a path, or a list of paths, may stand in place of the table.
impl<'de> Deserialize<'de> for Declaration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Declaration, D::Error> {
        struct DeclarationVisitor;

        impl<'de> Visitor<'de> for DeclarationVisitor {
            type Value = Declaration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, or the path of a setting")
            }
            fn visit_str<E: Error>(self, path: &str) -> Result<Declaration, E> {
                Ok(Declaration { sets: vec![path.to_owned()], ..Declaration::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, paths: A) -> Result<Declaration, A::Error> {
                let sets = Vec::deserialize(SeqAccessDeserializer::new(paths))?;
                Ok(Declaration { sets, ..Declaration::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Declaration, A::Error> {
                Declaration::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(DeclarationVisitor)
    }
}

/// One path or several, for the JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only describes")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct OneOrMoreVisitor;

    impl<'de> Visitor<'de> for OneOrMoreVisitor {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the path of a setting, or a list of them")
        }
        fn visit_str<E: Error>(self, path: &str) -> Result<Vec<String>, E> {
            Ok(vec![path.to_owned()])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, paths: A) -> Result<Vec<String>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(paths))
        }
    }
    deserializer.deserialize_any(OneOrMoreVisitor)
}

/// Returns the JSON Schema of `[parameters]`: tables, and paths in place of them.
pub fn declarations(generator: &mut SchemaGenerator) -> Schema {
    let declaration = generator.subschema_for::<Declaration>();
    let path = generator.subschema_for::<OneOrMore>();
    json_schema!({ "type": "object", "additionalProperties": { "anyOf": [declaration, path] } })
}
