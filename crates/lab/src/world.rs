//! A run that its user drives: runs until some time, looks at it, changes a setting, and goes on.

use crate::counted::Counted;
use crate::experiment::{EVENTS_PER_CHUNK, Experiment, NoOutcome, check_samples};
use crate::measure::{measure, values};
use crate::metric::Metric;
use crate::outcome::Outcome;
use airfair_core::Time;
use airfair_core::counters::{self, Count, declared};
use airfair_net::LinkStats;
use airfair_scenario::resolved::Scenario;
use airfair_scenario::{Loaded, Override};
use airfair_sim::record::{Counts, FlowCounts};
use airfair_sim::{Driven, ForeignPacket, Quantity, Side};
use airfair_wifi::StationStats;
use serde_json::{Map, Value, json};

/// A run that its user drives.
#[derive(Debug)]
pub struct World {
    experiment: Experiment,
    seed: u64,
    traces: Vec<Quantity>,
    run: Driven,
    /// The scenario with all changes so far.
    now: Loaded,
    external: Vec<usize>,
    /// The instant that the run has not reached yet; `None`: it is paused.
    under_way_to: Option<Time>,
}

impl World {
    /// Starts a run at time zero that records all that the experiment's metrics and `traces` need. The endpoints of the flows `external`
    /// are outside the engine.
    ///
    /// # Errors
    /// When `external` has a name that no flow has.
    pub fn start(
        experiment: Experiment,
        seed: u64,
        traces: &[Quantity],
        external: &[String],
    ) -> Result<World, String> {
        let scenario = &experiment.loaded.scenario;
        let number = |name: &String| {
            let found = scenario.flows.iter().position(|flow| flow.name == *name);
            found.ok_or_else(|| format!("external: there is no flow `{}`", name.escape_debug()))
        };
        let external = external.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        let run = experiment.recorded(traces, false, |recordings| {
            Driven::start(experiment.engine, scenario, seed, recordings, &external)
        });
        let now = experiment.loaded.clone();
        Ok(World { seed, traces: traces.to_vec(), run, now, external, under_way_to: None, experiment })
    }

    /// Processes at most `max_events` events before `until`. Returns `true` once all events before `until` have been processed. The run
    /// is then paused at `until`, or at its end if that is earlier. All other methods are for paused runs.
    pub fn run_until(&mut self, until: Time, max_events: u64) -> bool {
        let is_there = self.run.run_until(until, max_events);
        self.under_way_to = (!is_there).then_some(until);
        is_there
    }

    /// Goes on to `until` like [`World::run_until`]. `look` is called several times a second and may give a reason to stop.
    ///
    /// # Errors
    /// When `look` gave a reason to stop, or the run has recorded too much.
    pub fn go_on<E>(
        &mut self,
        until: Time,
        mut look: impl FnMut() -> Result<(), E>,
    ) -> Result<(), NoOutcome<E>> {
        while !self.run_until(until, EVENTS_PER_CHUNK) {
            look().map_err(NoOutcome::Stopped)?;
            check_samples(self.samples())?;
        }
        Ok(())
    }

    /// Returns the instant to which the last [`World::run_until`] has not come yet; `None`: the run is paused.
    pub fn under_way_to(&self) -> Option<Time> {
        self.under_way_to
    }

    /// Returns the time of the pause.
    pub fn now(&mut self) -> Time {
        self.run.now()
    }

    /// Returns the end of the run.
    pub fn end(&self) -> Time {
        let scenario = &self.experiment.loaded.scenario;
        Time::ZERO + scenario.warmup + scenario.duration
    }

    /// Returns the number of samples over time recorded so far.
    pub fn samples(&self) -> usize {
        self.run.samples()
    }

    /// Sets parameters, or settings by their paths, from the present time on.
    ///
    /// # Errors
    /// When a name does not exist, a value is not allowed, or one cannot change while a run goes on, or would change nothing but an
    /// endpoint outside the engine. Then nothing has changed.
    pub fn set(&mut self, settings: &[Override]) -> Result<(), String> {
        let changed = self.now.changed(settings).map_err(|error| error.to_string())?;
        let done = if self.is_beyond(&changed.scenario) {
            Err("the endpoints of its flow are outside the engine")
        } else {
            self.run.change(&changed.scenario)
        };
        done.map_err(|why| {
            let names: Vec<_> = settings.iter().map(|set| format!("`{}`", set.name.escape_debug())).collect();
            format!("{} cannot change while a run goes on: {why}", names.join(", "))
        })?;
        self.now = changed;
        Ok(())
    }

    /// Whether a scenario differs from the present one only in flows whose endpoints are outside the engine.
    fn is_beyond(&self, changed: &Scenario) -> bool {
        if self.external.is_empty() {
            return false;
        }
        let mut inside = changed.clone();
        for &flow in &self.external {
            // A change may be to a network with fewer flows; it is refused elsewhere for that reason.
            if let Some(to) = inside.flows.get_mut(flow) {
                to.clone_from(&self.now.scenario.flows[flow]);
            }
        }
        inside == self.now.scenario && inside != *changed
    }

    /// Sends a packet of `bytes` now, from an endpoint outside the engine to the endpoint `to` of `flow`, above the link or MAC layer.
    /// `id` identifies the packet to the caller.
    ///
    /// # Errors
    /// When the endpoints of the flow are not outside the engine, or the packet has no bytes, or more than an IP packet or a WLAN on
    /// its way may have.
    pub fn inject(&mut self, flow: &str, to: Side, bytes: u32, id: u64) -> Result<(), String> {
        const LONGEST: u32 = 65_535;
        let scenario = &self.experiment.loaded.scenario;
        let number = self.external.iter().copied().find(|&number| scenario.flows[number].name == flow);
        let Some(number) = number else {
            return Err(format!(
                "the endpoints of flow `{}` are not outside the engine",
                flow.escape_debug()
            ));
        };
        if !(1..=LONGEST).contains(&bytes) {
            return Err(format!("a packet of {bytes} B: 1 to {LONGEST} B are allowed"));
        }
        let flow = &scenario.flows[number];
        let origin = if to == Side::Receiver { flow.source } else { flow.sink };
        if let Some(message) =
            airfair_scenario::too_long(bytes + scenario.station_overhead(origin), flow, scenario)
        {
            return Err(message);
        }
        self.run.inject(ForeignPacket { flow: number, to, bytes, id });
        Ok(())
    }

    /// Removes the packets that have arrived at endpoints outside the engine, in the order of time. Returns for each its time of
    /// arrival, the name of its flow, and the packet.
    pub fn poll_egress(&mut self) -> Vec<(Time, String, ForeignPacket)> {
        let flows = &self.experiment.loaded.scenario.flows;
        let named = |(at, packet): (Time, ForeignPacket)| (at, flows[packet.flow].name.clone(), packet);
        self.run.take_egress().into_iter().map(named).collect()
    }

    /// Returns the counters of all components since time zero by name: `{"flows": {name: {counter: number}}, "links": ..., "stations":
    /// ...}`.
    pub fn counts(&mut self) -> Value {
        let counts = self.run.counts();
        let scenario = &self.experiment.loaded.scenario;
        let stations = scenario.wlans.iter().zip(&counts.stations);
        let stations = stations.flat_map(|(wlan, stations)| {
            wlan.bss.stations.iter().map(|station| station.name.as_str()).zip(stations)
        });
        json!({
            "flows": by_name(scenario.flows.iter().map(|flow| flow.name.as_str()).zip(counts.flows.iter().copied())),
            "links": by_name(
                scenario.link_directions().map(|link| link.name.as_str()).zip(counts.links.iter().map(|link| link.packets)),
            ),
            "stations": by_name(stations.map(|(name, station)| (name, station.frames))),
        })
    }

    /// Returns the watched counters since time zero and the watched metrics up to now; a metric without a value is `None`. Nothing else
    /// is computed.
    pub fn look(&mut self, watched: &Watched) -> (Vec<f64>, Vec<Option<f64>>) {
        let counts = self.run.counts();
        let found = watched.counters.iter().map(|place| place.read(&counts)).collect();
        let scenario = &self.experiment.loaded.scenario;
        if watched.metrics.is_empty() || self.run.now() <= Time::ZERO + scenario.warmup {
            return (found, vec![None; watched.metrics.len()]);
        }
        (found, values(scenario, &self.run.record(), &watched.metrics))
    }

    /// Returns the outcome up to now.
    ///
    /// # Errors
    /// Before the end of the warm-up, when nothing has been measured.
    pub fn outcome(&mut self) -> Result<Outcome, String> {
        let (now, scenario) = (self.run.now(), &self.experiment.loaded.scenario);
        let warmup = scenario.warmup;
        if now <= Time::ZERO + warmup {
            return Err(format!(
                "nothing has been measured at {} s: the warm-up ends at {} s",
                now.as_secs(),
                warmup.as_secs()
            ));
        }
        Ok(measure(scenario, self.seed, &self.run.record(), self.experiment.metrics(), &self.traces))
    }
}

/// Counters and metrics that are watched while runs of an experiment go on.
#[derive(Debug)]
pub struct Watched {
    counters: Vec<Place>,
    metrics: Vec<&'static Metric>,
}

/// The indices of a component and of one of its counters.
#[derive(Clone, Copy, Debug)]
enum Place {
    Flow(usize, usize),
    Link(usize, usize),
    /// The indices of the wireless network, the station and the counter.
    Station(usize, usize, usize),
}

impl Place {
    fn read(self, counts: &Counts) -> f64 {
        let value = match self {
            Place::Flow(flow, counter) => counters::values(&counts.flows[flow])[counter],
            Place::Link(link, counter) => counters::values(&counts.links[link].packets)[counter],
            Place::Station(wlan, station, counter) => {
                counters::values(&counts.stations[wlan][station].frames)[counter]
            }
        };
        value as f64
    }
}

impl Watched {
    /// Selects what to watch. Each counter is given by `flows`, `links` or `stations`, the component's name and the counter's; each
    /// metric must be one that the experiment reports.
    ///
    /// # Errors
    /// When there is no such counter, or the experiment does not report a metric.
    pub fn new(
        experiment: &Experiment,
        counters: &[(String, String, String)],
        metrics: &[String],
    ) -> Result<Watched, String> {
        let reported = |name: &String| {
            let found = experiment.metrics().iter().find(|metric| metric.name == name).copied();
            found.ok_or_else(|| format!("the scenario does not report `{}`", name.escape_debug()))
        };
        let place = |(kind, component, counter): &(String, String, String)| {
            let found = place(experiment, kind, component, counter);
            let name = || format!("{kind}/{component}/{counter}").escape_debug().to_string();
            found.ok_or_else(|| format!("there is no counter `{}`", name()))
        };
        Ok(Watched {
            counters: counters.iter().map(place).collect::<Result<_, _>>()?,
            metrics: metrics.iter().map(reported).collect::<Result<_, _>>()?,
        })
    }
}

fn place(experiment: &Experiment, kind: &str, component: &str, counter: &str) -> Option<Place> {
    let scenario = &experiment.loaded.scenario;
    match kind {
        "flows" => {
            let flow = scenario.flows.iter().position(|flow| flow.name == component)?;
            Some(Place::Flow(flow, number::<FlowCounts>(counter)?))
        }
        "links" => {
            let link = scenario.link_directions().position(|link| link.name == component)?;
            Some(Place::Link(link, number::<LinkStats>(counter)?))
        }
        "stations" => {
            let mut stations = scenario.wlans.iter().enumerate().flat_map(|(wlan, config)| {
                config.bss.stations.iter().enumerate().map(move |(station, each)| (wlan, station, each))
            });
            let (wlan, station, _) = stations.find(|(_, _, station)| station.name == component)?;
            Some(Place::Station(wlan, station, number::<StationStats>(counter)?))
        }
        _ => None,
    }
}

/// Returns the index of a counter among those that are declared.
fn number<C: Count>(name: &str) -> Option<usize> {
    declared::<C>().iter().position(|counter| counter.name == name)
}

/// Returns the counters of each component under its name.
fn by_name<'a, C: Count>(components: impl Iterator<Item = (&'a str, C)>) -> Value {
    let counters = |counts| serde_json::to_value(Counted::new(counts)).unwrap_or_default();
    Value::Object(components.map(|(name, counts)| (name.to_owned(), counters(counts))).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MOST_SAMPLES;
    use airfair_sim::Engine;

    fn world(text: &str) -> World {
        let experiment = Experiment::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        World::start(experiment, 1, &[], &[]).expect("there is no external flow")
    }

    const SLOW: &str = r#"
        [run]
        warmup = "1 s"
        duration = "9 s"
        metrics = ["throughput_total"]
        [parameters]
        speed = "link.a-b.rate"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        from = "a"
        to = "b"
        rate = "1 Mb/s"
        delay = "10 ms"
        [[flow]]
        name = "f"
        from = "a"
        to = "b"
    "#;

    fn set(name: &str, value: &str) -> [Override; 1] {
        [Override { name: name.to_owned(), value: value.to_owned() }]
    }

    fn to(world: &mut World, seconds: u64) {
        while !world.run_until(Time(seconds * 1_000_000_000), 1000) {}
    }

    #[test]
    fn delays_of_packets_are_samples() {
        let udp = SLOW.replace("throughput_total", "udp_delay_p50") + r#"udp = { rate = "100 kb/s" }"#;
        for (text, engine) in [&SLOW.replace("throughput_total", "rtt_p50"), &udp]
            .into_iter()
            .flat_map(|text| [Engine::Fast, Engine::Plain].map(|engine| (text, engine)))
        {
            let mut experiment =
                Experiment::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            experiment.engine = engine;
            let mut world = World::start(experiment, 1, &[], &[]).expect("there is no external flow");
            let samples = [2, 4].map(|second| {
                to(&mut world, second);
                world.samples()
            });
            assert!(0 < samples[0] && samples[0] < samples[1], "{engine:?}: {samples:?}");
        }
        let mut unasked = world(SLOW);
        to(&mut unasked, 4);
        assert_eq!(unasked.samples(), 0);
    }

    #[test]
    fn a_run_keeps_no_more_samples_than_the_memory_holds() {
        assert_eq!(check_samples::<()>(MOST_SAMPLES), Ok(()));
        assert_eq!(check_samples::<()>(MOST_SAMPLES + 1), Err(NoOutcome::TooManySamples));
    }

    #[test]
    fn a_run_stops_for_a_reason() {
        let fast = SLOW.replace("1 Mb/s", "1 Gb/s").replace("10 ms", "10 us");
        let mut world = world(&fast);
        assert_eq!(world.go_on(Time::NEVER, || Err("enough")), Err(NoOutcome::Stopped("enough")));
        assert!(world.under_way_to() == Some(Time::NEVER) && world.now() < world.end());
        assert_eq!(world.go_on(Time::NEVER, || Ok::<_, ()>(())), Ok(()));
        assert!(world.under_way_to().is_none() && world.now() == world.end());
    }

    #[test]
    fn without_changes_the_outcome_is_that_of_a_run() {
        let mut world = world(SLOW);
        assert!(world.outcome().is_err_and(|message| message.contains("warm-up ends at 1 s")));
        (0..=20).for_each(|second| to(&mut world, second));
        let experiment = Experiment::parse(SLOW, "test.toml", &[]).expect("as above");
        assert_eq!(world.outcome().as_ref(), Ok(&experiment.run(1, &[])));
    }

    #[test]
    fn a_setting_changes_from_now_on() {
        let mut world = world(SLOW);
        let goodput = |world: &mut World| {
            let counts = world.counts();
            counts["flows"]["f"]["delivered_bytes"].as_u64().expect("a number")
        };
        to(&mut world, 5);
        let first = goodput(&mut world);
        assert_eq!(world.set(&set("speed", "500 kb/s")), Ok(()));
        assert_eq!(world.set(&set("link.a-b.delay", "1 ms")), Ok(()), "the rate stays as it was set");
        to(&mut world, 10);
        let second = goodput(&mut world) - first;
        assert!(second * 100 > first * 45 && second * 100 < first * 55, "{first} B, then {second} B");
    }

    #[test]
    fn who_looks_sees_the_counts_and_the_outcome() {
        let experiment = Experiment::load("blefari/hotspot", &set("duration", "4 s")).expect("a scenario");
        let counter =
            |kind: &str, name: &str, counter: &str| (kind.to_owned(), name.to_owned(), counter.to_owned());
        let link = experiment.loaded.scenario.link_directions().next().expect("a link").name.clone();
        let counters = [
            counter("flows", "up1", "delivered_bytes"),
            counter("stations", "ap", "delivered"),
            counter("links", &link, "offered"),
        ];
        let metrics = ["throughput_total".to_owned(), "jain".to_owned()];
        let experiment = experiment.measuring(Some(&metrics)).expect("they are metrics");
        let watched = Watched::new(&experiment, &counters, &metrics).expect("there are such counters");
        let mut world = World::start(experiment.clone(), 1, &[], &[]).expect("there is no external flow");
        let warmup = experiment.loaded.scenario.warmup.as_secs() as u64;
        to(&mut world, warmup);
        assert_eq!(world.look(&watched).1, [None, None]);
        to(&mut world, warmup + 3);
        let (seen, values) = world.look(&watched);
        let counts = world.counts();
        for ((kind, name, counter), seen) in counters.iter().zip(seen) {
            assert!(seen > 0.0 && counts[kind][name][counter] == seen as u64, "{kind} {name} {counter}");
        }
        let outcome = world.outcome().expect("after the warm-up");
        let wanted: Vec<_> = outcome.metrics.iter().map(|metric| metric.value).collect();
        assert!(values == wanted && wanted.iter().all(Option::is_some), "{values:?} {wanted:?}");
    }

    #[test]
    fn what_is_not_there_cannot_be_watched() {
        let experiment = Experiment::parse(SLOW, "test.toml", &[]).expect("as above");
        let of = |kind: &str, name: &str, counter: &str| {
            let counters = [(kind.to_owned(), name.to_owned(), counter.to_owned())];
            Watched::new(&experiment, &counters, &[]).map(|_| ())
        };
        assert_eq!(of("flows", "f", "delivered_bytes"), Ok(()));
        for (kind, name, counter) in
            [("flow", "f", "delivered_bytes"), ("flows", "g", "delivered_bytes"), ("flows", "f", "bytes")]
        {
            let message = format!("there is no counter `{kind}/{name}/{counter}`");
            assert_eq!(of(kind, name, counter), Err(message));
        }
        let refused = Watched::new(&experiment, &[], &["jain".to_owned()]).expect_err("not asked for");
        assert_eq!(refused, "the scenario does not report `jain`");
    }

    #[test]
    fn refused_settings_are_named() {
        let mut world = world(SLOW);
        let refused = |world: &mut World, name, value| world.set(&set(name, value)).expect_err("refused");
        assert!(refused(&mut world, "tcp.recovery", "sack").contains("`tcp.recovery` cannot change"));
        assert!(refused(&mut world, "link.a-b.rte", "3").contains("rate"));
        assert!(refused(&mut world, "speed", "-1 b/s").contains("speed"));
    }
}
