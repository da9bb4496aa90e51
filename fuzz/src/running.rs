//! Whole runs: the same seed gives the same bytes in both engines, recording changes nothing, and the records are consistent.

use crate::check::Passed;
use crate::invariants;
use airfair_core::{Span, Time};
use airfair_lab::{Capture, Experiment, Outcome};
use airfair_scenario::resolved::Scenario;
use airfair_sim::{Engine, Quantity, Recordings};
use std::hash::{DefaultHasher, Hasher};

const LONGEST: Span = Span::from_millis(20_000);
const MOST_FLOWS: usize = 200;
const MOST_EVENTS: u64 = 300_000;
/// The same of a run that was just short enough, though its number was looked at seldom.
const MOST_EVENTS_AGAIN: u64 = MOST_EVENTS + 10_000;
/// More events than this at one instant count as an endless loop.
const MOST_EVENTS_AT_ONCE: u64 = 100_000;

/// Whether the size of the scenario promises a short run.
pub fn is_small(scenario: &Scenario) -> bool {
    let span = scenario.warmup.0.saturating_add(scenario.duration.0);
    span <= LONGEST.0 && scenario.flows.len() <= MOST_FLOWS && scenario.nodes.len() <= 2 * MOST_FLOWS
}

/// Runs a small scenario several times and checks the outcomes.
pub fn run(experiment: &Experiment, seed: u64) -> Result<Passed, String> {
    let Some(outcome) = outcome(experiment, seed, &Quantity::ALL, 1000, MOST_EVENTS)? else {
        return Ok(Passed::TooLarge);
    };
    let Some(again) = self::outcome(experiment, seed, &Quantity::ALL, 7, MOST_EVENTS_AGAIN)? else {
        return Err("the same seed took more events".to_owned());
    };
    if bytes(&outcome) != bytes(&again) {
        return Err("the same seed gave other bytes".to_owned());
    }
    let Some(bare) = self::outcome(experiment, seed, &[], MOST_EVENTS, MOST_EVENTS_AGAIN)? else {
        return Err("without recording it took more events".to_owned());
    };
    if bytes(&Outcome { series: Vec::new(), air: Vec::new(), ..again }) != bytes(&bare) {
        return Err("recording changed the result".to_owned());
    }
    invariants::outcome(&experiment.loaded.scenario, &outcome)?;
    let (measured, captured) = record(Engine::Fast, &experiment.loaded.scenario, seed)?;
    let (plain, captured_by_plain) = record(Engine::Plain, &experiment.loaded.scenario, seed)?;
    if measured != plain {
        return Err("the engines gave different records".to_owned());
    }
    if captured != captured_by_plain {
        return Err("the engines gave different captures".to_owned());
    }
    let scenario = from_the_start(&experiment.loaded.scenario);
    let (whole, _) = record(Engine::Fast, &scenario, seed)?;
    if measured.sessions != whole.sessions {
        return Err("the warm-up changed when sessions end".to_owned());
    }
    invariants::record(&scenario, &whole)?;
    Ok(Passed::Ran)
}

/// The same scenario without a warm-up: counts add up only if they begin at the start.
fn from_the_start(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.duration = Span(scenario.warmup.0 + scenario.duration.0);
    scenario.warmup = Span::ZERO;
    scenario
}

/// The outcome of a run, or `None` if the run takes too many events.
fn outcome(
    experiment: &Experiment,
    seed: u64,
    traces: &[Quantity],
    at_once: u64,
    most: u64,
) -> Result<Option<Outcome>, String> {
    let mut running = experiment.start(seed, traces);
    let mut clock = Clock::default();
    while !running.step(at_once) {
        clock.note(running.progress(), running.events())?;
        if running.events() > most {
            return Ok(None);
        }
    }
    Ok(Some(running.finish()))
}

/// The record, and the digest of a capture of the frames on the air.
fn record(engine: Engine, scenario: &Scenario, seed: u64) -> Result<(airfair_sim::Record, u64), String> {
    let recordings = Recordings {
        traces: &Quantity::ALL,
        average_cwnds: true,
        ap_queue_delays: true,
        delays: true,
        frames: true,
    };
    let mut run = engine.start(scenario, seed, recordings);
    let mut clock = Clock::default();
    let mut capture = Capture::new(scenario, seed);
    let mut digest = DefaultHasher::new();
    let mut is_over = false;
    while !is_over {
        is_over = run.run_until(Time::NEVER, 1000);
        clock.note(run.progress(), run.events())?;
        capture.follow(&mut run, is_over);
        digest.write(&capture.take());
    }
    Ok((run.into_record(), digest.finish()))
}

fn bytes(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).expect("an outcome is plain data")
}

/// Checks that time advances.
#[derive(Default)]
struct Clock {
    progress: f64,
    events: u64,
}

impl Clock {
    fn note(&mut self, progress: f64, events: u64) -> Result<(), String> {
        if !(self.progress..=1.0).contains(&progress) {
            return Err(format!("time went from {} to {progress} of the run", self.progress));
        }
        if progress > self.progress {
            (self.progress, self.events) = (progress, events);
        } else if events - self.events > MOST_EVENTS_AT_ONCE {
            return Err(format!("time stands still at {progress} of the run"));
        }
        Ok(())
    }
}
