//! Every flow's two paths, flattened into one table when the world is built: a packet names its place in it.
//!
//! What costs an event is entering something that others enter too, because then the order matters. A link may be
//! entered *ahead of time*, at the moment its packet's arrival becomes known, if that order is settled anyway: see
//! [`ahead_of_time`].

use airfair_scenario::resolved::{HopRef, Scenario, Transport};
use std::collections::BTreeSet;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Over one direction of a wired link: `2 * link`, plus one for the backward direction.
    Link { link: u32, line: Option<u32> },
    /// Over a wireless network, from one of its stations to another.
    Air { wlan: u32, from: u32, to: u32, line: u32 },
    /// Arrived.
    End,
}

/// All paths.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    steps: Vec<Step>,
    lines: u32,
}

/// Where a flow's two paths start in [`Routes`].
#[derive(Clone, Copy, Debug)]
pub struct Paths {
    pub forward: u32,
    pub backward: u32,
}

impl Routes {
    /// The paths of every flow of a scenario, in its order.
    pub fn new(scenario: &Scenario) -> (Routes, Vec<Paths>) {
        let ahead = ahead_of_time(scenario);
        let mut routes = Routes::default();
        let paths = scenario
            .flows
            .iter()
            .map(|flow| Paths {
                forward: routes.add(&flow.forward, &ahead),
                backward: routes.add(&flow.backward, &ahead),
            })
            .collect();
        (routes, paths)
    }

    /// The step at a place.
    #[inline]
    pub fn step(&self, at: u32) -> Step {
        self.steps[at as usize]
    }

    /// How many waiting lines the steps need: one for each that is entered by an event.
    pub fn lines(&self) -> usize {
        self.lines as usize
    }

    fn add(&mut self, hops: &[HopRef], ahead: &[bool]) -> u32 {
        let start = self.steps.len() as u32;
        for &hop in hops {
            let step = match hop {
                HopRef::Link { .. } => {
                    let link = direction(hop);
                    let line = (!ahead[link as usize]).then(|| self.new_line());
                    Step::Link { link, line }
                }
                HopRef::Wlan { wlan, from, to } => {
                    Step::Air { wlan: wlan as u32, from: from as u32, to: to as u32, line: self.new_line() }
                }
            };
            self.steps.push(step);
        }
        self.steps.push(Step::End);
        start
    }

    fn new_line(&mut self) -> u32 {
        self.lines += 1;
        self.lines - 1
    }
}

/// The index of a link's direction; links only.
fn direction(hop: HopRef) -> u32 {
    match hop {
        HopRef::Link { link, reverse } => 2 * link as u32 + u32::from(reverse),
        HopRef::Wlan { .. } => u32::MAX,
    }
}

/// Where a link's packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feeder {
    /// Another link, in the order in which they entered that.
    Link(u32),
    /// A wireless network, in the order in which it delivers.
    Air(usize),
    /// One side of a flow, in the order in which it sends.
    Origin { flow: usize, receiver: bool },
    /// Receivers that answer at once whatever another link brings, in the order in which they get it.
    AnswersTo(u32),
}

/// For each direction of each link, whether all its packets come from one place, in order. Then packets can be
/// offered to it as soon as it is known when they arrive: no packet can still come that should have been first.
fn ahead_of_time(scenario: &Scenario) -> Vec<bool> {
    let mut feeders = vec![BTreeSet::new(); 2 * scenario.links.len()];
    for (id, flow) in scenario.flows.iter().enumerate() {
        let origin = Feeder::Origin { flow: id, receiver: false };
        feed(&mut feeders, &flow.forward, origin);
        let Transport::Tcp { settings, .. } = &flow.transport else { continue };
        let answers = match flow.forward.last() {
            Some(&last @ HopRef::Link { .. }) if settings.delayed_ack.is_none() => {
                Feeder::AnswersTo(direction(last))
            }
            _ => Feeder::Origin { flow: id, receiver: true },
        };
        feed(&mut feeders, &flow.backward, answers);
    }
    feeders.iter().map(|feeders| feeders.len() <= 1).collect()
}

fn feed(feeders: &mut [BTreeSet<Feeder>], path: &[HopRef], origin: Feeder) {
    let mut feeder = origin;
    for &hop in path {
        match hop {
            HopRef::Link { .. } => {
                feeders[direction(hop) as usize].insert(feeder);
                feeder = Feeder::Link(direction(hop));
            }
            HopRef::Wlan { wlan, .. } => feeder = Feeder::Air(wlan),
        }
    }
}
