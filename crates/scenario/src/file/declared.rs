//! Tables whose keys a component declares: read, and described to editors, from the declaration.

use std::collections::BTreeMap;
use std::fmt;

use airfair_core::schema::{Kind, Setting};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use serde_json::{Map, Value, json};

use crate::value::{CountValue, FlagValue, NumberValue, Scalar, SizeValue, TimeValue, WordValue};

/// The settings that a table gives, in its order.
pub type Given = Vec<(&'static Setting, Scalar)>;

/// A key of a table: a declared setting, or one of the table's own keys.
pub enum Key {
    Declared(&'static Setting),
    Own,
}

/// The keys that a table may have; reads one of them. An unknown key fails as a derived `Deserialize` would.
#[derive(Clone, Copy)]
pub struct Keys {
    pub declared: &'static [&'static [Setting]],
    pub own: &'static [&'static str],
}

impl Keys {
    /// The settings that files may set.
    pub fn settable(self) -> impl Iterator<Item = &'static Setting> {
        self.declared.iter().copied().flatten().filter(|setting| setting.settable)
    }

    fn find(self, key: &str) -> Option<Key> {
        let own = || self.own.contains(&key).then_some(Key::Own);
        self.settable().find(|setting| setting.key == key).map(Key::Declared).or_else(own)
    }
}

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Keys {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
        self.find(key).ok_or_else(|| {
            let known = self.settable().map(|setting| setting.key).chain(self.own.iter().copied());
            let known: Vec<String> = known.map(|key| format!("`{key}`")).collect();
            E::custom(format!("unknown field `{key}`, expected one of {}", known.join(", ")))
        })
    }
}

/// The schema of a value of this kind.
pub fn property(kind: Kind, help: &str, generator: &mut SchemaGenerator) -> Value {
    fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
    let mut schema = match kind {
        Kind::Number(_) | Kind::Segments(_) => of::<NumberValue>(generator),
        Kind::Count(..) => of::<CountValue>(generator),
        Kind::Time(_) => of::<TimeValue>(generator),
        Kind::Bytes(_) => of::<SizeValue>(generator),
        Kind::Word(_) => of::<WordValue>(generator),
        Kind::Flag => of::<FlagValue>(generator),
    };
    schema["description"] = json!(help);
    if let Kind::Segments(range) | Kind::Count(range, _) | Kind::Bytes(range) = kind {
        let (low, high) = range.ends();
        if let Some(low) = low.filter(|low| *low > 0.0) {
            schema["minimum"] = json!(low);
        }
        if let Some(high) = high {
            schema["maximum"] = json!(high);
        }
    }
    if let Kind::Segments(_) | Kind::Count(_, "segments") = kind {
        schema["unit"] = json!("segment");
    }
    if let Kind::Count(_, "segments") = kind {
        schema["multipleOf"] = json!(1);
    }
    schema
}

/// A parameter of the part of this name.
pub struct PartParameter {
    pub part: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

/// The schema of a table with the parameters of a part that is chosen by name; which of them go together depends on the part.
/// `words` are the other keys of the table, with their help.
pub fn part_schema(
    description: &str,
    words: &[(&str, String)],
    parameters: impl Iterator<Item = PartParameter>,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut declared: BTreeMap<&str, (Kind, Vec<String>)> = BTreeMap::new();
    for PartParameter { part, name, kind, help } in parameters {
        let (_, helps) = declared.entry(name).or_insert((kind, Vec::new()));
        helps.push(format!("`{part}`: {help} ({})", kind.allowed()));
    }
    let mut properties = Map::new();
    for (name, help) in words {
        properties.insert((*name).to_owned(), property(Kind::Word(&[]), help, generator));
    }
    for (name, (kind, helps)) in declared {
        properties.insert(name.to_owned(), property(kind, &helps.join("; "), generator));
    }
    table_schema(description, properties)
}

/// The schema of a table with these keys.
pub fn table_schema(description: &str, properties: Map<String, Value>) -> Schema {
    json_schema!({
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": false
    })
}
