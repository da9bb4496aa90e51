//! The format of scenario files as a tree of tables, lists and settings.
//!
//! The tree is made from the JSON Schema of the format, so that a new key of the format has a path at once.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::declaration::unit_named;
use crate::engine_lists::list_of;
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
    /// Name of the key in paths.
    pub name: &'static str,
    /// Keys that lead to it in the file, from the table on: mostly just the key itself.
    pub keys: Vec<&'static str>,
    /// The part of the format at this key.
    pub shape: Shape,
}

impl Keys {
    /// Returns the key of this name.
    pub fn get(&self, name: &str) -> Option<&Child> {
        self.0.binary_search_by_key(&name, |child| child.name).ok().map(|found| &self.0[found])
    }

    /// Returns all keys.
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

/// A setting: one value of a scenario file.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Unit of the values as in the declaration of a parameter; none for words and flags.
    pub unit: Option<&'static str>,
    /// Whether the value may be `true` or `false`.
    pub flag: bool,
    /// Whether the value may be a bare number.
    pub number: bool,
    /// Whether the value is a list of words.
    pub list: bool,
    /// Name of the built-in list that has the setting's words.
    pub words: Option<&'static str>,
    /// The least value, in SI.
    pub min: Option<f64>,
    /// The largest value, in SI.
    pub max: Option<f64>,
    /// Step of the values in SI: each is a multiple of it.
    pub multiple_of: Option<f64>,
}

/// The format, and the part of a WLAN's table that is seen as the access point's node.
#[derive(Debug)]
pub struct Format {
    /// A whole file.
    pub file: Shape,
    /// The keys of an access point, starting from the table of its WLAN.
    pub access_point: Shape,
}

/// The format of scenario files, without the declarations of parameters, which cannot be set.
pub static FORMAT: LazyLock<Format> = LazyLock::new(|| {
    let schema = schema();
    let mut shapes = Shapes { schema: &schema, tables: BTreeMap::new() };
    let keys = shapes.keys(&schema, |key| key != "parameters");
    Format { file: Shape::Table(Arc::new(keys)), access_point: access_point(&shapes.tables["Wlan"]) }
});

/// Returns the shape of the part of a file at `steps`; `None` if the format has none there.
pub fn at(steps: &[Step]) -> Option<&'static Shape> {
    steps.iter().try_fold(&FORMAT.file, |shape, step| match (shape, step) {
        (Shape::Table(keys), Step::Key(key)) => keys.get(key).map(|child| &child.shape),
        (Shape::List(entry), Step::Index(_)) => Some(&**entry),
        _ => None,
    })
}

/// Returns whether files have a list of tables at this path, as at `wlan.station`.
pub fn is_list(path: &str) -> bool {
    let inside = |shape: &'static Shape, key: &str| {
        let of_one = if let Shape::List(entry) = shape { entry } else { shape };
        let Shape::Table(keys) = of_one else { return None };
        keys.get(key).map(|child| &child.shape)
    };
    matches!(path.split('.').try_fold(&FORMAT.file, inside), Some(Shape::List(_)))
}

fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}

/// The help of a setting, as the format declares it.
#[derive(Debug)]
pub struct Help {
    /// Effect, allowed values and defaults of the setting.
    pub whole: String,
    /// Effect of the setting alone.
    pub effect: String,
    /// Defaults of the setting, if it declares any.
    pub defaults: Option<String>,
}

/// Returns the help of the setting at `steps`. It is kept out of [`Setting`]: the texts are long, and only descriptions need them.
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

/// Returns the shape of `node.ap`: the keys of a WLAN's table that concern the access point alone, under the names that
/// other nodes use.
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

/// Makes shapes from a schema; that of a table to which it refers by name is made once.
struct Shapes<'a> {
    schema: &'a Value,
    tables: BTreeMap<&'a str, Shape>,
}

impl<'a> Shapes<'a> {
    fn keys(&mut self, table: &'a Value, wanted: impl Fn(&str) -> bool) -> Keys {
        let properties = table["properties"].as_object().into_iter().flatten();
        let child = |(key, part): (&String, &'a Value)| {
            // The leak is bounded by the number of keys of the format, and the names live as long as the program.
            let name: &'static str = key.clone().leak();
            let mut shape = self.shape(part);
            if let Shape::Setting(setting) = &mut shape
                && part["$ref"] == "#/$defs/WordKind"
            {
                setting.words = list_of(key);
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

fn includes(types: &Value, name: &str) -> bool {
    types.as_array().is_some_and(|types| types.iter().any(|one| one == name))
}

/// Returns the schema that a reference or an optional part stands for, and its name.
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
