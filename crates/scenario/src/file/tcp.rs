//! Settings of a TCP connection: the keys that `airfair-tcp` declares, and those that choose among its declarations.

use std::borrow::Cow;
use std::fmt;

use airfair_core::schema::{Kind, Setting, Settings as _};
use airfair_tcp::profile::NAMES;
use airfair_tcp::{Profile, Settings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Map;

use crate::file::Control;
use crate::file::declared::{Given, Key, Keys, property, table_schema};
use crate::resolved::Connection;

/// Settings of both ends of a TCP connection; each has the profile's value unless it is set.
#[derive(Clone, Debug, Default)]
pub struct Tcp {
    pub given: Given,
    pub control: Option<Control>,
}

const CHOICES: [Setting; 3] = [
    Setting {
        key: "profile",
        kind: Kind::Word(Profile::WORDS),
        help: "The column of defaults (`rfc`).",
        settable: true,
    },
    Setting {
        key: "variant",
        kind: Kind::Word(NAMES),
        help: "The congestion control with its usual loss recovery (`newreno`).",
        settable: true,
    },
    Setting {
        key: "connection",
        kind: Kind::Word(Connection::WORDS),
        help: "How sessions share connections (`reuse`).",
        settable: true,
    },
];

/// The keys of the table.
pub const KEYS: Keys = Keys { declared: &[&CHOICES, Settings::TABLE], own: &["control"] };

impl<'de> Deserialize<'de> for Tcp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tcp, D::Error> {
        struct TcpVisitor;

        impl<'de> Visitor<'de> for TcpVisitor {
            type Value = Tcp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of TCP settings")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tcp, A::Error> {
                let mut tcp = Tcp::default();
                while let Some(key) = map.next_key_seed(KEYS)? {
                    match key {
                        Key::Declared(setting) => tcp.given.push((setting, map.next_value()?)),
                        Key::Own => tcp.control = Some(map.next_value()?),
                    }
                }
                Ok(tcp)
            }
        }
        deserializer.deserialize_map(TcpVisitor)
    }
}

impl JsonSchema for Tcp {
    fn schema_name() -> Cow<'static, str> {
        "Tcp".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let columns = Profile::ALL.map(|profile| Settings::column(profile as usize));
        let default = |setting: &Setting| {
            let values = columns.each_ref().map(|column| column.get(setting.key));
            match values {
                [Some(ns2), Some(rfc), Some(linux)] if ns2 == rfc && rfc == linux => format!("default {rfc}"),
                [Some(ns2), Some(rfc), Some(linux)] => format!("`ns2` {ns2}, `rfc` {rfc}, `linux` {linux}"),
                _ => "see above".to_owned(),
            }
        };
        let mut properties = Map::new();
        for setting in KEYS.settable() {
            let help = format!("{} ({}; {})", setting.help, setting.kind.allowed(), default(setting));
            properties.insert(setting.key.to_owned(), property(setting.kind, &help, generator));
        }
        properties.insert("control".to_owned(), generator.subschema_for::<Control>().to_value());
        let description =
            "Settings of both ends of a TCP connection; each has the profile's value unless it is set.";
        table_schema(description, properties)
    }
}
