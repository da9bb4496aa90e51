//! The engines, and a run under way in one of them.

use crate::flow::Flow;
use crate::links::Links;
use crate::plain::Plain;
use crate::record::Record;
use crate::route::{Paths, Routes};
use crate::trace::Quantity;
use crate::wlan::Wlan;
use crate::world::World;
use airfair_core::{Time, words};
use airfair_scenario::resolved::Scenario;

words! {
    /// An engine. All give the same record.
    #[derive(Default)]
    pub enum Engine {
        /// Moves a packet several steps at once where nothing can come in between.
        #[default]
        Fast = "fast",
        /// Each step of each packet is an event.
        Plain = "plain",
    }
}

/// The recordings of a run beside its counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recordings<'a> {
    /// Series over time.
    pub traces: &'a [Quantity],
    /// Time averages of the senders' congestion windows: [`Record::average_cwnds`].
    pub average_cwnds: bool,
    /// The delay of each packet in access points' queues: [`Record::ap_queue_delays`].
    pub ap_queue_delays: bool,
}

/// The components of a run at time zero.
pub(crate) struct Components {
    /// The end of the warm-up.
    pub warmup: Time,
    pub end: Time,
    pub routes: Routes,
    /// Of each flow.
    pub paths: Vec<Paths>,
    pub links: Links,
    pub wlans: Vec<Wlan>,
    pub flows: Vec<Flow>,
}

impl Components {
    pub fn new(scenario: &Scenario, seed: u64, recordings: Recordings) -> Components {
        let (routes, paths) = Routes::new(scenario);
        let warmup = Time::ZERO + scenario.warmup;
        let end = warmup + scenario.duration;
        let links = Links::new(scenario, seed, end);
        let mut wlans: Vec<_> = scenario.wlans.iter().map(|wlan| Wlan::new(wlan, seed)).collect();
        wlans.iter_mut().for_each(|wlan| wlan.keep_for(recordings));
        let mut flows: Vec<_> =
            paths.iter().enumerate().map(|(id, &paths)| Flow::new(scenario, id, paths, seed)).collect();
        if recordings.average_cwnds {
            flows.iter_mut().for_each(|flow| flow.track_average_cwnd(warmup));
        }
        Components { warmup, end, routes, paths, links, wlans, flows }
    }
}

/// A run under way.
#[derive(Debug)]
pub enum Run {
    /// In the fast engine.
    Fast(Box<World>),
    /// In the plain engine.
    Plain(Box<Plain>),
}

impl Engine {
    /// A run at time zero.
    pub fn start(self, scenario: &Scenario, seed: u64, recordings: Recordings) -> Run {
        match self {
            Engine::Fast => Run::Fast(Box::new(World::new(scenario, seed, recordings))),
            Engine::Plain => Run::Plain(Box::new(Plain::new(scenario, seed, recordings))),
        }
    }

    /// The record of a whole run.
    pub fn run(self, scenario: &Scenario, seed: u64, recordings: Recordings) -> Record {
        let mut run = self.start(scenario, seed, recordings);
        while !run.step(u64::MAX) {}
        run.record()
    }
}

impl Run {
    /// Lets at most `max_events` events happen; `true` once the run is over.
    pub fn step(&mut self, max_events: u64) -> bool {
        match self {
            Run::Fast(world) => world.step(max_events),
            Run::Plain(plain) => plain.step(max_events),
        }
    }

    /// The part of the run that is over, from 0 to 1.
    pub fn progress(&self) -> f64 {
        match self {
            Run::Fast(world) => world.progress(),
            Run::Plain(plain) => plain.progress(),
        }
    }

    /// Events that have happened so far; the fast engine needs fewer.
    pub fn events(&self) -> u64 {
        match self {
            Run::Fast(world) => world.events(),
            Run::Plain(plain) => plain.events(),
        }
    }

    /// Number of points of series, turns on the air and queueing delays that are kept so far.
    pub fn samples(&self) -> usize {
        match self {
            Run::Fast(world) => world.samples(),
            Run::Plain(plain) => plain.samples(),
        }
    }

    /// The record, once [`Run::step`] has returned `true`.
    pub fn record(self) -> Record {
        match self {
            Run::Fast(world) => world.record(),
            Run::Plain(plain) => plain.record(),
        }
    }
}
