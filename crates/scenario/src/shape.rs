//! The format of scenario files as a tree of tables, lists and settings.
//!
//! The tree follows from the JSON Schema of the format, so a key that the format gains has a path at once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::engine_lists::LISTS;
use crate::file::File;

/// A part of the format.
#[derive(Debug)]
pub enum Shape {
    /// One value.
    Setting(Setting),
    /// A table, with its keys.
    Table(BTreeMap<String, Child>),
    /// A list of tables.
    List(Box<Shape>),
}

/// A key of a table.
#[derive(Debug)]
pub struct Child {
    /// Where it is in the file, from the table on: mostly just the key.
    pub keys: Vec<&'static str>,
    /// The keys or the value there.
    pub shape: Shape,
}

/// One value of a scenario file.
#[derive(Debug, Default)]
pub struct Setting {
    /// As in the declaration of a parameter; none for words and flags.
    pub unit: Option<&'static str>,
    /// It may be `true` or `false`.
    pub flag: bool,
    /// It may be a bare number.
    pub number: bool,
    /// It is a list of words.
    pub list: bool,
    /// The built-in list that its words are in.
    pub words: Option<&'static str>,
    /// The least value, in SI.
    pub min: Option<f64>,
    /// The largest value, in SI.
    pub max: Option<f64>,
    /// Its value is a multiple of this, in SI.
    pub multiple_of: Option<f64>,
    /// Its effect, in one sentence.
    pub help: String,
}

/// The format, and an access point's part of its WLAN seen as a node.
#[derive(Debug)]
pub struct Format {
    /// A whole file.
    pub file: Shape,
    /// An access point, from the table of its WLAN on.
    pub access_point: Shape,
}

/// The format of scenario files. Declarations of parameters are left out: they cannot be set.
pub static FORMAT: LazyLock<Format> = LazyLock::new(|| {
    let schema: &'static Value = Box::leak(Box::new(schemars::schema_for!(File).to_value()));
    let mut file = shape(schema, schema);
    if let Shape::Table(keys) = &mut file {
        keys.remove("parameters");
    }
    let wlan = || shape(&schema["$defs"]["Wlan"], schema);
    Format { file, access_point: access_point(wlan()) }
});

/// `node.ap.queue.*`: the keys of a WLAN's table that concern the access point alone, under the names that other nodes use.
fn access_point(wlan: Shape) -> Shape {
    let Shape::Table(mut keys) = wlan else { unreachable!("a WLAN is a table") };
    let mut take = |key: &str| keys.remove(key).map(|child| child.shape);
    let mut queue = BTreeMap::new();
    if let Some(Shape::Table(discipline)) = take("ap_discipline") {
        for (key, child) in discipline {
            let keys = ["ap_discipline"].into_iter().chain(child.keys).collect();
            queue.insert(key, Child { keys, shape: child.shape });
        }
    }
    queue
        .extend(take("ap_queue").map(|shape| ("length".to_owned(), Child { keys: vec!["ap_queue"], shape })));
    let mut node =
        BTreeMap::from([("queue".to_owned(), Child { keys: Vec::new(), shape: Shape::Table(queue) })]);
    for (name, key) in
        [("data_rate", "ap_data_rate"), ("policer", "policer"), ("window_control", "window_control")]
    {
        node.extend(take(key).map(|shape| (name.to_owned(), Child { keys: vec![key], shape })));
    }
    Shape::Table(node)
}

fn shape(part: &'static Value, schema: &'static Value) -> Shape {
    let help = part["description"].as_str();
    let found = dereferenced(part, schema);
    if let Some(properties) = found["properties"].as_object() {
        let child = |(key, part)| {
            let keys = vec![String::as_str(key)];
            let mut shape = shape(part, schema);
            if let Shape::Setting(setting) = &mut shape
                && part["$ref"] == "#/$defs/WordKind"
            {
                setting.words = built_in(key);
            }
            (String::clone(key), Child { keys, shape })
        };
        return Shape::Table(properties.iter().map(child).collect());
    }
    let is_list = found["type"] == "array" || includes(&found["type"], "array");
    if is_list && dereferenced(&found["items"], schema)["properties"].is_object() {
        return Shape::List(Box::new(shape(&found["items"], schema)));
    }
    Shape::Setting(Setting {
        unit: part["unit"].as_str().or(found["unit"].as_str()),
        flag: includes(&found["type"], "boolean"),
        number: includes(&found["type"], "number") || includes(&found["type"], "integer"),
        list: is_list,
        words: None,
        min: part["minimum"].as_f64(),
        max: part["maximum"].as_f64(),
        multiple_of: part["multipleOf"].as_f64(),
        help: help.or(found["description"].as_str()).unwrap_or_default().replace('\n', " "),
    })
}

/// The built-in list of the words that a key allows, where there is one.
fn built_in(key: &str) -> Option<&'static str> {
    let name = match key {
        "variant" => "tcp",
        "kind" => "queue",
        key => key,
    };
    LISTS.into_iter().find(|list| *list == name)
}

fn includes(types: &Value, name: &str) -> bool {
    types.as_array().is_some_and(|types| types.iter().any(|one| one == name))
}

/// The schema that a reference, or an optional part, stands for.
fn dereferenced(part: &'static Value, schema: &'static Value) -> &'static Value {
    let optional = part["anyOf"].as_array().and_then(|parts| parts.iter().find(|one| one["type"] != "null"));
    let part = optional.unwrap_or(part);
    match part["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        Some(name) => dereferenced(&schema["$defs"][name], schema),
        None => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting<'a>(shape: &'a Shape, path: &str) -> &'a Setting {
        let found = path.split('.').fold(shape, |shape, key| match shape {
            Shape::Table(keys) => &keys[key].shape,
            Shape::List(entry) => match entry.as_ref() {
                Shape::Table(keys) => &keys[key].shape,
                other => panic!("{other:?}"),
            },
            other => panic!("{path}: {other:?}"),
        });
        match found {
            Shape::Setting(setting) => setting,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn settings_know_their_unit() {
        for (path, unit) in [
            ("run.duration", Some("s")),
            ("link.rate", Some("bit/s")),
            ("link.queue", Some("packet")),
            ("link.loss.probability", Some("fraction")),
            ("wlan.rts_threshold", Some("byte")),
            ("wlan.phy", None),
            ("flow.tcp.control.cwnd", Some("segment")),
            ("tcp.window", Some("segment")),
            ("tcp.timestamps", None),
        ] {
            assert_eq!(setting(&FORMAT.file, path).unit, unit, "{path}");
        }
        assert!(setting(&FORMAT.file, "tcp.timestamps").flag);
        assert!(setting(&FORMAT.file, "run.metrics").list);
        assert_eq!(setting(&FORMAT.access_point, "queue.target").unit, Some("s"));
    }
}
