//! Paths with the fewest hops, found once when a scenario is resolved.
//!
//! Every hop can be walked both ways, so a flow's path back is its path there, reversed. Of several paths with
//! equally many hops, the one whose nodes are met first is taken: neighbours are visited in the order in which links,
//! then WLANs, are declared.

use std::collections::VecDeque;

use crate::problem::{Located, Problem, Result};
use crate::resolved::{Flow, HopRef, Link, Node, Wlan};

const NOWHERE: usize = usize::MAX;

/// The neighbours of each node, each with the hop that leads there.
struct Graph {
    neighbours: Vec<Vec<(usize, HopRef)>>,
}

/// For every node the node before it on its path from `root`, with the hop between them.
struct Tree {
    root: usize,
    parents: Vec<(usize, HopRef)>,
}

/// Finds the paths of all flows in both directions. `groups` has the index of the entry of `flow` that each flow came from.
pub fn fill_in(
    flows: &mut [Flow],
    groups: &[usize],
    nodes: &[Node],
    links: &[Link],
    wlans: &[Wlan],
) -> Result<()> {
    let graph = Graph::new(nodes.len(), links, wlans);
    // Most flows start at a leaf, which has a single neighbour. A tree from that neighbour serves all leaves around
    // it. Flows are sorted by the root of their tree, so that one tree at a time is enough.
    let mut order: Vec<usize> = (0..flows.len()).collect();
    order.sort_by_key(|&flow| graph.exit(flows[flow].source).0);
    let mut tree: Option<Tree> = None;
    for index in order {
        let flow = &mut flows[index];
        let (root, first) = graph.exit(flow.source);
        let tree = match &mut tree {
            Some(tree) if tree.root == root => tree,
            other => other.insert(graph.tree(root)),
        };
        let path = if flow.sink == root { Some(Vec::new()) } else { tree.path_to(flow.sink) };
        let Some(path) = path else {
            let (from, to) = (&nodes[flow.source].name, &nodes[flow.sink].name);
            let message =
                format!("`{}`: no path of links and WLANs leads from `{from}` to `{to}`", flow.name);
            return Err(Problem::new(message)).at_entry("flow", groups[index]);
        };
        flow.forward = first.into_iter().chain(path).collect();
        flow.backward = flow.forward.iter().rev().copied().map(reversed).collect();
    }
    Ok(())
}

impl Graph {
    fn new(nodes: usize, links: &[Link], wlans: &[Wlan]) -> Graph {
        let mut neighbours = vec![Vec::new(); nodes];
        for (link, ends) in links.iter().enumerate() {
            neighbours[ends.a].push((ends.b, HopRef::Link { link, reverse: false }));
            neighbours[ends.b].push((ends.a, HopRef::Link { link, reverse: true }));
        }
        for (wlan, bss) in wlans.iter().enumerate() {
            let ap = bss.members[0];
            for (station, &node) in bss.members.iter().enumerate().skip(1) {
                neighbours[ap].push((node, HopRef::Wlan { wlan, from: 0, to: station }));
                neighbours[node].push((ap, HopRef::Wlan { wlan, from: station, to: 0 }));
            }
        }
        Graph { neighbours }
    }

    /// Returns the only neighbour of `source` with the hop to it; `source` itself if it has several neighbours or none.
    fn exit(&self, source: usize) -> (usize, Option<HopRef>) {
        match self.neighbours[source].as_slice() {
            [(only, hop)] => (*only, Some(*hop)),
            _ => (source, None),
        }
    }

    /// Finds the paths from `root` to all nodes, breadth first.
    fn tree(&self, root: usize) -> Tree {
        let mut parents = vec![(NOWHERE, HopRef::Link { link: 0, reverse: false }); self.neighbours.len()];
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for &(next, hop) in &self.neighbours[node] {
                if next != root && parents[next].0 == NOWHERE {
                    parents[next] = (node, hop);
                    queue.push_back(next);
                }
            }
        }
        Tree { root, parents }
    }
}

impl Tree {
    fn path_to(&self, sink: usize) -> Option<Vec<HopRef>> {
        let mut path = Vec::new();
        let mut node = sink;
        while node != self.root {
            let (parent, hop) = self.parents[node];
            if parent == NOWHERE {
                return None;
            }
            path.push(hop);
            node = parent;
        }
        path.reverse();
        Some(path)
    }
}

fn reversed(hop: HopRef) -> HopRef {
    match hop {
        HopRef::Link { link, reverse } => HopRef::Link { link, reverse: !reverse },
        HopRef::Wlan { wlan, from, to } => HopRef::Wlan { wlan, from: to, to: from },
    }
}

#[cfg(test)]
mod tests {
    use crate::resolved::{HopRef, Scenario};

    /// Makes a scenario of these nodes, links and flows, each link and flow written `a-b`, and a WLAN of `ap`, `x` and `y`.
    fn scenario(nodes: &str, links: &str, flows: &str) -> Result<Scenario, String> {
        let mut text = "[run]\nduration = \"1 s\"\n".to_owned();
        for node in nodes.split_whitespace() {
            text += &format!("[[node]]\nname = \"{node}\"\n");
        }
        let ends = |pair: &str| {
            pair.split_once('-').map(|(a, b)| format!("from = \"{a}\"\nto = \"{b}\"\n")).unwrap()
        };
        for pair in links.split_whitespace() {
            text += &format!("[[link]]\n{}rate = \"1 Mb/s\"\ndelay = \"1 ms\"\n", ends(pair));
        }
        text += "[[wlan]]\nname = \"w\"\nap = \"ap\"\nphy = \"802.11a\"\n";
        text += "[[wlan.station]]\nname = \"x\"\n[[wlan.station]]\nname = \"y\"\n";
        for (number, pair) in flows.split_whitespace().enumerate() {
            text += &format!("[[flow]]\nname = \"f{number}\"\n{}", ends(pair));
        }
        crate::parse(&text, "net.toml", &[]).map(|loaded| loaded.scenario).map_err(|error| error.to_string())
    }

    fn link(link: usize, reverse: bool) -> HopRef {
        HopRef::Link { link, reverse }
    }

    fn air(from: usize, to: usize) -> HopRef {
        HopRef::Wlan { wlan: 0, from, to }
    }

    #[test]
    fn station_to_station_goes_by_way_of_the_access_point() {
        let net = scenario("", "", "x-y ap-x y-ap").unwrap();
        assert_eq!(net.flows[0].forward, [air(1, 0), air(0, 2)]);
        assert_eq!(net.flows[0].backward, [air(2, 0), air(0, 1)]);
        assert_eq!(net.flows[1].forward, [air(0, 1)]);
        assert_eq!(net.flows[2].forward, [air(2, 0)]);
    }

    #[test]
    fn the_shortest_path_wins_and_of_equals_the_first_declared() {
        let ring = scenario("a b c d", "a-b b-c c-d d-a", "a-c c-a a-d b-d").unwrap();
        let paths: Vec<&[HopRef]> = ring.flows.iter().map(|flow| flow.forward.as_slice()).collect();
        assert_eq!(paths[0], [link(0, false), link(1, false)]);
        assert_eq!(paths[1], [link(1, true), link(0, true)]);
        assert_eq!(paths[2], [link(3, true)]);
        assert_eq!(paths[3], [link(0, true), link(3, true)]);
    }

    #[test]
    fn wires_and_air_make_one_path() {
        let net = scenario("s r", "s-r r-ap", "s-x y-s").unwrap();
        assert_eq!(net.flows[0].forward, [link(0, false), link(1, false), air(0, 1)]);
        assert_eq!(net.flows[0].backward, [air(1, 0), link(1, true), link(0, true)]);
        assert_eq!(net.flows[1].forward, [air(2, 0), link(1, true), link(0, true)]);
    }

    #[test]
    fn no_path_is_an_error() {
        let message = scenario("a b", "", "x-y a-b").unwrap_err();
        assert!(
            message.contains("flow[1]: `f1`: no path of links and WLANs leads from `a` to `b`"),
            "{message}"
        );
        assert!(scenario("s t", "s-t", "s-x").is_err());
    }
}
