//! Lookahead of delay lines, as in conservative parallel simulation (Chandy & Misra 1979; Fujimoto 1990).
//!
//! An event in another line at `t` can bring packets to this line no earlier than `t` plus the delays of the links in
//! between. So all arrivals here before `now` plus the least of these delays, the line's *lookahead*, are known at
//! `now`, except for packets that flows send on timers, and the next timer is known too. These packets may enter their
//! merge point one after the other while other lines wait.
//!
//! The record depends on the order in which packets join the lines downstream, even at one instant. That order does not
//! change if only this line and flows feed those lines, and flows are not overtaken.

use crate::route::{End, Paths, Routes, Step};
use airfair_core::Span;
use airfair_scenario::resolved::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the lookahead of each line. It is zero where packets must alternate with others: if other lines, too, feed
/// the lines downstream; at a merge point with several lines; and if there is a WLAN or a queue discipline, which act
/// by themselves.
pub fn lookaheads(scenario: &Scenario, routes: &Routes, paths: &[Paths]) -> Vec<Span> {
    let mut lookaheads = vec![Span::ZERO; routes.lines()];
    let only_links = scenario.wlans.is_empty();
    if !only_links || scenario.link_directions().any(|direction| direction.discipline.is_some()) {
        return lookaheads;
    }
    let LineGraph { delays, lines } = LineGraph::new(scenario, routes, paths);
    let mut before: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for &(from, to) in delays.keys() {
        before.entry(to).or_default().insert(from);
    }
    for line in lines.into_values().filter(|lines| lines.len() == 1).flatten() {
        let is_alone = delays.keys().all(|(from, to)| *from != line || before[to].len() == 1);
        let into = delays.iter().filter(|((_, to), _)| *to == line).map(|(_, &delay)| delay);
        if is_alone {
            lookaheads[line as usize] = into.min().unwrap_or_default();
        }
    }
    lookaheads
}

/// Returns the shortest delay from the last shared link of a path to its endpoint: an event at `t` brings no packet there before `t` plus that.
/// Paths with another [end](End) do not count. Delays only change in runs where every link has a queue, and so none has such an end.
pub fn shortest_end(scenario: &Scenario, routes: &Routes, paths: &[Paths]) -> Span {
    let delays: Vec<_> = scenario.link_directions().map(|direction| direction.delay).collect();
    let ends = paths.iter().flat_map(|paths| [paths.forward.end, paths.backward.end]);
    let takes = ends.filter(|end| *end != End::NONE).map(|end| match routes.step(end.at) {
        Step::SharedLink { link, .. } => delays[link as usize] + delays[end.link as usize],
        _ => Span::ZERO,
    });
    takes.min().unwrap_or_default()
}

/// The lines that follow each other on the paths of flows, there and back.
#[derive(Default)]
struct LineGraph {
    /// For each pair of successive lines, the least delay between them of a packet, or of a packet and the answer to
    /// it.
    delays: BTreeMap<(u32, u32), Span>,
    /// The lines before each link.
    lines: BTreeMap<u32, BTreeSet<u32>>,
}

impl LineGraph {
    fn new(scenario: &Scenario, routes: &Routes, paths: &[Paths]) -> LineGraph {
        let delays: Vec<_> = scenario.link_directions().map(|direction| direction.delay).collect();
        let mut graph = LineGraph::default();
        for &Paths { forward, backward } in paths {
            // Two rounds, so that the last line leads to the first.
            let mut last = None;
            for start in [forward, backward, forward, backward] {
                for at in start.at.. {
                    let link = match routes.step(at) {
                        Step::Link(leg) => leg.link,
                        Step::SharedLink { link, line, .. } => {
                            graph.lines.entry(link).or_default().insert(line);
                            if let Some((from, delay)) = last.replace((line, Span::ZERO)) {
                                graph.add(from, line, delay);
                            }
                            link
                        }
                        Step::QueuedLink { .. } | Step::Wlan { .. } | Step::End => break,
                    };
                    if let Some((_, delay)) = &mut last {
                        *delay += delays[link as usize];
                    }
                }
            }
        }
        graph
    }

    fn add(&mut self, from: u32, to: u32, delay: Span) {
        let least = self.delays.entry((from, to)).or_insert(delay);
        *least = delay.min(*least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hosts on each side of a shared link.
    const DUMBBELL: &str = r#"
        [run]
        duration = "1 s"
        [[node]]
        name = "r0"
        [[node]]
        name = "r1"
        [[node]]
        name = "s{i}"
        count = 2
        [[node]]
        name = "d{i}"
        count = 2
        [[link]]
        from = "r0"
        to = "r1"
        rate = "1 Mb/s"
        delay = "10 ms"
        [[link]]
        from = "s{i}"
        to = "r0"
        count = 2
        rate = "1 Mb/s"
        delay = "1 ms"
        [[link]]
        from = "r1"
        to = "d{i}"
        count = 2
        rate = "1 Mb/s"
        delay = "2 ms"
        [[flow]]
        name = "f{i}"
        count = 2
        from = "s{i}"
        to = "d{i}"
    "#;

    fn lookaheads_of(text: &str) -> Vec<u64> {
        let scenario = airfair_scenario::parse(text, "test.toml", &[]).unwrap().scenario;
        let (routes, paths) = Routes::new(&scenario);
        lookaheads(&scenario, &routes, &paths).iter().map(|lookahead| lookahead.0 / 1_000_000).collect()
    }

    #[test]
    fn the_shortest_end_is_over_the_shared_link_and_the_link_behind_it() {
        let end_of = |text: &str| {
            let scenario = airfair_scenario::parse(text, "test.toml", &[]).unwrap().scenario;
            let (routes, paths) = Routes::new(&scenario);
            shortest_end(&scenario, &routes, &paths).0 / 1_000_000
        };
        assert_eq!(end_of(DUMBBELL), 11);
        assert_eq!(end_of(&DUMBBELL.replace("\"1 ms\"", "\"7 ms\"")), 12);
    }

    #[test]
    fn a_dumbbells_two_lines_lead_by_the_way_from_one_to_the_other() {
        assert_eq!(lookaheads_of(DUMBBELL), [12, 14]);
    }

    #[test]
    fn paths_that_take_differently_long_to_a_place_take_turns() {
        let near = DUMBBELL.replace(
            "from = \"s{i}\"\n        to = \"d{i}\"",
            "from = \"s{i}\"\n        to = \"d{i}\"\n        [[flow]]\n        name = \"near\"\n        from = \"r0\"\n        to = \"d0\"",
        );
        assert_ne!(near, DUMBBELL);
        assert_eq!(lookaheads_of(&near)[0], 0);
    }

    #[test]
    fn a_queue_with_a_discipline_has_all_take_turns() {
        let red = DUMBBELL
            .replace("delay = \"10 ms\"", "delay = \"10 ms\"\n        discipline = { kind = \"red\" }");
        assert_ne!(red, DUMBBELL);
        assert!(lookaheads_of(&red).iter().all(|&lookahead| lookahead == 0));
    }
}
