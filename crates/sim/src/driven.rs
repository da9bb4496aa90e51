//! A run that its user drives: to an instant, then on, with changes in between and with endpoints outside the engine.
//!
//! A driven run simulates a queue at every link and access point, where a whole run computes departures by arithmetic: when a link's rate changes,
//! waiting packets are sent at the new rate. [`changeable`](crate::changeable) lists the settings that can change. A driven and a whole run give the
//! same record, except that a random loss on a link counts when the packet is sent, not when it comes.

use crate::changeable::obstacle;
use crate::engine::{Components, Engine, Recordings, Run};
use crate::external::ForeignPacket;
use crate::record::{Counts, Record};
use airfair_core::Time;
use airfair_scenario::resolved::Scenario;

/// A run that its user drives.
#[derive(Debug)]
pub struct Driven {
    run: Run,
    /// The scenario with all changes so far.
    scenario: Scenario,
    seed: u64,
}

impl Driven {
    /// Starts a run, paused at time zero. The flows in `external`, by their numbers in the scenario, have their endpoints outside the engine.
    pub fn start(
        engine: Engine,
        scenario: &Scenario,
        seed: u64,
        recordings: Recordings,
        external: &[usize],
    ) -> Driven {
        let queued = with_queues(scenario);
        let mut components = Components::new(&queued, seed, recordings);
        for channel in &mut components.channels {
            channel.expect_changes(&scenario.wlans, seed);
        }
        external.iter().for_each(|&flow| components.flows[flow].hand_over());
        let run = engine.start_with(components, &queued, recordings);
        Driven { run, scenario: scenario.clone(), seed }
    }

    /// Lets events before `until` happen: see [`Run::run_until`]. All other methods are for paused runs.
    pub fn run_until(&mut self, until: Time, max_events: u64) -> bool {
        self.run.run_until(until, max_events)
    }

    /// Returns the instant of the pause.
    pub fn now(&mut self) -> Time {
        self.run.paused().now
    }

    /// Returns the number of samples kept so far: see [`Run::samples`].
    pub fn samples(&self) -> usize {
        self.run.samples()
    }

    /// Returns the counts of all components since time zero.
    pub fn counts(&mut self) -> Counts {
        self.run.paused().counts()
    }

    /// Returns the record up to now.
    pub fn record(&mut self) -> Record {
        self.run.record()
    }

    /// Continues with another scenario, which may differ from the present one only in [what can change](crate::changeable::CHANGEABLE). An equal
    /// scenario changes nothing.
    ///
    /// # Errors
    /// When `to` differs in something else. The error says why it is refused; nothing has changed then.
    pub fn change(&mut self, to: &Scenario) -> Result<(), &'static str> {
        if let Some(why) = obstacle(&self.scenario, to) {
            return Err(why);
        }
        self.run.change(&self.scenario, to, self.seed);
        self.scenario = to.clone();
        Ok(())
    }

    /// Sends a packet from an endpoint outside the engine now. Does nothing if the packet's flow has no such endpoint.
    pub fn inject(&mut self, packet: ForeignPacket) {
        self.run.inject(packet);
    }

    /// Removes and returns the packets that have arrived at endpoints outside the engine, in the order of time and then of flows.
    pub fn take_egress(&mut self) -> Vec<(Time, ForeignPacket)> {
        let flows = self.run.paused().flows.iter_mut();
        let mut packets: Vec<_> =
            flows.filter_map(|flow| flow.external()).flat_map(|external| external.take_arrived()).collect();
        packets.sort_by_key(|&(at, packet)| (at, packet.flow, packet.to));
        packets
    }
}

fn with_queues(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    for link in &mut scenario.links {
        link.forward.discipline.get_or_insert_default();
        link.backward.discipline.get_or_insert_default();
    }
    scenario
}

#[cfg(test)]
mod tests;
