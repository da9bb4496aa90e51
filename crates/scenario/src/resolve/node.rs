//! Nodes and their names.

use std::collections::BTreeMap;

use crate::file::NodeGroup;
use crate::problem::{Located, Problem, Result, unknown};
use crate::resolve::group;
use crate::resolved::Node;
use crate::scope::Scope;
use crate::value::NameValue;

/// The nodes declared so far: hosts first, then each WLAN's access point and stations.
#[derive(Default)]
pub struct Nodes {
    list: Vec<Node>,
    index: BTreeMap<String, usize>,
}

impl Nodes {
    /// Declares the node whose name is under `key`, and returns its index.
    pub fn add(&mut self, scope: &Scope, name: &NameValue, key: &str) -> Result<usize> {
        let name = scope.required(name, key)?;
        group::not_too_many(self.list.len() + 1, "nodes").at(key)?;
        let index = self.list.len();
        if self.index.insert(name.clone(), index).is_some() {
            let hint = "names are unique; in a group write the index into them, as in `sta{i}`";
            return Err(Problem::new(format!("there is a node `{name}` already: {hint}")).at(key));
        }
        self.list.push(Node { name });
        Ok(index)
    }

    /// Returns the index of the node that the value under `key` names.
    pub fn find(&self, scope: &Scope, name: &NameValue, key: &str) -> Result<usize> {
        let name = scope.required(name, key)?;
        let known = self.list.iter().map(|node| node.name.as_str());
        self.index.get(&name).copied().ok_or_else(|| unknown("node", &name, known).at(key))
    }

    /// Returns the name of a node.
    pub fn name(&self, index: usize) -> &str {
        &self.list[index].name
    }

    /// Returns the nodes, in the order of declaration.
    pub fn into_list(self) -> Vec<Node> {
        self.list
    }
}

/// Declares the wired hosts and routers.
pub fn declare(groups: &[NodeGroup], scope: &Scope, nodes: &mut Nodes) -> Result<()> {
    for (number, raw) in groups.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            nodes.add(scope, &raw.name, "name").map(|_| ())
        })
        .at_entry("node", number)?;
    }
    Ok(())
}
