//! The format's own list of its keys: a setting that is added to it has to be moved by some scenario.

use super::leaf::Step;
use serde_json::Value;

/// The JSON Schema of scenario files.
#[derive(Debug)]
pub struct Schema(Value);

/// A node of the schema, and the name of the definition that it is or is part of.
#[derive(Clone, Copy)]
struct Node<'a> {
    definition: &'a str,
    node: &'a Value,
}

/// Where a leaf stands in the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// As in `Wlan.host_delay`.
    pub name: String,
    /// The definition of the values allowed there, as in `TimeKind`.
    pub kind: &'a str,
}

impl Place<'_> {
    /// Whether something gets its name there, by which it is called elsewhere.
    pub fn gives_a_name(&self) -> bool {
        self.kind == "NameKind" && (self.name.ends_with(".name") || self.name.ends_with(".ap"))
    }
}

const ROOT: &str = "File";

impl Schema {
    /// As editors get it.
    pub fn read() -> Schema {
        Schema(serde_json::from_str(&airfair_scenario::json_schema()).expect("the schema is JSON"))
    }

    /// Where a leaf stands in the format.
    pub fn place(&self, path: &[Step]) -> Place<'_> {
        let mut at = Node { definition: ROOT, node: &self.0 };
        let mut name = String::new();
        for step in path {
            let next = match step {
                Step::Index(_) => &at.node["items"],
                Step::Key(key) => match at.node["properties"].get(key) {
                    Some(property) => {
                        name = format!("{}.{key}", at.definition);
                        property
                    }
                    None => &at.node["additionalProperties"],
                },
            };
            at = self.resolved(Node { node: next, ..at });
        }
        Place { name, kind: at.definition }
    }

    /// Every place where a leaf may stand.
    pub fn leaves(&self) -> Vec<String> {
        let definitions = self.0["$defs"].as_object().expect("the schema has definitions");
        let root = Node { definition: ROOT, node: &self.0 };
        let all = definitions.iter().map(|(definition, node)| Node { definition, node });
        all.chain([root]).flat_map(|at| self.leaves_of(at)).collect()
    }

    fn leaves_of(&self, at: Node) -> Vec<String> {
        let properties = at.node["properties"].as_object().into_iter().flatten();
        let leaves = properties.filter(|(_, node)| !self.holds_tables(Node { node, ..at }));
        leaves.map(|(key, _)| format!("{}.{key}", at.definition)).collect()
    }

    fn holds_tables(&self, at: Node) -> bool {
        let at = self.resolved(at);
        let table = |node: &Value| node["properties"].is_object() || node["additionalProperties"].is_object();
        table(at.node)
            || at.node.get("items").is_some_and(|node| table(self.resolved(Node { node, ..at }).node))
    }

    /// Follows references, and steps into optional values.
    fn resolved<'a>(&'a self, at: Node<'a>) -> Node<'a> {
        if let Some(reference) = at.node["$ref"].as_str() {
            let definition = reference.rsplit('/').next().expect("a reference has a name");
            return self.resolved(Node { definition, node: &self.0["$defs"][definition] });
        }
        match at.node["anyOf"].as_array() {
            Some(one_of) => self.resolved(Node { node: &one_of[0], ..at }),
            None => at,
        }
    }
}
