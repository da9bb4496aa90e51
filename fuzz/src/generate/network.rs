//! Whole networks: hosts and access points in a tree of wired links, stations on the air, flows between any two of them.

use super::flow::flow;
use super::link::link;
use super::pieces::time;
use super::wlan::wlan;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write;
use std::ops::Range;

/// A network and its traffic, as the text of a scenario file that asks for every metric.
pub fn networks() -> BoxedStrategy<String> {
    let metrics: Vec<_> = airfair_lab::listed_or_not().map(|metric| metric.name).collect();
    of_size(&metrics, 0..3, 2..5, 1..7)
}

/// One with few leaves.
pub fn small() -> BoxedStrategy<String> {
    of_size(&["throughput_total", "collision_rate"], 0..2, 2..3, 1..3)
}

fn of_size(
    metrics: &[&str],
    wlans: Range<usize>,
    hosts: Range<usize>,
    flows: Range<usize>,
) -> BoxedStrategy<String> {
    let wlans = vec((wlan(), 1usize..5), wlans);
    let wired = (hosts, vec((link(), any::<Index>()), 8));
    let flows = vec((flow(), any::<Index>(), any::<Index>()), flows);
    (run(metrics), wlans, wired, flows)
        .prop_map(|(mut text, wlans, (hosts, links), flows)| {
            let mut nodes: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
            for host in &nodes {
                let _ = writeln!(text, "[[node]]\nname = \"{host}\"");
            }
            let mut stations = Vec::new();
            for (number, ((lines, station), count)) in wlans.iter().enumerate() {
                let [lines, station] = [lines, station].map(|lines| lines.replace('#', &number.to_string()));
                let _ = writeln!(text, "[[wlan]]\nname = \"w{number}\"\nap = \"ap{number}\"\n{lines}");
                let _ = writeln!(
                    text,
                    "[[wlan.station]]\nname = \"s{number}-{{i}}\"\ncount = {count}\n{station}"
                );
                nodes.push(format!("ap{number}"));
                stations.extend((0..*count).map(|station| format!("s{number}-{station}")));
            }
            for (node, (lines, other)) in (1..nodes.len()).zip(&links) {
                let (from, to) = (&nodes[node], &nodes[other.index(node)]);
                let _ = writeln!(text, "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\n{lines}");
            }
            // Stations first: flows across the air are the simplest ones.
            let ends: Vec<String> = stations.into_iter().chain(nodes).collect();
            for (number, (lines, from, to)) in flows.iter().enumerate() {
                let from = from.index(ends.len());
                let to = (from + 1 + to.index(ends.len() - 1)) % ends.len();
                let (from, to) = (&ends[from], &ends[to]);
                let _ = writeln!(
                    text,
                    "[[flow]]\nname = \"f{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{lines}"
                );
            }
            text
        })
        .boxed()
}

/// The table `[run]`, and the tables that metrics need.
fn run(metrics: &[&str]) -> BoxedStrategy<String> {
    let warmup = prop_oneof![2 => Just("\"0 s\"".to_owned()), 1 => time(1_500_000_000)];
    let duration = select(&["1 ns", "50 ms", "500 ms", "1500001 us", "4 s"][..]);
    let fairness = select(&["", "[fairness]\nof = \"sending-rate\"\n"][..]);
    // A network without TCP over the air, as many are here, has no share to measure.
    let share = prop_oneof![7 => Just("\"2 Mb/s\""), 1 => Just("\"measured\"")];
    let metrics: Vec<_> = metrics.iter().map(|name| format!("\"{name}\"")).collect();
    let metrics = metrics.join(", ");
    (warmup, duration, fairness, share)
        .prop_map(move |(warmup, duration, fairness, share)| {
            format!(
                "[run]\nwarmup = {warmup}\nduration = \"{duration}\"\nmetrics = [{metrics}]\n{fairness}\
                 [fair_share]\nusers = 3\ndownload = {share}\nupload = \"3 Mb/s\"\n\
                 [effort]\nthroughput_max = \"5 Mb/s\"\n"
            )
        })
        .boxed()
}
