//! The format of scenario files as a tree of tables, lists and settings.
//!
//! The tree follows from the JSON Schema of the format, so a key that the format gains has a path at once.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::declaration::unit_named;
use crate::engine_lists::LISTS;
use crate::file::File;
use crate::problem::Step;

/// A part of the format.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One value.
    Setting(Setting),
    /// A table, with its keys.
    Table(Arc<Keys>),
    /// A list of tables.
    List(Arc<Shape>),
}

/// The keys of a table, in the order of their names.
#[derive(Debug)]
pub struct Keys(Box<[Child]>);

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its name in paths.
    pub name: &'static str,
    /// Where it is in the file, from the table on: mostly just the key.
    pub keys: Vec<&'static str>,
    /// The keys or the value there.
    pub shape: Shape,
}

impl Keys {
    /// The key of this name.
    pub fn get(&self, name: &str) -> Option<&Child> {
        self.0.binary_search_by_key(&name, |child| child.name).ok().map(|found| &self.0[found])
    }

    /// All keys.
    pub fn iter(&self) -> impl Iterator<Item = &Child> {
        self.0.iter()
    }
}

impl FromIterator<Child> for Keys {
    fn from_iter<I: IntoIterator<Item = Child>>(children: I) -> Keys {
        let mut children: Vec<Child> = children.into_iter().collect();
        children.sort_unstable_by_key(|child| child.name);
        Keys(children.into())
    }
}

/// One value of a scenario file.
#[derive(Clone, Debug, Default)]
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
    let schema = schema();
    let mut shapes = Shapes { schema: &schema, tables: BTreeMap::new() };
    let keys = shapes.keys(&schema, |key| key != "parameters");
    Format { file: Shape::Table(Arc::new(keys)), access_point: access_point(&shapes.tables["Wlan"]) }
});

fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}

/// A setting as the format declares it.
#[derive(Debug)]
pub struct Help {
    /// Its effect, its allowed values and its defaults.
    pub whole: String,
    /// Its effect alone.
    pub effect: String,
    /// Its defaults, where it declares any.
    pub defaults: Option<String>,
}

/// The help of the setting at `steps`. The texts are long, and only descriptions need them.
pub fn help(steps: &[Step]) -> Help {
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema);
    let inside = |part: &'static Value, step: &Step| {
        let (_, found) = dereferenced(part, &SCHEMA);
        match step {
            Step::Key(key) => &found["properties"][key],
            Step::Index(_) => &found["items"],
        }
    };
    let part = steps.iter().fold(&*SCHEMA, inside);
    let text = |text: &Value| text.as_str().map(|text| text.replace('\n', " "));
    let whole = text(&part["description"]).or_else(|| text(&dereferenced(part, &SCHEMA).1["description"]));
    let whole = whole.unwrap_or_default();
    Help {
        effect: text(&part["help"]).unwrap_or_else(|| whole.clone()),
        whole,
        defaults: text(&part["defaults"]),
    }
}

/// `node.ap.queue.*`: the keys of a WLAN's table that concern the access point alone, under the names that other nodes use.
fn access_point(wlan: &Shape) -> Shape {
    let Shape::Table(wlan) = wlan else { unreachable!("a WLAN is a table") };
    let key = |name, key| Some(Child { name, keys: vec![key], shape: wlan.get(key)?.shape.clone() });
    let discipline = match wlan.get("ap_discipline").map(|child| &child.shape) {
        Some(Shape::Table(discipline)) => discipline.iter().collect(),
        _ => Vec::new(),
    };
    let parameter = |child: &Child| {
        let keys = ["ap_discipline"].iter().chain(&child.keys).copied().collect();
        Child { keys, ..child.clone() }
    };
    let queue = discipline.into_iter().map(parameter).chain(key("length", "ap_queue")).collect();
    let queue = Child { name: "queue", keys: Vec::new(), shape: Shape::Table(Arc::new(queue)) };
    let keys = [("data_rate", "ap_data_rate"), ("policer", "policer"), ("window_control", "window_control")];
    let others = keys.into_iter().filter_map(|(name, at)| key(name, at));
    Shape::Table(Arc::new(others.chain([queue]).collect()))
}

/// The shapes of a schema; those of the tables that it names are made once.
struct Shapes<'a> {
    schema: &'a Value,
    tables: BTreeMap<&'a str, Shape>,
}

impl<'a> Shapes<'a> {
    fn keys(&mut self, table: &'a Value, wanted: impl Fn(&str) -> bool) -> Keys {
        let properties = table["properties"].as_object().into_iter().flatten();
        let child = |(key, part): (&String, &'a Value)| {
            // As few as the format has keys, and they last as long as the program.
            let name: &'static str = key.clone().leak();
            let mut shape = self.shape(part);
            if let Shape::Setting(setting) = &mut shape
                && part["$ref"] == "#/$defs/WordKind"
            {
                setting.words = built_in(key);
            }
            Child { name, keys: vec![name], shape }
        };
        properties.filter(|(key, _)| wanted(key)).map(child).collect()
    }

    fn shape(&mut self, part: &'a Value) -> Shape {
        let (name, found) = dereferenced(part, self.schema);
        if let Some(known) = name.and_then(|name| self.tables.get(name)) {
            return known.clone();
        }
        if found["properties"].is_object() {
            let table = Shape::Table(Arc::new(self.keys(found, |_| true)));
            self.tables.extend(name.map(|name| (name, table.clone())));
            return table;
        }
        let is_list = found["type"] == "array" || includes(&found["type"], "array");
        if is_list && dereferenced(&found["items"], self.schema).1["properties"].is_object() {
            return Shape::List(Arc::new(self.shape(&found["items"])));
        }
        Shape::Setting(Setting {
            unit: part["unit"].as_str().or(found["unit"].as_str()).and_then(unit_named),
            flag: includes(&found["type"], "boolean"),
            number: includes(&found["type"], "number") || includes(&found["type"], "integer"),
            list: is_list,
            words: None,
            min: part["minimum"].as_f64(),
            max: part["maximum"].as_f64(),
            multiple_of: part["multipleOf"].as_f64(),
        })
    }
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

/// The schema that a reference, or an optional part, stands for, and its name.
fn dereferenced<'a>(part: &'a Value, schema: &'a Value) -> (Option<&'a str>, &'a Value) {
    let optional = part["anyOf"].as_array().and_then(|parts| parts.iter().find(|one| one["type"] != "null"));
    let part = optional.unwrap_or(part);
    match part["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        Some(name) => {
            let (inner, found) = dereferenced(&schema["$defs"][name], schema);
            (inner.or(Some(name)), found)
        }
        None => (None, part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting<'a>(shape: &'a Shape, path: &str) -> &'a Setting {
        let found = path.split('.').fold(shape, |shape, key| match shape {
            Shape::Table(keys) => &keys.get(key).expect(path).shape,
            Shape::List(entry) => match entry.as_ref() {
                Shape::Table(keys) => &keys.get(key).expect(path).shape,
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
