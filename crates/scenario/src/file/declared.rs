//! Tables whose keys a component declares: the declaration is used to read them, and to describe them to editors.

use std::collections::BTreeMap;
use std::fmt;

use airfair_core::schema::{Described, Kind, Parameter, Setting, Words};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use serde_json::{Map, Value, json};

use crate::value::{
    CountValue, FlagValue, FractionValue, LengthValue, LevelValue, NumberValue, PowerValue, RateValue,
    Scalar, SizeValue, TimeValue, Value as Raw, WordValue,
};

/// The settings that a table gives, in the order of the table.
pub type Given = Vec<(&'static Setting, Scalar)>;

/// A key of a table: a declared setting, or one of the table's own keys.
pub enum Key {
    Declared(&'static Setting),
    Own(&'static str),
}

/// The keys that a table may have. As a `DeserializeSeed` they read one key; an unknown key fails as a derived `Deserialize` would.
#[derive(Clone, Copy)]
pub struct Keys {
    pub declared: &'static [&'static [Setting]],
    pub own: &'static [&'static str],
}

impl Keys {
    /// Returns the settings that files may set.
    pub fn settable(self) -> impl Iterator<Item = &'static Setting> {
        self.declared.iter().copied().flatten().filter(|setting| setting.settable)
    }

    fn find(self, key: &str) -> Option<Key> {
        let own = || self.own.iter().copied().find(|own| *own == key).map(Key::Own);
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

/// Returns the schema of a value of this kind.
pub fn property(kind: Kind, help: &str, generator: &mut SchemaGenerator) -> Value {
    fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }
    let mut schema = match kind {
        Kind::Number(_) | Kind::Segments(_) => of::<NumberValue>(generator),
        Kind::Fraction => of::<FractionValue>(generator),
        Kind::Count(..) => of::<CountValue>(generator),
        Kind::Time(_) => of::<TimeValue>(generator),
        Kind::Bytes(_) => of::<SizeValue>(generator),
        Kind::Rate => of::<RateValue>(generator),
        Kind::Length(_) => of::<LengthValue>(generator),
        Kind::Level(_) => of::<LevelValue>(generator),
        Kind::Power(_) => of::<PowerValue>(generator),
        Kind::Word(_) => of::<WordValue>(generator),
        Kind::Flag => of::<FlagValue>(generator),
    };
    schema["description"] = json!(help);
    if let Kind::Word(words) = kind {
        offer(&mut schema, words);
    }
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

/// Returns the schema of a declared setting.
pub fn described(setting: &Setting, generator: &mut SchemaGenerator) -> Value {
    let (help, allowed) = (setting.help, setting.kind.allowed());
    let defaults = setting.defaults();
    let default = defaults.as_ref().map(|defaults| format!("; {defaults}")).unwrap_or_default();
    let mut schema = property(setting.kind, &format!("{help} ({allowed}{default})"), generator);
    schema["help"] = json!(help);
    if let Some(defaults) = defaults {
        schema["defaults"] = json!(defaults);
    }
    schema
}

/// Adds the words that a key allows to its schema: as examples, which editors offer, and with their meanings where these are declared.
fn offer(schema: &mut Value, words: Words) {
    schema["examples"] = json!(&*words);
    let meanings: Map<String, Value> =
        words.meanings().map(|(word, told)| (word.to_owned(), json!(told))).collect();
    if !meanings.is_empty() {
        schema["words"] = json!(meanings);
    }
}

/// Returns the schema of a table's own key, one of `words`, from the schema of its type.
pub fn word(mut schema: Value, help: &str, words: Words) -> Value {
    schema["description"] = json!(format!("{help} ({})", Kind::Word(words).allowed()));
    schema["help"] = json!(help);
    offer(&mut schema, words);
    schema
}

/// Returns the schema of a table with the parameters of one of `parts`, which is chosen by name. The schema allows the parameters of
/// all parts: which of them go together depends on the chosen one. `parts` of a parameter's schema has its help in each part.
/// `own` are the other keys of the table, with their help and their words.
pub fn part_schema<D: Described>(
    description: &str,
    own: &[(&str, &str, Words)],
    parts: &'static [D],
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut declared: BTreeMap<&str, (Kind, Map<String, Value>)> = BTreeMap::new();
    for part in parts {
        for Parameter { name, kind, help, .. } in part.parameters() {
            let (_, helps) = declared.entry(name).or_insert((*kind, Map::new()));
            helps.insert(part.name().to_owned(), json!(format!("{help} ({})", kind.allowed())));
        }
    }
    let mut properties = Map::new();
    for (name, help, words) in own {
        let schema = generator.subschema_for::<WordValue>().to_value();
        properties.insert((*name).to_owned(), word(schema, help, *words));
    }
    for (name, (kind, helps)) in declared {
        let told =
            helps.iter().map(|(part, help)| format!("`{part}`: {}", help.as_str().unwrap_or_default()));
        let mut schema = property(kind, &told.collect::<Vec<_>>().join("; "), generator);
        schema["parts"] = json!(helps);
        properties.insert(name.to_owned(), schema);
    }
    table_schema(description, properties)
}

/// Returns the schema of a table with these keys.
pub fn table_schema(description: &str, properties: Map<String, Value>) -> Schema {
    json_schema!({
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": false
    })
}

/// A type that a table's own key may have.
pub trait OwnKey: Sized {
    /// Returns the value of a key that is missing; `None` if the key is required.
    fn missing() -> Option<Self>;
}

impl<T> OwnKey for Option<T> {
    fn missing() -> Option<Option<T>> {
        Some(None)
    }
}

impl<T> OwnKey for Vec<T> {
    fn missing() -> Option<Vec<T>> {
        Some(Vec::new())
    }
}

impl<K> OwnKey for Raw<K> {
    fn missing() -> Option<Raw<K>> {
        None
    }
}

/// Declares a table of scenario files: the settings that components declare, as `given`, and the table's own keys. A key may have
/// a former name in parentheses, and after its type a least value for editors, or the words that it allows.
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $(#[$meta:meta])*
        pub struct $Name:ident [$($declared:expr),* $(,)?] {
            $(
                $(#[doc = $help:literal])+
                $key:ident $(($former:ident))?: $Type:ty $(where minimum $least:literal)? $(where words $words:expr)?,
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $(#[$meta])*
        pub struct $Name {
            /// The declared settings that the file gives.
            pub given: $crate::file::declared::Given,
            $($(#[doc = $help])+ pub $key: $Type,)*
        }

        impl $Name {
            /// The keys of the table.
            pub const KEYS: $crate::file::declared::Keys = $crate::file::declared::Keys {
                declared: &[$($declared),*],
                own: &[$(stringify!($key), $(stringify!($former),)?)*],
            };
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$Name, D::Error> {
                struct TableVisitor;

                impl<'de> serde::de::Visitor<'de> for TableVisitor {
                    type Value = $Name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a table: ", $($about),+))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$Name, A::Error> {
                        let mut given = $crate::file::declared::Given::new();
                        $(let mut $key: Option<$Type> = None;)*
                        while let Some(key) = map.next_key_seed($Name::KEYS)? {
                            match key {
                                $crate::file::declared::Key::Declared(setting) => given.push((setting, map.next_value()?)),
                                $($crate::file::declared::Key::Own(stringify!($key) $(| stringify!($former))?) => {
                                    if $key.replace(map.next_value()?).is_some() {
                                        return Err(serde::de::Error::duplicate_field(stringify!($key)));
                                    }
                                })*
                                $crate::file::declared::Key::Own(other) => unreachable!("{other} is not a key of the table"),
                            }
                        }
                        $(let $key = $key.or_else($crate::file::declared::OwnKey::missing);)*
                        Ok($Name {
                            given,
                            $($key: $key.ok_or_else(|| serde::de::Error::missing_field(stringify!($key)))?,)*
                        })
                    }
                }
                deserializer.deserialize_map(TableVisitor)
            }
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut properties = serde_json::Map::new();
                let required: [Option<&str>; _] = [$(
                    <$Type as $crate::file::declared::OwnKey>::missing().is_none().then_some(stringify!($key)),
                )*];
                let required: Vec<&str> = required.into_iter().flatten().collect();
                $({
                    let help = concat!($($help),+).trim_ascii();
                    let mut property = generator.subschema_for::<$Type>().to_value();
                    property["description"] = help.into();
                    $(property["minimum"] = $least.into();)?
                    $(property = $crate::file::declared::word(property, help, $words);)?
                    properties.insert(stringify!($key).to_owned(), property);
                })*
                for setting in $Name::KEYS.settable() {
                    let property = $crate::file::declared::described(setting, generator);
                    properties.insert(setting.key.to_owned(), property);
                }
                let about = concat!($($about),+).trim_ascii();
                let mut schema = $crate::file::declared::table_schema(about, properties);
                if !required.is_empty() {
                    schema.insert("required".to_owned(), required.into());
                }
                schema
            }
        }
    };
}

pub(super) use table;
