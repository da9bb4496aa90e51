//! How far a line's packets may enter their place ahead of what happens elsewhere.
//!
//! What another line does at `t` brings packets to this one no earlier than at `t` plus the delays of the links between the two. So
//! the packets that get here before `now` plus the least such delay, the line's *lead*, are known at `now`, but for those that
//! flows send by themselves, and when the first flow acts is known too. They may enter one after the other while other lines wait.
//!
//! What is recorded depends on the order in which packets join the lines beyond, even at the same instant. It stays as it is
//! if nothing else leads to those lines but flows by themselves, and these are not overtaken.

use crate::route::{Paths, Routes, Step};
use airfair_core::Span;
use airfair_scenario::resolved::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// The lead of each line. It is zero where packets have to take turns with those elsewhere: where lines beyond are joined from other
/// lines, too; at a place with several lines; and wherever there is a WLAN or a queue with a discipline, which act by themselves.
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

/// From line to line, on the flows' ways there and back.
#[derive(Default)]
struct LineGraph {
    /// From which line to which, and what a packet, or what it brings forth at the end of its path, takes at least.
    delays: BTreeMap<(u32, u32), Span>,
    /// Those before each link.
    lines: BTreeMap<u32, BTreeSet<u32>>,
}

impl LineGraph {
    fn new(scenario: &Scenario, routes: &Routes, paths: &[Paths]) -> LineGraph {
        let delays: Vec<_> = scenario.link_directions().map(|direction| direction.delay).collect();
        let mut graph = LineGraph::default();
        for &Paths { forward, backward } in paths {
            // Twice round, so that the last line leads to the first.
            let mut last = None;
            for start in [forward, backward, forward, backward] {
                for at in start.. {
                    let link = match routes.step(at) {
                        Step::Link { link } => link,
                        Step::SharedLink { link, line } => {
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
