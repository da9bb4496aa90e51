//! Runs one scenario and prints what it cost, as one line of JSON.
//!
//! `airfair-bench [--set-up | --limit] SCENARIO [NAME=VALUE ...]`: without an option one run; with the first many short ones, each
//! from the file on; with the other what one run's bare operations cost.

mod limit;
mod set_up;

use airfair_lab::{Experiment, Outcome, Running};
use airfair_scenario::{Error, Override};
use cpu_time::ProcessTime;
use serde_json::Value;
use std::process::ExitCode;

/// Share of a run after which its buffers have grown to their size.
const WARM: f64 = 0.5;
const EVENTS_PER_STEP: u64 = 1_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let measure: fn(&str, &[Override]) -> Result<Value, Error> = match arguments.peek().map(String::as_str) {
        Some("--set-up") => set_up::measure,
        Some("--limit") => limit::measure,
        _ => cost,
    };
    arguments.next_if(|argument| argument.starts_with("--"));
    let Some(source) = arguments.next() else {
        eprintln!("usage: airfair-bench [--set-up | --limit] SCENARIO [NAME=VALUE ...]");
        return ExitCode::from(2);
    };
    let overrides: Option<Vec<Override>> = arguments
        .map(|argument| {
            let (name, value) = argument.split_once('=')?;
            Some(Override { name: name.to_owned(), value: value.to_owned() })
        })
        .collect();
    let Some(overrides) = overrides else {
        eprintln!("parameters are given as NAME=VALUE");
        return ExitCode::from(2);
    };
    match measure(&source, &overrides) {
        Ok(measured) => {
            println!("{measured}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn cost(source: &str, overrides: &[Override]) -> Result<Value, Error> {
    let begin = ProcessTime::now();
    let (loaded, scenario_bytes) = allocated(|| Experiment::load(source, overrides));
    let experiment = loaded?;
    let (mut running, world_bytes) = allocated(|| experiment.start(1, &[]));
    let set_up = begin.elapsed();

    let begin = ProcessTime::now();
    while running.progress() < WARM && !running.step(EVENTS_PER_STEP) {}
    let warm_events = running.events();
    let allocations = allocation_counter::measure(|| run_to_end(&mut running)).count_total;
    let run = begin.elapsed();

    let events = running.events();
    let outcome = running.finish();
    let segments = delivered_segments(&experiment, &outcome);
    let sent = outcome.flows.iter().map(|flow| flow.segments).sum::<u64>();
    Ok(serde_json::json!({
        "set_up_s": set_up.as_secs_f64(),
        "run_s": run.as_secs_f64(),
        "events": events,
        "segments": segments,
        "segments_sent": sent,
        "ns_per_segment": run.as_secs_f64() * 1e9 / segments,
        "ns_per_segment_sent": run.as_secs_f64() * 1e9 / sent as f64,
        "ns_per_event": run.as_secs_f64() * 1e9 / events as f64,
        "flows": outcome.flows.len(),
        "scenario_bytes": scenario_bytes,
        "world_bytes": world_bytes,
        "goodput_bps": outcome.flows.iter().map(|flow| flow.throughput).sum::<f64>(),
        "allocations_once_warm": allocations,
        "events_once_warm": events - warm_events,
    }))
}

/// What `build` makes, and the bytes that it keeps allocated.
fn allocated<T>(build: impl FnOnce() -> T) -> (T, i64) {
    let mut made = None;
    let bytes = allocation_counter::measure(|| made = Some(build())).bytes_current;
    (made.expect("it was built"), bytes)
}

fn run_to_end(running: &mut Running<'_>) {
    while !running.step(EVENTS_PER_STEP) {}
}

/// Data segments acknowledged in the measured window.
fn delivered_segments(experiment: &Experiment, outcome: &Outcome) -> f64 {
    let scenario = &experiment.loaded.scenario;
    let flows = scenario.flows.iter().zip(&outcome.flows);
    flows
        .map(|(flow, record)| {
            let bytes = match &flow.transport {
                airfair_scenario::resolved::Transport::Tcp { settings, .. } => settings.segment_bytes,
                airfair_scenario::resolved::Transport::Udp { datagram_bytes, .. } => *datagram_bytes,
            };
            record.throughput * scenario.duration.as_secs() / 8.0 / f64::from(bytes)
        })
        .sum()
}
