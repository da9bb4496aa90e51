//! The engines, and a run under way in one of them.

use crate::channel::Channel;
use crate::external::ForeignPacket;
use crate::fast::Fast;
use crate::flow::Flow;
use crate::links::Links;
use crate::packet::Packet;
use crate::plain::Plain;
use crate::record::{Counts, Record};
use crate::route::{Paths, Routes, Step, WlanHop};
use crate::trace::{Quantity, Series};
use airfair_core::{Time, words};
use airfair_scenario::resolved::Scenario;
use airfair_wifi::LoggedFrame;
use std::collections::BTreeSet;

words! {
    /// An engine, which runs a scenario. All engines give the same record.
    pub enum Engine {
        /// Moves a packet several steps at once where nothing can come in between. The default.
        Fast = "fast",
        /// Makes each step of each packet an event.
        Plain = "plain",
    }
}

/// The recordings of a run beside its counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recordings<'a> {
    /// Quantities to record as series over time.
    pub traces: &'a [Quantity],
    /// Time averages of the senders' congestion windows: [`Record::average_cwnds`].
    pub average_cwnds: bool,
    /// The delay of each packet in access points' queues: [`Record::ap_queue_delays`].
    pub ap_queue_delays: bool,
    /// The delays of each flow's packets: [`Record::delays`].
    pub delays: bool,
    /// Every frame on the air: [`Run::take_frames`].
    pub frames: bool,
}

/// The components of a run at time zero.
pub(crate) struct Components {
    /// The end of the warm-up.
    pub warmup: Time,
    pub end: Time,
    pub routes: Routes,
    /// The two paths of each flow.
    pub paths: Vec<Paths>,
    pub links: Links,
    pub channels: Vec<Channel>,
    pub flows: Vec<Flow>,
}

impl Components {
    pub fn new(scenario: &Scenario, seed: u64, recordings: Recordings) -> Components {
        let (routes, paths) = Routes::new(scenario);
        let warmup = Time::ZERO + scenario.warmup;
        let end = warmup + scenario.duration;
        let links = Links::new(scenario, seed, end);
        let mut channels = Channel::all(scenario, seed);
        channels.iter_mut().for_each(|channel| channel.keep_for(recordings));
        let mut flows: Vec<_> =
            paths.iter().enumerate().map(|(id, &paths)| Flow::new(scenario, id, paths, seed)).collect();
        watch_queues(&mut flows, &paths, &routes, &mut channels);
        if recordings.average_cwnds {
            flows.iter_mut().for_each(|flow| flow.track_average_cwnd(warmup));
        }
        if recordings.delays {
            flows.iter_mut().for_each(|flow| flow.keep_delays(warmup));
        }
        Components { warmup, end, routes, paths, links, channels, flows }
    }
}

/// Makes the medium report to a flow the packets that leave the queue of the station where the flow begins, if its transport uses
/// these reports. A flow that begins at an access point stands for one from a server behind it, and gets no reports.
fn watch_queues(flows: &mut [Flow], paths: &[Paths], routes: &Routes, channels: &mut [Channel]) {
    let mut watched = BTreeSet::new();
    for (flow, paths) in flows.iter_mut().zip(paths) {
        let Step::Wlan { hop, .. } = routes.step(paths.forward.at) else { continue };
        let WlanHop { channel, from, .. } = routes.wlan_hop(hop);
        let on_air = &mut channels[channel as usize];
        if !on_air.is_access_point(from) && flow.watch_queue() && watched.insert((channel, from)) {
            on_air.medium.watch_departures(from);
        }
    }
}

/// A run under way.
#[derive(Debug)]
pub enum Run {
    /// In the fast engine.
    Fast(Box<Fast>),
    /// In the plain engine.
    Plain(Box<Plain>),
}

/// A run that is paused.
#[derive(Debug)]
pub struct Paused<'a> {
    /// The instant of the pause.
    pub now: Time,
    /// The end of the warm-up.
    pub warmup: Time,
    /// Counts at the end of the warm-up, once it is reached.
    pub before: Option<&'a Counts>,
    /// All wired links.
    pub links: &'a mut Links,
    /// The channels of all wireless networks.
    pub channels: &'a mut [Channel],
    /// All flows.
    pub flows: &'a mut [Flow],
}

impl Paused<'_> {
    /// Changes settings from those of `old` to those of `new`, which has the same components.
    pub(crate) fn change(self, old: &Scenario, new: &Scenario, seed: u64) {
        self.links.change(self.now, old, new, seed);
        for channel in self.channels {
            channel.change(self.now, &old.wlans, &new.wlans, seed);
        }
        for (flow, (old, new)) in self.flows.iter_mut().zip(old.flows.iter().zip(&new.flows)) {
            if old != new {
                flow.change(new);
            }
        }
    }

    /// Returns the counts of all components.
    pub fn counts(self) -> Counts {
        Counts::read(self.now, self.links, self.channels, self.flows)
    }

    /// Returns the record up to the pause, with these series. During the warm-up its window is empty.
    fn record(self, series: Vec<Series>) -> Record {
        let Paused { now, warmup, before, links, channels, flows } = self;
        let after = Counts::read(now, links, channels, flows);
        let counts = match before {
            Some(before) => after.since(before),
            None => after.clone().since(&after),
        };
        Record::new(warmup.min(now)..now, counts, flows, channels, series)
    }
}

impl Engine {
    /// Returns a run at time zero.
    pub fn start(self, scenario: &Scenario, seed: u64, recordings: Recordings) -> Run {
        self.start_with(Components::new(scenario, seed, recordings), scenario, recordings)
    }

    /// Like [`Engine::start`], but with components made before from the scenario.
    pub(crate) fn start_with(
        self,
        components: Components,
        scenario: &Scenario,
        recordings: Recordings,
    ) -> Run {
        match self {
            Engine::Fast => Run::Fast(Box::new(Fast::new(components, scenario, recordings))),
            Engine::Plain => Run::Plain(Box::new(Plain::new(components, scenario, recordings))),
        }
    }

    /// Runs a scenario to its end and returns the record.
    pub fn run(self, scenario: &Scenario, seed: u64, recordings: Recordings) -> Record {
        let mut run = self.start(scenario, seed, recordings);
        while !run.run_until(Time::NEVER, u64::MAX) {}
        run.into_record()
    }
}

/// Calls a method of the run, whichever engine it is in.
macro_rules! of_either {
    ($run:expr, $it:ident => $call:expr) => {
        match $run {
            Run::Fast($it) => $call,
            Run::Plain($it) => $call,
        }
    };
}

impl Run {
    /// Lets at most `max_events` events before `until` happen; `true` once all of them have. The run is then paused at `until`, or at
    /// its end if that is earlier. A call runs at least until the end that an earlier call was given.
    pub fn run_until(&mut self, until: Time, max_events: u64) -> bool {
        of_either!(self, run => run.run_until(until, max_events))
    }

    /// Returns the part of the run that is over, from 0 to 1.
    pub fn progress(&self) -> f64 {
        let (now, end) = of_either!(self, run => run.reached());
        if end == Time::ZERO { 1.0 } else { now.as_secs() / end.as_secs() }
    }

    /// Returns the number of events so far. The fast engine needs fewer than the plain one.
    pub fn events(&self) -> u64 {
        of_either!(self, run => run.events())
    }

    /// Returns the number of samples kept so far: points of series, turns on the air, queueing delays and delays of packets.
    pub fn samples(&self) -> usize {
        of_either!(self, run => run.samples())
    }

    /// Removes the frames on the air that were recorded so far and whose fate is known, network by network in the order of their
    /// starts. `take` gets each with the number of its network; the frame's stations are numbered as in that network. Returns an
    /// instant before which no frame begins that a later call takes.
    pub fn take_frames(&mut self, mut take: impl FnMut(usize, LoggedFrame<Packet>)) -> Time {
        let Paused { now, channels, .. } = self.paused();
        let mut from = now;
        for channel in channels {
            channel.take_frames(&mut take);
            from = from.min(channel.medium.logs_from(now));
        }
        from
    }

    /// Returns the record of a paused run up to now.
    pub fn record(&mut self) -> Record {
        let series = of_either!(self, run => run.series());
        self.paused().record(series)
    }

    /// Returns the record up to now and ends the run, without the copy of the series that [`Run::record`] makes.
    pub fn into_record(mut self) -> Record {
        let series = of_either!(&mut self, run => run.take_series());
        self.paused().record(series)
    }

    pub(crate) fn paused(&mut self) -> Paused<'_> {
        of_either!(self, run => run.paused())
    }

    /// Changes settings of a paused run: see [`Paused::change`].
    pub(crate) fn change(&mut self, old: &Scenario, new: &Scenario, seed: u64) {
        of_either!(self, run => run.change(old, new, seed));
    }

    /// Sends a packet from an endpoint outside the engine now.
    pub(crate) fn inject(&mut self, packet: ForeignPacket) {
        of_either!(self, run => run.inject(packet));
    }
}
